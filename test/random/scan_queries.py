#!/usr/bin/env python3
"""Runs random aggregate queries with and without the scan node and compares.

Usage: scan_queries.py [--seed S] [--queries N] [--query K] [--nodes PERCENT]
                       [--resident] [--partitioned] [--joins] [--first]
       scan_queries.py --self-test
Where to is in the environment (PGHOST, PGPORT, PGDATABASE, ..., PGOPTIONS); the
extension is created there if it is missing, the tables in schema wa_scan.

Each query runs with warpagg.enable_scan on and off in one transaction, with one
snapshot, while another connection changes the tables; results must be the same,
text for text, but for keys, minima and maxima that are equal and look different, and
errors the same SQLSTATE and message.  Query K of seed S is always the same; a failure is printed with what repeats it.  The last line is "N
passed, M failed", and the exit status is 0 only if M is 0.  It is a failure, too,
if fewer than PERCENT of the queries got the node.

--resident loads tables between the queries; the library has to be preloaded.  It is
a failure if no query used what was loaded.

--partitioned takes the tables of scan_partitions.py, which have partitions or children.

--joins has each query join its table with those of scan_joins.py.

--first has queries want the first rows of their tables, without aggregates.

--self-test compares pairs of queries that differ, which must be noticed.
"""

import argparse
import random
import re
import sys

import scan_first
import scan_joins
import scan_partitions
import scan_tables
from looks import same_look
from random_queries import sorted_rows
from scan_generator import Query
from session import Session, SessionLost

OWN_WRITES = [
    "UPDATE wa_scan.own SET i4 = i4 / 2, n = n * 1.0 WHERE id % 3 = 0",
    "DELETE FROM wa_scan.own WHERE id % 7 = 1",
    "INSERT INTO wa_scan.own SELECT * FROM wa_scan.own WHERE id % 5 = 2",
    "SAVEPOINT x; UPDATE wa_scan.own SET k1 = k1 + 1; ROLLBACK TO x",
    "SAVEPOINT y; DELETE FROM wa_scan.own WHERE b; RELEASE y",
]


class Failure(Exception):
    """The two sides of a query do not agree."""


class Outcome:
    """What the statements of a side ended with."""

    def __init__(self, state, message, rows):
        self.state = state
        self.message = message
        self.rows = rows

    def text(self):
        """Returns it as a short text."""
        if self.state != "00000":
            return f"SQLSTATE {self.state}: {self.message}"
        shown = "".join(f"\n    {row}" for row in self.rows[:5])
        return f"{len(self.rows)} rows{shown}"


def run_all(session, statements):
    """Runs statements up to the first that fails; returns the outcome."""
    rows = []
    for statement in statements:
        state, some = session.ask(statement)
        rows += some
        if state != "00000":
            message = session.last_message().split("ERROR:")[-1].strip()
            return Outcome(state, message.split(" at character")[0], rows)
    return Outcome("00000", "", rows)


def without_value(message):
    """Returns a message without the values that it quotes.

    Which of several rows raises its error first is up to the plan.
    """
    return re.sub('"[^"]*"', '""', message)


def is_of_data(outcome):
    """Tells whether an outcome is none or an error that data can cause.

    Numbers that cannot be converted are what PostgreSQL does not support.
    """
    return outcome.state == "00000" or outcome.state.startswith("22") or (
        outcome.state == "0A000" and outcome.message.startswith("cannot convert"))


def with_same_looks(rows, twins):
    """Returns rows in whose places of twins equal values look the same."""
    return [[same_look(field) if place in twins else field
             for place, field in enumerate(row)] for row in rows]


def compare(on, off, is_ordered, errors, twins=()):
    """Raises Failure if two outcomes differ; errors: messages that may change.

    In the places of twins values may look different.
    Which of several errors comes first is open where a query may raise several, or
    any (None) where PostgreSQL's own plan sorts the rows.  Where that takes too long there
    is nothing to compare with.
    """
    if off.state == "57014":
        return
    for outcome in (on, off):
        if not is_of_data(outcome):
            raise Failure(f"not an error of data: {outcome.text()}")
    if on.state != "00000" and off.state != "00000":
        if errors is None or on.state == off.state and \
                without_value(on.message) == without_value(off.message):
            return
        if without_value(on.message) in errors and \
                without_value(off.message) in errors:
            return
    elif on.state == off.state:
        first, second = (with_same_looks(side.rows, twins) for side in (on, off))
        if first == second:
            return
        first, second = sorted_rows(first), sorted_rows(second)
        if not is_ordered and first == second:
            return
        place = next((i for i, pair in enumerate(zip(first, second))
                      if pair[0] != pair[1]), min(len(first), len(second)))
        raise Failure(f"on: {len(first)} rows, {first[place:place + 1]}\n"
                      f"off: {len(second)} rows, {second[place:place + 1]}")
    raise Failure(f"on: {on.text()}\noff: {off.text()}")


