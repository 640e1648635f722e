"""The tables of freshness_partitions.py, and the sessions that change them.

There are two tables with partitions, of two levels: one by list with a default
partition, one by range without.  Partitions have their columns in an order of their own,
have lost one, and come and go: they are made as partitions, attached with rows, detached,
dropped and truncated, in transactions that may be rolled back.
"""

import collections
import time

from freshness_writers import COLUMNS, ROWS, SAME, Writer

SCHEMA = "wa_parts"
# With few rows a block, so that there are many blocks.
STORAGE = "autovacuum_enabled = off, fillfactor = 20"
DENSE = "autovacuum_enabled = off, fillfactor = 95"
NAMES = "id, k, v, f, n, s, d"

# A partition: of what, its bounds, which rows it takes, and what divides it itself.
Part = collections.namedtuple("Part", "parent bounds rows divided")
PARTS = {
    "zero": Part("facts", "FOR VALUES IN (0)", "k = 0", ""),
    "pair": Part("facts", "FOR VALUES IN (1, 2)", "k IN (1, 2)", "RANGE (id)"),
    "three": Part("facts", "FOR VALUES IN (3)", "k = 3", ""),
    "four": Part("facts", "FOR VALUES IN (4, NULL)", "(k = 4 OR k IS NULL)", ""),
    "five": Part("facts", "FOR VALUES IN (5)", "k = 5", ""),
    "rest": Part("facts", "DEFAULT", "k = 6", ""),
    "pair_low": Part("pair", "FOR VALUES FROM (MINVALUE) TO (40)", "id < 40", ""),
    "pair_high": Part("pair", "FOR VALUES FROM (40) TO (MAXVALUE)", "id >= 40", ""),
    "early": Part("events", "FOR VALUES FROM (0) TO (25)", "id < 25", ""),
    "late": Part("events", "FOR VALUES FROM (25) TO (60)",
                 "id >= 25 AND id < 60", "LIST (k)"),
    "last": Part("events", "FOR VALUES FROM (60) TO (80)", "id >= 60 AND id < 80", ""),
    "beyond": Part("events", "FOR VALUES FROM (80) TO (MAXVALUE)", "id >= 80", ""),
    "late_few": Part("late", "FOR VALUES IN (1, 2)", "k IN (1, 2)", ""),
    "late_rest": Part("late", "DEFAULT", "(k NOT IN (1, 2) OR k IS NULL)", ""),
}
ROOTS = {"facts": "LIST (k)", "events": "RANGE (id)"}
# Where there is a default partition, nothing can be detached concurrently.
WITH_DEFAULT = {part.parent for part in PARTS.values() if part.bounds == "DEFAULT"}

# Makes a table with the columns that another has now, in an order of its own, after
# one that has been dropped.
MAKE = f"""CREATE FUNCTION {SCHEMA}.make(made name, parent regclass, storage text)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE TABLE {SCHEMA}.%I (gone int, %s) WITH (%s)', made,
		(SELECT string_agg(format('%I %s', attname, format_type(atttypid, atttypmod)),
			', ' ORDER BY hashtext(made || attname || storage))
		 FROM pg_attribute
		 WHERE attrelid = parent AND attnum > 0 AND NOT attisdropped), storage);
	EXECUTE format('ALTER TABLE {SCHEMA}.%I DROP COLUMN gone', made);
END $$"""

# Rows of a query by the node and, before and after it, by PostgreSQL's own plan: as the
# function is stable, in the snapshot of the statement that calls it.
BOTH = f"""CREATE FUNCTION {SCHEMA}.both(query text) RETURNS text[] STABLE
LANGUAGE plpgsql AS $$
DECLARE
	answers text[] := '{{}}';
	answer text;
BEGIN
	FOR i IN 0 .. 2 LOOP
		PERFORM set_config('warpagg.enable_scan',
			CASE i WHEN 1 THEN 'on' ELSE 'off' END, false),
			set_config('warpagg.accelerate',
			CASE i WHEN 1 THEN 'all' ELSE 'off' END, false);
		EXECUTE format('SELECT array_agg(q::text)::text FROM (%s) q', query)
			INTO answer;
		answers := answers || coalesce(answer, '');
	END LOOP;
	RETURN answers;
END $$"""


