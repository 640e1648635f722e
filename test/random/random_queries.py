#!/usr/bin/env python3
"""Runs random aggregate queries and compares gpu_ aggregates with their oracles.

Usage: random_queries.py [--seed S] [--seconds T | --queries N] [--query K]
Where to is in the environment (PGHOST, PGPORT, PGDATABASE, ..., PGOPTIONS); the
extension is created there if it is missing, the tables in schema wa_random.

Query K of seed S is always the same; a failure is printed with what repeats it.
The last line is "N passed, M failed", and the exit status is 0 only if M is 0.
"""

import argparse
import random
import struct
import sys
import time

import exact
import queries
import tables
from looks import same_look
from session import Session, SessionLost

# SQLSTATEs of overflows and divisions by zero.  The built-in sums of interval and
# money overflow also on the way, ours in the result only; and if an argument has
# more than one of these errors, the order of rows decides which is met first.
OUT_OF_RANGE = {"22003", "22008", "22012"}
TRANSIENT = ("v", "m")
LARGEST_EXACT = 400  # values that rational arithmetic looks at


class Failure(Exception):
    """A query's results are not what they should be."""


class Runner:
    """Runs the queries of one seed."""

    def __init__(self, seed, verbose):
        self.seed = seed
        self.verbose = verbose
        self.session = None

    def connect(self):
        """Opens a session, to a server that may be recovering from a crash."""
        for attempt in range(60):
            try:
                self.session = Session()
                break
            except SessionLost:
                if attempt == 59:
                    raise
                time.sleep(1)
        self.session.run("CREATE EXTENSION IF NOT EXISTS warpagg")
        self.session.run("SET timezone = 'UTC'")
        self.session.run("SET intervalstyle = 'postgres_verbose'")

    def load(self):
        """Makes the tables."""
        tables.load(self.session, random.Random(f"{self.seed}"))

    def query(self, number):
        """Runs query number; returns a description if it fails, else None."""
        query = queries.Query(random.Random(f"{self.seed}/{number}"))
        if self.verbose:
            print(f"-- {number}: {describe(query)}")
        try:
            self.check(query)
        except SessionLost as lost:
            self.session.close()
            self.connect()
            return f"the session was lost: {lost}\n{describe(query)}"
        except Failure as failure:
            return f"{failure}\n{describe(query)}"
        return None

    def check(self, query):
        """Runs a query and compares; raises Failure."""
        self.set_all(query.settings)
        state, rows = self.session.ask(query.render())
        if state != "00000":
            self.check_error(query, state, self.session.last_message())
            return
        for row in rows:
            self.check_row(query, row)
        if query.rerun:
            self.set_all(query.rerun)
            state, again = self.session.ask(query.render("gpu"))
            if state != "00000":
                raise Failure(f"SQLSTATE {state} under other settings: "
                              f"{query.rerun}")
            if sorted_rows(again) != sorted_rows(gpu_only(query, rows)):
                raise Failure(f"other results under other settings: {query.rerun}")

    def check_row(self, query, row):
        """Compares the results in one row."""
        place = query.columns()
        for call in query.calls:
            oracle, result = row[place], row[place + 1]
            place += 2
            if call.function in ("min", "max"):
                oracle, result = same_look(oracle), same_look(result)
            if oracle != result:
                raise Failure(f"group {row[:query.columns()]}: "
                              f"{call.render('gpu_' + call.function)} is "
                              f"{result} instead of {oracle}")
            if call.array:
                check_exact(call, row[place], result)
                place += 1
        if query.having and row[place] != row[place + 1]:
            raise Failure(f"HAVING is {row[place + 1]} instead of {row[place]}")

    def check_error(self, query, state, message):
        """Tells whether ours and the oracles end in the same error.

        Each call is asked for by itself; those without an error are compared
        again without the others.
        """
        if state.startswith(("57", "XX")):
            raise Failure(f"SQLSTATE {state}: {message}")
        good = []
        for call in query.calls:
            states = {side: self.session.ask(query.render(side, [call]))[0]
                      for side in ("builtin", "gpu")}
            if set(states.values()) == {"00000"}:
                good.append(call)
            elif states["gpu"] == "00000":
                if call.column not in TRANSIENT or states["builtin"] not in OUT_OF_RANGE:
                    raise Failure(f"{call.render('gpu_' + call.function)} does "
                                  f"not end with {states['builtin']}")
            elif not (set(states.values()) <= OUT_OF_RANGE
                      or states["gpu"] == states["builtin"]):
                raise Failure(f"{call.render('gpu_' + call.function)} ends with "
                              f"{states['gpu']} instead of {states['builtin']}")
        query.having = None
        if len(good) == len(query.calls):
            # in parallel it is chance whether the built-in meets an overflow
            good = [call for call in good if call.column not in TRANSIENT]
        if len(good) == len(query.calls):
            raise Failure(f"SQLSTATE {state}, though each call alone has no "
                          f"error: {message}")
        query.calls = good
        if good:
            self.check(query)

    def set_all(self, settings):
        """Sets what a query asks for."""
        self.session.run("; ".join(f"SET {name} = {value}"
                                   for name, value in settings.items()))


def gpu_only(query, rows):
    """Returns the rows as the query's render("gpu") gives them."""
    result = []
    for row in rows:
        place = query.columns()
        line = row[:place]
        for call in query.calls:
            line.append(row[place + 1])
            place += 2 + call.array
        result.append(line)
    return result


def sorted_rows(rows):
    """Returns rows in an order that does not depend on how they came."""
    return sorted(rows, key=lambda row: [(x is not None, x or "") for x in row])


def check_exact(call, array, result):
    """Compares a result over floats with rational arithmetic."""
    values = [] if array is None else array[1:-1].split(",")
    numbers = [float(x) for x in values if x not in ("NULL", "")]
    if len(numbers) > LARGEST_EXACT:
        return
    if call.width == 4:  # a real is shown by as few digits as tell it apart
        numbers = [struct.unpack("=f", struct.pack("=f", x))[0] for x in numbers]
    width = 4 if call.width == 4 and call.function == "sum" else 8
    expected = exact.exact_result(call.function, numbers, width)
    if not exact.same_float(result, expected, width):
        raise Failure(f"{call.render('gpu_' + call.function)} is {result} "
                      f"instead of {expected!r}, exactly")


def describe(query):
    """Returns the statements that run a query."""
    return "".join(f"SET {name} = {value};\n"
                   for name, value in query.settings.items()) + query.render() + ";"


def main():
    """Runs the queries and counts."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--queries", type=int, help="instead of --seconds")
    parser.add_argument("--query", type=int, help="run this one only")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    runner = Runner(options.seed, options.verbose)
    runner.connect()
    runner.load()
    numbers = range(options.queries or 1000000000)
    if options.query is not None:
        numbers = [options.query]
    limited = options.queries is None and options.query is None
    end = time.monotonic() + options.seconds
    passed = failed = 0
    for number in numbers:
        if limited and time.monotonic() > end or failed >= 20:
            break
        failure = runner.query(number)
        if failure is None:
            passed += 1
        else:
            failed += 1
            print(f"FAILED  random_queries.py --seed {options.seed} "
                  f"--query {number}: {failure}", flush=True)
    runner.session.run("DROP SCHEMA wa_random CASCADE")
    runner.session.close()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
