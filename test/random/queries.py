"""Random aggregate queries in which each gpu_ aggregate has an oracle.

The oracle of a call is the built-in aggregate, and of sums, averages, variances
and standard deviations of floats, which the built-ins do not compute exactly, the
same aggregate over the rows in another order; these can also ask for the array of
the values, for rational arithmetic.
"""

import tables

FLOATS = {"f4": 4, "f8": 8, "spread": 8}
EXACT = {"min", "max", "count"}

# what makes equal values look the same, where a type has equal ones that do not
CANONICAL = {"n": "trim_scale({})", "cents": "trim_scale({})",
             "wide": "trim_scale({})", "v": "justify_interval({})",
             "f4": "({} + 0::real)", "f8": "({} + 0::float8)",
             "spread": "({} + 0::float8)"}


class Call:
    """One gpu_ aggregate and its oracle."""

    def __init__(self, rng, query):
        self.column = rng.choice(list(tables.COLUMNS))
        self.function = rng.choice(tables.COLUMNS[self.column][1].split())
        self.width = FLOATS.get(self.column)
        self.is_float = bool(self.width) and self.function not in EXACT
        self.distinct = not query.window and rng.random() < 0.12
        self.order = ""
        if not query.window and not self.distinct and rng.random() < 0.15:
            self.order = rng.choice([" ORDER BY r.id DESC", " ORDER BY r.k1",
                                     " ORDER BY r.s NULLS FIRST, r.id"])
        self.argument = self.draw_argument(rng)
        self.filter = ""
        if rng.random() < 0.2:
            self.filter = f" FILTER (WHERE {draw_condition(rng)})"
        self.array = self.is_float and not query.window and rng.random() < 0.6

    def draw_argument(self, rng):
        """Returns an expression over the column that has the column's type."""
        if self.function == "count" and rng.random() < 0.15:
            self.distinct = False
            self.order = ""
            return "*"
        column = f"r.{self.column}"
        number = self.column in ("i2", "i4", "i8", "n", "cents", "wide") or self.width
        choices = [column] * 6
        choices += [f"CASE WHEN {draw_condition(rng)} THEN {column} END",
                    f"nullif({column}, (SELECT u.{self.column} FROM "
                    f"wa_random.tiny u WHERE u.id = {rng.randrange(40)}))",
                    f"coalesce({column}, (SELECT u.{self.column} FROM "
                    f"wa_random.tiny u WHERE u.id = {rng.randrange(40)}))"]
        if number:
            choices += [f"-{column} / 2", f"{column} / 3",
                        f"{column} / nullif(r.id % {rng.randint(2, 99)}, 0)"]
            if rng.random() < 0.05:  # which divides by zero
                choices = [f"{column} / (r.id % {rng.randint(200, 2000)})"]
        if self.column in ("n", "cents", "i8", "i4"):
            choices += [f"{column}::numeric * {rng.choice(['0.001', '7.50', '1e18'])}",
                        f"round({column}::numeric, {rng.randrange(6)})"]
        if self.column in ("i2", "i4"):
            choices += [f"{column} % 7", f"{column}::bigint * 1000003",
                        f"length({column}::text)"]
        if self.column == "s":
            choices += [f"{column} || r.k3", f"upper({column})",
                        f"{column} COLLATE \"C\"", f"repeat({column}, 300)"]
        if self.column == "a":
            choices += [f"{column} || r.k1"]
        if self.column == "v":
            choices += [f"-{column}", f"{column} / 3"]
        argument = rng.choice(choices)
        if self.width == 4:
            argument = f"({argument})::real"
        # which of equal values DISTINCT keeps is open
        if self.distinct and self.column in CANONICAL:
            return CANONICAL[self.column].format(argument)
        # numerics made of integers may be equal and look different, too
        if self.distinct and "numeric" in argument:
            return f"trim_scale({argument})"
        return argument

    def render(self, name, order=None):
        """Returns the call of an aggregate, as text."""
        distinct = "DISTINCT " if self.distinct else ""
        order = self.order if order is None else order
        return f"{name}({distinct}{self.argument}{order}){self.filter}"


