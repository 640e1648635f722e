#!/usr/bin/env python3
"""Kills warpaggd, cancels queries, fills disks and reloads settings, for long.

Usage: soak.py DATA [--seed S] [--kills N] [--cancels N] [--reloads N]
               [--fills N] [--disk FOLDER]...
DATA is the data directory of a cluster that preloads warpagg; where its server is
reached is in the environment (PGHOST, PGPORT, ...).  Each FOLDER is a small file
system of its own that the server writes to.

Meanwhile probers ask for aggregates over tables that do not change, one with resident
columns and one without, by the node and by gpu_ aggregates: each answer must be the
one that PostgreSQL's own plan gave at first, text for text, or the error that has been
provoked.  Beside them tables change, and answers are compared in one snapshot
(freshness.py).  Of the cancels and reloads a third comes last, in one life of warpaggd.

Then nothing has been lost or left: the server has not been restarted, there are as
many processes as before, with as many descriptors and memory files, and with no more
memory than a leak would not leave.
The last line is "N passed, M failed", and the exit status is 0 only if M is 0.
"""

import argparse
import os
import random
import signal
import sys
import threading
import time

import freshness
import freshness_writers
import processes
from session import Session, SessionLost

ROWS = 60000
ACTOR_LIMIT = 3600
TABLES = ["wa_soak.resident", "wa_soak.heap"]
NAME = "soak prober"

# A restart of warpaggd waits longer after each failure that follows soon; a new
# supervisor begins with short pauses again.
KILLS_A_SUPERVISOR = 6

# Crashes are searched for by the signals of programming errors, so what is to look like
# one to the supervisor is ended by another that dumps core.
KILLS = [signal.SIGKILL, signal.SIGKILL, signal.SIGTRAP, signal.SIGSTOP]

# Queries with many groups, which spill with little memory; the order of the groups
# does not show.
SPILLING = [
    "SELECT count(*), sum(c), sum(m), max(v) FROM (SELECT v, count(*) c, max(id) m "
    "FROM {t} GROUP BY v) g",
    "SELECT count(*), sum(c), sum(m) FROM (SELECT v % 30000 r, s, count(*) c, sum(v) m "
    "FROM {t} GROUP BY 1, 2) g",
]
GPU = [
    "SELECT gpu_sum(v), gpu_min(f), gpu_max(id), gpu_avg(n), gpu_sum(f) FROM {t}",
    "SELECT a.k, gpu_sum(a.v), gpu_max(a.f), gpu_count(*) FROM {t} a "
    "JOIN generate_series(0, 3) b ON a.k = b GROUP BY a.k ORDER BY a.k",
]
RESIDENT = [query for query in freshness.QUERIES if "SELECT x" not in query] + [
    # more groups than a parcel holds: warpaggd hands over a memory file
    "SELECT count(*), sum(c), max(m), sum(s), sum(n), max(f) FROM (SELECT v % 25000 r, "
    "count(*) c, max(v) m, sum(v) s, sum(n) n, max(f) f FROM {t} GROUP BY 1) g",
]

# How each kind of query is asked: settings, and the queries.
SMALL = "SET LOCAL work_mem = '64kB'; SET LOCAL hash_mem_multiplier = 1"
SLOW = "SET LOCAL warpagg.min_device_rows = 0; SET LOCAL warpagg.debug_delay = '400ms'"
WAYS = [
    (freshness.NODE, RESIDENT),
    (freshness.NODE, RESIDENT),
    (f"{freshness.NODE}; {SMALL}", SPILLING),
    (f"{freshness.BUILT_IN}; SET LOCAL warpagg.min_device_rows = 0", GPU),
    (f"{freshness.BUILT_IN}; {SLOW}", GPU),
]

# The errors that are provoked, beside cancelling and full disks: what loads say
# without a device process, and tables being changed.
LOAD_ERRORS = {"57014", "53100", "53200", "53300", "55P03", "55000", "55006", "42P01",
               "57P03", "38000", "08000", "08003", "08006", "58000", "58030"}
CHANGE_ERRORS = {"55P03", "42P01", "42703", "40001", "40P01", "53100"}
GONE = "could not open relation with OID"

# What PostgreSQL says, with any SQLSTATE, if the disk is full for shared memory.
NO_SHARED_MEMORY = "could not resize shared memory segment"


