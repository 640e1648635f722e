#!/usr/bin/env python3
"""timeline.py: queries a table before, while and after others write to it.

Usage: timeline.py --data FOLDER --rows N [OPTION...] --query NAME=TEXT... FILE.csv
Where to is in the environment (PGHOST, ...); FOLDER is the server's.  bench/churn.sh
makes the table and calls this with test/random in PYTHONPATH.

One reader has a session with default settings and runs the queries in turn, one every
--pace ms.  Once a second it has one explained, to see how many of its rows came from
resident blocks.  Every --compare seconds, or ten times as long as that takes if that is
more, it runs each query in a second session on both sides in one snapshot: as it is, and
by PostgreSQL's own plan with --processes.  Both must have the same rows; the time of the
latter is noted.  Meanwhile the reader rests, so that its times are not those of a machine
that all processes are busy on.

Before each query it times a fixed computation, which nothing but the machine can delay: where
the p95 of that is far from its median, so is that of a query, whoever computes it.

Writes what was measured to the file and prints tables.  The exit status is 1 if there
was a difference.
"""

import argparse
import hashlib
import re
import sys
import time

from session import Session

from series import FIXED, Series, baseline, development, latencies, shares
from usage import KINDS, Usage
from writers import Writer

BUILT_IN = ["warpagg.enable_scan = off", "warpagg.accelerate = off"]
WARM_UP_S = 3
SHARE_EVERY_S = 1.0
COMPARE_TIMES = 10      # a comparison takes at most one of so many seconds
NO_COMPARE_S = 6        # after a change of phase
FIXED_BYTES = bytes(1 << 20)


def compute_fixed():
    """Computes the same each time; returns how many milliseconds that took."""
    began = time.monotonic()
    hashlib.sha256(FIXED_BYTES).digest()
    return (time.monotonic() - began) * 1000


class Timed(Session):
    """A session that notes times."""

    def __init__(self):
        super().__init__()
        self.run("SET statement_timeout = 0")
        self.ask("\\timing on")

    def time(self, statement):
        """Runs a statement that must succeed; returns its rows and milliseconds."""
        rows = self.run(statement)
        # "Time: 1234.567 ms (00:01.235)"
        return rows[:-1], float(rows[-1][0].split()[1])


class Reader:
    """Who runs the queries, and notes what there is to see."""

    def __init__(self, arguments, queries, series):
        self.arguments = arguments
        self.queries = queries
        self.names = list(queries)
        self.series = series
        self.session = Timed()
        self.comparer = Timed()
        self.usage = Usage(arguments.data)
        self.usage.start()
        self.taken = (time.monotonic(), self.usage.seconds())
        self.phase = None
        self.turn = 0
        self.due_share = 0.0
        self.due_query = 0.0
        self.due_compare = {}
        self.lasted = {}
        self.ends = 0.0
        self.compared = 0
        self.differences = 0

    def note(self, measure, name, value):
        """Notes a value of now, unless nothing counts yet."""
        if self.phase is not None:
            self.series.add(time.monotonic(), self.phase, measure, name, value)

    def begin(self, phase, ends):
        """Begins a phase; neither in its first seconds nor beyond its end is compared."""
        now = time.monotonic()
        self.note_usage()
        self.phase = phase
        self.ends = ends
        for number, name in enumerate(self.names):
            since = NO_COMPARE_S + number * self.arguments.compare / len(self.names)
            self.due_compare[name] = max(self.due_compare.get(name, 0), now + since)

    def read(self, keeps_on):
        """Runs queries as long as a function says so."""
        while keeps_on():
            now = time.monotonic()
            late = [name for name in self.names if self.due_compare.get(name, now) < now
                    and now + 1.5 * self.lasted.get(name, 0) < self.ends]
            if late:
                self.compare(late[0])
            elif now >= self.due_share:
                self.explain()
                self.note_usage()
            else:
                self.run_next()
            time.sleep(max(self.due_query - time.monotonic(), 0))

    def run_next(self):
        """Runs the query whose turn it is."""
        self.due_query = time.monotonic() + self.arguments.pace / 1000
        self.note("fixed", FIXED, compute_fixed())
        name = self.names[self.turn % len(self.names)]
        self.turn += 1
        self.note("ours_ms", name, self.session.time(self.queries[name])[1])

    def explain(self):
        """Notes the share of rows that the first query has from resident blocks."""
        self.due_share = time.monotonic() + SHARE_EVERY_S
        name = self.names[0]
        plan = str(self.session.run("EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF) "
                                    + self.queries[name]))
        resident, scanned = (sum(map(int, re.findall(label + r": (\d+)", plan)))
                             for label in ("Resident Rows", "Rows Scanned"))
        self.note("resident_share", name, resident / max(resident + scanned, 1))

    def note_usage(self):
        """Notes the share of one processor that each kind of process has taken."""
        now = (time.monotonic(), self.usage.seconds())
        elapsed = now[0] - self.taken[0]
        if elapsed >= SHARE_EVERY_S / 2:
            for kind in KINDS:
                self.note("processor_share", kind,
                          (now[1][kind] - self.taken[1][kind]) / elapsed)
            self.taken = now

    def compare(self, name):
        """Runs a query on both sides in one snapshot."""
        began = time.monotonic()
        session = self.comparer
        session.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
        ours, _ = session.time(self.queries[name])
        for setting in BUILT_IN + [
                f"max_parallel_workers_per_gather = {self.arguments.processes - 1}"]:
            session.run("SET LOCAL " + setting)
        theirs, elapsed_ms = session.time(self.queries[name])
        session.run("COMMIT")
        self.note("postgresql_ms", name, elapsed_ms)
        self.compared += 1
        if ours != theirs:
            self.differences += 1
            print(f"{name} differs: {[row for row in ours if row not in theirs][:5]} is not "
                  f"{[row for row in theirs if row not in ours][:5]}", file=sys.stderr)
        now = time.monotonic()
        self.lasted[name] = now - began
        self.due_compare[name] = now + max(self.arguments.compare,
                                           COMPARE_TIMES * self.lasted[name])

    def end(self):
        """Closes the sessions."""
        self.usage.stop()
        self.session.close()
        self.comparer.close()


