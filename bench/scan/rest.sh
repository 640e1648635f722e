# shellcheck shell=bash
# rest.sh
#	  Queries over readings of which some blocks are read from the heap beside the
#	  resident ones: by one process, with the workers that so many blocks get by their
#	  number alone, and with those that they are worth.  Source it after time.sh here.
#
# Variables: QUERIES, PROCESSES and BENCH_RUNS of the benchmark, and REST_BLOCKS, how many
# blocks of the table are changed.

# The sides, in the order in which they run.
REST_SIDES=(alone by_size by_cost)

# Prints the settings of a side.
rest_side()
{
	scan_side on
	echo "; SET max_parallel_workers_per_gather = $((PROCESSES - 1))"
	case $1 in
		alone) echo '; SET max_parallel_workers_per_gather = 0' ;;
		by_size) echo '; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0' ;;
		by_cost) echo '; RESET parallel_setup_cost; RESET parallel_tuple_cost' ;;
	esac
}

# Changes a row in each of so many blocks, all over the table; the new rows come behind
# the others.  Arguments: how many, of how many blocks.
rest_change()
{
	wa_psql -c "UPDATE readings SET v = v WHERE ctid = ANY (ARRAY(
		SELECT format('(%s,1)', g * $2::int8 / $1)::tid FROM generate_series(0, $1 - 1) AS g))"
}

# Runs the sides of a query in turns in one session; prints the medians in a line.
rest_medians()
{
	local side
	local i

	for ((i = 0; i < BENCH_RUNS + WARM_UPS; i++)); do
		for side in "${REST_SIDES[@]}"; do
			printf '%s;\n\\timing on\n%s;\n\\timing off\n' "$(rest_side "$side")" "$1"
		done
	done >"$WA_TMP/rest.sql"
	wa_psql -o /dev/null -f - <"$WA_TMP/rest.sql" >"$WA_TMP/timing.out"
	for i in "${!REST_SIDES[@]}"; do
		awk -v i="$i" -v sides="${#REST_SIDES[@]}" -v skip=$((${#REST_SIDES[@]} * WARM_UPS)) '
			/^Time: / { if (n >= skip && n % sides == i) print $2; n++ }' \
			"$WA_TMP/timing.out" | wa_median
	done | paste -sd ' '
}

# Prints what EXPLAIN ANALYZE says of a side of a query.  Arguments: side, query, what.
rest_explained()
{
	wa_psql -c "$(rest_side "$1")" \
		-c "EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF) $2" |
		awk -v what="$3:" 'index($0, what) { n = $NF } END { print n + 0 }'
}

# Checks a query and prints its line of the table.
rest_measure()
{
	local query
	local blocks
	local by_size
	local by_cost

	query=$(scan_query "$1")
	scan_check "$1" "$(scan_session_setup "$PROCESSES")" >/dev/null
	[ "$(rest_explained alone "$query" 'Resident Blocks')" -gt 0 ] ||
		wa_die 'readings is resident no more'
	blocks=$(rest_explained alone "$query" 'Blocks Read')
	by_size=$(rest_explained by_size "$query" 'Workers Launched')
	by_cost=$(rest_explained by_cost "$query" 'Workers Launched')
	rest_medians "$query" |
		awk -v l="${1//_/ }" -v blocks="$blocks" -v by_size="$by_size" -v by_cost="$by_cost" '{
			printf "| %s | %d | %.2f | %d | %.2f | %d | %.2f | %.2f |\n",
				l, blocks, $1, by_size, $2, by_cost, $3, $2 / $3 }'
}

# Prints the table.
rest_report()
{
	local nblocks
	local count
	local name

	nblocks=$(wa_psql -c "SELECT pg_relation_size('readings') / current_setting('block_size')::int8")
	cat <<TEXT

## Blocks that are read beside resident ones

Of $nblocks blocks of readings; medians of $BENCH_RUNS runs in turns, $PROCESSES processes at most.

| query | blocks of the heap | one process, ms | workers by size | ms | workers by cost | ms | times as fast |
|---|---|---|---|---|---|---|---|
TEXT
	for count in $REST_BLOCKS; do
		rest_change "$count" "$nblocks"
		for name in ${QUERIES:-sum_int8 four_aggregates group_by_100}; do
			rest_measure "$name"
		done
	done
}