class Runner:
    """Runs the queries of one seed."""

    def __init__(self, options):
        self.seed = options.seed
        self.resident = options.resident
        self.partitioned = scan_partitions.PARTITIONED if options.partitioned else None
        self.joins = options.joins
        self.first = options.first
        self.leaves = {}  # of tables with partitions
        self.session = None
        self.writer = None
        self.samples = None
        self.nodes = 0
        self.merged = 0  # of these, that merge groups of other servers
        self.told = 0     # plans with keys that others tell
        self.errors = 0
        self.undecided = 0  # of these, that only one side came to

    def connect(self):
        """Opens both sessions."""
        self.session = Session()
        self.session.run("CREATE EXTENSION IF NOT EXISTS warpagg")
        self.session.run("LOAD 'warpagg'")
        make_writer = scan_joins.Writer if self.joins else scan_tables.Writer
        self.writer = make_writer(Session())

    def close(self):
        """Closes both sessions."""
        self.writer.close()
        self.session.ask("DROP TABLE IF EXISTS pg_temp.family_t")
        self.session.close()

    def load(self):
        """Makes the tables."""
        rng = random.Random(f"{self.seed}")
        if self.partitioned:
            self.samples, self.leaves = scan_partitions.load(self.session, rng)
            self.writer.tables = [table for table in self.leaves if table != "own"]
            self.writer.vacuumed = [leaf for leaves in self.leaves.values()
                                    for leaf in leaves]
        else:
            self.samples = scan_tables.load(self.session, rng)
        if self.joins:
            scan_joins.load(self.session, rng, self.samples)

    def query(self, number, is_skipped=False):
        """Runs query number; returns a description if it fails, else None.

        A skipped one only has the other connection change what it changes.
        """
        changes = random.Random(f"{self.seed}/{number}/writer")
        self.writer.step(changes)
        query = self.make_query(random.Random(f"{self.seed}/{number}"))
        if is_skipped:
            self.writer.step(changes)
            return None
        try:
            if self.resident:
                self.make_resident(query.table, changes)
            self.check(query, changes)
            if self.joins and changes.random() < 0.5:
                self.check_again(query, changes)
        except SessionLost as lost:
            return f"the session was lost: {lost}\n{describe(query)}"
        except Failure as failure:
            return f"{failure}\n{describe(query)}"
        finally:
            self.roll_back()
        return None

    def make_query(self, rng):
        """Makes a random query."""
        if self.first:
            return scan_first.Query(rng, self.samples, self.is_unique)
        make = scan_joins.Query if self.joins else Query
        return make(rng, self.samples, self.partitioned)

    def is_unique(self, table):
        """Tells whether no rows of a table have the same id, nor come to have it."""
        _, rows = self.session.ask(
            f"SELECT count(*) = count(DISTINCT id) FROM wa_scan.{table}")
        return table != "own" and rows[0][0] == "t"

    def check_again(self, query, changes):
        """Compares the same after changes: what a session has kept may not be used."""
        nodes = self.nodes
        self.roll_back()
        self.writer.step(changes)
        self.check(query, changes)
        self.nodes = nodes

    def roll_back(self):
        """Ends the transaction, if the session is there; else its loss has been seen."""
        try:
            self.session.ask("ROLLBACK")
        except SessionLost:
            pass

    def make_resident(self, table, rng):
        """Loads a table, now and then, after it was vacuumed, now and then.

        Of one with partitions it loads some of these, or all.
        """
        if rng.random() < 0.5:
            return
        names = self.leaves.get(table, [f"wa_scan.{table}"])
        if self.leaves:
            names = [name for name in names if rng.random() < 0.7]
            if names and rng.random() < 0.3:
                names = [f"wa_scan.{table}"]
        if self.joins:
            names = names + [f"wa_scan.{name}" for name in scan_joins.OTHERS
                             if rng.random() < 0.3]
        for name in names:
            if rng.random() < 0.5 and not self.writer.is_open:
                self.session.run(f"VACUUM {name}")
            self.session.run(f"SELECT warpagg_load('{name}')")
            if self.first:
                self.session.run(f"SELECT warpagg_load('{name}', '{{ctid}}')")

    def uses(self, names="%"):
        """Returns how often columns that were loaded, of such tables, have been used."""
        _, rows = self.session.ask(
            "SELECT COALESCE(sum(queries), 0) FROM warpagg_resident "
            f"WHERE relation::regclass::text LIKE 'wa_scan.{names}'")
        return int(rows[0][0])

    def begin(self, query):
        """Begins the transaction that both sides run in."""
        level = query.rng.choice(["REPEATABLE READ"] * 4 + ["SERIALIZABLE"])
        self.session.run(f"BEGIN ISOLATION LEVEL {level}")
        self.set_all(query)
        self.session.run("SELECT 1")
        if query.table == "own":
            for write in OWN_WRITES:
                if query.rng.random() < 0.5:
                    self.session.run(write)
        if self.joins and query.rng.random() < 0.2:
            self.session.run(scan_joins.draw_change(query.rng, scan_joins.OWN))

    def set_all(self, query):
        """Sets what a query asks for."""
        self.session.run("; ".join(f"SET LOCAL {name} = '{value}'"
                                   for name, value in query.settings.items()))

    def has_node(self, query):
        """Tells whether the plan of a query has the node, for its own table."""
        plan = self.side(query.explain("on"), "on").rows
        has_node = query.is_computed_by([row[0] for row in plan])
        self.merged += has_node and any("Relations: Aggregate on" in row[0]
                                        for row in plan)
        self.told += has_node and any("Dependent Keys: " in row[0] for row in plan)
        return has_node

    def is_sorted(self, query):
        """Tells whether PostgreSQL's own plan of a query sorts the rows by the keys."""
        plan = self.side(query.explain("off"), "off").rows
        return any("GroupAggregate" in row[0] for row in plan)

    def check(self, query, changes):
        """Runs both sides and compares; raises Failure."""
        self.begin(query)
        has_node = self.has_node(query)
        if query.has_twin_text and not has_node:
            query.leave_floats()
            self.set_all(query)
            has_node = self.has_node(query)
        self.nodes += has_node
        outcomes = self.both_sides(query, changes)
        if outcomes["on"].state != outcomes["off"].state and query.drop_limit():
            # a plan may end before it comes to the group that has an error
            outcomes = self.both_sides(query)
        if self.is_undecided(query, outcomes):
            self.undecided += 1
            return
        errors = query.expressions.errors
        if outcomes["off"].state != "00000":
            self.errors += 1
            errors = None if self.is_sorted(query) else errors
        compare(outcomes["on"], outcomes["off"], query.is_ordered(), errors,
                query.twins())

    def is_undecided(self, query, outcomes):
        """Tells whether one side only had an error, of a row that need not be looked at.

        Which rows conditions are evaluated for is up to the order of joins.  PostgreSQL
        leaves out no partitions when it runs where it aggregates each by itself.
        """
        failed = [side for side in outcomes.values() if side.state != "00000"]
        if len(failed) != 1 or not is_of_data(failed[0]):
            return False
        return (without_value(failed[0].message) in query.loose_errors()
                or query.partitioned and failed[0] is outcomes["off"]
                and query.settings.get("enable_partitionwise_aggregate") == "on")

    def both_sides(self, query, changes=None):
        """Runs both sides, the tables being changed in between or not."""
        outcomes = {}
        for side in query.rng.sample(["on", "off"], 2):
            outcomes[side] = self.side(query.statements(side), side)
            # Rows that this side has locked would be waited for.
            if changes and len(outcomes) == 1 and query.left_alone != "lock":
                self.writer.step(changes)
        return outcomes

    def side(self, statements, side):
        """Runs statements with the node switched on or off."""
        self.session.run(f"SET LOCAL warpagg.enable_scan = {side}; SAVEPOINT s")
        outcome = run_all(self.session, statements)
        if outcome.state != "00000":
            self.session.run("ROLLBACK TO s")
            self.session.run("DEALLOCATE ALL")
        return outcome

    def self_test(self):
        """Compares pairs of queries; returns what was not judged rightly."""
        wrong = []
        table = "wa_scan.plain"
        pairs = [
            ("the same", f"SELECT sum(i4), count(*) FROM {table}", None),
            ("a value", f"SELECT sum(i4) FROM {table}",
             f"SELECT sum(i4) + 1 FROM {table}"),
            ("a scale", f"SELECT sum(cents) FROM {table}",
             f"SELECT sum(cents) + 0.000 FROM {table}"),
            ("NULL", f"SELECT count(*) FROM {table}",
             f"SELECT NULLIF(count(*), count(*)) FROM {table}"),
            ("a group", f"SELECT k1, count(*) FROM {table} GROUP BY k1",
             f"SELECT k1, count(*) FROM {table} WHERE k1 > 0 GROUP BY k1"),
            ("the order", f"SELECT k1, sum(i8) FROM {table} GROUP BY 1 ORDER BY 1",
             f"SELECT k1, sum(i8) FROM {table} GROUP BY 1 ORDER BY 1 DESC"),
            ("an error", f"SELECT sum(1 / (k1 + 1)) FROM {table}",
             f"SELECT sum(1 / (id % 2)) FROM {table}"),
            ("the error", f"SELECT sum(1 / (id % 2)) FROM {table}",
             f"SELECT sum(2147483647 + id) FROM {table}"),
            ("a message", f"SELECT sum(2147483647 + id) FROM {table}",
             f"SELECT sum(9223372036854775807 + id) FROM {table}"),
        ]
        for what, first, second in pairs:
            for on, off in ((first, second or first), (second or first, first)):
                noticed = self.differ(on, off)
                if noticed != (second is not None):
                    wrong.append(f"{what}: {'' if noticed else 'not '}noticed")
        return 2 * len(pairs), wrong

    def differ(self, on, off):
        """Tells whether compare notices that two queries differ."""
        self.session.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
        outcomes = [self.side([on], "on"), self.side([off], "off")]
        self.session.run("ROLLBACK")
        try:
            compare(*outcomes, "ORDER BY" in on, set())
        except Failure:
            return True
        return False