def make_tables(session):
    """Makes tables that do not change; returns the right answers over them."""
    session.run("CREATE EXTENSION IF NOT EXISTS warpagg")
    session.run("DROP SCHEMA IF EXISTS wa_soak CASCADE")
    session.run("CREATE SCHEMA wa_soak")
    for table in TABLES:
        session.run(f"CREATE TABLE {table} ({freshness_writers.COLUMNS}) "
                    "WITH (autovacuum_enabled = off)")
        session.run(f"INSERT INTO {table} SELECT {freshness_writers.SAME} "
                    f"FROM generate_series(1, {ROWS}) id")
        session.run(f"VACUUM (FREEZE, ANALYZE) {table}")
    expected = {}
    for query in RESIDENT + SPILLING + GPU:
        own = query.replace("gpu_", "").format(t=TABLES[1])
        session.run(f"BEGIN; {freshness.BUILT_IN}")
        expected[query] = session.run(own)
        session.run("COMMIT")
    return expected


class Disk:
    """File systems that are filled and emptied."""

    def __init__(self, folders):
        self.fillers = [os.path.join(folder, "filler") for folder in folders]
        self.is_full = False
        self.emptied = 0.0

    def fill(self):
        """Leaves no room."""
        self.is_full = True
        for path in self.fillers:
            with open(path, "ab", buffering=0) as file:
                size = 1 << 20
                while size >= 512:
                    try:
                        file.write(b"x" * size)
                    except OSError:
                        size //= 2

    def empty(self):
        """Gives all the room back."""
        for path in self.fillers:
            os.remove(path)
        self.emptied = time.monotonic()
        self.is_full = False

    def was_full_since(self, begin):
        """Says whether there was no room at some time since then."""
        return self.is_full or begin <= self.emptied


class Actor(freshness.Actor):
    """A session that the driver may end."""

    def __init__(self, soak, name):
        super().__init__(name, soak.options.seed, time.monotonic() + ACTOR_LIMIT)
        self.soak = soak

    def sleep(self, *seconds):
        """Waits for one of some times."""
        time.sleep(self.rng.choice(seconds))


class Prober(Actor):
    """Compares answers over tables that do not change with known ones.

    A session that stays is the same from the beginning to the end.
    """

    def __init__(self, soak, name, stays=False):
        super().__init__(soak, name)
        self.stays = stays
        self.left = 0
        self.is_cut = False
        self.lock = threading.Lock()  # held while the session is another
        self.is_paused = False
        self.pid = 0
        self.answers = self.spilled = self.cancelled = self.full = self.cut = 0
        self.explained = self.used = 0

    def prepare(self):
        self.session.run(f"SET application_name = '{NAME}'")
        self.session.run("SET statement_timeout = '600s'")
        self.session.run("LOAD 'warpagg'")
        self.session.run("SET warpagg.device_timeout = '3s'")
        self.session.run("SET min_parallel_table_scan_size = 0")
        self.session.run("SET parallel_setup_cost = 0")
        self.left = self.rng.choice([1, 5, 20])
        self.pid = int(self.session.run("SELECT pg_backend_pid()")[0][0])

    def connect(self):
        """Begins a new session."""
        with self.lock:
            self.session.close()
            self.session = Session()
            self.prepare()
            self.is_cut = False

    def cut_off(self):
        """Has the client disappear; another thread calls it."""
        with self.lock:
            if self.answers > 0 and not self.stays and not self.is_paused:
                self.is_cut = True
                self.session.psql.kill()

    def pause(self):
        """Does nothing, without a session unless it is to stay."""
        if not self.is_paused and not self.stays:
            self.session.close()
        self.is_paused = True
        time.sleep(0.05)

    def step(self):
        if self.soak.is_resting:
            self.pause()
            return
        try:
            if not self.stays and (self.left == 0 or self.is_paused):
                self.connect()
            self.is_paused = False
            self.left -= 1
            settings, queries = self.rng.choice(WAYS)
            self.probe(settings, self.rng.choice(queries))
        except SessionLost:
            if not self.is_cut:
                raise
            self.cut += 1
            self.connect()

    def probe(self, settings, query):
        """Asks for an answer and compares it."""
        table = self.rng.choice(TABLES)
        workers = self.rng.choice([0, 0, 2])
        autoload = "on" if table == TABLES[0] else "off"
        begin = time.monotonic()
        text = query.format(t=table)
        state, rows = self.ask(
            f"BEGIN; SET LOCAL max_parallel_workers_per_gather = {workers}; "
            f"SET LOCAL warpagg.autoload = {autoload}; {settings};\n{text}")
        message = self.session.last_message() if state != "00000" else ""
        if state == "00000":
            self.answers += 1
            self.spilled += query in SPILLING
            if rows != self.soak.expected[query]:
                self.problem = f"{text}\n  with {settings}: {rows[:8]}\n" \
                               f"  expected: {self.soak.expected[query][:8]}"
        elif state == "57014" and "user request" in message:
            self.cancelled += 1
        elif state == "25P02":
            pass  # a cancel came late, to one of the settings
        elif (state == "53100" or NO_SHARED_MEMORY in message) and \
                self.soak.disk.was_full_since(begin):
            self.full += 1
        else:
            self.problem = f"{state} {message}\n  {text}\n  with {settings}"
        self.end(text if query in RESIDENT else None)

    def end(self, text):
        """Ends the transaction, after a look at how a query is answered."""
        if text and self.rng.random() < 0.2:
            state, rows = self.ask(
                "EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) " + text)
            if state == "00000":
                self.explained += 1
                self.used += any("Resident Blocks: " in row[0] for row in rows)
        while self.ask("ROLLBACK")[0] == "57014":
            pass


