#!/usr/bin/env python3
"""Checks, case by case, that resident columns never answer with stale values.

Usage: freshness_cases.py [--self-test]
Where to is in the environment (PGHOST, PGPORT, PGDATABASE, ..., PGOPTIONS); the
user is a superuser; the extension is created there if it is missing, tables in
schema wa_cases.  max_prepared_transactions must not be 0.  That a rule is needed shows
--self-test only where wal_level is minimal, and wal_skip_threshold 0.

Each case changes a table whose columns are resident.  After every step of it the
same aggregates are asked for by the node and by PostgreSQL's own plan, in one
snapshot, from a new snapshot and from one that is older than the change; then
after a VACUUM, and after the columns have been loaded again.

--self-test switches one rule of freshness off at a time
(warpagg.debug_skip_rule, which only a test build has: make WA_TESTING=1); then some
case has to find a difference.

The last line is "N passed, M failed", and the exit status is 0 only if M is 0.
"""

import argparse
import sys

from freshness_bench import COLUMNS, FILL, ROWS, Bench
from freshness_moments import MOMENTS
from session import Session

CHANGES = {
    "insert": "INSERT INTO {t} " + FILL.format(first=1, last=3),
    "many inserts": "INSERT INTO {t} " + FILL.format(first=1, last=5000),
    "update": "UPDATE {t} SET v = -v WHERE id % 1000 = 7",
    "update of all": "UPDATE {t} SET n = n + 1",
    "delete": "DELETE FROM {t} WHERE id % 500 = 3",
    "delete of all": "DELETE FROM {t}",
    "delete of a block": "DELETE FROM {t} WHERE ctid < '(1,0)'",
    "row lock": "SELECT FROM {t} WHERE id % 300 = 1 FOR UPDATE",
    "share lock": "SELECT FROM {t} WHERE id % 300 = 1 FOR KEY SHARE",
    "savepoint": "SAVEPOINT a; DELETE FROM {t} WHERE id < 900; ROLLBACK TO a; "
                 "UPDATE {t} SET k = 3 WHERE id < 50; SAVEPOINT b; "
                 "INSERT INTO {t} VALUES (1, 3, 5, 7, 900, NULL, NULL); "
                 "RELEASE b",
    "update twice": "UPDATE {t} SET v = v + 1 WHERE id = 77; "
                    "UPDATE {t} SET v = v + 1 WHERE id = 77",
}


def change(bench, name):
    """Makes a change, looks before and after its end, for all ways to end."""
    for end in ("COMMIT", "ROLLBACK", "COMMIT PREPARED 'wa_case'",
                "ROLLBACK PREPARED 'wa_case'"):
        bench.case = f"{name}, {end}"
        bench.make()
        bench.count(bench.resident_blocks() > 0, "resident blocks are used")
        bench.look("at first")
        bench.begin_old()
        bench.owner.run("BEGIN")
        bench.owner.run(CHANGES[name].format(t=bench.table))
        bench.compare(bench.owner, "the writer itself")
        bench.look("not yet ended")
        if "PREPARED" in end:
            bench.owner.run("PREPARE TRANSACTION 'wa_case'")
            bench.look("prepared")
        bench.owner.run(end)
        bench.look("ended")
        bench.settle()