def until(when):
    """Returns a function that says whether a time has not come yet."""
    return lambda: time.monotonic() < when


def facts_of(session):
    """Returns what the server says that is worth to be compared later."""
    rows = session.run("""SELECT CASE WHEN to_regclass('pg_stat_checkpointer') IS NULL
        THEN 'checkpoints_timed + checkpoints_req FROM pg_stat_bgwriter'
        ELSE 'num_timed + num_requested FROM pg_stat_checkpointer' END""")
    rows = session.run(f"""SELECT pg_current_wal_insert_lsn() - '0/0',
        pg_table_size('readings'),
        (SELECT autovacuum_count FROM pg_stat_user_tables WHERE relname = 'readings'),
        (SELECT {rows[0][0]})""")
    return [int(field) for field in rows[0]]


def writers_of(arguments):
    """Starts the writers and returns them."""
    writers = []
    if arguments.inserts > 0:
        writers.append(Writer("insert.sql", arguments.batch, arguments.inserts,
                              arguments.clients, arguments.seconds,
                              {"batch": arguments.batch}))
    if arguments.updates > 0:
        writers.append(Writer("update.sql", 1, arguments.updates, arguments.clients,
                              arguments.seconds, {"rows": arguments.rows}))
    return writers


def measure(reader, arguments, series):
    """Goes through all phases; returns what is to be said of the writers."""
    session = Session()
    reader.read(until(time.monotonic() + WARM_UP_S))
    reader.phase = "quiet"
    for name in reader.names:
        reader.compare(name)
    reader.phase = None
    reader.begin("quiet", 0)
    reader.read(until(time.monotonic() + arguments.quiet))
    before = facts_of(session)
    writers = writers_of(arguments)
    try:
        series.began = time.monotonic()
        reader.begin("writers", series.began + arguments.seconds)
        # without writers, to see what the time alone does
        reader.read(lambda: any(writer.is_running() for writer in writers) if writers
                    else time.monotonic() < reader.ends)
        series.ended = time.monotonic()
        after = facts_of(session)
        reader.begin("after", series.ended + arguments.rest)
        reader.read(until(reader.ends))
    finally:
        for writer in writers:
            writer.stop()
    session.close()
    elapsed = series.ended - series.began
    return [writer.report() for writer in writers] + [
        f"- {elapsed:.0f} s; {(after[0] - before[0]) / elapsed / 1e6:.1f} MB of WAL a second; "
        f"the table has {before[1] / 1e6:.0f} MB before and {after[1] / 1e6:.0f} MB after; "
        f"autovacuum has been there {after[2] - before[2]} times; "
        f"{after[3] - before[3]} checkpoints"]


def parse():
    """Returns the arguments."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--query", action="append", required=True)
    for name, default in (("rows", 0), ("inserts", 0), ("updates", 0), ("seconds", 60),
                          ("batch", 10), ("clients", 8), ("processes", 2), ("quiet", 20),
                          ("rest", 32), ("pace", 100), ("compare", 10)):
        parser.add_argument("--" + name, type=int, default=default)
    parser.add_argument("file")
    return parser.parse_args()


def main():
    arguments = parse()
    queries = dict(query.split("=", 1) for query in arguments.query)
    series = Series()
    reader = Reader(arguments, queries, series)
    try:
        facts = measure(reader, arguments, series)
    finally:
        reader.end()
        series.write(arguments.file)
    lines = ["", "Ours, ms:"] + latencies(series, reader.names)
    lines += ["", f"PostgreSQL's own plan, {arguments.processes} processes, ms:"]
    lines += baseline(series, reader.names)
    lines += shares(series, KINDS)
    lines += ["", "While writers ran, by tenths of the time, ms:"]
    lines += development(series, reader.names)
    lines += [""] + facts + [
        f"- {reader.compared} results compared in one snapshot: {reader.differences} differences"]
    print("\n".join(lines))
    return reader.differences > 0


if __name__ == "__main__":
    sys.exit(main())
