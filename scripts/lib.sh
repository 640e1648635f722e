# shellcheck shell=bash
# lib.sh
#	  Helpers that all scripts share: packages, finding PostgreSQL, an
#	  unprivileged user, and throw-away clusters.
#
# Source this file; it sets no traps until wa_begin is called.  A script that
# calls wa_begin owns one private temporary directory, $WA_TMP, and any number
# of clusters in it.  Whatever way the script ends (success, error, Ctrl-C,
# SIGTERM), each cluster is stopped by its own pid file and the directory is
# removed.
#
# Variables a caller may set:
#	PG_CONFIG		the PostgreSQL to use
#	WA_PREBUILT		1: install no packages and build nothing; the extension is
#					already in the PostgreSQL named by PG_CONFIG
#	WA_RUN_USER		the unprivileged user to drop to when started as root
#	WA_KEEP			1: keep the temporary directory, for a look at the logs

WA_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
WA_TMP=
WA_CLUSTERS=()
WA_MAKE_OPTIONS=()
WA_PG_FALLBACK=15

# A caller's make must not leak its flags or its job server into ours.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

# Prints a message for the person who runs the script.
wa_note()
{
	printf '%s\n' "$*"
}

# Prints an error and ends the script.
wa_die()
{
	printf 'error: %s\n' "$*" >&2
	exit 1
}

# Says whether the script runs as root.
wa_is_root()
{
	[ "$(id -u)" -eq 0 ]
}

# Says whether commands can be run as root, directly or by sudo.
wa_can_root()
{
	wa_is_root || command -v sudo >/dev/null 2>&1
}

# Runs a command as root, directly or by sudo.
wa_root_run()
{
	if wa_is_root; then
		"$@"
	elif command -v sudo >/dev/null 2>&1; then
		sudo -- "$@"
	else
		wa_die "this needs root or sudo: $*"
	fi
}

#
# Packages
#

