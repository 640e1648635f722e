#!/usr/bin/env python3
"""Has partitions come and go while resident columns of them answer queries.

Usage: freshness_partitions.py [--seed S] [--seconds N] [--writers N] [--used PERCENT]
       freshness_partitions.py --expect-difference [--seconds N] ...
Where to is in the environment (PGHOST, PGPORT, PGDATABASE, ..., PGOPTIONS); the
extension is created there if it is missing, the tables in schema wa_parts.

As freshness.py, over the tables of freshness_partition_writers.py: writers change rows,
and have them go from one partition to another; movers make, attach, detach, detach
concurrently, drop and truncate partitions; a loader loads by the tables at the top.
Beside the readers of freshness.py there is one that executes prepared statements whose
parameters prune partitions, and one that asks under READ COMMITTED, in a function that
has the snapshot of the statement that calls it.

A snapshot sees a partition that has been attached since.  So where an answer differs,
PostgreSQL's own plan is asked again: it is a failure if that has not changed its mind.
It is a failure, too, if the node raises an error that PostgreSQL's own plan does not,
or that none of the partitions' coming and going explains.

The last line is "N passed, M failed", and the exit status is 0 only if M is 0.
It is a failure if fewer than PERCENT of the answers that were explained used resident
blocks, or if no partition came, or none went.  --expect-difference is for settings that
break the tier on purpose.
"""

import collections
import sys
import time

from freshness import (
    BUILT_IN, NODE, QUERIES, Checker, Keeper, Owner, PreparedChecker, begin, check_use,
    options_parser, run)
from freshness_partition_writers import SCHEMA, Mover, RowWriter, make_tables, some_table
from freshness_writers import Loader

PRUNED = [
    "SELECT count(*), sum(v), sum(n) FROM {t} WHERE k = 3",
    "SELECT k, count(*), max(d) FROM {t} WHERE k IN (1, 5) GROUP BY k ORDER BY k",
    "SELECT count(*), sum(f), min(id) FROM {t} WHERE id BETWEEN 20 AND 70",
    "SELECT s, count(*), sum(v) FROM {t} WHERE id >= 80 OR k IS NULL "
    "GROUP BY s ORDER BY s",
    "SELECT count(*), min(s), max(v) FROM {t} "
    "WHERE k = (SELECT 4) AND id < (SELECT 90)",
]
PREPARED = [
    "SELECT count(*), sum(v), max(s) FROM {t} WHERE k = $1",
    "SELECT k, count(*), sum(n) FROM {t} WHERE k BETWEEN $1 AND $2 "
    "GROUP BY k ORDER BY k",
    "SELECT count(*), sum(f), max(d) FROM {t} WHERE id >= $1 * 12 AND id < $2 * 20",
    "SELECT s, count(*) FROM {t} WHERE id < $1 * 15 OR k = $2 GROUP BY s ORDER BY s",
]
# What partitions' coming and going has a query raise: what it waits for takes too long
# or ends in a deadlock, and a table or a column is not there, or is another meanwhile.
EXPECTED = {"55P03", "40P01", "40001", "42P01", "42703", "57014", "25P02"}
# A prepared statement returns another type, as that of a column is another.
OTHER_TYPE = "0A000"
# What PostgreSQL says of a partition that is being detached, if its parent has had a column
# added meanwhile.
DETACHING = "could not convert row type"


