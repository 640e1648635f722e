#!/usr/bin/env python3
"""includes.py: checks which way includes run between the rooms of the source.

The table ROOMS below is the one of the design: each room (a folder) names the
rooms whose headers it may include beside its own.  Some rooms have rooms of their own,
one above the other (ORDERED): each may include those below it.  Beyond that:

  - no file of such a room depends on itself, through headers and what they declare: a .c
    file and the header of its name count as one, and NAME_internal.h as NAME;
  - no header of cuda includes itself, through others;
  - our headers never include postgres.h, postgres_fe.h or c.h;
  - a .c file of the extension includes postgres.h first, before anything else;
  - core, query, daemon and cuda, and the tests in C of test/unit and test/fuzz,
    never include a header of PostgreSQL's;
  - // comments are for cuda/ and C++ test code only.

Usage: includes.py FILE...   Prints each fault as FILE:LINE: text, then a line
with the number of files; exit status 1 if there was a fault.
"""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# room -> the rooms it may include; "surface" stands for the headers that
# declare cuda's extern "C" functions, "top" for compat.h and settings.h.
ROOMS = {
    "core": set(),
    "query": {"core"},
    "cuda": {"core", "surface"},
    "daemon": {"core", "query", "surface"},
    "client": {"core", "top"},
    "state": {"core", "client", "top"},
    "agg": {"core", "client", "state", "top"},
    "heap": {"core", "state", "top"},
    "wal": {"core", "client", "top"},
    "resident": {"core", "client", "state", "heap", "wal", "top"},
    "scan": {"core", "query", "client", "state", "heap", "wal", "resident", "top"},
    "stats": {"core", "client", "top"},
    "top": {"core", "client", "agg", "wal", "scan", "resident", "stats"},
    "fuzz": {"core", "query", "daemon", "unit"},
    "unit": {"core", "query", "daemon", "surface"},
}

# Rooms that have others in them, and these, from the lowest one.
ORDERED = {
    "query": ["base", "groups", "records", "message", "texts", "run"],
    "daemon": ["base", "column", "store", "mirror", "gpu", "reduce", "run", "server"],
    "scan": ["base", "expr", "tables", "program", "groups", "state", "spill", "output",
             "plan", "rows", "parallel", "resident", "node"],
}

# Rooms that are part of warpagg.so, so their .c files start with postgres.h.
EXTENSION = {"client", "state", "agg", "heap", "wal", "resident", "scan", "stats", "top"}

# Rooms that know nothing of PostgreSQL.
PLAIN = {"core", "query", "daemon", "cuda", "fuzz", "unit"}

SURFACE = ("cuda/warpagg_cuda.h", "cuda/memory.h", "cuda/query.h", "cuda/inputs.h")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
POSTGRES_FIRST = ("postgres.h", "postgres_fe.h", "c.h")

# Folders of PostgreSQL's server headers, and headers at its top.
POSTGRES = re.compile(
    r"^(access|bootstrap|catalog|commands|common|datatype|executor|fe_utils|"
    r"foreign|jit|lib|libpq|mb|nodes|optimizer|parser|partitioning|pgstat|"
    r"port|portability|postmaster|replication|rewrite|snowball|statistics|"
    r"storage|tcop|tsearch|utils)/|"
    r"^(postgres|postgres_fe|c|fmgr|funcapi|miscadmin|pgstat|pgtime|pgtar|"
    r"pg_config|pg_trace|varatt|libpq-fe)\.h$"
)


def room_of(path):
    """Returns the room of a file given by its path from the root, or None."""
    if path in SURFACE:
        return "surface"
    parts = path.split("/")
    if parts[0] == "cuda":
        return "cuda"
    if parts[:2] == ["test", "fuzz"] or parts[:2] == ["test", "unit"]:
        return parts[1]
    if parts[0] == "src" and parts[1] in ORDERED and len(parts) > 3:
        return "/".join(parts[1:3])
    if parts[0] == "src":
        return parts[1] if len(parts) > 2 else "top"
    return None


def is_allowed(room, other):
    """Tells whether a room may include the headers of another one."""
    folder, _, above = room.partition("/")
    other_folder, _, below = other.partition("/")
    if above and below and folder == other_folder:
        order = ORDERED[folder]
        return above in order and below in order and order.index(below) <= order.index(above)
    return other_folder in ROOMS.get(folder, {"core"})


