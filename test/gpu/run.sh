#!/usr/bin/env bash
#
# run.sh
#	  Runs the tests and benchmarks on a machine that has a GPU but no
#	  PostgreSQL: unpacks the bundle that pack.sh made, and works from there.
#	  Run as root in the repository's root, with .gpu/ beside it.
#
# Usage: test/gpu/run.sh [STAGE...]
#	Stages: kernels check-programs sanitizer regress regress-preload random scan-random
#	scan-partitions scan-joins freshness maps demo tap bench-kernels bench-groups
#	bench-programs bench-sorts bench-ladder ncu bench-sql bench-family bench-scan bench-resident bench-churn bench-partitions
#	bench-ssb bench-tpch bench-aggregates bench-rows-first bench-builds.
#	Default: kernels regress maps demo.
#
# Each stage has its own time limit, and all of them together WA_GPU_BUDGET.
# What comes back lies in $OUT, at most 8 files: summary.txt, and a log or table
# for each stage.  The exit status is 0 only if all stages passed.
#
# Variables:
#	OUT				where logs go (default ./gpu-out)
#	WA_GPU_BUNDLE	the folder that pack.sh made (default ./.gpu)
#	WA_GPU_PREFIX	where to unpack (default /opt/warpagg-gpu)
#	WA_GPU_DEVICE	gpu (default); cpu tries this script where there is no GPU
#	WA_GPU_BUDGET	seconds for everything (default 540)
#	WA_RUN_USER		the user that PostgreSQL runs as (default: warpagg, made here)
#	ROWS, RUNS, PROCESSES, SHARED_BUFFERS	see bench/aggregate.sh
#	TABLES, QUERIES, BENCH_ROWS, TPCH_SF, HITS_ROWS, BENCH_RUNS, WORK_MEM	see
#					bench/scan.sh
#	PARTS, LOAD_COLUMNS, LOADS, CONNECTIONS, BENCH_SECONDS, BIG_ROWS, MEMORY_LIMIT,
#	MAX_BASELINE_MS	see bench/resident.sh
#	ROWS, INSERTS, BATCH, UPDATES, CLIENTS, BENCH_SECONDS, QUIET, REST, PACE, COMPARE,
#	PROCESSES, SETTINGS	see bench/churn.sh
#	SF, QUERIES and others	see bench/joins/lib.sh
#	PARTS, ROUNDS and others	see bench/builds.sh
#	TMPDIR			where throw-away clusters are made (default /tmp)

set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
OUT=${OUT:-$ROOT/gpu-out}
BUNDLE=${WA_GPU_BUNDLE:-$ROOT/.gpu}
PREFIX=${WA_GPU_PREFIX:-/opt/warpagg-gpu}
DEVICE=${WA_GPU_DEVICE:-gpu}
BUDGET=${WA_GPU_BUDGET:-540}
TESTS=$PREFIX/tests

# Prints the seconds that a stage may take.
stage_limit()
{
	case $1 in
		kernels) echo 120 ;;
		check-programs) echo 120 ;;
		sanitizer) echo 300 ;;
		regress | regress-preload) echo 400 ;;
		maps) echo 60 ;;
		demo) echo 120 ;;
		tap) echo 240 ;;
		bench-kernels) echo 180 ;;
		bench-groups) echo 180 ;;
		bench-programs) echo 120 ;;
		bench-ladder | bench-sorts) echo 120 ;;
		ncu) echo 240 ;;
		bench-sql) echo 400 ;;
		bench-family) echo 200 ;;
		bench-scan) echo 570 ;;
		bench-resident | bench-churn | bench-partitions | bench-ssb | bench-tpch | bench-aggregates | bench-rows-first | bench-builds) echo 570 ;;
		random) echo 120 ;;
		scan-random | scan-partitions | scan-joins | freshness) echo 500 ;;
		*) return 1 ;;
	esac
}

