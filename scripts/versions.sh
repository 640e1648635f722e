#!/usr/bin/env bash
#
# versions.sh
#	  Builds and tests warpagg with each version of PostgreSQL, and writes a table in
#	  Markdown: what was built with what, and what passed.
#
# Usage: scripts/versions.sh [--accept-expired] [--table FILE] [VERSION...]
#	Versions: 15 16 17 18 19; default: all.
#	--accept-expired	takes packages from suites whose release files are past their
#						date, as those of a mirror that has stopped are
#	--table FILE		writes the table to a file, too, anew after each version
#
# 15 is this machine's own, or whichever PostgreSQL PG_CONFIG names.  17 comes from
# Debian 13, 18 from Debian's unstable suite and 19 from its experimental one, each
# in a chroot that debootstrap makes.  16 is in no suite: WA_PG_CONFIG_16 names one
# that is there, or WA_SOURCE_16 a folder with its source, from which it is built, with
# assertions; else it is left out, and the table says so.  Needs root for all but 15
# and 16.
#
# What is built is compiled with warnings as errors.  The stages are test.sh's.
#
# Variables, beside those of lib.sh, chroot.sh and test.sh:
#	WA_VERSIONS_DIR		where chroots, trees and logs are kept from run to run (default
#						/var/tmp/warpagg-versions); a chroot that is there, as "trixie"
#						or "sid", is used as it is, with what packages it lacks
#	WA_VERSIONS_STAGES	stages to run (default: regress regress-preload isolation tap
#						freshness scan-random random docs)
#	WA_PG_CONFIG_16		the pg_config of a PostgreSQL 16
#	WA_SOURCE_16		a folder with PostgreSQL 16's source
#
# Exit status: 0 if all that could be had was built and passed.

set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=scripts/chroot.sh
. "$(dirname "${BASH_SOURCE[0]}")/chroot.sh"

WORK=${WA_VERSIONS_DIR:-/var/tmp/warpagg-versions}
read -r -a STAGES <<<"${WA_VERSIONS_STAGES:-regress regress-preload isolation tap freshness scan-random random docs}"
APT=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0)
TABLE_FILE=
TABLE=
BAD=0

# Adds a row to the table.  Arguments: PostgreSQL, the compiler, how the build ended,
# then how each stage did.
note_row()
{
	TABLE+=$(printf '| %s ' "$@")'|'$'\n'
	[ -z "$TABLE_FILE" ] || print_table >"$TABLE_FILE"
}

# Adds the row of a version of which there is nothing to test.  Arguments: the version,
# the compiler, and why.
note_none()
{
	local row=("$@")
	local stage

	for stage in "${STAGES[@]}"; do
		row+=(-)
	done
	note_row "${row[@]}"
}

# Prints the table.
print_table()
{
	local heading=(PostgreSQL Compiler Build "${STAGES[@]}")

	printf '| %s ' "${heading[@]}"
	printf '|\n'
	printf '|%s' "${heading[@]//*/---}"
	printf '|\n%s' "$TABLE"
}

# Prints the suite of a version; none: it is in no suite.
suite_of()
{
	case $1 in
		17) echo trixie ;;
		18 | 19) echo sid ;;
	esac
}

# Makes a chroot of a suite, unless it is there; it has its name when it is complete.
make_chroot()
{
	local suite=$1
	local root=$WORK/$suite.new

	[ ! -e "$WORK/$suite" ] || return 0
	rm -rf "$root"
	wa_chroot_make "$suite" "$root" || return
	if [ "$suite" = sid ]; then
		sed 's/ sid / experimental /' "$root/etc/apt/sources.list" \
			>"$root/etc/apt/sources.list.d/experimental.list"
	fi
	# No package is to make a server.
	mkdir -p "$root/etc/postgresql-common/createcluster.d"
	echo 'create_main_cluster = false' \
		>"$root/etc/postgresql-common/createcluster.d/50-warpagg.conf"
	mv "$root" "$WORK/$suite"
}

# Installs what a version takes, and is not there, into a chroot.
install_version()
{
	local version=$1
	local root=$2
	local packages=(g++ make libipc-run-perl perl python3 util-linux xz-utils
		"postgresql-$version" "postgresql-server-dev-$version")

	wa_chroot_run "$root" "${APT[@]}" update || return
	# The libraries of the newest version serve the others, too.
	[ "$(suite_of "$version")" != sid ] ||
		packages+=(postgresql-19/experimental postgresql-client-19/experimental
			postgresql-server-dev-19/experimental libpq-dev/experimental
			libpq5/experimental)
	wa_chroot_run "$root" "${APT[@]}" install -y --no-install-recommends --no-upgrade \
		"${packages[@]}" >/dev/null
}

