#!/usr/bin/env python3
"""Changes tables in many ways while resident columns of them answer queries.

Usage: freshness.py [--seed S] [--seconds N] [--writers N] [--used PERCENT]
               [--standby PORT]
       freshness.py --expect-difference [--seconds N] ...
Where to is in the environment (PGHOST, PGPORT, PGDATABASE, ..., PGOPTIONS); the
extension is created there if it is missing, the tables in schema wa_fresh.

Writers insert, copy, update, delete, lock, roll back, prepare, truncate, vacuum,
cluster, alter and drop, with asynchronous commits now and then; a loader has
warpagg_load bring columns up to date again and again.  A checker asks for aggregates
with the node and with PostgreSQL's own plan, in one snapshot, with parallel workers
or without; a keeper keeps a snapshot for seconds, lends it to another session, opens
cursors in it, and asks again and again; an owner asks in the middle of changes of its
own: all answers must be the same, text for text.  With --standby a loader and a checker
work there, too; the standby must not cancel queries (max_standby_streaming_delay = -1).
The order of what happens is the machine's, so a seed does not repeat a failure;
what each session did lately is printed with it.

The last line is "N passed, M failed", and the exit status is 0 only if M is 0.
Now and then an answer is explained.  It is a failure, too, if fewer than PERCENT
of these used resident blocks, or none of an owner's, of a keeper's, or of those about
first rows did.
--expect-difference is for settings that break the tier on purpose: then there
has to be a difference.
"""

import argparse
import collections
import os
import sys
import time

from freshness_writers import Actor, Loader, Writer, load, make_tables
from session import Session

QUERIES = [
    "SELECT count(*), sum(v), min(k), max(k), min(f), sum(n) FROM {t}",
    "SELECT k, count(*), sum(v), sum(n), max(d) FROM {t} GROUP BY k ORDER BY k",
    "SELECT s, count(*), min(v) FROM {t} GROUP BY s ORDER BY s",
    "SELECT count(*), sum(v * 2 - id) FROM {t} WHERE n > 100 AND k <> 3",
    "SELECT date_trunc('month', d) m, count(*), max(f) FROM {t} "
    "GROUP BY m ORDER BY m",
    "SELECT sum(v) FILTER (WHERE s IS NULL), count(s) FROM {t}",
    "SELECT k, sum(f), avg(f), count(f) FROM {t} GROUP BY k ORDER BY k",
    "SELECT k, s, count(*), min(d), max(n) FROM {t} WHERE id BETWEEN 10 AND 60 "
    "GROUP BY k, s ORDER BY k, s",
    "SELECT count(*), sum(f), max(v) FROM {t} WHERE s = 's3' OR f < 0",
    "SELECT v, id, k, d, n FROM {t} ORDER BY v DESC NULLS LAST, id, k, d, n LIMIT 50",
    "SELECT d, n, id, v, k FROM {t} WHERE s <> 's3' ORDER BY d, n DESC, id, v, k "
    "LIMIT 7 OFFSET 20",
    "SELECT x, count(*), sum(v) FROM {t} GROUP BY x ORDER BY x",
    "SELECT s, count(DISTINCT id), sum(DISTINCT v), max(k) FROM {t} GROUP BY s ORDER BY s",
    "SELECT count(DISTINCT s), count(DISTINCT f), count(*) FROM {t} WHERE k <> 2",
    "SELECT k, percentile_disc(0.5) WITHIN GROUP (ORDER BY id), "
    "percentile_cont(ARRAY[0.1, 0.9]) WITHIN GROUP (ORDER BY v), "
    "mode() WITHIN GROUP (ORDER BY d) FROM {t} GROUP BY k ORDER BY k",
    "SELECT id, sum(v), count(s) FROM {t} GROUP BY id ORDER BY 2 DESC NULLS LAST, id LIMIT 9",
]
NODE = "SET LOCAL warpagg.enable_scan = on; SET LOCAL warpagg.accelerate = 'all'"
BUILT_IN = "SET LOCAL warpagg.enable_scan = off; " \
           "SET LOCAL warpagg.accelerate = 'off'"


