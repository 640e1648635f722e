"""Texts of values that are equal but look different, made the same.

Of such values ours shows one by an order of its own, PostgreSQL whichever comes first or
last.
"""

import re

ZEROS = re.compile(r"(\.\d*?)0+(?!\d)")
REST = re.compile(r"\.(?!\d)|-(?=0(?![\d.]))")
BLANKS = re.compile(r' *"?(?=[,}]|$)|(?<=[{,])"')
UNITS = {"year": 360 * 86400, "mon": 30 * 86400, "day": 86400, "hour": 3600,
         "min": 60, "sec": 1}
PARTS = r"(?:[-+]?[\d.]+ (?:year|mon|day|hour|min|sec)s?\b ?)"
CLOCK = r"[-+]?\d+:\d\d:\d\d(?:\.\d+)?"
INTERVAL = re.compile(rf"(?:@ )?(?:{PARTS}+(?:{CLOCK})?|{CLOCK}|\b0\b)(?: ?ago)?")
PART = re.compile(r"([-+]?[\d.]+) (year|mon|day|hour|min|sec)")


def microseconds(match):
    """Returns the length of an interval, of months of 30 days, as a text."""
    text = match.group()
    total = sum(round(float(number) * 1000000) * UNITS[unit]
                for number, unit in PART.findall(text))
    clock = re.search(CLOCK, text)
    if clock:
        hours, minutes, seconds = clock.group().split(":")
        length = ((abs(int(hours)) * 60 + int(minutes)) * 60000000
                  + round(float(seconds) * 1000000))
        total += -length if hours.startswith("-") else length
    return str(-total if text.endswith("ago") else total)


def same_look(text):
    """Returns what the texts of equal values have in common; None is NULL."""
    if text is None:
        return None
    text = INTERVAL.sub(microseconds, text)
    text = REST.sub("", ZEROS.sub(r"\1", text))
    return BLANKS.sub("", text)