def draw_condition(rng):
    """Returns a condition over a row of r."""
    number = rng.randint(-1000, 1000)
    return rng.choice([
        f"r.i4 > {number}", f"r.i2 < {number}", f"r.id % {rng.randint(2, 9)} = 1",
        f"r.k1 < {rng.randrange(4)}", "r.k3 IS NOT NULL", "r.k3 = 'p'", "r.b",
        "r.s LIKE 'a%'", f"r.f8 < {number}", "r.e >= 'second'",
        f"r.d > '{rng.randint(1900, 2100)}-06-15'", "r.n IS NOT NULL",
        "r.v > '1 day'", f"r.id > {rng.randrange(1000)}", "r.i8 % 3 <> 0"])


class Query:
    """A query: its settings, and the parts of its text."""

    def __init__(self, rng, settings=None):
        self.window = rng.random() < 0.2
        self.settings = settings or draw_settings(rng)
        self.rerun = (draw_settings(rng)
                      if not self.window and rng.random() < 0.3 else None)
        self.source = draw_source(rng, self.window)
        self.where = f"WHERE {draw_condition(rng)}" if rng.random() < 0.35 else ""
        if rng.random() < 0.02:
            self.where = "WHERE false"
        self.keys, self.grouping = ("r.id", "") if self.window else draw_groups(rng)
        self.lateral = not self.window and rng.random() < 0.08
        if self.lateral:
            self.keys, self.grouping = "true", ""
        if self.keys in ("r.id", "r.k2") and not self.window:
            # a request to the device process for each of very many groups
            self.settings["warpagg.min_device_rows"] = "100"
        self.frame = draw_frame(rng) if self.window else ""
        self.calls = [Call(rng, self) for _ in range(rng.randint(1, 5))]
        self.having = None
        if self.grouping and rng.random() < 0.15:
            self.having = rng.choice([
                "{p}count(*) > 3", "{p}max(r.i4) > 0", "{p}avg(r.i8) < 1000",
                "{p}sum(r.cents) > 0", "{p}count(r.s) > {p}count(r.n)"])

    def oracle(self, call):
        """Returns the oracle of a call, where nothing is a window."""
        if not call.is_float:
            return call.render(call.function)
        order = None if call.distinct else " ORDER BY md5(r.id::text)"
        return call.render("gpu_" + call.function, order)

    def results(self, side, calls):
        """Returns the expressions of the result: of both sides or of one."""
        parts = []
        for call in calls:
            if side in ("builtin", "both"):
                parts.append(self.oracle(call) + "::text")
            if side in ("gpu", "both"):
                parts.append(call.render("gpu_" + call.function) + "::text")
            if call.array and side == "both":
                parts.append(call.render("array_agg"))
        return ", ".join(parts)

    def render_window(self, side, calls):
        """Returns the text of a query with windows.

        The oracle of floats is the aggregate over the rows of each frame, which
        an inner query collects in an array.
        """
        inner = ["r.id"]
        outer = ["w.id"]
        for place, call in enumerate(calls):
            name = call.function
            oracle = f"w.b{place}::text"
            if call.is_float:
                name = "array_agg"
                oracle = (f"(SELECT gpu_{call.function}(y)::text "
                          f"FROM unnest(w.b{place}) y)")
            if side in ("builtin", "both"):
                inner.append(f"{call.render(name)} OVER ({self.frame}) AS b{place}")
                outer.append(oracle)
            if side in ("gpu", "both"):
                inner.append(f"{call.render('gpu_' + call.function)} OVER "
                             f"({self.frame}) AS g{place}")
                outer.append(f"w.g{place}::text")
        return (f"SELECT {', '.join(outer)} FROM (SELECT {', '.join(inner)} "
                f"FROM {self.source} {self.where}) w")

    def render(self, side="both", calls=None):
        """Returns the text of the query: both sides of each pair, or one."""
        calls = self.calls if calls is None else calls
        if self.window:
            return self.render_window(side, calls)
        results = self.results(side, calls)
        having = ""
        if self.having:
            sides = {"both": ["", "gpu_"], "builtin": [""], "gpu": ["gpu_"]}[side]
            conditions = [self.having.format(p=prefix) for prefix in sides]
            having = f" HAVING {' OR '.join(conditions)}"
            if side == "both":
                results += "".join(f", ({c})::text" for c in conditions)
        if self.lateral:
            condition = f"{self.where} AND" if self.where else "WHERE"
            return (f"SELECT o.id, l.* FROM wa_random.tiny o, LATERAL (SELECT "
                    f"{results} FROM {self.source} {condition} r.k1 = o.k1) l")
        return (f"SELECT {self.keys}, {results} FROM {self.source} "
                f"{self.where}{self.grouping}{having}")

    def columns(self):
        """Returns how many leading columns are keys."""
        return 1 if self.window or self.lateral else self.keys.count(",") + 1


