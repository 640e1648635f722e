"""The tables of freshness_joins.py, and the sessions that change them.

There is a table of facts and three that it is joined to: by an integer, by a text, and by
a column of the first one.  They have the same columns, and a unique index on one of these,
without which there may be several rows with a key.
"""

import time

from freshness_writers import Writer

SCHEMA = "wa_joined"
FACTS = f"{SCHEMA}.facts"
# Of each relation its rows, the column that it is joined by, and rooms for HOT updates: so few
# rows a block that one change leaves most blocks as they are, in two of them.
# Of dims the device process makes tables, which has to have enough blocks of it.
JOINED = {"dims": (900, "id", 10), "names": (80, "name", 10), "groups": (40, "id", 90)}
NEEDED = "id int, name text, parent int, x int, y int, label text, n numeric(12,2), " \
         "extra int DEFAULT 4"
# Beside the row of a number: what it has.
VALUES = "i, 'n' || i, i * 7 % 45, i % 17, i % 5, 'label ' || i % 11, i / 100.0"
NAMES = "id, name, parent, x, y, label, n"
FACTS_COLUMNS = "id int, k int, s text, v bigint, d date"
# Some have no partner, and some no key.
FACTS_VALUES = "i, nullif(i % 460, 7), 'n' || nullif(i % 97, 11), i * 3, " \
               "date '2020-01-01' + i % 400"
FACTS_ROWS = 12000


def fill(name, first=1, count=None):
    """Returns an insert of a joined relation's rows."""
    count = JOINED[name][0] if count is None else count
    return f"INSERT INTO {SCHEMA}.{name} ({NAMES}) SELECT {VALUES} " \
           f"FROM generate_series({first}, {first + count - 1}) i"


def make(name):
    """Returns what makes a joined relation, without rows."""
    return f"CREATE TABLE {SCHEMA}.{name} ({NEEDED}) " \
           f"WITH (autovacuum_enabled = off, fillfactor = {JOINED[name][2]})"


def make_unique(name):
    """Returns what has a joined relation's keys be unique."""
    return f"CREATE UNIQUE INDEX {name}_key ON {SCHEMA}.{name} ({JOINED[name][1]})"


