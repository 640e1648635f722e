#!/usr/bin/env bash
#
# resident.sh
#	  The benchmark of resident columns: how fast they are loaded, queries over them
#	  beside PostgreSQL's own plans, queries a second from many connections,
#	  a table that has changed, and one very large table.  Prints Markdown tables and
#	  writes them to a file.
#
# Usage: bench/resident.sh [FILE]
#
# Both sides are those of bench/scan.sh, over the same tables and queries; the
# built-in has PROCESSES processes.  Before it is timed each query must have the
# same results on both sides, text for text: the groups that both return, and where
# a LIMIT leaves open which of several come last, ours by themselves.  Medians of
# BENCH_RUNS runs after two warm-ups; a side that takes more than MAX_BASELINE_MS in
# the run that results are compared with is not run again (ours, no side is).
#
# Variables:
#	PARTS			what to measure (default "load queries connections rest big");
#					queries, connections and rest load the tables if "load" is not
#					among them
#	TABLES			tables of these parts but big (default "readings lineitem hits");
#					connections and rest need readings
#	QUERIES			names of queries to measure, in this order (default: all over these
#					tables)
#	LOAD_COLUMNS	all columns (default), or needed: those that the queries name
#	BENCH_ROWS		rows of readings (default 8000000)
#	TPCH_SF			scale factor of lineitem (default 1: 6 million rows)
#	HITS_ROWS		rows of hits (default 1000000)
#	BIG_ROWS		rows of the very large table (default 16000000; 36 bytes of heap
#					each)
#	BENCH_RUNS		timed runs of each statement (default 11)
#	MAX_BASELINE_MS	longest time of a query that is repeated (default 10000)
#	LOADS			timed loads of each table (default 3)
#	PROCESSES		of the built-in, and to make tables (default: as many as there
#					are processors)
#	LOADERS			processes of a load (default: PROCESSES)
#	CONNECTIONS		numbers of connections to measure (default "1 16")
#	BENCH_SECONDS	how long, each (default 10)
#	REST_BLOCKS		how many blocks of readings have changed (default "300 3000
#					10000 30000")
#	WORK_MEM		work_mem, on both sides (default 64MB)
#	SHARED_BUFFERS	of the throw-away server (default: a quarter of memory, at
#					most 16 GB)
#	MEMORY_LIMIT	warpagg.memory_limit (default 0: a quarter of memory)
#	SETTINGS		further lines for postgresql.conf, apart by semicolons
#	WA_DEVICE		warpagg.device (default auto)

set -euo pipefail
shopt -s inherit_errexit
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../scripts/lib.sh"
# shellcheck source=bench/scan/time.sh
. "$(dirname "${BASH_SOURCE[0]}")/scan/time.sh"
# shellcheck source=bench/scan/rest.sh
. "$(dirname "${BASH_SOURCE[0]}")/scan/rest.sh"
# shellcheck source=bench/scan/big.sh
. "$(dirname "${BASH_SOURCE[0]}")/scan/big.sh"

OUT=${1:-}
PARTS=${PARTS:-load queries connections rest big}
BENCH_ROWS=${BENCH_ROWS:-8000000}
TPCH_SF=${TPCH_SF:-1}
HITS_ROWS=${HITS_ROWS:-1000000}
BIG_ROWS=${BIG_ROWS:-16000000}
BENCH_RUNS=${BENCH_RUNS:-11}
LOADS=${LOADS:-3}
PROCESSES=${PROCESSES:-$(nproc)}
LOADERS=${LOADERS:-$PROCESSES}
CONNECTIONS=${CONNECTIONS:-1 16}
BENCH_SECONDS=${BENCH_SECONDS:-10}
REST_BLOCKS=${REST_BLOCKS:-300 3000 10000 30000}
WORK_MEM=${WORK_MEM:-64MB}
MAX_BASELINE_MS=${MAX_BASELINE_MS:-10000}
LOAD_COLUMNS=${LOAD_COLUMNS:-all}

# Says whether a part is to be measured.
has_part()
{
	[[ " $PARTS " == *" $1 "* ]]
}

