"""The sessions of freshness.py that change tables, and that load their columns."""

import collections
import random
import threading
import time

from session import Session, SessionLost

ROWS = 30000
# Beside each table what it is made with: rooms for HOT updates, and VACUUM by itself.
STORAGE = {
    "even": "fillfactor = 90, autovacuum_enabled = off",
    "narrow": "fillfactor = 100, autovacuum_enabled = off",
    "changing": "fillfactor = 50, autovacuum_enabled = off",
    "tended": "fillfactor = 90, autovacuum_vacuum_threshold = 20, "
              "autovacuum_vacuum_scale_factor = 0, "
              "autovacuum_vacuum_insert_threshold = 20, "
              "autovacuum_vacuum_insert_scale_factor = 0, "
              "autovacuum_vacuum_cost_delay = 0, autovacuum_freeze_min_age = 0",
}
TABLES = list(STORAGE)
COLUMNS = "id int, k int, v bigint, f float8, n numeric(12,2), s text, d date"
SAME = "id % 97, id % 7, id * 3, id / 8.0, id / 100.0, 's' || id % 11, " \
       "date '2020-01-01' + id % 400"
COUNTS = [1, 5, 50, 500, 5000]
MANY = 1000000

# More subtransactions than a snapshot has room for, each of which may fail.
SUBTRANSACTIONS = """DO $$ BEGIN
FOR i IN 1 .. {count} LOOP
	BEGIN
		{statement};
		IF i % 5 = {fails} THEN RAISE division_by_zero; END IF;
	EXCEPTION WHEN division_by_zero THEN NULL;
	END;
END LOOP; END $$"""


def make_tables(session):
    """Makes the tables, vacuumed and analyzed."""
    session.run("CREATE EXTENSION IF NOT EXISTS warpagg")
    # without it a statement of the writers fails, which does no harm
    session.ask("CREATE EXTENSION IF NOT EXISTS pg_visibility")
    session.run("DROP SCHEMA IF EXISTS wa_fresh CASCADE")
    session.run("CREATE SCHEMA wa_fresh")
    for table, storage in STORAGE.items():
        session.run(f"CREATE TABLE wa_fresh.{table} ({COLUMNS}) "
                    f"WITH ({storage})")
        session.run(f"INSERT INTO wa_fresh.{table} SELECT {SAME} "
                    f"FROM generate_series(1, {ROWS}) id")
        session.run(f"CREATE INDEX {table}_k ON wa_fresh.{table} (k)")
        session.run(f"VACUUM (FREEZE, ANALYZE) wa_fresh.{table}")


def load(table):
    """Returns the statement that loads all columns of a table, and the places of rows."""
    return f"SELECT warpagg_load('{table}'), warpagg_load('{table}', '{{ctid}}')"


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

    def some(self):
        """Returns a condition that some rows fulfil, few or many."""
        return self.rng.choice([
            f"id = {self.rng.randrange(97)}",
            f"v BETWEEN {self.rng.randrange(90000)} AND "
            f"{self.rng.randrange(90000)}",
            f"k = {self.rng.randrange(7)} AND id < {self.rng.randrange(97)}",
            f"ctid = '({self.rng.randrange(200)},{self.rng.randrange(1, 90)})'",
            f"d = date '2020-01-01' + {self.rng.randrange(400)}"])

    def update(self, table):
        """Returns an update: of column k there is an index, of the others none."""
        return f"UPDATE {table} SET " + self.rng.choice([
            "v = v + 1", "n = n + 0.01, f = -f", "k = (k + 1) % 7", "s = NULL",
            "s = 's' || id % 11", "d = d + 1"]) + f" WHERE {self.some()}"


