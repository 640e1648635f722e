#!/usr/bin/env bash
#
# aggregates.sh
#	  The benchmark of aggregates with DISTINCT, of percentiles, and of grouping sets: PostgreSQL's plan, the
#	  node over the heap, and the node over resident columns.  Prints a Markdown table and
#	  writes it to a file.
#
# Usage: bench/aggregates.sh [FILE]
#
# Before it is timed each query must have the same results in all three ways: text for text
# if it has ORDER BY, which leaves nothing open, else as a set of rows.  PostgreSQL and the node
# over the heap alternate in one session after two warm-ups, then comes the node over resident
# columns; the times are psql's \timing; medians are given.
#
# Variables:
#	TABLES			the table: visits (default), or measures, whose rows are made fast
#	ROWS			rows of the table (default 1000000)
#	QUERIES			names of queries to measure, in this order (default: all)
#	BENCH_RUNS		timed runs of each way (default 5)
#	BASELINE_RUNS	timed runs of PostgreSQL's plan and of the node over the heap, without
#					warm-ups (default: as BENCH_RUNS, with these); 0: neither is run, so
#					that no results are compared
#	PROCESSES		of a query, in all ways, and to make the table (default: as many as there
#					are processors)
#	LOADERS			processes of a load (default: PROCESSES)
#	WORK_MEM		work_mem, in all ways (default 64MB)
#	SHARED_BUFFERS	of the throw-away server (default: a quarter of memory, at
#					most 16 GB)
#	MEMORY_LIMIT	warpagg.memory_limit (default 0: a quarter of memory)
#	SETTINGS		further lines for postgresql.conf, apart by semicolons
#	WA_DEVICE		warpagg.device (default auto)

set -euo pipefail
shopt -s inherit_errexit
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../scripts/lib.sh"
TABLES=${TABLES:-visits}
# shellcheck source=bench/scan/time.sh
. "$(dirname "${BASH_SOURCE[0]}")/scan/time.sh"

OUT=${1:-}
ROWS=${ROWS:-1000000}
BENCH_RUNS=${BENCH_RUNS:-5}
PROCESSES=${PROCESSES:-$(nproc)}
LOADERS=${LOADERS:-$PROCESSES}
WORK_MEM=${WORK_MEM:-64MB}
SCAN_DIR=$WA_ROOT/bench/aggregates

# Sessions that read the heap, and that use resident columns.
HEAP="$(scan_session_setup "$PROCESSES"); SET warpagg.enable_resident = off"
RESIDENT="$(scan_session_setup "$PROCESSES"); SET warpagg.enable_resident = on"

# Runs a query once and writes its results to a file of $WA_TMP, as a set of rows unless they
# have an order.  Arguments: side, file, query, set-up.
run_once()
{
	wa_psql -c "$4" -c "$(scan_side "$1")" -c "$3" >"$WA_TMP/$2"
	[[ $3 == *' ORDER BY '* ]] || LC_ALL=C sort -o "$WA_TMP/$2" "$WA_TMP/$2"
}

# Ends the script unless all ways of a query have the same results.
check_query()
{
	local query

	query=$(scan_query "$1")
	run_once off off.out "$query" "$HEAP"
	run_once on heap.out "$query" "$HEAP"
	run_once on resident.out "$query" "$RESIDENT"
	scan_diff off.out heap.out >&2 || wa_die "results of $1 over the heap differ"
	scan_diff off.out resident.out >&2 || wa_die "results of $1 over resident columns differ"
}

# Prints which plan a query has: the node over resident columns alone, over the heap alone, or
# none.  Arguments: query, set-up.
plan_of()
{
	scan_explain on "$1" "$2"
	awk '/Custom Scan \(WarpAgg\)/ { node = 1 } /Resident Blocks:/ { resident += $NF }
		END { print !node ? "PostgreSQL" : resident ? "resident" : "heap" }' "$WA_TMP/plan.out"
}

# Checks a query and prints its line of the table.
measure()
{
	local query
	local times
	local resident

	query=$(scan_query "$1")
	if [ "${BASELINE_RUNS:-}" = 0 ]; then
		run_once on off.out "$query" "$RESIDENT"
		resident=$(scan_median_of "$(scan_time_sides "$query" "$RESIDENT" on)")
		printf '| %s | %d | | | | %.2f | | %s |\n' "${1//_/ }" "$(wc -l <"$WA_TMP/off.out")" \
			"$resident" "$(plan_of "$query" "$RESIDENT")"
		return
	fi
	check_query "$1"
	times=$(BENCH_RUNS=${BASELINE_RUNS:-$BENCH_RUNS} \
		WARM_UPS=$([ -z "${BASELINE_RUNS:-}" ] && echo "$WARM_UPS" || echo 0) \
		scan_time_sides "$query" "$HEAP" off on)
	resident=$(scan_time_sides "$query" "$RESIDENT" on)
	awk -v name="${1//_/ }" -v rows="$(wc -l <"$WA_TMP/off.out")" \
		-v plans="$(plan_of "$query" "$HEAP"), $(plan_of "$query" "$RESIDENT")" \
		-v off="$(scan_median_of "$(sed -n 1p <<<"$times")")" \
		-v heap="$(scan_median_of "$(sed -n 2p <<<"$times")")" \
		-v resident="$(scan_median_of "$resident")" 'BEGIN {
		printf "| %s | %d | %.2f | %.2f | %.2f | %.2f | %.2f | %s |\n", name, rows, off, heap,
			off / heap, resident, off / resident, plans }'
}

# Prints the header of the report: when, what, where.  Argument: milliseconds that the table
# took to load.
header()
{
	cat <<TEXT
# Aggregates with DISTINCT, percentiles, and grouping sets

$(bench_environment)
| further settings | work_mem $WORK_MEM in all ways, warpagg.accelerate exact, warpagg.memory_limit $(wa_psql -c 'SHOW warpagg.memory_limit')${SETTINGS:+, ${SETTINGS//;/, }} |
| table | $(scan_table_size "$TABLES"), own generator; all columns loaded in $1 ms by $LOADERS processes |
| made by | bench/aggregates.sh, TABLES=$TABLES ROWS=$ROWS QUERIES="${QUERIES:-}" BENCH_RUNS=$BENCH_RUNS BASELINE_RUNS=${BASELINE_RUNS:-} PROCESSES=$PROCESSES LOADERS=$LOADERS SETTINGS="${SETTINGS:-}" |
| queries | those of bench/aggregates/${TABLES}_queries.sql |
| method | medians of $BENCH_RUNS runs after $WARM_UPS warm-ups${BASELINE_RUNS:+ (PostgreSQL and the heap: of $BASELINE_RUNS, without)}; results compared first; all ways have $PROCESSES processes |

"Our plans" says whether the node is there without resident columns, and with them, and reads
the heap alone or what is resident.

| query | rows | PostgreSQL, ms | heap, ms | times as fast | resident, ms | times as fast | our plans |
|---|---|---|---|---|---|---|---|
TEXT
}

# Prints the whole report.  Argument: that of the header.
report()
{
	local name

	header "$1"
	for name in $(scan_timed_names "$TABLES"); do
		measure "$name"
	done
	bench_device_footer
}

wa_begin
scan_check_names
bench_need_disk "$(awk -v rows="$ROWS" 'BEGIN { print int(rows * 150e-6) }')"
scan_start_loading_server "$PROCESSES"
scan_make_table "$TABLES" "rows=$ROWS" "$PROCESSES"
scan_set_processes "$PROCESSES"
loaded=$(scan_load_table "$TABLES")
report "$loaded" | bench_write_report "$OUT"
scan_stop_server
