"""Random joins of the tables of scan_tables.py and scan_partitions.py with others.

Those others have the same columns, and keys beside them: unique ones of several kinds,
some of which lie far apart, one of two columns, one that several rows have, and one of a
table without rows.  A query joins its table, f, with up to four of them, d1, d2, ...: by
columns of the table (a star, one table in two roles) or of those before (a chain), in all
kinds of joins, of which the node takes most.  Another one is changed in the transaction
that reads it.  Some queries join one more table, several rows of which have a key, so that
it can be counted: nothing but aggregates, and conditions of its own, are over its columns.
"""

import re

import scan_generator
import scan_tables
from scan_expressions import COLUMNS_OF, INTEGERS, TWINS, Expressions
from scan_generator import Call, EXACT, FLOATS, OVER_BOOLEANS
from scan_tables import LATE, TYPES, definition

# table: the types of its keys, what they are made by, and the column of another table
# whose values they are like
OTHERS = {
    "dim_k1": (["integer"], "PRIMARY KEY", ["k1"]),
    "dim_k2": (["smallint"], "PRIMARY KEY", ["k2"]),
    "dim_id": (["bigint"], "UNIQUE", ["id"]),
    "dim_date": (["date"], "PRIMARY KEY", ["d"]),
    "dim_sparse": (["bigint"], "UNIQUE", ["i8"]),
    "dim_own": (["integer"], "UNIQUE", ["k2"]),
    "dim_text": (['text COLLATE "C"'], "UNIQUE", ["w"]),
    "dim_char": (["char(6)"], "UNIQUE", ["bp"]),
    "dim_pair": (["integer", "smallint"], "PRIMARY KEY", ["k1", "k2"]),
    "dim_wide": (["bigint", "date"], "PRIMARY KEY", ["k1", "d"]),
    "dim_three": (["integer", 'text COLLATE "C"', "smallint"], "UNIQUE", ["k1", "w", "k1"]),
    "dim_many": (["integer"], None, ["k1"]),
    "dim_none": (["integer"], "PRIMARY KEY", ["k1"]),
}

KEYS = ("key", "key2", "key3")

# which transactions change that read it, and no others
OWN = "dim_own"

# type of a key: columns that it can be compared with; else these
LIKE = {"date": ["d", "late_d"], "char(6)": ["bp"],
        'text COLLATE "C"': ["w", "s", "vc", "late_s"]}
NUMBERS = ["i2", "i4", "i8", "k1", "k2", "id", "late"]

# how a table is joined; the node leaves those of the last line to PostgreSQL, or most
KINDS = (["inner"] * 7 + ["comma"] * 2 + ["left"] * 5 + ["semi"] * 3 + ["anti"] * 2
         + ["left with more"] * 3 + ["left is null"] + ["not in"] * 2 + ["or in"] * 2
         + ["many", "full", "expression"] * 1)

LEFT_ALONE = {"volatile": "random() >= 0",
              "initplan": "k1 <= (SELECT avg(u.k1) FROM wa_scan.few u)"}

# Tables that are counted, some of whose rows have the same k1; and what may be aggregated
# over them: columns, and of which there are sums.
REPEATED = ["dim_many", "dim_many", "few", "dim_k2", "dim_date", "dim_own"]
COUNTED = ["i2", "i4", "i8", "n", "cents", "wide", "k1", "k2", "id", "late", "late_n",
           "f8", "m", "d", "ts", "s", "b"]
TOLD = {*EXACT, *OVER_BOOLEANS, "bit_and", "bit_or"}
SUMMED = {"smallint", "integer", "bigint", "numeric"}

# Which of them are conditions of WHERE with a subselect.
SUBSELECTS = ("semi", "anti", "not in", "or in")

# Of what a row of a semi join's relation is told, and how.
SEMI = ["{outer} IN (SELECT {key} FROM wa_scan.{table} {alias}{where})",
        "EXISTS (SELECT FROM wa_scan.{table} {alias} WHERE {on}{more})"]

TOKENS = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|[.\w$]+\.?")


