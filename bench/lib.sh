# shellcheck shell=bash
# lib.sh
#	  What the SQL benchmarks share, beside scripts/lib.sh: where they ran, and
#	  what was reduced where.  Source it after scripts/lib.sh.

# Prints shared_buffers for this machine: a quarter of its memory, at most 16 GB.
bench_shared_buffers()
{
	awk '/^MemTotal:/ { mb = int($2 / 1024 / 4) }
		END { print (mb > 16384 ? 16384 : mb < 128 ? 128 : mb) "MB" }' /proc/meminfo
}

# Ends the script unless a table of so many megabytes fits beside its WAL, of which
# there are some max_wal_size at most.
bench_need_disk()
{
	local need=$(($1 + ($1 < 6000 ? $1 : 6000)))
	local free

	free=$(($(df --output=avail -B 1000000 "$WA_TMP" | tail -n 1)))
	[ "$need" -le "$free" ] || wa_die "the tables and their WAL need about $need MB;" \
		"there are $free MB in ${WA_TMP%/*}: set TMPDIR to a folder with more room"
}

# Prints a setting of the library, which a session loads with its first call.
bench_setting()
{
	wa_psql -c 'SELECT gpu_sum(1)' -c "SHOW $1" | tail -n 1
}

# Prints which memory the kernel gives huge pages, and whether something clears their
# accessed bits while they are measured (docs/troubleshooting.md says what that costs).
bench_huge_pages()
{
	sed 's/.*\[\(.*\)\].*/\1/' /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null ||
		echo unknown
	if grep -q '^THP_enabled:[[:space:]]*0' /proc/self/status; then
		echo 'but none for these processes'
	fi
	if pgrep '^kdamond' >/dev/null; then
		echo 'and DAMON samples accesses'
	fi
}

# Prints the first rows of a report's table: when and where.
bench_environment()
{
	local gpus
	local pages

	gpus=$(wa_psql -c "SELECT coalesce(string_agg(DISTINCT name || ' (' || kind || ')', ', '), 'none')
		FROM warpagg_devices")
	pages=$(bench_huge_pages | paste -sd " ")
	cat <<TEXT
| | |
|---|---|
| date | $(date -u +%Y-%m-%d) |
| commit | ${WA_COMMIT:-$(git -C "$WA_ROOT" describe --always --dirty 2>/dev/null || echo unknown)} |
| processor | $(awk -F ': ' '/^model name/ { print $2; exit }' /proc/cpuinfo), $(nproc) cores |
| machine | $(awk '/^MemTotal:/ { print int($2 / 1024) }' /proc/meminfo) MB of memory; $(df --output=avail,fstype -B 1000000 "$WA_TMP" | awk 'END { print $1 " MB free, " $2 }'); huge pages $pages |
| device | $gpus |
| server | $(wa_psql -c 'SHOW server_version'), shared_buffers $(wa_psql -c 'SHOW shared_buffers') |
| settings | warpagg.device $(bench_setting warpagg.device), warpagg.min_device_rows $(bench_setting warpagg.min_device_rows), warpagg.buffer_memory $(bench_setting warpagg.buffer_memory), jit $(wa_psql -c "SELECT CASE WHEN pg_jit_available() THEN 'on' ELSE 'off' END") |
TEXT
}

# Prints the lines for postgresql.conf that SETTINGS has, apart by semicolons.
bench_settings()
{
	tr ';' '\n' <<<"${SETTINGS:-}" | sed 's/^ *//; s/ *$//; /^$/d'
}

# Copies a file to where it is wanted.
bench_keep()
{
	mkdir -p "$(dirname "$2")"
	cp "$1" "$2"
}

# Prints the report that comes from standard input, and writes it to a file, unless its
# name is "".
bench_write_report()
{
	tee "$WA_TMP/report.md"
	[ -z "$1" ] || bench_keep "$WA_TMP/report.md" "$1"
}

# Prints what was reduced where, to stand under the table.
bench_device_footer()
{
	echo
	wa_psql -F ' ' -c "SELECT '- reduced on ' || device || ': ' || operation
			|| '(' || type || '), ' || runs || ' runs, ' || rows || ' rows'
		FROM warpagg_reductions WHERE runs > 0"
	wa_psql -c "SELECT '- ' || key || ': ' || value
		FROM warpagg_stats AS s, jsonb_each_text(to_jsonb(s))
		WHERE key LIKE 'fallback%' AND value::numeric <> 0"
}
