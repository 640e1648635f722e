#!/usr/bin/env bash
#
# test.sh
#	  Runs the tests; `make test`, `make check-fast` and .ci/run call it.
#
# Usage: scripts/test.sh [--fast | STAGE...]
#	Stages, in their order: build unit emu install tap devices regress-preload
#	regress-emu lint fuzz valgrind soak freshness makefiles demo scan-random scan-partitions
#	scan-joins random freshness-rules freshness-partitions freshness-joins random-emu
#	scan-queries bench-joins bench-aggregates regress-late docs isolation.
#	Default: all (isolation only where test/specs exists).
#	--fast: build-fast install unit-fast regress-1 regress-2 regress-3, which build without
#	CUDA and bitcode, run the unit tests once, and share the regression tests but for the
#	longest, all that is tested at the same time.
#	regress: all regression tests on one server, without preload.
#
# Each stage is a process of its own and prints lines "N passed, M failed", which
# are added up.  A stage that fails does not stop the ones after it; one that
# counts nothing counts as a failure.  The last line is "N passed, M failed" over
# all stages, and the exit status is 0 only if M is 0.
#
# Stages up to install build in the source tree, one after the other, with all
# processors.  The others work in copies of it, or change nothing that others use, several
# at the same time, and what one has printed is shown when it ends.
#
# Variables, beside lib.sh's:
#	WA_DEVICE			warpagg.device for the regression suite (default auto)
#	WA_REGRESS			the list of regression tests (default: the Makefile's REGRESS)
#	WA_CHECK_DEVICE		fail unless, after a regression suite, each reduction ran
#						on this kind of device (gpu) and nothing fell back
#	WA_RANDOM_SEED		seed of the random tests (default 1)
#	WA_RANDOM_SECONDS	seconds for random queries (default 20)
#	WA_SCAN_QUERIES		random queries of the scan tier (default 300), and a third as many
#						for first rows
#	WA_FIRST_NODES		the percentage of these that has to get the node (default 25)
#	WA_SCAN_PROCESSES	how many databases run so many of them at the same time, with
#						one seed after the other (default 1)
#	WA_PARTITION_QUERIES, WA_PARTITION_NODES
#						the same over tables with partitions (default 150; thousands now
#						and then), and the percentage of the node (default 40)
#	WA_JOIN_QUERIES, WA_JOIN_NODES
#						the same over tables that are joined (default 150, and a third as
#						many over tables with partitions; and 35)
#	WA_EMU_SEEDS		seeds of the values that kernels get on the emulator (default 1;
#						"1 2 3" now and then)
#	WA_EMU_QUERIES		random queries on the emulator (default 120; 240 and more now and
#						then)
#	WA_FUZZ_SECONDS		seconds for each target of libFuzzer (default 8)
#	WA_FRESHNESS_SECONDS	seconds for changes beside queries over resident columns
#						(default 20; 600 or more now and then)
#	WA_SOAK_KILLS, WA_SOAK_CANCELS, WA_SOAK_RELOADS, WA_SOAK_FILLS
#						how much the soak has (default 20, 100, 10, 1: about a minute;
#						scripts/soak.sh by itself has ten times as much)
#	WA_SCAN_NODES		percentage of the scan tier's queries that have to get its
#						node (default 40)
#	WA_STAGE_LIMIT		seconds for one stage, beside those of WA_FRESHNESS_SECONDS (default
#						2400)
#	WA_STAGE_JOBS		stages after install at a time (default: one more than the
#						processors, as some of them wait, up to 4)
#	WA_LOG_DIR			keep logs of the PostgreSQL stages in this folder

set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=scripts/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
# shellcheck source=bench/scan/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../bench/scan/lib.sh"

# What tells most in little time; `make check-fast` runs these.
FAST=(build-fast install unit-fast regress-1 regress-2 regress-3)

# The long ones of those that run side by side come first, and before all that which waits
# more than it works.
STAGES=(build unit emu install tap devices regress-preload regress-emu lint fuzz valgrind
	soak freshness makefiles demo scan-random scan-partitions scan-joins random
	freshness-rules freshness-partitions freshness-joins random-emu scan-queries bench-joins
	bench-aggregates regress-late docs)
[ ! -d "$WA_ROOT/test/specs" ] || STAGES+=(isolation)

# Bitcode takes clang as long as all else takes gcc.
WA_MAKE_OPTIONS=(with_llvm=no)

# Prints the flags by which nvcc hardly optimises; older ones cannot leave so much out.
nvcc_fast_flags()
{
	local nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}

	if "$nvcc" --help 2>/dev/null | grep -- '--Ofast-compile' >/dev/null; then
		echo '-Ofc=max'
	else
		echo '-Xcicc -O1 -Xptxas -O0'
	fi
}

# Where nvcc is but no GPU, kernels are compiled to see that they can be: for one kind of
# GPU, and hardly optimised, which takes a third of the time.
if ! command -v nvidia-smi >/dev/null 2>&1; then
	export WA_CUDA_ARCHS="${WA_CUDA_ARCHS:-75}"
	export WA_NVCC_FLAGS="${WA_NVCC_FLAGS-$(nvcc_fast_flags)}"
fi

#
# Counting
#

# Adds up the count lines of a log and prints "PASSED FAILED".
sum_counts()
{
	awk '/^[0-9]+ passed, [0-9]+ failed/ { p += $1; f += $3 }
		END { print p + 0, f + 0 }' "$1"
}

#
# Stages without a server
#

# Says whether warpagg.so is free of CUDA, in symbols and in libraries.
library_without_cuda()
{
	local library=$WA_ROOT/warpagg.so

	[ -r "$library" ] || return 1
	! nm -D --undefined-only "$library" | grep -E ' (cu[A-Z]|cuda|__cuda)' &&
		! ldd "$library" | grep -i cuda
}

