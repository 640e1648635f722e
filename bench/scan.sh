#!/usr/bin/env bash
#
# scan.sh
#	  The benchmark of the scan tier: queries of our own, of TPC-H (1 and 6) and of
#	  ClickBench (13 that read no text), with the node and with PostgreSQL's own
#	  plan, in one process and in two.  Prints a Markdown table and writes it to a
#	  file.
#
# Usage: bench/scan.sh [FILE]
#
# The texts are the same on both sides: built-in aggregates, which the node takes
# at the default settings (warpagg.accelerate = exact); the other side has
# warpagg.enable_scan and warpagg.accelerate off.  Before it is timed, each query
# must have the same results on both sides, text for text.  Both alternate in one
# session after two warm-ups; the times are psql's \timing; medians are given.
#
# Variables:
#	BENCH_ROWS		rows of readings (default 8000000)
#	TPCH_SF			scale factor of lineitem (default 1: 6 million rows)
#	HITS_ROWS		rows of hits (default 1000000)
#	BENCH_RUNS		timed runs of each statement (default 11)
#	PROCESSES		numbers of processes to measure (default "1 2")
#	WORK_MEM		work_mem, on both sides (default 64MB)
#	SHARED_BUFFERS	of the throw-away server (default: a quarter of memory, at
#					most 16 GB)
#	RESIDENT		yes: all columns are loaded first, and the node uses them
#					(default no: they stay in the heap)
#	WA_DEVICE		warpagg.device (default auto)

set -euo pipefail
shopt -s inherit_errexit
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../scripts/lib.sh"
# shellcheck source=bench/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=bench/scan/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/scan/lib.sh"

OUT=${1:-}
BENCH_ROWS=${BENCH_ROWS:-8000000}
TPCH_SF=${TPCH_SF:-1}
HITS_ROWS=${HITS_ROWS:-1000000}
BENCH_RUNS=${BENCH_RUNS:-11}
PROCESSES=${PROCESSES:-1 2}
WORK_MEM=${WORK_MEM:-64MB}
RESIDENT=${RESIDENT:-no}
WARM_UPS=2

# Starts the throw-away server.
start_server()
{
	local most

	most=$(tr ' ' '\n' <<<"$PROCESSES" | sort -n | tail -n 1)
	wa_cluster_start bench "shared_preload_libraries = 'warpagg'" \
		"shared_buffers = '${SHARED_BUFFERS:-$(bench_shared_buffers)}'" \
		"work_mem = '$WORK_MEM'" "autovacuum = off" "jit = off" \
		"max_worker_processes = $((most + 8))" "max_parallel_workers = $most" \
		"warpagg.device = '${WA_DEVICE:-auto}'"
	wa_psql -c 'CREATE EXTENSION warpagg'
	wa_wait_device 60 >/dev/null || wa_die 'the device process did not get ready'
}

# Makes the tables.
make_tables()
{
	wa_note "making $BENCH_ROWS readings, lineitem at $TPCH_SF, $HITS_ROWS hits" >&2
	scan_make_table readings "rows=$BENCH_ROWS"
	scan_make_table lineitem "sf=$TPCH_SF"
	scan_make_table hits "rows=$HITS_ROWS"
}

# Loads all columns, and prints how long that took.
load_tables()
{
	local table

	for table in readings lineitem hits; do
		wa_psql -c '\timing on' -c "SELECT warpagg_load('$table')" |
			awk -v t="$table" '/^Time: / { print "loaded " t " in " $2 " ms" }' >&2
	done
}

# Has the planner use a number of processes for the tables, if any but one.
set_processes()
{
	local table

	for table in readings lineitem hits; do
		wa_psql -c "ALTER TABLE $table SET (parallel_workers = $(($1 - 1)))"
	done
}

# Prints the set-up statement of a session with a number of processes.
session_setup()
{
	echo "SET max_parallel_workers_per_gather = $(($1 - 1))"
}

