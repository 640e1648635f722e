#!/usr/bin/env python3
"""Changes tables in many ways while sessions join them, again and again.

Usage: freshness_joins.py [--seed S] [--seconds N] [--writers N] [--used PERCENT]
       freshness_joins.py --expect-difference [--seconds N] ...
Where to is in the environment (PGHOST, PGPORT, PGDATABASE, ..., PGOPTIONS); the
extension is created there if it is missing, the tables in schema wa_joined.

As freshness.py, over the tables of freshness_join_writers.py: a loader has them be
resident, beside those that are loaded in the background, so that sessions keep what they
have made of the relations that are joined.  All sessions ask the same queries over and
over: in new snapshots, in one that is kept for seconds, by prepared statements, and in the
middle of changes of their own.

PostgreSQL's own plan is one over subqueries of which it does not know that they have no
two rows with a key: where they have such for an older snapshot, a unique index that has
been made since would have it overlook some (seen in 15.20).  Then the node leaves the query
to PostgreSQL, whose answer is no matter.

The last line is "N passed, M failed", and the exit status is 0 only if M is 0.
Now and then an answer is explained.  It is a failure, too, if fewer than PERCENT
of these used what the session had kept, or none of some session's did, or, of many, if none had
changed blocks read alone, or tables made by the device process, or if a session has compared nothing.  --expect-difference is for settings or builds that break this on purpose.
"""

import re
import sys
import time

from freshness import BUILT_IN, NODE, Checker, PreparedChecker, begin, options_parser, run
from freshness_join_writers import FACTS, JOINED, SCHEMA, JoinWriter, make_tables
from freshness_writers import Loader
from session import Session

