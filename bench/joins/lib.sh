# shellcheck shell=bash
# lib.sh
#	  The benchmarks of joins, bench/ssb.sh and bench/tpch.sh: makes the tables of a
#	  benchmark, and times its queries by PostgreSQL's plans and by ours.
#
# What a benchmark has is in a folder of its own: schema.sql makes its tables, TABLE_rows.sql
# fills one (bench/scan has lineitem), keys.sql adds keys and indexes, NAME_queries.sql has
# the queries, as those of bench/scan are written, where {sf} is the scale factor.
#
# Both sides of a query run once under a time limit, with the same results, or the
# script ends: text for text, or as a set of rows where a query is the user's, whose order
# may leave open which of some comes first.  A query that takes longer is left out.  The
# sides then take turns in one session.
#
# Variables of the caller:
#	JOINS_NAME		the benchmark's folder below bench, and the name of its queries' file
#	JOINS_TITLE		the report's title
#	JOINS_TABLES	its tables, in the order in which they are filled
#	JOINS_MB		megabytes that they take at scale factor 1, with indexes
#
# Variables of the user:
#	SF				scale factor (default 1; 0.01 at least)
#	QUERIES			names of queries to measure, in this order (default: all)
#	QUERIES_DIR		a folder with further queries, a file *.sql for each, which are
#					measured as given_FILE
#	RESIDENT		yes (default): the tables are loaded first; no: they are in the heap alone
#	LOAD_COLUMNS	all columns (default), or needed: those that the queries name
#	BENCH_RUNS		timed runs of each side (default 5)
#	BENCH_CHANGE	a statement before each of these, which is not timed: an UPDATE, as of a table
#					that is written to (default: none)
#	BENCH_SHIFT		yes: the dates in queries are a day later in each run, as those of a
#					dashboard that moves on: nobody has asked for the same before (default: none)
#	TIMEOUT			seconds that a query may take on a side when it is first run, or it is
#					left out (default 60)
#	PROCESSES		of a query on both sides, and to make the tables (default: as many as
#					there are processors)
#	LOADERS			processes of a load (default: PROCESSES)
#	VALIDATE		yes: look whether all foreign keys hold (default no)
#	WORK_MEM		work_mem, on both sides (default 64MB)
#	SHARED_BUFFERS	of the throw-away server (default: a quarter of memory, at
#					most 16 GB)
#	MEMORY_LIMIT	warpagg.memory_limit (default 0: a quarter of memory)
#	SETTINGS		further lines for postgresql.conf, apart by semicolons
#	WA_DEVICE		warpagg.device (default auto)

# shellcheck source=bench/scan/time.sh
. "$WA_ROOT/bench/scan/time.sh"

SF=${SF:-1}
QUERIES_DIR=${QUERIES_DIR:-}
RESIDENT=${RESIDENT:-yes}
LOAD_COLUMNS=${LOAD_COLUMNS:-all}
BENCH_RUNS=${BENCH_RUNS:-5}
BENCH_CHANGE=${BENCH_CHANGE:-}
BENCH_SHIFT=${BENCH_SHIFT:-}
TIMEOUT=${TIMEOUT:-60}
PROCESSES=${PROCESSES:-$(nproc)}
LOADERS=${LOADERS:-$PROCESSES}
VALIDATE=${VALIDATE:-no}
WORK_MEM=${WORK_MEM:-64MB}
SETTINGS=${SETTINGS:-}
JOINS_DIR=$WA_ROOT/bench/$JOINS_NAME

# The queries that are measured, and what is said of those that are left out.
MEASURED=()
LEFT_OUT=

#
# Queries
#

