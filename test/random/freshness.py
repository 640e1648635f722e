#!/usr/bin/env python3
"""Changes tables in many ways while resident columns of them answer queries.

Usage: freshness.py [--seed S] [--seconds N] [--writers N] [--used PERCENT]
               [--standby PORT]
       freshness.py --expect-difference [--seconds N] ...
Where to is in the environment (PGHOST, PGPORT, PGDATABASE, ..., PGOPTIONS); the
extension is created there if it is missing, the tables in schema wa_fresh.

Writers insert, copy, update, delete, lock, roll back, prepare, truncate, vacuum,
cluster, alter and drop; a loader has warpagg_load bring columns up to date again
and again.  A checker asks for aggregates with the node and with PostgreSQL's own
plan, in one snapshot, with parallel workers or without; a keeper keeps a snapshot
for seconds and asks again and again: all answers must be the same, text for text.
With --standby a loader and a checker work there, too; the standby must not cancel
queries (max_standby_streaming_delay = -1).
The order of what happens is the machine's, so a seed does not repeat a failure;
what each session did lately is printed with it.

The last line is "N passed, M failed", and the exit status is 0 only if M is 0.
Now and then an answer is explained.  It is a failure, too, if fewer than PERCENT
of these used resident blocks.
--expect-difference is for settings that break the tier on purpose: then there
has to be a difference.
"""

import argparse
import collections
import random
import sys
import threading
import time

from session import Session, SessionLost

ROWS = 30000
TABLES = ["even", "narrow", "changing"]
COLUMNS = "id int, k int, v bigint, f float8, n numeric(12,2), s text, d date"
SAME = "id % 97, id % 7, id * 3, id / 8.0, id / 100.0, 's' || id % 11, " \
       "date '2020-01-01' + id % 400"
COUNTS = [1, 5, 50, 500, 5000]
MANY = 1000000


def make_tables(session):
    """Makes the tables, vacuumed and analyzed."""
    session.run("CREATE EXTENSION IF NOT EXISTS warpagg")
    # without it a statement of the writers fails, which does no harm
    session.ask("CREATE EXTENSION IF NOT EXISTS pg_visibility")
    session.run("DROP SCHEMA IF EXISTS wa_fresh CASCADE")
    session.run("CREATE SCHEMA wa_fresh")
    for table in TABLES:
        session.run(f"CREATE TABLE wa_fresh.{table} ({COLUMNS}) "
                    "WITH (fillfactor = 90, autovacuum_enabled = off)")
        session.run(f"INSERT INTO wa_fresh.{table} SELECT {SAME} "
                    f"FROM generate_series(1, {ROWS}) id")
        session.run(f"CREATE INDEX {table}_k ON wa_fresh.{table} (k)")
        session.run(f"VACUUM (FREEZE, ANALYZE) wa_fresh.{table}")


class Actor(threading.Thread):
    """A session of its own that does something again and again."""

    def __init__(self, name, seed, until, port=None):
        super().__init__(name=name, daemon=True)
        self.port = port
        self.rng = random.Random(f"{seed}/{name}")
        self.until = until
        self.done = collections.deque(maxlen=12)
        self.succeeded = 0
        self.problem = None
        self.session = None

    def run(self):
        try:
            self.session = Session(self.port)
            self.prepare()
            while time.monotonic() < self.until and self.problem is None:
                self.step()
            self.finish()
            self.session.close()
        except (SessionLost, RuntimeError) as problem:
            self.problem = f"{self.name}: {problem}"

    def ask(self, statement):
        """Runs a statement that may fail; returns its state and rows."""
        self.done.append(f"{time.monotonic():.3f} {statement[:160]}")
        state, rows = self.session.ask(statement)
        self.succeeded += state == "00000"
        return state, rows

    def prepare(self):
        """Is done once, before the steps."""

    def finish(self):
        """Is done once, after the steps."""

    def table(self):
        """Returns a table's name."""
        return "wa_fresh." + self.rng.choice(TABLES)


