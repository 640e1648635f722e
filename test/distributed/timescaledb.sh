# shellcheck shell=bash
# timescaledb.sh
#	  Queries over hypertables; sourced by scripts/distributed.sh.

# Tells whether queries in one snapshot answer with the node as without, while chunks
# change, and see all of the changes.
agrees_beside_changes()
{
	local query="SELECT time_bucket('1 day', ts) AS d, count(*), sum(v), sum(n) FROM readings GROUP BY d ORDER BY d"
	local writer
	local seen
	local rounds=0
	local states=

	wa_psql -f "$TESTS/timescaledb_changes.sql" >/dev/null 2>"$WA_TMP/changes.err" &
	writer=$!
	while kill -0 "$writer" 2>/dev/null; do
		seen=$(wa_psql -c "BEGIN ISOLATION LEVEL REPEATABLE READ; $query" \
			-c "SELECT '='" -c "SET LOCAL warpagg.enable_scan = off" -c "$query" \
			-c COMMIT 2>&1) || true
		# A reader that has locked some chunks may be in the writer's way.
		! grep -q 'deadlock detected' <<<"$seen" || continue
		if [ "${seen%%=*}" != "${seen#*=$'\n'}"$'\n' ]; then
			echo "$seen"
			return 1
		fi
		rounds=$((rounds + 1))
		states+=$(md5sum <<<"$seen")$'\n'
	done
	wait "$writer" || { cat "$WA_TMP/changes.err"; return 1; }
	echo "compared $rounds times, $(sort -u <<<"$states" | grep -c .) states"
	[ "$rounds" -gt 5 ]
}

# Tells whether a statement that was prepared, and its plan kept, sees what is compressed
# after that.
is_planned_again()
{
	local rows

	rows=$(wa_psql -c "SET plan_cache_mode = force_generic_plan;
		PREPARE counted AS SELECT count(*), gpu_sum(v) FROM readings" \
		-c 'EXECUTE counted' \
		-c "DO \$\$ BEGIN PERFORM compress_chunk(c) FROM show_chunks('readings', newer_than => timestamptz '2026-01-08 00:00+00', older_than => timestamptz '2026-01-10 00:00+00') c; END \$\$" \
		-c 'EXECUTE counted' | sort -u)
	[ "$(wc -l <<<"$rows")" -eq 1 ] && [ -n "$rows" ]
}

# Tests hypertables with libraries in an order.
test_hypertables()
{
	local order=$1
	local queries=$TESTS/timescaledb_queries.txt
	local chunk=_timescaledb_internal._hyper_1_2_chunk

	wa_cluster_start "timescaledb$2" "shared_preload_libraries = '$order'" \
		"max_worker_processes = 30" "timescaledb.telemetry_level = off" \
		"timezone = 'UTC'"
	wa_psql -f "$TESTS/timescaledb.sql" >/dev/null
	compare "$order" "$queries" true
	wa_psql -f "$TESTS/timescaledb_compress.sql" >/dev/null
	compare "$order, compressed" "$queries" false
	check "$order: the node reads what is not compressed" is_planned node \
		"SELECT device, sum(v) FROM readings WHERE ts > '2026-01-04 12:00' GROUP BY device"
	check "$order: a compressed chunk is left" is_planned none \
		"SELECT count(*), sum(v) FROM $chunk"
	check "$order: a compressed chunk has its rows" test \
		"$(answer on "SELECT count(*), sum(v) FROM $chunk")" = \
		"$(answer on "SELECT count(*), sum(v) FROM readings_here WHERE ts >= '2026-01-02' AND ts < '2026-01-03'")"
	wa_psql -c "SET timescaledb.enable_chunkwise_aggregation = off" \
		-c "SELECT count(*), sum(v) FROM readings" >"$WA_TMP/whole"
	check "$order: compressed chunks below a node" test "$(cat "$WA_TMP/whole")" = \
		"$(answer off "SELECT count(*), sum(v) FROM readings_here")"
	check "$order: ONLY the hypertable has no rows" test \
		"$(answer on "SELECT count(*), sum(v) FROM ONLY readings")" = '0|'
	check "$order: what is not compressed is loaded" test \
		"$(answer on "SELECT warpagg_load('readings')")" = \
		"$(answer off "SELECT count(*) + 1000 FROM readings_here WHERE ts >= '2026-01-05'")"
	compare "$order, resident" "$queries" false
	wa_psql -f "$TESTS/timescaledb_aggregate.sql" >/dev/null
	check "$order: a continuous aggregate" test \
		"$(answer on 'SELECT hour, device, rows, total, most FROM hours ORDER BY 1, 2')" = \
		"$(answer off "SELECT time_bucket('1 hour', ts), device, count(*), sum(v), max(n)
			FROM readings_here GROUP BY 1, 2 ORDER BY 1, 2")"
	check "$order: over a continuous aggregate" test \
		"$(answer on 'SELECT device, sum(total), max(most) FROM hours GROUP BY device ORDER BY 1')" = \
		"$(answer off 'SELECT device, sum(v), max(n) FROM readings_here GROUP BY device ORDER BY 1')"
	check "$order: a prepared statement" is_planned_again
	check "$order: beside changes" agrees_beside_changes
	wa_cluster_stop_last
}

# Tests both orders of the libraries, which decide whose hooks are called first.
test_timescaledb()
{
	test_hypertables timescaledb,warpagg 1
	test_hypertables warpagg,timescaledb 2
}
