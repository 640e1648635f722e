#!/usr/bin/env bash
#
# upgrade.sh
#	  Tests upgrades that take more than this release and one PostgreSQL: from the
#	  binaries of release 0.1.0, and by pg_upgrade.  (ALTER EXTENSION UPDATE, and dumps,
#	  are tested by test/t/022_update.pl.)
#
# Usage: scripts/upgrade.sh [STAGE...]
#	binaries	0.1.0's library, device process and SQL, each with this release's others
#	pg_upgrade	a cluster of PostgreSQL 15 with 0.1.0's SQL becomes one of 17
#
# A stage for which something is missing says so, and counts as failed.  The last line
# is "N passed, M failed"; the exit status is 0 only if M is 0.
#
# Variables, beside lib.sh's:
#	WA_OLD_SOURCE	a folder with 0.1.0's source (default: from git's history)
#	WA_OLD_PG, WA_NEW_PG	folders of the programs of both PostgreSQLs, with pg_config
#					(default: Debian's of 15 and 17)

set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=scripts/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"

OLD_COMMIT=1e3b1564e70ac68c709e9c465829cb06b2a72d1f
OLD_PG=${WA_OLD_PG:-/usr/lib/postgresql/15/bin}
NEW_PG=${WA_NEW_PG:-/usr/lib/postgresql/17/bin}

# Counts the check that a value is the one expected, and shows it if not.
check_is()
{
	check "$1" test "$2" = "$3"
	[ "$2" = "$3" ] || diff <(echo "$2") <(echo "$3") | cut -c1-200 | head -n 20
}

# Counts the check that SQL fails with an error that matches.
check_error()
{
	local name=$1
	local pattern=$2
	local error

	error=$(wa_psql -c "$3" 2>&1 >/dev/null || true)
	check "$name" grep -q "$pattern" <<<"$error"
	grep -q "$pattern" <<<"$error" || echo "$error"
}

#
# Builds, and PostgreSQLs to put them into
#

# Prints the folder with 0.1.0's source, or fails.
old_source()
{
	local folder=$WA_TMP/old-source

	if [ -n "${WA_OLD_SOURCE:-}" ]; then
		echo "$WA_OLD_SOURCE"
		return
	fi
	git -C "$WA_ROOT" cat-file -e "$OLD_COMMIT" 2>/dev/null || return
	if [ ! -d "$folder" ]; then
		mkdir -p "$folder"
		git -C "$WA_ROOT" archive "$OLD_COMMIT" | tar -C "$folder" -xf -
	fi
	echo "$folder"
}

# Builds a source for a PostgreSQL, without CUDA, in a folder of WA_TMP.  Arguments: the
# folder's name, the source, the programs of PostgreSQL.
build()
{
	local folder=$WA_TMP/$1
	local log=$WA_TMP/$1.log

	mkdir -p "$folder"
	tar -C "$2" --exclude=./.git --exclude=./build --exclude='*.o' --exclude='*.so' \
		--exclude='*.bc' -cf - . | tar -C "$folder" -xf -
	make --no-print-directory -s -C "$folder" -j "$(nproc)" PG_CONFIG="$3/pg_config" \
		NVCC= with_llvm=no warpagg.so build/warpaggd >"$log" 2>&1 || {
		tail -n 30 "$log"
		wa_die "could not build $1"
	}
}

# Makes a PostgreSQL of our own that has a build, and the SQL of this release and of
# 0.1.0.  It finds its files by where its programs are, which it prints.  Arguments: its
# name, the programs of PostgreSQL, the build.
make_postgres()
{
	local root=$WA_TMP/$1
	local from=$2
	local build=$WA_TMP/$3
	local lib
	local share

	lib=$("$from/pg_config" --pkglibdir)
	share=$("$from/pg_config" --sharedir)
	mkdir -p "$root"
	cp -LR --parents "$from" "$lib" "$share" "$root"
	cp "$build/warpagg.so" "$build/build/warpaggd" "$root$lib"
	cp "$WA_ROOT/warpagg.control" "$WA_ROOT"/sql/warpagg--*.sql \
		"$WA_ROOT/test/data/warpagg--0.1.0.sql" "$root$share/extension"
	chmod -R a+rX "$root"
	echo "$root$from"
}

# Starts the cluster in a folder of WA_TMP by the programs in WA_BINDIR; more arguments
# are settings.
start()
{
	local data=$WA_TMP/$1

	shift
	printf '%s\n' "$@" | wa_as_user tee "$data/postgresql.auto.conf" >/dev/null
	wa_as_user pg_ctl start -w -s -t 60 -D "$data" -l "$data.server.log" </dev/null
	PGHOST=$WA_TMP
}

