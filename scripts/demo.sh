#!/usr/bin/env bash
#
# demo.sh
#	  Shows warpagg at work: builds and installs it, starts a throw-away
#	  PostgreSQL, loads flights, and prints results and times of gpu_sum and
#	  gpu_min beside the built-in aggregates'.  `make demo` calls it.
#
# Usage: scripts/demo.sh [DATA]
#	DATA			a .csv.xz or .csv of flights (default: the shipped sample)
#
# Variables:
#	RUNS			timed runs of each query (default 7)
#	WA_DEVICE		warpagg.device: auto (default), gpu or cpu
#	WA_PREBUILT		1: build and install nothing (see lib.sh)
#	PG_CONFIG		the PostgreSQL to use
#
# Exit status: 0 if all results are equal, 1 otherwise.  Nothing is left running.

set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

DATA=${1:-$WA_ROOT/test/data/flights-sample.csv.xz}
RUNS=${RUNS:-7}
DEVICE=${WA_DEVICE:-auto}

# The queries, one a line: label; expression with gpu_ aggregates; the same with
# built-in ones.  The floats are whole numbers, so both sums are exact.
QUERIES='sum(delay); gpu_sum(delay); sum(delay)
min(delay); gpu_min(delay); min(delay)
max(delay); gpu_max(delay); max(delay)
avg(delay); gpu_avg(delay); avg(delay)
count(delay); gpu_count(delay); count(delay)
stddev(delay); gpu_stddev(delay); stddev(delay)
sum(distance); gpu_sum(distance); sum(distance)
min(distance); gpu_min(distance); min(distance)
var_pop(distance); gpu_var_pop(distance); var_pop(distance)
avg(distance * 1.609); gpu_avg(distance * 1.609); avg(distance * 1.609)
sum(delay::float8); gpu_sum(delay::float8); sum(delay::float8)
min(delay::float8); gpu_min(delay::float8); min(delay::float8)
sum(distance::int8); gpu_sum(distance::int8); sum(distance::int8)
min(date); gpu_min(date); min(date)
max(date::date); gpu_max(date::date); max(date::date)
min(destination); gpu_min(destination); min(destination)
sum(delay), distance > 500; gpu_sum(delay) FILTER (WHERE distance > 500); sum(delay) FILTER (WHERE distance > 500)'

# Prints a chapter's title.
title()
{
	printf '\n== %s\n' "$1"
}

# Prints the data file, unpacked.
read_data()
{
	case $DATA in
		*.xz) xz -dc -- "$DATA" ;;
		*) cat -- "$DATA" ;;
	esac
}

# Prints shared_buffers for this machine: an eighth of its memory, 128 MB to 1 GB.
shared_buffers()
{
	awk '/^MemTotal:/ { mb = int($2 / 1024 / 8) }
		END { print (mb > 1024 ? 1024 : mb < 128 ? 128 : mb) "MB" }' /proc/meminfo
}

# Creates the table and loads it.
load_flights()
{
	wa_psql -c 'CREATE TABLE flights (date timestamp, delay int, distance int,
		origin text, destination text)'
	read_data | wa_psql -c 'COPY flights FROM STDIN (FORMAT csv, HEADER)'
	wa_psql -c 'VACUUM ANALYZE flights'
	ROWS=$(wa_psql -c 'SELECT count(*) FROM flights')
	[ "$ROWS" -gt 0 ] || wa_die "$DATA holds no rows"
	wa_note "rows loaded   $ROWS from $(basename "$DATA")"
}