class JoinExpressions(Expressions):
    """Draws expressions over rows that are joined: columns have names of tables."""

    def __init__(self, rng, samples, is_prepared):
        super().__init__(rng, samples, is_prepared)
        self.aliases = ["f"]
        self.general_risk = self.risk

    def over(self, aliases, draw):
        """Returns what a function draws over some of the tables."""
        before, self.aliases = self.aliases, aliases
        try:
            return draw()
        finally:
            self.aliases = before

    def qualify(self, text):
        """Puts names of tables before the columns of a text that have none."""
        return TOKENS.sub(
            lambda found: f"{self.rng.choice(self.aliases)}.{found[0]}"
            if found[0] in TYPES else found[0], text)

    def constant(self, column):
        return super().constant(column.split(".")[-1])

    def column(self, kind):
        return self.qualify(super().column(kind))

    def draw(self, kind, depth=None):
        return self.qualify(super().draw(kind, depth))

    def leaf(self, depth):
        return self.qualify(super().leaf(depth))

    def provoke(self):
        """A guard is about the row that has the error: all of one table."""
        kind, text = super().provoke()
        alias = self.rng.choice(self.aliases)
        return kind, self.over([alias], lambda: self.qualify(text))


class Query(scan_generator.Query):
    """A query over joins."""

    def __init__(self, rng, samples, partitioned=None):
        self.tree = None
        self.visible = ["f"]  # tables whose columns there are
        self.joined = []      # conditions of WHERE that join
        self.loose = set()
        self.counted = None   # a table that may be counted
        self.pairs = {}       # of a table, both sides of what it is joined by
        super().__init__(rng, samples, partitioned)

    def left_alone_ways(self):
        return list(LEFT_ALONE)

    def make_expressions(self, samples):
        return JoinExpressions(self.rng, samples, self.way == "prepared")

    def draw_where(self):
        """Draws the joins first: all that follows is over their tables."""
        self.draw_joins()
        rng = self.rng
        expressions = self.expressions
        conditions = list(self.joined)
        if self.left_alone and LEFT_ALONE[self.left_alone]:
            conditions.append(expressions.qualify(LEFT_ALONE[self.left_alone]))
        if self.partitioned and rng.random() < 0.4:
            text = rng.choice(self.partitioned[self.table][0])
            text = re.sub(r"\{(\w+)\}", lambda m: expressions.constant(m[1]), text)
            conditions.append(
                expressions.over(["f"], lambda: f"({expressions.qualify(text)})"))
        conditions += self.draw_filters()
        if self.is_lateral:
            conditions.append(expressions.qualify(rng.choice(
                ["k1 = o.x", "i4 > o.x", "k2 % 7 <= o.x", "n < o.x"])))
        if rng.random() < 0.02:
            conditions.append("false")
        return f" WHERE {' AND '.join(conditions)}" if conditions else ""

    def draw_filters(self):
        """Returns conditions over one table or several."""
        rng = self.rng
        filters = []
        for _ in range(rng.choice([0, 0, 1, 1, 2])):
            aliases = (self.visible if rng.random() < 0.3
                       else [rng.choice(self.visible)])
            filters.append(self.draw_condition(aliases))
        if rng.random() < 0.03:
            filters.append(f"{self.loosely(self.expressions.provoke)[1]} > 0")
        return filters

    def draw_condition(self, aliases):
        """Returns a condition over tables."""
        expressions = self.expressions
        return self.loosely(lambda: expressions.over(
            aliases, lambda: expressions.condition(expressions.depth + 1)))

    def loosely(self, draw):
        """Returns what is drawn; of its errors each side may have one alone."""
        expressions = self.expressions
        before, expressions.errors = expressions.errors, set()
        if self.rng.random() < 0.8:
            expressions.risk = 0
        drawn = draw()
        expressions.risk = expressions.general_risk
        self.loose |= expressions.errors
        expressions.errors |= before
        return drawn

    def loose_errors(self):
        return self.loose

    #
    # Joins
    #

    def draw_joins(self):
        """Draws the joins, one after the other."""
        self.tree = f"wa_scan.{self.table} f"
        for number in range(1, 1 + self.rng.choice([1, 1, 1, 2, 2, 3, 4])):
            self.draw_join(f"d{number}")
        if self.rng.random() < 0.25:
            self.draw_counted(self.rng.choice(["d8", "d9"]))
        self.expressions.aliases = self.visible

    def draw_counted(self, alias):
        """Adds a join of a table that nothing but aggregates is to be over."""
        rng = self.rng
        table = rng.choice(REPEATED)
        key = f"{alias}.{'key' if table == 'dim_many' else 'k1'}"
        outer = rng.choice([alias for alias in self.visible for _ in
                            range(5 if alias == "f" else 1)])
        on = " = ".join(rng.sample([key, f"{outer}.{rng.choice(['k1', 'k1', 'k2'])}"], 2))
        if rng.random() < 0.4:
            on += f" AND {self.draw_condition([alias])}"
        self.tree += f" {rng.choice(['JOIN', 'LEFT JOIN'])} wa_scan.{table} {alias} ON {on}"
        self.counted = alias

    def draw_join(self, alias):
        """Adds a join."""
        rng = self.rng
        kind = rng.choice(KINDS)
        table = rng.choice([name for name in OTHERS for _ in
                            range(1 if name in ("dim_many", "dim_none") else 4)])
        if kind in SUBSELECTS and rng.random() < 0.4:
            table = rng.choice(["dim_many", "few", *(self.partitioned or ["middle"])])
        elif kind == "many":
            table = "dim_many"
        elif table == "dim_many":
            table = "dim_k1"
        on, outer, key = self.draw_on(table, alias, kind)
        if kind in SUBSELECTS:
            self.joined.append(self.draw_subselect(kind, table, alias, on, outer, key))
            return
        self.add_table(kind, table, alias, on, key)
        self.visible.append(alias)

    def draw_on(self, table, alias, kind):
        """Returns a condition that keys are equal, and both sides of the first one."""
        rng = self.rng
        types, _, like = OTHERS.get(table, (["integer"], None, ["k1"]))
        keys = [f"{alias}.{key}" for key in KEYS] if table in OTHERS else [f"{alias}.k1"]
        pairs = []
        before = rng.choice(["f", self.visible[-1], rng.choice(self.visible)])
        for of, column, key in zip(types, like, keys):
            if rng.random() < 0.15:
                column = rng.choice(LIKE.get(of, NUMBERS))
            if rng.random() < 0.1:
                before = rng.choice(self.visible)
            pairs.append((f"{before}.{column}", key))
        if kind == "expression" and types[0] not in LIKE:
            pairs[0] = (f"{pairs[0][0]} + 1", pairs[0][1])
        self.pairs[alias] = pairs
        texts = [" = ".join(rng.sample(pair, 2)) for pair in pairs]
        return " AND ".join(texts), *pairs[0]

    def add_table(self, kind, table, alias, on, key):
        """Adds a table to what follows FROM."""
        rng = self.rng
        table = f"wa_scan.{table} {alias}"
        if kind == "comma":
            self.tree += f" CROSS JOIN {table}"
            self.joined.append(on)
            return
        word = {"inner": "JOIN", "many": "JOIN", "expression": "JOIN",
                "full": "FULL JOIN"}.get(kind, "LEFT JOIN")
        if kind == "left with more":
            on += f" AND {self.draw_condition(self.draw_sides(alias))}"
        elif kind != "full" and rng.random() < 0.3:
            on += f" AND {self.draw_condition([alias])}"
        if kind == "left is null":
            self.joined.append(f"{key} IS NULL")
        self.tree += f" {word} {table} ON {on}"

    def draw_sides(self, alias):
        """Returns tables that a condition beside the key of one is over."""
        others = [self.rng.choice(self.visible)]
        return self.rng.choice([[alias], others, [alias] + others, [alias] + others])

    def draw_subselect(self, kind, table, alias, on, outer, key):
        """Returns a condition that there is a row of a table, or none."""
        rng = self.rng
        is_set = kind in ("not in", "or in")
        sides = ([alias] if is_set or rng.random() < 0.7 else self.draw_sides(alias))
        more = "" if rng.random() < 0.5 else self.draw_condition(sides)
        if is_set:
            if rng.random() < 0.5:
                more = f"{key} IS NOT NULL" + (f" AND {more}" if more else "")
            where = f" WHERE {more}" if more else ""
            word = "NOT IN" if kind == "not in" else rng.choice(["IN", "NOT IN"])
            text = f"{outer} {word} (SELECT {key} FROM wa_scan.{table} {alias}{where})"
            if kind == "not in":
                return text
            return f"({text} OR {self.draw_condition([rng.choice(self.visible)])})"
        text = SEMI[1] if kind == "anti" or " AND " in on else rng.choice(SEMI)
        text = text.format(outer=outer, key=key, table=table, alias=alias, on=on,
                           where=f" WHERE {more}" if more else "",
                           more=f" AND {more}" if more else "")
        return f"NOT {text}" if kind == "anti" else text

    #
    # What is computed
    #

    def draw_keys(self):
        super().draw_keys()
        if self.rng.random() < 0.4 and len(self.visible) > 1:
            self.draw_told()
        if self.rng.random() < 0.1 and len(self.visible) > 1:
            self.keys.append(f"{self.rng.choice(self.visible[1:])}.key::text")
            self.kinds.append("text")
        self.keys = [self.expressions.qualify(key) for key in self.keys]

    def draw_told(self):
        """Adds what a table is joined by, mostly all of it, and what that tells of it, or
        of another table, which may be joined by it."""
        rng = self.rng
        alias = rng.choice(self.visible[1:])
        for outer, key in self.pairs[alias]:
            if rng.random() < 0.95:
                self.add_key(rng.choice([key, key, outer]))
        for _ in range(rng.choice([1, 2, 3])):
            of = alias if rng.random() < 0.7 else rng.choice(self.visible[1:])
            kind = rng.choice([kind for kind in scan_generator.KEYS if not (
                self.left_alone and kind in TWINS)])
            self.add_key(f"{of}.{rng.choice(COLUMNS_OF[kind])}", kind)

    def add_key(self, key, kind="bpchar"):
        """Adds a key, of a kind that may have twins where it is not known."""
        if key not in self.keys:
            self.keys.append(key)
            self.kinds.append(kind)

    def draw_calls(self):
        """Sums of floats that depend on the order of rows are ours, on both sides."""
        calls = super().draw_calls()
        for call in calls if self.counted else []:
            self.count(call)
        for call in calls:
            if self.rng.random() < 0.05:
                call.kind, call.argument = self.expressions.provoke()
                call.function = "count"
            call.is_ours |= call.depends_on_order(self.accelerate)
        return calls

    def count(self, call):
        """Has a call be one of those that are told of a table that is counted, mostly."""
        rng = self.rng
        if rng.random() < 0.5 and not call.modifier and not call.other:
            column = rng.choice(COUNTED)
            call.kind = TYPES[column].split("(")[0]
            call.argument = f"{self.counted}.{column}"
            call.is_array = False
            call.function = rng.choice(
                ["count"] + ["min", "max"] * (call.kind not in ("text", "boolean"))
                + OVER_BOOLEANS * (call.kind == "boolean")
                + ["bit_and", "bit_or"] * (call.kind in INTEGERS)
                + ["sum", "avg"] * 2 * (call.kind in SUMMED))
        elif call.function not in TOLD and rng.random() < 0.95 and not (
                call.kind in SUMMED and call.function in ("sum", "avg")):
            call.function = "count"

    def draw_having(self):
        having = super().draw_having()
        return having and self.expressions.qualify(having)

    def draw_settings(self):
        rng = self.rng
        return {**super().draw_settings(),
                "cpu_tuple_cost": rng.choice([0.01, 1, 1, 1, 1]),
                # Nested loops alone, over large tables, take too long.
                **dict(zip(("enable_hashjoin", "enable_mergejoin"),
                           rng.choice([("on", "on"), ("on", "off"), ("off", "on")]))),
                "enable_partitionwise_join": rng.choice(["on", "off"]),
                "join_collapse_limit": rng.choice([8, 8, 8, 1])}

    def source(self):
        return self.tree

    def is_computed_by(self, plan):
        """The node joins: what it does so with is below it."""
        return (any(line.endswith(f"(WarpAgg) on {self.table} f") for line in plan)
                and any(re.search(r" d\d\b", line) for line in plan))

    def leave_floats(self):
        """Makes both sides one text, whose sums of floats are the same in any order."""
        for call in self.calls:
            call.is_ours |= call.kind in FLOATS and call.function not in EXACT
        self.has_twin_text = False


