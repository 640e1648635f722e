#!/usr/bin/env bash
#
# demo.sh
#	  Shows warpagg at work: builds and installs it, starts a throw-away
#	  PostgreSQL, loads flights, and puts plain SQL to it: to PostgreSQL alone, to
#	  the WarpAgg node over the heap, and to the node over resident columns, before
#	  and after a change of the table.  `make demo` calls it.
#
# Usage: scripts/demo.sh [DATA]
#	DATA			a .csv.xz or .csv of flights (default: the shipped sample)
#
# Variables:
#	RUNS			timed runs of each query (default 5)
#	COPIES			how often each row is loaded (default: 7 of the sample's, 1 of
#					others)
#	WA_DEMO_QUERIES	other queries over flights, one a line; after a ";" what
#					PostgreSQL is asked if it is not the same
#	WA_DEMO_LOG		the log (default build/demo.log)
#	WA_DEVICE		warpagg.device: auto (default), gpu or cpu
#	WA_PREBUILT		1: build and install nothing (see lib.sh)
#	PG_CONFIG		the PostgreSQL to use
#
# Exit status: 0 if all results are the same, 1 otherwise.  Nothing is left running.

set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

SAMPLE=$WA_ROOT/test/data/flights-sample.csv.xz
DATA=${1:-$SAMPLE}
RUNS=${RUNS:-5}
COPIES=${COPIES:-$([ "$DATA" = "$SAMPLE" ] && echo 7 || echo 1)}
DEVICE=${WA_DEVICE:-auto}
LOG=${WA_DEMO_LOG:-$WA_ROOT/build/demo.log}
QUERIES=${WA_DEMO_QUERIES:-'SELECT count(*), sum(delay), avg(delay) FROM flights
SELECT avg(delay) FROM flights WHERE distance > 500
SELECT origin, avg(delay) FROM flights GROUP BY origin
SELECT date::date, count(*) FROM flights GROUP BY 1
SELECT gpu_sum(delay), gpu_min(delay) FROM flights; SELECT sum(delay), min(delay) FROM flights'}

# PostgreSQL's own aggregates in PostgreSQL's own plan, and ours.
ALONE='SET warpagg.enable_scan = off; SET warpagg.accelerate = off'
OURS='SET warpagg.enable_scan = on; SET warpagg.accelerate = exact'

# How many answers were compared, how many of these differ, and how many queries the
# node has computed.
ANSWERS=0
DIFFERENT=0
BY_NODE=0

#
# Steps
#

# Prints a whole number with commas.
with_commas()
{
	sed -E ':a; s/([0-9])([0-9]{3})($|,)/\1,\2\3/; ta' <<<"$1"
}

# Draws how far a step is, again and again, until it is killed or the script ends.
# Arguments: the step, and a function that prints percents.
draw_progress()
{
	local percent
	local bar

	while sleep 0.5 && kill -0 $$ 2>/dev/null; do
		percent=$("$2" 2>/dev/null) || percent=
		[ -n "$percent" ] || continue
		bar=$(printf '%*s' $((percent * 30 / 100)) '')
		printf '\r%-40s [%-30s] %3d%%' "$1" "${bar// /#}" "$percent"
	done
}

# Begins a step; arguments: its name, and, if it can be drawn on a terminal, a function
# that prints percents.
begin_step()
{
	STEP=$1
	STEP_START=$SECONDS
	DRAWING=
	printf -- '-- %s\n' "$STEP" >>"$LOG"
	printf '%-40s ' "$STEP"
	if [ -t 1 ] && [ $# -gt 1 ]; then
		draw_progress "$STEP" "$2" &
		DRAWING=$!
	fi
}

# Ends the drawing of a step.
end_drawing()
{
	[ -n "$DRAWING" ] || return 0
	kill "$DRAWING" 2>/dev/null || true
	wait "$DRAWING" 2>/dev/null || true
	DRAWING=
	printf '\r%-78s\r%-40s ' '' "$STEP"
}

# Ends a step that has worked; argument: what to say beside the time.
end_step()
{
	end_drawing
	printf '%4d s  %s\n' $((SECONDS - STEP_START)) "${1:-}"
}

# Ends a step that has failed, and the script, with the end of the log.
fail_step()
{
	end_drawing
	printf 'FAILED\n'
	{
		[ -z "${WA_SERVER_LOG:-}" ] || tail -n 10 "$WA_SERVER_LOG"
	} >>"$LOG" 2>&1
	printf '\nThe last lines of %s:\n' "$LOG" >&2
	tail -n 20 "$LOG" >&2
	wa_die "this failed: $STEP"
}

# Runs a command as a step, with what it prints in the log.  Arguments: the step, its
# function for percents or "", then the command.
run_step()
{
	begin_step "$1" ${2:+"$2"}
	shift 2
	("$@") >>"$LOG" 2>&1 || fail_step
}

#
# Building
#

# Counts what make's output, on standard input, has compiled.
count_compiled()
{
	grep -cE -- ' -o [^ ]*\.o ' || true
}

# Prints how much of the build is done.
built_percent()
{
	local built

	built=$(count_compiled <"$LOG")
	echo $((built < TO_BUILD ? 100 * built / TO_BUILD : 100))
}

# Builds and installs the extension: without bitcode, which only inlining into
# PostgreSQL's own expressions would use, and without kernels where no driver could
# run them.
build_and_install()
{
	WA_MAKE_OPTIONS=(with_llvm=no V=1)
	[ -e /proc/driver/nvidia/version ] || WA_MAKE_OPTIONS+=(NVCC=)
	TO_BUILD=$(wa_make -n all 2>/dev/null | count_compiled)
	if [ "$TO_BUILD" -gt 0 ]; then
		run_step "build, by $(nproc) processors" built_percent wa_make all
		end_step "$(count_compiled <"$LOG") files compiled"
	fi
	run_step 'install' '' wa_install
	end_step "in $WA_PKGLIBDIR"
}

#
# The table
#

# Prints the data file, unpacked.
read_data()
{
	case $DATA in
		*.xz) xz -dc -- "$DATA" ;;
		*) cat -- "$DATA" ;;
	esac
}

