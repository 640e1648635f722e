#!/usr/bin/env bash
#
# aggregates.sh
#	  The benchmark of a dashboard's queries: PostgreSQL's plan, the node over the heap, the node
#	  over resident columns, and, if asked for, DuckDB.  Prints a Markdown table and writes it
#	  to a file.
#
# Usage: bench/aggregates.sh [FILE]
#
# Before it is timed each query must have the same results in PostgreSQL's plan and in ours: text
# for text if it has ORDER BY, which leaves nothing open, else as a set of rows.  PostgreSQL and
# the node over the heap alternate in one session after two warm-ups, then comes the node over
# resident columns; the times are psql's \timing; medians are given.  DuckDB runs before the
# server has any work, on a copy of the rows in a file of its own; its results are not compared.
#
# Variables:
#	TABLES			the table: visits (default), aggregates with DISTINCT and the like; measures,
#					numbers whose rows are made fast; hits, a table of 105 columns like
#					ClickBench's
#	ROWS			rows of the table (default 1000000)
#	COLUMNS_OF		needed: hits has the columns alone that the queries name
#	QUERIES			names of queries to measure, in this order (default: all)
#	CLICKBENCH		folder of a checkout of ClickBench: its table and its queries in place of our
#					own, over our rows.  Its texts are under CC BY-NC-SA and are not part of this
#					repository.  Before they are timed, queries are compared with all their columns
#					in ORDER BY
#	DUCKDB			1: DuckDB runs the queries, too, with as many threads; npm fetches it
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
#	PLANS			a file to which the plans of PostgreSQL and of the node over the heap are added,
#					with what their parts took
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
CLICKBENCH=${CLICKBENCH:-}
DUCKDB=${DUCKDB:-}

# Sessions that read the heap, and that use resident columns.
HEAP="$(scan_session_setup "$PROCESSES"); SET warpagg.enable_resident = off"
RESIDENT="$(scan_session_setup "$PROCESSES"); SET warpagg.enable_resident = on"

# Prints a query with all its columns in ORDER BY, so that it leaves nothing open.
total_order()
{
	local columns

	columns=$(printf '%s \\gdesc\n' "$1" | wa_psql | awk '{ printf ", %d", NR }')
	if [[ $1 == *' ORDER BY '* ]]; then
		sed -E "s/( LIMIT [0-9]+( OFFSET [0-9]+)?)?$/$columns\\1/" <<<"$1"
	else
		echo "$1"
	fi
}

# Ends the script unless all ways of a query have the same results.
check_query()
{
	local query

	query=$(scan_query "$1")
	[ -z "$CLICKBENCH" ] || query=$(total_order "$query")
	scan_results off off.out "$query" "$HEAP"
	scan_results on heap.out "$query" "$HEAP"
	scan_results on resident.out "$query" "$RESIDENT"
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

# Adds a query's plans without resident columns to the file PLANS.  Arguments: name, query.
note_plans()
{
	local side

	for side in off on; do
		echo "== $1, warpagg.enable_scan = $side"
		wa_psql -c "$HEAP" -c "$(scan_side "$side")" -c "EXPLAIN (ANALYZE, VERBOSE, COSTS OFF) $2"
	done >>"$PLANS"
}

# Prints the end of a query's line: what DuckDB took, and how many times ours that is.
# Arguments: name, our milliseconds.
beside_duckdb()
{
	[ -n "$DUCKDB" ] || return 0
	awk -F '\t' -v name="$1" -v ours="$2" '$1 == name {
		if ($2 == "") print " fails | |"
		else printf " %.2f | %.2f |\n", $2, $2 / ours }' "$WA_TMP/duckdb.out"
}

# Checks a query and prints its line of the table.
measure()
{
	local query
	local times
	local resident

	query=$(scan_query "$1")
	if [ "${BASELINE_RUNS:-}" = 0 ]; then
		scan_results on off.out "$query" "$RESIDENT"
		resident=$(scan_median_of "$(scan_time_sides "$query" "$RESIDENT" on)")
		printf '| %s | %d | | | | %.2f | | %s |%s\n' "${1//_/ }" "$(wc -l <"$WA_TMP/off.out")" \
			"$resident" "$(plan_of "$query" "$RESIDENT")" \
			"$(beside_duckdb "$1" "$resident")"
		return
	fi
	check_query "$1"
	times=$(BENCH_RUNS=${BASELINE_RUNS:-$BENCH_RUNS} \
		WARM_UPS=$([ -z "${BASELINE_RUNS:-}" ] && echo "$WARM_UPS" || echo 0) \
		scan_time_sides "$query" "$HEAP" off on)
	[ -z "${PLANS:-}" ] || note_plans "$1" "$query"
	resident=$(scan_median_of "$(scan_time_sides "$query" "$RESIDENT" on)")
	awk -v name="${1//_/ }" -v rows="$(wc -l <"$WA_TMP/off.out")" \
		-v plans="$(plan_of "$query" "$HEAP"), $(plan_of "$query" "$RESIDENT")" \
		-v off="$(scan_median_of "$(sed -n 1p <<<"$times")")" \
		-v heap="$(scan_median_of "$(sed -n 2p <<<"$times")")" \
		-v resident="$resident" -v duckdb="$(beside_duckdb "$1" "$resident")" 'BEGIN {
		printf "| %s | %d | %.2f | %.2f | %.2f | %.2f | %.2f | %s |%s\n", name, rows, off, heap,
			off / heap, resident, off / resident, plans, duckdb }'
}

# Prints the title of the report.
title()
{
	if [ -n "$CLICKBENCH" ]; then
		echo "ClickBench's queries over rows of our own"
		return
	fi
	case $TABLES in
		hits) echo 'Queries of a web analytics dashboard' ;;
		*) echo 'Aggregates with DISTINCT, percentiles, and grouping sets' ;;
	esac
}

