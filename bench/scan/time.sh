# shellcheck shell=bash
# time.sh
#	  The server of the benchmarks of whole queries, and the times of both sides of
#	  a query: warpagg.enable_scan on and off.  Source it after lib.sh here.
#
# Variables: BENCH_RUNS, WORK_MEM, SHARED_BUFFERS and WA_DEVICE of the benchmark.

# The tables that queries are timed over.
SCAN_TABLES='readings lineitem hits'

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
		"warpagg.device = '${WA_DEVICE:-auto}'" "$@"
	wa_psql -c 'CREATE EXTENSION warpagg'
	wa_wait_device 60 >/dev/null || wa_die 'the device process did not get ready'
}

# Waits for processes, all of which have to succeed.
scan_wait()
{
	local process

	for process in "$@"; do
		wait "$process" || wa_die 'a table could not be made'
	done
}

# Makes the tables, at the same time; what is still being made keeps VACUUM from
# its work on others.  Arguments: rows of readings, scale factor, rows of hits.
scan_make_tables()
{
	local table
	local processes=()

	wa_note "making $1 readings, lineitem at $2, $3 hits" >&2
	scan_fill_table readings "rows=$1" &
	processes+=($!)
	scan_fill_table lineitem "sf=$2" &
	processes+=($!)
	scan_fill_table hits "rows=$3" &
	processes+=($!)
	scan_wait "${processes[@]}"
	processes=()
	for table in $SCAN_TABLES; do
		scan_vacuum "$table" &
		processes+=($!)
	done
	scan_wait "${processes[@]}"
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

# Loads all columns of a table; prints the milliseconds that it took.
scan_load_table()
{
	scan_time_once "SELECT warpagg_load('$1')"
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

# Runs sides of a query in turns in one session; prints a line of times for each.
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
				printf '%s;\n\\timing on\n%s;\n\\timing off\n' "$(scan_side "$side")" "$query"
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