UPKEEPS = {
    "VACUUM": ["VACUUM {t}"],
    "VACUUM (FREEZE)": ["VACUUM (FREEZE) {t}"],
    "only frozen is set": ["VACUUM (FREEZE, DISABLE_PAGE_SKIPPING) {t}"],
    "VACUUM FULL": ["VACUUM FULL {t}"],
    "CLUSTER": ["CREATE INDEX i ON {t} (k, id)", "CLUSTER {t} USING i"],
    "TRUNCATE": ["TRUNCATE {t}"],
    "TRUNCATE and fill": ["BEGIN; TRUNCATE {t}; INSERT INTO {t} " +
                          FILL.format(first=5, last=ROWS) + "; COMMIT"],
    "tail cut and grown again": [
        "DELETE FROM {t} WHERE ctid >= '(100,0)'", "VACUUM {t}",
        "INSERT INTO {t} " + FILL.format(first=50, last=9000), "VACUUM {t}"],
    "ADD COLUMN": ["ALTER TABLE {t} ADD COLUMN x int DEFAULT 5"],
    "DROP COLUMN": ["ALTER TABLE {t} ADD COLUMN x int DEFAULT 5",
                    "ALTER TABLE {t} DROP COLUMN x"],
    "type change": ["ALTER TABLE {t} ALTER COLUMN k TYPE bigint",
                    "ALTER TABLE {t} ALTER COLUMN n TYPE numeric(14,4)"],
    "type change without rewriting": [
        "ALTER TABLE {t} ALTER COLUMN n TYPE numeric(20,2)"],
    "column replaced": ["BEGIN; ALTER TABLE {t} DROP COLUMN v; "
                        "ALTER TABLE {t} ADD COLUMN v bigint DEFAULT 17; "
                        "COMMIT"],
    "unlogged and back": ["ALTER TABLE {t} SET UNLOGGED",
                          "UPDATE {t} SET v = 1 WHERE id < 500", "VACUUM {t}",
                          "DELETE FROM {t} WHERE id < 100", "VACUUM {t}",
                          "ALTER TABLE {t} SET LOGGED"],
    "table dropped and made again": [
        f"BEGIN; DROP TABLE {{t}}; CREATE TABLE {{t}} ({COLUMNS}); INSERT INTO "
        "{t} " + FILL.format(first=3, last=ROWS) + "; COMMIT", "VACUUM {t}"],
}


def upkeep(bench, name):
    """Makes statements and looks after each."""
    bench.case = name
    bench.make()
    if name == "only frozen is set":
        bench.owner.run(f"UPDATE {bench.table} SET v = v + 1 WHERE id < 5000")
        bench.owner.run(f"VACUUM {bench.table}")
        bench.load()
    for statement in UPKEEPS[name]:
        bench.owner.run(statement.format(t=bench.table))
        bench.look(f"after {statement[:40]}")
    bench.load()
    bench.look("loaded again")
    bench.owner.run(f"UPDATE {bench.table} SET k = k + 1 WHERE id % 40 = 0")
    bench.look("changed")
    bench.settle()


def copy_freeze(bench):
    """COPY FREEZE twice in one transaction, with a load in between."""

    def copy(count):
        rows = "\n".join(f"{i}\t3\t{i}\t1.5\t99.25\tx\t2021-01-01"
                         for i in range(count))
        # psql shows what it has when a statement with an answer follows
        return f"COPY {bench.table} FROM STDIN (FREEZE);\n{rows}\n\\.\nSELECT 1"

    bench.case = "COPY FREEZE twice"
    bench.make()
    bench.owner.run("BEGIN")
    bench.owner.run(f"TRUNCATE {bench.table}")
    bench.owner.run(copy(12050))
    bench.compare(bench.owner, "first copy")
    bench.owner.run("SAVEPOINT a")
    state, _ = bench.owner.ask(f"SELECT warpagg_load('{bench.table}')")
    if state != "00000":
        bench.owner.run("ROLLBACK TO a")
    bench.owner.run("RELEASE a")
    bench.compare(bench.owner, "loaded")
    # so few that they go to the last page, which is frozen already
    bench.owner.run(copy(3))
    bench.compare(bench.owner, "second copy")
    bench.owner.run("COMMIT")
    bench.look("committed")
    bench.settle()


