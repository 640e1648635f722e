#!/usr/bin/env python3
"""Checks the gpu_ aggregates of pairs of floats against rational arithmetic.

Loads sets of pairs of floats that are hard to add up (see floats.py), some with NULLs and
some on a line, and asks for correlation, covariances and regression of each: in the
aggregate tier and the node, with workers, and from resident columns.  Every result must
be the correctly rounded one, to the bit.

Usage: exact_pairs.py [--seed S] [--sets N] [--rows N] [--keep]
Environment, output and exit status are those of exact_floats.py.
"""

import argparse
import random
import sys

import exact
import floats
from session import Session, SessionLost

FUNCTIONS = ["corr", "covar_pop", "covar_samp", "regr_count", "regr_avgx",
             "regr_avgy", "regr_sxx", "regr_syy", "regr_sxy", "regr_slope",
             "regr_intercept", "regr_r2"]
SCHEMA = "wa_exact_pairs"


def draw(rng, number, rows):
    """Returns the kind of a set and its pairs (y, x), None for NULL."""
    kinds = [floats.KINDS[number % len(floats.KINDS)], rng.choice(floats.KINDS)]
    rng.shuffle(kinds)
    count = rng.choice([1, 2, 3, 5, 17, 100, rows // 3, rows])
    ys, xs = (floats.draw(rng, kind, count, 8) for kind in kinds)
    if rng.random() < 0.15:  # on a line, as far as doubles can be
        factor, offset = rng.choice([-3.0, 0.5, 0.1]), rng.choice([0.0, 7.0])
        ys = [x * factor + offset for x in xs]
        kinds = ["a line"] + kinds[1:]
    pairs = list(zip(ys, xs))
    if rng.random() < 0.3:
        pairs = [(y if rng.random() < 0.8 else None, x if rng.random() < 0.8 else None)
                 for y, x in pairs]
    return " and ".join(kinds), pairs


class Check:
    """The sets, what their aggregates should be, and queries over them, counted."""

    def __init__(self, session, options, rng):
        self.session = session
        self.seed = options.seed
        self.passed = 0
        self.failed = 0
        drawn = [draw(rng, number, options.rows) for number in range(options.sets)]
        self.kinds = [kind for kind, _ in drawn]
        self.pairs = [pairs for _, pairs in drawn]
        whole = [[pair for pair in pairs if None not in pair] for pairs in self.pairs]
        self.expected = [{f: exact.exact_pairs(f, pairs) for f in FUNCTIONS}
                         for pairs in whole]

    def load(self, rng):
        """Makes the table of the sets, with the rows of all of them mixed.

        It has so many blocks that resident columns are worth a look.
        """
        rows = ["({},{},{})".format(number, *(
            "NULL" if z is None else f"'{floats.literal(z)}'" for z in pair))
                for number, pairs in enumerate(self.pairs) for pair in pairs]
        rng.shuffle(rows)
        self.session.run(f"CREATE TABLE {SCHEMA}.pairs "
                         "(set integer, y float8, x float8, filler char(700) DEFAULT '')")
        for begin in range(0, len(rows), 2000):
            self.session.run(f"INSERT INTO {SCHEMA}.pairs (set, y, x) VALUES "
                             + ",".join(rows[begin:begin + 2000]))
        self.session.run(f"VACUUM (FREEZE, ANALYZE) {SCHEMA}.pairs")

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

    def wrong(self, number, function, text):
        """Describes a wrong result, or returns None for the right one."""
        expected = self.expected[number][function]
        if exact.same_float(text, expected):
            return None
        return (f"gpu_{function} over set {number} ({self.kinds[number]}, "
                f"{len(self.pairs[number])}): {text} instead of {expected!r}")

    def groups(self, functions):
        """Checks all sets at once, each of them a group."""
        numbers = {number for number, results in enumerate(self.expected)
                   if exact.OVERFLOW not in [results[f] for f in functions]}
        results = ", ".join(f"gpu_{f}(y, x)" for f in functions)
        query = (f"SELECT set, {results} FROM {SCHEMA}.pairs "
                 f"WHERE set = ANY ('{numbers or {-1}}') GROUP BY set")
        state, rows = self.session.ask(query)
        complaints = [self.wrong(int(row[0]), f, text) for row in rows
                      for f, text in zip(functions, row[1:])]
        if state != "00000" or len(rows) != len(numbers):
            complaints.insert(0, f"{len(rows)} of {len(numbers)} groups, "
                              f"SQLSTATE {state}: {self.session.last_message()}")
        self.count(query, [c for c in complaints if c])

    def single(self, number):
        """Checks one set, which is not grouped: those that do not overflow, and one that does."""
        table = f"FROM {SCHEMA}.pairs WHERE set = {number}"
        calm = [f for f in FUNCTIONS if self.expected[number][f] != exact.OVERFLOW]
        query = "SELECT " + ", ".join(f"gpu_{f}(y, x)" for f in calm) + " " + table
        state, rows = self.session.ask(query)
        complaints = [f"SQLSTATE {state}: {self.session.last_message()}"]
        if state == "00000":
            complaints = [self.wrong(number, f, text)
                          for f, text in zip(calm, rows[0])]
        self.count(query, [c for c in complaints if c])
        for function in [f for f in FUNCTIONS if f not in calm][:1]:
            query = f"SELECT gpu_{function}(y, x) {table}"
            state, rows = self.session.ask(query)
            self.count(query, [] if state == "22003" else
                       [f"no overflow, but {rows}, SQLSTATE {state}"])

    def all(self, rng):
        """Runs the queries under settings that lead the pairs different ways."""
        for setting in ("parallel_setup_cost = 0", "parallel_tuple_cost = 0",
                        "min_parallel_table_scan_size = 0", "jit = off"):
            self.session.run(f"SET {setting}")
        for resident in (False, True):
            if resident:
                self.session.run(f"SELECT warpagg_load('{SCHEMA}.pairs')")
                before = self.used()
            for node in ("off", "on"):
                self.session.run(f"SET warpagg.enable_scan = {node}")
                for workers in range(3):
                    self.session.run(
                        f"SET max_parallel_workers_per_gather = {workers}")
                    self.session.run("SET warpagg.min_device_rows = "
                                     f"{rng.choice([0, 65536])}")
                    self.groups(FUNCTIONS)
                    for _ in range(3):
                        self.groups(rng.sample(FUNCTIONS, 2))
                for number in range(len(self.pairs)):
                    self.single(number)
        self.count("uses of resident columns", [] if self.used() > before else ["none"])

    def used(self):
        """Returns how often columns of the table have been used."""
        return int(self.session.run("SELECT coalesce(sum(queries), 0) FROM warpagg_resident "
                                    f"WHERE relation = '{SCHEMA}.pairs'::regclass")[0][0])


def main():
    """Loads the sets and checks them."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sets", type=int, default=54,
                        help="sets of pairs (default 54)")
    parser.add_argument("--rows", type=int, default=1000,
                        help="rows of the largest sets (default 1000)")
    parser.add_argument("--keep", action="store_true",
                        help="leave the table behind")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    session = Session()
    check = Check(session, options, rng)
    try:
        session.run("CREATE EXTENSION IF NOT EXISTS warpagg")
        session.run(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")
        session.run(f"CREATE SCHEMA {SCHEMA}")
        check.load(rng)
        check.all(rng)
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