# Builds the bitcode of one file of each folder.
build_some_bitcode()
{
	local files

	mapfile -t files < <(wa_make -s print-SRCS | tr ' ' '\n' |
		awk '{ folder = $0; sub("/[^/]*$", "", folder) }
			!seen[folder]++ { sub(/c$/, "bc"); print }')
	wa_make "${files[@]:?}"
}

# Builds everything with warnings as errors.
stage_build()
{
	check 'make all, warnings as errors' wa_make all
	check 'make emu-daemon, likewise' wa_make emu-daemon
	if command -v "$(wa_make -s print-PG_CLANG)" >/dev/null; then
		check 'bitcode can be made' build_some_bitcode
	fi
	check 'warpagg.so has no CUDA in it' library_without_cuda
	report
}

# Runs the lint checks, which count themselves.
stage_lint()
{
	bash "$WA_ROOT/scripts/lint.sh"
}

# Tests the makefiles, in checks that count themselves.
stage_makefiles()
{
	bash "$WA_ROOT/test/make/checks.sh"
}

# Runs the unit tests, each of which counts itself, as they are built to be used
# and under sanitizers, where noise in place of messages is worth more seconds.
stage_unit()
{
	wa_make --keep-going --output-sync=target FUZZ_SECONDS=2 unit
	wa_make --keep-going --output-sync=target unit \
		SAN='-fsanitize=address,undefined -fno-sanitize-recover=all -Og -g1'
}

# Builds what is installed, with warnings as errors, without kernels.
stage_build_fast()
{
	check 'make all, warnings as errors' wa_make WITH_CUDA=no all
	report
}

# Runs the unit tests as they are built to be used.
stage_unit_fast()
{
	wa_make --keep-going --output-sync=target WITH_CUDA=no FUZZ_SECONDS=2 unit
}

# Runs a target of libFuzzer; shows the end of its log, and the input that it has
# found, if it fails.  Arguments: a folder for the log and that input, the target,
# then its own.
run_fuzz()
{
	local folder=$1
	local target=$2
	local found

	shift 2
	! "$WA_ROOT/build/fuzz/$target" -rss_limit_mb=2048 -timeout=30 \
		-print_final_stats=1 -artifact_prefix="$folder/$target-" "$@" \
		>"$folder/$target.log" 2>&1 || return 0
	tail -n 60 "$folder/$target.log"
	for found in "$folder/$target"-*; do
		[ -f "$found" ] || continue
		mkdir -p "$WA_ROOT/build/fuzz/found"
		cp "$found" "$WA_ROOT/build/fuzz/found"
		wa_note "-- the input is kept as build/fuzz/found/$(basename "$found")"
		[ "$(wc -c <"$found")" -gt 8192 ] || base64 -w 0 "$found"
		echo
	done
	return 1
}

# Runs the targets of libFuzzer: each over the inputs that are kept, one by one, and
# then over what it makes of these and of those that are written anew.
stage_fuzz()
{
	local seconds=${WA_FUZZ_SECONDS:-8}
	local target
	local logs

	wa_install_deps fuzz
	wa_make fuzz-targets
	wa_make fuzz-seeds
	logs=$(mktemp -d "${TMPDIR:-/tmp}/warpagg-fuzz.XXXXXX")
	for target in $(wa_make -s print-FUZZ_TARGETS); do
		mkdir "$logs/new"
		check "$target, inputs that are kept" run_fuzz "$logs" "$target" \
			"$WA_ROOT/test/fuzz/corpus/$target"/*
		check "$target, $seconds seconds" run_fuzz "$logs" "$target" \
			-max_total_time="$seconds" "$logs/new" \
			"$WA_ROOT/test/fuzz/corpus/$target" "$WA_ROOT/build/fuzz/seeds/$target"
		grep -E '^#[0-9]+\s+DONE|^stat::number_of_executed_units' \
			"$logs/$target.log" || true
		keep_logs "$logs/$target.log"
		rm -rf "$logs/new"
	done
	rm -rf "$logs"
	report
}

# Runs the kernels on the emulator; each program counts itself.
stage_emu()
{
	wa_make --keep-going --output-sync=target EMU_SEEDS="${WA_EMU_SEEDS:-1}" \
		EMU_QUERIES="${WA_EMU_QUERIES:-120}" emu-test
}

# Installs the extension and looks for its parts.
stage_install()
{
	local extension

	extension=$("$PG_CONFIG" --sharedir)/extension
	check 'make install' wa_install
	check 'warpagg.so is installed' test -r "$WA_PKGLIBDIR/warpagg.so"
	check 'warpaggd is installed' test -x "$WA_PKGLIBDIR/warpaggd"
	check 'warpagg.control is installed' test -r "$extension/warpagg.control"
	report
}

# Runs the demo over each row once and says whether it ends with a status and, in the
# end, nothing of it is left.  What it prints goes to $WA_TMP/demo.out.  Arguments: the
# status, DATA or "", then variables to set.
demo_ends()
{
	local status=$1
	local data=$2
	local rc=0

	shift 2
	env WA_PREBUILT=1 WA_DEMO_LOG="$WA_TMP/demo.log" TMPDIR="$WA_TMP/demo" RUNS=1 \
		COPIES=1 "$@" "$WA_ROOT/scripts/demo.sh" ${data:+"$data"} \
		>"$WA_TMP/demo.out" 2>&1 </dev/null || rc=$?
	cat "$WA_TMP/demo.out"
	keep_logs "$WA_TMP/demo.log"
	[ "$rc" -eq "$status" ] && [ -z "$(ls -A "$WA_TMP/demo")" ] &&
		[ -z "$(wa_cluster_processes "$WA_TMP/demo")" ]
}

# Says whether the demo's output has a line.
demo_says()
{
	grep -qE -- "$1" "$WA_TMP/demo.out"
}

# Says whether it has none.
demo_says_not()
{
	! demo_says "$1"
}

# Says whether the end of the demo's output, from the line that counts flights on, fits
# a screen, and all of it is plain text.
demo_fits()
{
	! grep -q '[^ -~]' "$WA_TMP/demo.out" &&
		sed -n '/^[0-9,]* flights (/,$p' "$WA_TMP/demo.out" |
		awk 'length > 80 { wide = 1 } END { exit wide || NR < 10 || NR > 24 }'
}

# Runs the demo: as it is, on a terminal, and where it has to fail.
stage_demo()
{
	local same=' [0-9.]+ +[0-9.]+x same$'

	wa_begin
	wa_as_user mkdir "$WA_TMP/demo"
	check 'the demo ends well, and leaves nothing' demo_ends 0 ''
	check 'it fits a screen, in plain text' demo_fits
	check 'its six answers are the same' \
		test "$(grep -cE "$same" "$WA_TMP/demo.out")" -eq 6
	check 'they come from where it says' demo_says_not '^\* not from there'
	check 'it says that all answers are the same' \
		demo_says '^The same answer: all 22 answers'

	check 'the demo ends well on a terminal' script -qec \
		"env WA_PREBUILT=1 RUNS=1 COPIES=4 WA_DEMO_LOG='$WA_TMP/demo.log' \
			'$WA_ROOT/scripts/demo.sh'" "$WA_TMP/demo.out" </dev/null
	check 'a terminal sees how far the load is' demo_says '\[#+ +\] +[0-9]+%'

	check 'a wrong answer ends the demo with status 1' demo_ends 1 '' \
		WA_DEMO_QUERIES='SELECT gpu_sum(delay) FROM flights; SELECT sum(delay) + 1 FROM flights'
	check 'it is shown' demo_says ' DIFFERENT$'
	check 'it is counted' demo_says '^DIFFERENT: 6 of 6 answers'
	check 'a query that fails ends the demo' demo_ends 1 '' \
		WA_DEMO_QUERIES='SELECT sum(nothing) FROM flights'
	check 'its message is shown' demo_says 'ERROR: .*"nothing" does not exist'
	check 'what the node does not compute is not counted as its own' demo_ends 1 '' \
		WA_DEMO_QUERIES='SELECT max(delay) FROM flights AS a JOIN (SELECT 1) AS b ON random() < 2'
	check 'the demo says so' demo_says '^error: but warpagg computed none'

	printf 'date,delay,distance,origin,destination\n2001-01-01,many,1,A,B\n' \
		>"$WA_TMP/broken.csv"
	check 'data that cannot be loaded end the demo' demo_ends 1 "$WA_TMP/broken.csv"
	check 'the reason is shown' demo_says 'ERROR: .*integer: "many"'
	check 'data that are missing end the demo' demo_ends 1 "$WA_TMP/missing.csv"
	check 'a build that fails ends the demo' demo_build_fails
	check 'the last lines of its log are shown' demo_says 'broken on purpose'
	report
}

# Says whether the demo of a source that does not compile ends with status 1.
demo_build_fails()
{
	wa_user_copy
	echo '#error broken on purpose' >>"$WA_COPY/src/warpagg.c"
	WA_ROOT=$WA_COPY demo_ends 1 '' WA_PREBUILT=
}

#
# Regression suites
#

# For tests that show what VACUUM and ANALYZE have left: with these running beside them
# VACUUM may not mark pages as all-visible.
QUIET=('autovacuum = off')

# Tests have PostgreSQL's plans be expensive, so that there is a node: it would compile
# the expressions of each of their thousands of queries.  Those that are about that turn
# it on.
WITHOUT_JIT=('jit = off')

# Prints the list of regression tests.
regress_list()
{
	if [ -n "${WA_REGRESS:-}" ]; then
		echo "$WA_REGRESS"
	else
		wa_make -s print-REGRESS
	fi
}

# Prints those of the regression tests that are among the arguments.
regress_among()
{
	regress_list | tr -s ' ' '\n' |
		awk -v names="$*" 'index(" " names " ", " " $1 " ")' | xargs
}

# Prints the others.
regress_not_among()
{
	regress_list | tr -s ' ' '\n' |
		awk -v names="$*" '!index(" " names " ", " " $1 " ")' | xargs
}

# Reads pg_regress's report and counts its tests.  Up to 15 it prints
# "test NAME ... ok", or "NAME ... ok" in a group; from 16 on TAP.
count_regress()
{
	local log=$1
	local passed
	local failed

	passed=$(grep -cE '^(test )? *[A-Za-z0-9_-]+ +\.\.\. ok|^ok [0-9]+ ' "$log" || true)
	failed=$(grep -cE '^(test )? *[A-Za-z0-9_-]+ +\.\.\. FAILED|^not ok [0-9]+ ' "$log" || true)
	PASSED=$((PASSED + passed))
	FAILED=$((FAILED + failed))
}

# Runs a regression program as the unprivileged user against the running
# cluster and shows what failed.  Arguments: program (below PGXS), inputdir,
# database, then tests.
run_regress()
{
	local program=$WA_PGXS_SRC/$1
	local input=$2
	local database=$3
	local out=$WA_TMP/out
	local before=$FAILED
	local rc=0

	shift 3
	wa_as_user mkdir -p "$out"
	wa_as_user "$program" --inputdir="$input" --outputdir="$out" \
		--bindir="$WA_BINDIR" --dbname="$database" --host="$PGHOST" \
		--port="$PGPORT" --user="$PGUSER" "$@" 2>&1 | tee "$WA_TMP/suite.log" || rc=$?
	count_regress "$WA_TMP/suite.log"
	if [ "$rc" -ne 0 ] && [ "$FAILED" -eq "$before" ]; then
		check "$(basename "$program") ends with status 0" false
	fi
	if [ "$FAILED" -ne "$before" ]; then
		[ ! -r "$out/regression.diffs" ] || head -n 400 "$out/regression.diffs"
		wa_note '-- end of the server log:'
		tail -n 60 "$WA_SERVER_LOG"
	fi
	check 'no process of the server crashed' server_log_is_clean
	keep_logs "$out/regression.diffs" "$WA_SERVER_LOG" "$WA_TMP/suite.log"
}

# Says whether the server log is free of crashes.
server_log_is_clean()
{
	wa_log_is_clean "$WA_SERVER_LOG"
}

# Says whether no session and no worker has been told that the device process failed.
device_has_not_failed()
{
	! grep -A 1 'device process of warpagg failed' "$WA_SERVER_LOG"
}

# Copies logs to WA_LOG_DIR if that is set.
keep_logs()
{
	local file

	[ -n "${WA_LOG_DIR:-}" ] || return 0
	mkdir -p "$WA_LOG_DIR"
	for file in "$@"; do
		[ ! -r "$file" ] || cp "$file" "$WA_LOG_DIR/$STAGE-$(basename "$file")"
	done
}

# Counts the checks that each reduction ran on the device asked for, and that
# nothing was folded elsewhere.
check_counters()
{
	local missing
	local starting=

	[ -n "${WA_CHECK_DEVICE:-}" ] || return 0
	wa_psql -c 'CREATE EXTENSION IF NOT EXISTS warpagg'
	wa_psql -c "\\pset format aligned" -c '\t off' -c 'SELECT * FROM warpagg_reductions' \
		-c '\x' -c 'SELECT * FROM warpagg_stats'
	missing=$(wa_psql -c "SELECT CASE WHEN count(*) = 0 THEN 'all' ELSE
			string_agg(operation || '(' || type || ')', ' ') FILTER (WHERE runs = 0) END
		FROM warpagg_reductions WHERE device = '$WA_CHECK_DEVICE'")
	check "each reduction ran on $WA_CHECK_DEVICE (missing: ${missing:-none})" \
		test -z "$missing"
	# With auto and cpu no query waits for a device process that is starting.
	case $STAGE in
		regress | regress-late | regress-[123])
			[ "${WA_DEVICE:-auto}" = gpu ] || starting=fallback_starting
			;;
	esac
	check_fallbacks "$starting"
}

# Counts the check that nothing was folded elsewhere.  Argument: a counter that may have
# counted, or "".
check_fallbacks()
{
	local fallbacks

	# Tests have groups outgrow the memory.
	fallbacks=$(wa_psql -c "SELECT string_agg(key || '=' || value, ' ')
		FROM warpagg_stats AS s, jsonb_each_text(to_jsonb(s))
		WHERE key LIKE 'fallback%' AND value::numeric <> 0
			AND key NOT IN ('$1', 'fallback_query_memory')")
	check "nothing fell back (${fallbacks:-none})" test -z "$fallbacks"
}

# Runs the regression suite on an unconfigured server: no preload; the setting
# arrives with each session.
stage_regress()
{
	local tests

	read -r -a tests <<<"$(regress_list)"
	wa_begin
	wa_user_copy
	wa_cluster_start regress "shared_preload_libraries = ''" "${QUIET[@]}" \
		"${WITHOUT_JIT[@]}"
	export PGOPTIONS="-c warpagg.min_device_rows=0 -c warpagg.device=${WA_DEVICE:-auto}"
	run_regress test/regress/pg_regress "$WA_COPY" contrib_regression "${tests[@]}"
	check_counters
	report
}

# What the library does where no server has preloaded it is the same but for this, so that
# these stand for all tests, which regress-preload runs.  Each session loads it by the
# first of its functions, or a plan with one (init, family, scan), or by LOAD, with hooks
# and settings that come late (settings, scan_plan, why); workers of a query load it
# before they get what they are to do (parallel, scan_parallel); and the first who asks has
# the device process started (resident, resident_queries).  What is planned or said
# without it, and then with it, is in why.
LATE=(init family parallel settings scan scan_parallel scan_plan resident
	resident_queries why)

# Runs these.
stage_regress_late()
{
	WA_REGRESS=$(regress_among "${LATE[@]}")
	stage_regress
}

# The tests that take longest, a quarter of the time of all, which only `make test` runs.
LONG=(scan_spill resident_distinct_inputs scan_expressions resident_top joins_counted)

# Runs the first regression test, which makes what the others need, and every third of the
# others but for the long ones, so that three servers share them: a test waits about a third
# of its time.  Argument: which of the three.
regress_share()
{
	WA_REGRESS=$(regress_list | tr -s ' ' '\n' |
		grep -vxF "$(printf '%s\n' "${LONG[@]}")" |
		awk -v share="$1" 'NR == 1 || NR % 3 == share % 3' | xargs)
	stage_regress
}

stage_regress_1()
{
	regress_share 1
}

stage_regress_2()
{
	regress_share 2
}

stage_regress_3()
{
	regress_share 3
}

# Starts a server that preloads warpagg and waits for the device process.
# Arguments: its name, then lines for postgresql.conf.
start_preloaded()
{
	local name=$1

	shift
	[ -n "$WA_TMP" ] || wa_begin
	[ -n "${WA_COPY:-}" ] || wa_user_copy
	wa_cluster_start "$name" "shared_preload_libraries = 'warpagg'" \
		"warpagg.device = '${WA_DEVICE:-auto}'" "${WITHOUT_JIT[@]}" "$@"
	wa_psql -c 'CREATE EXTENSION warpagg'
	check 'the device process gets ready' wa_wait_device 60
}

# Sets EMULATOR to the lines for postgresql.conf that make warpaggd's GPU the
# CUDA kernels, emulated on the CPU.
prepare_emulator()
{
	wa_make emu-daemon
	wa_begin
	wa_user_copy
	WA_DEVICE=gpu
	EMULATOR=("warpagg.daemon_path = '$WA_COPY/build/emu/warpaggd-emu'"
		"warpagg.device_timeout = 60000")
}

# The regression tests that do not ask for the device, so that it is the same to them
# which there is: their nodes read tables, or types are PostgreSQL's own.
WITHOUT_DEVICE=(scan scan_expressions scan_guards scan_errors scan_rowwise scan_parallel
	scan_limit scan_spill scan_plan scan_executor scan_long scan_domains scan_one_time_filter
	scan_time_zones joins_parallel count interval other_types moving contract why why_heap)

# Says whether the device has had fewer requests than a test that uses it makes: these make
# 29, and where the setting insists on a GPU some more.
device_was_idle()
{
	local requests

	requests=$(wa_psql -d contrib_regression -c 'SELECT requests + queries FROM warpagg_stats')
	wa_note "$requests requests"
	[ "$requests" -lt 50 ]
}

# Runs regression tests on a server that preloads warpagg, once the device process is
# ready.  Arguments: the tests, in one word, then lines for postgresql.conf.
run_preloaded()
{
	local tests

	read -r -a tests <<<"$1"
	shift
	start_preloaded regress "warpagg.min_device_rows = 0" "${QUIET[@]}" "$@"
	run_regress test/regress/pg_regress "$WA_COPY" contrib_regression "${tests[@]}"
}

# Runs the regression suite there; first those of which regress-emu takes it that they
# do not ask for the device.
stage_regress_preload()
{
	local idle
	local tests

	idle=$(regress_among "${WITHOUT_DEVICE[@]}")
	read -r -a tests <<<"$(regress_not_among "${WITHOUT_DEVICE[@]}")"
	# Tests that take a minute would have their tables loaded otherwise.
	PGOPTIONS='-c warpagg.autoload=off' run_preloaded "init $idle"
	[ -z "$idle" ] || check "these do not ask for the device: $idle" device_was_idle
	run_regress test/regress/pg_regress "$WA_COPY" contrib_regression "${tests[@]}"
	check_counters
	report
}

# Prints the regression tests of resident columns, and of joins, whose tables each GPU has,
# that use the device; but for those that are named.
regress_on_several()
{
	regress_not_among "${WITHOUT_DEVICE[@]}" "$@" | tr ' ' '\n' |
		awk '/^(resident|joins)/' | xargs
}

# What depends on how many GPUs there are, and not only on there being several: what each
# has is put in order, merged, limited, spilled, or does not fit.
DEVICES_COUNT=(resident resident_forms resident_spill resident_memory resident_equal_values)

# Runs the regression tests that use the device on the CUDA kernels, emulated on the CPU,
# but of those that the stage devices runs so, on several GPUs, only these.
stage_regress_emu()
{
	local several

	several=$(regress_on_several "${DEVICES_COUNT[@]}")
	prepare_emulator
	WA_CHECK_DEVICE=gpu
	run_preloaded "$(regress_not_among "${WITHOUT_DEVICE[@]}" "$several")" "${EMULATOR[@]}"
	check_counters
	report
}

# Runs the isolation tests.
stage_isolation()
{
	local tests

	read -r -a tests <<<"$(wa_make -s print-ISOLATION)"
	wa_begin
	wa_user_copy
	wa_cluster_start isolation "shared_preload_libraries = 'warpagg'" \
		"warpagg.min_device_rows = 0" "warpagg.device = '${WA_DEVICE:-auto}'" \
		"${QUIET[@]}" "${WITHOUT_JIT[@]}"
	run_regress test/isolation/pg_isolation_regress "$WA_COPY/test" \
		isolation_regression "${tests[@]}"
	report
}

#
# Valgrind
#
# PostgreSQL is one that is not built for valgrind (USE_VALGRIND), so what is palloced is
# seen coarsely: a block of a memory context counts as initialised once it has been
# written to, whatever it is used for after that.  Reads of what has been freed and reads
# beyond a chunk show only if they leave the block.  What is on the stack, where most
# descriptions of ours are, is seen to the byte.  The same statements run with warpaggd,
# whose unit tests know of invalid accesses (AddressSanitizer) but not of what is
# uninitialised.
#

# Writes a program, of a name, that runs another one under valgrind; prints where it is.
# The file of a process's reports has its id in its name.
make_valgrind()
{
	local name=$1
	local program=$2
	local folder=$WA_TMP/valgrind-programs

	wa_as_user mkdir -p "$folder" "$WA_TMP/reports"
	cat >"$folder/$name" <<-END
		#!/bin/sh
		exec valgrind --quiet --xml=yes --xml-file="$WA_TMP/reports/$name.%p.xml" \
			--track-origins=yes --num-callers=30 --trace-children=yes \
			--trace-children-skip='*/warpaggd' \
			--suppressions="$WA_COPY/test/valgrind/postgres.supp" "$program" "\$@"
	END
	chmod 755 "$folder/$name"
	echo "$folder/$name"
}

# Says whether statements.sql has run to its end, with nodes that used resident columns
# and with workers, and shows the end of what it has printed if it has not.
valgrind_has_run()
{
	local output=$1

	if tail -n 1 "$output" | grep -qx 'the end' &&
		grep -q 'Resident Device: ' "$output" &&
		grep -q 'Workers Launched: ' "$output"; then
		return 0
	fi
	tail -n 60 "$output"
	return 1
}

# Plans and runs statements in a server and a device process that are under valgrind.
stage_valgrind()
{
	local output
	local rc=0
	local server

	wa_begin
	wa_user_copy
	start_preloaded valgrind "${QUIET[@]}" 'warpagg.min_device_rows = 0' \
		'shared_buffers = 32MB'
	output=$WA_TMP/valgrind.out
	wa_psql -f "$WA_COPY/test/valgrind/tables.sql"
	wa_as_user pg_ctl stop -s -w -m fast -D "$WA_TMP/valgrind"
	{
		echo "warpagg.daemon_path = '$(make_valgrind warpaggd "$WA_PKGLIBDIR/warpaggd")'"
		echo "warpagg.device_timeout = '2min'"
	} | wa_as_user tee -a "$WA_TMP/valgrind/postgresql.conf" >/dev/null
	server=$(make_valgrind postgres "$WA_BINDIR/postgres")
	wa_as_user pg_ctl start -s -w -t 300 -p "$server" -D "$WA_TMP/valgrind" \
		-l "$WA_SERVER_LOG" </dev/null
	wa_as_user psql -X -q -At -f "$WA_COPY/test/valgrind/statements.sql" \
		>"$output" 2>&1 || rc=$?
	check 'the statements have been run' test "$rc" -eq 0
	check 'they show what they are to show' valgrind_has_run "$output"
	check 'no process of the server crashed' server_log_is_clean
	wa_as_user pg_ctl stop -s -w -t 300 -m fast -D "$WA_TMP/valgrind"
	check 'valgrind has nothing to report about warpagg.so' \
		python3 "$WA_ROOT/test/valgrind/reports.py" warpagg.so -- \
		"$WA_TMP"/reports/postgres.*.xml
	check 'valgrind has nothing to report about warpaggd' \
		python3 "$WA_ROOT/test/valgrind/reports.py" warpaggd -- \
		"$WA_TMP"/reports/warpaggd.*.xml
	keep_logs "$output" "$WA_SERVER_LOG"
	report
}

#
# Random tests
#

# Runs a script of test/random against the running cluster.  Arguments: the file
# for its output, the script, then its own.
start_random()
{
	local log=$1
	local script=$2
	local rc=0

	shift 2
	PATH="$WA_BINDIR:$PATH" PYTHONDONTWRITEBYTECODE=1 \
		timeout "$((600 + ${WA_FRESHNESS_SECONDS:-0}))" \
		python3 "$WA_ROOT/test/random/$script" \
		"$@" >"$log" 2>&1 || rc=$?
	[ "$rc" -eq 0 ] || echo "status $rc" >>"$log"
}

# Shows what the server's log says of the device process, and of what failed with it.
show_device_log()
{
	wa_note "-- of the device process, from $(basename "$WA_SERVER_LOG"):"
	grep -E -A 3 'warpaggd: |device process of warpagg' "$WA_SERVER_LOG" |
		tail -n 60 || true
}

# Counts the tests of a script that has run; arguments as above.
count_random()
{
	local log=$1
	local passed
	local failed

	shift
	read -r passed failed <<<"$(sum_counts "$log")"
	sed -E '/^([0-9]+ passed, [0-9]+ failed|status [0-9]+)$/d' "$log" | head -n 400
	wa_note "-- $*: $passed passed, $failed failed"
	PASSED=$((PASSED + passed))
	FAILED=$((FAILED + failed))
	if grep -q '^status ' "$log" && [ "$failed" -eq 0 ]; then
		check "$1 ends with status 0" false
	fi
	! grep -q '^status ' "$log" || show_device_log
	keep_logs "$log"
}

# Runs a script of test/random and counts its tests.  Arguments: the script, then
# its own.
run_random()
{
	start_random "$WA_TMP/$1.log" "$@"
	count_random "$WA_TMP/$1.log" "$@"
}

# Runs random queries of the scan tier in databases of their own.  Arguments: those of
# the script, beside the seed.
run_scan_queries()
{
	local seed=${WA_RANDOM_SEED:-1}
	local last=$((seed + ${WA_SCAN_PROCESSES:-1} - 1))
	local i

	for ((i = seed; i <= last; i++)); do
		wa_psql -c "CREATE DATABASE scan_$i"
		PGDATABASE=scan_$i start_random "$WA_TMP/scan_$i.log" scan_queries.py \
			--seed "$i" "$@" &
	done
	wait
	for ((i = seed; i <= last; i++)); do
		count_random "$WA_TMP/scan_$i.log" scan_queries.py --seed "$i" \
			"$@"
	done
}

# Runs these random tests on a server that preloads warpagg.  Arguments: sets of
# floats, seconds for queries, then lines for postgresql.conf.
run_all_random()
{
	local seed=${WA_RANDOM_SEED:-1}
	local sets=$1
	local seconds=$2

	shift 2
	start_preloaded random 'warpagg.enable_scan = off' "$@"
	run_random exact_floats.py --seed "$seed" --sets "$sets"
	run_random exact_pairs.py --seed "$seed" --sets "$sets"
	run_random random_queries.py --seed "$seed" --seconds "$seconds"
	check 'no process of the server crashed' server_log_is_clean
	keep_logs "$WA_SERVER_LOG"
	report
}

# Runs random queries, and floats that are hard to add up, against oracles.
stage_random()
{
	run_all_random 54 "${WA_RANDOM_SECONDS:-20}"
}

# Runs them on the CUDA kernels, emulated on the CPU.
stage_random_emu()
{
	prepare_emulator
	run_all_random 18 "$((${WA_RANDOM_SECONDS:-20} / 2))" "${EMULATOR[@]}"
}

# Runs random queries with and without the scan node, after the test of the test.
stage_scan_random()
{
	start_preloaded random
	run_random scan_queries.py --self-test
	run_scan_queries --queries "${WA_SCAN_QUERIES:-300}" --nodes "${WA_SCAN_NODES:-40}"
	run_random scan_queries.py --first --resident --seed "${WA_RANDOM_SEED:-1}" \
		--queries "$((${WA_SCAN_QUERIES:-300} / 3))" --nodes "${WA_FIRST_NODES:-25}"
	check 'no process of the server crashed' server_log_is_clean
	keep_logs "$WA_SERVER_LOG"
	report
}

# Runs random queries over tables with partitions, of which some are resident.
stage_scan_partitions()
{
	start_preloaded partitions
	run_scan_queries --partitioned --resident --queries "${WA_PARTITION_QUERIES:-150}" \
		--nodes "${WA_PARTITION_NODES:-40}"
	check 'no process of the server crashed' server_log_is_clean
	keep_logs "$WA_SERVER_LOG"
	report
}

# Runs random queries over joins, of tables in the heap and of resident ones.
stage_scan_joins()
{
	local queries=${WA_JOIN_QUERIES:-150}

	start_preloaded joins
	run_scan_queries --joins --resident --queries "$queries" \
		--nodes "${WA_JOIN_NODES:-35}"
	run_random scan_queries.py --joins --partitioned --resident \
		--seed "${WA_RANDOM_SEED:-1}" --queries "$((queries / 3))"
	check 'no process of the server crashed' server_log_is_clean
	keep_logs "$WA_SERVER_LOG"
	report
}

#
# Resident columns
#

# Makes a PostgreSQL of its own, below WA_TMP, that has a test build of warpagg.so, and
# has the clusters to come be of that.  It finds its files by where its programs are.
use_test_build()
{
	local root=$WA_TMP/test-postgres
	local source

	wa_as_user mkdir -p "$root"
	wa_as_user cp -LR --parents "$WA_BINDIR" "$WA_PKGLIBDIR" \
		"$("$PG_CONFIG" --sharedir)" "$root"
	while read -r source; do
		rm -f "${source%.c}.o" "${source%.c}.bc" "$WA_COPY/warpagg.so"
	done < <(grep -rlE 'WA_TESTING|wa_debug_skip_rule' --include='*.c' "$WA_COPY/src")
	make --no-print-directory -s -C "$WA_COPY" PG_CONFIG="$PG_CONFIG" WA_TESTING=1 \
		warpagg.so
	WA_BINDIR=$root$WA_BINDIR
	WA_PKGLIBDIR=$root$WA_PKGLIBDIR
	wa_as_user cp -f "$WA_COPY/warpagg.so" "$WA_PKGLIBDIR/warpagg.so"
}

# Tests that resident columns are fresh.
stage_freshness()
{
	# With autovacuum, of the tables that have it, and with WAL of hints and whole pages.
	start_preloaded freshness 'autovacuum_naptime = 1s' 'max_prepared_transactions = 8' \
		'deadlock_timeout = 100ms' 'full_page_writes = on' 'wal_log_hints = on'
	run_random freshness_cases.py
	run_random freshness.py --seed "${WA_RANDOM_SEED:-1}" --used 40 \
		--seconds "${WA_FRESHNESS_SECONDS:-20}"
	run_random scan_queries.py --resident --seed "${WA_RANDOM_SEED:-1}" \
		--queries "$((${WA_SCAN_QUERIES:-300} / 3))"
	check 'no process of the server crashed' server_log_is_clean
	check 'the device process has not failed' device_has_not_failed
	keep_logs "$WA_SERVER_LOG"
	report
}

# The same of tables whose partitions come and go, which a loader follows.
stage_freshness_partitions()
{
	start_preloaded partitions 'warpagg.autoload = on' 'max_prepared_transactions = 8' \
		'deadlock_timeout = 100ms' 'full_page_writes = on'
	run_random freshness_partitions.py --seed "${WA_RANDOM_SEED:-1}" --used 40 \
		--seconds "${WA_FRESHNESS_SECONDS:-20}"
	check 'no process of the server crashed' server_log_is_clean
	check 'the device process has not failed' device_has_not_failed
	keep_logs "$WA_SERVER_LOG"
	report
}

# The same of relations that are joined, of which sessions keep what they have read.
stage_freshness_joins()
{
	start_preloaded joined 'warpagg.autoload = on' 'max_prepared_transactions = 8' \
		'deadlock_timeout = 100ms' 'full_page_writes = on'
	run_random freshness_joins.py --seed "${WA_RANDOM_SEED:-1}" --used 15 \
		--seconds "${WA_FRESHNESS_SECONDS:-20}"
	check 'no process of the server crashed' server_log_is_clean
	check 'the device process has not failed' device_has_not_failed
	keep_logs "$WA_SERVER_LOG"
	report
}

# Tests that these tests would see it if a rule were left out, as a test build can.
stage_freshness_rules()
{
	wa_begin
	wa_user_copy
	use_test_build
	# What is left out of WAL shows only where something is.
	start_preloaded rules "${QUIET[@]}" 'max_prepared_transactions = 8' \
		'deadlock_timeout = 100ms' 'wal_level = minimal' 'max_wal_senders = 0' \
		'wal_skip_threshold = 0'
	run_random freshness_cases.py --self-test
	check 'no process of the server crashed' server_log_is_clean
	keep_logs "$WA_SERVER_LOG"
	report
}

# Runs a short soak, which counts itself.
stage_soak()
{
	WA_PREBUILT=1 WA_SOAK_KILLS=${WA_SOAK_KILLS:-20} \
		WA_SOAK_CANCELS=${WA_SOAK_CANCELS:-100} \
		WA_SOAK_RELOADS=${WA_SOAK_RELOADS:-10} WA_SOAK_FILLS=${WA_SOAK_FILLS:-1} \
		exec "$WA_ROOT/scripts/soak.sh"
}

# Writes a program that runs warpaggd with several CPU devices; prints its name.
make_cpu_devices()
{
	local program=$WA_TMP/warpaggd-$1

	printf '#!/bin/sh\nexec "%s/warpaggd" --cpu-devices=%s "$@"\n' \
		"$WA_PKGLIBDIR" "$1" >"$program"
	chmod 755 "$program"
	echo "$program"
}

# Starts a server with so many devices of a kind.  Arguments: cpu or gpu, how many, then
# lines for postgresql.conf.
start_devices()
{
	local kind=$1
	local count=$2
	local found

	shift 2
	WA_DEVICE=$kind start_preloaded "$kind$count" 'max_prepared_transactions = 8' \
		"${QUIET[@]}" 'deadlock_timeout = 100ms' "$@"
	found=$(wa_psql -c "SELECT count(*) FROM warpagg_devices WHERE kind = '$kind'")
	check "there are $count devices of kind $kind ($found)" test "$found" -eq "$count"
}

# Tests resident columns with the devices that have been started: random queries, then
# regression tests, and ends the server.  Arguments: its name, then the tests.
test_devices()
{
	local name=$1

	shift
	run_regress test/regress/pg_regress "$WA_COPY" contrib_regression init "$@"
	check_fallbacks ''
	run_random scan_queries.py --resident --seed "${WA_RANDOM_SEED:-1}" \
		--queries "$((${WA_SCAN_QUERIES:-300} / 5))"
	check 'no process of the server crashed' server_log_is_clean
	wa_cluster_stop "$WA_TMP/$name"
}

# Tests resident columns that are spread over several devices.  Several CPU devices share
# what a single one has, which regress-preload and freshness test, but for where columns
# are said to be; GPUs have each their own.
stage_devices()
{
	local tests

	read -r -a tests <<<"$(regress_on_several)"
	prepare_emulator
	start_devices cpu 3 "warpagg.daemon_path = '$(make_cpu_devices 3)'"
	test_devices cpu3 resident resident_forms resident_spill
	WARPAGG_EMU_DEVICES=2 start_devices gpu 2 "${EMULATOR[@]}"
	test_devices gpu2 "${tests[@]}"
	WARPAGG_EMU_DEVICES=4 start_devices gpu 4 "${EMULATOR[@]}"
	run_random freshness_cases.py
	test_devices gpu4 "${DEVICES_COUNT[@]}"
	report
}

#
# Documents
#

# Runs a script of test/docs against the running cluster and counts its tests.
# Arguments: the script, then its own.
run_docs()
{
	local log=$WA_TMP/docs.log
	local passed
	local failed

	PATH="$WA_BINDIR:$PATH" PYTHONDONTWRITEBYTECODE=1 timeout 600 \
		python3 "test/docs/$1" "${@:2}" >"$log" 2>&1 || true
	read -r passed failed <<<"$(sum_counts "$log")"
	grep -vE '^[0-9]+ passed, [0-9]+ failed$' "$log" || true
	PASSED=$((PASSED + passed))
	FAILED=$((FAILED + failed))
	check "$1 ends as it should" grep -qE '^[1-9][0-9]* passed, 0 failed$' "$log"
}

# Runs the SQL of README.md and docs/ on a server that knows nothing of warpagg, as
# their readers do, and compares their tables with the catalog.
stage_docs()
{
	cd "$WA_ROOT"
	wa_begin
	wa_cluster_start docs "warpagg.device = 'cpu'" "${QUIET[@]}"
	run_docs run.py --self-test
	run_docs run.py README.md docs/*.md docs/internals/*.md
	PGDATABASE=mydb run_docs catalog.py docs
	check 'no process of the server crashed' server_log_is_clean
	keep_logs "$WA_SERVER_LOG"
	report
}

#
# Queries of the scan benchmark
#

# Compares both sides of the queries over a table and counts how many got the
# node in SCAN_NODES.  Arguments: what is special, then tables.
check_scan_queries()
{
	local special=$1
	local table
	local name

	shift
	for table in "$@"; do
		for name in $(scan_names "$table"); do
			check "$name$special: the same results" scan_same "$name"
			! scan_has_node "$name" || SCAN_NODES=$((SCAN_NODES + 1))
			SCAN_QUERIES=$((SCAN_QUERIES + 1))
		done
	done
}

# Says whether the comparison finds that two queries differ.
scan_differs()
{
	local rc=0

	scan_same_text "$@" >/dev/null || rc=$?
	[ "$rc" -eq 1 ]
}

# Says whether the comparison finds that queries fail.
scan_fails()
{
	local rc=0

	scan_same_text "$@" >/dev/null 2>&1 || rc=$?
	[ "$rc" -eq 2 ]
}

# Checks that the comparison notices differences, and failures.
check_scan_differences()
{
	check 'failures on both sides are noticed' scan_fails \
		'SELECT sum(nothing) FROM readings' 'SELECT sum(nothing) FROM readings'
	check 'another value is noticed' scan_differs \
		'SELECT sum(v) FROM readings' 'SELECT sum(v) + 1 FROM readings'
	check 'a missing group is noticed' scan_differs \
		'SELECT k, count(*) FROM readings GROUP BY k' \
		'SELECT k, count(*) FROM readings WHERE k > 0 GROUP BY k'
	check 'other rows below a limit are noticed' scan_differs \
		'SELECT k FROM readings LIMIT 5' 'SELECT k + 1 FROM readings LIMIT 5'
	check 'another number of rows below a limit is noticed' scan_differs \
		'SELECT k FROM readings LIMIT 5' 'SELECT k FROM readings LIMIT 6'
	check 'another order is noticed' scan_differs \
		'SELECT DISTINCT k FROM readings ORDER BY 1 DESC LIMIT 5' \
		'SELECT DISTINCT k FROM readings ORDER BY 1 LIMIT 5'
}

# Runs the queries of the scan benchmark over small tables, with and without the
# node, in one process and in several, and after changes.
stage_scan_queries()
{
	SCAN_NODES=0
	SCAN_QUERIES=0
	start_preloaded scan "${QUIET[@]}"
	scan_make_table readings rows=20000
	scan_make_table lineitem sf=0.01
	scan_make_table hits rows=20000
	scan_load_flights "$WA_ROOT/test/data/flights-sample.csv.xz"
	check_scan_differences
	check_scan_queries '' readings lineitem hits flights
	scan_update_readings
	check_scan_queries ', after an update' readings
	export PGOPTIONS='-c max_parallel_workers_per_gather=2 -c parallel_setup_cost=0
		-c parallel_tuple_cost=0 -c min_parallel_table_scan_size=0'
	check_scan_queries ', in parallel' readings lineitem hits flights
	check "$SCAN_NODES of $SCAN_QUERIES queries got the node" \
		test $((SCAN_NODES * 100)) -ge $((${WA_SCAN_NODES:-40} * SCAN_QUERIES))
	check 'no process of the server crashed' server_log_is_clean
	keep_logs "$WA_SERVER_LOG"
	report
}

#
# Benchmarks of joins
#

# Runs a benchmark of joins over small tables, looks whether their foreign keys hold, and
# says whether it ends with a status and leaves nothing.  What it prints goes to
# $WA_TMP/joins.out.  Arguments: the status, ssb or tpch, then variables to set.
joins_end()
{
	local rc=0

	env WA_PREBUILT=1 TMPDIR="$WA_TMP/joins" SF=0.01 BENCH_RUNS=1 VALIDATE=yes \
		"${@:3}" "$WA_ROOT/bench/$2.sh" >"$WA_TMP/joins.out" 2>&1 </dev/null || rc=$?
	cat "$WA_TMP/joins.out"
	[ "$rc" -eq "$1" ] && [ -z "$(ls -A "$WA_TMP/joins")" ]
}

# Says whether the table that it has printed has so many queries, of which so many at
# least have rows.
joins_table_has()
{
	awk -F ' *[|] *' -v all="$1" -v filled="$2" \
		'$2 ~ /^(given_|q[0-9])/ && $4 > 0 && $5 > 0 { n++; rows += $3 > 0 }
		END { exit n != all || rows < filled }' "$WA_TMP/joins.out"
}

# Says whether what it has printed has a line.
joins_say()
{
	grep -qE -- "$1" "$WA_TMP/joins.out"
}

# Writes a query of the user's to a file in a folder of WA_TMP.
give_query()
{
	mkdir -p "$WA_TMP/$1"
	cat >"$WA_TMP/$1/$2.sql"
}

# Runs both benchmarks, and one with queries of a user's: such as are measured, take too
# long, differ, or are several.
stage_bench_joins()
{
	wa_begin
	wa_as_user mkdir "$WA_TMP/joins"
	check 'the Star Schema Benchmark ends well' joins_end 0 ssb
	check 'it has 13 queries, of which 12 have rows' joins_table_has 13 12
	check "TPC-H's queries end well" joins_end 0 tpch
	check 'they are 22, of which 20 have rows' joins_table_has 22 20

	give_query given Some-Days <<-'END'
		-- Orders of a year; this is no statement.
		select d_month, count(*), '--;' -- and no text
		from lineorder, date where lo_orderdate = d_datekey
		and d_year = 1994 group by d_month;

	END
	give_query given slow <<<'SELECT count(*) FROM dates, pg_sleep(5)'
	check 'queries of a folder end well, over the heap' joins_end 0 ssb RESIDENT=no \
		TIMEOUT=2 QUERIES='given_some_days q1_1 given_slow' QUERIES_DIR="$WA_TMP/given"
	check 'one is measured, beside our own' joins_table_has 2 2
	check 'one that takes too long is left out' \
		joins_say "^\| left out.*\| given_slow \\(PostgreSQL's plan\\) \|$"

	give_query differs random <<<'SELECT random()'
	check 'results that differ end the benchmark' joins_end 1 ssb QUERIES=given_random \
		QUERIES_DIR="$WA_TMP/differs"
	check 'it says so' joins_say '^error: results of given_random differ$'
	give_query several two <<<'SELECT 1; SELECT 2;'
	check 'a file of two statements ends it' joins_end 1 ssb QUERIES_DIR="$WA_TMP/several"
	check 'it says so, too' joins_say '^error: .*/two.sql is not one query$'
	report
}

#
# The benchmark of aggregates
#

# Runs it over few rows and says whether it ends with a status and leaves nothing.  What it
# prints goes to $WA_TMP/aggregates.out.  Arguments: the status, then variables to set.
aggregates_end()
{
	local rc=0

	env WA_PREBUILT=1 TMPDIR="$WA_TMP/aggregates" ROWS=20000 BENCH_RUNS=1 "${@:2}" \
		"$WA_ROOT/bench/aggregates.sh" >"$WA_TMP/aggregates.out" 2>&1 </dev/null || rc=$?
	cat "$WA_TMP/aggregates.out"
	[ "$rc" -eq "$1" ] && [ -z "$(ls -A "$WA_TMP/aggregates")" ]
}

# Says whether the table that it has printed has so many queries, all of which have rows and
# the node over resident columns, but for so many that have it over the heap.
aggregates_table_has()
{
	awk -F ' *[|] *' -v all="$1" -v others="$2" '$9 ~ /^(heap|PostgreSQL), / {
			n++; rows += $3 > 0 && $4 > 0 && $5 > 0 && $7 > 0
			resident += $9 ~ /, resident$/; heap += $9 ~ /, heap$/ }
		END { exit n != all || rows != all || heap != others || resident + heap != all }' \
		"$WA_TMP/aggregates.out"
}