# Creates the extension, which starts the device process, and waits for it.
start_warpagg()
{
	local line

	wa_psql -c 'CREATE EXTENSION warpagg'
	if ! line=$(wa_wait_device 60); then
		tail -n 20 "$WA_SERVER_LOG" >&2
		wa_die "the device process did not get ready within 60 s"
	fi
	KIND=${line%%|*}
	NAME=${line#*|}
	wa_note "device        $NAME ($KIND)"
}

# Prints the SQL of the comparison: one row for each query with both results.
comparison_sql()
{
	local ours
	local built_in
	local label
	local number=0

	while IFS=';' read -r label ours built_in; do
		[ "$number" -eq 0 ] || echo 'UNION ALL'
		number=$((number + 1))
		printf "SELECT %d AS number, '%s' AS query, (%s)::text AS ours, (%s)::text AS built_in FROM flights\n" \
			"$number" "$label" "${ours# }" "${built_in# }"
	done <<<"$QUERIES"
}

# Compares all results; prints them side by side; counts the different ones in
# DIFFERENT.
compare_results()
{
	local sql

	sql=$(comparison_sql)
	wa_psql -F ';' -c "SELECT query, ours, built_in,
			CASE WHEN ours IS NOT DISTINCT FROM built_in THEN 'equal' ELSE 'DIFFERENT' END
		FROM ($sql) AS results ORDER BY number" >"$WA_TMP/results.out"
	awk -F ';' 'BEGIN { printf "%-28s %22s %22s\n", "query", "warpagg (gpu_...)", "PostgreSQL" }
		{ printf "%-28s %22s %22s  %s\n", $1, $2, $3, $4 }' "$WA_TMP/results.out"
	DIFFERENT=$(grep -c 'DIFFERENT$' "$WA_TMP/results.out" || true)
}

# Compares all groups of a GROUP BY; adds what differs to DIFFERENT.
compare_groups()
{
	local groups
	local different

	IFS='|' read -r groups different <<<"$(wa_psql -c "
		SELECT count(*), count(*) FILTER (WHERE
			(s, m, d, f, a, v) IS DISTINCT FROM (bs, bm, bd, bf, ba, bv))
		FROM (SELECT origin, gpu_sum(delay) AS s, gpu_min(delay) AS m,
				gpu_max(date) AS d, gpu_sum(distance::float8) AS f,
				gpu_avg(distance)::text AS a, gpu_stddev(delay)::text AS v
			FROM flights GROUP BY origin) AS ours
		FULL JOIN (SELECT origin, sum(delay) AS bs, min(delay) AS bm,
				max(date) AS bd, sum(distance::float8) AS bf,
				avg(distance)::text AS ba, stddev(delay)::text AS bv
			FROM flights GROUP BY origin) AS theirs USING (origin)")"
	wa_note "GROUP BY origin: $groups groups of 6 aggregates, $((groups - different)) equal, $different different"
	DIFFERENT=$((DIFFERENT + different))
}

# Prints how often, so far, the device has reduced a batch.
device_runs()
{
	wa_psql -c "SELECT coalesce(sum(runs), 0) FROM warpagg_reductions
		WHERE device = '$KIND'"
}

# Prints the median times of one query and its built-in twin, and what computed
# ours: the node for whole queries, the device, or PostgreSQL's own processes.
time_query()
{
	local label=$1
	local times
	local ours
	local built_in
	local before
	local where='PostgreSQL processes'

	before=$(device_runs)
	times=$(wa_time_pair "$RUNS" "$2" "$3")
	[ "$(device_runs)" -eq "$before" ] || where="the $KIND device"
	case $(wa_psql -c "EXPLAIN $2") in
		*'(WarpAgg)'*) where='the WarpAgg node' ;;
	esac
	ours=$(sed -n 1p <<<"$times" | tr ' ' '\n' | sed '/^$/d' | wa_median)
	built_in=$(sed -n 2p <<<"$times" | tr ' ' '\n' | sed '/^$/d' | wa_median)
	awk -v l="$label" -v a="$ours" -v b="$built_in" -v w="$where" 'BEGIN {
		printf "%-28s %19.2f ms %19.2f ms %7.2fx  %s\n", l, a, b, a / b, w }'
}

