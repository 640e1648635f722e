# shellcheck shell=bash
# lib.sh
#	  Tables and queries of the scan benchmark, and whether both sides of a query
#	  agree: warpagg.enable_scan on and off.  Source it after scripts/lib.sh.
#
# The queries are those of *_queries.sql in this folder: each stands below a line
# "-- name: NAME".  Their ORDER BY leaves nothing open.
#
# Variable: COLUMNS_OF, needed: tables whose files allow it (hits) have the columns alone that
# the queries over them name, of those of QUERIES if that is set.

SCAN_DIR=$WA_ROOT/bench/scan

# Makes a table; arguments: its name, a psql variable as NAME=VALUE, and how many
# processes insert (default 1).
scan_make_table()
{
	scan_fill_table "$@"
	scan_vacuum "$1" "${3:-1}"
}

# The same without making its blocks all-visible.
scan_fill_table()
{
	local define

	define=(wa_psql -c 'SET client_min_messages = warning')
	"${define[@]}" -f - <"$SCAN_DIR/$1.sql"
	[ "${COLUMNS_OF:-}" != needed ] ||
		"${define[@]}" -v columns="$(scan_needed_columns "$1")" -f - <"$SCAN_DIR/$1.sql"
	scan_fill_rows "$@"
}

# Inserts the rows of a table that is there; arguments as above.
scan_fill_rows()
{
	local count=${3:-1}
	local processes=()
	local i

	for ((i = 0; i < count; i++)); do
		wa_psql -v "$2" -v process="$i" -v processes="$count" -f - \
			< <(cat "$WA_ROOT/bench/scan/draw.sql" "$SCAN_DIR/${1}_rows.sql") &
		processes+=($!)
	done
	scan_wait "${processes[@]}"
}

# Waits for processes, all of which have to succeed.
scan_wait()
{
	local process

	for process in "$@"; do
		wait "$process" || wa_die 'a table could not be made'
	done
}

# Makes the blocks of a table all-visible.  Arguments: the table, and how many
# processes look up what has committed, before VACUUM sees to the rest alone.  It
# freezes nothing, which would take it three times as long, but waits for blocks
# that others read or write.
scan_vacuum()
{
	wa_psql -c "SET max_parallel_workers_per_gather = $((${2:-1} - 1))" \
		-c 'SET min_parallel_table_scan_size = 0' -c "$(scan_side off)" \
		-c "SELECT count(*) FROM $1" >/dev/null
	wa_psql -c "VACUUM (DISABLE_PAGE_SKIPPING, ANALYZE) $1"
}

# Loads the flights in a .csv.xz file, as the demo does.
scan_load_flights()
{
	wa_psql -c 'CREATE TABLE flights (date timestamp, delay int, distance int,
		origin text, destination text)'
	xz -dc -- "$1" | wa_psql -c 'COPY flights FROM STDIN (FORMAT csv, HEADER)'
	wa_psql -c 'VACUUM (FREEZE, ANALYZE) flights'
}

# Changes a tenth of the readings; what is left behind is not vacuumed.
scan_update_readings()
{
	wa_psql -c 'UPDATE readings SET v = v + 1 WHERE k < 10'
}

# Prints the names of the queries over a table.
scan_names()
{
	sed -nE 's/^-- name: ([a-z0-9_]+).*/\1/p' "$SCAN_DIR/$1_queries.sql"
}

# Prints the names of the queries over a table that are to be timed, in the order
# of QUERIES if that is set.
scan_timed_names()
{
	local known
	local name

	known=" $(scan_names "$1" | paste -sd ' ') "
	for name in ${QUERIES:-$known}; do
		[[ $known != *" $name "* ]] || echo "$name"
	done
}

# Prints, as the text of an array, the columns of a table that queries to be timed name.
# Arguments: the table, and what the queries are named for (default: it).
scan_needed_columns()
{
	local name

	for name in $(scan_timed_names "${2:-$1}"); do
		scan_query "$name"
	done >"$WA_TMP/queries.txt"
	wa_psql -v text="$(cat "$WA_TMP/queries.txt")" -f - <<SQL
SELECT array_agg(attname ORDER BY attnum) FROM pg_attribute
	WHERE attrelid = '$1'::regclass AND attnum > 0
		AND :'text' ~* ('\\m' || attname || '\\M');
SQL
}