class Checker(Actor):
    """Compares answers."""

    def __init__(self, name, seed, until, port=None):
        super().__init__(name, seed, until, port)
        self.checks = self.differences = 0
        self.explained = self.used = self.blocks = self.first = 0
        self.errors = collections.Counter()

    def prepare(self):
        self.session.run("LOAD 'warpagg'")
        self.session.run("SET lock_timeout = '2s'")
        self.session.run("SET min_parallel_table_scan_size = 0")
        self.session.run("SET parallel_setup_cost = 0")

    def answer(self, query, settings):
        """Returns the rows of an answer, or the SQLSTATE if it fails."""
        workers = self.rng.choice([0, 0, 2])
        state, rows = self.ask(
            f"SET LOCAL max_parallel_workers_per_gather = {workers}; "
            f"SET LOCAL warpagg.debug_sent_groups = {self.rng.choice([0, 0, 3])}; "
            f"{settings};\n{query}")
        if state == "00000":
            return rows
        self.note(state, query)
        return state

    def note(self, state, _query):
        """Notes an error of a query."""
        self.errors[state] += 1

    def explain(self, query):
        """Counts the resident blocks that a query uses."""
        state, rows = self.ask(f"{NODE};\nEXPLAIN (ANALYZE, COSTS off, "
                               f"TIMING off, SUMMARY off) {query}")
        if state != "00000":
            return
        found = [int(row[0].split(":")[1]) for row in rows
                 if "Resident Blocks: " in row[0]]
        self.explained += 1
        self.used += len(found)
        self.first += bool(found) and any("(WarpAgg Rows)" in row[0] for row in rows)
        self.blocks += sum(found)

    def same(self, query, expected):
        """Has the node answer; tells whether to go on."""
        answer = self.answer(query, NODE)
        # the table may have been locked
        return isinstance(answer, list) and self.judge(query, answer, expected)

    def judge(self, query, answer, expected):
        """Counts an answer; tells whether it is right."""
        self.checks += 1
        if answer != expected:
            self.differences += 1
            self.problem = f"{query}\n  node: {answer[:8]}\n" \
                           f"  PostgreSQL: {expected[:8]}"
        return answer == expected

    def step(self):
        table = self.table()
        query = self.rng.choice(QUERIES).format(t=table)
        level = self.rng.choice(["REPEATABLE READ"] * 5 + ["SERIALIZABLE"])
        # a standby has no SERIALIZABLE
        if self.ask(f"BEGIN ISOLATION LEVEL {level}")[0] == "00000":
            self.compare(query)
        self.ask("ROLLBACK")

    def compare(self, query):
        """Has a query answered several times in one snapshot."""
        expected = self.answer(query, BUILT_IN)
        for _ in range(self.rng.choice([1, 2, 4])):
            # the table may have been locked, or has no such column
            if not isinstance(expected, list) or \
                    not self.same(query, expected):
                return
            time.sleep(self.rng.choice([0, 0, 0.05]))
        if self.rng.random() < 0.3:
            self.explain(query)


