#!/usr/bin/env python3
"""ncu_table.py: turns what ncu measured of a benchmark into a Markdown table.

Usage: ncu_table.py CSV CASES

CSV is what "ncu --csv --page raw --print-units base" writes, other lines of
ncu's included; CASES has the name of a case on each line.  Each case begins with
a kernel named profile_marker (profile_case in timing.cu), and its kernels follow.
Prints a line for each kernel but those that take less than a hundredth of their
case; exit status 1 if there is none.
"""

import csv
import re
import sys

MARKER = "profile_marker"
TIME = "gpu__time_duration.sum"

# Heading, metric, what to divide by, format.
COLUMNS = (
    ("us", TIME, 1e-6, "%.1f"),
    ("DRAM %", "dram__throughput.avg.pct_of_peak_sustained_elapsed", 1, "%.1f"),
    ("DRAM read GB/s", "dram__bytes_read.sum.per_second", 1e9, "%.0f"),
    ("occupancy %", "sm__warps_active.avg.pct_of_peak_sustained_active", 1, "%.1f"),
    ("registers", "launch__registers_per_thread", 1, "%.0f"),
    ("issue slots busy %", "smsp__issue_active.avg.pct_of_peak_sustained_active", 1, "%.1f"),
)

# Average warps that wait for a reason, for each instruction issued.
STALL = re.compile(r"smsp__average_warps_issue_stalled_(\w+?)_per_issue_active(?:\.ratio)?$")
NO_STALL = ("selected", "not_selected")
TOP_STALLS = 2

PREFIXES = {"n": 1e-9, "u": 1e-6, "m": 1e-3, "": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
UNIT = re.compile(r"([numKMGT]?)(s|sec|second|byte|byte/s|byte/second)s?$")


def scale_of(unit):
    """Returns what a number in the unit is multiplied with for seconds or bytes."""
    match = UNIT.match(unit)
    return PREFIXES[match.group(1)] if match else 1


def number_of(text):
    """Returns the number in a cell, or None."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def kernels_of(path):
    """Yields the name of each kernel, with its numbers by metric."""
    with open(path, encoding="utf-8", errors="replace") as lines:
        rows = list(csv.reader(line for line in lines if line.startswith('"')))
    if len(rows) < 2 or "Kernel Name" not in rows[0]:
        return
    head, units = rows[0], rows[1]
    name_at = head.index("Kernel Name")
    for row in rows[2:]:
        numbers = {}
        for metric, unit, cell in zip(head, units, row):
            number = number_of(cell)
            if number is not None:
                numbers[metric] = number * scale_of(unit)
        yield row[name_at], numbers


def short_name(name):
    """Returns a kernel's name without its result, scope and parameters."""
    name = re.sub(r"\(anonymous namespace\)::|<unnamed>::", "", name)
    name = re.split(r"[<(]", re.sub(r"^void ", "", name))[0]
    return name.split("::")[-1]


def stalls_text(numbers):
    """Returns the most frequent reasons to wait, with the warps that do."""
    stalls = []
    for metric, number in numbers.items():
        match = STALL.search(metric)
        if match and match.group(1) not in NO_STALL:
            stalls.append((number, match.group(1)))
    stalls.sort(reverse=True)
    return ", ".join("%s %.1f" % (reason, number) for number, reason in stalls[:TOP_STALLS]) or "-"


def cases_of(kernels):
    """Returns the kernels of each case, without the markers."""
    cases = []
    for name, numbers in kernels:
        if MARKER in name:
            cases.append([])
        elif cases:
            cases[-1].append((name, numbers))
    return cases


def main(csv_path, names_path):
    """Prints the table; returns the exit status."""
    cases = cases_of(kernels_of(csv_path))
    if not any(cases):
        return 1
    with open(names_path, encoding="utf-8") as lines:
        names = lines.read().splitlines()
    print("| case | kernel | " + " | ".join(column[0] for column in COLUMNS) + " | top stalls |")
    print("|---" * (len(COLUMNS) + 3) + "|")
    for case, kernels in zip(names, cases):
        total = sum(numbers.get(TIME, 0) for _, numbers in kernels)
        for name, numbers in kernels:
            if numbers.get(TIME, total) < total / 100:
                continue
            cells = [case, short_name(name)]
            for _, metric, divisor, form in COLUMNS:
                cells.append(form % (numbers[metric] / divisor) if metric in numbers else "-")
            print("| " + " | ".join(cells + [stalls_text(numbers)]) + " |")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: ncu_table.py CSV CASES")
    sys.exit(main(sys.argv[1], sys.argv[2]))
