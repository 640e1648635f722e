"""Random tables for scans: a column of each type that scans read, and a history.

All tables have the same columns.  Each has a dropped column in the middle,
columns that were added after its first rows, dead rows of several kinds, and
rows that are locked; they differ in size, NULLs, values at the edges of types,
wide values, and in how they were vacuumed.
"""

import tables
from tables import quote

# column: its type, and the column of tables.py whose values it has
COLUMNS = {
    "b": ("boolean", "b"),
    "i2": ("smallint", "i2"),
    "i4": ("integer", "i4"),
    "i8": ("bigint", "i8"),
    "f4": ("real", "f4"),
    "f8": ("double precision", "f8"),
    "n": ("numeric", "n"),
    "cents": ("numeric(12,2)", "cents"),
    "wide": ("numeric", "wide"),
    "m": ("money", "m"),
    "v": ("interval", "v"),
    "d": ("date", "d"),
    "t": ("time", "t"),
    "ts": ("timestamp", "ts"),
    "tz": ("timestamptz", "tz"),
    "o": ("oid", "o"),
    "s": ("text", "s"),
    "vc": ("varchar(20)", "s"),
    "bp": ("char(6)", "bp"),
}

# columns that are added after the first rows: type and default
LATE = {
    "late": ("bigint", "7"),
    "late_n": ("numeric(10,3)", "1.5"),
    "late_s": ("text", "'late'"),
    "late_d": ("date", None),
}

KEYS = {"id": "integer", "k1": "integer", "k2": "smallint", "w": "text"}

TYPES = {**KEYS, **{name: kind for name, (kind, _) in COLUMNS.items()},
         **{name: kind for name, (kind, _) in LATE.items()}}

# The node takes texts in order of their bytes only, as COLLATE "C" has it; vc
# has the collation of the database.
COLLATED = {"s", "bp", "w", "late_s"}

# The built-in sums of money and interval overflow also on the way, so these
# have no edges; too long for varchar(20) are some of text's.
EDGES = {**{name: tables.EXTREMES[of] for name, (_, of) in COLUMNS.items()},
         "m": ["0", "-0.01"], "v": ["0", "30 days", "1 month", "720 hours"],
         "vc": ["", " ", "A", "a", "\u00e9"]}

# table: rows, storage parameters, whether it has values at the edges of types
TABLES = {
    "nothing": (0, "", False),
    "single": (1, "", False),
    "few": (50, "", True),
    "own": (500, "", False),
    "middle": (2000, "", True),
    "plain": (2000, "", False),
    "churned": (2000, ", fillfactor = 60", True),
    "frozen": (2000, "", False),
    "lean": (20000, "", False),
    "large": (20000, ", fillfactor = 90", True),
    "coarse": (20000, "", False),
}

DRAWN = 2000  # rows that are drawn; larger tables repeat them with changes
NO_NULLS = {"lean"}
COARSE = {"coarse"}  # columns have few values, so that these are combined often
POOL = 3
NOT_VACUUMED = {"own", "middle", "churned", "large"}


def definition(column):
    """Returns the definition of a column."""
    collation = ' COLLATE "C"' if column in COLLATED else ""
    return f"{column} {TYPES[column]}{collation}"


def draw_row(rng, number, nulls, edges):
    """Returns the values of a row of the columns in KEYS and COLUMNS."""
    row = {"id": str(number),
           "k1": str(min(int(rng.paretovariate(1)) - 1, 20)),
           "k2": str(rng.randrange(300)), "w": tables.word(rng)}
    for column, (_, of) in COLUMNS.items():
        dice = rng.random()
        if dice < nulls[column]:
            row[column] = None
        elif dice > 1 - edges[column]:
            row[column] = rng.choice(EDGES[column])
        else:
            row[column] = tables.ordinary(rng, of)
    return row


def coarsen(rng, rows):
    """Has the columns of rows have few values."""
    pool = rows[:POOL]
    for row in rows[POOL:]:
        for column in row:
            if column != "id":
                row[column] = rng.choice(pool)[column]


