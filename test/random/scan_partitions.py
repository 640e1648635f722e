"""Random tables with partitions or children, for scans: the columns of scan_tables.py.

They are divided by lists, ranges, hashes, expressions and several columns, in levels,
with default partitions and empty ones.  Partitions differ from their parent and from
each other: in the order of columns, in columns that have been dropped, in storage,
indexes, fill, and in how they were vacuumed.  There is inheritance, with rows in the
parent and a child that is temporary, and partitions on a server of postgres_fdw.
"""

import os

import scan_tables
from scan_tables import LATE, TYPES, definition

ROWS = 1200  # of a table when it is made
# tables that are so many times as large, about
LARGE = {"by_range": 5, "by_list": 4, "nested": 4, "mixed": 3}
SOME = {"few"}  # tables of scan_tables.py that subselects read

# table: what divides it, and its partitions; one is divided again if a pair stands
# for what it holds
SCHEMES = {
    "by_list": ("LIST (k1)", {
        "zero": "IN (0)", "one": "IN (1, 2)", "some": "IN (3, 4, 5, NULL)",
        "empty": "IN (1000, 1001)", "rest": "DEFAULT"}),
    "by_range": ("RANGE (tz)", {
        "old": "FROM (MINVALUE) TO ('1930-01-01 00:00+00')",
        "a": "FROM ('1930-01-01 00:00+00') TO ('1960-06-01 00:00+00')",
        "b": "FROM ('1960-06-01 00:00+00') TO ('1999-12-31 12:00+00')",
        "c": "FROM ('1999-12-31 12:00+00') TO ('2024-01-01 00:00+00')",
        "d": "FROM ('2024-01-01 00:00+00') TO ('2060-01-01 00:00+00')",
        "rest": "DEFAULT"}),
    "by_hash": ("HASH (id)", {
        "a": "WITH (MODULUS 3, REMAINDER 0)", "b": "WITH (MODULUS 3, REMAINDER 1)",
        "c": "WITH (MODULUS 6, REMAINDER 2)", "d": "WITH (MODULUS 6, REMAINDER 5)"}),
    "by_date": ("RANGE (d)", {
        "a": "FROM (MINVALUE) TO ('1950-01-01')",
        "b": "FROM ('1950-01-01') TO ('2020-02-29')",
        "c": "FROM ('2020-02-29') TO ('2090-01-01')", "rest": "DEFAULT"}),
    "by_text": ("RANGE (w)", {
        "a": "FROM (MINVALUE) TO ('A')", "b": "FROM ('A') TO ('b')",
        "c": "FROM ('b') TO (MAXVALUE)"}),
    "by_both": ("RANGE (k1, k2)", {
        "a": "FROM (MINVALUE, MINVALUE) TO (0, 100)",
        "b": "FROM (0, 100) TO (2, MINVALUE)", "c": "FROM (2, MINVALUE) TO (9, 9)",
        "rest": "DEFAULT"}),
    "by_expression": ("LIST ((id % 4))", {
        "a": "IN (0)", "b": "IN (1, 2)", "rest": "DEFAULT"}),
    "nested": ("RANGE (id)", {
        "a": ("FROM (MINVALUE) TO (400)", "LIST (k1)", {
            "zero": "IN (0)", "one": "IN (1)", "rest": "DEFAULT"}),
        "b": ("FROM (400) TO (800)", "HASH (k2)", {
            "even": "WITH (MODULUS 2, REMAINDER 0)",
            "odd": "WITH (MODULUS 2, REMAINDER 1)"}),
        "c": ("FROM (800) TO (1000)", "RANGE (k2)", {
            "low": ("FROM (MINVALUE) TO (100)", "LIST (b)", {
                "yes": "IN (true)", "no": "IN (false, NULL)"}),
            "rest": "DEFAULT"}),
        "d": "FROM (1000) TO (MAXVALUE)"}),
    "single_part": ("RANGE (id)", {"all": "FROM (MINVALUE) TO (MAXVALUE)"}),
    "no_parts": ("RANGE (id)", {}),
    "own": ("RANGE (k1)", {
        "a": "FROM (MINVALUE) TO (1)", "b": "FROM (1) TO (4)",
        "rest": "FROM (4) TO (MAXVALUE)"}),
    "mixed": ("RANGE (id)", {
        "a": "FROM (MINVALUE) TO (300)", "far": "FROM (300) TO (600)",
        "b": "FROM (600) TO (1000)", "empty": "FROM (1000000) TO (2000000)",
        "rest": "DEFAULT"}),
    "away": ("HASH (id)", {
        "far_a": "WITH (MODULUS 2, REMAINDER 0)", "far_b": "WITH (MODULUS 4, REMAINDER 1)",
        "far_c": "WITH (MODULUS 4, REMAINDER 3)"}),
    "family": (None, {}),
}

