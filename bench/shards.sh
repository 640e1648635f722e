#!/usr/bin/env bash
#
# shards.sh
#	  The benchmark of partitions on other servers, by postgres_fdw: a coordinator and two
#	  shards on this machine.  Prints a Markdown table and writes it to a file.
#
# Usage: bench/shards.sh [FILE]
#
# Each query must have the same results in all ways before it is timed.  The ways alternate,
# each in a session of its own; the times are psql's \timing, and medians are given.
#
# Variables:
#	BENCH_ROWS		rows of all partitions together (default 1000000)
#	BENCH_RUNS		timed runs of each query (default 7)

set -euo pipefail
shopt -s inherit_errexit
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../scripts/lib.sh"
# shellcheck source=bench/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

OUT=${1:-}
BENCH_ROWS=${BENCH_ROWS:-1000000}
BENCH_RUNS=${BENCH_RUNS:-7}
COLUMNS_OF='site integer, sensor integer, at timestamp, v integer, n numeric, f float8'

# Prints SQL that inserts a quarter of the rows into a table, of two sites.
insert()
{
	echo "INSERT INTO $1 SELECT $2 + x % 2, x % 50, timestamp '2026-01-01' + x * interval '1 minute',
		x % 1000, x / 8.0, x / 7.0 FROM generate_series(1, $((BENCH_ROWS / 4))) x;"
}

# Starts a server; arguments: its name and its port.
start()
{
	wa_cluster_start "$1" "port = $2" "shared_preload_libraries = 'warpagg'" "jit = off"
	export PGPORT=$2
	wa_psql -c 'CREATE EXTENSION warpagg'
}

# Starts a shard with two tables.
start_shard()
{
	start "shard$1" "600$1"
	wa_psql -c "CREATE TABLE a ($COLUMNS_OF); $(insert a "${1}0")" \
		-c "CREATE TABLE b ($COLUMNS_OF); $(insert b "${1}2")" -c 'VACUUM ANALYZE'
}

# Makes servers for a shard, as they are by default and with options, and partitions on
# them: of "far", all of whose partitions are there, and of "mixed", which has two here.
make_partitions()
{
	local way
	local set

	for way in default fetch; do
		set="host '$WA_TMP', port '600$1', dbname 'postgres', fdw_tuple_cost '0.2'"
		[ "$way" = default ] || set+=", fetch_size '10000'"
		wa_psql -c "CREATE SERVER ${way}_$1 FOREIGN DATA WRAPPER postgres_fdw OPTIONS ($set)" \
			-c "CREATE USER MAPPING FOR CURRENT_USER SERVER ${way}_$1" \
			-c "CREATE FOREIGN TABLE far_${way}_$1a PARTITION OF far_$way FOR VALUES IN (${1}0, ${1}1)
				SERVER ${way}_$1 OPTIONS (schema_name 'public', table_name 'a')" \
			-c "CREATE FOREIGN TABLE far_${way}_$1b PARTITION OF far_$way FOR VALUES IN (${1}2, ${1}3)
				SERVER ${way}_$1 OPTIONS (schema_name 'public', table_name 'b')"
	done
	wa_psql -c "CREATE FOREIGN TABLE mixed_$1 PARTITION OF mixed FOR VALUES IN (${1}0, ${1}1)
			SERVER fetch_$1 OPTIONS (schema_name 'public', table_name 'a')" \
		-c "CREATE TABLE mixed_$1b PARTITION OF mixed FOR VALUES IN (${1}2, ${1}3); $(insert "mixed_$1b" "${1}2")"
}

# Has the shards use the node, or not.
set_shards()
{
	local port

	for port in 6001 6002; do
		PGPORT=$port wa_psql -c "ALTER SYSTEM SET warpagg.enable_scan = $1" \
			-c 'SELECT pg_reload_conf()' >/dev/null
	done
	sleep 0.3
}

# Runs a query in one way; prints the milliseconds, and leaves the results in rows.out.
# Arguments: nodes on shards, node here, partitionwise, query.
run()
{
	set_shards "$1"
	PGOPTIONS="-c warpagg.enable_scan=$2 -c enable_partitionwise_aggregate=$3" \
		wa_psql -c '\timing on' -c "$4" >"$WA_TMP/run.out"
	grep -v '^T' "$WA_TMP/run.out" >"$WA_TMP/rows.out"
	awk '/^Time: / { print $2 }' "$WA_TMP/run.out"
}

