#!/usr/bin/env python3
"""Checks the gpu_ aggregates over floats against rational arithmetic.

Loads sets of floats that are hard to add up (see floats.py) and asks for sum,
average, variances and standard deviations of each: in several orders, by workers
that see parts of the sets, with buffers folded here and there.  Every result must
be the correctly rounded one, to the bit.

Usage: exact_floats.py [--seed S] [--sets N] [--rows N] [--keep]
Where to is in the environment (PGHOST, PGPORT, PGDATABASE, ..., PGOPTIONS); the
extension is created there if it is missing.  The last line is "N passed, M
failed", and the exit status is 0 only if M is 0.  A test is a query; what it
found wrong is printed with what repeats it.
"""

import argparse
import random
import sys

import exact
import floats
from session import Session, SessionLost

FUNCTIONS = ["sum", "avg", "var_pop", "var_samp", "variance", "stddev_pop",
             "stddev_samp", "stddev"]
SCHEMA = "wa_exact_floats"


class Sets:
    """The sets of one width and what their aggregates should be."""

    def __init__(self, rng, width, sets, rows):
        self.width = width
        self.table = f"{SCHEMA}.floats{width}"
        self.numbers = {}
        self.kinds = {}
        for number in range(sets):
            kind = floats.KINDS[number % len(floats.KINDS)]
            count = rng.choice([1, 2, 3, 5, 17, 100, rows // 3, rows])
            self.numbers[number] = floats.draw(rng, kind, count, width)
            self.kinds[number] = kind
        # what is stored is what is expected from: a signalling NaN is a NaN
        self.expected = {
            number: {f: exact.exact_result(f, numbers, width)
                     for f in FUNCTIONS}
            for number, numbers in self.numbers.items()}

    def load(self, session, rng):
        """Makes two tables of the sets, with their rows in different orders."""
        rows = [f"({number},{i},'{floats.literal(x)}')"
                for number, numbers in self.numbers.items()
                for i, x in enumerate(numbers)]
        rows += [f"({number},-1,NULL)" for number in self.numbers]
        for table in (self.table, self.table + "_shuffled"):
            rng.shuffle(rows)
            session.run(f"CREATE TABLE {table} (set integer, id integer, "
                        f"x float{self.width})")
            for begin in range(0, len(rows), 2000):
                session.run(f"INSERT INTO {table} VALUES "
                            + ",".join(rows[begin:begin + 2000]))
            session.run(f"ANALYZE {table}")

    def finite(self, functions):
        """Returns the sets over which none of the functions overflows."""
        return [number for number, results in self.expected.items()
                if exact.OVERFLOW not in [results[f] for f in functions]]

    def overflowing(self, function):
        """Returns the sets over which the function overflows."""
        return [number for number, results in self.expected.items()
                if results[function] == exact.OVERFLOW]

    def wrong(self, number, function, text):
        """Describes a wrong result, or returns None for the right one."""
        expected = self.expected[number][function]
        width = self.width if function == "sum" else 8
        if exact.same_float(text, expected, width):
            return None
        return (f"gpu_{function} over set {number} ({self.kinds[number]}, "
                f"{len(self.numbers[number])} of float{self.width}): "
                f"{text} instead of {expected!r}")


class Check:
    """Runs queries and counts them."""

    def __init__(self, session, seed):
        self.session = session
        self.seed = seed
        self.passed = 0
        self.failed = 0

    def count(self, query, complaints):
        """Counts a query as passed or failed and prints the complaints."""
        if not complaints:
            self.passed += 1
            return
        self.failed += 1
        settings = self.session.run(
            "SELECT string_agg(name || ' = ' || setting, ', ') FROM pg_settings"
            " WHERE source = 'session' AND name NOT LIKE 'client%'")[0][0]
        print(f"FAILED  seed {self.seed}; {settings}\n  {query}")
        for complaint in complaints[:5]:
            print(f"  {complaint}")

    def groups(self, sets, functions, table, modifier=""):
        """Checks all sets at once, each of them a group."""
        numbers = sets.finite(functions)
        results = ", ".join(f"gpu_{f}(x{modifier})" for f in functions)
        query = (f"SELECT set, {results} FROM {table} "
                 f"WHERE set = ANY ('{set(numbers) or {-1}}') GROUP BY set")
        state, rows = self.session.ask(query)
        complaints = [sets.wrong(int(row[0]), f, text) for row in rows
                      for f, text in zip(functions, row[1:])]
        if state != "00000" or len(rows) != len(numbers):
            complaints.insert(0, f"{len(rows)} of {len(numbers)} groups, "
                              f"SQLSTATE {state}: {self.session.last_message()}")
        self.count(query, [c for c in complaints if c])

    def single(self, sets, functions, number):
        """Checks one set, which is not grouped."""
        results = ", ".join(f"gpu_{f}(x)" for f in functions)
        query = f"SELECT {results} FROM {sets.table} WHERE set = {number}"
        state, rows = self.session.ask(query)
        complaints = [f"SQLSTATE {state}: {self.session.last_message()}"]
        if state == "00000":
            complaints = [sets.wrong(number, f, text)
                          for f, text in zip(functions, rows[0])]
        self.count(query, [c for c in complaints if c])

    def overflow(self, sets, function, number):
        """Checks that a result too large for its type is an error."""
        query = f"SELECT gpu_{function}(x) FROM {sets.table} WHERE set = {number}"
        state, rows = self.session.ask(query)
        complaints = []
        if (state != "22003" or
                "value out of range: overflow" not in self.session.last_message()):
            complaints = [f"no overflow, but {rows}, SQLSTATE {state}"]
        self.count(query, complaints)


def check_all(check, rng, all_sets):
    """Runs the queries under settings that lead the values different ways."""
    session = check.session
    for setting in ("parallel_setup_cost = 0", "parallel_tuple_cost = 0",
                    "min_parallel_table_scan_size = 0", "jit = off"):
        session.run(f"SET {setting}")
    for workers in range(4):
        session.run(f"SET max_parallel_workers_per_gather = {workers}")
        for rows in (65536, 0):
            session.run(f"SET warpagg.min_device_rows = {rows}")
            for sets in all_sets:
                check.groups(sets, FUNCTIONS, sets.table)
                check.groups(sets, ["sum"], sets.table + "_shuffled")
                check.groups(sets, [rng.choice(FUNCTIONS)], sets.table)
    session.run("SET warpagg.device = cpu")
    for sets in all_sets:
        check.groups(sets, FUNCTIONS, sets.table)
        check.groups(sets, ["avg", "stddev_pop"], sets.table + "_shuffled")
    session.run("RESET warpagg.device")
    session.run("SET max_parallel_workers_per_gather = 0")
    for sets in all_sets:
        for order in ("id", "id DESC", "md5(id::text)", "x", "abs(x) DESC"):
            check.groups(sets, FUNCTIONS, sets.table, f" ORDER BY {order}")
    # without groups the buffers are larger; overflows come one by one
    for sets in all_sets:
        for number in sets.numbers:
            session.run("SET max_parallel_workers_per_gather = "
                        f"{rng.randrange(4)}")
            session.run(f"SET warpagg.min_device_rows = {rng.choice([0, 65536])}")
            calm = [f for f in FUNCTIONS
                    if sets.expected[number][f] != exact.OVERFLOW]
            if calm:
                check.single(sets, calm, number)
        for function in FUNCTIONS:
            for number in sets.overflowing(function)[:5]:
                check.overflow(sets, function, number)


def main():
    """Loads the sets and checks them."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sets", type=int, default=36,
                        help="sets of each width (default 36)")
    parser.add_argument("--rows", type=int, default=1500,
                        help="rows of the largest sets (default 1500)")
    parser.add_argument("--keep", action="store_true",
                        help="leave the tables behind")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    session = Session()
    check = Check(session, options.seed)
    try:
        session.run("CREATE EXTENSION IF NOT EXISTS warpagg")
        session.run(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")
        session.run(f"CREATE SCHEMA {SCHEMA}")
        all_sets = [Sets(rng, width, options.sets, options.rows)
                    for width in (8, 4)]
        for sets in all_sets:
            sets.load(session, rng)
        check_all(check, rng, all_sets)
        if not options.keep:
            session.run(f"DROP SCHEMA {SCHEMA} CASCADE")
    except SessionLost as lost:
        print(f"FAILED  seed {options.seed}; the session was lost: {lost}")
        check.failed += 1
    session.close()
    print(f"{check.passed} passed, {check.failed} failed")
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