def draw_settings(rng):
    """Returns settings that lead the same query different ways."""
    workers = rng.choice([0, 0, 1, 2, 3])
    cost = "0" if workers else "1000"
    way = rng.choice(["", "hash", "sort"])
    return {
        "max_parallel_workers_per_gather": str(workers),
        "parallel_setup_cost": cost,
        "parallel_tuple_cost": "0" if workers else "0.1",
        "min_parallel_table_scan_size": "0" if workers else "'8MB'",
        "parallel_leader_participation": rng.choice(["on", "on", "off"]),
        "enable_hashagg": "off" if way == "sort" else "on",
        "enable_sort": "off" if way == "hash" else "on",
        "work_mem": rng.choice(["'4MB'", "'4MB'", "'64kB'"]),
        "hash_mem_multiplier": rng.choice(["1", "2"]),
        "warpagg.min_device_rows": rng.choice(["0", "1", "100", "65536"]),
        "warpagg.buffer_memory": rng.choice(["'64MB'", "'64MB'", "'64kB'"]),
        "enable_hashjoin": rng.choice(["on", "on", "off"]),
        "jit": "off",
    }


def draw_source(rng, window):
    """Returns what follows FROM, with a row named r."""
    names = ["tiny", "middle"] if window else ["tiny", "middle", "large"]
    name = "wa_random." + rng.choice(names)
    other = "wa_random." + rng.choice(names)
    limit = rng.choice([0, 1, 2, 30, 500])
    if window:
        limit = min(limit, 300)
        return f"(SELECT * FROM {name} ORDER BY id LIMIT {limit or 200}) r"
    return rng.choice([
        f"{name} r",
        f"{name} r",
        f"(SELECT * FROM {name} ORDER BY id % 7, id LIMIT {limit}) r",
        f"(SELECT * FROM {name} UNION ALL SELECT * FROM {other}) r",
        f"{name} r JOIN wa_random.tiny q ON q.id = r.id % 37",
        f"wa_random.tiny q LEFT JOIN {name} r ON r.id % 41 = q.id",
        f"{name} r LEFT JOIN LATERAL (SELECT u.s AS us FROM wa_random.tiny u "
        f"WHERE u.k1 = r.k1 ORDER BY u.id LIMIT 2) q ON true",
        f"{name} r, generate_series(1, 2) g",
    ])


def draw_groups(rng):
    """Returns the keys to select and the GROUP BY clause."""
    key = rng.choice(["r.k1", "r.k2", "r.k3", "r.e", "r.b", "r.id % 50", "r.id",
                      "r.k1, r.k3", "r.k3, r.b, r.e", "", ""])
    if not key:
        return "true", ""
    if "," in key and rng.random() < 0.5:
        way = rng.choice(["ROLLUP", "CUBE", "GROUPING SETS"])
        return key, f" GROUP BY {way} ({key})"
    if rng.random() < 0.1:
        return key, f" GROUP BY GROUPING SETS (({key}), ())"
    return key, f" GROUP BY {key}"


def draw_frame(rng):
    """Returns the definition of a window."""
    partition = rng.choice(["", "", "PARTITION BY r.k1 ", "PARTITION BY r.k3 "])
    mode = rng.choice(["ROWS", "ROWS", "RANGE", "GROUPS"])
    order = "r.id" if mode == "ROWS" else "r.k2"
    begin = rng.choice(["UNBOUNDED PRECEDING", "20 PRECEDING", "3 PRECEDING",
                        "CURRENT ROW", "1 FOLLOWING"])
    ends = ["CURRENT ROW", "2 FOLLOWING", "10 FOLLOWING", "UNBOUNDED FOLLOWING"]
    if begin.endswith("PRECEDING"):
        ends += ["1 PRECEDING"]
    if begin == "1 FOLLOWING":
        ends.remove("CURRENT ROW")
    exclude = rng.choice([""] * 5 + [" EXCLUDE CURRENT ROW", " EXCLUDE TIES"])
    return (f"{partition}ORDER BY {order} {mode} BETWEEN {begin} AND "
            f"{rng.choice(ends)}{exclude}")
