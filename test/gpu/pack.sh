#!/usr/bin/env bash
#
# pack.sh
#	  Gathers PostgreSQL, the extension and what its tests need into .gpu/, for a
#	  machine that has a GPU but no PostgreSQL and no network.  Run on the build
#	  machine (Debian 12, nvcc); run.sh unpacks it on the other one.
#
# Usage: test/gpu/pack.sh [FLIGHTS.csv.xz]
#	FLIGHTS.csv.xz	a larger data file for the demo, instead of the sample
#
# Variables: WA_CUDA_ARCHS, the GPUs to build for (cuda/choice.mk; default: 90, those of
# an H100 or H200), WA_PREBUILT, if all is built, and WA_OLD, a working tree in which
# another build was made, to be compared with.
#
# .gpu/ then holds: bundle.tar.xz (a prefix in which PostgreSQL finds its files
# relative to its programs; see layout in README.md), old.tar.xz (the extension's files
# of the other build, if one was given), flights.csv.xz if one was given, and
# MANIFEST.  glibc, libstdc++ and the CUDA driver are taken from the machine that runs
# it.

set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib.sh"

OUT=$WA_ROOT/.gpu
MAX_BYTES=$((60 * 1024 * 1024))
FLIGHTS=${1:-}

# Copies Debian's PostgreSQL, less what needs LLVM.
gather_postgres()
{
	local libdir=${WA_BINDIR%/bin}
	local sharedir

	sharedir=$("$PG_CONFIG" --sharedir)
	mkdir -p "$STAGE$libdir" "$STAGE$sharedir"
	tar -C "$libdir" --exclude='*bitcode*' --exclude='llvmjit*' \
		--exclude='*warpagg*' -cf - . | tar -C "$STAGE$libdir" -xf -
	[ -x "$STAGE$libdir/bin/pgbench" ] || wa_die "there is no pgbench to pack"
	tar -C "$sharedir" --exclude='./man' --exclude='*warpagg*' -cf - . |
		tar -C "$STAGE$sharedir" -xf -
}

# Installs the extension that is built in a tree into a folder, not into this machine.
# Arguments: the tree, the folder.
gather_extension()
{
	make --no-print-directory -C "$1" PG_CONFIG="$PG_CONFIG" DESTDIR="$2" \
		with_llvm=no install
}

# Copies the shared libraries that the programs in the bundle name, except
# those of glibc and the compiler: those belong to the machine.
gather_libraries()
{
	local file
	local path

	mkdir -p "$STAGE/lib"
	find "$STAGE$WA_BINDIR" "$STAGE$WA_PKGLIBDIR" -type f -perm -u+x -o \
		-type f -name '*.so' | while read -r file; do
		ldd "$file" 2>/dev/null | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' || true
	done | sort -u | while read -r path; do
		case $(basename "$path") in
			libc.so* | libm.so* | libdl.so* | librt.so* | libpthread.so* | \
				libresolv.so* | libutil.so* | libanl.so* | libnsl.so* | ld-linux* | \
				libstdc++.so* | libgcc_s.so* | libperl.so* | libpython* | \
				libtcl* | libcuda.so*) ;;
			*) cp -L "$path" "$STAGE/lib/" ;;
		esac
	done
	# The pool of gatherings above holds libpq too if psql names it.
	[ -e "$STAGE/lib/libpq.so.5" ] || wa_die "libpq was not gathered"
}

# Copies the Perl modules that TAP tests need and a small Perl may lack.
gather_perl()
{
	local dir
	local entry

	mkdir -p "$STAGE/perl"
	for dir in $(perl -e 'print join("\n", @INC)'); do
		for entry in IPC/Run IPC/Run.pm Test Test.pm Test2 TAP App/Prove App/Prove.pm; do
			if [ -e "$dir/$entry" ] && [ ! -e "$STAGE/perl/$entry" ]; then
				mkdir -p "$STAGE/perl/$(dirname "$entry")"
				cp -rL "$dir/$entry" "$STAGE/perl/$entry"
			fi
		done
	done
	cp "$(command -v prove)" "$STAGE/perl/prove"
}