# Prints the text of a query in one line, without its semicolon.
scan_query()
{
	local text

	text=$(awk -v name="$1" '/^-- name: / { found = $3 == name; next }
			found { printf "%s ", $0 } /;$/ { found = 0 }' "$SCAN_DIR"/*_queries.sql |
		tr -s ' \t' ' ' | sed -E 's/^ //; s/ *; *$//')
	[ -n "$text" ] || wa_die "no query \"$1\""
	echo "$text"
}

# Prints the settings of a side: "on", ours, or "off", the built-in aggregates in
# PostgreSQL's own plan.
scan_side()
{
	local accelerate=off

	[ "$1" = off ] || accelerate=exact
	echo "SET warpagg.enable_scan = $1; SET warpagg.accelerate = $accelerate"
}

# Says whether the text of a query leaves open in which order its rows come, or which of them
# its LIMIT takes.
scan_is_open()
{
	! grep -qiE ' ORDER BY [^()]*$' <<<"$1"
}

# Writes the results of a query on a side to a file, text for text, or as a set, before its LIMIT,
# if it leaves open what comes first; prints the milliseconds.  Fails if the query does.  Arguments:
# side, file, query, set-up.
scan_time_results()
{
	local query=$3

	! scan_is_open "$3" || query=$(scan_unlimited "$3")
	wa_psql ${4:+-c "$4"} -c "$(scan_side "$1")" -c '\timing on' -c "$query" \
		>"$WA_TMP/once.out" || return
	sed '/^Time: /d' "$WA_TMP/once.out" >"$WA_TMP/$2"
	! scan_is_open "$3" || LC_ALL=C sort -o "$WA_TMP/$2" "$WA_TMP/$2"
	awk '/^Time: / { time = $2 } END { print time }' "$WA_TMP/once.out"
}

# The same without printing; arguments as above.
scan_results()
{
	scan_time_results "$@" >/dev/null
}

# Says whether a query gets the node.
scan_has_node()
{
	wa_psql -c "$(scan_side on)" -c "EXPLAIN $(scan_query "$1")" >"$WA_TMP/plan.out" &&
		grep -qF '(WarpAgg)' "$WA_TMP/plan.out"
}

# Says whether both sides of a query have the same results, and shows where they differ.
scan_same()
{
	local query

	query=$(scan_query "$1")
	scan_same_text "$query" "$query"
}

# Prints a query without its limit.
scan_unlimited()
{
	sed -E 's/ LIMIT [0-9]+( OFFSET [0-9]+)?$//' <<<"$1"
}

# Compares two queries, the first with the node and the second without; returns 0 if the results
# are the same, 1 if they differ, 2 if a query fails.  Where it is open which rows a LIMIT takes,
# those it takes have to be among all of the other query's.
scan_same_text()
{
	scan_results on on.out "$1" && scan_results off off.out "$2" || return 2
	scan_diff on.out off.out || return
	! scan_takes_any "$1" || scan_took_some "$@"
}

# Says whether it is open which rows a query's LIMIT takes.
scan_takes_any()
{
	[ "$1" != "$(scan_unlimited "$1")" ] && scan_is_open "$1"
}

# Says whether the rows that the first query takes with the node are as many as the second does
# without, and among all of those, which are in off.out.
scan_took_some()
{
	wa_psql -c "$(scan_side on)" -c "$1" | LC_ALL=C sort >"$WA_TMP/limited.out"
	[ "$(LC_ALL=C comm -23 "$WA_TMP/limited.out" "$WA_TMP/off.out" | wc -l)" -eq 0 ] &&
		[ "$(wc -l <"$WA_TMP/limited.out")" -eq "$(
			wa_psql -c "$(scan_side off)" -c "$2" | wc -l)" ]
}

# Says whether two files of $WA_TMP are the same; shows the first differences.
scan_diff()
{
	cmp -s "$WA_TMP/$1" "$WA_TMP/$2" && return
	diff "$WA_TMP/$1" "$WA_TMP/$2" | head -n 10
	return 1
}