class Loader(Actor):
    """Loads and unloads the columns of a table."""

    def step(self):
        begin = time.monotonic()
        statement = self.rng.choice(
            ["SELECT warpagg_load('{t}')"] * 6 +
            ["SELECT warpagg_load_later('{t}')", "SELECT warpagg_unload('{t}')"])
        state, _ = self.ask(statement.format(t=TABLES[0]))
        message = self.session.last_message()
        full = state == "53100" or NO_SHARED_MEMORY in message
        if full and not self.soak.disk.was_full_since(begin) or \
                not full and state not in LOAD_ERRORS | {"00000"}:
            self.problem = f"{state} {message} {statement}"
        self.sleep(0.05, 0.2, 0.5)


class ChangeLoader(freshness.Loader):
    """Brings columns of changing tables up to date."""

    def step(self):
        state, _ = self.ask(f"SELECT warpagg_load('{self.table()}')")
        message = self.session.last_message()
        if state not in LOAD_ERRORS | CHANGE_ERRORS | {"00000"} and \
                GONE not in message and NO_SHARED_MEMORY not in message:
            self.problem = f"warpagg_load: {state} {message}"
        time.sleep(self.rng.choice([0.05, 0.2]))


class ChangeChecker(freshness.Checker):
    """Compares answers over changing tables in one snapshot."""

    def answer(self, query, settings):
        answer = super().answer(query, settings)
        message = self.session.last_message()
        if not isinstance(answer, list) and answer not in CHANGE_ERRORS and \
                GONE not in message and NO_SHARED_MEMORY not in message:
            self.problem = f"{answer} {message}\n  {query}"
        return answer


class Fault(threading.Thread):
    """Does something to the server so many times, or until the soak ends."""

    def __init__(self, soak, count):
        super().__init__(name=type(self).__name__.lower(), daemon=True)
        self.soak = soak
        self.rng = random.Random(f"{soak.options.seed}/{self.name}")
        self.count = count
        self.done = 0
        self.problem = None

    def run(self):
        try:
            while self.done < self.count and not self.soak.problem():
                self.step()
        except (SessionLost, RuntimeError, OSError) as problem:
            self.problem = self.problem or str(problem)

    def step(self):
        """Does it once."""
        raise NotImplementedError