def make_tables(session):
    """Makes the tables, vacuumed and analyzed."""
    session.run("CREATE EXTENSION IF NOT EXISTS warpagg")
    session.run(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")
    session.run(f"CREATE SCHEMA {SCHEMA}")
    for name in JOINED:
        session.run(make(name))
        session.run(fill(name))
        session.run(make_unique(name))
    # with few rows a block, so that there are enough blocks for what is joined to be loaded
    session.run(f"CREATE TABLE {FACTS} ({FACTS_COLUMNS}) "
                "WITH (autovacuum_enabled = off, fillfactor = 15)")
    session.run(f"INSERT INTO {FACTS} SELECT {FACTS_VALUES} "
                f"FROM generate_series(1, {FACTS_ROWS}) i")
    for name in ["facts", *JOINED]:
        session.run(f"VACUUM (FREEZE, ANALYZE) {SCHEMA}.{name}")


class JoinWriter(Writer):
    """Changes the tables, mostly those that are joined."""

    def prepare(self):
        super().prepare()
        # who reads has a table locked for as long as it keeps its snapshot
        self.session.run("SET lock_timeout = '700ms'")

    def joined(self):
        """Returns the name of a joined relation."""
        return self.rng.choice(list(JOINED))

    def table(self):
        return f"{SCHEMA}.{self.joined()}"

    def some(self):
        first = self.rng.randrange(400)
        return self.rng.choice([
            f"id = {self.rng.randrange(80)}", f"x = {self.rng.randrange(17)}",
            f"id BETWEEN {first} AND {first + self.rng.choice([3, 30, 300])}",
            f"name = 'n{self.rng.randrange(80)}'",
            f"label = 'label {self.rng.randrange(11)}'",
            f"ctid = '({self.rng.randrange(4)},{self.rng.randrange(1, 30)})'"])

    def few(self):
        return f"id < {self.rng.randrange(2, 6)}"

    def insert(self, table, count):
        return fill(table.split(".")[1], self.rng.randrange(1, 460), count)

    def update(self, table):
        """Returns an update: of what is joined by, which fails now and then, or not."""
        change = self.rng.choice([
            "x = x + 1", "x = x - 1, y = NULL", "label = label || 's'",
            "label = 'label ' || id % 11", "n = n + 0.01", "parent = (parent + 1) % 45",
            "parent = NULL", "id = id + 1000", "id = id - 1000", "name = name || 'x'",
            "name = 'n' || id", "id = NULL"])
        return f"UPDATE {table} SET {change} WHERE {self.some()}"

    def change_facts(self):
        """Returns a statement that changes facts."""
        first = self.rng.randrange(FACTS_ROWS)
        some = f"id BETWEEN {first} AND {first + self.rng.choice([0, 5, 500])}"
        return self.rng.choice([
            f"UPDATE {FACTS} SET k = (k + 1) % 460 WHERE {some}",
            f"UPDATE {FACTS} SET s = 'n' || (id + v) % 97, v = v + 1 WHERE {some}",
            f"DELETE FROM {FACTS} WHERE {some}",
            f"INSERT INTO {FACTS} SELECT {FACTS_VALUES} "
            f"FROM generate_series({first}, {first + 20}) i"])

    def change(self):
        table = self.table()
        if self.rng.random() < 0.15:
            return self.change_facts()
        return self.rng.choice([
            self.insert(table, self.rng.choice([1, 5, 50])),
            self.update(table), self.update(table), self.update(table),
            self.update(table),
            f"DELETE FROM {table} WHERE {self.some()}",
            f"SELECT FROM {table} WHERE {self.some()} FOR UPDATE"])

    def locks(self):
        table = self.table()
        lock = self.rng.choice(["KEY SHARE", "SHARE", "NO KEY UPDATE"])
        return ["BEGIN", f"SELECT FROM {table} WHERE {self.few()} FOR {lock}",
                "SAVEPOINT a", f"UPDATE {table} SET x = x + 1 WHERE {self.few()}",
                self.rng.choice(["ROLLBACK TO a", "RELEASE a"]), self.change(),
                self.rng.choice(["COMMIT", "COMMIT", "ROLLBACK"])]

    def hot(self):
        """Returns updates of the same rows over and over, whose places are used again."""
        table = self.table()
        some = self.some()
        return [f"UPDATE {table} SET x = (x + 1) % 17 WHERE {some}" for _ in range(6)]

    def upkeep(self):
        table = self.table()
        return self.rng.choice([
            f"VACUUM {table}", f"VACUUM {table}", f"VACUUM (FREEZE) {table}",
            f"VACUUM (DISABLE_PAGE_SKIPPING) {table}", f"ANALYZE {table}",
            f"VACUUM {FACTS}", "CHECKPOINT"])

    def rewrite(self):
        """Returns a statement that changes files, columns or what is unique."""
        name = self.joined()
        table = f"{SCHEMA}.{name}"
        return self.rng.choice([
            f"VACUUM FULL {table}",
            f"CLUSTER {table} USING {name}_key",
            f"ALTER TABLE {table} ADD COLUMN extra int DEFAULT 5",
            f"ALTER TABLE {table} ADD COLUMN extra int DEFAULT 6",
            f"ALTER TABLE {table} DROP COLUMN IF EXISTS extra",
            f"BEGIN; ALTER TABLE {table} DROP COLUMN extra; "
            f"ALTER TABLE {table} ADD COLUMN extra int DEFAULT {self.rng.randrange(9)}; "
            f"{self.rng.choice(['COMMIT', 'ROLLBACK'])}",
            f"ALTER TABLE {table} ALTER COLUMN x TYPE "
            f"{self.rng.choice(['int', 'bigint'])}",
            self.exchange(table), self.exchange(table),
            f"DROP INDEX IF EXISTS {SCHEMA}.{name}_key",
            self.make_unique(name), self.make_unique(name)])

    def exchange(self, table):
        """Returns a transaction after which two columns have each other's names."""
        end = self.rng.choice(["COMMIT", "COMMIT", "ROLLBACK"])
        return f"BEGIN; ALTER TABLE {table} RENAME x TO z; " \
               f"ALTER TABLE {table} RENAME y TO x; " \
               f"ALTER TABLE {table} RENAME z TO y; {end}"

    @staticmethod
    def make_unique(name):
        """Returns a transaction that leaves one row of each key, and has it stay so."""
        key = JOINED[name][1]
        return f"BEGIN; DELETE FROM {SCHEMA}.{name} a USING {SCHEMA}.{name} b " \
               f"WHERE a.{key} = b.{key} AND a.ctid > b.ctid; {make_unique(name)}; COMMIT"

    def unique_again(self):
        """Returns what has several rows have a key, for a while."""
        name = self.joined()
        return [f"DROP INDEX IF EXISTS {SCHEMA}.{name}_key",
                fill(name, self.rng.randrange(1, 40), self.rng.choice([1, 20])),
                f"SELECT pg_sleep({self.rng.choice([0.05, 0.3])})",
                self.make_unique(name)]

    def refill(self):
        """Returns a transaction that writes a relation anew."""
        name = self.joined()
        table = f"{SCHEMA}.{name}"
        end = self.rng.choice(["COMMIT", "COMMIT", "ROLLBACK"])
        return self.rng.choice([
            f"BEGIN; TRUNCATE {table}; {fill(name)}; {end}",
            f"TRUNCATE {table}",
            f"BEGIN; DELETE FROM {table}; {fill(name)}; {end}",
            f"BEGIN; SAVEPOINT a; TRUNCATE {table}; ROLLBACK TO a; {end}",
            f"BEGIN; DROP TABLE {table}; {make(name)}; {fill(name)}; "
            f"{make_unique(name)}; {end}",
            f"BEGIN; ALTER TABLE {table} ADD COLUMN extra int DEFAULT 7; "
            f"SELECT warpagg_load('{table}'); {end}"])

    def heal(self):
        """Has a relation have about as many rows as it had."""
        name = self.joined()
        _, rows = self.ask(f"SELECT count(*) FROM {SCHEMA}.{name}")
        count = int(rows[0][0]) if rows else JOINED[name][0]
        if not JOINED[name][0] / 2 < count < JOINED[name][0] * 2:
            self.ask(f"BEGIN; DELETE FROM {SCHEMA}.{name}; {fill(name)}; COMMIT")

    def step(self):
        kind = self.rng.random()
        if kind < 0.4:
            self.ask(self.change())
        elif kind < 0.7:
            transaction = self.rng.choice([
                self.savepoints, self.savepoints, self.locks, self.prepared, self.hot,
                self.reuse, self.unique_again])
            self.one_by_one(transaction())
        elif kind < 0.8:
            self.ask(self.upkeep())
        elif kind < 0.9:
            self.ask(self.rewrite())
        elif kind < 0.95:
            self.ask(self.refill())
        else:
            self.heal()
        self.ask("ROLLBACK")
        # tables of joins are used again as long as nothing is written
        time.sleep(self.rng.choice([0, 0.1, 0.3, 1]))
