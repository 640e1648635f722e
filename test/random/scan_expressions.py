"""Random expressions and conditions over a row of the tables of scan_tables.py."""

import scan_tables
from tables import quote

# kind: the columns that have it
COLUMNS_OF = {
    "smallint": ["i2", "k2"], "integer": ["i4", "k1", "id", "k1"],
    "bigint": ["i8", "late"], "real": ["f4"], "double precision": ["f8"],
    "numeric": ["n", "cents", "cents", "wide", "late_n"], "boolean": ["b"],
    "date": ["d", "late_d"], "time": ["t"], "timestamp": ["ts"],
    "timestamptz": ["tz"], "text": ["s", "late_s", "w"], "varchar": ["vc"],
    "bpchar": ["bp"], "money": ["m"], "oid": ["o"], "interval": ["v"],
}

# kind: its largest value
INTEGERS = {"smallint": 2**15 - 1, "integer": 2**31 - 1, "bigint": 2**63 - 1}

# kinds that have values which are equal and look different
TWINS = {"real", "double precision", "numeric", "interval"}

UNITS = ["minute", "hour", "day", "week", "month", "quarter", "year"]

# The operations of a kind over X and Y, expressions of the kind that stands
# before the colon; C is a small constant.  A third part is the error that the
# operation may raise; most of those of the tables with values at the edges do.
OPERATIONS = {
    "smallint": """
        smallint: X % C::smallint
        smallint: X / 2::smallint
        smallint: X + Y | smallint out of range
        integer: (X % 30000)::smallint
        integer: X::smallint | smallint out of range
        smallint: X & Y
        smallint: ~X
        smallint: X # 5::smallint
        date: NULLIF(extract(isodow FROM X), 'infinity')::smallint
        smallint: GREATEST(X, Y)""",
    "integer": """
        integer: X / C
        integer: X % C
        smallint: X * C
        smallint: X::integer
        integer: -(X / 2)
        integer: abs(X / 3)
        text: length(X)
        bigint: (X % 1000)::integer
        date: extract(doy FROM X)::integer
        integer: X + C | integer out of range
        integer: X - Y | integer out of range
        integer: X * Y | integer out of range
        integer: X / (k2 % C) | division by zero
        integer: X % (k1 % 5) | division by zero
        bigint: X::integer | integer out of range
        double precision: X::integer | integer out of range
        integer: X & Y
        integer: X | C
        integer: X # C
        integer: ~X
        integer: X << 3
        integer: X >> 2
        integer: GREATEST(X, C, Y)
        integer: LEAST(X, C)
        integer: mod(X, C)
        integer: sign(X)::integer
        numeric: scale(X)
        double precision: width_bucket(X, -1000, 1000, 20) | operand, lower bound, and upper bound cannot be NaN
        text: octet_length(X)
        text: strpos(X, 'a')
        text: ascii(X)
        text: hashtext(X)
        date: X - date '2020-02-29' | cannot subtract infinite dates
        timestamp: CASE WHEN isfinite(X) THEN extract(hour FROM X - interval '7 minutes')::integer END | timestamp out of range
        timestamptz: to_char(X, 'HH24')::integer | invalid input syntax for type integer: ""
        text: X::integer | invalid input syntax for type integer: """"",
    "bigint": """
        bigint: X / C
        bigint: X % C
        integer: X::bigint * 1000003
        integer: X::bigint - k2
        integer: X + 5000000000
        bigint: X + C | bigint out of range
        bigint: X * k1 | bigint out of range
        bigint: -X | bigint out of range
        bigint: X / k1 | division by zero
        bigint: X & Y
        bigint: X >> 7
        bigint: abs(X) | bigint out of range
        bigint: LEAST(X, Y)
        timestamp: CASE WHEN isfinite(X) THEN extract(epoch FROM X)::bigint / 300 * 300 END | cannot convert infinity to bigint
        timestamptz: CASE WHEN isfinite(X) THEN floor(extract(epoch FROM X) / 900)::bigint * 900 END | cannot convert infinity to bigint""",
    "real": """
        real: -X
        real: abs(X)
        real: X + 1::real | value out of range: overflow
        real: X * 10::real | value out of range: overflow
        double precision: X::real | value out of range: overflow, value out of range: underflow
        real: sign(X)::real
        numeric: X::real | value out of range: overflow, "" is out of range for type real""",
    "double precision": """
        double precision: -X
        double precision: abs(X)
        double precision: X + C
        double precision: floor(X)
        double precision: ceil(X)
        double precision: floor(X / C) | value out of range: underflow
        double precision: X * 0.01 | value out of range: underflow
        double precision: X * Y | value out of range: overflow, value out of range: underflow
        double precision: X / Y | value out of range: overflow, value out of range: underflow, division by zero
        real: X::double precision
        integer: X::double precision
        bigint: X / 3.0::float8
        bigint: (X / 1000.0)::double precision
        numeric: (X / 7)::double precision | "" is out of range for type double precision
        integer: X / (k1 % C)::float8 | division by zero
        double precision: round(X)
        double precision: trunc(X)
        double precision: sqrt(abs(X))
        double precision: sign(X)
        double precision: X ^ 2 | value out of range: overflow, value out of range: underflow
        double precision: ln(abs(X) + 1)
        timestamptz: date_part('minute', X)
        timestamp: floor(date_part('epoch', X) / 60) * 60
        double precision: GREATEST(X, Y)""",
    "numeric": """
        numeric: X + C
        numeric: X - Y
        numeric: X * 2.50
        numeric: X * (1 - late_n)
        numeric: -X
        numeric: abs(X)
        numeric: round(X, 2)
        numeric: trunc(X, 1)
        numeric: floor(X)
        numeric: ceil(X)
        numeric: floor(X / C)
        numeric: floor(X / -0.07)
        numeric: floor(X * 1000000000000 / 300)
        numeric: X + 123456789012345678901234.5
        numeric: X - 0.0000000000000000000000
        integer: X * 10000000000000000000.00
        numeric: X % C
        numeric: X / C
        integer: X * 0.01
        bigint: X::numeric
        real: X::numeric
        timestamp: extract(epoch FROM X)
        date: extract(dow FROM X)
        numeric: X / (k1 % C) | division by zero
        numeric: X::numeric(20,4) | numeric field overflow
        numeric: trunc(X, 2)
        numeric: trunc(X)
        numeric: mod(X, C)
        numeric: div(X, C)
        numeric: sign(X)
        numeric: round(X / C, 2)
        numeric: round(X / 100, 4)
        numeric: round(X * 100 / C)
        numeric: floor(X / C) * C
        numeric: ceil(X / 0.25)
        numeric: LEAST(X, Y)
        numeric: round(X, -1)
        numeric: X / NULLIF(late_n, 0)
        numeric: round(X / Y, 3) | division by zero
        numeric: X % Y | division by zero
        numeric: sqrt(abs(X))
        numeric: X - mod(X, 5)
        date: extract(epoch FROM X)
        timestamptz: extract(dow FROM X)
        timestamptz: extract(minute FROM X)
        timestamp: extract(epoch FROM X - timestamp '2001-01-01') | cannot subtract infinite timestamps""",
    "boolean": """
        integer: X > C
        bigint: X % 2 = 0
        text: X LIKE 'a%'
        text: X ILIKE '%A'
        text: X ~ '^[a-c]'
        text: starts_with(X, 'a')
        text: X NOT LIKE '%b%'
        date: X IN ('2020-01-01', '2001-02-03')
        timestamp: extract(isodow FROM X) IN (6, 7)
        integer: X IS DISTINCT FROM Y
        text: X IS NOT DISTINCT FROM Y
        numeric: X IS DISTINCT FROM Y
        integer: X = ANY (ARRAY[1, 2, 3, NULL])
        integer: X <> ALL (ARRAY[C, 7])
        timestamp: X < timestamptz '2020-06-01 12:00:00+02'
        timestamptz: X >= date '2019-03-31'
        date: X <= timestamptz '2021-10-31 02:30:00+01'
        integer: (X > C) IS NOT TRUE
        text: X < 'b' COLLATE "de-x-icu"
        numeric: X / C > 5
        numeric: X < -12345678901234567890.0123456789
        numeric: X * 10000000000 BETWEEN -98765432109876543210 AND 98765432109876543210
        text: X SIMILAR TO '(a|b)%'""",
    "date": """
        timestamp: X::date
        timestamptz: X::date
        date: X + k1 | date out of range
        date: X - C | date out of range
        date: X + 7 | date out of range
        timestamp: date_trunc('UNIT', X)::date | date out of range for timestamp
        timestamptz: (X AT TIME ZONE 'Asia/Kolkata')::date | date out of range for timestamp
        date: (X + interval '1 month')::date | date out of range, date out of range for timestamp, timestamp out of range
        date: CASE WHEN isfinite(X) THEN make_date(LEAST(extract(year FROM X)::integer, 9999), 1, 1) END | cannot convert infinity to integer
        date: GREATEST(X, Y)""",
    "time": """
        timestamp: X::time
        time: X + interval '1 hour'""",
    "timestamp": """
        timestamp: date_trunc('UNIT', X)
        timestamp: date_trunc('UNIT', X)
        timestamp: date_trunc('century', X) | timestamp out of range
        timestamptz: X::timestamp
        date: X::timestamp | date out of range for timestamp
        timestamp: X + interval '36 hours' | timestamp out of range
        timestamp: X - interval '1 month' | timestamp out of range
        timestamp: date_trunc('UNIT', X + interval '1 day') + interval '-1 day' | timestamp out of range
        timestamp: date_bin('17 minutes', X, timestamp '2001-01-01') | timestamp out of range, interval out of range
        timestamp: date_bin('2 days', X, timestamp '2001-01-03') | timestamp out of range, interval out of range
        timestamptz: X AT TIME ZONE 'America/St_Johns' | timestamp out of range
        timestamptz: date_trunc('UNIT', X AT TIME ZONE 'Australia/Lord_Howe') | timestamp out of range
        timestamptz: date_trunc('UNIT', X)::timestamp | timestamp out of range
        date: X + interval '90 minutes' | date out of range for timestamp, timestamp out of range
        date: date_trunc('UNIT', X::timestamp) | date out of range for timestamp
        timestamp: date_trunc('minute', X) - COALESCE(mod(extract(minute FROM X)::integer, 5), 0) * interval '1 minute'
        timestamp: LEAST(X, Y)""",
    "timestamptz": """
        timestamptz: date_trunc('UNIT', X)
        timestamptz: date_trunc('day', X, 'Asia/Tokyo')
        timestamp: X::timestamptz | timestamp out of range
        timestamptz: date_trunc('UNIT', X, 'America/St_Johns') | timestamp out of range
        timestamp: X AT TIME ZONE 'Europe/Berlin' | timestamp out of range
        timestamptz: X + interval '1 day' | timestamp out of range
        timestamptz: date_trunc('UNIT', X + interval '1 day') - interval '1 day' | timestamp out of range
        date: X::timestamptz | date out of range for timestamp
        bigint: to_timestamp(X % 4000000000)
        bigint: to_timestamp(X % 4000000000000 / 1000.0)
        timestamptz: date_bin('15 minutes', X, timestamptz '2001-01-01') | timestamp out of range, interval out of range
        timestamptz: date_trunc('hour', X AT TIME ZONE 'Asia/Kathmandu') AT TIME ZONE 'Asia/Kathmandu' | timestamp out of range""",
    "text": """
        text: upper(X)
        text: substr(X, 1, 2)
        text: X || k1
        varchar: X::text
        bpchar: X::text
        integer: X::text
        text: left(X, C)
        date: to_char(X, 'YYYY')
        text: lower(X)
        text: replace(X, 'a', 'bb')
        text: concat(X, '-', Y)
        text: split_part(X, ' ', 1)
        timestamp: to_char(X, 'YYYY-MM-DD')
        timestamptz: to_char(date_trunc('UNIT', X), 'YYYY-MM-DD HH24:MI')
        timestamp: to_char(X, 'HH24:MI:SS')
        numeric: X::text
        boolean: X::text
        date: X::text
        text: md5(X)
        text: right(X, 2)
        text: btrim(X)
        text: nullif(X, 'a')
        text: reverse(X)
        integer: to_char(X, '999')""",
    "varchar": """
        text: left(X, 5)::varchar""",
    "bpchar": """
        text: left(X, 6)::char(6)
        bpchar: upper(X)::char(6)""",
    "money": """
        money: X - Y
        money: X * 2
        money: X / C""",
    "oid": """
        integer: abs(X / 2)::oid""",
    "interval": """
        interval: -X
        interval: X * 2
        interval: X / C
        timestamp: X - timestamp '2000-01-01' | cannot subtract infinite timestamps""",
}


