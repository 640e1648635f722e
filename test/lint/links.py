#!/usr/bin/env python3
"""links.py: checks that links in Markdown lead somewhere.

A link to a file of the project has to name one that is there, and a heading of it, or of
its own file, if there is a #.  Links to the web are not looked at.

Usage: links.py FILE.md...    Prints each fault as FILE:LINE: text; exit status 1 if there
                              was one.
"""

import os
import re
import sys

LINK = re.compile(r"\]\(([^)\s]+)\)")


def lines_of(path):
    """Yields number and text of the lines outside of fenced blocks."""
    fenced = False
    with open(path, encoding="utf-8") as opened:
        for number, line in enumerate(opened, 1):
            if line.startswith("```"):
                fenced = not fenced
            elif not fenced:
                yield number, line


def anchors_of(path):
    """Returns the names that the headings of a file have."""
    anchors = set()
    for _, line in lines_of(path):
        heading = re.match(r"#+ +(.*)", line)
        if heading:
            words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).strip().lower()
            anchors.add(re.sub(r"[^\w\- ]", "", words).replace(" ", "-"))
    return anchors


def faults_of(path):
    """Yields line number and text of each fault of a file."""
    for number, line in lines_of(path):
        for link in LINK.findall(line):
            if re.match(r"[a-z]+:", link):
                continue
            name, _, anchor = link.partition("#")
            target = os.path.normpath(os.path.join(os.path.dirname(path), name)) \
                if name else path
            if not os.path.exists(target):
                yield number, f"there is no {target}"
            elif anchor and anchor not in anchors_of(target):
                yield number, f"{target} has no heading #{anchor}"


def main():
    found = False
    for path in sys.argv[1:]:
        for number, text in faults_of(path):
            found = True
            print(f"{path}:{number}: {text}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