# table: conditions by which partitions are pruned, {COLUMN} a constant like its values
PRUNED_BY = {
    "by_list": [
        "k1 = {k1}", "k1 IN (0, {k1})", "k1 IS NULL", "k1 = 1001", "k1 BETWEEN 3 AND {k1}",
        "k1 = ANY (ARRAY[{k1}, NULL, 2])", "k1 <> 0", "k1 = 0 OR k1 = {k1}",
        "k1 = (SELECT min(u.k1) FROM wa_scan.few u)", "k1 = 1 AND k1 = {k1}"],
    "by_range": [
        "tz >= {tz}", "tz < {tz}", "tz BETWEEN {tz} AND {tz}",
        "tz >= now() - interval '10 years'", "tz < now() - '90 years'::interval",
        "tz >= now() - interval '30 years' AND tz < now()",
        "tz > '2024-01-01'::date", "tz >= timestamp '1999-12-31 12:00'",
        "tz >= date_trunc('year', now()) AND tz <= {tz}", "tz IS NULL",
        "tz > (SELECT max(u.tz) - interval '500 years' FROM wa_scan.few u WHERE isfinite(u.tz))",
        "tz >= to_timestamp('2001-02-03', 'YYYY-MM-DD')",
        "tz = {tz}", "tz < {tz} OR tz >= '2024-01-01'"],
    "by_hash": ["id = {id}", "id IN (1, 5, {id})", "id = {id} OR id = 7", "id < {id}"],
    "by_date": [
        "d < {d}", "d >= {d}", "d IS NULL", "d BETWEEN {d} AND {d}",
        "d > current_date - 3000", "d = date '2020-02-29'",
        "d >= (now() - interval '40 years')::date", "d > {ts}", "d < {tz}"],
    "by_text": ["w < {w}", "w >= {w}", "w = {w}", "w LIKE 'B%'", "w > 'a' AND w < 'c'"],
    "by_both": [
        "k1 = {k1}", "k1 = 0 AND k2 < {k2}", "k1 < 2", "k1 >= {k1} AND k2 = 5",
        "(k1, k2) < (2, {k2})", "k1 IS NULL"],
    "by_expression": ["id % 4 = 0", "id % 4 IN (1, {k1})", "id % 4 > 2"],
    "nested": [
        "id < {id}", "id >= {id}", "id < 400 AND k1 = {k1}", "id = {id} AND k2 = {k2}",
        "id BETWEEN 800 AND 999 AND k2 < 100 AND b", "k1 = 1", "k2 = {k2}", "b IS NULL",
        "id > (SELECT u.id * 20 FROM wa_scan.few u WHERE u.id = 33)"],
    "single_part": ["id < {id}", "id = {id}"],
    "no_parts": ["id < {id}"],
    "own": ["k1 = {k1}", "k1 < 1", "k1 > {k1}"],
    "mixed": [
        "id < {id}", "id >= 600", "id BETWEEN 300 AND 599", "id = {id}",
        "id > 1000000", "id < 300", "id NOT BETWEEN 300 AND 599"],
    "away": ["id = {id}", "id IN (1, 5, {id})", "id < {id}"],
    "family": ["id < {id}", "id >= 600", "id < 0", "k1 = {k1}"],
}

# table: kinds and texts of keys whose groups are in one partition each
GROUPED_BY = {
    "by_list": [("integer", "k1")], "by_range": [("timestamptz", "tz")],
    "by_hash": [("integer", "id")], "by_date": [("date", "d")],
    "by_text": [("text", "w")], "by_both": [("integer", "k1"), ("smallint", "k2")],
    "by_expression": [("integer", "(id % 4)")], "nested": [("integer", "id")],
    "own": [("integer", "k1")],
}

# tables of which PostgreSQL reads a part for the node, and which are queried more often
WITH_OTHERS = {"away", "family", "mixed"}

# table: what queries need to know
PARTITIONED = {name: (PRUNED_BY[name], GROUPED_BY.get(name, []),
                      3 if name in WITH_OTHERS else 1) for name in SCHEMES}


