"""Random tables that hold a column of every type of the gpu_ aggregates."""

import floats

NUMBERS = ("sum avg min max count var_pop var_samp variance stddev_pop "
           "stddev_samp stddev")
ORDERED = "min max count"

# column: its type and the aggregates over it
COLUMNS = {
    "i2": ("smallint", NUMBERS),
    "i4": ("integer", NUMBERS),
    "i8": ("bigint", NUMBERS),
    "n": ("numeric", NUMBERS),
    "cents": ("numeric(12,2)", NUMBERS),
    "wide": ("numeric", NUMBERS),
    "f4": ("real", NUMBERS),
    "f8": ("double precision", NUMBERS),
    "spread": ("double precision", NUMBERS),
    "m": ("money", "sum min max count"),
    "v": ("interval", "sum avg min max count"),
    "d": ("date", ORDERED),
    "t": ("time", ORDERED),
    "tt": ("timetz", ORDERED),
    "ts": ("timestamp", ORDERED),
    "tz": ("timestamptz", ORDERED),
    "o": ("oid", ORDERED),
    "s": ("text", ORDERED),
    "bp": ("char(6)", ORDERED),
    "a": ("integer[]", ORDERED),
    "sa": ("text[]", ORDERED),
    "e": ("wa_random.level", ORDERED),
    "ti": ("tid", ORDERED),
    "ip": ("inet", ORDERED),
    "lsn": ("pg_lsn", ORDERED),
    "x": ("xid8", ORDERED),
    "b": ("boolean", "count"),
}

# values that are at the edges of a type, drawn now and then
EXTREMES = {
    "i2": ["-32768", "32767", "0", "-1"],
    "i4": ["-2147483648", "2147483647", "0", "1"],
    "i8": ["-9223372036854775808", "9223372036854775807", "0", "-1"],
    "n": ["NaN", "Infinity", "-Infinity", "0", "0.000", "1e-30", "1e40",
          "170141183460469231731687303715884105727", "9223372036854775807"],
    "cents": ["0", "-0.01", "9999999999.99", "-9999999999.99"],
    "wide": ["0." + "0123456789" * 30, "9" * 300, "-" + "9" * 300, "1e-300",
             "NaN", "0"],
    "f4": ["NaN", "Infinity", "-Infinity", "-0", "3.4028235e38", "1e-45"],
    "f8": ["NaN", "Infinity", "-Infinity", "-0", "1.7976931348623157e308",
           "5e-324"],
    "spread": ["-0", "5e-324", "1e150", "-1e150"],
    "m": ["92233720368547758.07", "-92233720368547758.08", "0", "-0.01"],
    "v": ["2147483647 days", "-178956970 years", "2562047788 hours", "0",
          "30 days", "1 month", "720 hours"],
    "d": ["infinity", "-infinity", "4713-01-01 BC", "5874897-12-31"],
    "t": ["00:00", "24:00", "23:59:59.999999"],
    "tt": ["00:00+15:59", "24:00-15:59", "12:00+00", "13:00+01"],
    "ts": ["infinity", "-infinity", "294276-12-31 23:59:59.999999"],
    "tz": ["infinity", "-infinity", "4713-01-02 00:00:00+00 BC"],
    "o": ["0", "4294967295", "2147483648"],
    "s": ["", " ", "A", "a", "\u00e9", "z" * 500],
    "bp": ["", "a", "\u00e9", "zzzzzz"],
    "a": ["{}", "{NULL}", "{2147483647}", "{{1,2},{3,4}}"],
    "sa": ["{}", "{NULL,a}", "{\"\"}"],
    "e": ["first", "last"],
    "ti": ["(0,0)", "(4294967295,65535)"],
    "ip": ["0.0.0.0/0", "::/0", "255.255.255.255", "ffff::1/64", "10.0.0.0/8"],
    "lsn": ["0/0", "FFFFFFFF/FFFFFFFF", "80000000/0"],
    "x": ["0", "18446744073709551615", "9223372036854775808"],
    "b": ["true"],
}

TABLES = {"tiny": 40, "middle": 1200, "large": 5000}


def word(rng):
    """Returns a short word of few letters, so that some are drawn twice."""
    return "".join(rng.choice("abcxyzAB -") for _ in range(rng.randrange(6)))


def clock(rng):
    """Returns a time of the day."""
    return (f"{rng.randrange(24):02}:{rng.randrange(60):02}:"
            f"{rng.randrange(60):02}.{rng.randrange(1000000):06}")


def day(rng):
    """Returns a date of our times."""
    return f"{rng.randint(1900, 2100)}-{rng.randint(1, 12)}-{rng.randint(1, 28)}"