#
# Tables
#

def draw_keys(rng, name, samples):
    """Returns the keys of a table, one tuple for each row."""
    numbers = {"dim_k1": range(-3, 22), "dim_k2": range(300), "dim_id": range(2000),
               "dim_own": range(300), "dim_none": []}
    if name in numbers:
        return [(key,) for key in numbers[name]
                if rng.random() < (0.2 if name == "dim_id" else 0.8)]
    if name == "dim_date":
        return [(key,) for key in rng.sample(sorted(set(samples["d"])), 80)]
    if name == "dim_sparse":
        keys = {int(key) for key in rng.sample(samples["i8"], 60) + samples["i4"][:60]}
        return [(key,) for key in keys | {-2**63, 2**63 - 1, 0, -1, 7}] + [(None,)] * 2
    if name in ("dim_text", "dim_char"):
        column = "w" if name == "dim_text" else "bp"
        keys = {key.rstrip() if name == "dim_char" else key
                for key in samples[column] + ["", "A", "z" * 6]}
        return [(key,) for key in keys] + [(None,)] * 2
    if name == "dim_wide":
        days = sorted(set(samples["d"]))
        return [(k1, day) for k1 in range(-1, 21)
                for day in rng.sample(days, min(len(days), 30))]
    if name == "dim_three":
        words = sorted(set(samples["w"] + ["", "A"]))
        keys = [(k1, word, k1 + rng.choice([0, 0, 1])) for k1 in range(-1, 21)
                for word in rng.sample(words, min(len(words), 12))]
        return keys + [(None, "A", 1), (1, None, 1), (1, None, 1), (2, "A", None)]
    if name == "dim_pair":
        return [(k1, k2) for k1 in range(-1, 21) for k2 in rng.sample(range(300), 40)]
    return [(rng.choice([None, *range(-2, 15)]),) for _ in range(40)]