# Times the main query and a few more, with the settings that a user has.
time_queries()
{
	printf '%-28s %22s %22s %8s  %s\n' query 'warpagg (gpu_...)' PostgreSQL ratio 'computed by'
	time_query 'sum(delay), min(delay)' \
		'SELECT gpu_sum(delay), gpu_min(delay) FROM flights' \
		'SELECT sum(delay), min(delay) FROM flights'
	time_query 'sum(distance::int8)' \
		'SELECT gpu_sum(distance::int8) FROM flights' \
		'SELECT sum(distance::int8) FROM flights'
	time_query 'sum(delay::float8)' \
		'SELECT gpu_sum(delay::float8) FROM flights' \
		'SELECT sum(delay::float8) FROM flights'
	time_query 'avg, count, stddev(delay)' \
		'SELECT gpu_avg(delay), gpu_count(delay), gpu_stddev(delay) FROM flights' \
		'SELECT avg(delay), count(delay), stddev(delay) FROM flights'
	time_query 'sum, min(delay) BY origin' \
		'SELECT origin, gpu_sum(delay), gpu_min(delay) FROM flights GROUP BY origin' \
		'SELECT origin, sum(delay), min(delay) FROM flights GROUP BY origin'
	time_query 'moving average of 100' \
		'SELECT max(a) FROM (SELECT gpu_avg(delay) OVER (ROWS 100 PRECEDING) AS a FROM flights LIMIT 100000) AS f' \
		'SELECT max(a) FROM (SELECT avg(delay) OVER (ROWS 100 PRECEDING) AS a FROM flights LIMIT 100000) AS f'
}

# Says what reduced how much, from the server's own counters.
show_device()
{
	local runs
	local rows

	IFS='|' read -r runs rows <<<"$(wa_psql -c "
		SELECT coalesce(sum(runs), 0), coalesce(sum(rows), 0)
		FROM warpagg_reductions WHERE device = '$KIND'")"
	wa_note "device used: $NAME ($KIND), $runs reductions of $rows values"
	if [ "$runs" -eq 0 ]; then
		wa_psql -P format=aligned -x -c 'SELECT * FROM warpagg_stats'
		wa_die "the device did none of the work"
	fi
}

# Says what to do next.
show_way_on()
{
	title 'How to go on'
	cat <<TEXT
The demo's server is gone when this script ends.  To use warpagg on a server of
your own:
    sudo make install PG_CONFIG=$PG_CONFIG
    psql -c 'CREATE EXTENSION warpagg'
    psql -c 'SELECT gpu_sum(COLUMN), gpu_min(COLUMN) FROM TABLE'
No restart and no setting is needed.  README.md has the functions, types,
settings and limits; \`make test\` runs the tests;
\`make demo DATA=FILE.csv.xz\` runs this demo on more rows.
TEXT
}

[ -r "$DATA" ] || wa_die "cannot read DATA, \"$DATA\""
wa_install_deps build
wa_find_postgres
wa_build_install
wa_begin
title 'Set-up'
# PostgreSQL's own aggregates are what ours are compared with.
wa_cluster_start demo "shared_buffers = '$(shared_buffers)'" \
	"warpagg.device = '$DEVICE'" "warpagg.accelerate = off"
wa_note "server        $("$PG_CONFIG" --version), throw-away, user $WA_USER"
load_flights
start_warpagg

# For the results, everything goes to the device, small or not.
export PGOPTIONS='-c warpagg.min_device_rows=0'
title 'SELECT gpu_sum(delay), gpu_min(delay) FROM flights'
wa_note "warpagg:    $(wa_psql -F ', ' -c 'SELECT gpu_sum(delay), gpu_min(delay) FROM flights')"
wa_note "PostgreSQL: $(wa_psql -F ', ' -c 'SELECT sum(delay), min(delay) FROM flights')"

title 'Results'
compare_results
compare_groups
show_device
unset PGOPTIONS

title "Times: median of $RUNS runs, alternating in one session"
time_queries

title 'Verdict'
if [ "$DIFFERENT" -ne 0 ]; then
	wa_note "NOT EQUAL: $DIFFERENT results differ"
	exit 1
fi
wa_note "equal: all results are the built-in aggregates'"
show_way_on