# Prints the rows to load, below one header.
read_copies()
{
	local i

	read_data
	for ((i = 1; i < COPIES; i++)); do
		read_data | tail -n +2
	done
}

# Prints how many bytes these are.
data_bytes()
{
	local bytes

	case $DATA in
		*.xz) bytes=$(xz --robot -l -- "$DATA" | awk '$1 == "totals" { print $5 }') ;;
		*) bytes=$(stat -Lc %s -- "$DATA") ;;
	esac
	echo $((bytes * COPIES))
}

# Prints how much of the rows has been copied.
copied_percent()
{
	wa_psql -c "SELECT least(100, 100 * bytes_processed / $DATA_BYTES)
		FROM pg_stat_progress_copy"
}

# Creates the table and fills it.
copy_flights()
{
	wa_psql -c 'CREATE TABLE flights (date timestamp, delay int, distance int,
			origin text, destination text)' &&
		read_copies | wa_psql -c 'COPY flights FROM STDIN (FORMAT csv, HEADER)' &&
		wa_psql -c 'VACUUM ANALYZE flights'
}

# Prints how much of the table is resident.
resident_percent()
{
	wa_psql -c "SELECT least(100, 100 * coalesce(max(blocks), 0) / max(relpages))
		FROM pg_class LEFT JOIN warpagg_resident ON relation = oid
		WHERE oid = 'flights'::regclass"
}

# Has the columns loaded and, where there is a GPU, waits until that has them, too,
# which happens in the background.
load_columns()
{
	local try

	wa_psql -c "SELECT warpagg_load('flights')" || return
	[ "$KIND" = gpu ] || return 0
	for try in {1..50}; do
		wa_psql -c "$OURS" -c "EXPLAIN (ANALYZE) ${QUERIES%%[;$'\n']*}" |
			grep -q 'Resident Device: GPU' && return
		sleep 0.2
	done
	echo "the GPU still has not all columns after $try queries"
}

# Changes some rows and adds one.
change_flights()
{
	wa_psql -c "UPDATE flights SET delay = delay + 60
			WHERE date < (SELECT min(date) FROM flights) + interval '1 hour'" \
		-c "INSERT INTO flights VALUES (now(), 60, 2475, 'JFK', 'LAX')"
}

#
# Questions
#

# Prints shared_buffers for this machine: an eighth of its memory, 128 MB to 1 GB.
shared_buffers()
{
	awk '/^MemTotal:/ { mb = int($2 / 1024 / 8) }
		END { print (mb > 1024 ? 1024 : mb < 128 ? 128 : mb) "MB" }' /proc/meminfo
}

