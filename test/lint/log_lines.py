#!/usr/bin/env python3
"""log_lines.py: checks that docs/ has each line that the sources write to the log.

Looks for ereport() at a level other than ERROR and DEBUG, and for wa_log_write().  A
line is documented if it matches, with something for each %s and the like, a piece of
code (between backticks) in the first column of a table of docs/operations.md whose
second is the level, where those of warpaggd begin with that name, or, for a NOTICE,
anywhere in docs/.  A row that matches no line of the sources is a fault, too.
What is just "%s" is written elsewhere; those files are in FORWARDED, with what they
forward.

Usage: log_lines.py SOURCE.c... [DOCUMENT.md...]    Prints each fault; exit status 1 if
                                                   there was one.
       log_lines.py --self-test                    Looks whether faults are found.
"""

import os
import re
import sys

LEVELS = re.compile(r"\b(LOG|WARNING|NOTICE|INFO|FATAL|PANIC)\b")
STRING = r'"((?:[^"\\]|\\.)*)"'

# file -> formats of what it writes as "%s": the texts that it has from elsewhere.
FORWARDED = {
    "src/client/channel.c": [],  # what warpaggd has logged
    "src/client/supervisor.c": ['could not start "%s": %s'],
    "src/daemon/reduce/opening.c": ["could not start a thread to open GPUs"],
    "src/daemon/server/server.c": ["connections are refused: %s"],
    "src/daemon/reduce/staging.c": ["could not allocate %llu bytes of staging memory: %m"],
}


def arguments_of(text, start):
    """Returns what stands between the parenthesis before start and its partner."""
    depth = 1
    at = start
    while depth > 0:
        quoted = re.compile(STRING).match(text, at)
        if quoted:
            at = quoted.end()
            continue
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return text[start:at - 1]


def first_string(text):
    """Returns the first literal of a text, its pieces put together."""
    found = re.search(STRING + r'(?:\s*(?:WA_\w+|PG_\w+)?\s*' + STRING + ")*", text)
    pieces = re.findall(STRING, found[0])
    return "".join(pieces).replace('\\"', '"')


def lines_of(path, text):
    """Yields what a source writes to the log: whether it is a NOTICE, whether warpaggd
    writes it, and the format."""
    for call in re.finditer(r"\b(ereport|wa_log_write)\(", text):
        arguments = arguments_of(text, call.end())
        level, _, rest = arguments.partition(",")
        if call[1] == "wa_log_write":
            if "WaLogLevel" in level:
                continue
        elif LEVELS.search(level):
            rest = rest[rest.index("errmsg"):]
        else:
            continue
        line = first_string(rest)
        is_daemons = call[1] == "wa_log_write"
        if line in ("%s", "warpaggd: %s"):
            for forwarded in FORWARDED.get(path, [f"{path} forwards {line}"]):
                yield False, is_daemons, forwarded
        else:
            yield level.strip() == "NOTICE", is_daemons, line


def pattern_of(line, is_daemons):
    """Makes a regular expression of a format, as it comes to the server's log."""
    if is_daemons:
        line = "warpaggd: " + line
    parts = re.split(r"%[-.*0-9]*(?:ll|z|l)?[a-z]", line)
    return re.compile(".+".join(re.escape(part) for part in parts))


def check(sources, documents):
    """Yields the faults; both are dictionaries of texts by path."""
    spans = set()
    rows = set()
    for path, text in documents.items():
        spans |= set(re.findall(r"`([^`\n]*)`", text))
        if path.endswith("operations.md"):
            rows |= set(re.findall(r"^\| `([^`\n]*)` \| (?:LOG|WARNING) \|", text, re.MULTILINE))
    found = set()
    for path, text in sorted(sources.items()):
        for is_notice, is_daemons, line in lines_of(path, text):
            pattern = pattern_of(line, is_daemons)
            matching = {span for span in (spans if is_notice else rows)
                        if pattern.fullmatch(span)}
            found |= matching
            if not matching:
                yield f"{path}: no documentation of \"{line}\""
    for row in sorted(rows - found):
        yield f"docs/operations.md: no source writes \"{row}\""


SELF_TEST_SOURCE = r'''
ereport(LOG, (errmsg("one \"%s\" of %d" " is left", name, n)));
ereport(is_bad ? WARNING : LOG, (errcode(1), errmsg("two")));
ereport(NOTICE, (errmsg("three")));
ereport(ERROR, (errmsg("four")));
wa_log_write(WA_LOG_LOG, "five: %s", text);
'''
SELF_TEST_FAULTS = 3


def self_test():
    """Says whether the faults of a small example are found, and no others."""
    faults = list(check(
        {"x.c": SELF_TEST_SOURCE},
        {"docs/operations.md": "| `one \"NAME\" of 3 is left` | LOG | so |\n| `six` | LOG | |\n"}))
    good = not list(check(
        {"x.c": SELF_TEST_SOURCE},
        {"docs/operations.md": "| `one \"N\" of 3 is left` | LOG | |\n| `two` | LOG | |\n"
         "| `warpaggd: five: x` | LOG | |\n",
         "docs/other.md": "It says `three`."}))
    return len(faults) == SELF_TEST_FAULTS + 1 and good


def main():
    if sys.argv[1:] == ["--self-test"]:
        return 0 if self_test() else 1
    texts = {}
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as opened:
            texts[path] = opened.read()
    sources = {path: text for path, text in texts.items() if path.endswith(".c")}
    documents = {path: text for path, text in texts.items() if path.endswith(".md")}
    faults = list(check(sources, documents))
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
