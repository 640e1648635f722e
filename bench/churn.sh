#!/usr/bin/env bash
#
# churn.sh
#	  The benchmark of resident columns of a table that is written to: how long
#	  queries take before, while and after others insert and update, beside
#	  PostgreSQL's own plan.  Prints Markdown tables and writes them to a file, all
#	  that was measured beside it (.csv), and a picture of that (.svg).
#
# Usage: bench/churn.sh [FILE.md]
#
# The server has default settings, but for what is named here and in the report.  The
# table is made, vacuumed and loaded; then a reader runs the queries of bench/churn in
# turn, for QUIET seconds by itself, for BENCH_SECONDS beside the writers, and for REST seconds
# more.  Now and then both sides of a query are run in one snapshot and their results
# compared, text for text; the reader rests meanwhile (see bench/churn/timeline.py).  The
# exit status is 1 if there was a difference.
#
# Variables:
#	ROWS			of the table at first (default 5000000; 76 bytes of heap each, and 22 of
#					index)
#	INSERTS			rows inserted a second (default 2000), BATCH each transaction
#	BATCH			(default 10)
#	UPDATES			rows updated a second, at random places (default 200), one each
#					transaction
#	CLIENTS			sessions of each writer (default 8)
#	BENCH_SECONDS	how long writers write (default 60)
#	QUIET, REST		seconds before and after that (default 20, 32)
#	PACE			ms from one query of the reader to the next (default 100)
#	COMPARE			seconds between two comparisons of a query (default 10)
#	PROCESSES		of PostgreSQL's own plan, and to make the table (default: as many as
#					there are processors)
#	SETTINGS		further lines for postgresql.conf, apart by semicolons
#	SERIES			the file of what was measured (default: FILE.csv)
#	WA_DEVICE		warpagg.device (default auto)

set -euo pipefail
shopt -s inherit_errexit
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../scripts/lib.sh"
# shellcheck source=bench/scan/time.sh
. "$(dirname "${BASH_SOURCE[0]}")/scan/time.sh"

OUT=${1:-}
ROWS=${ROWS:-5000000}
INSERTS=${INSERTS:-2000}
BATCH=${BATCH:-10}
UPDATES=${UPDATES:-200}
CLIENTS=${CLIENTS:-8}
BENCH_SECONDS=${BENCH_SECONDS:-60}
QUIET=${QUIET:-20}
REST=${REST:-32}
PACE=${PACE:-100}
COMPARE=${COMPARE:-10}
PROCESSES=${PROCESSES:-$(nproc)}
SETTINGS=${SETTINGS:-}
SERIES=${SERIES:-${OUT:+${OUT%.md}.csv}}
# While the table is made; the server that is measured has its defaults.
WORK_MEM=64MB
# The tables and queries of this benchmark, in place of bench/scan's.
SCAN_DIR=$WA_ROOT/bench/churn
# How many parallel workers PostgreSQL's defaults allow a query, and all of them.
DEFAULT_WORKERS=2
DEFAULT_MAX_WORKERS=8

# Prints what the server has beside defaults, a line each: what PostgreSQL's own plan
# needs to have its processes, the device, and SETTINGS.
settings()
{
	if [ $((PROCESSES + DEFAULT_WORKERS + 2)) -gt "$DEFAULT_MAX_WORKERS" ]; then
		echo "max_worker_processes = $((PROCESSES + DEFAULT_MAX_WORKERS))"
		echo "max_parallel_workers = $((PROCESSES + DEFAULT_WORKERS))"
	fi
	[ "${WA_DEVICE:-auto}" = auto ] || echo "warpagg.device = '$WA_DEVICE'"
	bench_settings
}

# Makes the table, and has the planner give PostgreSQL's side its processes; ours may
# have what max_parallel_workers_per_gather allows by default.
make_table()
{
	local workers=$((PROCESSES - 1))

	[ "$workers" -ge "$DEFAULT_WORKERS" ] || workers=$DEFAULT_WORKERS
	bench_need_disk $((ROWS * 100 / 1000000))
	scan_fill_table readings "rows=$ROWS" "$PROCESSES"
	wa_psql -c 'ALTER TABLE readings ADD PRIMARY KEY (id)' \
		-c "ALTER TABLE readings ALTER id RESTART WITH $((ROWS + 1))" \
		-c "ALTER TABLE readings SET (parallel_workers = $workers)"
	scan_vacuum readings "$PROCESSES"
}

