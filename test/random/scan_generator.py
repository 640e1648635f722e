"""Random aggregate queries over one table of scan_tables.py or scan_partitions.py.

A query has two sides.  Both are the same text, but for built-in aggregates over
floats under warpagg.accelerate = all: from the node, these return what the gpu_
aggregates do, so those are the other side.
"""

import re

from scan_expressions import COLUMNS_OF, INTEGERS, ORDERED, TWINS, Expressions
from scan_tables import COARSE, TABLES

NUMBERS = ("sum avg min max count var_pop var_samp variance stddev_pop "
           "stddev_samp stddev").split()
SUMMED = {"smallint", "integer", "bigint", "real", "double precision",
          "numeric", "money", "interval"}
SUMMED_OFTEN = ["smallint", "integer", "integer", "bigint", "bigint", "numeric",
                "numeric", "numeric", "real", "double precision", "money"]
FLOATS = {"real", "double precision"}
EXACT = {"min", "max", "count"}
OVER_BOOLEANS = ["bool_and", "bool_or", "every"]
OVER_BITS = ["bit_and", "bit_or", "bit_xor"]
RANKED = ["percentile_disc", "percentile_cont", "mode"]
OF_PAIRS = ["corr", "covar_pop", "covar_samp", "regr_count", "regr_avgx", "regr_avgy",
            "regr_sxx", "regr_syy", "regr_sxy", "regr_slope", "regr_intercept", "regr_r2"]

# Aggregates that their own functions compute, of values that look the same where they are
# equal, and the same whatever order their rows come in.
OTHERS = ["array_agg({0} ORDER BY {0})", "array_agg(DISTINCT {0})",
          "array_agg({0} ORDER BY {0} DESC NULLS LAST)", "jsonb_agg({0} ORDER BY {0})",
          "string_agg(({0})::text, ',' ORDER BY ({0})::text COLLATE \"C\")",
          "string_agg(DISTINCT ({0})::text, '; ')",
          "count(DISTINCT ({0}, 1))", "bit_xor(hashtext(({0})::text)::bit(32))"]
OTHERS_OF_INTEGERS = ["bit_or(({0})::bigint::bit(64))", "regr_count({0}, {0})",
                      "rank(5) WITHIN GROUP (ORDER BY ({0})::bigint)"]

# what the node must leave to PostgreSQL, which has to go on working
LEFT_ALONE = {
    "order": "",
    "subselect": "k1 IN (SELECT u.k1 FROM wa_scan.few u WHERE u.k1 < 3)",
    "initplan": "k1 <= (SELECT avg(u.k1) FROM wa_scan.few u)",
    "volatile": "random() >= 0", "sample": "", "ctid": "ctid >= '(1,2)'",
}

# the same, of tables with partitions
LEFT_ALONE_PARTS = {**LEFT_ALONE, "tableoid": "tableoid <> 0"}

KEYS = ["smallint", "integer", "integer", "boolean", "date", "text", "varchar",
        "bpchar", "numeric", "timestamp", "timestamptz", "bigint", "oid", "time",
        "double precision", "real", "money", "interval"]

# whose values aggregates with DISTINCT take
GROUPED = set(KEYS) - {"interval"}


