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
#	TABLES			tables to make and measure (default "readings lineitem hits")
#	QUERIES			names of queries to measure, in this order (default: all over these
#					tables)
#	BENCH_ROWS		rows of readings (default 8000000)
#	TPCH_SF			scale factor of lineitem (default 1: 6 million rows)
#	HITS_ROWS		rows of hits (default 1000000)
#	BENCH_RUNS		timed runs of each statement (default 11)
#	PROCESSES		numbers of processes to measure (default "1 2")
#	WORK_MEM		work_mem, on both sides (default 64MB)
#	SHARED_BUFFERS	of the throw-away server (default: a quarter of memory, at
#					most 16 GB)
#	CACHED			queries over readings that are also measured where the table is in the
#					operating system's cache, since it is beyond a quarter of
#					shared_buffers, beside what reading alone takes (pg_prewarm); from 18 on
#					with each io_method (default "sum_int8
#					four_aggregates group_by_100")
#	CACHED_BUFFERS	shared_buffers for these (default 64MB)
#	RESIDENT		yes: all columns are loaded first, and the node uses them
#					(default no: they stay in the heap)
#	WA_DEVICE		warpagg.device (default auto)

set -euo pipefail
shopt -s inherit_errexit
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../scripts/lib.sh"
# shellcheck source=bench/scan/time.sh
. "$(dirname "${BASH_SOURCE[0]}")/scan/time.sh"

OUT=${1:-}
BENCH_ROWS=${BENCH_ROWS:-8000000}
TPCH_SF=${TPCH_SF:-1}
HITS_ROWS=${HITS_ROWS:-1000000}
BENCH_RUNS=${BENCH_RUNS:-11}
PROCESSES=${PROCESSES:-1 2}
WORK_MEM=${WORK_MEM:-64MB}
CACHED=${CACHED-sum_int8 four_aggregates group_by_100}
CACHED_BUFFERS=${CACHED_BUFFERS:-64MB}
RESIDENT=${RESIDENT:-no}
MOST=$(tr ' ' '\n' <<<"$PROCESSES" | sort -n | tail -n 1)

# Loads all columns, and says how long that took.
load_tables()
{
	local table

	for table in $SCAN_TABLES; do
		wa_note "loaded $table in $(scan_load_table "$table") ms" >&2
	done
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
	scan_check "$1" "$(scan_session_setup "$MOST")" >/dev/null
	for count in $PROCESSES; do
		setup=$(scan_session_setup "$count")
		scan_set_processes "$count"
		plan="PostgreSQL's"
		! PGOPTIONS="-c max_parallel_workers_per_gather=$((count - 1))" \
			scan_has_node "$1" || plan=WarpAgg
		used=$(scan_took_part on "$query" "$setup")/$(scan_took_part off "$query" "$setup")
		times=$(scan_time_sides "$query" "$setup" off on)
		awk -v l="$2" -v p="$count" -v w="$used" -v plan="$plan" \
			-v b="$(scan_median_of "$(sed -n 1p <<<"$times")")" \
			-v a="$(scan_median_of "$(sed -n 2p <<<"$times")")" 'BEGIN {
			printf "| %s | %s | %s | %s | %.2f | %.2f | %.3f |\n", l, p, w, plan, b, a, a / b }'
	done
}

# Ends the script unless the readings are beyond a quarter of shared_buffers.
check_cached()
{
	[ "$(wa_psql -c "SELECT pg_table_size('readings') * 4 > pg_size_bytes('$CACHED_BUFFERS')")" = t ] ||
		wa_die "the readings stay in shared_buffers of $CACHED_BUFFERS: raise BENCH_ROWS"
}

# Prints the line of what any plan takes at least: the server reads all blocks of the
# readings into its buffers, one process, and nobody looks at them.  Argument: how the
# line ends.
measure_reading()
{
	local times

	times=$(
		{
			printf '%s\n' '\timing on'
			for _ in $(seq $((WARM_UPS + BENCH_RUNS))); do
				echo "SELECT pg_prewarm('readings');"
			done
		} | wa_psql -f - | sed -n 's/^Time: \([0-9.]*\) ms.*/\1/p' | tail -n "+$((WARM_UPS + 1))"
	)
	awk -v l="reading alone, by pg_prewarm$1" -v t="$(scan_median_of "$times")" \
		'BEGIN { printf "| %s | 1 | | | %.2f | | |\n", l, t }'
}

# Measures queries over the readings where they are in the operating system's cache.
measure_cached()
{
	local methods
	local method
	local name
	local where

	check_cached
	wa_psql -c 'CREATE EXTENSION pg_prewarm'
	scan_restart_server "shared_buffers = '$CACHED_BUFFERS'"
	methods=$(scan_io_methods)
	for method in ${methods:-usual}; do
		where=", operating system's cache"
		if [ "$method" != usual ]; then
			scan_restart_server "io_method = '$method'"
			where+=", io_method $method"
		fi
		measure_reading "$where"
		for name in $CACHED; do
			measure "$name" "${name//_/ }$where"
		done
	done
	scan_restart_server "shared_buffers = '${SHARED_BUFFERS:-$(bench_shared_buffers)}'"
}

# Prints what was made, vacuumed and warm.
sizes()
{
	local table

	for table in $SCAN_TABLES; do
		case $table in
			readings) echo "| readings | $(scan_table_size readings) |" ;;
			lineitem) echo "| lineitem | TPC-H at scale factor $TPCH_SF, own generator: $(scan_table_size lineitem) |" ;;
			hits) echo "| hits | like ClickBench's, own generator: $(scan_table_size hits) |" ;;
		esac
	done
}

# Prints the header of the report: when, what, where.
header()
{
	cat <<TEXT
# Aggregates over a table: the scan node beside PostgreSQL's plan

$(bench_environment)
| further settings | jit off on both sides, work_mem $WORK_MEM, warpagg.accelerate exact |
$(sizes)
| resident columns | $RESIDENT |
| operating system's cache | shared_buffers $CACHED_BUFFERS; CACHED="$CACHED" |
| made by | bench/scan.sh, TABLES="$SCAN_TABLES" QUERIES="${QUERIES:-}" RESIDENT=$RESIDENT BENCH_ROWS=$BENCH_ROWS TPCH_SF=$TPCH_SF HITS_ROWS=$HITS_ROWS BENCH_RUNS=$BENCH_RUNS |
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
	for table in $SCAN_TABLES; do
		for name in $(scan_timed_names "$table"); do
			measure "$name" "${name//_/ }"
		done
	done
	if [[ " $SCAN_TABLES " == *" readings "* ]]; then
		[ "$RESIDENT" = yes ] || [ -z "$CACHED" ] || measure_cached
		scan_update_readings
		measure sum_int8 'sum int8, a tenth of the rows updated, not vacuumed'
	fi
	bench_device_footer
}

wa_begin
scan_start_server "$MOST"
scan_make_tables "$BENCH_ROWS" "$TPCH_SF" "$HITS_ROWS" "$(nproc)" >&2
[ "$RESIDENT" != yes ] || load_tables
report | bench_write_report "$OUT"
scan_stop_server