def parse(text):
    """Returns a kind's list of (kind of X, operation, errors)."""
    result = []
    for line in text.strip().split("\n"):
        kind, rest = line.strip().split(": ", 1)
        operation, _, errors = rest.partition(" | ")
        result.append((kind, operation, errors.split(", ") if errors else []))
    return result


OPERATIONS = {kind: parse(text) for kind, text in OPERATIONS.items()}
ORDERED = [kind for kind in COLUMNS_OF if kind != "boolean"]


class Expressions:
    """Draws expressions; remembers parameters, and errors that they may raise."""

    def __init__(self, rng, samples, is_prepared):
        self.rng = rng
        self.samples = samples
        self.is_prepared = is_prepared
        self.risk = rng.choice([0, 0, 0.1, 1])
        self.depth = rng.choice([0, 0, 1, 1, 2])
        self.kinds = list(COLUMNS_OF)
        if rng.random() < 0.8:
            self.kinds.remove("interval")
        self.parameters = []
        self.errors = set()

    def constant(self, column):
        """Returns a value like those of a column, which may be a subselect's."""
        text = self.plain_constant(column)
        return f"(SELECT {text})" if self.rng.random() < 0.1 else text

    def plain_constant(self, column):
        """Returns a value like those of a column: a literal or a parameter."""
        kind = scan_tables.TYPES[column]
        values = self.samples[column] or ["0"]
        text = f"{quote(self.rng.choice(values))}::{kind}"
        if kind in ("smallint", "integer", "bigint") and self.rng.random() < 0.5:
            text = str(self.rng.choice([0, 1, 2, 5, 100, 1000]))
            kind = "integer"
        if self.is_prepared and self.rng.random() < 0.6:
            if self.rng.random() < 0.05:
                text = "NULL"
            self.parameters.append((kind, text))
            return f"${len(self.parameters)}"
        return text

    def column(self, kind):
        """Returns a column of a kind."""
        return self.rng.choice(COLUMNS_OF[kind])

    def draw(self, kind, depth=None):
        """Returns an expression of a kind."""
        depth = self.depth if depth is None else min(depth, self.depth)
        if depth == 0 or self.rng.random() < 0.5:
            return self.column(kind)
        if self.rng.random() < 0.3:
            return self.draw_general(kind, depth - 1)
        of, operation, errors = self.rng.choice(OPERATIONS[kind])
        if errors and self.rng.random() > self.risk:
            return self.column(kind)
        self.errors.update(errors)
        text = operation.replace("UNIT", self.rng.choice(UNITS))
        # X last: what replaces it may hold any of the letters
        places = {"C": str(self.rng.randint(1, 99)), "Y": None, "X": None}
        parts = []
        for token in split(text):
            if token == "C":
                parts.append(places["C"])
            elif token in ("X", "Y"):
                parts.append(self.draw(of, depth - 1))
            else:
                parts.append(token)
        return f"({''.join(parts)})"

    def provoke(self):
        """Returns the kind and text of an expression that some rows fail in.

        At times it is guarded, so that these rows never come there.
        """
        rng = self.rng
        kind, text, guard, error = rng.choice([
            ("integer", "i4 / (id % C)", "id % C <> 0", "division by zero"),
            ("integer", "id % (k2 - C)", "k2 <> C", "division by zero"),
            ("integer", "2147483647 - C + k1", "k1 <= C", "integer out of range"),
            ("integer", "id * 2147483", "id < 1000", "integer out of range"),
            ("bigint", "9223372036854775807 - C + k1", "k1 <= C",
             "bigint out of range"),
            ("smallint", "k2 * 300::smallint", "k2 BETWEEN -99 AND 99",
             "smallint out of range"),
            ("double precision", "f8 / (k2 - C)::float8", "k2 <> C",
             "division by zero, value out of range: overflow, "
             "value out of range: underflow"),
            ("numeric", "cents / (id % C)", "id % C <> 0", "division by zero")])
        self.errors.update(error.split(", "))
        number = str(rng.randint(3, 300))
        text = text.replace("C", number)
        if rng.random() < 0.5:
            text = f"CASE WHEN {guard.replace('C', number)} THEN {text} END"
        return kind, f"({text})"

    def shift(self, kind):
        """Returns an expression of integers, of a kind, plus or minus a constant.

        Nothing small that is added to a value of a narrower type raises an error.
        """
        rng = self.rng
        kinds = list(INTEGERS)
        narrower = kinds[:kinds.index(kind)]
        value = str(rng.randint(-99, 99))
        if not narrower or rng.random() < self.risk:
            of, added = kind, rng.choice([kind, *narrower])
            value = rng.choice([value, value, str(INTEGERS[added])])
            self.errors.add(f"{kind} out of range")
        else:
            of, added = rng.choice(narrower), kind
        constant = f"({value})::{added}"
        if self.is_prepared and rng.random() < 0.5:
            self.parameters.append((added, constant))
            constant = f"${len(self.parameters)}"
        text = rng.choice(["X + C", "X - C", "C + X", "C - X"]
                          + (["-X"] if of == kind else []))
        operand = self.draw(of, 1)
        return "(" + text.replace("C", constant).replace("X", operand) + ")"

    def draw_general(self, kind, depth):
        """Returns an expression that there is for any kind."""
        first = self.draw(kind, depth)
        second = self.draw(kind, depth)
        some = self.constant(self.column(kind))
        return self.rng.choice([
            f"CASE WHEN {self.condition(depth)} THEN {first} ELSE {second} END",
            f"CASE WHEN {self.condition(depth)} THEN {first} END",
            f"COALESCE({first}, {second})", f"COALESCE({first}, {some})",
            f"NULLIF({first}, {some})"])

    def condition(self, depth=None):
        """Returns a condition: a tree of AND, OR and NOT."""
        depth = self.depth if depth is None else depth
        dice = self.rng.random()
        if depth > 0 and dice < 0.2:
            word = self.rng.choice(["AND", "AND", "OR"])
            count = self.rng.randint(2, 3)
            return "(" + f" {word} ".join(self.condition(depth - 1)
                                          for _ in range(count)) + ")"
        if depth > 0 and dice < 0.27:
            return f"NOT {self.condition(depth - 1)}"
        return f"({self.leaf(depth)})"

    def leaf(self, depth):
        """Returns a condition without AND, OR and NOT."""
        rng = self.rng
        kind = rng.choice(self.kinds)
        column = self.column(kind)
        if rng.random() < 0.25:
            return rng.choice([f"k1 = {rng.choice([0, 0, 1, 2])}", "k1 IN (0, 2, 3)",
                               f"k2 < {self.constant('k2')}", "s IN ('', 'a', 'b')",
                               f"id % {rng.randint(2, 9)} = 1", "k1 <> 0"])
        operand = self.draw(kind, depth - 1) if depth > 0 else column
        dice = rng.random()
        if dice < 0.12:
            return f"{operand} IS {rng.choice(['', 'NOT '])}NULL"
        if kind == "boolean" or dice < 0.16:
            boolean = self.draw("boolean", 0)
            return rng.choice([boolean, f"{boolean} IS TRUE",
                               f"{boolean} IS NOT FALSE", f"{boolean} = true",
                               f"{boolean} IS UNKNOWN"])
        if dice < 0.3:
            low, high = self.constant(column), self.constant(column)
            word = rng.choice(["BETWEEN", "BETWEEN SYMMETRIC",
                               "BETWEEN SYMMETRIC", "NOT BETWEEN"])
            return f"{operand} {word} {low} AND {high}"
        if dice < 0.45:
            count = rng.choice([rng.randint(1, 40), rng.randint(90, 150)])
            some = [self.constant(column) for _ in range(count)]
            if rng.random() < 0.1:
                some.append("NULL")
            word = rng.choice(["IN", "NOT IN"])
            return f"{operand} {word} ({', '.join(some)})"
        sign = rng.choice(["=", "<>", "<", "<", "<=", ">", ">", ">="])
        if dice < 0.6:
            return f"{operand} {sign} {self.draw(kind, 1)}"
        if dice < 0.66:
            return rng.choice([f"i4 {sign} i8", f"i2 {sign} i4", f"d {sign} ts",
                               f"ts {sign} tz", f"f4 {sign} f8",
                               f"s {sign} vc", "d < ts::date", "bp = s"])
        return f"{operand} {sign} {self.constant(column)}"


def split(text):
    """Splits an operation so that X, Y and C, as words, are parts of their own."""
    parts, word = [], ""
    for letter in text:
        if letter.isalnum() or letter in "_'.":
            word += letter
        else:
            parts += [word, letter]
            word = ""
    return parts + [word]
