#!/usr/bin/env bash
#
# soak.sh
#	  Kills the device process, cancels queries, cuts clients off, fills a disk and
#	  reloads settings, again and again, while answers are compared with
#	  PostgreSQL's; then looks for what has been lost or left.
#
# Usage: scripts/soak.sh
#
# Variables, beside lib.sh's:
#	WA_SOAK_KILLS		how often warpaggd is killed (default 200)
#	WA_SOAK_CANCELS		how many queries are cancelled (default 1000)
#	WA_SOAK_RELOADS		how often settings are reloaded (default 100)
#	WA_SOAK_FILLS		how often the disk is filled (default 3)
#	WA_SOAK_SEED		seed of what happens (default 1)
#	WA_DEVICE			warpagg.device: auto (default), gpu or cpu
#	WA_LOG_DIR			keep the server's log in this folder
#
# The disks that are filled are file systems in memory, mounted where the server
# spills, has the memory that its parallel workers share, and keeps its statistics.
# That needs root; without it this part is left out.  The last line is "N passed, M failed", and the exit status is 0 only if M is 0.

set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

DISK_SIZE=24m
MOUNTED=()

# Mounts a small file system of the server's own; argument: the folder.  Returns 1 if
# that cannot be done here.
mount_disk()
{
	wa_as_user mkdir -p "$1"
	wa_is_root || return 1
	mount -t tmpfs -o "size=$DISK_SIZE,mode=700,uid=$WA_USER,gid=$(id -gn "$WA_USER")" \
		tmpfs "$1" 2>/dev/null || return 1
	MOUNTED+=("$1")
}

# Stops the cluster and unmounts, before all is removed; the EXIT trap.
end_soak()
{
	local rc=$?
	local folder

	trap '' INT TERM HUP
	trap - EXIT
	set +e
	wa_cluster_stop "$WA_TMP/soak" || [ "$rc" -ne 0 ] || rc=1
	for folder in ${MOUNTED[@]+"${MOUNTED[@]}"}; do
		umount "$folder" || umount --lazy "$folder"
	done
	(exit "$rc")
	wa_end
}

# Has the server write to small disks; sets DISKS to soak.py's arguments for them.
prepare_disks()
{
	local folder

	DISKS=()
	wa_as_user pg_ctl stop -s -w -m fast -D "$WA_TMP/soak"
	for folder in base/pgsql_tmp pg_dynshmem pg_stat_tmp; do
		if mount_disk "$WA_TMP/soak/$folder"; then
			DISKS+=(--disk "$WA_TMP/soak/$folder")
		else
			wa_note "left out: filling $folder, where nothing can be mounted"
		fi
	done
	wa_as_user pg_ctl start -s -w -D "$WA_TMP/soak" -l "$WA_SERVER_LOG" </dev/null
}

wa_install_deps build test
wa_begin
trap end_soak EXIT
wa_build_install
# What is ended by a signal on purpose leaves no core files behind.
ulimit -c 0
wa_cluster_start soak "shared_preload_libraries = 'warpagg'" \
	"warpagg.device = '${WA_DEVICE:-auto}'" 'max_worker_processes = 24' \
	'dynamic_shared_memory_type = mmap' 'autovacuum = off' \
	'max_prepared_transactions = 8' 'deadlock_timeout = 100ms'
prepare_disks
RC=0
# Its counts are shown with those of this script.
PATH="$WA_BINDIR:$PATH" PYTHONDONTWRITEBYTECODE=1 \
	python3 "$WA_ROOT/test/random/soak.py" "$WA_TMP/soak" \
	--seed "${WA_SOAK_SEED:-1}" --kills "${WA_SOAK_KILLS:-200}" \
	--cancels "${WA_SOAK_CANCELS:-1000}" --reloads "${WA_SOAK_RELOADS:-100}" \
	--fills "${WA_SOAK_FILLS:-3}" ${DISKS[@]+"${DISKS[@]}"} 2>&1 |
	tee "$WA_TMP/soak.log" | sed -uE '/^[0-9]+ passed, [0-9]+ failed$/d' || RC=$?
read -r PASSED FAILED < <(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' \
	"$WA_TMP/soak.log" | tail -n 1) || { PASSED=0 && FAILED=0; }
if [ "$RC" -ne 0 ] && [ "$FAILED" -eq 0 ]; then
	wa_note "FAILED  soak.py ends with status $RC"
	FAILED=$((FAILED + 1))
fi
if wa_log_is_clean "$WA_SERVER_LOG"; then
	wa_note 'ok      no process of the server crashed'
	PASSED=$((PASSED + 1))
else
	wa_note 'FAILED  no process of the server crashed'
	FAILED=$((FAILED + 1))
fi
if [ -n "${WA_LOG_DIR:-}" ]; then
	mkdir -p "$WA_LOG_DIR"
	cp "$WA_SERVER_LOG" "$WA_TMP/soak.log" "$WA_LOG_DIR"
fi
wa_note "$PASSED passed, $FAILED failed"
[ "$FAILED" -eq 0 ]