class Kills(Fault):
    """Kills warpaggd, and now and then its supervisor."""

    def __init__(self, soak, count):
        super().__init__(soak, count)
        self.at_first = {}

    def step(self):
        self.soak.wait_ready()
        time.sleep(self.rng.choice([0.1, 0.5, 1, 2]))
        supervisor = self.soak.cluster.supervisor()
        self.watch(supervisor)
        daemon = self.soak.cluster.daemon()
        if not daemon or self.problem:
            return
        how = self.rng.choice(KILLS)
        os.kill(daemon, how)
        if how == signal.SIGSTOP:
            time.sleep(self.rng.choice([0.2, 1, 4]))
            os.kill(daemon, signal.SIGKILL)
        self.soak.wait("warpaggd ends", lambda: not os.path.exists(f"/proc/{daemon}"))
        self.done += 1
        if self.done % KILLS_A_SUPERVISOR == 0:
            os.kill(supervisor, signal.SIGTERM)
            self.soak.wait("a new supervisor comes", lambda:
                           self.soak.cluster.supervisor() not in (0, supervisor))

    def watch(self, supervisor):
        """Looks for descriptors that a supervisor has kept since its first daemon."""
        found = self.soak.count_of(supervisor)
        first = self.at_first.setdefault(supervisor, found)
        if found["descriptors"] > first["descriptors"] or \
                found["memory files"] > first["memory files"]:
            self.problem = f"supervisor had {first}, has {found} after a restart " \
                f"of warpaggd: {sorted(processes.descriptors(supervisor))}"


class Cancels(Fault):
    """Cancels queries of probers, and cuts off clients."""

    def __init__(self, soak, count):
        super().__init__(soak, count)
        self.session = None
        self.steps = 0
        self.before = soak.total("cancelled")

    def run(self):
        self.session = Session()
        super().run()
        self.session.close()

    def step(self):
        self.session.run(
            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity "
            f"WHERE application_name = '{NAME}' AND state = 'active' "
            "AND query LIKE '%wa_soak.%' ORDER BY random() LIMIT 1")
        self.steps += 1
        if self.steps % 10 == 0:
            self.rng.choice(self.soak.probers[2:]).cut_off()
        time.sleep(self.rng.choice([0.02, 0.1, 0.2]))
        self.done = self.soak.total("cancelled") - self.before


class Reloads(Fault):
    """Has the server read other settings."""

    SETTINGS = [("warpagg.memory_limit", ["1MB", "3MB", "10MB", "100MB", "0"]),
                ("warpagg.memory_limit", ["1MB", "3MB", "10MB", "100MB", "0"]),
                ("warpagg.staging_memory", ["2MB", "64MB"]),
                ("warpagg.min_device_rows", ["0", "65536"])]

    def step(self):
        name, values = self.rng.choice(self.SETTINGS)
        session = Session()
        session.run(f"ALTER SYSTEM SET {name} = '{self.rng.choice(values)}'")
        session.run("SELECT pg_reload_conf()")
        session.close()
        self.done += 1
        time.sleep(self.rng.choice([0.1, 1, 3]))


class Fills(Fault):
    """Fills the disks until queries have failed for it, and empties them."""

    def step(self):
        full = self.soak.total("full")
        self.soak.wait("queries find the disk full", lambda:
                       self.soak.disk.fill() or self.soak.total("full") >= full + 3)
        self.soak.disk.empty()
        spilled = self.soak.total("spilled")
        self.soak.wait("queries spill again",
                       lambda: self.soak.total("spilled") >= spilled + 3)
        self.done += 1