QUERIES = [
    "SELECT d.label, count(*), sum(f.v), sum(d.x) FROM {f} f JOIN {dims} d ON d.id = f.k "
    "GROUP BY 1 ORDER BY 1",
    "SELECT count(*), sum(f.v + d.y), max(d.n) FROM {f} f JOIN {dims} d ON d.id = f.k "
    "WHERE d.x > 3",
    "SELECT n.x, count(*), min(n.n), max(n.label) FROM {f} f JOIN {names} n ON n.name = f.s "
    "GROUP BY 1 ORDER BY 1",
    "SELECT g.label, count(*), sum(d.x * g.x) FROM {f} f JOIN {dims} d ON d.id = f.k "
    "JOIN {groups} g ON g.id = d.parent GROUP BY 1 ORDER BY 1",
    "SELECT g.y, n.x, count(*), sum(f.v), max(d.label) FROM {f} f JOIN {dims} d "
    "ON d.id = f.k JOIN {groups} g ON g.id = d.parent JOIN {names} n ON n.name = f.s "
    "WHERE d.n < 3 GROUP BY 1, 2 ORDER BY 1, 2",
    "SELECT d.y, n.label, count(*), count(d.id), sum(d.x) FROM {f} f LEFT JOIN {dims} d "
    "ON d.id = f.k LEFT JOIN {names} n ON n.name = f.s GROUP BY 1, 2 ORDER BY 1, 2",
    "SELECT g.label, count(*), count(d.id), min(g.n) FROM {f} f LEFT JOIN {dims} d "
    "ON d.id = f.k LEFT JOIN {groups} g ON g.id = d.parent AND g.x > 2 "
    "GROUP BY 1 ORDER BY 1",
    "SELECT count(*), sum(f.v) FROM {f} f WHERE NOT EXISTS (SELECT FROM {names} n "
    "WHERE n.name = f.s AND n.x > 2)",
    "SELECT f.k % 5, count(*), max(f.d) FROM {f} f LEFT JOIN {dims} d ON d.id = f.k "
    "WHERE d.id IS NULL GROUP BY 1 ORDER BY 1",
    "SELECT f.k % 5, count(*) FROM {f} f WHERE f.k IN (SELECT id FROM {dims} d "
    "WHERE d.y > 1) GROUP BY 1 ORDER BY 1",
    "SELECT d.extra, count(*), sum(d.extra + f.v) FROM {f} f JOIN {dims} d ON d.id = f.k "
    "GROUP BY 1 ORDER BY 1",
    "SELECT d.id, d.label, d.x, d.n, count(*), sum(f.v) FROM {f} f JOIN {dims} d ON d.id = f.k "
    "GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4",
    "SELECT f.k, d.label, d.y, g.label, g.n, sum(f.v) FROM {f} f JOIN {dims} d ON d.id = f.k "
    "LEFT JOIN {groups} g ON g.id = d.parent GROUP BY 1, 2, 3, 4, 5 "
    "ORDER BY 6 DESC, d.label, 1, 3, 4, 5 LIMIT 15",
    "SELECT n.name, n.label, n.n, n.extra, count(*) FROM {f} f JOIN {names} n ON n.name = f.s "
    "GROUP BY 1, 2, 3, 4 ORDER BY 5 DESC, 1, 2, 3, 4 LIMIT 20",
    "SELECT count(*), sum(f.v) FROM {f} f JOIN (SELECT DISTINCT x FROM {groups} g) g "
    "ON g.x = f.k",
]
PREPARED = [
    "SELECT d.label, count(*), sum(d.x) FROM {f} f JOIN {dims} d ON d.id = f.k "
    "AND d.x > $1 GROUP BY 1 ORDER BY 1",
    "SELECT d.id, d.label, d.name, count(*) FROM {f} f JOIN {dims} d ON d.id = f.k "
    "AND d.y < $1 GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1, 2, 3 LIMIT 9",
    "SELECT n.y, g.x, count(*) FROM {f} f JOIN {names} n ON n.name = f.s LEFT JOIN {dims} d "
    "ON d.id = f.k LEFT JOIN {groups} g ON g.id = d.parent WHERE n.x < $1 OR d.x = $1 "
    "GROUP BY 1, 2 ORDER BY 1, 2",
]
# Of these tables are made anew each time.
MOVING = [
    "SELECT d.label, count(*), sum(d.x) FROM {{f}} f JOIN {{dims}} d ON d.id = f.k "
    "AND d.n > {0} GROUP BY 1 ORDER BY 1",
    "SELECT d.id, d.label, d.name, sum(f.v) FROM {{f}} f JOIN {{dims}} d ON d.id = f.k "
    "AND d.n < {0} GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1, 2, 3 LIMIT 9",
    "SELECT g.label, count(d.id), count(*) FROM {{f}} f LEFT JOIN {{dims}} d ON d.id = f.k "
    "AND d.n > {0} LEFT JOIN {{groups}} g ON g.id = d.parent GROUP BY 1 ORDER BY 1",
    "SELECT count(*), sum(f.v) FROM {{f}} f WHERE f.k NOT IN (SELECT id FROM {{dims}} d "
    "WHERE d.n > {0} AND id IS NOT NULL)",
    "SELECT f.k % 3, count(*) FROM {{f}} f WHERE EXISTS (SELECT FROM {{dims}} d "
    "WHERE d.x = f.k AND d.n > {0}) GROUP BY 1 ORDER BY 1",
]
# The line of a plan whose node joins.
JOINS = r"^ *Joins: "
# What is locked for too long, is not there, is of other types, or is in the way.
EXPECTED = {"55P03", "40P01", "40001", "42P01", "42703", "57014", "25P02", "0A000"}


def of_node(query):
    """Returns a query as the node is to get it."""
    return query.format(f=FACTS, **{name: f"{SCHEMA}.{name}" for name in JOINED})


def of_built_in(query):
    """Returns a query of the same rows, of which PostgreSQL knows nothing that is unique."""
    return query.format(f=FACTS, **{name: f"(SELECT * FROM {SCHEMA}.{name} OFFSET 0)"
                                    for name in JOINED})