def unlogged(bench):
    """An unlogged table, whose map has no LSN."""
    bench.case = "unlogged"
    bench.make()
    bench.owner.run(f"ALTER TABLE {bench.table} SET UNLOGGED")
    bench.owner.run(f"VACUUM (FREEZE) {bench.table}")
    for statement in ("SELECT 1", "DELETE FROM {t} WHERE id % 9 = 0",
                      "VACUUM {t}", "UPDATE {t} SET v = 5 WHERE id % 9 = 1",
                      "VACUUM {t}"):
        bench.owner.run(statement.format(t=bench.table))
        bench.look(f"after {statement[:20]}")
        bench.owner.ask(f"SELECT warpagg_load('{bench.table}')")
        bench.look("after an attempt to load")
    bench.count(bench.resident_blocks() == 0, "no block is resident")


def temporary(bench):
    """A temporary table."""
    bench.case = "temporary"
    bench.make()
    bench.other.run(f"CREATE TEMP TABLE x AS SELECT * FROM {bench.table}")
    bench.other.run("VACUUM (FREEZE) x")
    state, _ = bench.other.ask("SELECT warpagg_load('x')")
    bench.count(state == "55000",
                f"a temporary table is refused: {state}")


def serializable(bench):
    """Under SERIALIZABLE the heap is read, as others must see what was read."""
    bench.case = "SERIALIZABLE"
    bench.make()
    bench.other.run("BEGIN ISOLATION LEVEL SERIALIZABLE")
    blocks = bench.resident_blocks(bench.other)
    bench.other.run("COMMIT")
    bench.differences += blocks > 0
    bench.count(blocks == 0, f"{blocks} resident blocks were used")
    states = []
    for session in (bench.other, bench.old):
        session.run("BEGIN ISOLATION LEVEL SERIALIZABLE")
        session.run(f"SELECT sum(v) FROM {bench.table}")
    for session, first in ((bench.other, 1), (bench.old, 2)):
        states.append(session.ask(f"INSERT INTO {bench.table} " +
                                  FILL.format(first=first, last=first))[0])
    for session in (bench.other, bench.old):
        states.append(session.ask("COMMIT")[0])
    bench.count("40001" in states, f"one of two has to fail: {states}")
    for session in (bench.other, bench.old):
        session.ask("ROLLBACK")


CASES = {f"change: {name}": lambda b, n=name: change(b, n) for name in CHANGES}
CASES.update({f"upkeep: {name}": lambda b, n=name: upkeep(b, n)
              for name in UPKEEPS})
CASES.update({"COPY FREEZE": copy_freeze, "unlogged": unlogged,
              "temporary": temporary, "SERIALIZABLE": serializable})
CASES.update(MOMENTS)

# The cases that find a difference when a rule is left out.
RULES = {1: "COPY FREEZE", 2: "unlogged", 3: "a change at once",
         4: "changed while being loaded", 5: "SERIALIZABLE",
         6: "without VACUUM", 7: "in flux", 8: "change: update"}

# How often a case is tried: some find what has to come at the right time.
TRIES = 3


def shows_difference(rule, case):
    """Tells whether a case finds a difference without a rule."""
    bench = Bench()
    bench.skip(rule)
    for _ in range(TRIES):
        CASES[case](bench)
        if bench.differences:
            break
    bench.close()
    return bench.differences > 0


def self_test():
    """Leaves rules out; returns how many were missed, or not."""
    passed = failed = 0
    for rule, case in RULES.items():
        if shows_difference(rule, case):
            passed += 1
        else:
            failed += 1
            print(f"FAILED  without rule {rule} \"{case}\" shows no difference")
    return passed, failed


def main():
    """Runs the cases and counts."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--case", help="only those with this in their names")
    options = parser.parse_args()
    first = Session()
    first.run("CREATE EXTENSION IF NOT EXISTS warpagg")
    if options.self_test:
        passed, failed = self_test()
    else:
        bench = Bench()
        for name, case in CASES.items():
            if options.case is None or options.case in name:
                case(bench)
        passed, failed = bench.passed, bench.failed
        bench.close()
    first.run("DROP SCHEMA IF EXISTS wa_cases CASCADE")
    first.close()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