class Call:
    """An aggregate of the family over an expression."""

    def __init__(self, query, expressions):
        rng = query.rng
        self.kind = rng.choice([kind for kind in [*SUMMED_OFTEN, *COLUMNS_OF]
                                if kind in expressions.kinds])
        functions = ["count"]
        if self.kind in ORDERED:
            functions += ["min", "max"]
        if self.kind in SUMMED:
            functions += ["sum"] * 3
        if self.kind in SUMMED - {"money"}:
            functions += ["avg"]
        if self.kind in SUMMED - {"money", "interval"}:
            functions += [f for f in NUMBERS if f not in functions]
        if query.family != "gpu" and self.kind == "boolean":
            functions += OVER_BOOLEANS
        if query.family != "gpu" and self.kind in INTEGERS:
            functions += OVER_BITS
        self.function = rng.choice(functions)
        self.is_ours = {"gpu": True, "builtin": False}.get(
            query.family, rng.random() < 0.5)
        self.argument = expressions.draw(self.kind)
        if self.kind in INTEGERS and rng.random() < 0.2:
            self.argument = expressions.shift(self.kind)
        if rng.random() < 0.03:
            kind, text = expressions.provoke()
            if kind == self.kind or self.function == "count":
                self.argument = text
        if self.function == "count" and rng.random() < 0.5:
            self.argument = "*"
        self.is_array = self.function in ("min", "max") and rng.random() < 0.1
        if self.is_array:
            self.argument = f"ARRAY[{self.argument}]"
        self.modifier = ""
        if query.left_alone == "order" and self.argument != "*":
            self.modifier = " ORDER BY id, ctid"
        self.distinct = ""
        if (not query.left_alone and self.argument != "*" and not self.is_array
                and self.kind in GROUPED and rng.random() < 0.12):
            self.distinct = "DISTINCT "
        # Which of equal numbers is taken tells how many digits a quotient has.
        if self.kind in TWINS and self.function not in {"count", "sum", "min", "max"}:
            self.distinct = ""
        self.fractions = self.direction = ""
        if (not query.left_alone and self.argument != "*" and not self.is_array
                and self.kind in GROUPED and rng.random() < 0.12):
            self.draw_ranked(rng)
        if (not query.left_alone and not self.is_array and self.function in NUMBERS
                and self.argument != "*" and self.kind in SUMMED - {"money", "interval"}
                and rng.random() < 0.1):
            self.draw_pair(query, expressions)
        self.other = ""
        if (not query.left_alone and not query.sets and self.argument != "*"
                and not self.is_array and self.function not in OF_PAIRS
                and self.kind in GROUPED - TWINS - {"bpchar", "money"}
                and rng.random() < 0.06):
            self.draw_other(rng)
        self.filter = ""
        if rng.random() < 0.25:
            self.filter = f" FILTER (WHERE {expressions.condition()})"

    def draw_other(self, rng):
        """Makes it an aggregate that is not of the family."""
        self.other = rng.choice(OTHERS + OTHERS_OF_INTEGERS * (self.kind in INTEGERS))
        self.function = "count"
        self.is_array = True

    def draw_pair(self, query, expressions):
        """Makes it an aggregate of pairs, of this value and another one.

        PostgreSQL's own depend on the order of rows, and may be beside what has these sorted.
        """
        kinds = [kind for kind in SUMMED_OFTEN
                 if kind != "money" and kind in expressions.kinds]
        self.distinct = ""
        self.function = query.rng.choice(OF_PAIRS)
        self.second = expressions.draw(query.rng.choice(kinds))
        self.kind = "double precision"
        self.is_ours |= query.accelerate != "all"

    def draw_ranked(self, rng):
        """Makes it an aggregate over values in their order."""
        self.distinct = ""
        self.function = rng.choice(
            [name for name in RANKED
             if name != "percentile_cont" or self.kind in [*INTEGERS, *FLOATS, "numeric"]])
        fractions = [rng.choice(["0", "1", "0.5", "0.95", f"{rng.random():.3f}"])
                     for _ in range(rng.choice([1, 1, 1, 2, 3]))]
        if self.function != "mode":
            self.fractions = (fractions[0] if len(fractions) == 1
                              else f"ARRAY[{', '.join(fractions)}]::float8[]")
            self.is_array = len(fractions) > 1
        if self.function == "percentile_cont":
            self.kind = "double precision"
        self.direction = rng.choice(["", "", " DESC", " NULLS FIRST"])

    def depends_on_order(self, accelerate):
        """Tells whether the result depends on the order of rows."""
        return (self.kind in FLOATS and self.function not in [*EXACT, *RANKED]
                and not self.is_ours and accelerate != "all")

    def has_twins(self):
        """Tells whether the result may look different on the sides, and be equal."""
        return ((self.function in ["min", "max", *RANKED] or self.distinct)
                and self.kind in TWINS | {"bpchar"})

    def render(self, side, accelerate):
        """Returns the text of the call on a side, "on" or "off"."""
        is_ours = (self.is_ours
                   and self.function not in OVER_BOOLEANS + OVER_BITS)
        if (side == "off" and accelerate == "all" and self.kind in FLOATS
                and self.function not in EXACT):
            is_ours = True
        if self.other:
            return self.other.format(self.argument) + self.filter
        if self.function in RANKED:
            return (f"{'gpu_' if self.is_ours else ''}{self.function}({self.fractions}) "
                    f"WITHIN GROUP (ORDER BY {self.argument}{self.direction}){self.filter}")
        argument = self.argument
        if self.function in OF_PAIRS:
            argument += f", {self.second}"
        return (f"{'gpu_' if is_ours else ''}{self.function}({self.distinct}"
                f"{argument}{self.modifier}){self.filter}")