class Keeper(Checker):
    """Compares answers in a snapshot that it keeps while others write."""

    def prepare(self):
        super().prepare()
        self.others = [self.session, Session(self.port)]
        self.session = self.others[1]
        super().prepare()
        self.session = self.others[0]

    def finish(self):
        self.others[1].close()

    def step(self):
        table = self.table()
        queries = [query.format(t=table)
                   for query in self.rng.sample(QUERIES[:-1], 4)]
        end = time.monotonic() + self.rng.choice([0.5, 2, 5])
        self.ask("BEGIN ISOLATION LEVEL REPEATABLE READ")
        expected = {query: self.answer(query, BUILT_IN) for query in queries}
        if all(isinstance(rows, list) for rows in expected.values()):
            if self.rng.random() < 0.5:
                self.lend()
            self.keep(table, expected, min(end, self.until))
        for self.session in reversed(self.others):
            self.ask("ROLLBACK")
        time.sleep(self.rng.choice([0.1, 1]))

    def lend(self):
        """Has another session ask in this snapshot, too."""
        name = self.ask("SELECT pg_export_snapshot()")[1][0][0]
        self.session = self.others[1]
        self.ask("BEGIN ISOLATION LEVEL REPEATABLE READ")
        self.ask(f"SET TRANSACTION SNAPSHOT '{name}'")

    def keep(self, table, expected, end):
        """Asks again until then."""
        while time.monotonic() < end:
            query = self.rng.choice(list(expected))
            if self.rng.random() < 0.2:
                if not self.by_cursor(query, expected[query]):
                    return
            elif not self.same(query, expected[query]):
                return
            if self.rng.random() < 0.3:
                self.explain(query)
            if self.rng.random() < 0.1:
                self.ask(f"SAVEPOINT a; {load(table)}")
                self.ask("ROLLBACK TO a")
            time.sleep(self.rng.choice([0, 0.1]))

    def by_cursor(self, query, expected):
        """Fetches an answer some time after it was asked for."""
        self.ask(f"{NODE};\nDECLARE c CURSOR FOR {query}")
        time.sleep(self.rng.choice([0, 0.1, 0.5]))
        state, rows = self.ask("FETCH ALL FROM c")
        self.ask("CLOSE c")
        return state == "00000" and self.judge(query, rows, expected)


class Owner(Checker):
    """Compares answers in the middle of its own changes."""

    def step(self):
        table = self.table()
        self.ask("BEGIN ISOLATION LEVEL REPEATABLE READ")
        self.ask("SET LOCAL synchronous_commit = " +
                 self.rng.choice(["on", "off"]))
        for _ in range(self.rng.randrange(1, 6)):
            if not self.go_on(table):
                break
        self.ask(self.rng.choice(["COMMIT", "COMMIT", "ROLLBACK"]))
        self.ask("ROLLBACK")
        time.sleep(self.rng.choice([0, 0.05]))

    def go_on(self, table):
        """Changes some, or takes some back, and compares."""
        statement = self.rng.choice([
            self.update(table), self.update(table),
            f"DELETE FROM {table} WHERE {self.some()}",
            f"INSERT INTO {table} (id, k, v) SELECT i, i % 7, 5 "
            f"FROM generate_series(1, {self.rng.choice([1, 300])}) i",
            load(table)])
        self.ask("SAVEPOINT a")
        if self.ask(statement)[0] != "00000" or self.rng.random() < 0.3:
            self.ask("ROLLBACK TO a")
        query = self.rng.choice(QUERIES[:-1]).format(t=table)
        expected = self.answer(query, BUILT_IN)
        if not isinstance(expected, list) or not self.same(query, expected):
            return False
        if self.rng.random() < 0.3:
            self.explain(query)
        return True


class PreparedChecker(Checker):
    """Executes prepared statements, over and over."""

    TYPES = "int"
    STATEMENTS = []

    def prepare(self):
        super().prepare()
        self.session.run("SET plan_cache_mode = " +
                         self.rng.choice(["auto", "force_generic_plan"]))
        # else statements would be prepared without the node
        self.session.run("SET warpagg.enable_scan = on")
        self.session.run("SET warpagg.accelerate = 'all'")
        self.missing = set(range(len(self.STATEMENTS)))

    def prepare_again(self, number):
        """Has a statement be planned anew; without it, as that failed, it is missing."""
        self.ask(f"DEALLOCATE p{number}")
        prepare = f"PREPARE p{number} ({self.TYPES}) AS {self.STATEMENTS[number]}"
        state, _ = self.ask(prepare)
        if state == "00000":
            self.missing.discard(number)
        else:
            self.missing.add(number)
            self.note(state, prepare)