def literal(value):
    """Returns a value of a row as SQL."""
    return "NULL" if value is None else quote(value)


def insert(session, table, rows):
    """Inserts rows."""
    for begin in range(0, len(rows), 500):
        some = rows[begin:begin + 500]
        values = ",".join("(" + ",".join(map(literal, row.values())) + ")"
                          for row in some)
        session.run(f"INSERT INTO {table} ({', '.join(some[0])}) VALUES {values}")


def repeat(session, table, rows):
    """Makes a table so large by repeating its rows with changes."""
    copied = [c for c in [*KEYS, *COLUMNS] if c not in ("id", "i4", "i8", "f8")]
    changed = ("i4, i8, f8" if table.split(".")[1] in COARSE
               else "i4 # g, i8 # g::bigint, f8 + g")
    session.run(f"INSERT INTO {table} (id, i4, i8, f8, {', '.join(copied)}) "
                f"SELECT id + g * {DRAWN}, {changed}, "
                f"{', '.join(copied)} FROM {table}, "
                f"generate_series(1, {rows // DRAWN - 1}) g")


def widen(session, table):
    """Makes some values wide: compressed, or out of line."""
    session.run(f"UPDATE {table} SET w = (SELECT string_agg(md5(g::text), '') "
                f"FROM generate_series(id, id + 150) g) WHERE id % 97 = 0")
    session.run(f"UPDATE {table} SET w = repeat('x', 6000) WHERE id % 101 = 0")
    session.run(f"UPDATE {table} SET wide = repeat('1234567', 700)::numeric "
                f"WHERE id % 499 = 3")


def age(session, table, rng):
    """Leaves dead rows, chains of HOT updates, aborted rows and locked rows."""
    part = rng.randint(3, 9)
    columns = ", ".join(c for c in TYPES if c != "id")
    session.run(f"UPDATE {table} SET k1 = k1 + 1 WHERE id % {part} = 0")
    session.run(f"UPDATE {table} SET k2 = k2 / 2, n = n + 1 WHERE id % 11 = 2")
    session.run(f"INSERT INTO {table} (id, {columns}) "
                f"SELECT id + 500000, {columns} FROM {table} LIMIT 300")
    session.run(f"DELETE FROM {table} WHERE id >= 500000")
    session.run(f"BEGIN; UPDATE {table} SET k1 = -k1 - 1 WHERE id % 13 = 1; "
                f"INSERT INTO {table} SELECT * FROM {table} LIMIT 50; ROLLBACK")
    session.run(f"BEGIN; SAVEPOINT a; UPDATE {table} SET k2 = k2 + 1 WHERE "
                f"id % 17 = 5; RELEASE a; SAVEPOINT b; DELETE FROM {table} "
                "WHERE id % 3 = 0; ROLLBACK TO b; COMMIT")
    session.run(f"DO $$BEGIN PERFORM 1 FROM {table} WHERE id % 19 = 4 "
                "FOR SHARE; END$$")


def make(session, rng, name):
    """Makes a table; returns its rows as they were inserted."""
    size, parameters, with_edges = TABLES[name]
    table = f"wa_scan.{name}"
    types = [definition(column) for column in TYPES if column not in LATE]
    types.insert(rng.randint(1, len(types)), "gone text DEFAULT 'gone'")
    session.run(f"CREATE TABLE {table} ({', '.join(types)}) "
                f"WITH (autovacuum_enabled = off{parameters})")
    nulls = {c: 0 if name in NO_NULLS else rng.choice([0, 0, 0.05, 0.3, 0.95])
             for c in COLUMNS}
    edges = {c: rng.choice([0, 0, 0.01, 0.1]) if with_edges else 0
             for c in COLUMNS}
    rows = [draw_row(rng, number, nulls, edges)
            for number in range(min(size, DRAWN))]
    if name in COARSE:
        coarsen(rng, rows)
    half = len(rows) // 2
    insert(session, table, rows[:half])
    session.run(f"ALTER TABLE {table} DROP COLUMN gone")
    for column, (_, default) in LATE.items():
        session.run(f"ALTER TABLE {table} ADD COLUMN {definition(column)}"
                    + (f" DEFAULT {default}" if default else ""))
    insert(session, table, rows[half:])
    session.run(f"UPDATE {table} SET late = id, late_n = id / 8.0, "
                f"late_s = w, late_d = d WHERE id % 23 = 7")
    if size > DRAWN:
        repeat(session, table, size)
    if name not in NO_NULLS | COARSE:
        widen(session, table)
    age(session, table, rng)
    if name == "churned":
        session.run(f"CREATE INDEX ON {table} (id)")
    session.run(f"ANALYZE {table}")
    if name == "frozen":
        session.run(f"VACUUM (FREEZE) {table}")
    elif name not in NOT_VACUUMED:
        session.run(f"VACUUM {table}")
    return rows


