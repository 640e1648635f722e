#!/usr/bin/env bash
#
# install-deps.sh
#	  Installs the Debian packages that are missing for the groups named as
#	  arguments: build, test, lint (all three by default).  Needs root or sudo
#	  only if something is missing.

set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

[ $# -gt 0 ] || set -- build test lint
wa_install_deps "$@"