class Writer(Actor):
    """Changes tables."""

    def prepare(self):
        self.session.run("SET lock_timeout = '100ms'")
        self.session.run("SET statement_timeout = '20s'")

    def finish(self):
        self.ask("ROLLBACK")

    def some(self):
        """Returns a condition that some rows fulfil, few or many."""
        return self.rng.choice([
            f"id = {self.rng.randrange(97)}",
            f"v BETWEEN {self.rng.randrange(90000)} AND "
            f"{self.rng.randrange(90000)}",
            f"k = {self.rng.randrange(7)} AND id < {self.rng.randrange(97)}",
            f"ctid = '({self.rng.randrange(200)},{self.rng.randrange(1, 90)})'",
            f"d = date '2020-01-01' + {self.rng.randrange(400)}"])

    def few(self):
        """Returns a condition by which writers meet at the same rows."""
        return f"id = {self.rng.randrange(4)} AND k < 3"

    def copy(self, table, count, options=""):
        """Returns a COPY of rows; psql shows what a statement after it says."""
        first = self.rng.randrange(1, MANY)
        rows = "\n".join(
            "\t".join(map(str, (i % 97, i % 7, i * 3, i / 8, i / 100,
                                f"s{i % 11}", "2021-02-03")))
            for i in range(first, first + count))
        return f"COPY {table} (id, k, v, f, n, s, d) FROM STDIN {options};\n" \
               f"{rows}\n\\.\nSELECT 1"

    def change(self):
        """Returns a statement that changes rows."""
        table = self.table()
        first = self.rng.randrange(1, MANY)
        count = self.rng.choice(COUNTS)
        series = f"generate_series({first}, {first + count - 1}) id"
        return self.rng.choice([
            f"INSERT INTO {table} SELECT {SAME} FROM {series}",
            self.copy(table, self.rng.choice([1, 30, 400])),
            f"UPDATE {table} SET v = v + 1 WHERE {self.some()}",
            f"UPDATE {table} SET n = n + 0.01, f = -f WHERE {self.some()}",
            f"UPDATE {table} SET k = (k + 1) % 7 WHERE {self.some()}",
            f"UPDATE {table} SET s = NULL WHERE {self.some()}",
            f"DELETE FROM {table} WHERE {self.some()}",
            f"DELETE FROM {table} WHERE {self.some()}",
            f"SELECT FROM {table} WHERE {self.some()} FOR UPDATE",
            f"SELECT FROM {table} WHERE {self.some()} FOR KEY SHARE"])

    def locks(self):
        """Returns a transaction whose locks meet those of others, and updates."""
        table = self.table()
        some = self.few()
        locks = [f"SELECT FROM {table} WHERE {some} FOR {lock}"
                 for lock in ("KEY SHARE", "SHARE", "NO KEY UPDATE")]
        return ["BEGIN", locks[0], self.rng.choice(locks), "SAVEPOINT a",
                f"UPDATE {table} SET v = v + 1 WHERE {some}",
                self.rng.choice(["ROLLBACK TO a", "RELEASE a"]),
                self.rng.choice(locks), "SAVEPOINT b", self.change(),
                self.rng.choice(["COMMIT", "COMMIT", "ROLLBACK"])]

    def prepared(self):
        """Returns a prepared transaction, with other work before it ends."""
        name = f"wa_fresh_{self.name}"
        return ["BEGIN", self.change(), "SAVEPOINT a", self.change(),
                self.rng.choice(["ROLLBACK TO a", "RELEASE a"]),
                f"PREPARE TRANSACTION '{name}'",
                self.rng.choice([self.upkeep(), self.rewrite(), self.change()]),
                self.rng.choice(["COMMIT", "ROLLBACK"]) +
                f" PREPARED '{name}'", "ROLLBACK"]

    def upkeep(self):
        """Returns a statement that changes pages."""
        table = self.table()
        return self.rng.choice([
            f"VACUUM {table}", f"VACUUM {table}", f"VACUUM {table}",
            f"VACUUM (FREEZE) {table}",
            f"VACUUM (DISABLE_PAGE_SKIPPING) {table}",
            f"VACUUM (FREEZE, DISABLE_PAGE_SKIPPING) {table}",
            f"VACUUM (TRUNCATE off) {table}",
            f"DELETE FROM {table} WHERE ctid >= '(400,1)'",
            "CHECKPOINT"])

    def rewrite(self):
        """Returns a statement that changes files or columns."""
        table = self.table()
        return self.rng.choice([
            f"VACUUM FULL {table}",
            f"CLUSTER {table} USING {table.split('.')[1]}_k",
            f"ALTER TABLE {table} ADD COLUMN x int DEFAULT 5",
            f"ALTER TABLE {table} ADD COLUMN x int DEFAULT 6",
            f"ALTER TABLE {table} DROP COLUMN IF EXISTS x",
            f"ALTER TABLE {table} ALTER COLUMN k TYPE "
            f"{self.rng.choice(['int', 'bigint'])}",
            f"SELECT pg_truncate_visibility_map('{table}')",
            f"ALTER TABLE {table} SET LOGGED"])

    def refill(self):
        """Returns a transaction that writes a table anew."""
        table = self.table()
        ends = self.rng.choice(["COMMIT", "COMMIT", "ROLLBACK"])
        fill = f"INSERT INTO {table} SELECT {SAME} " \
               f"FROM generate_series(1, {ROWS // 2}) id"
        freeze = [self.copy(table, self.rng.choice([3, 9000]), "(FREEZE)")
                  for _ in range(2)]
        index = f"CREATE INDEX {table.split('.')[1]}_k ON {table} (k)"
        return self.rng.choice([
            f"BEGIN; TRUNCATE {table}; {fill}; {ends}",
            f"BEGIN; TRUNCATE {table}; {freeze[0]}\n;{freeze[1]}\n;{ends}",
            f"BEGIN; SAVEPOINT a; TRUNCATE {table}; ROLLBACK TO a; {ends}",
            f"BEGIN; DROP TABLE {table}; CREATE TABLE {table} ({COLUMNS}) WITH "
            f"(autovacuum_enabled = off); {fill}; {index}; {ends}",
            f"BEGIN; ALTER TABLE {table} ADD COLUMN x int DEFAULT 7; "
            f"SELECT warpagg_load('{table}'); {ends}",
            f"ALTER TABLE {table} SET UNLOGGED; {self.change()};\n"
            f"VACUUM {table}; ALTER TABLE {table} SET LOGGED"])

    def one_by_one(self, statements):
        """Runs a transaction of several statements."""
        for statement in statements:
            self.ask(statement)
            time.sleep(self.rng.choice([0, 0, 0.02]))

    def step(self):
        kind = self.rng.random()
        if kind < 0.35:
            self.ask(self.change())
        elif kind < 0.5:
            self.one_by_one(["BEGIN", self.change(), "SAVEPOINT a",
                             self.change(), "ROLLBACK TO a", self.change(),
                             self.rng.choice(["COMMIT", "ROLLBACK"])])
        elif kind < 0.57:
            self.one_by_one(self.locks())
        elif kind < 0.63:
            self.one_by_one(self.prepared())
        elif kind < 0.95:
            self.ask(self.upkeep())
        elif kind < 0.98:
            self.ask(self.rewrite())
        else:
            self.ask(self.refill())
            self.ask("ROLLBACK")
        time.sleep(self.rng.choice([0, 0.01, 0.1]))