def make_tables(session):
    """Makes the tables with all their partitions, vacuumed and analyzed."""
    session.run("CREATE EXTENSION IF NOT EXISTS warpagg")
    session.run(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")
    session.run(f"CREATE SCHEMA {SCHEMA}")
    session.run(MAKE)
    session.run(BOTH)
    for root, divided in ROOTS.items():
        session.run(f"CREATE TABLE {SCHEMA}.{root} ({COLUMNS}) "
                    f"PARTITION BY {divided}")
    for name, part in PARTS.items():
        if part.divided:
            session.run(f"CREATE TABLE {SCHEMA}.{name} PARTITION OF "
                        f"{SCHEMA}.{part.parent} {part.bounds} "
                        f"PARTITION BY {part.divided}")
        else:
            session.run(f"SELECT {SCHEMA}.make('{name}', '{SCHEMA}.{part.parent}', "
                        f"'{STORAGE}')")
            session.run(f"ALTER TABLE {SCHEMA}.{part.parent} ATTACH PARTITION "
                        f"{SCHEMA}.{name} {part.bounds}")
    for root in ROOTS:
        session.run(f"INSERT INTO {SCHEMA}.{root} ({NAMES}) SELECT {SAME} "
                    f"FROM generate_series(1, {ROWS}) id")
        session.run(f"CREATE INDEX ON {SCHEMA}.{root} (k)")
        session.run(f"VACUUM (FREEZE, ANALYZE) {SCHEMA}.{root}")
        session.run(f"SELECT warpagg_load('{SCHEMA}.{root}')")


def some_table(rng):
    """Returns the name of a table at the top, now and then of a partition."""
    if rng.random() < 0.85:
        return f"{SCHEMA}.{rng.choice(list(ROOTS))}"
    return f"{SCHEMA}.{rng.choice(list(PARTS))}"


class RowWriter(Writer):
    """Changes rows, and has them go from one partition to another."""

    def table(self):
        return some_table(self.rng)

    def insert(self, table, count):
        first = self.rng.randrange(1, 1000000)
        return f"INSERT INTO {table} ({NAMES}) SELECT {SAME} " \
               f"FROM generate_series({first}, {first + count - 1}) id"

    def update(self, table):
        if self.rng.random() < 0.7:
            return super().update(table)
        return f"UPDATE {table} SET " + self.rng.choice([
            "k = NULL", "k = (coalesce(k, 3) + 2) % 8", "id = (id + 31) % 97",
            "id = id + 1, k = 0"]) + f" WHERE {self.some()}"

    def rewrite(self):
        table = self.table()
        leaf = f"{SCHEMA}.{self.rng.choice(list(PARTS))}"
        return self.rng.choice([
            f"VACUUM FULL {leaf}",
            f"ALTER TABLE {table} ADD COLUMN x int DEFAULT 5",
            f"ALTER TABLE {table} ADD COLUMN x int DEFAULT 6",
            f"ALTER TABLE {table} DROP COLUMN IF EXISTS x",
            f"ALTER TABLE {table} ALTER COLUMN v TYPE "
            f"{self.rng.choice(['int', 'bigint'])}",
            f"ALTER TABLE {leaf} SET UNLOGGED", f"ALTER TABLE {leaf} SET LOGGED",
            f"ALTER TABLE {leaf} SET LOGGED"])

    def refill(self):
        table = f"{SCHEMA}.{self.rng.choice(list(ROOTS))}"
        ends = self.rng.choice(["COMMIT", "COMMIT", "ROLLBACK"])
        return self.rng.choice([
            f"BEGIN; TRUNCATE {table}; {self.insert(table, ROWS)}; {ends}",
            f"BEGIN; {self.insert(table, 500)}; SAVEPOINT a; TRUNCATE {table}; "
            f"ROLLBACK TO a; {ends}"])


class Mover(Writer):
    """Has partitions come and go."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.moves = collections.Counter()

    def table(self):
        return some_table(self.rng)

    def parts(self):
        """Returns what there is: {partition: attached ("t"), pending or not ("f")}."""
        rows = self.session.run(
            "SELECT c.relname, CASE WHEN i.inhdetachpending THEN 'pending' "
            "ELSE (i.inhrelid IS NOT NULL)::text END "
            "FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid "
            f"WHERE relnamespace = '{SCHEMA}'::regnamespace AND relkind IN ('r', 'p')")
        return {name: state for name, state in rows if name in PARTS}

    def fill(self, name):
        """Returns what has a table take the rows that are to be its partition's."""
        part = PARTS[name]
        return f"WITH moved AS (DELETE FROM {SCHEMA}.{part.parent} " \
               f"WHERE {part.rows} RETURNING {NAMES}) " \
               f"INSERT INTO {SCHEMA}.{name} ({NAMES}) SELECT * FROM moved"

    def attach(self, name):
        """Returns what attaches a table."""
        part = PARTS[name]
        return f"ALTER TABLE {SCHEMA}.{part.parent} ATTACH PARTITION " \
               f"{SCHEMA}.{name} {part.bounds}"

    def more(self, name):
        """Returns an insert of rows that a partition takes."""
        return f"INSERT INTO {SCHEMA}.{name} ({NAMES}) " \
               f"SELECT * FROM (SELECT {SAME} FROM generate_series(1, " \
               f"{self.rng.choice([500, ROWS // 2])}) id) r ({NAMES}) " \
               f"WHERE {PARTS[name].rows}"

    def make(self, name):
        """Makes a partition that there is not."""
        part = PARTS[name]
        if part.divided or self.rng.random() < 0.3:
            how = f"PARTITION BY {part.divided}" if part.divided else f"WITH ({STORAGE})"
            self.whole("make", [
                self.fill_aside(name),
                f"CREATE TABLE {SCHEMA}.{name} PARTITION OF {SCHEMA}.{part.parent} "
                f"{part.bounds} {how}",
                *(f"CREATE TABLE {SCHEMA}.{below} PARTITION OF {SCHEMA}.{name} "
                  f"{PARTS[below].bounds} WITH ({STORAGE})"
                  for below in PARTS if PARTS[below].parent == name),
                f"INSERT INTO {SCHEMA}.{name} ({NAMES}) SELECT * FROM aside",
                self.more(name)])
        else:
            self.make_beside(name)

    def fill_aside(self, name):
        """Returns what takes a partition's rows out of its parent."""
        part = PARTS[name]
        return f"CREATE TEMP TABLE aside ON COMMIT DROP AS SELECT {NAMES} FROM " \
               f"{SCHEMA}.{part.parent} WHERE {part.rows}; " \
               f"DELETE FROM {SCHEMA}.{part.parent} WHERE {part.rows}"

    def make_beside(self, name):
        """Makes a table with rows, and attaches it, now or later."""
        part = PARTS[name]
        make = f"SELECT {SCHEMA}.make('{name}', '{SCHEMA}.{part.parent}', " \
               f"'{self.rng.choice([STORAGE, DENSE])}')"
        if self.rng.random() < 0.5:
            self.whole("attach", [make, self.fill(name), self.more(name),
                                  self.attach(name)])
            return
        self.ask(make)
        self.ask(self.more(name))
        if self.rng.random() < 0.5:
            self.ask(f"SELECT warpagg_load('{SCHEMA}.{name}')")

    def attach_again(self, name):
        """Attaches a table that is there."""
        done = self.whole("attach", [self.fill(name), self.attach(name)])
        # its columns may be others than its parent's by now
        if not done and self.rng.random() < 0.5:
            self.move("drop", f"DROP TABLE {SCHEMA}.{name}")

    def leave(self, name):
        """Detaches a partition, drops it, or makes it empty."""
        parent = f"{SCHEMA}.{PARTS[name].parent}"
        detach = f"ALTER TABLE {parent} DETACH PARTITION {SCHEMA}.{name}"
        kind = self.rng.random()
        if kind < 0.2:
            self.move("truncate", f"TRUNCATE {SCHEMA}.{name}")
        elif kind < 0.35:
            self.move("drop", f"DROP TABLE {SCHEMA}.{name}")
        elif kind < 0.5:
            self.whole("attach", [detach, self.more(name), self.attach(name)])
        elif kind < 0.6:
            self.whole("detach", [
                detach, f"CREATE TEMP TABLE aside ON COMMIT DROP AS SELECT {NAMES} "
                f"FROM {SCHEMA}.{name}", f"DROP TABLE {SCHEMA}.{name}",
                f"INSERT INTO {parent} ({NAMES}) SELECT * FROM aside"])
        elif PARTS[name].parent not in WITH_DEFAULT and kind < 0.9:
            self.move("detach concurrently", f"{detach} CONCURRENTLY")
        else:
            self.whole("detach", [detach])

    def move(self, kind, statement):
        """Runs what moves a partition by itself; tells whether it did."""
        state, _ = self.ask(statement)
        self.moves[kind] += state == "00000"
        return state == "00000"

    def whole(self, kind, statements):
        """Runs a transaction; tells whether it was committed or rolled back as meant."""
        self.ask("BEGIN")
        for statement in statements:
            if self.ask(statement)[0] != "00000":
                self.ask("ROLLBACK")
                return False
            time.sleep(self.rng.choice([0, 0, 0.02, 0.2]))
        end = self.rng.choice(["COMMIT", "COMMIT", "COMMIT", "ROLLBACK"])
        self.moves[kind if end == "COMMIT" else "rolled back"] += \
            self.ask(end)[0] == "00000"
        return True

    def step(self):
        self.session.run("SET lock_timeout = " +
                         self.rng.choice(["'100ms'", "'1s'", "'3s'"]))
        parts = self.parts()
        missing = [name for name in PARTS if parts.get(name) != "true"]
        name = self.rng.choice(list(PARTS))
        if missing and self.rng.random() < 0.6:
            name = self.rng.choice(missing)
        if PARTS[name].parent not in parts and PARTS[name].parent not in ROOTS:
            name = PARTS[name].parent
        if name not in parts:
            self.make(name)
        elif parts[name] == "pending":
            self.move("finalize", f"ALTER TABLE {SCHEMA}.{PARTS[name].parent} "
                      f"DETACH PARTITION {SCHEMA}.{name} FINALIZE")
        elif parts[name] == "false":
            self.attach_again(name)
        else:
            self.leave(name)
        self.ask("ROLLBACK")
        time.sleep(self.rng.choice([0, 0.05, 0.3]))
