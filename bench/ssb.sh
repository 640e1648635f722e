#!/usr/bin/env bash
#
# ssb.sh
#	  The Star Schema Benchmark: 13 queries over a table of order lines and four dimensions,
#	  by PostgreSQL's plans and by ours.  Prints a Markdown table and writes it to a file.
#
# Usage: bench/ssb.sh [FILE.md]
#
# The columns are those of the specification; rows are drawn by bench/ssb/*_rows.sql:
# 6,000,000 lines, 30,000 customers, 2,000 suppliers and 200,000 parts at scale factor 1, and
# 2,557 days.  The queries are our own words for its 13.  bench/joins/lib.sh does the work,
# and names the variables: SF, QUERIES, QUERIES_DIR, RESIDENT, BENCH_RUNS, PROCESSES and more.

set -euo pipefail
shopt -s inherit_errexit
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../scripts/lib.sh"

# shellcheck disable=SC2034 # for bench/joins/lib.sh
{
	JOINS_NAME=ssb
	JOINS_TITLE="The Star Schema Benchmark"
	JOINS_TABLES="dates customer supplier part lineorder"
	JOINS_MB=1300
}
# shellcheck source=bench/joins/lib.sh
. "$WA_ROOT/bench/joins/lib.sh"

joins_main "${1:-}"
