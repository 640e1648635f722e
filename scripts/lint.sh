#!/usr/bin/env bash
#
# lint.sh
#	  Checks the source: format, include directions, test lists, names in the
#	  extension's scripts, releases, paths, sizes, documents, cppcheck, shellcheck.
#	  `make lint` calls it.
#
# Usage: scripts/lint.sh [CHECK...]
#	Checks: format includes regress install release paths marks sizes docs cppcheck
#	shell.
#
# Looks at the files that git tracks or would track.  Each check counts one; the
# last line is "N passed, M failed", and the exit status is 0 only if M is 0.

set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

CHECKS=(format includes regress install release paths marks sizes docs cppcheck shell)
MAX_LINES=600
MAX_README_LINES=150

# Prints the files of the project whose names match an extended regular
# expression: those of git, or all where there is no repository (a tarball).
files()
{
	if git -C "$WA_ROOT" rev-parse --git-dir >/dev/null 2>&1; then
		git -C "$WA_ROOT" ls-files --cached --others --exclude-standard
	else
		(cd "$WA_ROOT" && find . -type f -not -path './build/*' -not -path './.git/*' |
			sed 's|^\./||')
	fi | sort -u | grep -E "$1" | while read -r file; do
		[ ! -f "$WA_ROOT/$file" ] || echo "$file"
	done
}

# clang-format finds nothing to change.
check_format()
{
	files '\.(c|h|cu|cuh|cpp)$' | xargs -r clang-format-14 --dry-run -Werror
}

# Includes run the way the design says.
check_includes()
{
	files '^(src|cuda|test|bench)/.*\.(c|h|cu|cuh|cpp)$' |
		xargs -r python3 test/lint/includes.py
}

# Each sql/ test is listed in REGRESS and has an expected file, and vice versa.
check_regress()
{
	local listed
	local sql
	local expected

	# Read from the Makefile itself: lint needs no PostgreSQL.
	listed=$(sed -e ':a' -e '/\\$/{N;s/\\\n//;ta' -e '}' Makefile |
		sed -nE 's/^REGRESS *[:+]?= *//p' | tr -s ' \t' '\n' | sed '/^$/d' | sort)
	sql=$(files '^sql/[^/]*\.sql$' | grep -v -- '--' | sed 's|^sql/||; s|\.sql$||' | sort)
	expected=$(files '^expected/[^/]*\.out$' | sed 's|^expected/||; s|\.out$||' | sort)
	[ -n "$listed" ] || { echo 'the Makefile lists no REGRESS'; return 1; }
	same_list REGRESS "$listed" 'sql/' "$sql" &&
		same_list REGRESS "$listed" 'expected/' "$expected"
}

# Says whether two sorted lists are the same; shows what only one of them has.
same_list()
{
	[ "$2" = "$4" ] && return
	echo "only in $1: $(comm -23 <(echo "$2") <(echo "$4") | tr '\n' ' ')"
	echo "only in $3: $(comm -13 <(echo "$2") <(echo "$4") | tr '\n' ' ')"
	return 1
}

# Install and update scripts look nothing up by search_path, and the check of that finds
# what is planted.
check_install()
{
	python3 test/lint/extension_sql.py --self-test &&
		files '^sql/warpagg--.*\.sql$' | xargs -r python3 test/lint/extension_sql.py
}

# META.json is as PGXN wants it, and all files name the same release.
check_release()
{
	python3 test/lint/release.py --self-test && python3 test/lint/release.py
}

# No file names a folder of somebody's machine.
check_paths()
{
	no_match '(^|[^A-Za-z0-9_.$}])/(work|root|home|Users)(/|[^A-Za-z0-9_]|$)' \
		'\.(xz|png)$|^scripts/lint\.sh$'
}

# No file leaves a mark for later.
check_marks()
{
	no_match '\b(TO''DO|FIX''ME|X''XX)\b' '\.(xz|png)$'
}

# Says whether no file but those whose names match the second expression has a
# line that matches the first.
no_match()
{
	! files . | grep -vE "$2" | xargs -r grep -nIE -- "$1"
}

# No source file is longer than MAX_LINES.
check_sizes()
{
	local file
	local lines
	local rc=0

	while read -r file; do
		lines=$(wc -l <"$file")
		if [ "$lines" -gt "$MAX_LINES" ]; then
			echo "$file has $lines lines"
			rc=1
		fi
	done < <(files '^(src|cuda)/.*\.(c|h|cu|cuh)$')
	return "$rc"
}

# Documents have each line of the log, links lead somewhere, the picture shows what was
# measured, and README.md is short.
check_docs()
{
	local documents

	mapfile -t documents < <(files '\.md$')
	python3 test/lint/log_lines.py --self-test &&
		files '^(src/.*\.c|docs/.*\.md)$' | xargs -r python3 test/lint/log_lines.py &&
		python3 test/lint/links.py "${documents[@]}" &&
		python3 bench/chart.py --check &&
		[ "$(wc -l <README.md)" -le "$MAX_README_LINES" ]
}

# cppcheck has no warnings.
check_cppcheck()
{
	local sources

	mapfile -t sources < <(files '^src/.*\.c$')
	cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 -j 2 \
		--enable=warning,performance,portability \
		--suppressions-list=test/lint/cppcheck.txt -I src -I . "${sources[@]}"
}

# The shell scripts pass shellcheck.
check_shell()
{
	files '\.sh$|^\.ci/run$' | xargs -r shellcheck -x
}

cd "$WA_ROOT"
[ $# -gt 0 ] || set -- "${CHECKS[@]}"
wa_install_deps lint
PASSED=0
FAILED=0
LOG=$(mktemp)
trap 'rm -f "$LOG"' EXIT
for CHECK in "$@"; do
	declare -F "check_$CHECK" >/dev/null || wa_die "no check \"$CHECK\""
	if "check_$CHECK" >"$LOG" 2>&1; then
		PASSED=$((PASSED + 1))
		wa_note "ok      $CHECK"
	else
		FAILED=$((FAILED + 1))
		head -n 200 "$LOG"
		wa_note "FAILED  $CHECK"
	fi
done
wa_note "$PASSED passed, $FAILED failed"
[ "$FAILED" -eq 0 ]
