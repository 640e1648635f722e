#!/usr/bin/env python3
"""run.py: runs the SQL of README.md and docs/, and compares what it prints.

In a file of Markdown each fenced block of SQL is run, in order, by one psql.  A block
that begins with

    ```sql

must raise no error.  If a block of text follows at once, which begins with

    ```text

that is what it must print, errors and all; how many blanks there are does not count.
There "..." stands for anything within a line, and a line of "..." alone for any lines.  A
NOTICE, with what belongs to it, has to be the same only if the text has one: versions
differ in which blocks are all-visible, of which loads tell the others.  A block that
must not be run says why:

    ```sql not run: it takes an hour

README.md is run in a new database, mydb, as by a reader who follows it.  Each other file
has a copy of what it leaves there, and sessions that have loaded the library.

Usage: run.py FILE...    README.md comes first.  Each block counts one; the last line is
                         "N passed, M failed"; exit status 1 if M is not 0.
       run.py --self-test    Looks whether faults are found.

The server is the one that PGHOST and PGPORT name; psql is found in PATH.
"""

import contextlib
import io
import os
import re
import subprocess
import sys

MARK = "---- end of block"
PRELOAD = {"PGOPTIONS": "-c session_preload_libraries=warpagg"}
NOT_RUN = re.compile(r"not run: \S+")
LOOKS_LIKE_SQL = re.compile(
    r"\s*(SELECT|EXPLAIN|CREATE|INSERT|UPDATE|SET|ALTER|VACUUM|GRANT|REVOKE|LOAD)\b")


class Block:
    """A fenced block: its first line's number, the words behind the fence, its lines."""

    def __init__(self, line, info):
        self.line = line
        self.info = info
        self.lines = []
        self.output = None  # of SQL: what it is to print
        self.fault = None   # what is wrong with it as it stands

    @property
    def is_sql(self):
        return self.info.split(" ")[0] == "sql"


def read_blocks(text):
    """Returns the blocks of a file that are run, or that are wrong."""
    blocks = []
    block = None
    last = None  # a block of SQL that output may follow
    for number, line in enumerate(text.splitlines(), 1):
        if block is None and line.startswith("```"):
            block = Block(number, line[3:].strip())
        elif block is not None and line.startswith("```"):
            if block.info == "text" and last is not None:
                last.output = block.lines
            elif block.is_sql:
                note_sql(block)
                blocks.append(block)
            elif block.info in ("", "text") and block.lines and \
                    LOOKS_LIKE_SQL.match(block.lines[0]):
                block.fault = "SQL that is not marked as such"
                blocks.append(block)
            last = block if block.is_sql else None
            block = None
        elif block is not None:
            block.lines.append(line)
        else:
            if line.strip() != "":
                last = None
            if line.startswith("    ") and re.match(r"\s+(SELECT|EXPLAIN) ", line):
                wrong = Block(number, "")
                wrong.fault = "SQL that is not fenced"
                blocks.append(wrong)
    if block is not None:
        block.fault = "a fence that is not closed"
        blocks.append(block)
    return blocks


def note_sql(block):
    """Looks at the words behind the fence of a block of SQL."""
    rest = block.info[3:].strip()
    if rest != "" and not NOT_RUN.match(rest):
        block.fault = "neither plain SQL nor \"not run: \" and a reason"


def is_run(block):
    return block.is_sql and block.fault is None and block.info == "sql"