class Reader(Checker):
    """Compares answers, mostly to a few queries, each in a new snapshot."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.left = 0
        self.lent = 0
        self.made = 0
        self.patched = 0
        self.favourites = self.rng.sample(QUERIES, 4)

    def prepare(self):
        super().prepare()
        # the node is chosen even where PostgreSQL's own plan is cheaper, and joins
        self.session.run("SET cpu_tuple_cost = 1")
        self.session.run("SELECT set_config(name, 'off', false) FROM pg_settings "
                         "WHERE name = 'enable_eager_aggregate'")

    def query(self):
        """Returns a query."""
        return self.rng.choice(
            QUERIES if self.rng.random() < 0.2 else self.favourites)

    def note(self, state, query):
        super().note(state, query)
        if state not in EXPECTED:
            self.problem = f"{query}: {state} {self.session.last_message()}"

    def judge(self, query, answer, expected):
        plan = "" if answer == expected else self.plan(query)
        if answer != expected and plan and not re.search(JOINS, plan, re.M):
            self.left += 1
            return False
        is_right = super().judge(query, answer, expected)
        if not is_right:
            self.problem += f"\n{plan}"
        return is_right

    def plan(self, query):
        """Returns a query's plan."""
        return "\n".join(row[0] for row in self.ask(f"{NODE};\nEXPLAIN {query}")[1])

    def explain(self, query):
        """Counts the queries with joins that use what the session has kept."""
        state, rows = self.ask(f"{NODE};\nEXPLAIN (ANALYZE, COSTS off, TIMING off, "
                               f"SUMMARY off) {query}")
        text = "\n".join(row[0] for row in rows)
        if state == "00000" and re.search(JOINS, text, re.M):
            self.explained += 1
            self.used += "never executed" in text
            self.lent += "Reused by Device Process" in text
            self.made += "Made by Device Process" in text
            self.patched += "Reused But for Blocks" in text

    def compare(self, query):
        """Has a query answered several times; tells whether all has gone well."""
        expected = self.answer(of_built_in(query), BUILT_IN)
        query = of_node(query)
        for _ in range(self.rng.choice([1, 2, 4])):
            if not isinstance(expected, list) or not self.same(query, expected):
                return False
            time.sleep(self.rng.choice([0, 0, 0.05]))
        if self.rng.random() < 0.3:
            self.explain(query)
        return True

    def step(self):
        level = self.rng.choice(["REPEATABLE READ"] * 7 + ["SERIALIZABLE"])
        self.ask(f"BEGIN ISOLATION LEVEL {level}")
        # what comes next happens in a snapshot that is older
        self.ask("SELECT 1")
        time.sleep(self.rng.choice([0, 0, 0, 0.2]))
        for _ in range(self.rng.choice([1, 1, 3])):
            if not self.compare(self.query()):
                break
        self.ask("ROLLBACK")


class NewReader(Reader):
    """Compares answers in a new session each time, as dashboards do that connect anew."""

    def step(self):
        self.session.close()
        self.session = Session()
        self.prepare()
        super().step()


class MovingReader(Reader):
    """Compares answers to queries that nobody has asked before."""

    def query(self):
        return self.rng.choice(MOVING).format(self.rng.randrange(10000) / 1000)

    def compare(self, query):
        # once it has been answered there are tables
        if self.rng.random() < 0.3:
            self.explain(of_node(query))
        return super().compare(query)


class OldReader(Reader):
    """Compares answers in a snapshot that it keeps, then in a new one."""

    def step(self):
        end = time.monotonic() + self.rng.choice([0.2, 1, 3])
        self.ask("BEGIN ISOLATION LEVEL REPEATABLE READ")
        self.ask("SELECT 1")
        if self.rng.random() < 0.3:
            time.sleep(0.5)
        queries = [self.query() for _ in range(2)]
        while time.monotonic() < min(end, self.until) and \
                self.compare(self.rng.choice(queries)):
            time.sleep(self.rng.choice([0, 0.05]))
        if self.rng.random() < 0.3:
            self.by_cursor(self.rng.choice(queries))
        self.ask("ROLLBACK")

    def by_cursor(self, query):
        """Fetches an answer some time after it was asked for."""
        expected = self.answer(of_built_in(query), BUILT_IN)
        self.ask(f"{NODE};\nDECLARE c CURSOR FOR {of_node(query)}")
        time.sleep(self.rng.choice([0, 0.3]))
        state, rows = self.ask("FETCH ALL FROM c")
        self.ask("CLOSE c")
        if state == "00000" and isinstance(expected, list):
            self.judge(of_node(query), rows, expected)