# Makes what the benchmark looks for in a checkout of ClickBench: a table, and a query a line.
make_checkout()
{
	mkdir -p "$WA_TMP/checkout/postgresql"
	sed '/^\\if/,$d; s/view_id/view_number/' "$WA_ROOT/bench/scan/hits.sql" \
		>"$WA_TMP/checkout/postgresql/create.sql"
	cat >"$WA_TMP/checkout/postgresql/queries.sql" <<'SQL'
SELECT count(view_number) FROM hits;
SELECT user_id, count(*) FROM hits GROUP BY user_id ORDER BY count(*) DESC LIMIT 10 OFFSET 5;
SQL
}

# Runs all queries of the benchmark, which compares their results, and some that it has not.
stage_bench_aggregates()
{
	wa_begin
	wa_as_user mkdir "$WA_TMP/aggregates"
	check 'the benchmark of aggregates ends well' aggregates_end 0
	check 'it has 28 queries, all but 7 of which use resident columns' aggregates_table_has 28 7
	check 'a query that it has not ends it' aggregates_end 1 QUERIES='users nothing'
	check 'it says so' grep -q '^error: no query "nothing"$' "$WA_TMP/aggregates.out"
	check 'it ends well over numbers' aggregates_end 0 TABLES=measures BASELINE_RUNS=1
	check 'it has 7 queries of these' aggregates_table_has 7 0
	make_checkout
	check 'it ends well over a checkout of others' aggregates_end 0 TABLES=hits CLICKBENCH="$WA_TMP/checkout"
	check 'it has 2 queries of these' aggregates_table_has 2 0
	report
}

