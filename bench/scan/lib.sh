# shellcheck shell=bash
# lib.sh
#	  Tables and queries of the scan benchmark, and whether both sides of a query
#	  agree: warpagg.enable_scan on and off.  Source it after scripts/lib.sh.
#
# The queries are those of *_queries.sql in this folder: each stands below a line
# "-- name: NAME", "-- name: NAME key=N" or "-- name: NAME key=N group=M,...".

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
	wa_psql -c 'SET client_min_messages = warning' -f - <"$SCAN_DIR/$1.sql"
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

# Prints the number of the column that the rows of a query are ordered by, if
# that leaves open which of several rows comes first.
scan_key()
{
	sed -nE "s/^-- name: $1 key=([0-9]+).*/\\1/p" "$SCAN_DIR"/*_queries.sql
}

# Prints the numbers of the first columns of a query that tell its groups apart.
scan_group()
{
	sed -nE "s/^-- name: $1 .*group=([0-9,]+)$/\\1/p" "$SCAN_DIR"/*_queries.sql
}

# Prints the settings of a side: "on", ours, or "off", the built-in aggregates in
# PostgreSQL's own plan.
scan_side()
{
	local accelerate=off

	[ "$1" = off ] || accelerate=exact
	echo "SET warpagg.enable_scan = $1; SET warpagg.accelerate = $accelerate"
}

# Writes the results of a query on a side to a file.  Arguments: side, file, query.
scan_results()
{
	wa_psql -c "$(scan_side "$1")" -c "$3" >"$WA_TMP/$2"
}

# Says whether a query gets the node.
scan_has_node()
{
	wa_psql -c "$(scan_side on)" -c "EXPLAIN $(scan_query "$1")" >"$WA_TMP/plan.out" &&
		grep -qF '(WarpAgg)' "$WA_TMP/plan.out"
}

# Says whether both sides of a query have the same results, text for text, and
# shows where they differ.
scan_same()
{
	local query

	query=$(scan_query "$1")
	scan_same_text "$query" "$query" "$(scan_key "$1")"
}

# Prints a query without its limit.
scan_unlimited()
{
	sed -E 's/ LIMIT [0-9]+( OFFSET [0-9]+)?$//' <<<"$1"
}

# Compares two queries, the first with the node and the second without; returns 0
# if the results are the same, 1 if they differ, 2 if a query fails.  The third
# argument is that of scan_key: where it is set, the rows that a LIMIT picks may
# differ as long as that column does not; all rows, before the limit, must be the
# same.
scan_same_text()
{
	local key=$3

	scan_results on on.out "$1" && scan_results off off.out "$2" || return 2
	if [ -z "$key" ]; then
		scan_diff on.out off.out
		return
	fi
	cut -d '|' -f "$key" "$WA_TMP/on.out" >"$WA_TMP/on.key"
	cut -d '|' -f "$key" "$WA_TMP/off.out" >"$WA_TMP/off.key"
	scan_results on on.all "$(scan_unlimited "$1")" &&
		scan_results off off.all "$(scan_unlimited "$2")" || return 2
	LC_ALL=C sort -o "$WA_TMP/on.all" "$WA_TMP/on.all"
	LC_ALL=C sort -o "$WA_TMP/off.all" "$WA_TMP/off.all"
	LC_ALL=C sort "$WA_TMP/on.out" | LC_ALL=C comm -23 - "$WA_TMP/off.all" >"$WA_TMP/on.only"
	: >"$WA_TMP/off.only"
	scan_diff on.key off.key && scan_diff on.all off.all && scan_diff on.only off.only
}

# Says whether the results of a query that are in two files of $WA_TMP agree, at the
# price of a scan where its LIMIT leaves open which of several groups come last:
# then the order must be the same, and each of our groups what the built-in makes
# of that group alone.  Arguments: name, our file, the built-in's, set-up.
scan_agree()
{
	local query
	local key
	local ours=$2

	query=$(scan_query "$1")
	key=$(scan_key "$1")
	if [ -z "$key" ]; then
		scan_diff "$ours" "$3"
		return
	fi
	cut -d '|' -f "$key" "$WA_TMP/$ours" >"$WA_TMP/on.key"
	cut -d '|' -f "$key" "$WA_TMP/$3" >"$WA_TMP/off.key"
	scan_diff on.key off.key || return
	LC_ALL=C sort -o "$WA_TMP/on.sorted" "$WA_TMP/$ours"
	if [ "$query" = "$(scan_unlimited "$query")" ]; then
		LC_ALL=C sort -o "$WA_TMP/off.sorted" "$WA_TMP/$3"
	else
		scan_same_groups "$1" "$ours" "$4" | LC_ALL=C sort >"$WA_TMP/off.sorted"
	fi
	scan_diff on.sorted off.sorted
}

# Prints what the built-in makes of the groups in a file of $WA_TMP.  Arguments:
# name of the query, file, set-up.
scan_same_groups()
{
	local columns
	local names
	local groups

	columns=$(scan_group "$1")
	[ -n "$columns" ] || wa_die "nothing tells the groups of $1 apart"
	[ -s "$WA_TMP/$2" ] || return 0
	names=$(tr ',' '\n' <<<"$columns" | sed 's/^/g/' | paste -sd ,)
	groups=$(cut -d '|' -f "$columns" "$WA_TMP/$2" |
		sed "s/|/', '/g; s/.*/('&')/" | paste -sd ,)
	wa_psql -c "$3" -c "$(scan_side off)" -c "SELECT * FROM (
		$(scan_unlimited "$(scan_query "$1")")) AS q ($names) WHERE ($names) IN ($groups)"
}

# Says whether two files of $WA_TMP are the same; shows the first differences.
scan_diff()
{
	cmp -s "$WA_TMP/$1" "$WA_TMP/$2" && return
	diff "$WA_TMP/$1" "$WA_TMP/$2" | head -n 10
	return 1
}
