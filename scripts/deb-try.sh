#!/usr/bin/env bash
#
# deb-try.sh
#	  Tries the packages of build/deb in a clean Debian: installs them, makes the
#	  extension, asks it something, and purges them.  Prints a transcript.
#
# Usage: scripts/deb-try.sh [SUITE]
#	SUITE	Debian's, of which debootstrap makes a chroot (default: this machine's)
#
# First postgresql-N-warpagg alone; then, if it is there, with the package with kernels
# beside it, which has to take over, and to leave again.
#
# Variables, beside chroot.sh's:
#	WA_DEB_BASE		a folder with a minimal Debian, of which a copy is used
#
# Needs root.  Exit status: 0 if all went as it should.

set -euo pipefail

# Prints a command, and runs it.
say()
{
	printf '\n$ %s\n' "$*"
	"$@"
}

# Ends the trial with a reason.
fail()
{
	printf 'FAILED  %s\n' "$*"
	exit 1
}

#
# Inside of the chroot
#

# Runs SQL as the server's administrator.
sql()
{
	printf '\n=> %s\n' "$1"
	runuser -u postgres -- psql -X -q -v ON_ERROR_STOP=1 -c "$1"
}

# Prints what SQL returns, and nothing else.
value()
{
	runuser -u postgres -- psql -X -q -At -v ON_ERROR_STOP=1 -c "$1"
}

# Waits until the device process is this program; argument: its name.
wait_program()
{
	local pid
	local try

	# Whoever looks at devices has it started; it is replaced when it is asked nothing.
	value 'SELECT count(*) FROM warpagg_devices' >/dev/null
	for ((try = 0; try < 60; try++)); do
		pid=$(value "SELECT pid FROM warpagg_status WHERE state = 'up'")
		if [ -n "$pid" ] && [ "$(basename "$(readlink "/proc/$pid/exe")")" = "$1" ]; then
			printf '\nok      the device process is %s\n' "$1"
			return
		fi
		sleep 1
	done
	fail "the device process is not $1"
}

# Asks what shows that all parts are there.
query()
{
	sql 'SELECT kind, name, state FROM warpagg_devices'
	sql 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF)
		SELECT k, gpu_sum(x), gpu_avg(x) FROM numbers GROUP BY k ORDER BY k LIMIT 2'
	sql 'SELECT k, gpu_sum(x), gpu_avg(x) FROM numbers GROUP BY k ORDER BY k LIMIT 2'
	[ "$(value 'SELECT gpu_sum(x) = sum(x) AND gpu_avg(x) = avg(x) FROM numbers')" = t ] ||
		fail 'results differ'
}

# Tries the packages that lie in this folder; argument: PostgreSQL's major version.
try_inside()
{
	local major=$1
	local plain=postgresql-$major-warpagg
	local left

	export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
	apt-get -qq update
	say apt-get -qq -o Dpkg::Use-Pty=0 install -y --no-install-recommends \
		"./$plain"_*.deb
	trap 'pg_ctlcluster --force "$MAJOR" main stop || true' EXIT
	MAJOR=$major
	say pg_ctlcluster "$major" main start
	sql 'CREATE EXTENSION warpagg'
	sql 'CREATE TABLE numbers AS SELECT x, x % 7 AS k FROM generate_series(1, 1000000) x'
	sql 'VACUUM ANALYZE numbers'
	wait_program warpaggd-cpu
	sql "SELECT warpagg_load('numbers')"
	query
	if compgen -G "$plain-cuda_*.deb" >/dev/null; then
		say apt-get -qq -o Dpkg::Use-Pty=0 install -y "./$plain-cuda"_*.deb
		wait_program warpaggd-cuda
		query
		say apt-get -qq -o Dpkg::Use-Pty=0 purge -y "$plain-cuda"
		wait_program warpaggd-cpu
	fi
	sql 'DROP EXTENSION warpagg'
	say apt-get -qq -o Dpkg::Use-Pty=0 purge -y "$plain"
	say pg_ctlcluster "$major" main restart
	sql 'SELECT sum(x) FROM numbers'
	left=$(find / -xdev -name '*warpagg*' -not -path "$PWD/*" -not -path '/proc/*' \
		-not -path "/var/lib/postgresql/*/pg_stat_tmp/*")
	[ -z "$left" ] || fail "this is left: $left"
	[ -z "$(dpkg-query -W -f '${Package}\n' '*warpagg*' 2>/dev/null)" ] ||
		fail 'dpkg knows of warpagg'
	printf '\nok      nothing is left of the packages\n'
}

if [ "${1:-}" = --inside ]; then
	cd "$(dirname "$0")"
	try_inside "$2"
	exit
fi

#
# Outside
#

# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=scripts/chroot.sh
. "$(dirname "${BASH_SOURCE[0]}")/chroot.sh"

wa_is_root || wa_die 'this needs root'
SUITE=${1:-$(. /etc/os-release && echo "$VERSION_CODENAME")}
shopt -s nullglob
PACKAGES=("$WA_ROOT"/build/deb/postgresql-*-warpagg_*.deb
	"$WA_ROOT"/build/deb/postgresql-*-warpagg-cuda_*.deb)
[ ${#PACKAGES[@]} -gt 0 ] || wa_die 'there is nothing in build/deb: run make deb'
MAJOR=$(basename "${PACKAGES[0]}" | cut -d- -f2)
FOLDER=$(mktemp -d "${TMPDIR:-/var/tmp}/warpagg-try.XXXXXX")
trap 'rm -rf --one-file-system "$FOLDER"' EXIT
# Services are started by the trial itself.
wa_chroot_make "$SUITE" "$FOLDER" "${WA_DEB_BASE:-}" >/dev/null
mkdir "$FOLDER/try"
cp "$0" "${PACKAGES[@]}" "$FOLDER/try"
wa_chroot_run "$FOLDER" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/ \
	bash /try/deb-try.sh --inside "$MAJOR"
