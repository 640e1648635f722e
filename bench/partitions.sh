#!/usr/bin/env bash
#
# partitions.sh
#	  The benchmark of queries over a table with partitions, beside the same rows in a
#	  table without, by PostgreSQL's own plans and by ours over resident columns: how
#	  long queries take, and how long it takes to plan them.  Prints Markdown tables and
#	  writes them to a file.
#
# Usage: bench/partitions.sh [FILE.md]
#
# The queries are those of bench/partitions.  The four ways of each take turns in one
# session, and must have the same results, text for text, or the script ends.  Medians
# of BENCH_RUNS runs after two warm-ups.
#
# Variables:
#	ROWS			of each of the two tables (default 5000000; 90 bytes of heap each)
#	PARTITIONS		how many there are, each number with a table of its own (default 24,
#					which are months; others are as long as each other: "24 100 1000")
#	QUERIES			names of queries to measure, in this order (default: all)
#	BENCH_RUNS		timed runs of each (default 11)
#	RIVAL_RUNS		of PostgreSQL's own plans (default BENCH_RUNS)
#	PROCESSES		of PostgreSQL's own plans, and to make the tables (default: as many
#					as there are processors)
#	LOADERS			processes of a load (default: PROCESSES)
#	WORK_MEM		work_mem, on both sides (default 64MB)
#	SHARED_BUFFERS	of the throw-away server (default: a quarter of memory, at
#					most 16 GB)
#	MEMORY_LIMIT	warpagg.memory_limit (default 0: a quarter of memory)
#	SETTINGS		further lines for postgresql.conf, apart by semicolons
#	WA_DEVICE		warpagg.device (default auto)

set -euo pipefail
shopt -s inherit_errexit
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../scripts/lib.sh"
# shellcheck source=bench/scan/time.sh
. "$(dirname "${BASH_SOURCE[0]}")/scan/time.sh"

OUT=${1:-}
ROWS=${ROWS:-5000000}
PARTITIONS=${PARTITIONS:-24}
BENCH_RUNS=${BENCH_RUNS:-11}
RIVAL_RUNS=${RIVAL_RUNS:-$BENCH_RUNS}
PROCESSES=${PROCESSES:-$(nproc)}
LOADERS=${LOADERS:-$PROCESSES}
WORK_MEM=${WORK_MEM:-64MB}
SETTINGS=${SETTINGS:-}
# The tables and queries of this benchmark, in place of bench/scan's.
SCAN_DIR=$WA_ROOT/bench/partitions
# Whose plan, and which table: the ways of a query.
WAYS=("off parts" "off whole" "on parts" "on whole")