# Prints the file in $OUT that a stage writes.
stage_file()
{
	case $1 in
		bench-* | ncu) echo "$OUT/$1.md" ;;
		maps | demo) echo "$OUT/demo.log" ;;
		*) echo "$OUT/$1.log" ;;
	esac
}

#
# Set-up
#

# Prints an .xz file unpacked, with xz or else with Python.
unxz_file()
{
	if command -v xz >/dev/null 2>&1; then
		xz -dc -- "$1"
	else
		python3 -c 'import lzma, shutil, sys
shutil.copyfileobj(lzma.open(sys.argv[1]), sys.stdout.buffer)' "$1"
	fi
}

# Unpacks the bundle, unless this very bundle is there already.
unpack()
{
	local stamp=$PREFIX/MANIFEST
	local data

	[ -r "$BUNDLE/bundle.tar.xz" ] || { echo "no bundle in $BUNDLE; run test/gpu/pack.sh"; exit 1; }
	if ! cmp -s "$BUNDLE/MANIFEST" "$stamp"; then
		rm -rf "$PREFIX"
		mkdir -p "$PREFIX"
		unxz_file "$BUNDLE/bundle.tar.xz" | tar -C "$PREFIX" --no-same-owner -xf -
		drop_known_libraries
		data=$BUNDLE/flights.csv.xz
		[ -r "$data" ] || data=$ROOT/test/data/flights-sample.csv.xz
		unxz_file "$data" >"$PREFIX/flights.csv"
		cp "$BUNDLE/MANIFEST" "$stamp"
	fi
	add_zones
}

# Removes from the bundle the libraries that the machine has itself: its own
# programs are started with the bundle's folder in their path, too.
drop_known_libraries()
{
	local file

	for file in "$PREFIX"/lib/*; do
		if ldconfig -p | grep -qF "$(basename "$file") ("; then
			rm "$file"
		fi
	done
}

# Adds the time zones that the machine lacks.
add_zones()
{
	[ "$(id -u)" -eq 0 ] && [ ! -e /usr/share/zoneinfo/PST8PDT ] || return 0
	mkdir -p /usr/share/zoneinfo
	cp -rn "$PREFIX/zoneinfo/." /usr/share/zoneinfo/
}

# Makes the user that PostgreSQL runs as.
make_user()
{
	WA_RUN_USER=${WA_RUN_USER:-warpagg}
	[ "$(id -u)" -ne 0 ] || id "$WA_RUN_USER" >/dev/null 2>&1 ||
		useradd --system --no-create-home --shell /usr/sbin/nologin "$WA_RUN_USER"
	export WA_RUN_USER
}

# Sets the environment in which the bundle's programs and our scripts run.
set_environment()
{
	PG_CONFIG=$PREFIX$(sed -n 's/^bindir: *//p' "$PREFIX/MANIFEST")/pg_config
	export PG_CONFIG
	export WA_PREBUILT=1
	export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$PREFIX/lib
	export PERL5LIB=$PREFIX/perl
	export WA_DEVICE=$DEVICE
	export WA_PROVE=$PREFIX/perl/prove
	WA_REGRESS=$(cat "$TESTS/REGRESS")
	WA_COMMIT=$(sed -n 's/^commit: *//p' "$PREFIX/MANIFEST")
	export WA_REGRESS WA_COMMIT
}

#
# Stages; each runs in a process of its own, and its status is the verdict.
#

# The kernels against the CPU device, on random and edge inputs.
stage_kernels()
{
	local rc=0

	"$TESTS/check_kernels" || rc=1
	"$TESTS/check_block" 4 || rc=1
	"$TESTS/check_groups" 1 2 || rc=1
	"$TESTS/check_primitives" || rc=1
	return "$rc"
}

# Query programs and the numbering of groups against the CPU's.
stage_check_programs()
{
	local rc=0

	"$TESTS/check_programs" || rc=1
	"$TESTS/check_wide_programs" || rc=1
	"$TESTS/check_keys" || rc=1
	return "$rc"
}

