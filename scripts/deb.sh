#!/usr/bin/env bash
#
# deb.sh
#	  Builds Debian packages for the PostgreSQL that is installed, has lintian look at
#	  them, and leaves them in build/deb.  `make deb` calls it.
#
#	postgresql-N-warpagg		the extension, which computes on the CPU
#	postgresql-N-warpagg-cuda	its device process with kernels for NVIDIA GPUs, to be
#								installed beside it; only where nvcc is
#
# Variables, beside lib.sh's:
#	NVCC			CUDA's compiler; empty: no package with kernels
#	WA_CUDA_ARCHS	the GPUs to compile for (default: all, see cuda/choice.mk)
#	DEBFULLNAME, DEBEMAIL	the packages' maintainer (default: git's user)
#
# Exit status: 0 if all was built and lintian found nothing that is not explained in
# packaging/debian.  scripts/deb-try.sh tries the packages in a clean Debian.

set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

OUT=$WA_ROOT/build/deb

# Prints git's setting of that name, or nothing.
git_setting()
{
	git -C "$WA_ROOT" config --get "$1" 2>/dev/null || true
}

# Prints the maintainer of the packages.
maintainer()
{
	local name=${DEBFULLNAME:-$(git_setting user.name)}
	local email=${DEBEMAIL:-$(git_setting user.email)}

	printf '%s <%s>\n' "${name:-warpagg maintainers}" \
		"${email:-root@$(hostname --fqdn 2>/dev/null || hostname)}"
}

# Prints nvcc's path, or nothing: as the Makefile finds it.
find_nvcc()
{
	if [ -n "${NVCC+set}" ]; then
		[ -z "$NVCC" ] || command -v "$NVCC" || wa_die "NVCC is \"$NVCC\", which is not a program"
	elif ! command -v nvcc && [ -x /usr/local/cuda/bin/nvcc ]; then
		echo /usr/local/cuda/bin/nvcc
	fi
}

# Copies the files of the project, without what is built, to a folder.
copy_source()
{
	local folder=$1

	wa_as_user mkdir -p "$folder"
	tar -C "$WA_ROOT" --exclude=./.git --exclude=./.gpu --exclude=./gpu-out \
		--exclude=./build --exclude=./tmp_check --exclude='*.o' --exclude='*.d' \
		--exclude='*.bc' --exclude='*.so' -cf - . |
		wa_as_user tar --no-same-owner -C "$folder" -xf -
}

# Makes the folder debian/ of a copy of the source.
make_debian()
{
	local folder=$1
	local plain=postgresql-$MAJOR-warpagg
	local fill=(sed -e "s|@PG@|$MAJOR|g" -e "s|@MAINTAINER@|$(maintainer)|g")
	local from=$WA_ROOT/packaging/debian

	mkdir -p "$folder/source"
	cp "$from/copyright" "$from/rules" "$folder"
	cp "$from/source/format" "$folder/source"
	echo "$MAJOR" >"$folder/pg"
	"${fill[@]}" "$from/changelog.in" >"$folder/changelog"
	"${fill[@]}" "$from/control.in" >"$folder/control"
	"${fill[@]}" "$from/alternatives.in" >"$folder/$plain.alternatives"
	"${fill[@]}" "$from/overrides.in" >"$folder/$plain.lintian-overrides"
	[ -n "$NVCC" ] || return 0
	"${fill[@]}" "$from/control.cuda.in" >>"$folder/control"
	"${fill[@]}" "$from/alternatives.cuda.in" >"$folder/$plain-cuda.alternatives"
	"${fill[@]}" "$from/overrides.cuda.in" >"$folder/$plain-cuda.lintian-overrides"
}

# Builds the packages in a copy of the source; the log is shown if that fails.
build_packages()
{
	local folder=$1
	local log=$WA_TMP/build.log

	wa_note "building for PostgreSQL $MAJOR"
	[ -n "$NVCC" ] || wa_note 'nvcc was not found: there is no package with kernels'
	# shellcheck disable=SC2016 # expanded by the inner shell
	if ! wa_as_user env NVCC="$NVCC" bash -c 'cd "$1" &&
		exec dpkg-buildpackage --build=binary --no-sign -j"$(nproc)"' - \
		"$folder" >"$log" 2>&1; then
		tail -n 100 "$log"
		wa_die 'could not build the packages'
	fi
}

# Says whether lintian finds nothing in packages but what is explained.
look_at_packages()
{
	# With --show-overrides lintian would fail on these, too.
	wa_as_user lintian --fail-on error,warning "$@"
}

wa_install_deps deb
wa_find_postgres
MAJOR=$(wa_pg_major)
[ "$WA_BINDIR" = "/usr/lib/postgresql/$MAJOR/bin" ] ||
	wa_die "packages are for Debian's PostgreSQL; PG_CONFIG names $PG_CONFIG"
NVCC=$(find_nvcc)
wa_begin
copy_source "$WA_TMP/warpagg"
make_debian "$WA_TMP/warpagg/debian"
! wa_is_root || chown -R "$WA_USER" "$WA_TMP/warpagg/debian"
build_packages "$WA_TMP/warpagg"
mkdir -p "$OUT"
rm -f "$OUT"/*.deb
cp "$WA_TMP"/postgresql-*.deb "$OUT"
look_at_packages "$WA_TMP"/postgresql-*.deb
for PACKAGE in "$OUT"/*.deb; do
	wa_note "build/deb/$(basename "$PACKAGE"), $(($(wc -c <"$PACKAGE") / 1024)) kB"
done