# Copies the time zones: Debian's PostgreSQL reads the system's, which a small
# machine may lack.
gather_zones()
{
	mkdir -p "$STAGE/zoneinfo"
	tar -C /usr/share/zoneinfo --exclude=./right --exclude=./posix -cf - . |
		tar -C "$STAGE/zoneinfo" -xf -
}

# Copies the GPU test and benchmark programs, and what run.sh cannot ask a
# Makefile for where PGXS has no make.
gather_tests()
{
	mkdir -p "$STAGE/tests"
	find "$WA_ROOT/build/gpu" -maxdepth 1 -type f -perm -u+x \
		-exec cp {} "$STAGE/tests/" \;
	[ -x "$STAGE/tests/check_kernels" ] ||
		wa_die "there is no build/gpu/check_kernels"
	wa_make -s print-REGRESS >"$STAGE/tests/REGRESS"
	[ -s "$STAGE/tests/REGRESS" ] || wa_die "make print-REGRESS printed nothing"
}

# Removes from the programs in a folder what only a debugger reads.
strip_programs()
{
	find "$1" -type f \( -perm -u+x -o -name '*.so*' \) \
		-exec strip --strip-unneeded {} + 2>/dev/null || true
}

# Packs a folder.  Arguments: the folder, the file.
pack()
{
	tar -C "$1" --owner=0 --group=0 --sort=name -cf - . | xz -T0 -6 >"$2"
}

# Packs the other build.
pack_old()
{
	gather_extension "$WA_OLD" "$STAGE.old"
	strip_programs "$STAGE.old"
	pack "$STAGE.old" "$OUT/old.tar.xz"
}

# Says what was packed: sizes, versions, the commit.
write_manifest()
{
	{
		echo "packed:     $(date -u +%Y-%m-%dT%H:%MZ)"
		echo "commit:     $(git -C "$WA_ROOT" describe --always --dirty 2>/dev/null || echo none)"
		echo "postgres:   $("$PG_CONFIG" --version)"
		echo "bindir:     $WA_BINDIR"
		[ -z "${WA_OLD:-}" ] || echo "old:        $(git -C "$WA_OLD" describe --always --dirty)"
		echo "warpaggd:   $(stat -c %s "$STAGE$WA_PKGLIBDIR/warpaggd") bytes"
	} >"$OUT/MANIFEST"
	cat "$OUT/MANIFEST"
}

wa_install_deps build test
wa_find_postgres
# This machine need not have a GPU.
export WA_CUDA_ARCHS=${WA_CUDA_ARCHS:-90}
[ -n "${WA_PACK_NO_CUDA:-}" ] || export WITH_CUDA=yes
command -v nvcc >/dev/null 2>&1 || [ -x /usr/local/cuda/bin/nvcc ] ||
	[ -n "${WA_PACK_NO_CUDA:-}" ] || wa_die "no nvcc: the bundle would have no GPU code"
if [ -z "${WA_PREBUILT:-}" ]; then
	wa_make all
	wa_make build/gpu/check_kernels build/gpu/check_block \
		build/gpu/check_groups build/gpu/check_programs \
		build/gpu/check_wide_programs build/gpu/check_keys \
		build/gpu/check_primitives build/gpu/bench_kernels \
		build/gpu/bench_groups build/gpu/bench_programs build/gpu/bench_sorts \
		build/gpu/bench_ladder
fi

STAGE=$(mktemp -d "${TMPDIR:-/tmp}/warpagg-pack.XXXXXX")
chmod 755 "$STAGE"
trap 'rm -rf "$STAGE" "$STAGE.old"' EXIT
gather_postgres
gather_extension "$WA_ROOT" "$STAGE"
gather_libraries
gather_perl
gather_zones
gather_tests
strip_programs "$STAGE"

rm -rf "$OUT"
mkdir -p "$OUT"
pack "$STAGE" "$OUT/bundle.tar.xz"
[ -z "${WA_OLD:-}" ] || pack_old
[ -z "$FLIGHTS" ] || cp -- "$FLIGHTS" "$OUT/flights.csv.xz"
write_manifest
TOTAL=$(du -sb "$OUT" | cut -f1)
wa_note "total:      $TOTAL bytes in .gpu/"
[ "$TOTAL" -le "$MAX_BYTES" ] || wa_die ".gpu/ is larger than $MAX_BYTES bytes"