# Prints the header of the report: when, what, where.
header()
{
	cat <<TEXT
# Resident columns: loading them, and queries beside PostgreSQL's plans

$(bench_environment)
| further settings | work_mem $WORK_MEM on both sides, warpagg.accelerate exact, $LOADERS processes load, warpagg.memory_limit $(wa_psql -c 'SHOW warpagg.memory_limit')${SETTINGS:+, ${SETTINGS//;/, }} |
| made by | bench/resident.sh, PARTS="$PARTS" TABLES="$SCAN_TABLES" QUERIES="${QUERIES:-}" LOAD_COLUMNS=$LOAD_COLUMNS BENCH_ROWS=$BENCH_ROWS TPCH_SF=$TPCH_SF HITS_ROWS=$HITS_ROWS BIG_ROWS=$BIG_ROWS BENCH_RUNS=$BENCH_RUNS LOADS=$LOADS PROCESSES=$PROCESSES LOADERS=$LOADERS BENCH_SECONDS=$BENCH_SECONDS REST_BLOCKS="$REST_BLOCKS" |
| method | medians of $BENCH_RUNS runs of each side in one session after $WARM_UPS warm-ups; results compared text for text; what takes a side more than $((MAX_BASELINE_MS / 1000)) s was run once there |
TEXT
}

#
# Loads
#

# Prints the columns of a table that are to be loaded, as the text of an array;
# nothing if all are.
columns_to_load()
{
	[ "$LOAD_COLUMNS" != needed ] || scan_needed_columns "$1"
}

# Prints the line of a table: median time of its loads, and the heap's bytes a
# second.  Arguments: the table, and the columns (default: all).
measure_load()
{
	local i

	for ((i = 0; i < LOADS; i++)); do
		wa_psql -c "SELECT warpagg_unload('$1')" >/dev/null
		scan_load_table "$1" "${2:-}"
	done | wa_median >"$WA_TMP/load.ms"
	wa_psql -F ' | ' -v ms="$(cat "$WA_TMP/load.ms")" -f - <<SQL
SELECT format('| %s | %s | %s | %s | %s | %s |', r.relation,
		max(r.rows), count(*), pg_size_pretty(pg_table_size('$1')),
		round(:ms, 1), round(pg_table_size('$1') / 1e6 / :ms, 2))
	FROM warpagg_resident AS r WHERE r.relation = '$1'::regclass GROUP BY r.relation;
SQL
}

# Prints the head of a table of loads.
head_of_loads()
{
	cat <<TEXT

### Loads

By $LOADERS processes; the heap in shared buffers as far as it fits.

| table | rows | columns | heap | ms | GB of heap a second |
|---|---|---|---|---|---|
TEXT
}

# Prints what the columns of tables take.
report_memory()
{
	local table

	cat <<TEXT

### Memory

| table | column | type | rows | bytes | bytes a row |
|---|---|---|---|---|---|
TEXT
	for table in "$@"; do
		wa_psql -c "SELECT format('| %s | %s | %s | %s | %s | %s |', relation, column_name,
				format_type(atttypid, atttypmod), rows, bytes,
				round(bytes / rows::numeric, 2))
			FROM warpagg_resident JOIN pg_attribute
				ON attrelid = relation AND attname = column_name
			WHERE relation = '$table'::regclass ORDER BY attnum"
	done
}

#
# Queries
#

# Prints the blocks in $WA_TMP/plan.out: resident ones, and those of the heap.
blocks_of_plan()
{
	awk '/Resident Blocks:/ { resident = $NF } /Blocks Read:/ { heap = $NF }
		/\(WarpAgg\)/ { node = 1 }
		END { print node ? (resident + 0) " | " (heap + 0) : "- | all, by PostgreSQL" }' \
		"$WA_TMP/plan.out"
}

# Says whether so many milliseconds are too many to repeat a query.
is_long()
{
	awk -v t="$1" -v most="$MAX_BASELINE_MS" 'BEGIN { exit t <= most }'
}

# Prints a line of times for each side, whose runs follow each other: 16 processes
# of the built-in in between would leave nothing of ours in the caches.  Arguments:
# query, set-up, the time of the built-in's first run.
repeat_query()
{
	if is_long "$3"; then
		echo "$3"
	else
		scan_time_sides "$1" "$2" off
	fi
	scan_time_sides "$1" "$2" on
}

# Checks a query, prints its line of the table and adds its medians to
# $WA_TMP/medians.
measure_query()
{
	local query
	local setup
	local times
	local built_in
	local ours

	query=$(scan_query "$1")
	setup=$(scan_session_setup "$PROCESSES")
	times=$(scan_check "$1" "$setup")
	is_long "$(sed -n 2p <<<"$times")" ||
		times=$(repeat_query "$query" "$setup" "$(sed -n 1p <<<"$times")")
	built_in=$(scan_median_of "$(sed -n 1p <<<"$times")")
	ours=$(scan_median_of "$(sed -n 2p <<<"$times")")
	scan_explain on "$query" "$setup"
	print_query "${1//_/ }" "$built_in" "$ours" "$(blocks_of_plan)"
	echo "$1 $built_in $ours" >>"$WA_TMP/medians"
}

# Prints a line of the table of queries: label, milliseconds of both sides, blocks.
print_query()
{
	awk -v l="$1" -v b="$2" -v a="$3" -v blocks="$4" 'BEGIN {
		printf "| %s | %.2f | %.2f | %.1f | %s |\n", l, b, a, b / a, blocks }'
}

