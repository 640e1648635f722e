#!/usr/bin/env bash
#
# tpch.sh
#	  The 22 queries of TPC-H over its eight tables, by PostgreSQL's plans and by ours.
#	  Prints a Markdown table and writes it to a file.
#
# Usage: bench/tpch.sh [FILE.md]
#
# The columns are those of the specification; rows are drawn by bench/tpch/*_rows.sql, and
# lineitem's by bench/scan's, as the specification has them but for texts, which are short.
# They are not dbgen's, and the queries are our own words for its 22, with the validation
# parameters: no result here is one of TPC-H.  bench/joins/lib.sh does the work, and names the
# variables: SF, QUERIES, QUERIES_DIR, RESIDENT, BENCH_RUNS, PROCESSES and more.

set -euo pipefail
shopt -s inherit_errexit
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../scripts/lib.sh"

# shellcheck disable=SC2034 # for bench/joins/lib.sh
{
	JOINS_NAME=tpch
	JOINS_TITLE="TPC-H's queries"
	JOINS_TABLES="region nation supplier customer part partsupp lineitem orders"
	JOINS_MB=2000
}
# shellcheck source=bench/joins/lib.sh
. "$WA_ROOT/bench/joins/lib.sh"

joins_main "${1:-}"
