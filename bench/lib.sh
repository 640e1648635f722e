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

# Prints a setting of the library, which a session loads with its first call.
bench_setting()
{
	wa_psql -c 'SELECT gpu_sum(1)' -c "SHOW $1" | tail -n 1
}

# Prints the first rows of a report's table: when and where.
bench_environment()
{
	local gpus

	gpus=$(wa_psql -c "SELECT coalesce(string_agg(DISTINCT name || ' (' || kind || ')', ', '), 'none')
		FROM warpagg_devices")
	cat <<TEXT
| | |
|---|---|
| date | $(date -u +%Y-%m-%d) |
| commit | ${WA_COMMIT:-$(git -C "$WA_ROOT" describe --always --dirty 2>/dev/null || echo unknown)} |
| processor | $(awk -F ': ' '/^model name/ { print $2; exit }' /proc/cpuinfo), $(nproc) cores |
| device | $gpus |
| server | $(wa_psql -c 'SHOW server_version'), shared_buffers $(wa_psql -c 'SHOW shared_buffers') |
| settings | warpagg.device $(bench_setting warpagg.device), warpagg.min_device_rows $(bench_setting warpagg.min_device_rows), warpagg.buffer_memory $(bench_setting warpagg.buffer_memory), jit off |
TEXT
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