# The same under three tools of compute-sanitizer, all at the same time.
# check_kernels provokes errors of CUDA's functions on purpose, which memcheck need
# not report; under the other tools a launch takes long, so they get the short form.
stage_sanitizer()
{
	local rc=0
	local tool
	local logs
	local log

	logs=$(mktemp -d)
	sanitize check_kernels memcheck --report-api-errors no -- 1 \
		>"$logs/kernels-memcheck" 2>&1 &
	for tool in memcheck synccheck racecheck; do
		[ "$tool" = memcheck ] || sanitize check_kernels "$tool" -- --short 1 \
			>"$logs/kernels-$tool" 2>&1 &
		sanitize check_groups "$tool" -- --short 1 >"$logs/groups-$tool" 2>&1 &
		sanitize check_programs "$tool" -- --short 1 >"$logs/programs-$tool" 2>&1 &
		sanitize check_wide_programs "$tool" -- 1 >"$logs/wide-$tool" 2>&1 &
		sanitize check_keys "$tool" -- --short 1 >"$logs/keys-$tool" 2>&1 &
		sanitize check_primitives "$tool" -- >"$logs/primitives-$tool" 2>&1 &
	done
	wait
	for log in "$logs"/*; do
		cat "$log"
		! grep -q '^FAILED' "$log" && grep -q '0 errors\|0 hazards' "$log" || rc=1
	done
	rm -r "$logs"
	return "$rc"
}

# Runs a test under a tool.  Arguments: the test, the tool, options for it, --,
# and arguments for the test.
sanitize()
{
	local program=$1
	local tool=$2
	local options=()

	shift 2
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	echo "== $tool $program"
	timeout 270 compute-sanitizer --tool "$tool" --error-exitcode 9 ${options[@]+"${options[@]}"} \
		"$TESTS/$program" "$@" || { echo "FAILED  $tool $program"; return 1; }
}

# The regression suite, without preload or with; every reduction must have run
# on the device, and nothing may have fallen back.
stage_regress()
{
	WA_CHECK_DEVICE=$DEVICE bash "$ROOT/scripts/test.sh" --stage regress
}
stage_regress_preload()
{
	WA_CHECK_DEVICE=$DEVICE bash "$ROOT/scripts/test.sh" --stage regress-preload
}

# Random queries, and floats that are hard to add up, with all buffers reduced on
# the device.
stage_random()
{
	bash "$ROOT/scripts/test.sh" --stage random
}

# Random queries of the scan tier: WA_SCAN_PROCESSES and the like as for
# scripts/test.sh.
stage_scan_random()
{
	bash "$ROOT/scripts/test.sh" --stage scan-random
}

# Likewise over tables with partitions.
stage_scan_partitions()
{
	bash "$ROOT/scripts/test.sh" --stage scan-partitions
}

# Likewise with joins.
stage_scan_joins()
{
	bash "$ROOT/scripts/test.sh" --stage scan-joins
}

# Changes beside queries over resident columns.
stage_freshness()
{
	bash "$ROOT/scripts/test.sh" --stage freshness
}

# The TAP tests, where the machine's Perl can run them.
stage_tap()
{
	local perl_dir

	perl_dir=$(dirname "$("$PG_CONFIG" --pgxs)")/../test/perl
	if ! perl -I "$perl_dir" -MTest::More -MPostgreSQL::Test::Cluster -e 1; then
		echo "this machine's Perl cannot run the TAP tests"
		return 1
	fi
	# They kill the device process and expect queries to go on.
	WA_DEVICE=auto bash "$ROOT/scripts/test.sh" --stage tap
}

# The demo, over the full data if the bundle has it.
stage_demo()
{
	bash "$ROOT/scripts/demo.sh" "$PREFIX/flights.csv" | tee "$PREFIX/demo.out"
	[ "$DEVICE" != gpu ] || grep -E '^device used: .*\(gpu\)' "$PREFIX/demo.out"
}

# While a parallel query runs: the device process, and nothing else of the
# cluster, maps libcuda.
stage_maps()
{
	# shellcheck source=scripts/lib.sh
	. "$ROOT/scripts/lib.sh"
	wa_begin
	wa_cluster_start maps "shared_preload_libraries = 'warpagg'" \
		"warpagg.min_device_rows = 0" "warpagg.device = '$DEVICE'" \
		"max_parallel_workers_per_gather = 4" "parallel_setup_cost = 0" \
		"parallel_tuple_cost = 0" "min_parallel_table_scan_size = 0" \
		"warpagg.enable_scan = off"
	wa_psql -c 'CREATE EXTENSION warpagg' \
		-c 'CREATE TABLE t AS SELECT g AS x FROM generate_series(1, 4000000) AS g' \
		-c 'ANALYZE t'
	wa_wait_device 60
	# Each reduction is held up, so that the processes live to be looked at.
	(for _ in 1 2 3 4; do
		wa_psql -c "SET warpagg.debug_delay = '500ms'" -c 'SELECT gpu_sum(x) FROM t'
	done) &
	sample_maps "$WA_TMP/maps" $!
	wait $!
	sort "$WA_TMP/maps.samples" | uniq -c
	judge_maps "$WA_TMP/maps.samples"
}

# Writes a line "PROGRAM yes|no|unreadable" for each process of a cluster, again
# and again while a process lives.  Arguments: data directory, process id.
sample_maps()
{
	local process
	local maps

	: >"$1.samples"
	while kill -0 "$2" 2>/dev/null; do
		for process in $(wa_cluster_processes "$1"); do
			maps=$(cat "/proc/$process/maps" 2>/dev/null) || continue
			[ -n "$maps" ] || continue
			if grep -q libcuda <<<"$maps"; then maps=yes; else maps=no; fi
			echo "$(process_title "$process") $maps" >>"$1.samples"
		done
		sleep 0.1
	done
}

# Prints a name for a process: of its program, and what PostgreSQL says it is.
process_title()
{
	local program
	local title

	program=$(basename "$(readlink "/proc/$1/exe" 2>/dev/null || echo gone)")
	title=$(tr '\0' ' ' <"/proc/$1/cmdline" 2>/dev/null || true)
	case $title in
		postgres:\ parallel*) echo "$program:parallel-worker" ;;
		postgres:\ postgres*) echo "$program:backend" ;;
		postgres:*) echo "$program:$(cut -d ' ' -f 2-3 <<<"$title" | tr ' ' '-')" ;;
		*) echo "$program" ;;
	esac
}

# Says whether the samples show what they should.
judge_maps()
{
	local expected=yes
	local rc=0

	[ "$DEVICE" = gpu ] || expected=no
	grep -q "^warpaggd $expected\$" "$1" || { echo "FAILED  warpaggd maps libcuda: expected $expected"; rc=1; }
	grep -q '^postgres:backend' "$1" || { echo 'FAILED  no backend was seen'; rc=1; }
	grep -q '^postgres:parallel-worker' "$1" || { echo 'FAILED  no parallel worker was seen'; rc=1; }
	if grep -v '^warpaggd' "$1" | grep ' yes$'; then
		echo 'FAILED  another process maps libcuda'
		rc=1
	fi
	[ "$rc" -ne 0 ] || echo "ok      libcuda is mapped by warpaggd only ($expected there)"
	return "$rc"
}

# Prints the head of a page of measurements.  Arguments: title, stage, sources.
print_head()
{
	cat <<TEXT
# $1

| | |
|---|---|
| date | $(date -u +%Y-%m-%d) |
| commit | $WA_COMMIT |
| GPU, driver | $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -n 1) |
| made by | \`test/gpu/run.sh $2\` ($3) |

TEXT
}

# Kernel bandwidth beside CUB's and the memory's.
stage_bench_kernels()
{
	print_head 'Reduction kernels beside cub::DeviceReduce' bench-kernels \
		bench/kernels.cu
	"$TESTS/bench_kernels" /dev/null
}

# Grouped reductions, by the number of groups.
stage_bench_groups()
{
	print_head 'Grouped reductions' bench-groups bench/groups.cu
	"$TESTS/bench_groups" /dev/null
}

# Query programs and the numbering of groups.
stage_bench_programs()
{
	print_head 'Query programs' bench-programs bench/programs.cu
	"$TESTS/bench_programs" /dev/null
}

# The sorts that distinct values and percentiles are found by.
stage_bench_sorts()
{
	print_head "CUB's sorts" bench-sorts bench/sorts.cu
	"$TESTS/bench_sorts" /dev/null
}

# The steps of a sum side by side, up to the production kernel and CUB.
stage_bench_ladder()
{
	print_head 'The steps of a sum reduction' bench-ladder bench/ladder
	"$TESTS/bench_ladder" /dev/null
}

# What the hardware counters say of the main kernels.  Where they cannot be read
# that is said, and is no failure.
stage_ncu()
{
	print_head 'The kernels under Nsight Compute' ncu 'bench/gpu/ncu_table.py'
	cat <<'TEXT'
Each kernel once over 1 GiB of values, caches flushed before it, clocks not locked.
DRAM % is of the peak of the memory; occupancy, of the warps a multiprocessor can
hold; issue slots busy, of the cycles of its schedulers. Stalls: for each instruction
issued, the warps that waited for the reason. Kernels that take less than a hundredth
of their case are left out.
TEXT
	profile_program bench_kernels
	profile_program bench_groups
}

# Prints the table of a benchmark's profile.
profile_program()
{
	local cases=$PREFIX/$1.cases
	local csv=$PREFIX/$1.csv
	local metrics=gpu__time_duration.sum

	metrics+=,dram__throughput.avg.pct_of_peak_sustained_elapsed
	metrics+=,dram__bytes_read.sum.per_second
	metrics+=,sm__warps_active.avg.pct_of_peak_sustained_active
	metrics+=,launch__registers_per_thread
	metrics+=,smsp__issue_active.avg.pct_of_peak_sustained_active
	printf '\n## %s\n\n' "$1"
	if ! command -v ncu >/dev/null 2>&1; then
		echo 'ncu cannot read counters here: there is no ncu.'
		return 0
	fi
	# Nothing may be left of another run.
	: >"$cases"
	: >"$csv"
	# The section has the reasons to wait, whatever they are called on this GPU.
	ncu --clock-control none --profile-from-start off --csv --page raw \
		--print-units base --metrics "$metrics" --section WarpStateStats \
		--log-file "$csv" "$TESTS/$1" --profile "$cases" \
		>"$PREFIX/$1.out" 2>&1 || true
	if ! python3 "$ROOT/bench/gpu/ncu_table.py" "$csv" "$cases"; then
		echo 'ncu cannot read counters here; it says:'
		echo
		grep -hv '^"' "$csv" "$PREFIX/$1.out" | tail -n 5 | sed 's/^/    /' || true
	fi
}

# gpu_sum beside sum over a large table.
stage_bench_sql()
{
	bash "$ROOT/bench/aggregate.sh" 2>"$PREFIX/bench.err" ||
		{ cat "$PREFIX/bench.err"; return 1; }
}

# The whole family beside the built-ins, in one process.
stage_bench_family()
{
	bash "$ROOT/bench/family.sh" 2>"$PREFIX/bench.err" ||
		{ cat "$PREFIX/bench.err"; return 1; }
}

# The scan tier beside PostgreSQL's own plans, by number of processes.
stage_bench_scan()
{
	bash "$ROOT/bench/scan.sh" 2>"$PREFIX/bench.err" ||
		{ cat "$PREFIX/bench.err"; return 1; }
}

# Resident columns: loads, queries, many connections, one very large table.
stage_bench_resident()
{
	bash "$ROOT/bench/resident.sh" 2>"$PREFIX/bench.err" ||
		{ cat "$PREFIX/bench.err"; return 1; }
}

# Resident columns of a table that is written to; what was measured over time, and a
# picture of it, lie beside the table.
stage_bench_churn()
{
	SERIES=$OUT/bench-churn.csv bash "$ROOT/bench/churn.sh" 2>"$PREFIX/bench.err" ||
		{ cat "$PREFIX/bench.err"; return 1; }
}

# Queries over a table with partitions, beside the same rows in one without.
stage_bench_partitions()
{
	run_bench partitions.sh
}

# The Star Schema Benchmark.
stage_bench_ssb()
{
	run_bench ssb.sh
}

# The queries of TPC-H.
stage_bench_tpch()
{
	run_bench tpch.sh
}

# Aggregates with DISTINCT and grouping sets.
stage_bench_aggregates()
{
	run_bench aggregates.sh
}

# The first rows of a table.
stage_bench_rows_first()
{
	run_bench rows_first.sh
}

# Runs a script of bench; says what went wrong.
run_bench()
{
	bash "$ROOT/bench/$1" 2>"$PREFIX/bench.err" ||
		{ cat "$PREFIX/bench.err"; return 1; }
}

# This build beside another, which pack.sh was given.
stage_bench_builds()
{
	local config=${PG_CONFIG#"$PREFIX"}

	if [ ! -d "$PREFIX/old" ]; then
		mkdir -p "$PREFIX/old"
		cp -r "$PREFIX/$(cut -d / -f 2 <<<"$config")" "$PREFIX/old/"
		unxz_file "$BUNDLE/old.tar.xz" | tar -C "$PREFIX/old" --no-same-owner -xf -
	fi
	OLD_PG_CONFIG=$PREFIX/old$config \
		OLD_COMMIT=$(sed -n 's/^old: *//p' "$PREFIX/MANIFEST") \
		bash "$ROOT/bench/builds.sh" 2>"$PREFIX/bench.err" ||
		{ cat "$PREFIX/bench.err"; return 1; }
}

