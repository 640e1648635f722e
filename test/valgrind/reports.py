#!/usr/bin/env python3
"""reports.py: tells what valgrind has reported about our code.

Usage: reports.py OBJECT... -- FILE...
OBJECTs are names of files, such as warpagg.so; FILEs are what valgrind has written
with --xml=yes, one for each process.  A report counts if one of OBJECTs is among its
frames: PostgreSQL alone has some of its own, such as bytes between the fields of what
it writes to files.  Leaks do not count: memory goes with its context, or the process.

Prints each report once, with its frames and how many processes had it, then a line
with the number of processes and of reports.  The exit status is 1 if there was a
report, or if there are no FILEs.
"""

import collections
import os
import re
import sys


def field(text, tag):
    """Returns what stands in the first element of a name, or ''."""
    found = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.S)
    return found.group(1).strip() if found else ""


def frame(text):
    """Returns a frame as a line."""
    place = os.path.basename(field(text, "obj"))
    if field(text, "file"):
        place = f"{field(text, 'file')}:{field(text, 'line')}, {place}"
    return f"    {field(text, 'fn') or '???'} ({place})"


def describe(error):
    """Returns a report as text, without what differs between processes."""
    lines = []
    for part in re.finditer(r"<x?(?:aux)?what>.*?</x?(?:aux)?what>|<stack>.*?</stack>",
                            error, re.S):
        text = part.group(0)
        if text.startswith("<stack>"):
            lines += [frame(f) for f in re.findall(r"<frame>.*?</frame>", text, re.S)]
        else:
            lines.append(re.sub(r"0x[0-9a-f]+|<.*?>", "", text, flags=re.I).strip())
    return "\n".join(lines)


def main():
    """Looks through the files."""
    split = sys.argv.index("--")
    objects, files = sys.argv[1:split], sys.argv[split + 1:]
    ours = re.compile(r"<obj>[^<]*/(?:" + "|".join(map(re.escape, objects)) + ")</obj>")
    reports = collections.Counter()
    for name in files:
        with open(name, encoding="utf-8", errors="replace") as file:
            text = file.read()
        for error in re.findall(r"<error>.*?</error>", text, re.S):
            if not field(error, "kind").startswith("Leak_") and ours.search(error):
                reports[describe(error)] += 1
    for report, count in reports.most_common():
        print(f"in {count} processes: {report}\n")
    print(f"{len(files)} processes, {len(reports)} reports")
    return 1 if reports or not files else 0


if __name__ == "__main__":
    sys.exit(main())
