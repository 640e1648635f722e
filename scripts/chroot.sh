# shellcheck shell=bash
# chroot.sh
#	  Minimal Debians in folders, and commands in them.
#
# Source this file after lib.sh; it needs root.  WA_MIRROR is the mirror of Debian's
# packages (default: apt's own).

# Prints the mirror that apt uses here for Debian's main suite.
wa_mirror()
{
	if [ -n "${WA_MIRROR:-}" ]; then
		echo "$WA_MIRROR"
		return
	fi
	# shellcheck disable=SC2016 # apt's own names
	apt-get indextargets --format '$(CODENAME) $(COMPONENT) $(REPO_URI)' |
		awk '$1 == codename && $2 == "main" { print $3; exit }' \
			codename="$(. /etc/os-release && echo "$VERSION_CODENAME")"
}

# Makes a minimal Debian whose packages start no servers.  Arguments: its suite, the
# folder, and perhaps a folder with such a Debian, of which it becomes a copy.
wa_chroot_make()
{
	if [ -n "${3:-}" ]; then
		cp -a "$3/." "$2" || return
	else
		wa_install_packages debootstrap
		debootstrap --variant=minbase "$1" "$2" "$(wa_mirror)" || return
	fi
	printf '#!/bin/sh\nexit 101\n' >"$2/usr/sbin/policy-rc.d"
	chmod 755 "$2" "$2/usr/sbin/policy-rc.d"
}

# Runs a command in a chroot, with devices, processes and network as they are here;
# what is mounted for it goes with it.  Arguments: the chroot, then the command.
wa_chroot_run()
{
	# shellcheck disable=SC2016 # expanded by the inner shell
	unshare --mount -- sh -c 'mount --make-rprivate / &&
		mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc" &&
		exec chroot "$0" env PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/ \
			LC_ALL=C.UTF-8 "$@"' "$@"
}
