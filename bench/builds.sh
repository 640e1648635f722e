#!/usr/bin/env bash
#
# builds.sh
#	  Two builds of the extension beside each other: queries over the heap and over
#	  resident columns, loads, and short queries a second.  Tells whether a change
#	  has made anything slower.  Prints a Markdown table and writes it to a file.
#
# Usage: OLD_PG_CONFIG=... bench/builds.sh [FILE]
#
# The other build is installed in a PostgreSQL of its own: Debian's finds its files
# relative to its programs, so a copy of its folders will do.  Both have a server;
# the tables and queries are those of bench/scan.sh and must have the same results,
# text for text.  Each query is run ROUNDS times in turns, old and new, each time
# in a session of its own with BENCH_RUNS runs after two warm-ups; medians of all
# these are given, and for each part the geometric mean of the ratios.
#
# Variables:
#	OLD_PG_CONFIG	pg_config of the PostgreSQL with the other build
#	OLD_COMMIT		what the report calls it (default "old")
#	TABLES, QUERIES, BENCH_ROWS, TPCH_SF, HITS_ROWS, PROCESSES, WORK_MEM, WA_DEVICE
#					see bench/scan.sh
#	PARTS			what to measure (default "heap loads resident connections")
#	BENCH_RUNS		timed runs in a session (default 5)
#	ROUNDS			sessions for each build (default 4)
#	LOADS			timed loads of each table, for each build (default 5)
#	BENCH_SECONDS	of short queries, for each build and round (default 3)
#	SHARED_BUFFERS	of each server (default 2GB)

set -euo pipefail
shopt -s inherit_errexit
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../scripts/lib.sh"
# shellcheck source=bench/scan/time.sh
. "$(dirname "${BASH_SOURCE[0]}")/scan/time.sh"

OUT=${1:-}
OLD_COMMIT=${OLD_COMMIT:-old}
BENCH_ROWS=${BENCH_ROWS:-8000000}
TPCH_SF=${TPCH_SF:-1}
HITS_ROWS=${HITS_ROWS:-1000000}
PROCESSES=${PROCESSES:-1 2}
PARTS=${PARTS:-heap loads resident connections}
BENCH_RUNS=${BENCH_RUNS:-5}
ROUNDS=${ROUNDS:-4}
LOADS=${LOADS:-5}
BENCH_SECONDS=${BENCH_SECONDS:-3}
WORK_MEM=${WORK_MEM:-64MB}
SHARED_BUFFERS=${SHARED_BUFFERS:-2GB}
MOST=$(tr ' ' '\n' <<<"$PROCESSES" | sort -n | tail -n 1)

# Says whether a part is to be measured.
has_part()
{
	[[ " $PARTS " == *" $1 "* ]]
}

# Makes a build the one that programs are run of, and its server the one they ask.
use_build()
{
	if [ "$1" = old ]; then
		WA_BINDIR=$OLD_BINDIR
		export PGPORT=5433
	else
		WA_BINDIR=$NEW_BINDIR
		export PGPORT=5432
	fi
}

# Starts the server of a build and makes the tables.
start_build()
{
	local log=$WA_TMP/$1.server.log

	use_build "$1"
	wa_cluster_start "$1" "port = $PGPORT" "shared_preload_libraries = 'warpagg'" \
		"shared_buffers = '$SHARED_BUFFERS'" "work_mem = '$WORK_MEM'" \
		"autovacuum = off" "jit = off" "max_worker_processes = $((MOST + 8))" \
		"max_parallel_workers = $MOST" "bgwriter_lru_maxpages = 0" \
		"warpagg.load_workers = $((MOST - 1))" \
		"warpagg.device = '${WA_DEVICE:-auto}'"
	use_build "$1" # wa_cluster_start names the port itself
	wa_psql -c 'CREATE EXTENSION warpagg'
	wa_wait_device 60 >/dev/null || wa_die "the device process did not get ready: see $log"
	scan_make_tables "$BENCH_ROWS" "$TPCH_SF" "$HITS_ROWS" "$MOST" >&2
}

# Adds a line to the table.  Arguments: part, label, file of the old build's times,
# file of the new one's; whether more is better (1) or less (0).
print_line()
{
	local old
	local new

	old=$(wa_median <"$3")
	new=$(wa_median <"$4")
	awk -v part="$1" -v l="$2" -v o="$old" -v n="$new" -v more="$5" -v all="$WA_TMP/ratios" 'BEGIN {
		ratio = more ? o / n : n / o
		printf "| %s | %s | %.3f | %.3f | %.3f |\n", part, l, o, n, ratio
		print part, ratio >>all }'
}

# Prints the builds in the order of a turn: whichever is second finds memory that the
# first has just given back, so they change places.
in_turn()
{
	if (($1 % 2 == 0)); then
		echo old new
	else
		echo new old
	fi
}