# Prints a query of the user's, from standard input, without comments and with one
# semicolon.  Fails if it is more than one statement.
joins_plain_query()
{
	awk -v quote="'" '{
			for (i = 1; i <= length($0); i++) {
				c = substr($0, i, 1)
				if (!quoted && substr($0, i, 2) == "--")
					break
				if (c == quote)
					quoted = !quoted
				if (!quoted && c == ";")
					ended = 1
				else if (ended && c !~ /[[:space:]]/)
					more = 1
				else
					text = text c
			}
			text = text "\n"
		}
		END {
			sub(/[[:space:]]*$/, "", text)
			print text ";"
			exit more || text !~ /[[:alpha:]]/
		}'
}

# Has the queries be those of the benchmark, and the user's.
joins_take_queries()
{
	local file
	local name

	SCAN_DIR=$WA_TMP/queries
	mkdir "$SCAN_DIR"
	sed "s/{sf}/$SF/g" "$JOINS_DIR/${JOINS_NAME}_queries.sql" >"$SCAN_DIR/${JOINS_NAME}_queries.sql"
	for file in ${QUERIES_DIR:+"$QUERIES_DIR"/*.sql}; do
		[ -r "$file" ] || wa_die "there is no query in $QUERIES_DIR"
		name=$(basename "$file" .sql | tr '[:upper:]' '[:lower:]' | tr -c 'a-z0-9\n' _)
		printf '\n-- name: given_%s\n' "$name"
		joins_plain_query <"$file" || wa_die "$file is not one query"
	done >>"$SCAN_DIR/${JOINS_NAME}_queries.sql"
	for name in ${QUERIES:-}; do
		scan_query "$name" >/dev/null
	done
}

#
# Tables
#

# Has each statement that a query returns be run.
joins_run_each()
{
	wa_psql -f - <<<"$1 \\gexec"
}

# Makes the tables, with keys, indexes and statistics.
joins_make_tables()
{
	local table

	wa_psql -f - <"$JOINS_DIR/schema.sql"
	for table in $JOINS_TABLES; do
		if [ -r "$JOINS_DIR/${table}_rows.sql" ]; then
			SCAN_DIR=$JOINS_DIR scan_fill_rows "$table" "sf=$SF" "$PROCESSES"
		else
			SCAN_DIR=$WA_ROOT/bench/scan scan_fill_table "$table" "sf=$SF" "$PROCESSES"
		fi
	done
	wa_psql -c "SET maintenance_work_mem = '512MB'" \
		-c "SET max_parallel_maintenance_workers = $((PROCESSES - 1))" -f - <"$JOINS_DIR/keys.sql"
	joins_vacuum
	[ "$VALIDATE" != yes ] || joins_run_each "SELECT format('ALTER TABLE %s VALIDATE CONSTRAINT %I',
		conrelid::regclass, conname) FROM pg_constraint WHERE contype = 'f'"
}

# Has all tables vacuumed at the same time, and read by as many processes as there are,
# but for small ones.
joins_vacuum()
{
	local table
	local processes=()

	for table in $JOINS_TABLES; do
		scan_vacuum "$table" "$PROCESSES" &
		processes+=($!)
	done
	scan_wait "${processes[@]}"
	joins_run_each "SELECT format('ALTER TABLE %s SET (parallel_workers = $((PROCESSES - 1)))',
			oid::regclass)
		FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
			AND pg_relation_size(oid) >=
				pg_size_bytes(current_setting('min_parallel_table_scan_size'))"
}

# Loads all tables and prints the milliseconds that it took.
joins_load_tables()
{
	local table
	local columns=

	for table in $JOINS_TABLES; do
		if [ "$LOAD_COLUMNS" = needed ]; then
			columns=$(scan_needed_columns "$table" "$JOINS_NAME")
			[ -n "$columns" ] || continue
		fi
		scan_load_table "$table" "$columns"
	done | awk '{ sum += $1 } END { printf "%.0f\n", sum }'
}

#
# Measuring
#

# Runs a query once on a side and writes its results to a file.  Returns 1 if it takes too
# long; ends the script if it fails.  Arguments: its name, off or on.
joins_run_once()
{
	wa_psql -c "$(scan_session_setup "$PROCESSES"); SET statement_timeout = '${TIMEOUT}s'" \
		-c "$(scan_side "$2")" -c "$(scan_query "$1")" \
		>"$WA_TMP/$2.out" 2>"$WA_TMP/error.out" && return
	grep -q 'due to statement timeout' "$WA_TMP/error.out" ||
		wa_die "$1 fails: $(cat "$WA_TMP/error.out")"
	return 1
}

# Says whether the results of both sides of a query agree.
joins_agree()
{
	local side

	if [[ $1 == given_* ]]; then
		for side in off on; do
			LC_ALL=C sort -o "$WA_TMP/$side.out" "$WA_TMP/$side.out"
		done
	fi
	scan_diff off.out on.out >&2
}

# Runs both sides of all queries once: those that are not left out, and have the same
# results, are to be measured.
joins_check_queries()
{
	local name

	for name in $(scan_timed_names "$JOINS_NAME"); do
		if ! joins_run_once "$name" off; then
			LEFT_OUT+="${LEFT_OUT:+, }$name (PostgreSQL's plan)"
		elif ! joins_run_once "$name" on; then
			LEFT_OUT+="${LEFT_OUT:+, }$name (ours)"
		else
			joins_agree "$name" || wa_die "results of $name differ"
			MEASURED+=("$name $(wc -l <"$WA_TMP/on.out")")
		fi
	done
	[ ${#MEASURED[@]} -gt 0 ] || wa_die 'no query is left to measure'
}

# Prints whether our plan of a query has the node, and what keeps other levels from it.
joins_plan()
{
	local setup
	local query
	local plan=PostgreSQL
	local reasons

	setup="$(scan_session_setup "$PROCESSES"); $(scan_side on)"
	query=$(scan_query "$1")
	wa_psql -c "$setup" -c "EXPLAIN $query" >"$WA_TMP/plan.out"
	! grep -qF 'Custom Scan (WarpAgg)' "$WA_TMP/plan.out" || plan=WarpAgg
	reasons=$(wa_psql -c "$setup" -c "SELECT string_agg(DISTINCT reason, '; ')
		FROM warpagg_explain(\$query\$$query\$query\$) WHERE NOT used")
	echo "$plan${reasons:+: $reasons}"
}

# Prints milliseconds: a query's, as the first one of a session, of ours; then, of its next
# run there, those that planning takes, and those that the device process does.
joins_details()
{
	local query

	query=$(scan_query "$1")
	wa_psql -f - <<SQL | awk '/^Time:/ { first = $2 }
		/Planning Time:/ { planned = $(NF - 1) }
		/Resident Time:/ { device += $(NF - 1) }
		END { printf "%.2f %.2f %.2f", first, planned, device }'
$(scan_session_setup "$PROCESSES"); $(scan_side on);
\\o /dev/null
\\timing on
$query;
\\timing off
\\o
EXPLAIN (ANALYZE) $query;
SQL
}

# Times a query and prints its line of the table; adds the medians of both sides to
# times.out, with whether the node is there.  Arguments: its name, how many rows it has.
joins_measure()
{
	local times
	local plan
	local medians
	local details

	times=$(scan_time_sides "$(scan_query "$1")" "$(scan_session_setup "$PROCESSES")" off on)
	medians="$(scan_median_of "$(sed -n 1p <<<"$times")") $(scan_median_of "$(sed -n 2p <<<"$times")")"
	plan=$(joins_plan "$1")
	details=$(joins_details "$1")
	echo "$medians ${plan%%:*}" >>"$WA_TMP/times.out"
	awk -v name="$1" -v rows="$2" -v plan="$plan" '{
		printf "| %s | %d | %.2f | %.2f | %.2f | %s | %s | %s | %s |\n",
			name, rows, $1, $2, $1 / $2, $3, $4, $5, plan }' \
		<<<"$medians $details"
}

# Prints what all queries come to.
joins_summary()
{
	awk '{ print $1 / $2 }' "$WA_TMP/times.out" | sort -g |
		awk -v times="$(awk '{ off += $1; on += $2; nodes += $3 == "WarpAgg" }
				END { printf "PostgreSQL %.0f ms, ours %.0f ms; %d of %d have the node", off, on, nodes, NR }' \
			"$WA_TMP/times.out")" '{ v[NR] = $1 }
			END { printf "\nAll queries: times as fast %.2f at the median, %.2f at least, %.2f at most; together %s.\n",
				(v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2, v[1], v[NR], times }'
}

#
# The report
#

# Prints the header of the report: when, what, where.  Arguments: seconds that the tables
# took to make, and milliseconds to load.
joins_header()
{
	local table

	cat <<TEXT
# $JOINS_TITLE

$(bench_environment)
| further settings | work_mem $WORK_MEM on both sides, warpagg.accelerate exact, $LOADERS processes load, warpagg.memory_limit $(wa_psql -c 'SHOW warpagg.memory_limit')${SETTINGS:+, ${SETTINGS//;/, }} |
| tables | scale factor $SF, own generator, made in $1 s$(for table in $JOINS_TABLES; do
		printf '; %s %s' "$table" "$(scan_table_size "$table")"
	done) |
| resident | $([ "$RESIDENT" = yes ] && echo "$LOAD_COLUMNS columns, loaded in $2 ms" || echo no) |
| made by | bench/$JOINS_NAME.sh, SF=$SF QUERIES="${QUERIES:-}" RESIDENT=$RESIDENT LOAD_COLUMNS=$LOAD_COLUMNS BENCH_RUNS=$BENCH_RUNS${BENCH_CHANGE:+ BENCH_CHANGE=\"$BENCH_CHANGE\"}${BENCH_SHIFT:+ BENCH_SHIFT=$BENCH_SHIFT} TIMEOUT=$TIMEOUT PROCESSES=$PROCESSES LOADERS=$LOADERS SETTINGS="$SETTINGS" |
| queries | those of bench/$JOINS_NAME/${JOINS_NAME}_queries.sql${QUERIES_DIR:+, and given ones} |
| left out, as they take more than $TIMEOUT s | ${LEFT_OUT:-none} |
| method | medians of $BENCH_RUNS runs of each side in one session, by turns, after $WARM_UPS warm-ups${BENCH_CHANGE:+, each after a change}${BENCH_SHIFT:+, each with dates of its own}; results compared text for text${QUERIES_DIR:+, those of given queries as sets of rows}; both sides have $PROCESSES processes |

"First" is ours as the first query of a session, before which the server has run it. Of a later
run, "planned" says how long PostgreSQL and we took to plan it, and "device" how long the
device process took; "our plan" whether the node is there, and what keeps other levels of the
query from it.

| query | rows | PostgreSQL, ms | ours, ms | times as fast | first, ms | planned, ms | device, ms | our plan |
|---|---|---|---|---|---|---|---|---|
TEXT
}

# Prints the whole report.  Arguments: those of the header.
joins_report()
{
	local query

	joins_header "$@"
	for query in "${MEASURED[@]}"; do
		# shellcheck disable=SC2086 # a name and a number
		joins_measure $query
	done
	joins_summary
	bench_device_footer
}

# Makes the tables, loads them, measures the queries, and prints the report.  Argument: the
# file that it is written to as well, or "".
joins_main()
{
	local made
	local loaded=0

	awk -v sf="$SF" 'BEGIN { exit !(sf + 0 >= 0.01) }' || wa_die "SF is $SF, which is below 0.01"
	wa_begin
	joins_take_queries
	bench_need_disk "$(awk -v mb="$JOINS_MB" -v sf="$SF" 'BEGIN { print int(mb * sf) }')"
	scan_start_loading_server "$PROCESSES"
	made=$SECONDS
	joins_make_tables
	made=$((SECONDS - made))
	[ "$RESIDENT" != yes ] || loaded=$(joins_load_tables)
	joins_check_queries
	joins_report "$made" "$loaded" | bench_write_report "$1"
	scan_stop_server
}