def load(session, rng, names=tuple(TABLES)):
    """Makes tables anew in schema wa_scan; returns values of each column."""
    session.run("DROP SCHEMA IF EXISTS wa_scan CASCADE")
    session.run("CREATE SCHEMA wa_scan")
    samples = {column: [] for column in TYPES}
    for name in names:
        for row in make(session, rng, name)[:200]:
            for column, value in row.items():
                if value is not None:
                    samples[column].append(value)
    samples.update(late=["7", "0", "46"], late_n=["1.5", "1.500", "5.75"],
                   late_s=["late", "", "a"], late_d=samples["d"])
    return samples


class Writer:
    """A second connection, which changes the tables under the reader."""

    TABLES = ["few", "middle", "plain", "churned", "frozen", "lean", "large",
              "coarse"]

    def __init__(self, session, tables=None, vacuumed=None):
        """Takes the tables to change, and those to vacuum if these are others."""
        self.session = session
        self.is_open = False
        self.tables = tables or self.TABLES
        self.vacuumed = vacuumed

    def step(self, rng):
        """Changes a table, at times in a transaction that is left open."""
        if rng.random() < 0.3:
            self.toggle(rng)
        if rng.random() < 0.6:
            self.change(rng, f"wa_scan.{rng.choice(self.tables)}")

    def toggle(self, rng):
        """Begins a transaction, or ends the one that is open."""
        if self.is_open:
            self.session.run(rng.choice(["COMMIT", "COMMIT", "ROLLBACK"]))
        else:
            self.session.run("BEGIN")
        self.is_open = not self.is_open

    def change(self, rng, table):
        """Changes some rows of a table, or vacuums it."""
        rows = f"id % {rng.randint(20, 200)} = {rng.randrange(20)}"
        columns = ", ".join(c for c in TYPES if c != "id")
        statements = [
            f"UPDATE {table} SET k1 = (k1 + 1) % 21 WHERE {rows}",
            f"UPDATE {table} SET i4 = i4 / 2, n = n / 2, s = s || '-', "
            f"late = id WHERE {rows}",
            f"UPDATE {table} SET b = NOT b, f8 = -f8, d = NULL, cents = NULL "
            f"WHERE {rows}",
            f"DELETE FROM {table} WHERE {rows}",
            f"INSERT INTO {table} (id, {columns}) SELECT id % 100000 + 100000 * "
            f"{rng.randint(1, 5)}, {columns} FROM {table} WHERE {rows} LIMIT 200",
            f"DO $$BEGIN PERFORM 1 FROM {table} WHERE {rows} FOR UPDATE; END$$",
            f"DO $$BEGIN UPDATE {table} SET k2 = k2 + 1 WHERE {rows}; "
            "RAISE EXCEPTION 'undone'; EXCEPTION WHEN raise_exception THEN END$$",
        ]
        if not self.is_open:
            vacuumed = rng.choice(self.vacuumed) if self.vacuumed else table
            statements += [f"VACUUM {vacuumed}", f"VACUUM (FREEZE) {vacuumed}",
                           f"ANALYZE {table}"]
        self.session.run(rng.choice(statements))

    def close(self):
        """Ends the connection."""
        if self.is_open:
            self.session.run("ROLLBACK")
        self.session.close()
