# shellcheck shell=bash
# checks.sh
#	  Counts checks, for scripts that are tests; sourced after lib.sh.

PASSED=0
FAILED=0

# Counts one check; arguments: its name, then a command that succeeds if the
# check holds.
check()
{
	local name=$1

	shift
	if "$@"; then
		PASSED=$((PASSED + 1))
		wa_note "ok      $name"
	else
		FAILED=$((FAILED + 1))
		wa_note "FAILED  $name"
	fi
}

# Prints the counts, of a stage or script; returns 1 if a check failed.
report()
{
	wa_note "$PASSED passed, $FAILED failed"
	[ "$FAILED" -eq 0 ]
}