#
# TAP tests
#

# Runs test/t/*.pl as PGXS's prove_installcheck does, but two at a time, as they wait more
# than they work, and counts the subtests.
stage_tap()
{
	local rc=0
	local passed
	local failed
	local log

	wa_begin
	wa_user_copy
	log=$WA_TMP/tap.log
	compgen -G "$WA_COPY/test/t/*.pl" >/dev/null || wa_die 'no test/t/*.pl'
	# shellcheck disable=SC2016 # expanded by the inner shell
	wa_as_user env TESTDIR="$WA_COPY" TESTDATADIR="$WA_COPY/tmp_check" \
		TESTLOGDIR="$WA_COPY/tmp_check/log" PGPORT=65432 \
		PG_REGRESS="$WA_PGXS_SRC/test/regress/pg_regress" \
		WARPAGG_TEST_DEVICE="${WA_DEVICE:-auto}" \
		PERL5LIB="$WA_PGXS_SRC/test/perl:$WA_COPY/test/t${PERL5LIB:+:$PERL5LIB}" \
		bash -c 'cd "$1" && shift && exec "$@" test/t/*.pl' - "$WA_COPY" \
		"${WA_PROVE:-prove}" --jobs 2 --verbose --timer \
		>"$log" 2>&1 </dev/null || rc=$?
	grep -vE '^(ok [0-9]|# (Checking|Running|Taking|Initial|waiting)|### |Name: |Data |Backup |Archive |Connection |Log file)' \
		"$log" | tail -n 300
	passed=$(grep -cE '^ok [0-9]+' "$log" || true)
	failed=$(grep -cE '^not ok [0-9]+' "$log" || true)
	PASSED=$((PASSED + passed))
	FAILED=$((FAILED + failed))
	if [ "$rc" -ne 0 ]; then
		[ "$failed" -gt 0 ] || check 'prove ends with status 0' false
		show_tap_logs "$log"
	fi
	keep_logs "$log"
	report
}

