# shellcheck shell=bash
# time.sh
#	  The server of the benchmarks of whole queries, and the times of both sides of
#	  a query: warpagg.enable_scan on and off.  Source it after scripts/lib.sh; it
#	  has what the benchmarks share (bench/lib.sh), and lib.sh here.
#
# Variables: TABLES, QUERIES, BENCH_RUNS, BENCH_CHANGE, BENCH_SHIFT, WORK_MEM, SHARED_BUFFERS and WA_DEVICE of
# the benchmark; LOADERS, MEMORY_LIMIT and SETTINGS of one that loads tables.

# shellcheck source=bench/lib.sh
. "$WA_ROOT/bench/lib.sh"
# shellcheck source=bench/scan/lib.sh
. "$WA_ROOT/bench/scan/lib.sh"

# The tables that queries are timed over.
SCAN_TABLES=${TABLES:-readings lineitem hits}

# Runs of each side that are not counted.
WARM_UPS=2

# Starts the throw-away server.  Arguments: the most processes that a query may
# have, then further lines for postgresql.conf.
scan_start_server()
{
	local most=$1

	shift
	wa_cluster_start bench "shared_preload_libraries = 'warpagg'" \
		"shared_buffers = '${SHARED_BUFFERS:-$(bench_shared_buffers)}'" \
		"work_mem = '$WORK_MEM'" "autovacuum = off" "jit = off" \
		"max_worker_processes = $((most + 8))" "max_parallel_workers = $most" \
		"wal_buffers = '64MB'" "bgwriter_lru_maxpages = 0" \
		"warpagg.device = '${WA_DEVICE:-auto}'" "$@"
	wa_psql -c 'CREATE EXTENSION warpagg'
	wa_wait_device 60 >/dev/null || wa_die 'the device process did not get ready'
}

# Likewise that of a benchmark that loads tables, by LOADERS processes, with as many
# processes on both sides, MEMORY_LIMIT, and SETTINGS.
scan_start_loading_server()
{
	local most=$1
	local lines

	shift
	mapfile -t lines < <(bench_settings)
	scan_start_server "$most" "max_parallel_workers_per_gather = $((most - 1))" \
		"warpagg.load_workers = $((LOADERS - 1))" \
		"warpagg.memory_limit = '${MEMORY_LIMIT:-0}'" "$@" ${lines[@]+"${lines[@]}"}
}

# Restarts the server with further lines for postgresql.conf, its arguments.
scan_restart_server()
{
	printf '%s\n' "$@" | wa_as_user tee -a "$WA_TMP/bench/postgresql.conf" >/dev/null
	wa_as_user pg_ctl restart -s -w -t 120 -D "$WA_TMP/bench" -l "$WA_SERVER_LOG" </dev/null ||
		wa_die 'could not restart PostgreSQL'
	wa_wait_device 60 >/dev/null || wa_die 'the device process did not get ready'
}

# Prints the ways in which the server can read ahead; none before 18.
scan_io_methods()
{
	wa_psql -c "SELECT method FROM pg_settings, unnest(enumvals) AS method
		WHERE name = 'io_method' AND method IN ('worker', 'sync')"
}

# Stops the server without a checkpoint: nobody needs its files any more.
scan_stop_server()
{
	wa_as_user pg_ctl stop -s -w -t 60 -m immediate -D "$WA_TMP/bench" || true
}

# Makes the tables of SCAN_TABLES, one after the other, and then has them vacuumed
# at the same time: what is still being made keeps VACUUM from its work on others.
# Prints how long that took, in Markdown.  Arguments: rows of readings, scale
# factor, rows of hits, how many processes insert.
scan_make_tables()
{
	local table
	local start
	local processes=()

	scan_check_names
	scan_need_disk "$1" "$2" "$3"
	cat <<TEXT

## Tables

Made by $4 processes, each table by itself, then vacuumed at the same time.

| table | rows | heap | made, s |
|---|---|---|---|
TEXT
	for table in $SCAN_TABLES; do
		start=$SECONDS
		scan_fill_table "$table" "$(scan_scale "$table" "$@")" "$4"
		wa_psql -c "SELECT format('| %s | %s | %s | %s |', '$table', count(*),
			pg_size_pretty(pg_table_size('$table')), $((SECONDS - start))) FROM $table"
	done
	start=$SECONDS
	for table in $SCAN_TABLES; do
		scan_vacuum "$table" "$4" &
		processes+=($!)
	done
	scan_wait "${processes[@]}"
	printf '\nVACUUM took %d s.\n' $((SECONDS - start))
}

# Prints the psql variable that says how large a table is to be.  Arguments: the
# table, rows of readings, scale factor, rows of hits.
scan_scale()
{
	case $1 in
		readings) echo "rows=$2" ;;
		lineitem) echo "sf=$3" ;;
		hits) echo "rows=$4" ;;
	esac
}

