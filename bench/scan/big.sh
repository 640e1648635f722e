# shellcheck shell=bash
# big.sh
#	  The very large table of one int8 column, and its memory beside what
#	  docs/resident.md says.  Source it after time.sh here.
#
# Variables: BIG_ROWS and PROCESSES of the benchmark.

# Values begin here, so that none fits four bytes.
BIG_FIRST=1000000000000

# Makes the table, by as many COPYs at once as there are processes, and prints how
# long that took.
big_make()
{
	local part=$(((BIG_ROWS + PROCESSES - 1) / PROCESSES))
	local start=$SECONDS
	local made
	local first
	local last
	local copies=()

	bench_need_disk $((BIG_ROWS * 37 / 1000000))
	wa_psql -c 'CREATE TABLE big (v int8 NOT NULL)' -c 'CREATE EXTENSION pg_prewarm'
	for ((first = 0; first < BIG_ROWS; first += part)); do
		last=$((first + part < BIG_ROWS ? first + part : BIG_ROWS))
		wa_psql -c "COPY big FROM PROGRAM
			'seq $((BIG_FIRST + first)) $((BIG_FIRST + last - 1))'" &
		copies+=($!)
	done
	scan_wait "${copies[@]}"
	made=$((SECONDS - start))
	start=$SECONDS
	big_warm
	scan_vacuum big "$PROCESSES"
	wa_psql -c "ALTER TABLE big SET (parallel_workers = $((PROCESSES - 1)))"
	printf '\n## A table of %d rows\n\n' "$BIG_ROWS"
	printf 'Made in %d s by %d processes; warmed and vacuumed in %d s.\n' \
		"$made" "$PROCESSES" $((SECONDS - start))
}

# Brings the table into shared buffers if it fits there: each process a part.
big_warm()
{
	local blocks
	local part
	local first
	local last
	local parts=()

	blocks=$(wa_psql -c "SELECT pg_relation_size('big') / 8192 FROM pg_settings
		WHERE name = 'shared_buffers' AND pg_table_size('big') < setting::int8 * 8192")
	part=$(((blocks + PROCESSES - 1) / PROCESSES))
	for ((first = 0; first < blocks; first += part)); do
		last=$((first + part < blocks ? first + part : blocks))
		wa_psql -c "SELECT pg_prewarm('big', 'buffer', 'main', $first, $((last - 1)))" \
			>/dev/null &
		parts+=($!)
	done
	scan_wait ${parts[@]+"${parts[@]}"}
}

# Prints the sum of the table, by its formula.
big_sum()
{
	wa_psql -c "SELECT $BIG_FIRST::numeric * $BIG_ROWS + $BIG_ROWS::numeric * ($BIG_ROWS - 1) / 2"
}

# Prints what the formula of docs/resident.md says of the column, 8 bytes a row, beside
# what warpagg_resident says, and what the device process takes altogether.
big_memory()
{
	wa_psql -v predicted="$((8 * BIG_ROWS))" -v all="$(big_daemon_kb)" -f - <<'SQL'
\echo
SELECT format('By the formula of docs/resident.md (8 bytes a row) %s bytes, by warpagg_resident %s:'
		' %s percent. On GPUs %s bytes. The device process takes %s KB altogether.',
		:predicted, bytes, to_char(100.0 * (bytes - :predicted) / :predicted, 'FMS990.00'),
		device_bytes, :'all')
	FROM warpagg_resident WHERE relation = 'big'::regclass;
SQL
}

# Prints the kilobytes of memory that the device process has.
big_daemon_kb()
{
	local process

	for process in $(wa_cluster_processes "$WA_TMP/bench"); do
		awk '/^Name:/ { name = $2 } /^VmRSS:/ && name == "warpaggd" { print $2 }' \
			"/proc/$process/status" 2>/dev/null || true
	done
}