def resolve(path, name):
    """Returns the path from the root of an included header of ours, or None.

    The compiler looks beside the file, then in src/ and in the root.
    """
    for base in (os.path.dirname(path), "src", "", "cuda"):
        candidate = os.path.normpath(os.path.join(base, name))
        if os.path.isfile(os.path.join(ROOT, candidate)):
            return candidate
    return None


def strip(text):
    """Returns the text without comments of either kind and without strings,
    lines kept, and the lines on which a // comment starts."""
    out = []
    slashes = []
    line = 1
    pattern = re.compile(
        r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|\n|.', re.S
    )
    for match in pattern.finditer(text):
        token = match.group(0)
        if token.startswith("//"):
            slashes.append(line)
        elif token.startswith("/*"):
            out.append("\n" * token.count("\n"))
        elif token[0] in "\"'" and len(token) > 1 and "include" not in "".join(out[-12:]):
            out.append(token[0] * 2)
        else:
            out.append(token)
        line += token.count("\n")
    return "".join(out), slashes


def check_order(path, room, includes):
    """Yields faults in what a file includes first."""
    if room.split("/")[0] in EXTENSION and path.endswith(".c"):
        if not includes or includes[0][1] != "postgres.h":
            yield includes[0][0] if includes else 1, "a .c file of the extension includes postgres.h first"
    if path.endswith((".h", ".cuh")):
        for line, name in includes:
            if name in POSTGRES_FIRST:
                yield line, "a header does not include %s" % name


def check_direction(path, room, includes):
    """Yields includes that the table does not allow."""
    for line, name in includes:
        target = resolve(path, name)
        if target is None:
            if room.split("/")[0] in PLAIN | {"surface"} and POSTGRES.match(name):
                yield line, "%s does not include PostgreSQL's headers: %s" % (room, name)
            continue
        other = room_of(target)
        if other is None:
            yield line, "%s includes %s, which is in no room" % (room, target)
        elif other != room and not is_allowed(room, other):
            yield line, "%s does not include %s: %s" % (room, other, name)


def check_file(path):
    """Yields (line, fault) for a file given by its path from the root."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as source:
        text, slashes = strip(source.read())
    includes = []
    for number, line in enumerate(text.split("\n"), 1):
        match = INCLUDE.match(line)
        if match:
            includes.append((number, match.group(2)))
    room = room_of(path)
    if room is not None:
        yield from check_order(path, room, includes)
        yield from check_direction(path, room, includes)
    if not path.startswith("cuda/") and path.endswith((".c", ".h")) and not path.startswith("test/emu/"):
        for line in slashes:
            yield line, "// comment outside cuda/"


def module_of(path):
    """Returns what a file of a room belongs to: files of one name are one."""
    return re.sub(r"(_internal)?\.[ch]$", "", path)


def find_circle(paths):
    """Returns modules of ordered rooms, or files of cuda, that depend on one another in a
    circle, or none."""
    depends = {}
    for path in paths:
        with open(os.path.join(ROOT, path), encoding="utf-8") as source:
            names = re.findall(r'^#include "([^"]+)"', source.read(), re.M)
        if path.startswith("cuda/"):
            depends[path] = {resolve(path, name) for name in names} - {None}
        folder = path.split("/")[1]
        if path.startswith("src/") and folder in ORDERED:
            depends.setdefault(module_of(path), set()).update(
                module_of("src/" + name) for name in names if name.startswith(folder + "/"))
    state = {}  # module -> 1: on the way here, 2: done

    def visit(module, way):
        if state.get(module) == 2:
            return []
        if module in way:
            return way[way.index(module):]
        for other in sorted(depends.get(module, set()) - {module}):
            circle = visit(other, way + [module])
            if circle:
                return circle
        state[module] = 2
        return []

    for module in sorted(depends):
        circle = visit(module, [])
        if circle:
            return circle
    return []


def main(paths):
    """Checks all files; returns the exit status."""
    faults = 0
    circle = find_circle(paths)
    if circle:
        print("a circle: %s" % " -> ".join(circle))
        faults += 1
    for path in paths:
        for line, fault in check_file(path):
            print("%s:%d: %s" % (path, line, fault))
            faults += 1
    print("%d files, %d faults" % (len(paths), faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
