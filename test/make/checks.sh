#!/usr/bin/env bash
#
# checks.sh
#	  Tests the makefiles: builds warpagg in a folder beside its source, and looks at
#	  what is printed, what is made, and what is made anew.  scripts/test.sh calls it.
#
# Prints a line for each check; the last line is "N passed, M failed", and the exit
# status is 0 only if M is 0.  PG_CONFIG names the PostgreSQL to build for.

set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib.sh"
# shellcheck source=scripts/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/checks.sh"

# Runs make for the build in BUILD.
build()
{
	make --no-print-directory -C "$BUILD" -f "$SOURCE/Makefile" \
		PG_CONFIG="$PG_CONFIG" CC="$WORK/cc" "$@"
}

# Makes a compiler that does not optimise, whatever it is told: nothing is run.
make_fast_compiler()
{
	printf '#!/bin/sh\nexec gcc -w "$@" -U_FORTIFY_SOURCE -O0\n' >"$WORK/cc"
	chmod 755 "$WORK/cc"
}

# Builds all, and keeps what is printed.
build_first()
{
	if ! build -j "$(nproc)" all >"$BUILD.log" 2>&1; then
		tail -n 40 "$BUILD.log"
		return 1
	fi
}

# Prints the objects and programs that make would make; arguments are make's.
would_make()
{
	build -n V=1 "$@" all | grep -oE -- ' -o [^ ]+' | cut -c 5- | sort
}

# Prints what lies below the source, with times.
list_source()
{
	find "$SOURCE" -type f -printf '%p %T@\n' | sort
}

# Says whether each line of the first build has a step and what it makes.
prints_steps()
{
	! grep -vE '^(CC|LINK)	[^ ]+$|^warpaggd is built with the CPU' "$BUILD.log" &&
		grep -qx 'CC	src/scan/state/plan.o' "$BUILD.log" &&
		grep -qx 'LINK	warpagg.so' "$BUILD.log" &&
		grep -qx 'LINK	build/warpaggd' "$BUILD.log"
}

# Says whether make -s prints nothing where there is something to do.
is_silent()
{
	rm "$BUILD/src/warpagg.o"
	[ -z "$(build -s all 2>&1)" ] && [ -f "$BUILD/src/warpagg.o" ]
}

# Says whether the build has no bitcode.
has_no_bitcode()
{
	[ -z "$(find "$BUILD" -name '*.bc')" ]
}

# Says whether nothing is left to do.
is_complete()
{
	[ -z "$(would_make)" ]
}

# Says whether a change of a header leads to what includes it, and to nothing else.
# It is one that no other header includes.
header_rebuilds_its_own()
{
	local header=core/checksum.h
	local source
	local expected=(warpagg.so build/warpaggd)

	while read -r source; do
		case $source in
			src/core/* | src/query/*)
				expected+=("${source%.c}.o" "build/daemon/${source#src/}")
				;;
			src/daemon/*) expected+=("build/daemon/${source#src/}") ;;
			*) expected+=("${source%.c}.o") ;;
		esac
	done < <(cd "$SOURCE" && grep -rl "\"$header\"" src --include='*.c')
	diff <(printf '%s\n' "${expected[@]/%.c/.o}" | sort) \
		<(would_make -W "$SOURCE/src/$header")
}

# Says whether programs are linked anew when only an object of each is missing.
missing_objects_are_made()
{
	rm "$BUILD/src/core/fold.o" "$BUILD/build/daemon/core/fold.o"
	diff <(printf '%s\n' build/daemon/core/fold.o build/warpaggd src/core/fold.o \
		warpagg.so) <(would_make)
}

# Makes a compiler that only knows its GPUs, and a driver that has one of those.
# Argument: the GPU.
make_fake_cuda()
{
	mkdir -p "$WORK/cuda" "$WORK/driver"
	printf '#!/bin/sh\nprintf "compute_%%s\\n" 75 80 86 89 90 100 103 120\n' \
		>"$WORK/cuda/nvcc"
	printf '#!/bin/sh\necho %s\n' "$1" >"$WORK/driver/nvidia-smi"
	chmod 755 "$WORK/cuda/nvcc" "$WORK/driver/nvidia-smi"
}

# Says whether make chooses to build kernels or not, and for which GPUs.  Arguments:
# what it is to choose, the driver's GPU or none, then those of make.
chooses()
{
	local choice=$1
	local gpu=$2
	local path=$PATH

	shift 2
	make_fake_cuda "$gpu"
	if [ "$gpu" = none ]; then
		printf '#!/bin/sh\nexit 9\n' >"$WORK/driver/nvidia-smi"
	fi
	diff <(echo "$choice") <(PATH=$WORK/driver:$path build -s \
		NVCC="$WORK/cuda/nvcc" "$@" print-WITH_CUDA print-CUDA_ARCHS 2>&1 | xargs)
}

# Says whether make refuses to build kernels without nvcc.
needs_nvcc()
{
	! build NVCC='' WITH_CUDA=yes print-WITH_CUDA >/dev/null 2>&1
}

wa_find_postgres
# These are the tests' own.
unset WITH_CUDA WA_CUDA_ARCHS NVCC V with_llvm CCACHE_BASEDIR
WORK=$(mktemp -d "${TMPDIR:-/tmp}/warpagg-make.XXXXXX")
trap 'rm -rf "$WORK"' EXIT
SOURCE=$WORK/source
BUILD=$WORK/build
mkdir "$SOURCE" "$BUILD"
# With the objects of a build there, if any, which are not to be taken.
tar -C "$WA_ROOT" --exclude=./.git --exclude=./build --exclude=./.gpu -cf - . |
	tar -C "$SOURCE" -xf -

make_fast_compiler
export with_llvm=no WITH_CUDA=no
list_source >"$WORK/before"
check 'make all in another folder' build_first
check 'nothing was made beside the source' diff "$WORK/before" <(list_source)
check 'a line for each step' prints_steps
check 'with_llvm=no in the environment: no bitcode' has_no_bitcode
check 'make -s prints nothing' is_silent
check 'nothing is left to do' is_complete
check 'a header leads to what includes it' header_rebuilds_its_own
check 'missing objects are made' missing_objects_are_made
unset WITH_CUDA
check 'no kernels without a driver' chooses no none
check 'kernels for the GPU that is there' chooses 'yes 86' 8.6
check 'kernels for a GPU that nvcc does not know yet' chooses 'yes 120' 13.0
check 'WA_CUDA_ARCHS asks for kernels' chooses 'yes 90' none WA_CUDA_ARCHS=90
check 'WITH_CUDA=yes: for all GPUs' chooses 'yes 75 80 90 100 120' none WITH_CUDA=yes
check 'WITH_CUDA=no: none' chooses no 8.6 WITH_CUDA=no
check 'WITH_CUDA=yes needs nvcc' needs_nvcc
check 'what was built is installed' chooses no 8.6 MAKECMDGOALS=install
report