class Maker:
    """Makes a table and all below it."""

    def __init__(self, session, rng, name):
        self.session = session
        self.rng = rng
        self.name = name
        self.table = f"wa_scan.{name}"
        self.leaves = []
        self.far = []  # those on another server, as they are there

    def columns(self, is_late):
        """Returns the definitions of the columns, with LATE or before these are added."""
        some = [definition(c) for c in TYPES if is_late or c not in LATE]
        return some if is_late else some + ["gone text DEFAULT 'gone'"]

    def make(self):
        """Makes the table without rows."""
        key, parts = SCHEMES[self.name]
        if key is None:
            self.make_family()
            return
        self.session.run(f"CREATE TABLE {self.table} ({', '.join(self.columns(False))}) "
                         f"PARTITION BY {key}")
        self.divide(self.table, parts)

    def divide(self, parent, parts):
        """Makes the partitions of a table, and theirs."""
        for name, bound in parts.items():
            table = f"{parent}_{name}"
            if isinstance(bound, tuple):
                bound, key, below = bound
                self.part(parent, table, bound, f" PARTITION BY {key}")
                self.divide(table, below)
            elif name.startswith("far") and has_foreign(self.session):
                self.make_foreign(parent, table, bound)
            else:
                self.part(parent, table, bound, "")
                self.leaves.append(table)

    def part(self, parent, table, bound, divided):
        """Makes a partition, with columns in the order of its parent or in another."""
        bound = bound if bound == "DEFAULT" else f"FOR VALUES {bound}"
        options = "" if divided else f" WITH (autovacuum_enabled = off{self.fill()})"
        if self.rng.random() < 0.5:
            self.session.run(f"CREATE TABLE {table} PARTITION OF {parent} {bound}"
                             f"{divided}{options}")
        else:
            columns = self.columns(False)
            self.rng.shuffle(columns)
            columns.insert(self.rng.randint(0, len(columns)), "other integer")
            self.session.run(f"CREATE TABLE {table} ({', '.join(columns)})"
                             f"{divided}{options}")
            self.session.run(f"ALTER TABLE {table} DROP COLUMN other")
            self.session.run(f"ALTER TABLE {parent} ATTACH PARTITION {table} {bound}")
        if not divided:
            self.vary(table)

    def fill(self):
        """Returns a storage parameter, or none; with few rows a block there are many."""
        return self.rng.choice(["", ", fillfactor = 10", ", fillfactor = 10",
                                ", fillfactor = 10", ", fillfactor = 60",
                                ", parallel_workers = 0"])

    def vary(self, table):
        """Gives a leaf a storage of columns and indexes of its own, or not."""
        rng = self.rng
        for statement, share in [
                (f"ALTER TABLE {table} ALTER w SET STORAGE EXTERNAL", 0.3),
                (f"ALTER TABLE {table} ALTER wide SET STORAGE MAIN", 0.3),
                (f"CREATE INDEX ON {table} (id)", 0.3),
                (f"CREATE INDEX ON {table} (tz, k1)", 0.2)]:
            if rng.random() < share:
                self.session.run(statement)

    def make_foreign(self, parent, table, bound):
        """Makes a partition that another session, of postgres_fdw, reads."""
        self.session.run(f"CREATE TABLE {table}_rows ({', '.join(self.columns(False))}) "
                         "WITH (autovacuum_enabled = off)")
        self.far.append(f"{table}_rows")
        self.session.run(f"CREATE FOREIGN TABLE {table} PARTITION OF {parent} FOR VALUES "
                         f"{bound} SERVER wa_scan_loop OPTIONS (schema_name 'wa_scan', "
                         f"table_name '{table.split('.')[1]}_rows')")

    def make_family(self):
        """Makes a parent, children, a grandchild of two of them, and a temporary one."""
        run = self.session.run
        options = "WITH (autovacuum_enabled = off, fillfactor = 10)"
        run(f"CREATE TABLE {self.table} ({', '.join(self.columns(False))}) {options}")
        run(f"CREATE TABLE {self.table}_a (more integer, CHECK (id < 600)) INHERITS "
            f"({self.table}) {options}")
        run(f"CREATE TABLE {self.table}_b (CHECK (id >= 600)) INHERITS ({self.table}) "
            f"{options}")
        run(f"CREATE TABLE {self.table}_c () INHERITS ({self.table}_a, {self.table}) "
            f"{options}")
        run(f"CREATE TEMPORARY TABLE family_t () INHERITS ({self.table})")
        self.leaves = [self.table] + [f"{self.table}_{name}" for name in "abc"]
        for leaf in self.leaves:
            self.vary(leaf)

    def insert(self, rows):
        """Inserts rows, in inheritance into one of the tables by their ids."""
        if self.name != "family":
            scan_tables.insert(self.session, self.table, rows)
            return
        targets = [self.table, f"{self.table}_a", f"{self.table}_c", "pg_temp.family_t",
                   f"{self.table}_b", f"{self.table}_b"]
        for part, target in enumerate(targets):
            some = [row for row in rows if int(row["id"]) * 6 // ROWS == part]
            scan_tables.insert(self.session, target, some)

    def add_columns(self):
        """Drops a column and adds those of LATE, in all tables."""
        self.session.run(f"ALTER TABLE {self.table} DROP COLUMN gone")
        for column, (_, default) in LATE.items():
            self.session.run(f"ALTER TABLE {self.table} ADD COLUMN {definition(column)}"
                             + (f" DEFAULT {default}" if default else ""))
        for table in self.far:
            for column, (_, default) in LATE.items():
                self.session.run(f"ALTER TABLE {table} ADD COLUMN {definition(column)}"
                                 + (f" DEFAULT {default}" if default else ""))

    def reattach(self):
        """Detaches a partition and attaches it again, which moves its place."""
        if self.name in ("by_list", "by_range", "by_date"):
            key, parts = SCHEMES[self.name]
            part, bound = self.rng.choice([p for p in parts.items() if p[1] != "DEFAULT"])
            self.session.run(f"ALTER TABLE {self.table} DETACH PARTITION "
                             f"{self.table}_{part}")
            self.session.run(f"ALTER TABLE {self.table} ATTACH PARTITION "
                             f"{self.table}_{part} FOR VALUES {bound}")

    def vacuum(self):
        """Vacuums some of the leaves, freezes others, and leaves the rest."""
        for leaf in self.leaves:
            way = self.rng.choice(["VACUUM", "VACUUM", "VACUUM (FREEZE)", None])
            if way:
                self.session.run(f"{way} {leaf}")
        self.session.run(f"ANALYZE {self.table}")


def has_foreign(session):
    """Tells whether there is postgres_fdw, and a server of it."""
    return bool(session.run("SELECT 1 FROM pg_foreign_server "
                            "WHERE srvname = 'wa_scan_loop'"))


def make_server(session, rng):
    """Makes a foreign server that leads back, if postgres_fdw is installed."""
    if not session.run("SELECT 1 FROM pg_available_extensions "
                       "WHERE name = 'postgres_fdw'"):
        return
    session.run("CREATE EXTENSION IF NOT EXISTS postgres_fdw")
    session.run("DROP SERVER IF EXISTS wa_scan_loop CASCADE")
    options = {"host": os.environ["PGHOST"], "port": os.environ.get("PGPORT", "5432"),
               "dbname": session.run("SELECT current_database()")[0][0],
               "async_capable": rng.choice(["true", "false"]),
               "use_remote_estimate": rng.choice(["true", "false"])}
    session.run("CREATE SERVER wa_scan_loop FOREIGN DATA WRAPPER postgres_fdw OPTIONS ("
                + ", ".join(f"{name} '{value}'" for name, value in options.items()) + ")")
    # The system need not know the name of who runs the server.
    user = session.run("SELECT quote_literal(current_user)")[0][0]
    session.run("CREATE USER MAPPING FOR CURRENT_USER SERVER wa_scan_loop "
                f"OPTIONS (user {user})")


def make(session, rng, name):
    """Makes a table; returns its rows as they were inserted, and its leaves."""
    maker = Maker(session, rng, name)
    maker.make()
    if not SCHEMES[name][1] and name != "family":
        maker.add_columns()
        return [], []
    nulls = {c: rng.choice([0, 0, 0.05, 0.3, 0.95]) for c in scan_tables.COLUMNS}
    edges = {c: rng.choice([0, 0, 0.01, 0.1]) for c in scan_tables.COLUMNS}
    rows = [scan_tables.draw_row(rng, number, nulls, edges) for number in range(ROWS)]
    half = ROWS // 2
    shuffled = rng.sample(rows, ROWS)
    maker.insert(shuffled[:half])
    maker.add_columns()
    maker.insert(shuffled[half:])
    session.run(f"UPDATE {maker.table} SET late = id, late_n = id / 8.0, "
                f"late_s = w, late_d = d WHERE id % 23 = 7")
    if name in LARGE:
        scan_tables.repeat(session, maker.table, LARGE[name] * scan_tables.DRAWN)
    scan_tables.widen(session, maker.table)
    scan_tables.age(session, maker.table, rng)
    maker.reattach()
    maker.vacuum()
    return rows, maker.leaves


def load(session, rng):
    """Makes the tables anew in schema wa_scan.

    Returns values of each column, and the leaves of each table.
    """
    samples = scan_tables.load(session, rng, SOME)
    make_server(session, rng)
    leaves = {}
    for name in SCHEMES:
        rows, leaves[name] = make(session, rng, name)
        for row in rows[:100]:
            for column, value in row.items():
                if value is not None:
                    samples[column].append(value)
    return samples, leaves