# Prints the header of the report: when, what, where.
header()
{
	cat <<TEXT
# Tables with partitions

$(bench_environment)
| further settings | work_mem $WORK_MEM on both sides, warpagg.accelerate exact, $LOADERS processes load, warpagg.memory_limit $(wa_psql -c 'SHOW warpagg.memory_limit')${SETTINGS:+, ${SETTINGS//;/, }} |
| tables | $(scan_table_size whole), with partitions and without, all resident |
| made by | bench/partitions.sh, ROWS=$ROWS PARTITIONS="$PARTITIONS" QUERIES="${QUERIES:-}" BENCH_RUNS=$BENCH_RUNS PROCESSES=$PROCESSES LOADERS=$LOADERS SETTINGS="$SETTINGS" |
| method | medians of $BENCH_RUNS runs of each way in one session, by turns, after $WARM_UPS warm-ups; results of all four compared text for text; PostgreSQL's own plans have $PROCESSES processes |

TEXT
	query_texts
}

# Prints the queries.
query_texts()
{
	local name

	for name in $(scan_timed_names parts); do
		echo "- ${name//_/ }: \`$(scan_query "$name")\`"
	done
}

#
# Tables
#

# Makes the table without partitions.
make_whole()
{
	local processes=()
	local i

	bench_need_disk $((ROWS * 180 / 1000000))
	wa_psql -c 'SET client_min_messages = warning' -f - <"$SCAN_DIR/whole.sql"
	for ((i = 0; i < PROCESSES; i++)); do
		wa_psql -v rows="$ROWS" -v process="$i" -v processes="$PROCESSES" -f - \
			<"$SCAN_DIR/whole_rows.sql" &
		processes+=($!)
	done
	scan_wait "${processes[@]}"
	wa_psql -c "ALTER TABLE whole SET (parallel_workers = $((PROCESSES - 1)))"
	scan_vacuum whole "$PROCESSES"
}

# Copies the rows of the table without partitions to the other.
fill_parts()
{
	local blocks
	local processes=()
	local i

	blocks=$(wa_psql -c "SELECT pg_relation_size('whole') / current_setting('block_size')::int8")
	for ((i = 0; i < PROCESSES; i++)); do
		wa_psql -c "INSERT INTO parts SELECT * FROM whole
			WHERE ctid >= '($((blocks * i / PROCESSES)),0)'
			AND ctid < '($((blocks * (i + 1) / PROCESSES)),0)'" &
		processes+=($!)
	done
	scan_wait "${processes[@]}"
}

# Makes the table with so many partitions, which have the rows of the other.
make_parts()
{
	wa_psql -v partitions="$1" -f - <"$SCAN_DIR/parts.sql"
	fill_parts
	wa_psql -c "DO \$\$DECLARE part regclass; BEGIN
		FOR part IN SELECT inhrelid FROM pg_inherits WHERE inhparent = 'parts'::regclass LOOP
			EXECUTE format('ALTER TABLE %s SET (parallel_workers = $((PROCESSES - 1)))', part);
		END LOOP; END\$\$"
	scan_vacuum parts "$PROCESSES"
}

# Loads the columns of all partitions, by the name of their parent where that can be;
# prints the milliseconds that it took.
load_parts()
{
	wa_psql -c '\timing on' -c "SELECT warpagg_load('parts')" >"$WA_TMP/load.out" 2>/dev/null ||
		wa_psql -c '\timing on' -c "SELECT sum(warpagg_load(inhrelid::regclass)) FROM pg_inherits
			WHERE inhparent = 'parts'::regclass" >"$WA_TMP/load.out"
	awk '/^Time: / { print $2 }' "$WA_TMP/load.out"
}

#
# Queries
#

# Prints a query over a table.  Arguments: its name, the table, how many partitions.
query_over()
{
	local text
	local last

	text=$(scan_query "$1" | sed "s/\\bparts\\b/$2/g")
	for last in 1 2 12; do
		[[ $text != *"{$last}"* ]] || text=${text//"{$last}"/$(wa_psql -c \
			"SELECT parts_begin(greatest($3 - $last, 0), $3)")}
	done
	echo "$text"
}

# Writes the results of each way of a query to a file and ends the script unless they
# agree.  Arguments: its name, how many partitions.
check_ways()
{
	local way
	local side
	local table

	for way in "${WAYS[@]}"; do
		read -r side table <<<"$way"
		wa_psql -c "$(scan_session_setup "$PROCESSES")" -c "$(scan_side "$side")" \
			-c "$(query_over "$1" "$table" "$2")" >"$WA_TMP/$side.$table.out"
	done
	for way in "${WAYS[@]}"; do
		read -r side table <<<"$way"
		scan_diff off.whole.out "$side.$table.out" >&2 ||
			wa_die "results of $1 differ: $way"
	done
}

# Print how often a side is run, and how often before that: where PostgreSQL's own plans
# are run less often than ours, which is for queries that take long, it is warm enough.
runs_of()
{
	[ "$1" = on ] && echo "$BENCH_RUNS" || echo "$RIVAL_RUNS"
}
warm_ups_of()
{
	[ "$(runs_of "$1")" -ge "$BENCH_RUNS" ] && echo "$WARM_UPS" || echo 0
}

# Prints the statements of a session in which the ways of a query take turns.
# Arguments: its name, how many partitions, what comes before each, then statements
# before and after it.
turns()
{
	local way
	local side
	local table
	local i
	declare -A texts

	for table in parts whole; do
		texts[$table]=$(query_over "$1" "$table" "$2")
	done
	printf '%s;\n' "$(scan_session_setup "$PROCESSES")"
	for ((i = 0; i < BENCH_RUNS + WARM_UPS; i++)); do
		for way in "${WAYS[@]}"; do
			read -r side table <<<"$way"
			((i < $(runs_of "$side") + $(warm_ups_of "$side"))) || continue
			printf '\\echo way %s\n%s;\n%s\n%s%s;\n%s\n' "${way// /_}" \
				"$(scan_side "$side")" "$4" "$3" "${texts[$table]}" "$5"
		done
	done
}

# Prints the medians of the ways, by lines on standard input that have a label and
# milliseconds, in turn.  Argument: the label.
medians_of_turns()
{
	local way

	cat >"$WA_TMP/turns.out"
	for way in "${WAYS[@]}"; do
		awk -v label="^ *$1: " -v way="${way// /_}" -v warm="$(warm_ups_of "${way% *}")" \
			'$1 == "way" { ours = $2 == way }
			ours && $0 ~ label && ++n > warm { sub(label, ""); print $1 }' \
			"$WA_TMP/turns.out" | wa_median
	done | paste -sd ' '
}

# Prints blocks that our plan over the partitions takes: resident ones, and those of
# the heap.  Arguments: the query's name, how many partitions.
blocks_of_ours()
{
	scan_explain on "$(query_over "$1" parts "$2")" "$(scan_session_setup "$PROCESSES")"
	awk '/Resident Blocks:/ { resident += $NF } /Blocks Read:/ { heap += $NF }
		/\(WarpAgg\)/ { node = 1 }
		END { print node ? (resident + 0) " | " (heap + 0) : "- | all, by PostgreSQL" }' \
		"$WA_TMP/plan.out"
}

# Checks and times a query and prints its line of the table.  Arguments: its name, how
# many partitions.
measure_query()
{
	local times
	local executed
	local plans

	check_ways "$@"
	times=$(turns "$@" '' '\timing on' '\timing off' | wa_psql | medians_of_turns Time)
	executed=$(
		WAYS=("on parts" "on whole")
		turns "$@" 'PREPARE query AS ' \
			'SET plan_cache_mode = force_generic_plan; DEALLOCATE ALL;' \
			$'EXECUTE query;\n\\timing on\nEXECUTE query;\n\\timing off' | wa_psql |
			medians_of_turns Time
	)
	plans=$(
		RIVAL_RUNS=$BENCH_RUNS
		turns "$@" 'EXPLAIN (SUMMARY, COSTS OFF) ' '' '' | wa_psql |
			medians_of_turns 'Planning Time'
	)
	awk -v name="${1//_/ }" -v times="$times" -v executed="$executed" -v plans="$plans" \
		-v blocks="$(blocks_of_ours "$@")" 'BEGIN {
			split(times, t, " "); split(executed, e, " "); split(plans, p, " ")
			printf "| %s | %.2f | %.2f | %.2f | %.2f | %.1f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %s |\n",
				name, t[1], t[2], t[3], t[4], t[1] / t[3], t[3] / t[4],
				e[1], e[2], e[1] / e[2], p[1], p[3], p[4], p[3] / p[1], blocks }'
}

