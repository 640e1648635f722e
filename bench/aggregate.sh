#!/usr/bin/env bash
#
# aggregate.sh
#	  The SQL benchmark: SELECT gpu_sum(x) beside SELECT sum(x), for int4, int8
#	  and float8, in one process and in many, and as the first query of a new
#	  connection.  Prints a Markdown table and writes it to a file.
#
# Usage: bench/aggregate.sh [FILE]
#
# The two statements alternate in one session (A B A B ...), after a warm-up of
# each; the times are psql's \timing; medians are given.  The results must agree:
# integers as text, floats within a relative 1e-9 (ours are exact, the built-in's
# depend on the order of rows).
#
# Variables:
#	ROWS			rows of the table (default 48000000)
#	RUNS			timed runs of each statement (default 9)
#	PROCESSES		numbers of processes to measure (default "1 16")
#	SHARED_BUFFERS	of the throw-away server (default: a quarter of memory, at
#					most 16 GB)
#	WA_DEVICE		warpagg.device (default auto)
#	PGHOST, PGPORT	a running server to use instead of a throw-away one; its
#					device process must be ready, and the table is dropped again

set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../scripts/lib.sh"
# shellcheck source=bench/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

OUT=${1:-}
ROWS=${ROWS:-48000000}
RUNS=${RUNS:-9}
PROCESSES=${PROCESSES:-1 16}
COLUMNS_TIMED='i4 i8 f8'
OWN_SERVER=
[ -n "${PGHOST:-}" ] || OWN_SERVER=1

# Prints the largest number in PROCESSES.
most_processes()
{
	tr -s ' ' '\n' <<<"$PROCESSES" | sort -n | tail -n 1
}

# Starts the throw-away server.
start_server()
{
	local most

	most=$(most_processes)
	wa_cluster_start bench "shared_preload_libraries = 'warpagg'" \
		"shared_buffers = '${SHARED_BUFFERS:-$(bench_shared_buffers)}'" \
		"max_worker_processes = $((most + 8))" \
		"max_parallel_workers = $most" \
		"autovacuum = off" "jit = off" "warpagg.enable_scan = off" \
		"warpagg.device = '${WA_DEVICE:-auto}'"
}

# Prints the set-up statements of a session with a number of processes.
session_setup()
{
	echo "SET max_parallel_workers_per_gather = $(($1 - 1));
		SET max_parallel_workers = $1;
		SET min_parallel_table_scan_size = 0;
		SET parallel_leader_participation = on;
		SET jit = off"
}

# Prints one line of the table; arguments: label, processes, our times, theirs,
# workers that took part.
table_line()
{
	local ours
	local built_in

	ours=$(tr ' ' '\n' <<<"$3" | sed '/^$/d' | wa_median)
	built_in=$(tr ' ' '\n' <<<"$4" | sed '/^$/d' | wa_median)
	awk -v l="$1" -v p="$2" -v a="$ours" -v b="$built_in" -v w="$5" 'BEGIN {
		printf "| %s | %s | %s | %.2f | %.2f | %.3f |\n", l, p, w, a, b, a / b }' |
		tee -a "$REPORT"
}

# Prints how many processes took part in a statement, ours and the built-in's.
processes_used()
{
	local setup=$1
	local statement
	local used=()

	shift
	for statement in "$@"; do
		used+=("$(wa_psql -c "$setup" -c "EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF) $statement" |
			awk '/Workers Launched:/ { n += $NF } END { print n + 1 }')")
	done
	(IFS=/; echo "${used[*]}")
}

# Times the two statements in one session.
measure_session()
{
	local column=$1
	local processes=$2
	local ours="SELECT gpu_sum($column) FROM bench_aggregate"
	local built_in="SELECT sum($column) FROM bench_aggregate"
	local setup
	local times
	local used

	setup=$(session_setup "$processes")
	used=$(processes_used "$setup" "$ours" "$built_in")
	times=$(wa_time_pair "$RUNS" "$ours" "$built_in" "$setup")
	table_line "sum($(type_of "$column"))" "$processes" \
		"$(sed -n 1p <<<"$times")" "$(sed -n 2p <<<"$times")" "$used"
}

