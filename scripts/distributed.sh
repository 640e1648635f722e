#!/usr/bin/env bash
#
# distributed.sh
#	  Builds TimescaleDB and Citus from source, and compares queries over their tables
#	  with the node and without.
#
# Usage: scripts/distributed.sh [timescaledb] [citus]		(default: both)
#
# PostgreSQL, 15 to 18, is copied to a folder of the script's own, with what is built:
# nothing is installed elsewhere.  Needs cmake, git, and the development packages of
# OpenSSL and libpq; for Citus also those of lz4 and zstd.
#
# Variables, beside lib.sh's:
#	WA_TIMESCALEDB		repository of TimescaleDB: a folder or an address
#	WA_TIMESCALEDB_TAG	(default 2.28.3)
#	WA_CITUS			repository of Citus
#	WA_CITUS_TAG		(default v13.2.2)
#	WA_ENGINES			keep what is built in this folder, and build only what it lacks
#
# The last line is "N passed, M failed", and the exit status is 0 only if M is 0.

set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=scripts/checks.sh
. "$WA_ROOT/scripts/checks.sh"

TESTS=$WA_ROOT/test/distributed
TABLE=readings
WA_TIMESCALEDB=${WA_TIMESCALEDB:-https://github.com/timescale/timescaledb.git}
WA_TIMESCALEDB_TAG=${WA_TIMESCALEDB_TAG:-2.28.3}
WA_CITUS=${WA_CITUS:-https://github.com/citusdata/citus.git}
WA_CITUS_TAG=${WA_CITUS_TAG:-v13.2.2}

#
# Building
#

# Copies the PostgreSQL in use to a folder; prints the copy's pg_config, which finds its
# files by where it lies.
copy_postgres()
{
	local folder=$1
	local option

	mkdir -p "$folder"
	for option in bindir pkglibdir sharedir includedir includedir-server; do
		cp -RL --parents "$("$PG_CONFIG" "--$option")" "$folder"
	done
	echo "$folder$(readlink -f "$PG_CONFIG")"
}

# Gets the sources of a repository at a tag, into a folder.
get_sources()
{
	git clone -q -c advice.detachedHead=false --depth 1 --branch "$2" \
		"${1/#\//file:///}" "$3"
}

# Builds TimescaleDB in a folder of sources.
build_timescaledb()
{
	cmake -S "$1" -B "$1/build" -DPG_CONFIG="$PG_CONFIG" -DCMAKE_BUILD_TYPE=Release \
		-DREGRESS_CHECKS=OFF -DTAP_CHECKS=OFF -DWARNINGS_AS_ERRORS=OFF
	make -C "$1/build" -j "$(nproc)"
	make -C "$1/build" install
}

# Likewise Citus.  Minor releases of PostgreSQL since have a function of their own that a
# header of Citus has, too.
build_citus()
{
	if grep -q have_createdb_privilege \
		"$("$PG_CONFIG" --includedir-server)/commands/dbcommands.h"; then
		sed -i -e 's/^have_createdb_privilege(void)$/own_createdb_privilege(void)/' \
			-e 's|^typedef bool TU_UpdateIndexes;|#include "commands/dbcommands.h"\n&|' \
			"$1/src/include/pg_version_compat.h"
	fi
	(cd "$1" && ./configure --without-libcurl PG_CONFIG="$PG_CONFIG")
	make -C "$1" -j "$(nproc)" with_llvm=no
	make -C "$1" with_llvm=no install
}

# Makes a PostgreSQL with an engine and warpagg, and has the script use it.  Arguments:
# the engine's name, its repository, its tag.
use_engine()
{
	local folder=$ENGINES/$1-$3

	if [ ! -e "$folder/done" ]; then
		rm -rf "$folder"
		wa_note "building $1 $3"
		PG_CONFIG=$(copy_postgres "$folder/postgres")
		get_sources "$2" "$3" "$folder/src"
		"build_$1" "$folder/src" >"$folder/build.log" 2>&1 || {
			tail -n 30 "$folder/build.log" >&2
			wa_die "could not build $1"
		}
		rm -rf "$folder/src"
		echo "$PG_CONFIG" >"$folder/done"
	fi
	PG_CONFIG=$(cat "$folder/done")
	wa_find_postgres
	wa_make install >/dev/null
}

#
# Comparing
#

# Prints what a query returns, errors included; arguments: on or off, and the query.
answer()
{
	PGOPTIONS="-c warpagg.enable_scan=$1" wa_psql -c "$2" 2>&1 || true
}

# Tells whether a query has an answer, the same with the node and without, and over the
# table beside TABLE.
is_same()
{
	local on
	local here=${1//$TABLE/readings_here}

	on=$(answer on "$1")
	[ -n "$on" ] || return 1
	if [ "$on" != "$(answer off "$1")" ] || [ "$on" != "$(answer off "$here")" ]; then
		answer on "$1" | head -n 5
		answer off "$1" | head -n 5
		return 1
	fi
}

# Tells whether a query's plan has a node, as it is to.
is_planned()
{
	local plan

	[ "$1" != any ] || return 0
	plan=$(answer on "EXPLAIN (COSTS OFF) $2")
	case $1,$plan in
		node,*'(WarpAgg)'*) return 0 ;;
		node,*) ;;
		none,*'(WarpAgg)'*) ;;
		none,*) return 0 ;;
	esac
	echo "$plan"
	return 1
}

# Compares the queries of a file.  Arguments: what is said of them, the file, and whether
# plans are to be as it says.
compare()
{
	local name=$1
	local plans=$3
	local planned
	local query

	while read -r planned query; do
		[ "$planned" != '#' ] || continue
		check "$name: $query" is_same "$query"
		! "$plans" || check "$name, planned: $query" is_planned "$planned" "$query"
	done <"$2"
}

# shellcheck source=test/distributed/timescaledb.sh
. "$TESTS/timescaledb.sh"
# shellcheck source=test/distributed/citus.sh
. "$TESTS/citus.sh"

[ $# -gt 0 ] || set -- timescaledb citus
wa_begin
ENGINES=${WA_ENGINES:-$WA_TMP/engines}
ORIGINAL=$PG_CONFIG
for engine in "$@"; do
	PG_CONFIG=$ORIGINAL
	case $engine in
		timescaledb) use_engine "$engine" "$WA_TIMESCALEDB" "$WA_TIMESCALEDB_TAG" ;;
		citus) use_engine "$engine" "$WA_CITUS" "$WA_CITUS_TAG" ;;
		*) wa_die "unknown engine \"$engine\"" ;;
	esac
	"test_$engine"
done
report