class OwnReader(Reader, JoinWriter):
    """Compares answers in the middle of its own changes, and after them."""

    def prepare(self):
        Reader.prepare(self)

    def step(self):
        query = self.query()
        self.ask("BEGIN ISOLATION LEVEL REPEATABLE READ")
        changes = self.rng.randrange(4) if self.compare(query) else 0
        for _ in range(changes):
            self.ask("SAVEPOINT a")
            state, _ = self.ask(self.rng.choice([self.change, self.change,
                                                 self.alter])())
            if state != "00000" or self.rng.random() < 0.3:
                self.ask("ROLLBACK TO a")
            if not self.compare(query):
                break
        self.ask(self.rng.choice(["COMMIT", "ROLLBACK"]))
        self.ask("ROLLBACK")
        if self.ask("BEGIN ISOLATION LEVEL REPEATABLE READ")[0] == "00000":
            self.compare(query)
        self.ask("ROLLBACK")
        time.sleep(self.rng.choice([0, 0.2, 0.5]))

    def alter(self):
        """Returns a statement that changes what may have been kept, or is loaded."""
        table = self.table()
        return self.rng.choice([
            f"ALTER TABLE {table} ADD COLUMN extra int DEFAULT {self.rng.randrange(9)}",
            f"TRUNCATE {table}", f"SELECT warpagg_load('{table}')",
            f"SELECT warpagg_load('{table}', '{{ctid}}')",
            f"ALTER TABLE {table} DROP COLUMN IF EXISTS extra",
            f"ALTER TABLE {table} ALTER COLUMN y TYPE int USING y + 1"])


class PreparedReader(Reader, PreparedChecker):
    """Executes prepared statements, whatever becomes of the relations."""

    STATEMENTS = [of_node(query) for query in PREPARED]

    def step(self):
        number = self.rng.randrange(len(PREPARED))
        if number in self.missing:
            self.prepare_again(number)
            return
        value = str(self.rng.choice([3, 3, 3, self.rng.randrange(17)]))
        self.ask("BEGIN ISOLATION LEVEL REPEATABLE READ")
        expected = self.answer(of_built_in(PREPARED[number].replace("$1", value)), BUILT_IN)
        execute = f"EXECUTE p{number} ({value})"
        for _ in range(self.rng.choice([1, 3])):
            if isinstance(expected, list):
                answer = self.answer(execute, NODE)
                if not isinstance(answer, list):
                    self.missing.add(number)
                    break
                if not self.judge(execute, answer, expected):
                    break
        if self.rng.random() < 0.2:
            self.explain(execute)
        self.ask("ROLLBACK")


class JoinLoader(Loader):
    """Loads what is joined, and the facts now and then."""

    def table(self):
        return FACTS if self.rng.random() < 0.1 else \
            f"{SCHEMA}.{self.rng.choice(list(JOINED))}"


def check_kept(readers, percent):
    """Prints who has used what was kept; returns how many have too little."""
    failed = 0
    explained = sum(reader.explained for reader in readers)
    used = sum(reader.used for reader in readers)
    print(f"{used} of {explained} answers that were explained used what was kept; "
          f"{sum(reader.left for reader in readers)} of PostgreSQL's own were others")
    patched = sum(reader.patched for reader in readers)
    print(f"{patched} had changed blocks read alone")
    made = sum(reader.made for reader in readers)
    print(f"{made} had tables made by the device process")
    # in a short run there may be none of these
    is_long = percent and explained > 1000
    if is_long and not made:
        failed += 1
        print("FAILED  none had tables made by the device process")
    if is_long and not patched:
        failed += 1
        print("FAILED  none had changed blocks read alone")
    if used * 100 < percent * explained:
        failed += 1
        print(f"FAILED  fewer than {percent} percent used what was kept")
    for reader in readers:
        print(f"  {reader.name}: {reader.checks} checks, {reader.used} of "
              f"{reader.explained}, {reader.lent} by the device process, {reader.made} made "
              f"by it, {reader.patched} but for blocks, errors: {dict(reader.errors)}")
        if not reader.checks or (percent and not reader.used):
            failed += 1
            print(f"FAILED  {reader.name} has compared nothing, or used nothing kept")
    return failed


def main():
    """Runs the sessions side by side and counts."""
    options = options_parser(__doc__).parse_args()
    until = begin(options, make_tables)
    readers = [Reader(f"reader{i}", options.seed, until) for i in range(2)]
    readers += [kind(kind.__name__, options.seed, until)
                for kind in (NewReader, MovingReader, OldReader, OwnReader,
                             PreparedReader)]
    writers = [JoinWriter(f"writer{i}", options.seed, until)
               for i in range(options.writers)]
    return run(options, [JoinLoader("loader", options.seed, until)] + writers + readers, readers,
               lambda failed: check_kept(readers, options.used if not failed else 0), SCHEMA)


if __name__ == "__main__":
    sys.exit(main())