class Loader(Actor):
    """Brings resident columns up to date."""

    def step(self):
        table = self.table()
        state, _ = self.ask(f"SELECT warpagg_load('{table}')")
        message = self.session.last_message()
        # the table was locked, is unlogged, or was dropped meanwhile
        if state not in ("00000", "55P03", "42P01", "55000", "55006") and \
                "could not open relation with OID" not in message:
            self.problem = f"warpagg_load: {message}"
        if self.rng.random() < 0.05:
            self.ask(f"SELECT warpagg_unload('{table}')")
        time.sleep(self.rng.choice([0, 0.02, 0.1]))


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
    "SELECT x, count(*), sum(v) FROM {t} GROUP BY x ORDER BY x",
]
NODE = "SET LOCAL warpagg.enable_scan = on; SET LOCAL warpagg.accelerate = 'all'"
BUILT_IN = "SET LOCAL warpagg.enable_scan = off; " \
           "SET LOCAL warpagg.accelerate = 'off'"


class Checker(Actor):
    """Compares answers."""

    def __init__(self, name, seed, until, port=None):
        super().__init__(name, seed, until, port)
        self.checks = self.differences = 0
        self.explained = self.used = self.blocks = 0

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
            f"{settings};\n{query}")
        return rows if state == "00000" else state

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
        self.blocks += sum(found)

    def same(self, query, expected):
        """Has the node answer; tells whether to go on."""
        answer = self.answer(query, NODE)
        if not isinstance(answer, list):
            return False  # the table was being locked
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

    def step(self):
        table = self.table()
        queries = [query.format(t=table)
                   for query in self.rng.sample(QUERIES[:-1], 4)]
        end = time.monotonic() + self.rng.choice([0.5, 2, 5])
        self.ask("BEGIN ISOLATION LEVEL REPEATABLE READ")
        expected = {query: self.answer(query, BUILT_IN) for query in queries}
        if all(isinstance(rows, list) for rows in expected.values()):
            self.keep(expected, min(end, self.until))
        self.ask("ROLLBACK")
        time.sleep(self.rng.choice([0.1, 1]))

    def keep(self, expected, end):
        """Asks again until then."""
        while time.monotonic() < end:
            query = self.rng.choice(list(expected))
            if not self.same(query, expected[query]):
                return
            if self.rng.random() < 0.3:
                self.explain(query)
            time.sleep(self.rng.choice([0, 0.1]))