# Runs both sides of a query alternately in one session; prints two lines of
# times, the built-in's first.  Arguments: query, set-up.
time_sides()
{
	local side
	local i

	{
		printf '%s;\n\\o /dev/null\n' "$2"
		for ((i = 0; i < BENCH_RUNS + WARM_UPS; i++)); do
			for side in off on; do
				printf '%s;\n\\timing on\n%s;\n\\timing off\n' "$(scan_side $side)" "$1"
			done
		done
	} | wa_psql >"$WA_TMP/timing.out"
	awk -v skip=$((2 * WARM_UPS)) '/^Time: / { n++
			if (n > skip) t[n % 2] = t[n % 2] " " $2 }
		END { print t[1]; print t[0] }' "$WA_TMP/timing.out"
}

# Prints how many processes took part on a side.  Arguments: side, query, set-up.
took_part()
{
	wa_psql -c "$3" -c "$(scan_side "$1")" \
		-c "EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF) $2" |
		awk '/Workers Launched:/ { n += $NF } END { print n + 1 }'
}

# Prints the median of the times in a line.
median_of()
{
	tr ' ' '\n' <<<"$1" | sed '/^$/d' | wa_median
}

# Checks a query and prints its lines of the table.  Arguments: name, label.
measure()
{
	local query
	local setup
	local plan
	local times
	local used
	local count

	query=$(scan_query "$1")
	scan_same "$1" >&2 || wa_die "results of $1 differ"
	for count in $PROCESSES; do
		setup=$(session_setup "$count")
		set_processes "$count"
		plan="PostgreSQL's"
		! PGOPTIONS="-c max_parallel_workers_per_gather=$((count - 1))" \
			scan_has_node "$1" || plan=WarpAgg
		used=$(took_part on "$query" "$setup")/$(took_part off "$query" "$setup")
		times=$(time_sides "$query" "$setup")
		awk -v l="$2" -v p="$count" -v w="$used" -v plan="$plan" \
			-v b="$(median_of "$(sed -n 1p <<<"$times")")" \
			-v a="$(median_of "$(sed -n 2p <<<"$times")")" 'BEGIN {
			printf "| %s | %s | %s | %s | %.2f | %.2f | %.3f |\n", l, p, w, plan, b, a, a / b }'
	done
}

# Prints the size of a table.
table_size()
{
	wa_psql -F ', ' -c "SELECT count(*) || ' rows', pg_size_pretty(pg_table_size('$1')) FROM $1"
}

# Prints the header of the report: when, what, where.
header()
{
	cat <<TEXT
# Aggregates over a table: the scan node beside PostgreSQL's plan

$(bench_environment)
| further settings | jit off on both sides, work_mem $WORK_MEM, warpagg.accelerate exact |
| readings | $(table_size readings); after VACUUM (FREEZE, ANALYZE), warm |
| lineitem | TPC-H at scale factor $TPCH_SF, own generator: $(table_size lineitem) |
| hits | ClickBench's columns that the queries read, own generator: $(table_size hits) |
| resident columns | $RESIDENT |
| made by | bench/scan.sh, RESIDENT=$RESIDENT BENCH_ROWS=$BENCH_ROWS TPCH_SF=$TPCH_SF HITS_ROWS=$HITS_ROWS BENCH_RUNS=$BENCH_RUNS |
| method | medians of $BENCH_RUNS runs, alternating in one session after $WARM_UPS warm-ups; results compared text for text first |

| query | processes | took part (ours/built-in) | our plan | built-in, ms | ours, ms | ratio |
|---|---|---|---|---|---|---|
TEXT
}

# Prints the whole report.
report()
{
	local name
	local table

	header
	for table in readings lineitem hits; do
		for name in $(scan_names "$table"); do
			measure "$name" "${name//_/ }"
		done
	done
	scan_update_readings
	measure sum_int8 'sum int8, a tenth of the rows updated, not vacuumed'
	bench_device_footer
}

wa_begin
start_server
make_tables
[ "$RESIDENT" != yes ] || load_tables
report | tee "$WA_TMP/report.md"
if [ -n "$OUT" ]; then
	mkdir -p "$(dirname "$OUT")"
	cp "$WA_TMP/report.md" "$OUT"
fi