# Says whether a Debian package is installed.
wa_have_package()
{
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Prints the PostgreSQL major version whose packages the scripts use: the one
# that PG_CONFIG belongs to, else 15, else the newest installed server, else the one
# that the distribution has.
wa_pg_major()
{
	local config
	local dir
	local major=

	if config=$(wa_which_pg_config); then
		"$config" --version | sed -E 's/^PostgreSQL ([0-9]+).*/\1/'
		return
	fi
	for dir in /usr/lib/postgresql/*/bin; do
		[ ! -x "$dir/postgres" ] || major=$(basename "$(dirname "$dir")")
	done
	[ -n "$major" ] || major=$(wa_apt_pg_major)
	echo "${major:-$WA_PG_FALLBACK}"
}

# Prints the major version that Debian's package "postgresql" stands for, if apt knows;
# a new machine's apt has no lists yet.
wa_apt_pg_major()
{
	local major
	local try

	for try in 1 2; do
		major=$(apt-cache show --no-all-versions postgresql 2>/dev/null |
			sed -nE 's/^Depends:.* postgresql-([0-9]+).*/\1/p')
		[ -z "$major" ] || break
		[ "$try" -eq 2 ] || ! wa_can_root || wa_root_run apt-get -qq update >&2
	done
	echo "$major"
}

# Prints the path of pg_config, or fails.  Debian's own versioned folders come
# before the one in PATH, which is a wrapper that may belong to any version.
wa_which_pg_config()
{
	local dir
	local found=

	if [ -n "${PG_CONFIG:-}" ]; then
		command -v "$PG_CONFIG" && return
		wa_die "PG_CONFIG is \"$PG_CONFIG\", which is not a program"
	fi
	if [ -x "/usr/lib/postgresql/$WA_PG_FALLBACK/bin/pg_config" ]; then
		echo "/usr/lib/postgresql/$WA_PG_FALLBACK/bin/pg_config"
		return
	fi
	for dir in /usr/lib/postgresql/*/bin; do
		if [ -x "$dir/postgres" ] && [ -x "$dir/pg_config" ]; then
			found=$dir/pg_config
		fi
	done
	[ -n "$found" ] || found=$(command -v pg_config) || return 1
	echo "$found"
}

# Installs the packages among its arguments that are missing.
wa_install_packages()
{
	local package
	local missing=()

	for package in "$@"; do
		wa_have_package "$package" || missing+=("$package")
	done
	[ ${#missing[@]} -gt 0 ] || return 0

	wa_can_root ||
		wa_die "missing packages, and neither root nor sudo to install them: ${missing[*]}"
	wa_note "installing: ${missing[*]}"
	wa_root_run apt-get -qq update ||
		wa_die "apt-get update failed; packages still missing: ${missing[*]}"
	wa_without_main_cluster wa_root_run env DEBIAN_FRONTEND=noninteractive \
		apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null ||
		wa_die "could not install: ${missing[*]}"
}

# Runs a command while Debian's postgresql packages are told not to create and
# start a server of their own, which a demo should not leave behind.
wa_without_main_cluster()
{
	local dir=/etc/postgresql-common/createcluster.d
	local file=$dir/50-warpagg.conf

	(
		trap 'wa_root_run rm -f "$file"' EXIT
		wa_root_run mkdir -p "$dir"
		echo 'create_main_cluster = false' | wa_root_run tee "$file" >/dev/null
		"$@"
	)
}

# Installs what a group of tasks needs.  Groups: build, test, lint, fuzz, deb.
wa_install_deps()
{
	local group
	local major
	local packages=()

	[ -z "${WA_PREBUILT:-}" ] || return 0
	if ! command -v apt-get >/dev/null 2>&1; then
		wa_note "no apt-get here: taking what is installed"
		return 0
	fi
	major=$(wa_pg_major)
	for group in "$@"; do
		case $group in
			build)
				packages+=(g++ make util-linux xz-utils)
				# A PostgreSQL chosen by hand is taken as it is.
				[ -n "${PG_CONFIG:-}" ] ||
					packages+=("postgresql-$major" "postgresql-server-dev-$major")
				;;
			test)
				packages+=(libipc-run-perl perl python3 valgrind)
				;;
			lint)
				packages+=(clang-format-14 cppcheck python3 shellcheck)
				;;
			deb)
				packages+=(debhelper dpkg-dev fakeroot g++ lintian make util-linux
					"postgresql-$major" "postgresql-server-dev-$major")
				;;
			fuzz)
				packages+=(clang-14 libclang-rt-14-dev)
				;;
			*)
				wa_die "unknown group of packages \"$group\""
				;;
		esac
	done
	wa_install_packages "${packages[@]}"
}

#
# PostgreSQL
#

# Finds PostgreSQL; sets PG_CONFIG, WA_BINDIR, WA_PKGLIBDIR and WA_PGXS_SRC (the
# folder that holds test/regress, test/isolation and test/perl).
wa_find_postgres()
{
	PG_CONFIG=$(wa_which_pg_config) ||
		wa_die "no PostgreSQL found; set PG_CONFIG to its pg_config"
	WA_BINDIR=$("$PG_CONFIG" --bindir)
	WA_PKGLIBDIR=$("$PG_CONFIG" --pkglibdir)
	# shellcheck disable=SC2034 # for the scripts that source this file
	WA_PGXS_SRC=$(dirname "$("$PG_CONFIG" --pgxs)")/..
	[ -x "$WA_BINDIR/postgres" ] ||
		wa_die "$PG_CONFIG names $WA_BINDIR, which holds no PostgreSQL server"
	export PG_CONFIG
}

# Runs make in the source tree with the PostgreSQL found and WA_MAKE_OPTIONS, which a
# script may set.
wa_make()
{
	make --no-print-directory -C "$WA_ROOT" PG_CONFIG="$PG_CONFIG" \
		-j "$(nproc)" "${WA_MAKE_OPTIONS[@]}" "$@"
}

# Builds the extension and installs it into that PostgreSQL.
wa_build_install()
{
	[ -z "${WA_PREBUILT:-}" ] || return 0
	wa_make all
	wa_install
}

# Installs what is built, as root unless the target folder is writable.
wa_install()
{
	if [ -w "$WA_PKGLIBDIR" ]; then
		wa_make install
	else
		wa_root_run make --no-print-directory -C "$WA_ROOT" \
			PG_CONFIG="$PG_CONFIG" "${WA_MAKE_OPTIONS[@]}" install
	fi
}

#
# The unprivileged user
#

# Sets WA_USER to the user that runs PostgreSQL.
wa_pick_user()
{
	local user

	if ! wa_is_root; then
		WA_USER=$(id -un)
		return
	fi
	for user in "${WA_RUN_USER:-}" postgres nobody; do
		if [ -n "$user" ] && id "$user" >/dev/null 2>&1; then
			WA_USER=$user
			return
		fi
	done
	wa_die "found no unprivileged user to run PostgreSQL as; set WA_RUN_USER"
}

# Runs a command as the unprivileged user, in the temporary directory: the
# folder that the script was started in may be closed to that user.
wa_as_user()
{
	(
		cd "$WA_TMP" || exit
		if wa_is_root; then
			exec setpriv --reuid "$WA_USER" --regid "$(id -g "$WA_USER")" \
				--init-groups -- env HOME="$WA_TMP" PATH="$WA_BINDIR:$PATH" "$@"
		fi
		PATH="$WA_BINDIR:$PATH" exec "$@"
	)
}

# Copies the source tree, build outputs included, to $WA_TMP/src, owned by the
# unprivileged user; sets WA_COPY.  What is left out is what only tests without a
# server are built of.
wa_user_copy()
{
	WA_COPY=$WA_TMP/src
	wa_as_user mkdir -p "$WA_COPY"
	tar -C "$WA_ROOT" --exclude=./.git --exclude=./.gpu --exclude=./gpu-out \
		--exclude=./tmp_check --exclude='./build/san-*' --exclude=./build/fuzz \
		--exclude=./build/unit --exclude='./build/emu/*/*' \
		--exclude='./build/emu/test_*' -cf - . |
		wa_as_user tar --no-same-owner -C "$WA_COPY" -xf -
}

#
# Life of a script
#

# Sets up the script: finds PostgreSQL and the user, makes $WA_TMP, and sees to
# it that everything is gone at the end.
wa_begin()
{
	local base=${TMPDIR:-/tmp}

	wa_find_postgres
	wa_pick_user
	# The path of a Unix socket may have 107 bytes.
	[ ${#base} -le 60 ] || base=/tmp
	WA_TMP=$(mktemp -d "$base/warpagg.XXXXXX")
	trap wa_end EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	trap 'exit 129' HUP
	chmod 755 "$WA_TMP"
	wa_is_root && chown "$WA_USER" "$WA_TMP"
	wa_as_user test -w "$WA_TMP" ||
		wa_die "user $WA_USER cannot write to $WA_TMP; set TMPDIR to a folder it can reach"
}

# Stops all clusters and removes the temporary directory; the EXIT trap.
wa_end()
{
	local rc=$?
	local data

	trap '' INT TERM HUP
	trap - EXIT
	set +e
	for data in ${WA_CLUSTERS[@]+"${WA_CLUSTERS[@]}"}; do
		wa_cluster_stop "$data" || [ "$rc" -ne 0 ] || rc=1
	done
	wa_end_processes || [ "$rc" -ne 0 ] || rc=1
	if [ -n "${WA_KEEP:-}" ]; then
		wa_note "kept: $WA_TMP"
	else
		rm -rf "$WA_TMP"
	fi
	exit "$rc"
}

# Ends the processes that still work in the temporary directory, such as the
# servers of a TAP test that was interrupted.  Returns 1 if there were any.
wa_end_processes()
{
	local left

	left=$(wa_cluster_processes "$WA_TMP")
	[ -n "$left" ] || return 0
	# SIGQUIT is PostgreSQL's immediate shutdown.
	# shellcheck disable=SC2086 # a list of process ids
	kill -QUIT $left 2>/dev/null
	sleep 2
	left=$(wa_cluster_processes "$WA_TMP")
	# shellcheck disable=SC2086
	[ -z "$left" ] || kill -KILL $left 2>/dev/null
	return 1
}

#
# Clusters
#

# Starts a throw-away cluster.  Arguments: a name (a folder of $WA_TMP), then
# lines for postgresql.conf.  Sets PGHOST, PGPORT, PGUSER, PGDATABASE and
# WA_SERVER_LOG; it listens on a socket in its own folder and nowhere else.
wa_cluster_start()
{
	local name=$1
	local data=$WA_TMP/$name
	local locale=C.UTF-8

	shift
	unset PGOPTIONS PGSERVICE PGPASSWORD PGHOSTADDR PGDATA
	locale -a 2>/dev/null | grep -qiE '^C\.utf-?8$' || locale=C
	WA_SERVER_LOG=$WA_TMP/$name.server.log
	wa_as_user initdb -D "$data" -U postgres -A trust -E UTF8 \
		--locale="$locale" --no-sync >"$WA_TMP/$name.initdb.log" 2>&1 || {
		cat "$WA_TMP/$name.initdb.log" >&2
		wa_die "initdb failed"
	}
	{
		echo "listen_addresses = ''"
		echo "unix_socket_directories = '$WA_TMP'"
		echo "fsync = off"
		echo "full_page_writes = off"
		echo "max_wal_size = '4GB'"
		echo "checkpoint_timeout = '1h'"
		echo "warpagg.autoload = off"
		printf '%s\n' "$@"
	} | wa_as_user tee -a "$data/postgresql.conf" >/dev/null

	WA_CLUSTERS+=("$data")
	if ! wa_as_user pg_ctl start -w -t 120 -s -D "$data" -l "$WA_SERVER_LOG" \
		</dev/null; then
		tail -n 50 "$WA_SERVER_LOG" >&2
		wa_die "could not start PostgreSQL"
	fi
	export PGHOST=$WA_TMP PGPORT=5432 PGUSER=postgres PGDATABASE=postgres
}

# Says whether a server log is free of crashes, of warpaggd too, after which queries go
# on.  What is killed on purpose is killed by other signals.
wa_log_is_clean()
{
	! grep -E 'was terminated by signal|ended by signal (4|6|7|8|11)\b|PANIC:|TRAP:|reinitializing' \
		"$1"
}

# Stops a cluster; argument: its data directory.  Returns 1 if a process of its has
# crashed, or outlived it (which is then killed: it is one that we started).
wa_cluster_stop()
{
	local data=$1
	local left
	local try

	[ -d "$data" ] || return 0
	if [ -f "$data/postmaster.pid" ]; then
		wa_as_user pg_ctl stop -s -w -t 60 -m fast -D "$data" ||
			wa_as_user pg_ctl stop -s -w -t 20 -m immediate -D "$data" ||
			kill -KILL "$(head -n 1 "$data/postmaster.pid")"
	fi
	for try in 1 2 3 4 5 6 7 8 9 10; do
		left=$(wa_cluster_processes "$data")
		if [ -z "$left" ]; then
			wa_log_is_clean "$data.server.log" >&2
			return
		fi
		[ "$try" -eq 10 ] || sleep 1
	done
	echo "error: processes outlived their cluster:" >&2
	# shellcheck disable=SC2086 # a list of process ids
	ps -o pid,ppid,stat,args -p ${left//$'\n'/,} >&2 || true
	# shellcheck disable=SC2086
	kill -KILL $left
	return 1
}

# Stops the cluster started last and forgets it.
wa_cluster_stop_last()
{
	local last=$((${#WA_CLUSTERS[@]} - 1))
	local data=${WA_CLUSTERS[$last]}

	unset "WA_CLUSTERS[$last]"
	wa_cluster_stop "$data"
}

# Prints the ids of all processes that have a data directory, or a folder in
# it, as their working directory: each process of a cluster has.
wa_cluster_processes()
{
	local data=$1
	local dir
	local proc

	for proc in /proc/[0-9]*; do
		dir=$(readlink "$proc/cwd" 2>/dev/null) || continue
		case $dir in
			"$data" | "$data"/* | "$data (deleted)")
				echo "${proc#/proc/}"
				;;
		esac
	done
}

# Runs psql on the current cluster; results are bare, errors end it.
wa_psql()
{
	wa_as_user psql -X -q -At -v ON_ERROR_STOP=1 "$@"
}

# Waits until the device process answers, and prints its first device as
# "kind|name".  Argument: seconds (default 60).  Needs the extension in
# $PGDATABASE.  The query itself makes an unconfigured server start it.
wa_wait_device()
{
	local limit=${1:-60}
	local line
	local start=$SECONDS

	while :; do
		line=$(wa_psql -c "SELECT kind || '|' || name FROM warpagg_devices
			WHERE state = 'ready' ORDER BY kind DESC, ordinal LIMIT 1" 2>/dev/null) ||
			line=
		[ -z "$line" ] || break
		[ $((SECONDS - start)) -lt "$limit" ] || return 1
		sleep 0.2
	done
	echo "$line"
}

# Prints the median of the numbers on standard input.
wa_median()
{
	sort -g | awk '{ v[NR] = $1 }
		END { if (NR) printf "%.3f\n", NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

# Runs two statements alternately in one session and prints the server-side
# times as two lines of milliseconds, one for each statement.  Arguments: runs,
# first statement, second statement, set-up statements.  The first run of each
# is a warm-up and is not printed.
wa_time_pair()
{
	local runs=$1
	local first=$2
	local second=$3
	local setup=${4:-}
	local i

	{
		[ -z "$setup" ] || printf '%s;\n' "$setup"
		printf '%s\n' '\timing on'
		for ((i = 0; i <= runs; i++)); do
			printf '%s;\n%s;\n' "$first" "$second"
		done
	} | wa_psql >"$WA_TMP/timing.out"
	awk '/^Time: / { n++; if (n > 2) t[n % 2] = t[n % 2] " " $2 }
		END { print t[1]; print t[0] }' "$WA_TMP/timing.out"
}