def psql(database, text, settings):
    """Runs psql over a text; returns what it printed."""
    environment = dict(os.environ, PGDATABASE=database, **settings)
    done = subprocess.run(
        ["psql", "-X", "-q", "-P", "pager=off"], input=text, env=environment,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.stdout


def pattern_of(lines):
    """Makes a regular expression of what is to be printed."""
    text = ""
    for line in lines:
        if line.strip() == "...":
            text += r"(?:.*\n)*?"
        else:
            text += ".*".join(re.escape(part)
                              for part in re.split(r" ?\.\.\. ?", line)) + r"\n"
    return re.compile(text + r"\Z")


def trimmed(lines):
    """Returns lines with one blank for many, three dashes for more, and no empty lines
    around them: how wide a column is depends on what "..." stands for."""
    lines = [re.sub("-{3,}", "---", re.sub(" +", " ", line)).strip() for line in lines]
    while lines and lines[0] == "":
        lines.pop(0)
    while lines and lines[-1] == "":
        lines.pop()
    return lines


def without_notices(lines):
    """Returns lines without those of each NOTICE."""
    kept = []
    skips = False
    for line in lines:
        skips = line.startswith("NOTICE:") or \
            (skips and line.startswith(("DETAIL:", "HINT:")))
        if not skips:
            kept.append(line)
    return kept


def fault_of(block, printed):
    """Returns what is wrong with what a block has printed, or None."""
    if block.output is not None and not any("NOTICE:" in line for line in block.output):
        printed = without_notices(printed)
    printed = trimmed(printed)
    if block.output is None:
        errors = [line for line in printed
                  if re.match(r"(ERROR|FATAL|PANIC):|invalid command|.*: No such file", line)]
        return "it fails:\n" + "\n".join(errors) if errors else None
    expected = trimmed(block.output)
    if pattern_of(expected).match("".join(line + "\n" for line in printed)):
        return None
    return "\n".join(["it is to print:"] + expected + ["but prints:"] + printed)


def run_text(name, text, database, settings):
    """Runs the blocks of a text; returns how many passed, and how many failed."""
    passed = failed = 0
    blocks = read_blocks(text)
    script = "".join("\n".join(block.lines) + "\n;\n\\echo " + MARK + "\n"
                     for block in blocks if is_run(block))
    outputs = psql(database, script, settings).split(MARK + "\n")
    for block in blocks:
        fault = block.fault
        if is_run(block):
            fault = fault_of(block, outputs.pop(0).splitlines() if outputs else [])
        if fault is None:
            passed += 1
        else:
            failed += 1
            print(f"FAILED  {name}, line {block.line}: {fault}")
    return passed, failed


def run_files(files):
    """Runs files, the first of which makes what the others have a copy of."""
    passed = failed = 0
    psql("postgres", "CREATE DATABASE mydb", {})
    for number, file in enumerate(files):
        with open(file, encoding="utf-8") as opened:
            text = opened.read()
        database = "mydb" if number == 0 else f"copy_of_mydb_{number}"
        if number > 0 and not any(is_run(block) for block in read_blocks(text)):
            settings = {}
        else:
            settings = {} if number == 0 else PRELOAD
            if number > 0:
                print(psql("postgres", f"CREATE DATABASE {database} TEMPLATE mydb", {}),
                      end="")
        counts = run_text(file, text, database, settings)
        print(f"-- {file}: {counts[0]} passed, {counts[1]} failed", flush=True)
        passed += counts[0]
        failed += counts[1]
    return passed, failed


SELF_TEST = """
```sql
DROP TABLE IF EXISTS nothing_of_this_name;
SELECT 1 AS one;
```

```text
 one
-----
   1
(1 row)
```

```sql
SELECT 2 AS two, 'x 17 y' AS text;
```
```text
 two | text
-----+--------
...
   2 | x ... y
(1 row)
```

```sql not run: it would take too long
SELECT pg_sleep(1000);
```

Faults:

```sql
SELECT 3 AS three;
```

```text
 three
-------
     4
(1 row)
```

```sql
DROP TABLE IF EXISTS nothing_of_this_name;
```

```text
NOTICE:  table "another_name" does not exist, skipping
```

```sql
SELECT 1 / 0;
```

```sql sometimes
SELECT 5;
```

```
SELECT 6;
```

    SELECT 7;

```sql
SELECT 8;
"""


def self_test():
    """Returns the counts of a look at a text whose faults are known."""
    with contextlib.redirect_stdout(io.StringIO()):
        counts = run_text("self-test", SELF_TEST, "postgres", {})
    if counts == (3, 7):
        return 1, 0
    print(f"FAILED  self-test: {counts[0]} passed, {counts[1]} failed, and not 3 and 7")
    return 0, 1


def main():
    if sys.argv[1:] == ["--self-test"]:
        counts = self_test()
    else:
        counts = run_files(sys.argv[1:])
    print(f"{counts[0]} passed, {counts[1]} failed")
    return 1 if counts[1] else 0


if __name__ == "__main__":
    sys.exit(main())