# Prints a row of the table: a query in several ways.  Arguments: what it is, then for each
# way a word of nodes on shards, node here and partitionwise, and its query.
measure()
{
	local what=$1
	local i
	local way
	local first=
	local ways=()
	local -a words

	shift
	while [ $# -gt 0 ]; do
		ways+=("$1|$2")
		shift 2
	done
	for ((i = 0; i <= BENCH_RUNS; i++)); do
		for way in "${!ways[@]}"; do
			read -ra words <<<"${ways[way]%%|*}"
			run "${words[@]}" "${ways[way]#*|}" >"$WA_TMP/ms"
			[ -n "$first" ] || first=$(cat "$WA_TMP/rows.out")
			[ "$first" = "$(cat "$WA_TMP/rows.out")" ] || wa_die "$what: results differ"
			[ "$i" -eq 0 ] || cat "$WA_TMP/ms" >>"$WA_TMP/times.$way"
		done
	done
	printf '| %s |' "$what"
	for way in "${!ways[@]}"; do
		printf ' %.0f |' "$(wa_median <"$WA_TMP/times.$way")"
		rm "$WA_TMP/times.$way"
	done
	echo
}

# Prints the report.
report()
{
	local all='count(*), sum(v), avg(n)'
	local levels="SELECT sensor, sum(c), sum(s), sum(t) / sum(c) FROM (SELECT site, sensor,
		count(*) AS c, sum(v) AS s, sum(n) AS t FROM far_fetch GROUP BY site, sensor) x
		GROUP BY sensor ORDER BY sensor"
	local by_sensor='GROUP BY sensor ORDER BY sensor'

	printf '# Partitions on other servers\n\n'
	bench_environment
	echo "| rows | $BENCH_ROWS, in four partitions of two sites each |"
	echo "| load | $(cut -d ' ' -f 1-3 /proc/loadavg) before |"
	echo "| method | bench/shards.sh, BENCH_RUNS=$BENCH_RUNS; medians, ms |"
	printf '\nAll partitions on shards, by the key of the partitions:\n\n'
	printf '| query | nodes on shards | PostgreSQL on shards | rows fetched |\n|---|---|---|---|\n'
	measure 'by site' 'on on on' "SELECT site, $all FROM far_fetch GROUP BY site ORDER BY site" \
		'off on on' "SELECT site, $all FROM far_fetch GROUP BY site ORDER BY site" \
		'on off off' "SELECT site, $all FROM far_fetch GROUP BY site ORDER BY site"
	printf '\nBy another key:\n\n'
	printf '| query | node here, nodes on shards | PostgreSQL on shards | two levels, nodes on shards | rows fetched, fetch_size 10000 | fetch_size 100 |\n|---|---|---|---|---|---|\n'
	measure 'by sensor' 'on on off' "SELECT sensor, $all FROM far_fetch $by_sensor" \
		'off on off' "SELECT sensor, $all FROM far_fetch $by_sensor" \
		'on off on' "$levels" \
		'on off off' "SELECT sensor, $all FROM far_fetch $by_sensor" \
		'on off off' "SELECT sensor, $all FROM far_default $by_sensor"
	printf '\nHalf of the rows here, by another key:\n\n'
	printf '| query | node here, nodes on shards | PostgreSQL here |\n|---|---|---|\n'
	measure 'by sensor' 'on on off' "SELECT sensor, $all FROM mixed $by_sensor" \
		'on off off' "SELECT sensor, $all FROM mixed $by_sensor"
	printf '\nThe load after that was %s.\n' "$(cut -d ' ' -f 1-3 /proc/loadavg)"
}

wa_begin
wa_build_install
start_shard 1
start_shard 2
start coordinator 6000
wa_psql -c 'CREATE EXTENSION postgres_fdw'
for table in far_default far_fetch mixed; do
	wa_psql -c "CREATE TABLE $table ($COLUMNS_OF) PARTITION BY LIST (site)"
done
make_partitions 1
make_partitions 2
wa_psql -c 'VACUUM ANALYZE'
report | tee "$WA_TMP/report"
[ -z "$OUT" ] || cp "$WA_TMP/report" "$OUT"