# Shows the end of the logs of the tests that prove's summary calls failed: of their
# servers, then of the tests themselves.
show_tap_logs()
{
	local name
	local file

	sed -n 's|^test/t/\(.*\)\.pl *(Wstat: .*|\1|p' "$1" | while read -r name; do
		for file in "$WA_COPY"/tmp_check/log/{"$name"_*.log,regress_log_"$name"}; do
			[ -f "$file" ] || continue
			wa_note "-- end of $(basename "$file"):"
			tail -n 25 "$file"
		done
	done
}

#
# Main
#

# Prints what failed in a stage, and how a regression test's output differs, in few
# lines: of a long log often only the end is kept.
summarize_failures()
{
	local log=$LOGS/$1.log

	grep -E '^FAILED |\.\.\. FAILED|^not ok ' "$log" |
		head -n 10 | sed "s/^/$1: /"
	grep -E '^[-+]([^-]|$)' "$log" | head -n 20 | cut -c 1-160 || true
}

# Adds the counts of a stage that has ended, and notes its line for the table at
# the end.  Arguments: the stage, its status, and when it started.
count_stage()
{
	local stage=$1
	local rc=$2
	local start=$3
	local passed
	local failed

	read -r passed failed <<<"$(sum_counts "$LOGS/$stage.log")"
	if [ "$rc" -ne 0 ] && [ "$failed" -eq 0 ]; then
		wa_note "FAILED  stage $stage ended with status $rc"
		failed=1
	elif [ $((passed + failed)) -eq 0 ]; then
		wa_note "FAILED  stage $stage ran no test"
		failed=1
	fi
	PASSED=$((PASSED + passed))
	FAILED=$((FAILED + failed))
	[ "$failed" -eq 0 ] || FAILURES+=$(summarize_failures "$stage")$'\n'
	TABLE+=$(printf '%-16s %5d passed %4d failed %5d s' \
		"$stage" "$passed" "$failed" $((SECONDS - start)))$'\n'
}