# Starts the server and the device process, whose device is KIND and NAME.
start_server()
{
	local line

	begin_step 'start a PostgreSQL for the demo alone'
	wa_cluster_start demo "shared_buffers = '$(shared_buffers)'" 'autovacuum = off' \
		"session_preload_libraries = 'warpagg'" "warpagg.device = '$DEVICE'" >>"$LOG"
	wa_psql -c 'CREATE EXTENSION warpagg' >>"$LOG" 2>&1 || fail_step
	if ! line=$(wa_wait_device 60); then
		echo 'the device process did not get ready within 60 s' >>"$LOG"
		fail_step
	fi
	KIND=${line%%|*}
	NAME=${line#*|}
	end_step "device: $NAME ($KIND)"
}

# Prints what is asked of PostgreSQL alone, and of us, by a line of QUERIES.
query_alone()
{
	local alone=${1#*;}

	wa_note "${alone# }"
}

query_ours()
{
	wa_note "${1%%;*}"
}

# Prints the statements that ask both sides in turn, RUNS times after a first time that
# does not count; each answer goes to a file.
questions()
{
	local alone
	local ours
	local i

	alone=$(query_alone "$1")
	ours=$(query_ours "$1")
	for ((i = 0; i <= RUNS; i++)); do
		printf '%s;\n\\o %s\n\\timing on\n%s;\n\\timing off\n' \
			"$ALONE" "$WA_TMP/alone.$i" "$alone" "$OURS" "$WA_TMP/ours.$i" "$ours"
	done
}

# Prints where we have the answer to a query from, as EXPLAIN ANALYZE shows it: from
# resident columns, the heap, or PostgreSQL's own plan.
source_of()
{
	wa_psql -c "$OURS" -c "EXPLAIN (ANALYZE) $(query_ours "$1")" >"$WA_TMP/plan" || return
	cat "$WA_TMP/plan" >>"$LOG"
	if grep -qE '^ *Resident Rows: [1-9]' "$WA_TMP/plan"; then
		echo resident
	elif grep -q 'Custom Scan (WarpAgg)' "$WA_TMP/plan"; then
		echo heap
	else
		echo PostgreSQL
	fi
}

# Says whether all answers of both sides are the same, rows in any order.
same_answers()
{
	local i

	for ((i = 0; i <= RUNS; i++)); do
		ANSWERS=$((ANSWERS + 1))
		if ! cmp -s <(LC_ALL=C sort "$WA_TMP/alone.$i") <(LC_ALL=C sort "$WA_TMP/ours.$i"); then
			DIFFERENT=$((DIFFERENT + 1))
			diff "$WA_TMP/alone.$i" "$WA_TMP/ours.$i" >"$WA_TMP/diff" || true
			head -n 10 "$WA_TMP/diff" >>"$LOG"
		fi
	done
}

# Asks queries, one a line, of both sides and appends a line for each to $WA_TMP/NAME:
# times in ms of PostgreSQL and of us, how many answers differed, where ours came from,
# and the query.  Arguments: the name, the queries.
ask()
{
	local name=$1
	local line
	local times
	local before
	local source

	while IFS= read -r line; do
		before=$DIFFERENT
		questions "$line" | wa_psql >"$WA_TMP/times" 2>>"$LOG" || fail_step
		same_answers
		times=$(awk '/^Time: / && ++n > 2 { print n % 2, $2 }' "$WA_TMP/times")
		source=$(source_of "$line")
		[ "$source" = PostgreSQL ] || BY_NODE=$((BY_NODE + 1))
		printf '%s;%s;%s;%s;%s\n' "$(awk '$1 == 1 { print $2 }' <<<"$times" | wa_median)" \
			"$(awk '$1 == 0 { print $2 }' <<<"$times" | wa_median)" \
			$((DIFFERENT - before)) "$source" "$(query_ours "$line")" >>"$WA_TMP/$name"
	done <<<"$2"
}

#
# The end
#

# Prints the table of times: of each query, before and after columns were resident, and
# after the change, which may have been answered from either.
print_times()
{
	printf '%-33s%10s%15s%15s %s\n' '' PostgreSQL 'WarpAgg, from' 'from resident' the
	printf '%-33s%10s%15s%15s %s\n' 'SELECT ... FROM flights' 'alone, ms' 'the heap, ms' \
		'columns, ms' answer
	paste -d ';' "$WA_TMP/heap" "$WA_TMP/resident" | print_lines
	printf 'At once after an UPDATE and an INSERT of %s rows:\n' "$(with_commas "$CHANGED")"
	sed -E '/;resident;/s/^/;;;;;/' "$WA_TMP/changed" | print_lines
}

# Prints a line of that table for each line of what ask() noted, of the heap and of
# resident columns; one of them may be missing.  Of two medians of PostgreSQL's it takes
# the better one.
print_lines()
{
	awk -F ';' '
		function ours(ms, digits, elsewhere, alone)
		{
			return ms == "" ? "" : sprintf("%8.*f%1s%6s", digits, ms, elsewhere ? "*" : "",
				sprintf(alone / ms < 99.95 ? "%.1fx" : "%.0fx", alone / ms))
		}
		{
			query = $5 == "" ? $10 : $5
			sub(/^SELECT /, "", query)
			sub(/ FROM flights/, "", query)
			alone = $1 == "" || ($6 != "" && $6 + 0 < $1 + 0) ? $6 : $1
			printf "%-34.34s%9.1f%15s%15s %s\n", query, alone,
				ours($2, 1, $4 != "heap", alone), ours($7, 2, $9 != "resident", alone),
				$3 + $8 ? "DIFFERENT" : "same"
		}' | tee "$WA_TMP/lines"
	! grep -qE '[0-9]\*' "$WA_TMP/lines" ||
		wa_note '* not from there: EXPLAIN, in the log, shows from where'
}

# Prints what to type next: on a server of the reader's own, or, where Debian's
# PostgreSQL has none yet, on one to make.
print_next()
{
	local as=
	local psql='psql DB'
	local database=DB

	wa_note "What to type next (the demo's server is gone; README.md and docs/ say more):"
	if [ "${WA_BINDIR#/usr/lib/postgresql/}" != "$WA_BINDIR" ] &&
		command -v pg_lsclusters >/dev/null && [ -z "$(pg_lsclusters -h)" ]; then
		database=postgres
		psql='runuser -u postgres psql'
		if ! wa_is_root; then
			as='sudo '
			psql='sudo -u postgres psql'
		fi
		wa_note "  ${as}pg_createcluster --start $(wa_pg_major) main"
	fi
	cat <<TEXT
  $psql -c 'CREATE EXTENSION warpagg' \\
     -c "ALTER DATABASE $database SET session_preload_libraries = 'warpagg'"
  $psql -c "SELECT warpagg_load('TABLE')" \\
     -c 'EXPLAIN ANALYZE SELECT sum(COLUMN) FROM TABLE'
TEXT
}

# Prints all that was found out, in one screen.
print_end()
{
	local source

	source=$(basename "$DATA")
	[ "$COPIES" -eq 1 ] || source+=", each row $COPIES times"
	printf '\n%s flights (%s), %s\n' "$(with_commas "$ROWS")" "$source" "$SIZE"
	wa_note "$("$PG_CONFIG" --version | cut -d ' ' -f 1,2), $(nproc) processors; medians of $RUNS runs, both sides in turn"
	wa_note "device used: $NAME ($KIND)"
	echo
	print_times
	echo
	if [ "$DIFFERENT" -ne 0 ]; then
		wa_note "DIFFERENT: $DIFFERENT of $ANSWERS answers are not PostgreSQL's; see $LOG"
		return 1
	fi
	wa_note "The same answer: all $ANSWERS answers are PostgreSQL's, compared run by run."
	if [ "$BY_NODE" -eq 0 ]; then
		wa_die 'but warpagg computed none of them'
	fi
	echo
	print_next
}

main()
{
	# Numbers and messages are read here.
	export LC_ALL=C
	[ -r "$DATA" ] || wa_die "cannot read DATA, \"$DATA\""
	mkdir -p "$(dirname "$LOG")"
	: >"$LOG" || wa_die "cannot write the log, \"$LOG\""
	wa_note "log of all steps: $LOG"
	STEP='install packages'
	DRAWING=
	(wa_install_deps build) 2>>"$LOG" || fail_step
	wa_find_postgres
	[ -n "${WA_PREBUILT:-}" ] || build_and_install
	wa_begin
	start_server

	DATA_BYTES=$(data_bytes) || wa_die "cannot read DATA, \"$DATA\""
	run_step "COPY flights, VACUUM" copied_percent copy_flights
	IFS='|' read -r ROWS SIZE <<<"$(wa_psql -c "SELECT count(*),
		pg_size_pretty(pg_table_size('flights')) FROM flights")"
	end_step "$(with_commas "$ROWS") rows, $SIZE"
	[ "$ROWS" -gt 0 ] || wa_die "$DATA holds no rows"

	begin_step 'ask PostgreSQL, and WarpAgg over the heap'
	ask heap "$QUERIES"
	end_step
	run_step "SELECT warpagg_load('flights')" resident_percent load_columns
	end_step "$(wa_psql -c "SELECT count(*) || ' columns, ' || pg_size_pretty(sum(bytes))
		FROM warpagg_resident")"
	begin_step 'ask again, with resident columns'
	ask resident "$QUERIES"
	end_step
	run_step 'UPDATE, INSERT, and ask again' '' change_flights
	CHANGED=$(wa_psql -c "SELECT n_tup_upd + n_tup_ins - $ROWS FROM pg_stat_user_tables
		WHERE relid = 'flights'::regclass")
	ask changed "${QUERIES%%$'\n'*}"
	end_step
	print_end
}

main