# Prints the time of one statement as the first of a new connection.
first_query_time()
{
	wa_psql -c "$1" -c '\timing on' -c "$2" | awk '/^Time: / { print $2 }'
}

# Times the two statements as first queries of new connections, alternately.
measure_first()
{
	local column=$1
	local processes=$2
	local ours=
	local built_in=
	local setup
	local i

	setup=$(session_setup "$processes")
	for ((i = 0; i < RUNS; i++)); do
		ours+=" $(first_query_time "$setup" "SELECT gpu_sum($column) FROM bench_aggregate")"
		built_in+=" $(first_query_time "$setup" "SELECT sum($column) FROM bench_aggregate")"
	done
	table_line "sum($(type_of "$column")), first query" "$processes" "$ours" "$built_in" -
}

# Prints the type of a column.
type_of()
{
	case $1 in
		i4) echo int4 ;;
		i8) echo int8 ;;
		f8) echo float8 ;;
	esac
}

# Ends the benchmark if results differ.
compare_results()
{
	local differ

	differ=$(wa_psql -F ' ' -c "SELECT * FROM (
		SELECT gpu_sum(i4)::text AS i4, sum(i4)::text AS b4,
			gpu_sum(i8)::text AS i8, sum(i8)::text AS b8,
			gpu_sum(f8) AS f8, sum(f8) AS bf
		FROM bench_aggregate) AS sums
		WHERE i4 <> b4 OR i8 <> b8 OR abs(f8 - bf) > 1e-9 * abs(bf)
			OR (i4 = b4 AND i8 = b8 AND f8 = f8) IS NOT TRUE")
	[ -z "$differ" ] || wa_die "results differ: $differ"
}

# Prints the header of the report: when, what, where.
header()
{
	cat <<TEXT
# gpu_sum(x) beside sum(x)

$(bench_environment)
| table | $ROWS rows, $(wa_psql -c "SELECT pg_size_pretty(pg_table_size('bench_aggregate'))"), warm |
| made by | bench/aggregate.sh, ROWS=$ROWS RUNS=$RUNS |
| method | medians of $RUNS runs, alternating in one session after a warm-up; first query: $RUNS new connections each |

| query | processes | took part (ours/built-in) | gpu_sum, ms | sum, ms | ratio |
|---|---|---|---|---|---|
TEXT
}

SERVER=("${PGHOST:-}" "${PGPORT:-5432}" "${PGUSER:-}" "${PGDATABASE:-postgres}")
wa_begin
REPORT=$WA_TMP/report.md
if [ -n "$OWN_SERVER" ]; then
	start_server
else
	export PGHOST=${SERVER[0]} PGPORT=${SERVER[1]} PGDATABASE=${SERVER[3]}
	[ -z "${SERVER[2]}" ] || export PGUSER=${SERVER[2]}
fi
wa_psql -c 'CREATE EXTENSION IF NOT EXISTS warpagg'
wa_wait_device 60 >/dev/null || wa_die 'the device process did not get ready'
wa_note "making $ROWS rows" >&2
wa_psql -v rows="$ROWS" -v workers="$(($(most_processes) - 1))" -f - \
	<"$WA_ROOT/bench/aggregate.sql" 2>/dev/null
compare_results
header | tee "$REPORT"
for count in $PROCESSES; do
	for column in $COLUMNS_TIMED; do
		measure_session "$column" "$count"
	done
	for column in $COLUMNS_TIMED; do
		measure_first "$column" "$count"
	done
done
bench_device_footer | tee -a "$REPORT"
[ -n "$OWN_SERVER" ] || wa_psql -c 'DROP TABLE bench_aggregate'
[ -z "$OUT" ] || bench_keep "$REPORT" "$OUT"
