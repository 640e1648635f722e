#!/usr/bin/env python3
"""catalog.py: compares docs/settings.md and docs/views.md with a server's catalog.

settings.md has a row for each setting: name, default as SHOW has it, unit, context,
then words.  views.md has a chapter for each view, whose heading is the view's name, with
a row for each column (name, type, words), a row for each function that users call (its
name with arguments, the result's type, words), and names each gpu_ aggregate somewhere
as code.  Functions that take or return internal are for aggregates and the planner.

Usage: catalog.py FOLDER    Prints what is missing, too much or different; each setting,
                            view, and function counts one; the last line is "N passed,
                            M failed"; exit status 1 if M is not 0.

The server is the one that PGHOST and PGPORT name, PGDATABASE a database that has the
extension; psql is found in PATH.
"""

import os
import re
import subprocess
import sys

SETTINGS = """
SELECT name, CASE WHEN setting = boot_val THEN current_setting(name) ELSE boot_val END,
       coalesce(unit, ''), context
FROM pg_settings WHERE name LIKE 'warpagg.%' AND name <> 'warpagg.debug_skip_rule'"""

VIEWS = """
SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod)
FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'warpagg'
    JOIN pg_class c ON c.oid = d.objid AND d.classid = 'pg_class'::regclass
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
WHERE d.deptype = 'e' AND c.relkind = 'v' ORDER BY c.relname, a.attnum"""

FUNCTIONS = """
SELECT p.proname, pg_get_function_identity_arguments(p.oid),
       pg_get_function_result(p.oid)
FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'warpagg'
    JOIN pg_proc p ON p.oid = d.objid AND d.classid = 'pg_proc'::regclass
WHERE d.deptype = 'e'"""


class Counts:
    """What has been looked at."""

    def __init__(self):
        self.passed = 0
        self.failed = 0

    def same(self, what, documented, actual):
        """Counts one comparison."""
        if documented == actual:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED  {what}: documented {documented}, actually {actual}")


def ask(query):
    """Returns the rows of a query as lists of texts."""
    done = subprocess.run(
        ["psql", "-X", "-q", "-At", "-F", "\t", "-v", "ON_ERROR_STOP=1",
         "-c", "LOAD 'warpagg'", "-c", query],
        stdout=subprocess.PIPE, text=True, check=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


def read(folder, name):
    """Returns the lines of a file."""
    with open(os.path.join(folder, name), encoding="utf-8") as opened:
        return opened.read().splitlines()


def cells_of(line):
    """Returns the cells of a table's row, without the marks of code; [] if it is none."""
    if not line.startswith("| `"):
        return []
    cells = [cell.strip() for cell in line.strip()[1:-1].split("|")]
    return [cell[1:-1] if re.fullmatch("`[^`]*`", cell) else cell for cell in cells]


def check_settings(folder, counts):
    documented = {}
    for line in read(folder, "settings.md"):
        cells = cells_of(line)
        if cells and cells[0].startswith("warpagg."):
            documented[cells[0]] = cells[1:4]
    actual = {row[0]: row[1:] for row in ask(SETTINGS)}
    for name in sorted(documented.keys() | actual.keys()):
        counts.same(name, documented.get(name), actual.get(name))


def check_views(folder, counts):
    documented = {}
    view = None
    for line in read(folder, "views.md"):
        heading = re.match(r"#+ (.*)", line)
        if heading:
            view = heading[1].strip("`")
        cells = cells_of(line)
        if cells and view.startswith("warpagg_"):
            documented.setdefault(view, []).append(cells[0:2])
    actual = {}
    for view, column, typename in ask(VIEWS):
        actual.setdefault(view, []).append([column, typename])
    for name in sorted(documented.keys() | actual.keys()):
        counts.same(name, documented.get(name), actual.get(name))
    return actual.keys()


def check_functions(folder, views, counts):
    text = "\n".join(read(folder, "views.md"))
    spans = set(re.findall(r"`([^`]*)`", text))
    documented = {}
    for line in text.splitlines():
        cells = cells_of(line)
        if cells and re.match(r"warpagg_\w+\(", cells[0]):
            documented[cells[0]] = cells[1]
    actual = {}
    aggregates = set()
    for name, arguments, result in ask(FUNCTIONS):
        if name.startswith("gpu_"):
            aggregates.add(name)
        elif name not in views and "internal" not in (arguments + result):
            actual[f"{name}({arguments})"] = result
    for name in sorted(documented.keys() | actual.keys()):
        counts.same(name, documented.get(name), actual.get(name))
    for name in sorted(aggregates):
        counts.same(name, name if name in spans else None, name)


def main():
    folder = sys.argv[1]
    counts = Counts()
    check_settings(folder, counts)
    check_functions(folder, check_views(folder, counts), counts)
    print(f"{counts.passed} passed, {counts.failed} failed")
    return 1 if counts.failed or not counts.passed else 0


if __name__ == "__main__":
    sys.exit(main())