class Reader(Checker):
    """Compares answers about partitions."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.changed = 0

    def prepare(self):
        super().prepare()
        # the node is chosen even where PostgreSQL's own plan is cheaper
        self.session.run("SET cpu_tuple_cost = 1")

    def table(self):
        return some_table(self.rng)

    def note(self, state, query):
        """Notes an error, which is a failure if nothing explains it."""
        super().note(state, query)
        message = self.session.last_message()
        if state not in EXPECTED and DETACHING not in message and \
                not (state == OTHER_TYPE and "EXECUTE" in query):
            self.problem = f"{query}: {state} {message}"

    def same(self, query, expected):
        answer = self.answer(query, NODE)
        return isinstance(answer, list) and self.is_right(query, answer, expected)

    def is_right(self, query, answer, expected):
        """Counts an answer; tells whether to go on."""
        if answer != expected:
            now = self.answer(query, BUILT_IN)
            if not isinstance(now, list):
                return False
            if now != expected:
                self.changed += 1
                return False
        return self.judge(query, answer, expected)

    def step(self):
        query = self.rng.choice(QUERIES + PRUNED).format(t=self.table())
        level = self.rng.choice(["REPEATABLE READ"] * 5 + ["SERIALIZABLE"])
        self.ask(f"BEGIN ISOLATION LEVEL {level}")
        # what comes next happens in a snapshot that is older
        self.ask("SELECT 1")
        time.sleep(self.rng.choice([0, 0, 0.2]))
        self.compare(query)
        self.ask("ROLLBACK")


class OldReader(Reader, Keeper):
    """Compares answers in a snapshot that it keeps while partitions come and go."""

    def step(self):
        Keeper.step(self)

    def by_cursor(self, query, expected):
        state, _ = self.ask(f"{NODE};\nDECLARE c CURSOR FOR {query}")
        time.sleep(self.rng.choice([0, 0.1, 0.5]))
        if state == "00000":
            state, rows = self.ask("FETCH ALL FROM c")
        self.ask("CLOSE c")
        if state != "00000":
            self.note(state, query)
            return False
        return self.is_right(query, rows, expected)


class OwnReader(Reader, Owner):
    """Compares answers in the middle of its own changes."""

    def step(self):
        Owner.step(self)


class PreparedReader(Reader, PreparedChecker):
    """Executes prepared statements, over and over, whatever becomes of partitions."""

    TYPES = "int, int"
    STATEMENTS = [query.format(t=f"{SCHEMA}.{table}")
                  for query in PREPARED for table in ("facts", "events")]

    def step(self):
        number = self.rng.randrange(len(self.STATEMENTS))
        if number in self.missing:
            self.prepare_again(number)
        if number in self.missing:
            return
        values = [self.rng.randrange(8), self.rng.randrange(9)]
        query = self.STATEMENTS[number]
        for place, value in enumerate(values, 1):
            query = query.replace(f"${place}", str(value))
        self.ask("BEGIN ISOLATION LEVEL REPEATABLE READ")
        self.ask("SELECT 1")
        time.sleep(self.rng.choice([0, 0, 0.1]))
        self.execute(query, number, f"EXECUTE p{number} ({values[0]}, {values[1]})")
        self.ask("ROLLBACK")
        if self.errors.pop(OTHER_TYPE, 0):
            self.prepare_again(number)

    def execute(self, query, number, execute):
        """Compares what a prepared statement returns; it may come first."""
        comes_first = self.rng.random() < 0.5
        if comes_first:
            answer = self.answer(execute, NODE)
        expected = self.answer(query, BUILT_IN)
        if not comes_first:
            answer = self.answer(execute, NODE)
        if not isinstance(answer, list) or not isinstance(expected, list):
            return
        if answer != expected and (
                comes_first and self.answer(execute, NODE) == expected or
                self.is_detaching(number, execute)):
            self.changed += 1
        elif self.is_right(query, answer, expected) and self.rng.random() < 0.2:
            self.explain(execute)

    def is_detaching(self, number, execute):
        """Tells whether there is a partition that explains an answer of an old plan.

        From the beginning of DETACH CONCURRENTLY to its end a plan that was made in an
        older snapshot has the partition, as PostgreSQL's own has; and where partitions
        are pruned at run time below another level, PostgreSQL may leave out one above
        (seen in 15.20).  Plans that are made anew have to have the same rows.
        """
        _, rows = self.ask("SELECT 1 FROM pg_inherits WHERE inhdetachpending")
        answers = []
        for settings in (BUILT_IN, NODE):
            self.prepare_again(number)
            answers.append(self.answer(execute, settings))
        return bool(rows) and answers[0] == answers[1]


class CommittedReader(Reader):
    """Compares answers under READ COMMITTED."""

    def step(self):
        query = self.rng.choice(QUERIES[:-1] + PRUNED).format(t=self.table())
        if self.rng.random() < 0.2:
            self.ask("BEGIN")
            self.explain(query)
            self.ask("ROLLBACK")
        text = query.replace("'", "''")
        state, rows = self.ask(f"SELECT a[1], a[2], a[3] FROM {SCHEMA}.both('{text}') a")
        if state != "00000":
            self.note(state, query)
            return
        before, ours, after = rows[0]
        if ours != before and before != after:
            self.changed += 1
        else:
            self.judge(query, [ours], [before])


class PartitionLoader(Loader):
    """Loads tables with all their partitions, or some of these."""

    # who attaches a partition locks several tables, too
    HARMLESS = Loader.HARMLESS | {"40P01"}

    def table(self):
        return some_table(self.rng)


def report_moves(movers, readers, must_move):
    """Prints what has come and gone, and which errors there were; returns failures."""
    moves = sum((mover.moves for mover in movers), collections.Counter())
    errors = sum((reader.errors for reader in readers), collections.Counter())
    print("partitions: " + ", ".join(f"{kind} {n}" for kind, n in sorted(moves.items())))
    print(f"{sum(reader.changed for reader in readers)} answers have changed "
          "beside their snapshot; errors: " +
          ", ".join(f"{state} {n}" for state, n in sorted(errors.items())))
    gone = moves["detach"] + moves["detach concurrently"] + moves["drop"]
    is_still = must_move and not (moves["attach"] and gone)
    if is_still:
        print("FAILED  partitions have not come, or not gone")
    idle = [reader.name for reader in readers if not reader.checks]
    for name in idle:
        print(f"FAILED  {name} has compared nothing")
    return len(idle) + is_still


def main():
    """Runs the sessions side by side and counts."""
    options = options_parser(__doc__).parse_args()
    until = begin(options, make_tables)
    readers = [kind(kind.__name__, options.seed, until)
               for kind in (Reader, OldReader, OwnReader, PreparedReader,
                            CommittedReader)]
    writers = [RowWriter(f"writer{i}", options.seed, until)
               for i in range(options.writers)]
    movers = [Mover(f"mover{i}", options.seed, until) for i in range(3)]
    actors = [PartitionLoader("loader", options.seed, until)] + writers + movers + readers

    def check(failed):
        must_move = options.seconds >= 20 and not failed
        return report_moves(movers, readers, must_move) + check_use(readers, options.used)

    return run(options, actors, readers, check, SCHEMA)


if __name__ == "__main__":
    sys.exit(main())
