#!/usr/bin/env bash
#
# rows_first.sh
#	  The benchmark of the first rows of a table whose columns are resident, by ORDER BY and
#	  LIMIT without an index, beside PostgreSQL's own plan.  Prints a Markdown table and writes
#	  it to a file.
#
# Usage: bench/rows_first.sh [FILE]
#
# The two sides alternate in one session (A B A B ...) after a run of each, whose rows are
# compared: each query orders them by a key at last.  Times are psql's, of planning, execution
# and receiving the rows; they are given as medians.  Before each there is a rest of 30 ms, as
# processes of a parallel plan go on ending when it has.  The exit status is 1 if rows differ, or
# a query has had no node.
#
# Variables:
#	ROWS			rows of the table (default 1000000; 130 bytes each)
#	RUNS			timed runs of each side (default 21)
#	WORKERS			max_parallel_workers_per_gather (default 2)
#	WA_DEVICE		warpagg.device (default auto)

set -euo pipefail
shopt -s inherit_errexit
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../scripts/lib.sh"
# shellcheck source=bench/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

OUT=${1:-}
ROWS=${ROWS:-1000000}
RUNS=${RUNS:-21}
WORKERS=${WORKERS:-2}
LOAD=$(cut -d ' ' -f 1 /proc/loadavg)

# What follows FROM, LIMIT apart.
ORDERS=('ORDER BY ts DESC, id' 'ORDER BY ts, id' 'ORDER BY k DESC, id' 'ORDER BY f DESC, id'
	'ORDER BY n DESC, id' "WHERE s = 'kind 7' ORDER BY ts DESC, id"
	'WHERE b AND k < 500000 ORDER BY ts DESC, id' 'ORDER BY b DESC, id')
LIMITS=(10 100 1000)

# Prints the session's settings for a side, "on" or "off".
side()
{
	printf 'SET warpagg.enable_scan = %s;\n' "$1"
}

# Runs both sides of a query in turn; prints the median times, ours first.
time_pair()
{
	local i
	local on

	for ((i = 0; i <= RUNS; i++)); do
		for on in on off; do
			side "$on"
			printf 'SELECT pg_sleep(0.03);\n\\timing on\n%s;\n\\timing off\n' "$1"
		done
	done | wa_psql -o /dev/null >"$WA_TMP/times"
	awk '/^Time:/ { n++; if (n > 2) t[n % 2, ++k[n % 2]] = $2 }
		function median(side,   i, j, x) {
			for (i = 2; i <= k[side]; i++)
				for (j = i; j > 1 && t[side, j] < t[side, j - 1]; j--) {
					x = t[side, j]; t[side, j] = t[side, j - 1]; t[side, j - 1] = x }
			return t[side, int((k[side] + 1) / 2)] }
		END { print median(1), median(0) }' "$WA_TMP/times"
}

# Fails unless a query has the node, finds all in memory, and returns the same rows as without.
check_query()
{
	local plan

	plan=$(wa_psql -c "SET warpagg.enable_scan = on" -c "EXPLAIN (ANALYZE, COSTS OFF) $1")
	if ! grep 'WarpAgg Rows' <<<"$plan" >/dev/null ||
		! grep 'Blocks Read: 0' <<<"$plan" >/dev/null; then
		wa_die "the node does not find the rows in memory: $1"
	fi
	wa_psql -c "SET warpagg.enable_scan = on" -c "$1" >"$WA_TMP/ours"
	wa_psql -c "SET warpagg.enable_scan = off" -c "$1" >"$WA_TMP/theirs"
	cmp -s "$WA_TMP/ours" "$WA_TMP/theirs" || wa_die "rows differ: $1"
}

# Prints a line of the table.
measure()
{
	local query="SELECT * FROM readings $1 LIMIT $2"
	local pair

	check_query "$query"
	pair=$(time_pair "$query")
	awk -v label="$1" -v limit="$2" -v pair="$pair" 'BEGIN { split(pair, ms)
		printf "| `%s` | %d | %.2f | %.1f | %.3f |\n", label, limit, ms[1], ms[2], ms[1] / ms[2] }'
}

# Prints the whole report.
report()
{
	local order
	local limit

	cat <<TEXT
# The first rows of a table

$(bench_environment)
| table | $ROWS rows, $(wa_psql -c "SELECT pg_size_pretty(pg_table_size('readings'))"), all columns and ctid resident; \`ts\` grows with the table, the others are spread over it |
| load | $LOAD processes at work beside it, on average over the minute before |
| made by | bench/rows_first.sh, ROWS=$ROWS RUNS=$RUNS WORKERS=$WORKERS |
| method | medians of $RUNS runs, both sides in turn in one session, 30 ms apart, rows received; max_parallel_workers_per_gather $WORKERS |

\`SELECT * FROM readings\`, and:

| | LIMIT | warpagg, ms | PostgreSQL, ms | ratio |
|---|---|---|---|---|
TEXT
	for order in "${ORDERS[@]}"; do
		for limit in "${LIMITS[@]}"; do
			measure "$order" "$limit"
		done
	done
}

# Makes the table.
make_table()
{
	wa_psql -v rows="$ROWS" -f - <<'SQL'
CREATE TABLE readings (id bigint, ts timestamptz, k int, f float8, n numeric(12,2), b bool, s text, pad text);
INSERT INTO readings
	SELECT i, timestamptz '2024-01-01' + i * interval '1 second', (i::bigint * 7919) % 1000003,
		(i::bigint * 104729) % 1000003 / 7.0, (i::bigint * 15485863) % 1000003 / 100.0, i % 3 = 0,
		'kind ' || i % 1000, repeat('x', 60)
	FROM generate_series(1, :rows) i;
VACUUM (ANALYZE, FREEZE) readings;
SELECT warpagg_load('readings'), warpagg_load('readings', '{ctid}');
SQL
}

wa_begin
wa_cluster_start bench "shared_preload_libraries = 'warpagg'" \
	"shared_buffers = '${SHARED_BUFFERS:-$(bench_shared_buffers)}'" \
	"autovacuum = off" "jit = off" "max_parallel_workers_per_gather = $WORKERS" \
	"warpagg.device = '${WA_DEVICE:-auto}'"
wa_psql -c 'CREATE EXTENSION warpagg'
wa_wait_device 60 >/dev/null || wa_die 'the device process did not get ready'
wa_note "making $ROWS rows" >&2
make_table >/dev/null
report | bench_write_report "$OUT"