# Stops it.
stop()
{
	wa_as_user pg_ctl stop -w -s -m fast -D "$WA_TMP/$1"
}

#
# What users have
#

# Makes tables and views, in the current database.
make_objects()
{
	wa_psql -c "CREATE TABLE flights AS SELECT x AS delay, 'c' || x % 3 AS carrier,
			x / 8.0::float8 AS distance FROM generate_series(1, 200000) x" \
		-c 'CREATE VIEW sums AS SELECT carrier, gpu_sum(delay), gpu_count(*),
			gpu_max(carrier), gpu_avg(distance), gpu_stddev(delay)
			FROM flights GROUP BY carrier' \
		-c 'CREATE MATERIALIZED VIEW kept AS SELECT gpu_sum(delay) FROM flights' \
		-c 'CREATE VIEW starts AS SELECT starts, fallback_resting FROM warpagg_stats' \
		-c 'CREATE VIEW moving AS SELECT gpu_sum(delay) OVER (ORDER BY delay
			ROWS 2 PRECEDING) FROM flights WHERE delay < 100'
}

# Shows them.
show_objects()
{
	wa_psql -c 'SELECT * FROM sums ORDER BY 1' -c 'SELECT * FROM moving LIMIT 5' \
		-c 'REFRESH MATERIALIZED VIEW kept' -c 'SELECT * FROM kept' \
		-c 'SELECT count(*) >= 0 FROM starts'
}

# Shows what belongs to the extension in a database.
show_members()
{
	wa_psql -d "$1" -f "$WA_ROOT/test/t/members.sql" | sed 's/public\.//g' | sort
}

# Says whether the server's log is free of crashes.
log_is_clean()
{
	wa_log_is_clean "$WA_TMP/$1.server.log"
}

# Waits until the device process is up; fails if it is not in time.
wait_device()
{
	wa_wait_device 30 >/dev/null
}

#
# Stages
#

# Tries 0.1.0's library (L), device process (D) and SQL (S) with this release's.
stage_binaries()
{
	local source
	local bin
	local libs
	local expected
	local more=("warpagg.min_device_rows = 0" "shared_preload_libraries = 'warpagg'")

	if ! source=$(old_source); then
		check "there is 0.1.0's source, in git's history or as WA_OLD_SOURCE" false
		return
	fi
	[ -x "$OLD_PG/pg_config" ] || OLD_PG=$WA_BINDIR
	build old "$source" "$OLD_PG"
	build new "$WA_ROOT" "$OLD_PG"
	bin=$(make_postgres postgres "$OLD_PG" old)
	libs=$WA_TMP/postgres$("$OLD_PG/pg_config" --pkglibdir)
	WA_BINDIR=$bin
	wa_cluster_start cluster
	wa_psql -c "CREATE EXTENSION warpagg VERSION '0.1.0'"
	make_objects
	expected=$(show_objects)
	stop cluster

	start cluster "${more[@]}" "warpagg.daemon_path = '$WA_TMP/new/build/warpaggd'"
	check_is "this release's device process under 0.1.0's library" \
		"$(show_objects)" "$expected"
	check_is 'likewise, later' "$(sleep 3 && show_objects)" "$expected"
	stop cluster

	# The files are replaced under a server whose sessions load the library themselves.
	start cluster 'warpagg.min_device_rows = 0'
	check "0.1.0's device process is up" wait_device
	cp "$WA_TMP/new/warpagg.so" "$libs/warpagg.so.new"
	mv "$libs/warpagg.so.new" "$libs/warpagg.so"
	check_is "this release's library under 0.1.0's SQL, beside 0.1.0's supervisor" \
		"$(show_objects)" "$expected"
	cp "$WA_TMP/new/build/warpaggd" "$libs/warpaggd.new"
	mv "$libs/warpaggd.new" "$libs/warpaggd"
	check_is 'with all files replaced' "$(show_objects)" "$expected"
	stop cluster

	start cluster "${more[@]}" "warpagg.daemon_path = '$WA_TMP/old/build/warpaggd'"
	check_is "0.1.0's device process under this release's library" \
		"$(show_objects)" "$expected"
	check_is 'likewise, later' "$(sleep 3 && show_objects)" "$expected"
	stop cluster

	start cluster "${more[@]}"
	check "this release's device process is up under 0.1.0's SQL" wait_device
	check_is "which goes on" "$(show_objects)" "$expected"
	update_and_go_back "$libs" "$expected"
}

