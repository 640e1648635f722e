"""Random queries for the first rows of one table of scan_tables.py, of all or of each part of
them (DISTINCT ON), or for those that WHERE selects.

What a query returns are the expressions that it is ordered by, so that rows that are equal
in these look the same; beside them, if no two rows of the table have the same id, which is
the last of them then, any columns.
"""

import scan_generator
from scan_expressions import TWINS
from scan_tables import COARSE, TABLES, TYPES

# An interval's order is no number's.
KINDS = ["smallint", "integer", "integer", "bigint", "boolean", "date", "timestamp",
         "timestamptz", "numeric", "double precision", "real", "oid", "time", "money", "text",
         "text"]

# Most are large enough to be asked for.
SHARES = {"lean": 6, "large": 6, "coarse": 6, "plain": 2, "middle": 2, "churned": 2}


class Query(scan_generator.Query):
    """A query for the first rows."""

    def __init__(self, rng, samples, is_unique):
        """is_unique: tells of a table whether no two of its rows have the same id."""
        self.is_unique = is_unique
        super().__init__(rng, samples)
        self.settings.update({
            "random_page_cost": rng.choice([0, 0, 1]), "enable_seqscan": "on",
            "enable_indexscan": rng.choice(["on", "off"])})

    def draw_table(self):
        return self.rng.choice([name for name in TABLES
                                for _ in range(SHARES.get(name, 1))])

    def left_alone_ways(self):
        return ["volatile", "sample", "ctid", "initplan", "lock"]

    def draw_calls(self):
        return []

    def draw_having(self):
        return None

    def draw_keys(self):
        rng = self.rng
        for _ in range(rng.choice([1, 1, 2, 3])):
            kind = rng.choice(KINDS)
            self.kinds.append(kind)
            self.keys.append(self.expressions.draw(kind, rng.choice([0, 0, 0, 1])))
        self.others = []
        if self.is_unique(self.table):
            self.kinds.append("integer")
            self.keys.append("id")
            self.others = rng.choice([["*"], rng.sample(list(TYPES), 3), []])

    def draw_order(self):
        rng = self.rng
        terms = [f"{place + 1}{rng.choice(['', ' DESC'])}"
                 f"{rng.choice(['', '', ' NULLS FIRST', ' NULLS LAST'])}"
                 for place in range(len(self.keys))]
        order = f" ORDER BY {', '.join(terms)}"
        self.without_limit = order
        self.distinct = ""
        if rng.random() < 0.2:
            parts = rng.randrange(len(self.keys)) + 1
            self.distinct = f"DISTINCT ON ({', '.join(map(str, range(1, parts + 1)))}) "
        lock = " FOR SHARE" if self.left_alone == "lock" and not self.distinct else ""
        if rng.random() < (0.7 if self.distinct else 0.1):
            return order + lock
        order += f" LIMIT {rng.choice([0, 1, 5, 5, 30, 30, 500, 5000, '(1 + 2)', 'NULL'])}"
        if rng.random() < 0.3:
            order += f" OFFSET {rng.choice([0, 1, 3, 400])}"
        return order + lock

    def select(self, side):
        return (f"SELECT {self.distinct}{', '.join(self.keys + self.others)} FROM {self.source()}"
                f"{self.where}{self.order}")

    def twins(self):
        """Of values that are equal and look different any may come first."""
        first = 1 if self.is_lateral else 0
        return [first + place for place, kind in enumerate(self.kinds)
                if kind in TWINS]

    def is_computed_by(self, plan):
        return any(line.endswith(f"(WarpAgg Rows) on {self.table}") for line in plan)


assert set(SHARES) <= set(TABLES) and COARSE <= set(SHARES)