# Restarts the server with default settings, but for those that settings prints.
restart_with_defaults()
{
	local lines

	mapfile -t lines < <(settings)
	# All from there on is what wa_cluster_start has added.
	wa_as_user sed -i "/^listen_addresses = ''/,\$d" "$WA_TMP/bench/postgresql.conf"
	scan_restart_server "listen_addresses = ''" "unix_socket_directories = '$WA_TMP'" \
		"shared_preload_libraries = 'warpagg'" ${lines[@]+"${lines[@]}"}
	# What was made is not to be written while times are taken.
	sync -f "$WA_TMP"
}

# Prints the header of the report: when, what, where.
header()
{
	local lines

	lines=$(settings | paste -sd ,)
	cat <<TEXT
# Resident columns of a table that is written to

$(bench_environment)
| further settings | shared_preload_libraries warpagg${lines:+, ${lines//,/, }}; all others are defaults, on both sides |
| table | readings: $(scan_table_size readings), with a primary key, $(wa_psql -c "SELECT array_to_string(reloptions, ', ') FROM pg_class WHERE relname = 'readings'"); made in $1 s, loaded in $2 ms |
| PostgreSQL's own plan | $(scan_took_part off "$(scan_query sum_int8)" "$(scan_session_setup "$PROCESSES")") processes took part |
| made by | bench/churn.sh, ROWS=$ROWS INSERTS=$INSERTS BATCH=$BATCH UPDATES=$UPDATES CLIENTS=$CLIENTS BENCH_SECONDS=$BENCH_SECONDS QUIET=$QUIET REST=$REST PACE=$PACE COMPARE=$COMPARE PROCESSES=$PROCESSES SETTINGS="$SETTINGS" |
| method | one reader, a query every $PACE ms in turn, and before each the SHA-256 of 1 MiB as a fixed computation; "2 s after" is from 2 to 4 s after the writers have stopped, "later" the rest of $REST s; PostgreSQL's own plan now and then, while the reader rests |

TEXT
	query_texts
}

# Prints the queries.
query_texts()
{
	local name

	for name in $(scan_names readings); do
		echo "- ${name//_/ }: \`$(scan_query "$name")\`"
	done
}

# Prints the whole report.
report()
{
	local arguments=()
	local name

	header "$@"
	for name in $(scan_names readings); do
		arguments+=(--query "$name=$(scan_query "$name")")
	done
	PATH="$WA_BINDIR:$PATH" PYTHONPATH="$WA_ROOT/test/random" PYTHONDONTWRITEBYTECODE=1 \
		python3 "$WA_ROOT/bench/churn/timeline.py" --data "$WA_TMP/bench" --rows "$ROWS" \
		--inserts "$INSERTS" --batch "$BATCH" --updates "$UPDATES" --clients "$CLIENTS" \
		--seconds "$BENCH_SECONDS" --quiet "$QUIET" --rest "$REST" --pace "$PACE" \
		--compare "$COMPARE" --processes "$PROCESSES" "${arguments[@]}" \
		"$WA_TMP/series.csv"
}

wa_begin
scan_start_server "$PROCESSES" "maintenance_work_mem = '1GB'" \
	"max_parallel_maintenance_workers = $PROCESSES"
START=$SECONDS
make_table
restart_with_defaults
MADE=$((SECONDS - START))
LOADED=$(scan_load_table readings)
RC=0
report "$MADE" "$LOADED" | bench_write_report "$OUT" || RC=$?
if [ -n "$SERIES" ] && [ -s "$WA_TMP/series.csv" ]; then
	bench_keep "$WA_TMP/series.csv" "$SERIES"
	python3 "$WA_ROOT/bench/chart.py" "$SERIES" "${SERIES%.csv}.svg"
fi
scan_stop_server
exit "$RC"
