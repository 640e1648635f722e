#!/usr/bin/env bash
#
# family.sh
#	  The benchmark of the whole family in one process: each aggregate over
#	  each kind of column, several aggregates that share a state, a hash
#	  aggregate of many groups with its memory, and moving window frames; each
#	  beside the built-in.  Prints Markdown tables and writes them to a file.
#
# Usage: bench/family.sh [FILE]
#
# The two statements alternate in one session (A B A B ...) after a warm-up of
# each, under EXPLAIN (ANALYZE, TIMING OFF), whose execution times and memory
# are given, as medians.
#
# Variables:
#	ROWS			rows of the table (default 2000000)
#	GROUPS_MADE		groups of the hash aggregate (default 1000000)
#	FRAME_ROWS		rows that the windows go over (default 100000)
#	RUNS			timed runs of each statement (default 7)
#	WA_DEVICE		warpagg.device (default auto)

set -euo pipefail
shopt -s inherit_errexit
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../scripts/lib.sh"
# shellcheck source=bench/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

OUT=${1:-}
ROWS=${ROWS:-2000000}
GROUPS_MADE=${GROUPS_MADE:-1000000}
FRAME_ROWS=${FRAME_ROWS:-100000}
RUNS=${RUNS:-7}

PLAIN=('count(i4)' 'sum(i2)' 'sum(i4)' 'sum(i8)' 'sum(f4)' 'sum(f8)' 'sum(n)'
	'sum(v)' 'avg(i4)' 'avg(i8)' 'avg(f8)' 'avg(n)' 'avg(v)' 'var_samp(i4)'
	'stddev(i8)' 'stddev(f8)' 'stddev(n)' 'min(i4)' 'max(f8)' 'min(n)' 'max(v)'
	'min(d)' 'max(t)' 'sum(i4), avg(i4), count(i4), stddev(i4)'
	'sum(f8), avg(f8), count(f8), stddev(f8)')
GROUPED=('sum(i8)' 'min(i4)' 'sum(f8)')
MOVING=('sum(i4)' 'avg(n)' 'stddev(i8)')

# Turns the built-in aggregates of a list into ours.
ours_of()
{
	sed -E 's/([a-z_]+)\(/gpu_\1(/g' <<<"$1"
}

# Runs both statements alternately under EXPLAIN; arguments: ours, the
# built-in's, set-up statements.  Prints two lines, ours first: the median time,
# the memory of the hash aggregate in kB, and its batches.
explain_pair()
{
	local i

	{
		printf 'SET max_parallel_workers_per_gather = 0; SET jit = off;\n%s;\n' "$3"
		for ((i = 0; i <= RUNS; i++)); do
			printf 'EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF) %s;\n' "$1" "$2"
		done
	} | wa_psql >"$WA_TMP/explain.out"
	# The first run of each is a warm-up.
	for i in 1 0; do
		awk -v which="$i" '
			/Memory Usage:/ { m = $0; sub(/.*Memory Usage: /, "", m); memory = m + 0
				b = $0; sub(/.*Batches: /, "", b); batches = b + 0 }
			/Execution Time:/ { n++; if (n > 2 && n % 2 == which) t[++k] = $3
				if (n % 2 == which) { mem = memory; bat = batches } }
			END { for (i = 2; i <= k; i++)
					for (j = i; j > 1 && t[j] < t[j - 1]; j--) {
						x = t[j]; t[j] = t[j - 1]; t[j - 1] = x }
				print (k % 2 ? t[(k + 1) / 2] : (t[k / 2] + t[k / 2 + 1]) / 2), mem + 0, bat + 0
			}' "$WA_TMP/explain.out"
	done
}

# Prints a line of a table: label, then both lines of explain_pair; the fourth
# argument is set if memory is to be shown.
table_line()
{
	awk -v label="$1" -v a="$2" -v b="$3" -v memory="${4:-}" 'BEGIN {
		split(a, ours); split(b, theirs)
		printf "| %s | %.1f | %.1f | %.2f |", label, ours[1], theirs[1], ours[1] / theirs[1]
		if (memory)
			printf " %d | %d | %.2f | %d/%d |", ours[2], theirs[2], ours[2] / theirs[2], ours[3], theirs[3]
		print "" }'
}

# Times one list of aggregates; arguments: label, built-in statement, set-up,
# whether memory is shown.
measure()
{
	local pair

	pair=$(explain_pair "$(ours_of "$2")" "$2" "$3")
	table_line "$1" "$(sed -n 1p <<<"$pair")" "$(sed -n 2p <<<"$pair")" "${4:-}"
}

# Prints the whole report.
report()
{
	local aggregates
	local memory

	cat <<TEXT
# The family of aggregates beside the built-ins

$(bench_environment)
| made by | bench/family.sh, ROWS=$ROWS GROUPS_MADE=$GROUPS_MADE FRAME_ROWS=$FRAME_ROWS RUNS=$RUNS |
| method | one process; medians of $RUNS runs, alternating in one session after a warm-up, under EXPLAIN (ANALYZE, TIMING OFF) |

## One group of $ROWS rows

| aggregates | gpu_, ms | built-in, ms | ratio |
|---|---|---|---|
TEXT
	for aggregates in "${PLAIN[@]}"; do
		measure "$aggregates" "SELECT $aggregates FROM bench_family" 'SELECT 1'
	done
	cat <<TEXT

## A hash aggregate of $GROUPS_MADE groups of 3 rows

| aggregate | gpu_, ms | built-in, ms | ratio | gpu_, kB | built-in, kB | ratio | batches |
|---|---|---|---|---|---|---|---|
TEXT
	for memory in 2GB 4MB; do
		for aggregates in "${GROUPED[@]}"; do
			measure "$aggregates, work_mem $memory" \
				"SELECT k, $aggregates FROM bench_groups GROUP BY k" \
				"SET work_mem = '$memory'; SET enable_sort = off" memory
		done
	done
	cat <<TEXT

## Window frames of 1000 rows before the current one, over $FRAME_ROWS rows

| aggregate | gpu_, ms | built-in, ms | ratio |
|---|---|---|---|
TEXT
	for aggregates in "${MOVING[@]}"; do
		measure "$aggregates" "SELECT $aggregates OVER (ROWS 1000 PRECEDING)
			FROM (SELECT * FROM bench_family LIMIT $FRAME_ROWS) AS first_rows" 'SELECT 1'
	done
	# The built-in has no inverse for floats: a tenth of the rows has to do.
	measure "sum(f8), $((FRAME_ROWS / 10)) rows" "SELECT sum(f8) OVER (ROWS 1000 PRECEDING)
		FROM (SELECT * FROM bench_family LIMIT $((FRAME_ROWS / 10))) AS first_rows" 'SELECT 1'
	bench_device_footer
}

wa_begin
wa_cluster_start bench "shared_preload_libraries = 'warpagg'" \
	"shared_buffers = '${SHARED_BUFFERS:-$(bench_shared_buffers)}'" \
	"autovacuum = off" "warpagg.enable_scan = off" "warpagg.device = '${WA_DEVICE:-auto}'"
wa_psql -c 'CREATE EXTENSION warpagg'
wa_wait_device 60 >/dev/null || wa_die 'the device process did not get ready'
wa_note "making $ROWS rows and $GROUPS_MADE groups" >&2
wa_psql -v rows="$ROWS" -v groups="$GROUPS_MADE" -f - \
	<"$WA_ROOT/bench/family.sql" 2>/dev/null
report | bench_write_report "$OUT"