# Prints the sum of the medians of queries.  Arguments: label, a regular expression
# of their names.
print_total()
{
	local sums
	local count
	local built_in
	local ours

	sums=$(awk -v names="$2" '$1 ~ names { n++; b += $2; a += $3 }
		END { if (n) print n, b, a }' "$WA_TMP/medians")
	[ -n "$sums" ] || return 0
	read -r count built_in ours <<<"$sums"
	print_query "$1, sum of $count" "$built_in" "$ours" ' | '
}

# Prints the queries over all tables.
report_queries()
{
	local name
	local table

	cat <<TEXT

## Queries

The built-in with $PROCESSES processes; ours waits for the device process.

| query | built-in, ms | ours, ms | times as fast | resident blocks | blocks of the heap |
|---|---|---|---|---|---|
TEXT
	: >"$WA_TMP/medians"
	scan_set_processes "$PROCESSES"
	for table in $SCAN_TABLES; do
		for name in $(scan_timed_names "$table"); do
			measure_query "$name"
		done
	done
	print_total hits '^hits_'
}

#
# Connections
#

# Prints the line of a number of connections that do nothing but the sum.
measure_connections()
{
	local threads=$1

	[ "$threads" -le "$(nproc)" ] || threads=$(nproc)
	wa_as_user pgbench -n -M prepared -f "$WA_TMP/sum.sql" -c "$1" -j "$threads" \
		-T "$BENCH_SECONDS" >"$WA_TMP/pgbench.out" 2>&1 || {
		cat "$WA_TMP/pgbench.out" >&2
		wa_die "pgbench failed with $1 connections"
	}
	awk -v n="$1" '/^latency average = / { latency = $4 } /^tps = / { tps = $3 }
		END { printf "| %d | %.1f | %.3f |\n", n, tps, latency }' "$WA_TMP/pgbench.out"
}

# Prints the queries a second, by connections.
report_connections()
{
	local count

	scan_query sum_int8 | sed 's/$/;/' >"$WA_TMP/sum.sql"
	chmod 644 "$WA_TMP/sum.sql"
	cat <<TEXT

## Connections

\`$(scan_query sum_int8)\` over $(scan_table_size readings), by \`pgbench -n -M
prepared\`, $BENCH_SECONDS s each.

| connections | queries a second | mean latency, ms |
|---|---|---|
TEXT
	for count in $CONNECTIONS; do
		measure_connections "$count"
	done
}

#
# A very large table
#

# Compares the sum with its formula, and prints its line.
report_big()
{
	local query='SELECT sum(v) FROM big'
	local expected
	local setup
	local sum
	local off
	local on

	big_make
	head_of_loads
	measure_load big
	report_memory big
	expected=$(big_sum)
	sum=$(wa_psql -c "$(scan_side on)" -c "$query")
	[ "$(wa_psql -c "SELECT $sum = $expected")" = t ] ||
		wa_die "the sum is $sum, not $expected"
	setup=$(scan_session_setup "$PROCESSES")
	off=$(scan_time_once "$query" -c "$setup" -c "$(scan_side off)")
	on=$(scan_median_of "$(scan_time_sides "$query" "$setup" on)")
	scan_explain on "$query" "$setup"
	cat <<TEXT

| query over big | built-in once, ms | ours, ms | times as fast | resident blocks | blocks of the heap |
|---|---|---|---|---|---|
| sum int8 | $off | $on | $(awk -v b="$off" -v a="$on" 'BEGIN { printf "%.1f", b / a }') | $(blocks_of_plan) |
TEXT
	big_memory
}

# Prints the parts that need the tables of bench/scan.
report_tables()
{
	local table

	if { has_part connections || has_part rest; } &&
		[[ " $SCAN_TABLES " != *" readings "* ]]; then
		wa_die 'connections and rest need readings among TABLES'
	fi
	scan_make_tables "$BENCH_ROWS" "$TPCH_SF" "$HITS_ROWS" "$PROCESSES"
	! has_part load || head_of_loads
	for table in $SCAN_TABLES; do
		if has_part load; then
			measure_load "$table" "$(columns_to_load "$table")"
		else
			scan_load_table "$table" "$(columns_to_load "$table")" >/dev/null
		fi
	done
	# shellcheck disable=SC2086
	report_memory $SCAN_TABLES
	! has_part queries || report_queries
	! has_part connections || report_connections
	! has_part rest || rest_report
}

# Prints the whole report.
report()
{
	header
	if has_part load || has_part queries || has_part connections || has_part rest; then
		report_tables
	fi
	! has_part big || report_big
	bench_device_footer
}

wa_begin
scan_start_loading_server "$PROCESSES"
report | bench_write_report "$OUT"
scan_stop_server