# Prints which queries were run.
queries_run()
{
	local commit=unknown

	if [ -n "$CLICKBENCH" ]; then
		# Of a copy without its history the commit is not known.
		[ ! -e "$CLICKBENCH/.git" ] || commit=$(git -C "$CLICKBENCH" rev-parse --short HEAD)
		echo "those of ClickBench at commit $commit," \
			"postgresql/queries.sql (CC BY-NC-SA), numbered from 0"
	else
		echo "those of bench/scan/${TABLES}_queries.sql"
	fi
}

# Prints the header of the report: when, what, where.  Argument: milliseconds that the table
# took to load.
header()
{
	cat <<TEXT
# $(title)

$(bench_environment)
| further settings | work_mem $WORK_MEM in all ways, warpagg.accelerate exact, warpagg.memory_limit $(wa_psql -c 'SHOW warpagg.memory_limit')${SETTINGS:+, ${SETTINGS//;/, }} |
| table | $(scan_table_size "$TABLES"), own generator; all columns, and then ctid, loaded: the former in $1 ms by $LOADERS processes |
| made by | bench/aggregates.sh, TABLES=$TABLES ROWS=$ROWS${COLUMNS_OF:+ COLUMNS_OF=$COLUMNS_OF}${CLICKBENCH:+ CLICKBENCH=...}${DUCKDB:+ DUCKDB=1} QUERIES="${QUERIES:-}" BENCH_RUNS=$BENCH_RUNS BASELINE_RUNS=${BASELINE_RUNS:-} PROCESSES=$PROCESSES LOADERS=$LOADERS SETTINGS="${SETTINGS:-}" |
| queries | $(queries_run) |
| method | medians of $BENCH_RUNS runs after $WARM_UPS warm-ups${BASELINE_RUNS:+ (PostgreSQL and the heap: of $BASELINE_RUNS, without)}; results compared first; all ways have $PROCESSES processes |${DUCKDB:+
| DuckDB | $(duckdb_note) |}

"Our plans" says whether the node is there without resident columns, and with them, and reads
the heap alone or what is resident.

| query | rows | PostgreSQL, ms | heap, ms | times as fast | resident, ms | times as fast | our plans |${DUCKDB:+ DuckDB, ms | DuckDB / resident |}
|---|---|---|---|---|---|---|---|${DUCKDB:+---|---|}
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

# Makes a folder with ClickBench's queries, each with a name, and what our rows are made by.
use_clickbench()
{
	local dir=$WA_TMP/clickbench

	mkdir "$dir"
	cp "$SCAN_DIR/hits.sql" "$SCAN_DIR/hits_rows.sql" "$dir"
	awk '{ printf "-- name: clickbench_q%d\n%s\n", NR - 1, $0 }' \
		"$CLICKBENCH/postgresql/queries.sql" >"$dir/hits_queries.sql"
	SCAN_DIR=$dir
}

# Has the rows of our table in ClickBench's, whose columns have the same types in the same order.
copy_to_clickbench()
{
	wa_psql -c 'ALTER TABLE hits RENAME TO own'
	wa_psql -f - <"$CLICKBENCH/postgresql/create.sql"
	wa_psql -c 'INSERT INTO hits SELECT * FROM own' -c 'DROP TABLE own'
	scan_vacuum hits "$PROCESSES"
}

# Has DuckDB run the queries over a copy of the table: its name, milliseconds or nothing, and rows
# of each go to $WA_TMP/duckdb.out.
run_duckdb()
{
	local name

	npm install --silent --no-fund --prefix "$WA_TMP/npm" @duckdb/node-api >&2
	wa_psql -c "COPY $TABLES TO STDOUT (FORMAT csv)" >"$WA_TMP/duckdb.csv"
	wa_psql -F ' ' -c "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
		WHERE attrelid = '$TABLES'::regclass AND attnum > 0 ORDER BY attnum" |
		paste -sd , >"$WA_TMP/duckdb.columns"
	for name in $(scan_timed_names "$TABLES"); do
		printf '%s\t%s\n' "$name" "$(scan_query "$name")"
	done >"$WA_TMP/duckdb.in"
	NODE_PATH=$WA_TMP/npm/node_modules node "$WA_ROOT/bench/scan/duckdb.cjs" "$WA_TMP" "$TABLES" \
		"$PROCESSES" "$WARM_UPS" "$BENCH_RUNS" <"$WA_TMP/duckdb.in" >"$WA_TMP/duckdb.out"
	rm "$WA_TMP/duckdb.csv"
}

# Prints what DuckDB is and has.
duckdb_note()
{
	echo "$(sed -n 1p "$WA_TMP/duckdb.out"), $PROCESSES threads, a file of" \
		"$(($(stat -c %s "$WA_TMP/duckdb.db") / 1000000)) MB; medians of as many runs"
}

wa_begin
[ -z "$CLICKBENCH" ] || use_clickbench
scan_check_names
bench_need_disk "$(awk -v rows="$ROWS" -v bytes="$([ "$TABLES" = hits ] && echo 1400 || echo 150)" \
	'BEGIN { print int(rows * bytes / 1e6) }')"
scan_start_loading_server "$PROCESSES"
scan_make_table "$TABLES" "rows=$ROWS" "$PROCESSES"
[ -z "$CLICKBENCH" ] || copy_to_clickbench
[ -z "$DUCKDB" ] || run_duckdb
scan_set_processes "$PROCESSES"
loaded=$(scan_load_table "$TABLES")
# For queries without aggregates, as it is loaded for these where autoload does.
scan_load_table "$TABLES" '{ctid}' >/dev/null
report "$loaded" | bench_write_report "$OUT"
scan_stop_server