def run_beside(actors, checkers):
    """Runs sessions until the checkers have ended, or until one has a problem."""
    for actor in actors:
        actor.start()
    while any(actor.is_alive() for actor in checkers):
        time.sleep(0.1)
        if any(actor.problem for actor in actors):
            for actor in actors:
                actor.until = 0
            break
    for actor in actors:
        actor.join(timeout=60)


def options_parser(description):
    """Returns a parser of the options that all programs like this one have."""
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--writers", type=int, default=2)
    parser.add_argument("--used", type=int, default=0,
                        help="percentage that has to use what is resident, or kept")
    parser.add_argument("--expect-difference", action="store_true")
    return parser


def begin(options, make):
    """Has the tables be made; returns the time at which the sessions end."""
    session = Session()
    make(session)
    session.close()
    return time.monotonic() + options.seconds


def run(options, actors, checkers, check, schema):
    """Runs actors side by side, checkers among them; returns the exit status.

    check(failed) looks at what else they have done, and returns how many failures that is.
    """
    run_beside(actors, checkers)
    failed = report(actors, checkers, options)
    print("statements that succeeded: " + ", ".join(
        f"{actor.name} {actor.succeeded}" for actor in actors if actor not in checkers))
    if not options.expect_difference:
        failed += check(failed)
    if failed == 0:
        session = Session()
        session.run(f"DROP SCHEMA {schema} CASCADE")
        session.close()
    print(f"{sum(checker.checks for checker in checkers)} passed, {failed} failed")
    return 1 if failed else 0


def main():
    """Runs the sessions side by side and counts."""
    parser = options_parser(__doc__)
    parser.add_argument("--standby", type=int, metavar="PORT")
    options = parser.parse_args()
    until = begin(options, make_tables)
    checkers = [Checker(f"checker{i}", options.seed, until) for i in range(2)]
    checkers.append(Keeper("keeper", options.seed, until))
    checkers.append(Owner("owner", options.seed, until))
    writers = [Writer(f"writer{i}", options.seed, until)
               for i in range(options.writers)]
    actors = [Loader("loader", options.seed, until)] + writers
    if options.standby:
        checkers.append(
            Checker("standby", options.seed, until, options.standby))
        actors.append(
            Loader("standby_loader", options.seed, until, options.standby))
    return run(options, actors + checkers, checkers,
               lambda failed: check_use(checkers, options.used)
               + check_first(checkers, options.used), "wa_fresh")


def check_first(checkers, percent):
    """Prints how often first rows were found; returns 1 if never, and they should be."""
    first = sum(checker.first for checker in checkers)
    print(f"{first} of these were first rows")
    if percent and not first:
        print("FAILED  no first rows were found in resident blocks")
    return int(percent > 0 and first == 0)


def check_use(checkers, percent):
    """Prints which checkers have used too little; returns how many."""
    failed = 0
    explained = sum(checker.explained for checker in checkers)
    used = sum(checker.used for checker in checkers)
    print(f"{used} of {explained} answers that were explained used resident "
          f"blocks, {sum(checker.blocks for checker in checkers)} in all")
    if used * 100 < percent * explained:
        failed += 1
        print(f"FAILED  fewer than {percent} percent used resident blocks")
    for checker in checkers:
        print(f"  {checker.name}: {checker.checks} checks, {checker.used} of "
              f"{checker.explained}, {checker.blocks} blocks")
        if percent and checker.explained > 10 and not checker.used:
            failed += 1
            print(f"FAILED  {checker.name} has used no resident blocks")
    return failed


def report(actors, checkers, options):
    """Prints the problems; returns how many failures they are."""
    differences = sum(checker.differences for checker in checkers)
    if options.expect_difference:
        return 0 if differences else 1
    problems = [actor for actor in actors if actor.problem]
    for actor in problems:
        print(f"FAILED  {os.path.basename(sys.argv[0])} --seed {options.seed}: "
              f"{actor.problem}")
    if problems:
        for actor in actors:
            print(f"  {actor.name} did:")
            for line in actor.done:
                print(f"    {line}")
    return len(problems)


if __name__ == "__main__":
    sys.exit(main())