def ordinary(rng, column):
    """Returns a value of a column that is not at its type's edges."""
    number = rng.randint(-100000, 100000)
    makers = {
        "i2": lambda: str(rng.randint(-2000, 2000)),
        "i4": lambda: str(number * rng.choice([1, 1, 20000])),
        "i8": lambda: str(number * rng.choice([1, 10 ** 6, 9 * 10 ** 13])),
        "n": lambda: f"{number / 1000:.{rng.choice([0, 1, 2, 2, 3, 9, 20])}f}",
        "cents": lambda: f"{number / 100:.2f}",
        "wide": lambda: rng.choice([f"{number}e{rng.randint(-60, 60)}",
                                    str(number * 10 ** 25), f"{number}.5"]),
        "f4": lambda: floats.literal(floats.narrow(number / 7, 4)),
        "f8": lambda: floats.literal(number / 7),
        "spread": lambda: floats.literal(
            rng.choice([-1, 1]) * rng.random() * 10.0 ** rng.randint(-140, 140)),
        "m": lambda: f"{number / 100:.2f}",
        "v": lambda: (f"{rng.randint(-50, 50)} months {rng.randint(-99, 99)} "
                      f"days {number * 0.125} seconds"),
        "d": lambda: day(rng),
        "t": lambda: clock(rng),
        "tt": lambda: f"{clock(rng)}{rng.randint(-12, 12):+03}",
        "ts": lambda: f"{day(rng)} {clock(rng)}",
        "tz": lambda: f"{day(rng)} {clock(rng)}{rng.randint(-12, 12):+03}",
        "o": lambda: str(rng.randrange(2 ** 32)),
        "s": lambda: word(rng),
        "bp": lambda: word(rng),
        "a": lambda: "{" + ",".join(rng.choice(["NULL", "1", "2", "3"])
                                    for _ in range(rng.randrange(4))) + "}",
        "sa": lambda: "{" + ",".join(rng.choice(["NULL", "a", "B", '"a b"'])
                                     for _ in range(rng.randrange(3))) + "}",
        "e": lambda: rng.choice(["zeroth", "first", "second", "last"]),
        "ti": lambda: f"({rng.randrange(1000)},{rng.randrange(100)})",
        "ip": lambda: rng.choice(["10.{}.{}.1/24", "2001:db8:{}::{}"]).format(
            rng.randrange(256), rng.randrange(256)),
        "lsn": lambda: f"{rng.randrange(2 ** 32):X}/{rng.randrange(2 ** 32):X}",
        "x": lambda: str(rng.randrange(2 ** 64)),
        "b": lambda: rng.choice(["true", "false"]),
    }
    return makers[column]()


def quote(text):
    """Returns a text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def keys(rng, number):
    """Returns the keys of a row: its number, and columns to group by."""
    skewed = min(int(rng.paretovariate(1)) - 1, 20)
    name = rng.choice(["NULL", "'p'", "'q'", "'r'", "''"])
    return [str(number), str(skewed), str(rng.randrange(300)), name]


def load(session, rng):
    """Makes the tables anew in schema wa_random."""
    session.run("DROP SCHEMA IF EXISTS wa_random CASCADE")
    session.run("CREATE SCHEMA wa_random")
    session.run("CREATE TYPE wa_random.level AS ENUM ('first', 'last')")
    session.run("ALTER TYPE wa_random.level ADD VALUE 'second' BEFORE 'last'")
    session.run("ALTER TYPE wa_random.level ADD VALUE 'zeroth' BEFORE 'first'")
    types = ", ".join(f"{name} {kind}" for name, (kind, _) in COLUMNS.items())
    for table, rows in TABLES.items():
        session.run(f"CREATE TABLE wa_random.{table} (id integer, k1 integer, "
                    f"k2 integer, k3 text, {types})")
        # how often a column is NULL or at an edge is its own, table by table
        nulls = {c: rng.choice([0, 0.05, 0.05, 0.3, 0.95]) for c in COLUMNS}
        edges = {c: rng.choice([0, 0, 0.01, 0.1]) for c in COLUMNS}
        lines = []
        for number in range(rows):
            line = keys(rng, number)
            for column in COLUMNS:
                dice = rng.random()
                if dice < nulls[column]:
                    line.append("NULL")
                elif dice > 1 - edges[column]:
                    line.append(quote(rng.choice(EXTREMES[column])))
                else:
                    line.append(quote(ordinary(rng, column)))
            lines.append("(" + ",".join(line) + ")")
        for begin in range(0, rows, 500):
            session.run(f"INSERT INTO wa_random.{table} VALUES "
                        + ",".join(lines[begin:begin + 500]))
        session.run(f"ANALYZE wa_random.{table}")