class Query:
    """A query: its settings, and the parts of its text.

    partitioned: None, or tables with partitions, and of each conditions by which some
    of them are left out, keys whose groups are in one of them each, and its share of
    the queries.
    """

    def __init__(self, rng, samples, partitioned=None):
        self.rng = rng
        self.partitioned = partitioned
        self.table = self.draw_table()
        self.family = rng.choice(["gpu", "builtin", "builtin", "mixed"])
        self.accelerate = rng.choice(
            ["exact", "all", "off" if self.family == "gpu" else "all"])
        self.left_alone = (rng.choice(self.left_alone_ways())
                           if rng.random() < 0.06 else None)
        self.way = rng.choice(["plain"] * 6 + ["prepared"] * 2 + ["cursor"])
        self.is_lateral = self.way == "plain" and rng.random() < 0.12
        self.expressions = self.make_expressions(samples)
        self.where = self.draw_where()
        self.keys, self.kinds = [], []
        self.draw_keys()
        self.is_distinct = False  # DISTINCT in place of GROUP BY
        self.sets = None  # a form of grouping sets
        self.calls = self.draw_calls()
        self.outputs = [self.draw_output(place)
                        for place in range(len(self.calls))]
        self.having = self.draw_having()
        # A sum of built-in floats depends on the order of the rows, so it is kept, on
        # both sides.
        self.keeps_order = any(
            call.depends_on_order(self.accelerate) for call in self.calls)
        if self.keeps_order:  # money cannot be hashed
            self.keys = [f"({key})::numeric" if kind == "money" else key
                         for key, kind in zip(self.keys, self.kinds)]
        self.without_limit = ""
        self.order = self.draw_order()
        self.executions = rng.choice([1, 2, 7]) if self.way == "prepared" else 1
        self.settings = self.draw_settings()
        self.has_twin_text = self.render("on") != self.render("off")

    def draw_table(self):
        """Returns the table that the query is over."""
        return self.rng.choice(
            [name for name, (_, _, share) in self.partitioned.items()
             for _ in range(share)] if self.partitioned else
            [name for name, (rows, _, _) in TABLES.items()
             for _ in range(12 if name in COARSE else 4 if rows > 1 else 1)])

    def left_alone_ways(self):
        """Returns what there is that the node leaves to PostgreSQL."""
        return list(LEFT_ALONE_PARTS if self.partitioned else LEFT_ALONE)

    def make_expressions(self, samples):
        """Returns what draws expressions over a row."""
        return Expressions(self.rng, samples, self.way == "prepared")

    def draw_calls(self):
        """Returns the aggregates: sometimes none, if there are keys."""
        if self.keys and not self.left_alone and self.rng.random() < 0.08:
            self.is_distinct = self.rng.random() < 0.6
            return []
        if self.keys and not self.left_alone and self.rng.random() < 0.07:
            self.sets = self.rng.choice(["ROLLUP ({})", "CUBE ({})",
                                         "GROUPING SETS (({}), ({first}), (), ({first}))"])
        calls = [Call(self, self.expressions)
                 for _ in range(self.rng.choice([1, 1, 2, 3, 4, 5]))]
        # Beside such an aggregate PostgreSQL's own functions may add the floats up.
        for call in calls if any(call.other for call in calls) else []:
            call.is_ours |= call.distinct != "" and call.kind in FLOATS
        return calls

    def draw_where(self):
        """Returns the condition of the query, or nothing."""
        conditions = []
        if LEFT_ALONE_PARTS.get(self.left_alone):
            conditions.append(LEFT_ALONE_PARTS[self.left_alone])
        if self.partitioned and self.rng.random() < 0.6:
            text = self.rng.choice(self.partitioned[self.table][0])
            conditions.append("(" + re.sub(
                r"\{(\w+)\}", lambda m: self.expressions.constant(m[1]), text) + ")")
        if self.rng.random() < (0.3 if self.partitioned else 0.6):
            conditions += [self.expressions.condition(self.expressions.depth + 1)
                           for _ in range(self.rng.choice([1, 1, 1, 2]))]
            if self.rng.random() < 0.1:
                _, text = self.expressions.provoke()
                conditions.append(f"{text} > 0")
        if self.is_lateral:
            conditions.append(self.rng.choice(
                ["k1 = o.x", "i4 > o.x", "k2 % 7 <= o.x", "n < o.x"]))
        if self.rng.random() < 0.02:
            conditions = ["false"]
        return f" WHERE {' AND '.join(conditions)}" if conditions else ""

    def draw_keys(self):
        """Draws the keys."""
        if self.partitioned and self.rng.random() < 0.25:
            for kind, key in self.partitioned[self.table][1]:
                self.kinds.append(kind)
                self.keys.append(key)
        for _ in range(self.rng.choice([0, 0, 0, 1, 1, 1, 2, 2, 3])):
            kind = self.rng.choice(KEYS)
            if (self.left_alone and kind in TWINS
                    or kind not in self.expressions.kinds):
                kind = "integer"
            key = self.expressions.draw(kind, self.rng.choice([0, 0, 1, 2]))
            self.keys.append(key)
            self.kinds.append(kind)

    def draw_output(self, place):
        """Returns the expression over a call that is selected, {} the call."""
        dice = self.rng.random()
        kind = self.calls[place].kind
        if dice > 0.2:
            return "{}"
        if (kind in ("smallint", "integer", "bigint", "numeric")
                and not self.calls[place].is_array):
            return self.rng.choice(["{} + 1", "round({}, 3)", "{} / 7",
                                    "{} IS NULL", "COALESCE({}, -1)",
                                    "({} + count(*))"])
        return self.rng.choice(["{} IS NOT NULL", "COALESCE({}::text, '-')"])

    def draw_having(self):
        """Returns a condition over groups, {} standing for a call."""
        if not self.calls or self.rng.random() > 0.2:
            return None
        count = self.rng.choice(["count(*)", "gpu_count(*)", "gpu_count(i4)"])
        return self.rng.choice([f"{count} > {self.rng.choice([0, 1, 3, 50])}",
                                f"{count} % 2 = 1", "{} IS NOT NULL",
                                f"sum(k1) > {self.rng.randint(0, 99)}",
                                "gpu_max(id) > gpu_min(id)"])

    def draw_order(self):
        """Returns ORDER BY over all keys, with or without a limit."""
        rng = self.rng
        if self.keeps_order or self.sets or rng.random() < 0.4:
            return ""
        places = list(range(1, len(self.keys) + 1))
        rng.shuffle(places)
        terms = [rng.choice(["{}", "{}", "{} DESC", "{} NULLS FIRST",
                             "{} DESC NULLS LAST"]).format(place)
                 for place in places]
        if self.calls and rng.random() < 0.5:
            terms.insert(0, self.draw_first_term())
        order = f" ORDER BY {', '.join(terms)}" if terms else ""
        self.without_limit = order
        if rng.random() < 0.5:
            order += f" LIMIT {rng.choice([0] + [1, 5, 30] * 5 + ['(1 + 2)'])}"
        if self.keys and rng.random() < 0.2:
            order += f" OFFSET {rng.choice([0, 1, 3])}"
        return order

    def draw_first_term(self):
        """Returns what comes before the keys in ORDER BY.."""
        rng = self.rng
        place = rng.randrange(len(self.calls))
        term = rng.choice([str(len(self.keys) + place + 1)] * 3
                          + ["count(*)", "count(*) % 7"])
        return term + rng.choice(["", " DESC", " NULLS FIRST",
                                  " DESC NULLS LAST"])

    def drop_limit(self):
        """Makes both sides compute all groups; tells whether that is new."""
        is_new = self.order != self.without_limit
        self.order = self.without_limit
        return is_new

    def draw_settings(self):
        """Returns settings that lead the query different ways."""
        rng = self.rng
        workers = 0 if self.keeps_order else rng.choice([0, 0, 0, 1, 2])
        way = "hash" if self.keeps_order else rng.choice(["", "", "hash", "sort"])
        memory = "64MB" if self.keeps_order else rng.choice(["4MB", "4MB", "64kB"])
        of_partitions = {}
        if self.partitioned:
            of_partitions = {
                "enable_partitionwise_aggregate": rng.choice(["on", "off"]),
                "enable_partition_pruning": rng.choice(["on", "on", "on", "off"]),
                "constraint_exclusion": rng.choice(["partition", "on", "off"]),
                "enable_parallel_append": rng.choice(["on", "off"]),
                "enable_async_append": "off" if self.keeps_order else "on",
            }
        return {
            **of_partitions,
            "max_parallel_workers_per_gather": workers,
            "parallel_setup_cost": 0 if workers else 1000,
            "parallel_tuple_cost": 0 if workers else 0.1,
            "min_parallel_table_scan_size": 0 if workers else "8MB",
            "enable_hashagg": "off" if way == "sort" else "on",
            "enable_sort": "off" if way == "hash" else "on",
            "enable_indexscan": "off" if self.keeps_order else "on",
            "enable_incremental_sort": "off" if self.keeps_order else "on",
            "work_mem": memory,
            "cpu_tuple_cost": rng.choice([0.01, 0.01, 1]),
            "warpagg.debug_spill_groups":
                rng.choice([0, 0, 1, 3, 20, 100, 1000]),
            # with auto each side chooses by its own costs, and PostgreSQL orders
            # clauses in another way where parameters have no values
            "plan_cache_mode":
                rng.choice(["force_custom_plan", "force_generic_plan"]),
            "synchronize_seqscans": "off",
            "timezone": rng.choice(["UTC", "America/New_York", "Asia/Kolkata"]),
            "jit": "off",
            "warpagg.accelerate": self.accelerate,
            "warpagg.min_device_rows": rng.choice([0, 100, 65536, 65536]),
        }

    def source(self):
        """Returns what follows FROM."""
        sample = ""
        if self.left_alone == "sample":
            sample = " TABLESAMPLE SYSTEM (60) REPEATABLE (3)"
        return f"wa_scan.{self.table}{sample}"

    def select(self, side):
        """Returns the query over the table."""
        calls = [call.render(side, self.accelerate) for call in self.calls]
        results = [output.replace("{}", call)
                   for output, call in zip(self.outputs, calls)]
        group = ""
        if self.keys and not self.is_distinct:
            group = ", ".join(str(i + 1) for i in range(len(self.keys)))
            if self.sets:
                keys = ", ".join(self.keys)
                group = self.sets.format(keys, first=self.keys[0])
                results.append(f"grouping({keys})")
            group = f" GROUP BY {group}"
        having = ""
        if self.having:
            having = f" HAVING {self.having.replace('{}', calls[0])}"
        distinct = "DISTINCT " if self.is_distinct else ""
        return (f"SELECT {distinct}{', '.join(self.keys + results)} FROM {self.source()}"
                f"{self.where}{group}{having}{self.order}")

    def render(self, side):
        """Returns the query on a side."""
        if self.is_lateral:
            return ("SELECT o.x, l.* FROM generate_series(-1, 3) o(x) CROSS JOIN "
                    f"LATERAL ({self.select(side)}) l")
        return self.select(side)

    def statements(self, side):
        """Returns the statements that run the query on a side, in turn."""
        text = self.render(side)
        if self.way == "cursor":
            return [f"DECLARE c NO SCROLL CURSOR FOR {text}", "FETCH 2 FROM c",
                    "FETCH ALL FROM c", "CLOSE c"]
        parameters = self.expressions.parameters
        if self.way == "prepared" and parameters:
            types = ", ".join(kind for kind, _ in parameters)
            return ([f"PREPARE p_{side} ({types}) AS {text}"]
                    + [self.execute(side)] * self.executions
                    + [f"DEALLOCATE p_{side}"])
        return [text]

    def execute(self, side):
        """Returns the statement that runs the prepared query."""
        values = ", ".join(text for _, text in self.expressions.parameters)
        return f"EXECUTE p_{side} ({values})"

    def explain(self, side):
        """Returns the statements that show the plan of a side."""
        prepared = self.statements(side)
        if prepared[0].startswith("PREPARE"):
            return [prepared[0], f"EXPLAIN (COSTS OFF) {self.execute(side)}",
                    prepared[-1]]
        if self.way == "cursor":
            return [f"EXPLAIN (COSTS OFF) {prepared[0]}"]
        return [f"EXPLAIN (COSTS OFF) {self.render(side)}"]

    def is_computed_by(self, plan):
        """Tells whether lines of a plan have the node, for the query's own table.

        A subselect's table has an alias, and a partition a name of its own.
        """
        return any(line.endswith(f"(WarpAgg) on {self.table}") for line in plan)

    def loose_errors(self):
        """Returns messages of errors that one side may have, and the other not."""
        return set()

    def twins(self):
        """Returns the places of results that may look different, and be equal."""
        first = 1 if self.is_lateral else 0
        keys = [first + place for place, kind in enumerate(self.kinds)
                if kind in TWINS | {"bpchar"}]
        first += len(self.keys)
        return keys + [first + place for place, call in enumerate(self.calls)
                       if call.has_twins()]

    def leave_floats(self):
        """Makes both sides one text, in one process: the node does not run it.

        Then the built-in sums of floats are the same, as they come from one plan.
        """
        self.settings["max_parallel_workers_per_gather"] = 0
        self.settings["warpagg.accelerate"] = self.accelerate = "off"
        if self.partitioned:  # rows of other servers come in any order
            self.settings["enable_async_append"] = "off"
        self.has_twin_text = False

    def is_ordered(self):
        """Tells whether the order of the result is given."""
        return not self.keys and not self.is_lateral or (
            "ORDER BY" in self.order and not self.is_lateral)


assert set(KEYS) <= set(COLUMNS_OF)