class Soak:
    """All that happens, and what there is before and after."""

    # How many more there may be after than before, by the process: descriptors,
    # memory files, and kB of memory.
    BOUNDS = {
        "postmaster": {"descriptors": 0, "memory files": 0, "kB": 4096},
        "supervisor": {"descriptors": 0, "memory files": 0, "kB": 4096},
        # which of the sessions that stay are connected to it, may differ, and its
        # threads keep some megabytes each of what they have freed
        "warpaggd": {"descriptors": 6, "memory files": 4, "kB": 65536},
        "session": {"descriptors": 8, "memory files": 1, "kB": 16384},
    }

    def __init__(self, options):
        self.options = options
        self.cluster = processes.Cluster(options.data)
        self.disk = Disk(options.disk)
        self.session = Session()
        self.expected = make_tables(self.session)
        self.probers = []
        self.others = []
        self.faults = []
        self.is_resting = False
        self.late = None
        self.passed = self.failed = 0

    #
    # Helpers
    #

    def check(self, name, holds):
        """Counts a check."""
        if holds:
            self.passed += 1
            print(f"ok      {name}", flush=True)
        else:
            self.failed += 1
            print(f"FAILED  {name}", flush=True)

    def total(self, what):
        """Adds up a counter of the probers."""
        return sum(getattr(prober, what) for prober in self.probers)

    def problem(self):
        """Returns the first problem there is, or None."""
        return next((actor.problem for actor in
                     self.probers + self.others + self.faults if actor.problem),
                    self.late)

    def wait(self, what, condition):
        """Waits until something is so, for minutes if it must be."""
        end = time.monotonic() + 300
        while not condition():
            if time.monotonic() > end:
                raise RuntimeError(f"waited in vain until {what}")
            if self.problem():
                raise RuntimeError(f"ended before {what}")
            time.sleep(0.05)

    def is_ready(self):
        """Says whether warpaggd answers a new session."""
        session = Session()
        rows = session.run("SELECT count(*) FROM warpagg_devices "
                           "WHERE state = 'ready'")
        session.close()
        return rows != [["0"]]

    def wait_ready(self):
        """Waits until warpaggd answers."""
        self.wait("warpaggd is ready", self.is_ready)

    def count_of(self, pid, shared=False):
        """Counts what a process holds; the least of some looks."""
        kinds = {"RssAnon"} | ({"RssShmem"} if shared else set())
        found = {}
        for _ in range(3):
            now = {"descriptors": len(processes.descriptors(pid)),
                   "memory files": processes.memory_files(pid),
                   "kB": processes.memory_kb(pid, kinds)}
            found = {key: min(found.get(key, now[key]), now[key]) for key in now}
            time.sleep(0.05)
        return found

    #
    # Before and after
    #

    def rest(self):
        """Brings the server to rest; returns what its processes are and hold."""
        self.is_resting = True
        self.wait("the probers pause",
                  lambda: all(prober.is_paused for prober in self.probers))
        self.wait_ready()
        # what is held for tables that have been dropped has no name to unload it by
        self.session.run("ALTER SYSTEM SET warpagg.memory_limit = '64kB'")
        self.session.run("SELECT pg_reload_conf()")
        self.session.ask(f"SELECT warpagg_load('{TABLES[0]}')")
        self.session.run("ALTER SYSTEM RESET ALL")
        self.session.run("SELECT pg_reload_conf()")
        # what is asked and loaded once keeps some memory
        for prober in self.probers:
            if prober.stays:
                for settings, queries in WAYS[1:-1]:
                    for query in queries:
                        prober.probe(settings, query)
        self.wait("a load succeeds", lambda: self.session.ask(
            f"SELECT warpagg_load('{TABLES[0]}')")[0] == "00000")
        self.wait("what is loaded has been given back", self.is_unloaded)
        pids = []
        while pids != self.pids():
            pids = self.pids()
            time.sleep(1)
        return self.holdings()

    def is_unloaded(self):
        """Unloads all that is resident; says whether it was nothing."""
        return self.session.run("SELECT count(warpagg_unload(relation)::text) "
                                "FROM warpagg_resident") == [["0"]]

    def uses_resident(self):
        """Says whether a new session uses what has been loaded."""
        session = Session()
        session.run(f"SELECT warpagg_load('{TABLES[0]}')")
        rows = session.run("EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) "
                           f"SELECT sum(v), count(*) FROM {TABLES[0]}")
        session.close()
        return any("Resident Blocks: " in row[0] and "Resident Blocks: 0" not in row[0]
                   for row in rows)

    def pids(self):
        """Returns the processes of the cluster."""
        return sorted(processes.of_cluster(self.options.data))

    def holdings(self):
        """Returns which processes there are, and what they hold by their names."""
        found = {"postmaster": self.count_of(self.cluster.postmaster),
                 "supervisor": self.count_of(self.cluster.supervisor()),
                 "warpaggd": self.count_of(self.cluster.daemon(), shared=True)}
        for prober in self.probers:
            if prober.stays:
                found["session " + prober.name] = self.count_of(prober.pid)
        found["processes"] = sorted(processes.of_cluster(self.options.data).values())
        return found

    def compare(self, names, before, after):
        """Checks that there is no more after than before."""
        for name in names:
            for kind, more in self.BOUNDS[name.split()[0]].items():
                self.check(f"{name}: {before[name][kind]} {kind} before, "
                           f"{after[name][kind]} after",
                           after[name][kind] <= before[name][kind] + more)

    #
    # The course of it
    #

    def start_probers(self):
        """Starts the probers, and has each of them ask for some answers."""
        self.probers = [Prober(self, f"staying{i}", stays=True) for i in range(2)]
        self.probers += [Prober(self, f"prober{i}") for i in range(3)]
        for prober in self.probers:
            prober.start()
        self.wait("each prober has answers",
                  lambda: all(prober.answers > 5 for prober in self.probers))

    def start_others(self):
        """Starts the sessions beside the probers."""
        seed = self.options.seed
        until = time.monotonic() + ACTOR_LIMIT
        self.others = [Loader(self, "loader"),
                       ChangeLoader("change_loader", seed, until),
                       ChangeChecker("change_checker", seed, until),
                       freshness.Keeper("keeper", seed, until),
                       freshness.Writer("writer", seed, until)]
        for actor in self.others:
            actor.start()

    def stop_others(self):
        """Ends them, and counts what they have seen."""
        for actor in self.others:
            actor.until = 0
        for actor in self.others:
            actor.join(timeout=600)

    def run_faults(self, faults):
        """Runs faults side by side, beside others, until they have been so many."""
        self.is_resting = False
        self.start_others()
        self.faults = faults
        for fault in faults:
            fault.start()
        end = time.monotonic() + ACTOR_LIMIT
        while any(fault.is_alive() for fault in faults):
            time.sleep(0.2)
            if time.monotonic() > end:
                self.late = "the soak has not come to its end"
        self.stop_others()
        for fault in faults:
            self.check(f"{fault.done} {fault.name} of {fault.count}",
                       fault.done >= fault.count)
        if self.problem():
            raise RuntimeError("a problem was found")

    def run(self):
        """Runs it all; raises RuntimeError after a problem."""
        options = self.options
        started = self.session.run("SELECT pg_postmaster_start_time()")
        postmaster = self.cluster.postmaster
        self.start_probers()
        before = self.rest()
        last = (options.cancels // 3, options.reloads // 3)
        faults = [Kills(self, options.kills),
                  Cancels(self, options.cancels - last[0]),
                  Reloads(self, options.reloads - last[1])]
        if options.disk:
            faults.append(Fills(self, options.fills))
        self.run_faults(faults)
        between = self.rest()
        self.run_faults([Cancels(self, last[0]), Reloads(self, last[1])])
        after = self.rest()
        self.check("the server has not been restarted", started == self.session.run(
            "SELECT pg_postmaster_start_time()") and
            postmaster == processes.Cluster(options.data).postmaster)
        self.check(f"{len(before['processes'])} processes before, "
                   f"{len(after['processes'])} after",
                   len(before["processes"]) == len(after["processes"]))
        if len(before["processes"]) != len(after["processes"]):
            print("\n".join(before["processes"] + ["--"] + after["processes"]))
        self.compare([name for name in before
                      if name not in ("processes", "warpaggd")], before, after)
        self.compare(["warpaggd"], between, after)
        self.check("at last columns are loaded, and used", self.uses_resident())
        self.check("no file of what was spilled is left", self.session.run(
            "SELECT count(*) FROM pg_ls_tmpdir()") == [["0"]])
        self.check(f"{self.total('used')} of {self.total('explained')} explained "
                   "queries used resident blocks", self.total("used") > 0)
        self.check(f"{self.total('cut')} clients were cut off",
                   self.total("cut") >= options.cancels // 30)


def main():
    """Runs the soak and counts."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("data")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--cancels", type=int, default=100)
    parser.add_argument("--reloads", type=int, default=10)
    parser.add_argument("--fills", type=int, default=1)
    parser.add_argument("--disk", action="append", default=[])
    soak = Soak(parser.parse_args())
    freshness.make_tables(soak.session)
    try:
        soak.run()
    except (RuntimeError, SessionLost) as problem:
        soak.check(str(problem), False)
    for actor in soak.probers + soak.others + soak.faults:
        if actor.problem:
            print(f"FAILED  {actor.name}: {actor.problem}")
            for line in getattr(actor, "done", []) if \
                    isinstance(actor, freshness.Actor) else []:
                print(f"    {line}")
    answers = soak.total("answers") + sum(
        getattr(actor, "checks", 0) for actor in soak.others)
    soak.check(f"{answers} answers were PostgreSQL's",
               answers > 0 and soak.problem() is None)
    for prober in soak.probers:
        prober.until = 0
    print(f"{soak.passed} passed, {soak.failed} failed", flush=True)
    return 1 if soak.failed else 0


if __name__ == "__main__":
    sys.exit(main())