# Updates the extension, then has the server use 0.1.0's files again.  Arguments: where
# the files are, what users' objects show.
update_and_go_back()
{
	local libs=$1
	local expected=$2

	check 'the update' wa_psql -c 'ALTER EXTENSION warpagg UPDATE'
	check_is "users' objects are as they were" "$(show_objects)" "$expected"
	stop cluster
	cp "$WA_TMP/old/warpagg.so" "$WA_TMP/old/build/warpaggd" "$libs"
	start cluster "${more[@]}"
	check_is "aggregates of this release's SQL under 0.1.0's library" \
		"$(wa_psql -c 'SELECT * FROM sums ORDER BY 1')" "$(head -n 3 <<<"$expected")"
	check_error 'its views are an error then' \
		'could not find function "warpagg_stats_0_2"' 'SELECT * FROM warpagg_stats'
	check_error 'and so are its other functions' \
		'could not find function "warpagg_pin"' "SELECT warpagg_pin('flights')"
	stop cluster
	check 'no process of the server crashed' log_is_clean cluster
}

# Runs pg_upgrade; arguments: the programs of both PostgreSQLs.
run_pg_upgrade()
{
	wa_as_user pg_upgrade --old-bindir="$1" --new-bindir="$2" \
		--old-datadir="$WA_TMP/old-cluster" --new-datadir="$WA_TMP/new-cluster" \
		--username=postgres --socketdir="$WA_TMP" >"$WA_TMP/pg_upgrade.log" || {
		tail -n 30 "$WA_TMP/pg_upgrade.log"
		return 1
	}
}

# Upgrades a cluster with two databases, of 0.1.0's SQL and of this release's.
stage_pg_upgrade()
{
	local old
	local new
	local expected
	local program

	for program in "$OLD_PG/pg_config" "$OLD_PG/postgres" "$NEW_PG/pg_config" \
		"$NEW_PG/pg_upgrade"; do
		[ -x "$program" ] || {
			check "there are both PostgreSQLs (no $program)" false
			return
		}
	done
	build new-old "$WA_ROOT" "$OLD_PG"
	build new-new "$WA_ROOT" "$NEW_PG"
	old=$(make_postgres postgres-old "$OLD_PG" new-old)
	new=$(make_postgres postgres-new "$NEW_PG" new-new)
	WA_BINDIR=$old
	wa_cluster_start old-cluster
	wa_psql -c 'CREATE DATABASE first' -c 'CREATE DATABASE second'
	PGDATABASE=first
	wa_psql -c "CREATE EXTENSION warpagg VERSION '0.1.0'"
	make_objects
	expected=$(show_objects)
	PGDATABASE=second
	wa_psql -c 'CREATE EXTENSION warpagg'
	make_objects
	wa_psql -c 'CREATE ROLE dashboards' -c 'VACUUM flights' \
		-c 'GRANT EXECUTE ON FUNCTION warpagg_pin(regclass) TO dashboards'
	wait_device || true
	wa_psql -c "SELECT warpagg_load('flights'), warpagg_pin('flights')" >/dev/null
	wa_cluster_stop_last

	WA_BINDIR=$new
	wa_cluster_start new-cluster
	stop new-cluster
	check 'pg_upgrade' run_pg_upgrade "$old" "$new"
	start new-cluster
	PGDATABASE=first
	check_is "views over 0.1.0's SQL show the same" "$(show_objects)" "$expected"
	check 'the update' wa_psql -c 'ALTER EXTENSION warpagg UPDATE'
	check_is 'and after it' "$(show_objects)" "$expected"
	PGDATABASE=second
	check_is "so do those over this release's" "$(show_objects)" "$expected"
	check_is "users' privileges are kept" "$(wa_psql -c "
		SELECT has_function_privilege('dashboards', 'warpagg_pin(regclass)', 'EXECUTE')")" t
	check 'the device process is up' wait_device
	check_is 'nothing is pinned' "$(wa_psql -c 'SELECT count(*) FROM warpagg_resident')" 0
	check_is 'a table can be' "$(wa_psql -c 'VACUUM flights' \
		-c "SELECT warpagg_load('flights') IS NOT NULL, warpagg_pin('flights') IS NOT NULL")" 't|t'
	wa_psql -c 'CREATE DATABASE fresh'
	wa_psql -d fresh -c 'CREATE EXTENSION warpagg'
	check_is 'the updated extension is as a new one' "$(show_members first)" \
		"$(show_members fresh)"
	stop new-cluster
	check 'no process of the server crashed' log_is_clean new-cluster
}

[ $# -gt 0 ] || set -- binaries pg_upgrade
wa_begin
for STAGE in "$@"; do
	declare -F "stage_$STAGE" >/dev/null || wa_die "no stage \"$STAGE\""
	"stage_$STAGE"
done
report