# Builds PostgreSQL 16 from a copy of its source, which is there until that is done.
build_16()
{
	local prefix=$WORK/postgres-16
	local copy=$WORK/build-16

	[ ! -x "$prefix/bin/postgres" ] || [ -e "$copy" ] || return 0
	wa_install_packages bison flex g++ make perl libipc-run-perl libicu-dev \
		libreadline-dev zlib1g-dev
	rm -rf "$prefix" "$copy"
	cp -a "$WA_SOURCE_16/." "$copy"
	# The source may have been built where it is, with other options.
	(
		cd "$copy" &&
			{ [ ! -e GNUmakefile ] || make -s distclean; } &&
			./configure --prefix="$prefix" --enable-cassert --enable-debug \
				--enable-tap-tests CFLAGS='-O2 -g' &&
			make -s -j "$(nproc)" world-bin &&
			make -s install-world-bin
	) >"$WORK/postgres-16.log" 2>&1 && rm -rf "$copy"
}

# Copies the source tree, without what is built, to a folder of its own.
copy_tree()
{
	rm -rf "$1"
	mkdir -p "$1"
	if git -C "$WA_ROOT" rev-parse --git-dir >/dev/null 2>&1; then
		git -C "$WA_ROOT" ls-files -co --exclude-standard -z |
			tar -C "$WA_ROOT" --ignore-failed-read --null -T - -cf - 2>/dev/null |
			tar -C "$1" -xf -
	else
		tar -C "$WA_ROOT" --exclude=./build -cf - . | tar -C "$1" -xf -
	fi
}

# Prints how a stage did, by the summary of a log of test.sh.  Arguments: the log, the
# stage.
stage_result()
{
	sed -n '/^=== summary/,$p' "$1" | awk -v stage="$2" '
		$1 == stage && $3 == "passed" {
			print $4 == 0 ? $2 : "**" $4 " of " $2 + $4 " failed**"
			found = 1
			exit
		}
		END { if (!found) print "**not run**" }'
}

# Builds and tests a version in a folder.  Arguments: the version, its pg_config, the
# folder, as the commands see it, then what to put before commands.
test_version()
{
	local version=$1
	local config=$2
	local folder=$3
	local log=$WORK/$version.log
	local row
	local stage

	shift 3
	row=("$("$@" "$config" --version | sed -E 's/^PostgreSQL ([^ ]+).*/\1/')"
		"gcc $("$@" gcc -dumpfullversion)")
	wa_note "-- PostgreSQL ${row[0]}, ${row[1]}: see $log"
	if ! "$@" make -s -C "$folder" -j "$(nproc)" NVCC= PG_CONFIG="$config" all \
		>"$log" 2>&1 ||
		! "$@" make -s -C "$folder" NVCC= PG_CONFIG="$config" install >>"$log" 2>&1; then
		note_none "${row[@]}" '**failed**'
		BAD=1
		return
	fi
	"$@" env WA_PREBUILT=1 PG_CONFIG="$config" TMPDIR=/tmp NVCC= bash \
		"$folder/scripts/test.sh" "${STAGES[@]}" >>"$log" 2>&1 || BAD=1
	row+=(passed)
	for stage in "${STAGES[@]}"; do
		row+=("$(stage_result "$log" "$stage")")
	done
	note_row "${row[@]}"
}

# Tests the version of a chroot.
test_in_chroot()
{
	local version=$1
	local suite
	local root

	suite=$(suite_of "$version")
	root=$WORK/$suite
	if ! wa_is_root || ! make_chroot "$suite" >"$WORK/$suite.log" 2>&1 ||
		! install_version "$version" "$root" >>"$WORK/$suite.log" 2>&1; then
		note_none "$version" - "could not be had: see $suite.log"
		BAD=1
		return
	fi
	copy_tree "$root/warpagg/$version"
	test_version "$version" "/usr/lib/postgresql/$version/bin/pg_config" \
		"/warpagg/$version" wa_chroot_run "$root"
}

# Tests a version of this machine.  Arguments: the version, its pg_config.
test_here()
{
	copy_tree "$WORK/tree-$1"
	test_version "$1" "$2" "$WORK/tree-$1" env
}

main()
{
	local version

	mkdir -p "$WORK"
	for version in "$@"; do
		case $version in
			15)
				wa_install_deps build test
				wa_find_postgres
				test_here 15 "$PG_CONFIG"
				;;
			16)
				if [ -n "${WA_PG_CONFIG_16:-}" ]; then
					test_here 16 "$WA_PG_CONFIG_16"
				elif [ -z "${WA_SOURCE_16:-}" ]; then
					note_none 16 - 'left out: no source of it here'
				elif build_16; then
					test_here 16 "$WORK/postgres-16/bin/pg_config"
				else
					note_none 16 - 'PostgreSQL not built: see postgres-16.log'
					BAD=1
				fi
				;;
			17 | 18 | 19)
				test_in_chroot "$version"
				;;
			*)
				wa_die "no version \"$version\""
				;;
		esac
	done
	echo
	print_table
	return "$BAD"
}

while [[ ${1:-} == --* ]]; do
	case $1 in
		--accept-expired)
			APT+=(-o Acquire::Check-Valid-Until=false)
			;;
		--table)
			[ $# -gt 1 ] || wa_die '--table takes the name of a file'
			TABLE_FILE=$2
			shift
			;;
		*)
			wa_die "unknown option \"$1\""
			;;
	esac
	shift
done
[ $# -gt 0 ] || set -- 15 16 17 18 19
main "$@"