#
# Main
#

# Runs one stage within its limit and what is left of the budget; adds a line to
# the summary.
run_stage()
{
	local stage=$1
	local limit
	local left=$((BUDGET - SECONDS))
	local start=$SECONDS
	local rc=0
	local file

	limit=$(stage_limit "$stage")
	file=$(stage_file "$stage")
	[ "$limit" -le "$left" ] || limit=$left
	printf '\n=== %s (limit %d s)\n' "$stage" "$limit"
	if [ "$limit" -lt 10 ]; then
		echo "$stage: not run, the budget of $BUDGET s is spent" | tee -a "$SUMMARY"
		return 1
	fi
	timeout -k 25 "$limit" bash "$ROOT/test/gpu/run.sh" --stage "$stage" 2>&1 |
		tee -a "$file" || rc=$?
	printf '%-14s %-10s %4d s  %s\n' "$stage" "$(verdict "$rc")" \
		$((SECONDS - start)) "$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$file" | tr '\n' ';' || true)" >>"$SUMMARY"
	return "$rc"
}

# Prints what an exit status means.
verdict()
{
	case $1 in
		0) echo passed ;;
		124 | 137) echo 'TIMED OUT' ;;
		*) echo FAILED ;;
	esac
}

# Sets everything up and runs the stages.
main()
{
	local stage
	local rc=0

	for stage in "$@"; do
		stage_limit "$stage" >/dev/null || { echo "no stage \"$stage\""; exit 2; }
	done
	mkdir -p "$OUT"
	SUMMARY=$OUT/summary.txt
	for stage in "$@"; do
		rm -f "$(stage_file "$stage")"
	done
	unpack
	make_user
	set_environment
	{
		cat "$PREFIX/MANIFEST"
		nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null ||
			echo 'no GPU'
		echo "unpacked in $SECONDS s"
	} >"$SUMMARY"
	for stage in "$@"; do
		run_stage "$stage" || rc=1
	done
	printf '\n=== summary\n'
	cat "$SUMMARY"
	return "$rc"
}

if [ "${1:-}" = --stage ]; then
	cd "$ROOT"
	"stage_${2//-/_}"
else
	[ $# -gt 0 ] || set -- kernels regress maps demo
	main "$@"
fi
