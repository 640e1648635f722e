# shellcheck shell=bash
# citus.sh
#	  Queries over distributed tables; sourced by scripts/distributed.sh.

# Starts a server of Citus, which has to be loaded first; arguments: its name and its port.
start_citus()
{
	wa_cluster_start "$1" "port = $2" "shared_preload_libraries = 'citus,warpagg'" \
		"citus.local_hostname = '$WA_TMP'" \
		"max_prepared_transactions = 20" "wal_level = logical" \
		"max_worker_processes = 30" "citus.enable_statistics_collection = off"
	export PGPORT=$2
	wa_psql -c 'CREATE EXTENSION citus' -c 'CREATE EXTENSION warpagg'
}

# Compares the queries over the table, and over that with partitions.
compare_tables()
{
	compare "$1" "$TESTS/citus_queries.txt" "$2"
	sed 's/\breadings\b/parts/' "$TESTS/citus_queries.txt" >"$WA_TMP/parts.txt"
	TABLE=parts compare "$1, partitions" "$WA_TMP/parts.txt" "$2"
}

# Tells whether all rows of a distributed table are loaded, each shard where it is.
loads_shards()
{
	local rows

	rows=$(wa_psql -c "SELECT sum(result::bigint)
		FROM run_command_on_shards('$1', 'SELECT warpagg_load(%L)')")
	[ "$rows" = "$(answer off "SELECT count(*) FROM $1")" ]
}

# Moves the first shard to the other worker.
move_shard()
{
	wa_psql -c "SELECT citus_move_shard_placement(shardid, nodename, nodeport, nodename,
			CASE nodeport WHEN 6001 THEN 6002 ELSE 6001 END, 'block_writes')
		FROM citus_shards WHERE table_name = 'readings'::regclass
		ORDER BY shardid LIMIT 1"
}

# Tests a coordinator and two workers.
test_citus()
{
	local table

	start_citus worker1 6001
	start_citus worker2 6002
	start_citus coordinator 6000
	wa_psql -c "SELECT citus_set_coordinator_host('$WA_TMP', 6000)" \
		-c "SELECT citus_add_node('$WA_TMP', 6001), citus_add_node('$WA_TMP', 6002)" \
		>/dev/null
	wa_psql -f "$TESTS/citus.sql" >/dev/null
	compare_tables citus true
	check 'citus: all shards are loaded' loads_shards readings
	check 'citus: all shards with partitions are loaded' loads_shards parts
	compare_tables 'citus, resident' false
	for table in readings parts readings_here; do
		wa_psql -c "UPDATE $table SET v = v + 1 WHERE sensor = 3" \
			-c "DELETE FROM $table WHERE site = 5"
	done
	compare_tables 'citus, changed' false
	check 'citus: a shard is moved' move_shard
	compare 'citus, moved' "$TESTS/citus_queries.txt" true
	wa_cluster_stop_last
	wa_cluster_stop_last
	wa_cluster_stop_last
	# A server would take it for its own.
	unset PGPORT
}