class Writer(Actor):
    """Changes tables."""

    def prepare(self):
        self.session.run("SET lock_timeout = '100ms'")
        self.session.run("SET statement_timeout = '20s'")

    def finish(self):
        self.ask("ROLLBACK")

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

    def insert(self, table, count):
        """Returns an insert of so many rows."""
        first = self.rng.randrange(1, MANY)
        return f"INSERT INTO {table} SELECT {SAME} " \
               f"FROM generate_series({first}, {first + count - 1}) id"

    def change(self):
        """Returns a statement that changes rows."""
        table = self.table()
        return self.rng.choice([
            self.insert(table, self.rng.choice(COUNTS)),
            self.copy(table, self.rng.choice([1, 30, 400])),
            self.update(table), self.update(table), self.update(table),
            self.update(table),
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

    def subtransactions(self):
        """Returns a transaction of many subtransactions, which takes its time."""
        statement = self.rng.choice([
            f"UPDATE {self.table()} SET v = v + 1 WHERE id = i AND k = 1",
            f"DELETE FROM {self.table()} WHERE id = i AND k = 2",
            f"INSERT INTO {self.table()} (id, k, v) VALUES (i, 5, i)"])
        many = SUBTRANSACTIONS.format(count=self.rng.choice([3, 60, 90]),
                                      fails=self.rng.choice([0, 9]),
                                      statement=statement)
        return ["BEGIN", many, self.change(), "SELECT pg_sleep(0.2)",
                self.rng.choice(["COMMIT", "COMMIT", "ROLLBACK"])]

    def reuse(self):
        """Returns what has rows take the places of others."""
        table = self.table()
        return [f"DELETE FROM {table} WHERE {self.some()}", f"VACUUM {table}",
                self.insert(table, self.rng.choice(COUNTS)),
                self.update(table)]

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
        name = table.split(".")[1]
        return self.rng.choice([
            f"BEGIN; TRUNCATE {table}; {fill}; {ends}",
            f"BEGIN; TRUNCATE {table}; {freeze[0]}\n;{freeze[1]}\n;{ends}",
            f"BEGIN; SAVEPOINT a; TRUNCATE {table}; ROLLBACK TO a; {ends}",
            f"BEGIN; DROP TABLE {table}; CREATE TABLE {table} ({COLUMNS}) WITH "
            f"({STORAGE[name]}); {fill}; CREATE INDEX {name}_k ON {table} (k); "
            f"{ends}",
            f"BEGIN; ALTER TABLE {table} ADD COLUMN x int DEFAULT 7; "
            f"{load(table)}; {ends}",
            f"ALTER TABLE {table} SET UNLOGGED; {self.change()};\n"
            f"VACUUM {table}; ALTER TABLE {table} SET LOGGED"])

    def one_by_one(self, statements):
        """Runs a transaction of several statements."""
        for statement in statements:
            self.ask(statement)
            time.sleep(self.rng.choice([0, 0, 0.02]))

    def savepoints(self):
        """Returns a transaction some of which is taken back."""
        return ["BEGIN", self.change(), "SAVEPOINT a", self.change(),
                "ROLLBACK TO a", self.change(),
                self.rng.choice(["COMMIT", "ROLLBACK"])]

    def step(self):
        kind = self.rng.random()
        self.ask("SET synchronous_commit = " + self.rng.choice(["on", "off"]))
        if kind < 0.35:
            self.ask(self.change())
        elif kind < 0.82:
            transaction = self.rng.choice([
                self.savepoints, self.savepoints, self.locks, self.prepared,
                self.subtransactions, self.reuse])
            self.one_by_one(transaction())
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

    # the table was locked, is unlogged, or was dropped meanwhile
    HARMLESS = {"00000", "55P03", "42P01", "55000", "55006"}

    def prepare(self):
        self.session.run("LOAD 'warpagg'")

    def step(self):
        table = self.table()
        level = self.rng.choice(["READ COMMITTED", "REPEATABLE READ"])
        self.ask(f"BEGIN ISOLATION LEVEL {level}")
        state, _ = self.ask(load(table))
        message = self.session.last_message()
        if state not in self.HARMLESS and \
                "could not open relation with OID" not in message:
            self.problem = f"warpagg_load: {table}: {self.session.last_error()}"
        self.ask("COMMIT")
        if self.rng.random() < 0.05:
            self.ask(f"SELECT warpagg_unload('{table}')")
        time.sleep(self.rng.choice([0, 0.02, 0.1]))