# Prints the table of so many partitions.
report_parts()
{
	local start=$SECONDS
	local made
	local loaded
	local name

	make_parts "$1"
	made=$((SECONDS - start))
	loaded=$(load_parts)
	cat <<TEXT

## $1 partitions

Made in $made s, loaded in $loaded ms; the table without partitions was loaded in $WHOLE_MS ms.
Milliseconds; "times as fast" is ours with partitions beside PostgreSQL's with partitions,
"beside one table" ours with partitions as a multiple of ours without.  "Executed" are
prepared statements whose plan is there; "planned" is as EXPLAIN has it, the ratio ours
with partitions as a multiple of PostgreSQL's.

| query | PostgreSQL, partitions | one table | ours, partitions | one table | times as fast | beside one table | executed, ours, partitions | one table | beside one table | planned, PostgreSQL, partitions | ours, partitions | one table | ratio | resident blocks | blocks of the heap |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
TEXT
	for name in $(scan_timed_names parts); do
		measure_query "$name" "$1"
	done
}

# Prints the whole report.
report()
{
	local count

	header
	for count in $PARTITIONS; do
		report_parts "$count"
	done
	bench_device_footer
}

wa_begin
scan_start_loading_server "$PROCESSES" "timezone = 'UTC'" "max_locks_per_transaction = 256"
make_whole
WHOLE_MS=$(scan_load_table whole)
report | bench_write_report "$OUT"
scan_stop_server