def draw_rows(rng, keys):
    """Returns rows with the keys, as texts."""
    nulls = {c: rng.choice([0, 0, 0.05, 0.3]) for c in scan_tables.COLUMNS}
    edges = {c: rng.choice([0, 0, 0.01, 0.1]) for c in scan_tables.COLUMNS}
    rows = []
    for number, values in enumerate(rng.sample(keys, len(keys))):
        row = scan_tables.draw_row(rng, number, nulls, edges)
        for column, value in zip(KEYS, values):
            row[column] = None if value is None else str(value)
        rows.append(row)
    return rows


def make(session, rng, name, samples):
    """Makes a table."""
    types, constraint, _ = OTHERS[name]
    table = f"wa_scan.{name}"
    keys = list(zip(KEYS, types))
    columns = [definition(c) for c in TYPES if c not in LATE]
    for place in range(2):
        columns.insert(rng.randint(0, len(columns)), f"gone{place} text DEFAULT 'gone'")
    for column, kind in keys:
        columns.insert(rng.randint(0, len(columns)), f"{column} {kind}")
    # few rows a block, so that there are enough blocks for the device process to be asked
    session.run(f"CREATE TABLE {table} ({', '.join(columns)}) "
                "WITH (autovacuum_enabled = off, fillfactor = 10)")
    rows = draw_rows(rng, draw_keys(rng, name, samples))
    half = len(rows) // 2
    scan_tables.insert(session, table, rows[:half])
    session.run(f"ALTER TABLE {table} DROP COLUMN gone0, DROP COLUMN gone1")
    for column, (_, default) in LATE.items():
        session.run(f"ALTER TABLE {table} ADD COLUMN {definition(column)}"
                    + (f" DEFAULT {default}" if default else ""))
    scan_tables.insert(session, table, rows[half:])
    scan_tables.widen(session, table)
    if constraint:
        columns = [column for column, _ in keys]
        session.run(f"ALTER TABLE {table} ADD {constraint} "
                    f"({', '.join(rng.sample(columns, len(columns)))})")
    session.run(f"UPDATE {table} SET late = id, late_d = d, k2 = k2 / 2 WHERE id % 3 = 1")
    session.run(f"BEGIN; DELETE FROM {table} WHERE id % 2 = 0; ROLLBACK")
    session.run(rng.choice(["VACUUM (ANALYZE)", "ANALYZE"]) + f" {table}")


def load(session, rng, samples):
    """Makes the tables in schema wa_scan, beside those that there are."""
    for name in OTHERS:
        make(session, rng, name, samples)


def draw_change(rng, name):
    """Returns a statement that changes one of the tables."""
    table = f"wa_scan.{name}"
    some = f"id % {rng.randint(5, 30)} = {rng.randrange(5)}"
    return rng.choice([
        f"UPDATE {table} SET i4 = i4 / 2, n = n / 2, s = s || '-' WHERE {some}",
        f"UPDATE {table} SET k1 = k1 + 1, b = NOT b, d = NULL WHERE {some}",
        f"UPDATE {table} SET id = id + 1, w = w || 'x' WHERE {some}",
        f"DELETE FROM {table} WHERE id % 100 = {rng.randrange(100)}",
        f"DO $$BEGIN DELETE FROM {table} WHERE {some}; RAISE EXCEPTION 'undone'; "
        "EXCEPTION WHEN raise_exception THEN END$$"])


class Writer(scan_tables.Writer):
    """A second connection, which changes these tables, too."""

    def step(self, rng):
        super().step(rng)
        if rng.random() < 0.5:
            name = rng.choice([name for name in OTHERS if name != OWN])
            self.session.run(draw_change(rng, name))