# Times a query with both builds.  Arguments: part, name, number of processes.
measure()
{
	local query
	local setup
	local build
	local i

	query=$(scan_query "$2")
	setup=$(scan_session_setup "$3")
	rm -f "$WA_TMP/old.ms" "$WA_TMP/new.ms"
	for build in old new; do
		use_build "$build"
		scan_set_processes "$3"
		scan_results on "$build.out" "$query" "$setup"
	done
	scan_diff new.out old.out >&2 || wa_die "results of $2 differ"
	for ((i = 0; i < ROUNDS; i++)); do
		for build in $(in_turn "$i"); do
			use_build "$build"
			scan_time_sides "$query" "$setup" on | tr ' ' '\n' | sed '/^$/d' >>"$WA_TMP/$build.ms"
		done
	done
	print_line "$1" "${2//_/ }, $3 processes" "$WA_TMP/old.ms" "$WA_TMP/new.ms" 0
}

# Times all queries with both builds.  Arguments: part, numbers of processes.
measure_all()
{
	local part=$1
	local table
	local name
	local count

	shift
	for table in $SCAN_TABLES; do
		for name in $(scan_timed_names "$table"); do
			for count in "$@"; do
				measure "$part" "$name" "$count"
			done
		done
	done
}

# Times loads of all columns of the tables with both builds, which leave them loaded.
measure_loads()
{
	local table
	local build
	local i

	for table in $SCAN_TABLES; do
		rm -f "$WA_TMP/old.ms" "$WA_TMP/new.ms"
		for ((i = 0; i <= LOADS; i++)); do
			for build in $(in_turn "$i"); do
				use_build "$build"
				wa_psql -c "SELECT warpagg_unload('$table')" >/dev/null
				scan_load_table "$table" >"$WA_TMP/load.ms"
				# The first load fills the buffers.
				[ "$i" -eq 0 ] || cat "$WA_TMP/load.ms" >>"$WA_TMP/$build.ms"
			done
		done
		! has_part loads || print_line loads "$table, all columns" "$WA_TMP/old.ms" "$WA_TMP/new.ms" 0
	done
}

# Times short queries of one connection and of several.
measure_connections()
{
	local count
	local build
	local i

	echo 'SELECT sum(v) FROM readings WHERE k = 7;' >"$WA_TMP/short.sql"
	chmod 644 "$WA_TMP/short.sql"
	for count in 1 8; do
		rm -f "$WA_TMP/old.tps" "$WA_TMP/new.tps"
		for ((i = 0; i < ROUNDS; i++)); do
			for build in $(in_turn "$i"); do
				use_build "$build"
				wa_as_user pgbench -n -M prepared -f "$WA_TMP/short.sql" -c "$count" \
					-j 1 -T "$BENCH_SECONDS" 2>"$WA_TMP/pgbench.err" |
					awk '/^tps = / { print $3 }' >>"$WA_TMP/$build.tps"
			done
		done
		print_line connections "queries a second, $count connections" "$WA_TMP/old.tps" \
			"$WA_TMP/new.tps" 1
	done
}

# Prints the whole report.
report()
{
	local processes

	read -r -a processes <<<"$PROCESSES"
	cat <<TEXT
# Two builds beside each other: $OLD_COMMIT and the present one

$(bench_environment)
| further settings | jit off, work_mem $WORK_MEM, warpagg.accelerate exact; a server for each build |
| made by | OLD_COMMIT=$OLD_COMMIT bench/builds.sh, TABLES="$SCAN_TABLES" QUERIES="${QUERIES:-}" PARTS="$PARTS" BENCH_ROWS=$BENCH_ROWS TPCH_SF=$TPCH_SF HITS_ROWS=$HITS_ROWS BENCH_RUNS=$BENCH_RUNS ROUNDS=$ROUNDS LOADS=$LOADS |
| method | medians of $ROUNDS sessions of $BENCH_RUNS runs for each build, in turns; results compared text for text; a quiet machine, autovacuum off, tables made by hand |

Times in ms, but for queries a second; a ratio above 1 means that the present build is slower.

| part | what | $OLD_COMMIT | present | ratio |
|---|---|---|---|---|
TEXT
	: >"$WA_TMP/ratios"
	! has_part heap || measure_all heap "${processes[@]}"
	if has_part loads || has_part resident || has_part connections; then
		measure_loads
	fi
	! has_part resident || measure_all resident "$MOST"
	! has_part connections || measure_connections
	printf '\n| part | geometric mean of the ratios | largest |\n|---|---|---|\n'
	awk '{ n[$1]++; s[$1] += log($2); if ($2 > m[$1]) m[$1] = $2 }
		END { for (p in n) printf "| %s | %.3f | %.3f |\n", p, exp(s[p] / n[p]), m[p] }' \
		"$WA_TMP/ratios"
}

[ -n "${OLD_PG_CONFIG:-}" ] || wa_die 'OLD_PG_CONFIG is to name the other build'
wa_begin
NEW_BINDIR=$WA_BINDIR
OLD_BINDIR=$("$OLD_PG_CONFIG" --bindir)
start_build old
start_build new
report | bench_write_report "$OUT"