# Ends the script unless there is room for the tables of SCAN_TABLES, and for what
# the queries over hits spill.  Arguments: rows of readings, scale factor, rows of
# hits.
scan_need_disk()
{
	bench_need_disk "$(awk -v tables="$SCAN_TABLES" -v readings="$1" -v sf="$2" -v hits="$3" 'BEGIN {
		mb["readings"] = readings * 84e-6; mb["lineitem"] = sf * 945; mb["hits"] = hits * 800e-6
		for (n = split(tables, t, " "); n > 0; n--) sum += mb[t[n]]
		print int(sum) }')"
}

# Prints the milliseconds that a statement takes.  Arguments: it, then options for
# psql to do first.
scan_time_once()
{
	local statement=$1

	shift
	wa_psql "$@" -c '\timing on' -c "$statement" >"$WA_TMP/once.out"
	awk '/^Time: / { time = $2 } END { print time }' "$WA_TMP/once.out"
}

# Runs both sides of a query once, ends the script unless they agree, and prints the
# milliseconds of the built-in and of ours, a line each.  Arguments: name, set-up.
scan_check()
{
	local query

	query=$(scan_query "$1")
	scan_time_results off off.out "$query" "$2"
	scan_time_results on on.out "$query" "$2"
	scan_diff on.out off.out >&2 || wa_die "results of $1 differ"
}

# Ends the script if TABLES or QUERIES name something that there is not.
scan_check_names()
{
	local name

	for name in $SCAN_TABLES; do
		[ -r "$SCAN_DIR/${name}_rows.sql" ] || wa_die "no table \"$name\""
	done
	for name in ${QUERIES:-}; do
		scan_query "$name" >/dev/null
	done
}

# Loads columns of a table; prints the milliseconds that it took.  Arguments: the
# table, and the columns as the text of an array (default: all).
scan_load_table()
{
	local columns=NULL

	[ -z "${2:-}" ] || columns="'$2'"
	scan_time_once "SELECT warpagg_load('$1', $columns)"
}

# Has the planner use a number of processes for the tables, if any but one.
scan_set_processes()
{
	local table

	for table in $SCAN_TABLES; do
		wa_psql -c "ALTER TABLE $table SET (parallel_workers = $(($1 - 1)))"
	done
}

# Prints the set-up statement of a session with a number of processes.
scan_session_setup()
{
	echo "SET max_parallel_workers_per_gather = $(($1 - 1))"
}

# Prints a query for a run, by its number: with BENCH_SHIFT all dates are so many days later.
scan_query_of_run()
{
	if [ -n "${BENCH_SHIFT:-}" ]; then
		sed -E "s/date ('[0-9-]+')/(date \\1 + $2)/g" <<<"$1"
	else
		echo "$1"
	fi
}

# Runs sides of a query in turns in one session, the statement BENCH_CHANGE before each run if
# there is one; prints a line of times for each.
# Arguments: query, set-up, sides.
scan_time_sides()
{
	local query=$1
	local setup=$2
	local side
	local i

	shift 2
	{
		printf '%s;\n\\o /dev/null\n' "$setup"
		for ((i = 0; i < BENCH_RUNS + WARM_UPS; i++)); do
			for side in "$@"; do
				printf '%s;\n%s\n\\timing on\n%s;\n\\timing off\n' "$(scan_side "$side")" \
					"${BENCH_CHANGE:+$BENCH_CHANGE;}" "$(scan_query_of_run "$query" "$i")"
			done
		done
	} | wa_psql >"$WA_TMP/timing.out"
	awk -v sides=$# -v skip=$(($# * WARM_UPS)) '/^Time: / {
			if (n >= skip) t[n % sides] = t[n % sides] " " $2
			n++ }
		END { for (i = 0; i < sides; i++) print t[i] }' "$WA_TMP/timing.out"
}

# Prints the median of the times in a line.
scan_median_of()
{
	tr ' ' '\n' <<<"$1" | sed '/^$/d' | wa_median
}

# Runs a side of a query and writes what EXPLAIN ANALYZE says to $WA_TMP/plan.out.
# Arguments: side, query, set-up.
scan_explain()
{
	wa_psql -c "$3" -c "$(scan_side "$1")" \
		-c "EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF) $2" >"$WA_TMP/plan.out"
}

# Prints how many processes took part on a side.  Arguments: those of scan_explain.
scan_took_part()
{
	scan_explain "$@"
	awk '/Workers Launched:/ { n += $NF } END { print n + 1 }' "$WA_TMP/plan.out"
}

# Prints the size of a table.
scan_table_size()
{
	wa_psql -F ', ' -c "SELECT count(*) || ' rows', pg_size_pretty(pg_table_size('$1')) FROM $1"
}