def main():
    """Runs the sessions side by side and counts."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--writers", type=int, default=2)
    parser.add_argument("--used", type=int, default=0,
                        help="percentage that has to use resident blocks")
    parser.add_argument("--standby", type=int, metavar="PORT")
    parser.add_argument("--expect-difference", action="store_true")
    options = parser.parse_args()
    session = Session()
    make_tables(session)
    until = time.monotonic() + options.seconds
    checkers = [Checker(f"checker{i}", options.seed, until) for i in range(2)]
    checkers.append(Keeper("keeper", options.seed, until))
    writers = [Writer(f"writer{i}", options.seed, until)
               for i in range(options.writers)]
    loader = Loader("loader", options.seed, until)
    actors = [loader] + writers
    if options.standby:
        checkers.append(
            Checker("standby", options.seed, until, options.standby))
        actors.append(
            Loader("standby_loader", options.seed, until, options.standby))
    actors += checkers
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
    passed = sum(checker.checks for checker in checkers)
    explained = sum(checker.explained for checker in checkers)
    used = sum(checker.used for checker in checkers)
    failed = report(actors, checkers, options)
    print(f"{sum(writer.succeeded for writer in writers)} statements of writers "
          f"and {loader.succeeded} of the loader succeeded")
    if options.standby:
        standby = checkers[-1]
        print(f"{standby.checks} answers were the standby's, {standby.used} of "
              f"{standby.explained} explained used resident blocks there")
    print(f"{used} of {explained} answers that were explained used resident "
          f"blocks, {sum(checker.blocks for checker in checkers)} in all")
    if not options.expect_difference and \
            used * 100 < options.used * explained:
        failed += 1
        print(f"FAILED  fewer than {options.used} percent used resident blocks")
    if failed == 0:
        session.run("DROP SCHEMA wa_fresh CASCADE")
    session.close()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def report(actors, checkers, options):
    """Prints the problems; returns how many failures they are."""
    differences = sum(checker.differences for checker in checkers)
    if options.expect_difference:
        return 0 if differences else 1
    problems = [actor for actor in actors if actor.problem]
    for actor in problems:
        print(f"FAILED  freshness.py --seed {options.seed}: {actor.problem}")
    if problems:
        for actor in actors:
            print(f"  {actor.name} did:")
            for line in actor.done:
                print(f"    {line}")
    return len(problems)


if __name__ == "__main__":
    sys.exit(main())