# Runs one stage in a process of its own and shows what it prints.
run_stage()
{
	local stage=$1
	local start=$SECONDS
	local limit=()
	local rc=0

	printf '\n=== %s\n' "$stage"
	# At a terminal a stage must stay in the foreground to see Ctrl-C.
	[ -t 0 ] || limit=("${STAGE_LIMIT[@]}")
	${limit[@]+"${limit[@]}"} "$WA_ROOT/scripts/test.sh" --stage "$stage" 2>&1 |
		tee "$LOGS/$stage.log" || rc=$?
	count_stage "$stage" "$rc" "$start"
}

# Waits until one of the stages in RUNNING ends, and shows what it has printed.
finish_stage()
{
	local stage
	local start
	local pid
	local rc=0

	wait -n -p pid "${!RUNNING[@]}" || rc=$?
	read -r stage start <<<"${RUNNING[$pid]}"
	unset "RUNNING[$pid]"
	printf '\n=== %s\n' "$stage"
	cat "$LOGS/$stage.log"
	count_stage "$stage" "$rc" "$start"
}

# Runs stages side by side, WA_STAGE_JOBS at a time.
run_stages()
{
	local processors
	local jobs
	local stage

	processors=$(nproc)
	jobs=${WA_STAGE_JOBS:-$((processors < 3 ? processors + 1 : 4))}
	for stage in "$@"; do
		[ ${#RUNNING[@]} -lt "$jobs" ] || finish_stage
		wa_note "-- $stage starts"
		"${STAGE_LIMIT[@]}" "$WA_ROOT/scripts/test.sh" --stage "$stage" \
			>"$LOGS/$stage.log" 2>&1 </dev/null &
		RUNNING[$!]="$stage $SECONDS"
	done
	while [ ${#RUNNING[@]} -gt 0 ]; do
		finish_stage
	done
}

# Ends the stages that still run, each of which cleans up; the EXIT trap.
end_stages()
{
	local pid

	for pid in "${!RUNNING[@]}"; do
		kill -TERM "$pid" 2>/dev/null || true
	done
	wait
	rm -rf "$LOGS"
}

# Runs all the stages named and prints the total.
main()
{
	local stage
	local copies=()

	wa_install_deps build test lint
	LOGS=$(mktemp -d "${TMPDIR:-/tmp}/warpagg-test.XXXXXX")
	STAGE_LIMIT=(timeout -k 120
		"$((${WA_STAGE_LIMIT:-2400} + ${WA_FRESHNESS_SECONDS:-0}))")
	TABLE=
	FAILURES=
	declare -gA RUNNING=()
	trap end_stages EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	for stage in "$@"; do
		case $stage in
			build | build-fast | unit | emu | install)
				run_stage "$stage"
				;;
			unit-fast)
				# No copy has this folder, and it is not to appear while one is made.
				mkdir -p "$WA_ROOT/build/unit"
				copies+=("$stage")
				;;
			fuzz)
				# Not while copies are made, nor while others install.
				wa_install_deps fuzz
				mkdir -p "$WA_ROOT/build/fuzz"
				copies+=("$stage")
				;;
			*) copies+=("$stage") ;;
		esac
	done
	run_stages ${copies[@]+"${copies[@]}"}
	printf '\n=== summary\n%s\n%s' "$TABLE" "$FAILURES"
	report
}

if [ "${1:-}" = --stage ]; then
	STAGE=$2
	declare -F "stage_${STAGE//-/_}" >/dev/null || wa_die "no stage \"$STAGE\""
	wa_find_postgres
	"stage_${STAGE//-/_}"
else
	case ${1:-} in
		'') set -- "${STAGES[@]}" ;;
		--fast)
			WA_STAGE_JOBS=${WA_STAGE_JOBS:-${#FAST[@]}}
			set -- "${FAST[@]}"
			;;
	esac
	main "$@"
fi