def describe(query):
    """Returns the statements that run a query."""
    settings = "".join(f"SET {name} = '{value}';\n"
                       for name, value in query.settings.items())
    text = settings + ";\n".join(query.statements("on")) + ";"
    if query.has_twin_text:
        text += f"\nthe other side: {query.render('off')};"
    return text


def flags(options):
    """Returns the options that a query depends on beside the seed."""
    return "".join(f" --{name}" for name in ("resident", "partitioned", "joins", "first")
                   if getattr(options, name))


def run_queries(runner, options):
    """Runs the queries asked for; returns how many passed and failed."""
    passed = failed = 0
    numbers = range(options.queries)
    if options.query is not None:
        numbers = range(options.query + 1)
    for number in numbers:
        is_skipped = options.query is not None and number < options.query
        failure = runner.query(number, is_skipped)
        if failure is not None:
            failed += 1
            print(f"FAILED  scan_queries.py{flags(options)} --seed {options.seed} "
                  f"--query {number}: {failure}", flush=True)
            if failed >= 20 or "session was lost" in failure:
                break
        elif not is_skipped:
            passed += 1
    print(f"{runner.nodes} of {passed + failed} queries got the node, "
          f"{runner.errors} ended in errors, {runner.undecided} on one side")
    if runner.undecided * 10 > passed + failed:
        failed += 1
        print("FAILED  more than 10 percent were not compared")
    if options.partitioned and not options.joins and \
            scan_partitions.has_foreign(runner.session):
        print(f"{runner.merged} merged groups of other servers")
        if runner.merged == 0 and options.query is None and len(numbers) >= 100:
            failed += 1
            print("FAILED  no query merged groups of other servers")
    if options.joins:
        print(f"{runner.told} had keys that others tell")
        if runner.told == 0 and runner.nodes >= 50:
            failed += 1
            print("FAILED  no query had keys that others tell")
    if options.resident:
        uses = runner.uses()
        print(f"{uses} uses of resident columns")
        if uses == 0 and (runner.nodes or not options.partitioned):
            failed += 1
            print("FAILED  no query used resident columns")
    if options.resident and options.joins:
        made = runner.uses("dim%")
        print(f"{made} uses of columns that tables of joins are made of")
        if made == 0 and runner.nodes >= 50:
            failed += 1
            print("FAILED  no tables of joins were made of resident columns")
    if runner.nodes * 100 < options.nodes * (passed + failed):
        failed += 1
        print(f"FAILED  fewer than {options.nodes} percent got the node")
    return passed, failed


def main():
    """Runs the queries and counts."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--query", type=int, help="run this one only")
    parser.add_argument("--nodes", type=int, default=0,
                        help="percentage that has to get the node (default 0)")
    parser.add_argument("--resident", action="store_true",
                        help="load tables between the queries")
    parser.add_argument("--partitioned", action="store_true",
                        help="tables with partitions or children")
    parser.add_argument("--joins", action="store_true",
                        help="have queries join their table with others")
    parser.add_argument("--first", action="store_true",
                        help="have queries want the first rows of their tables")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    runner = Runner(options)
    runner.connect()
    runner.load()
    if options.self_test:
        pairs, wrong = runner.self_test()
        for line in wrong:
            print(f"FAILED  self-test: {line}")
        passed, failed = pairs - len(wrong), len(wrong)
    else:
        passed, failed = run_queries(runner, options)
    if failed == 0 or options.query is None:
        runner.close()
        last = Session()
        last.run("DROP SCHEMA wa_scan CASCADE")
        last.close()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
