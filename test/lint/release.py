#!/usr/bin/env python3
"""release.py: checks META.json, and that all files name the same release.

META.json is checked against version 1.0.0 of PGXN's meta specification
(https://pgxn.org/meta/spec.txt): which keys there have to be, which there may be, and
of what kind the values are; the files that it names have to be there.  The release is
warpagg.control's default_version; see RELEASES for where it is named besides, and an
install script and an update from each earlier release have to be in the Makefile.

Usage: release.py              prints each fault; exit status 1 if there was one
       release.py --self-test  says whether planted faults in META.json are found
"""

import copy
import json
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)([A-Za-z][A-Za-z0-9-]*)?")
RANGE = re.compile(r"(?:==|!=|<=|>=|<|>)?\s*(\S+)")
# A term: two characters or more, none of them control, space (but in tags), / or \.
TERM = re.compile(r"[^\x00-\x1f\x7f\s/\\]{2,}")
TAG = re.compile(r"[^\x00-\x1f\x7f/\\]{1,255}")
URI = re.compile(r"[a-z][a-z0-9+.-]*:\S+", re.I)
LICENSES = set("""
    agpl_3 apache_1_1 apache_2_0 artistic_1 artistic_2 bsd freebsd gfdl_1_2 gfdl_1_3
    gpl_1 gpl_2 gpl_3 lgpl_2_1 lgpl_3_0 mit mozilla_1_0 mozilla_1_1 openssl perl_5
    postgresql qpl_1_0 ssleay sun zlib open_source restricted unrestricted unknown
""".split())
PHASES = {"configure", "build", "test", "runtime", "develop"}
RELATIONS = {"requires", "recommends", "suggests", "conflicts"}

# file -> what the release stands behind in it
RELEASES = {
    "META.json": r'"version": "([^"]*)"(?!,\s*"url": "https://pgxn\.org/meta)',
    "src/core/release.h": r'#define WA_RELEASE "([^"]*)"',
    "packaging/debian/changelog.in": r"\Awarpagg \(([^)-]*)-",
    "packaging/warpagg.spec": r"^Version:\s*(\S+)",
}


def is_text(value):
    """Says whether a value is a string with something in it."""
    return isinstance(value, str) and value != ""


def is_version(value):
    """Says whether a value is a semantic version, as of 1.0.0 of that."""
    return isinstance(value, str) and VERSION.fullmatch(value) is not None


def is_range(value):
    """Says whether a value is a version, 0 for any, or a list of bounds."""
    if value == 0:
        return True
    return is_text(value) and all(
        (match := RANGE.fullmatch(part.strip())) and
        (match.group(1) == "0" or is_version(match.group(1)))
        for part in value.split(","))


def is_term(value):
    """Says whether a value may be the name of something."""
    return isinstance(value, str) and TERM.fullmatch(value) is not None


def is_uri(value):
    """Says whether a value is an address."""
    return isinstance(value, str) and URI.fullmatch(value) is not None


def is_list(kind):
    """Returns a check of one value, or of a list of some."""
    return lambda value: kind(value) or isinstance(value, list) and \
        value != [] and all(map(kind, value))


def is_license(value):
    """Says whether a value is a license, some, or a map of names to addresses."""
    if isinstance(value, dict):
        return value != {} and all(map(is_text, value)) and \
            all(map(is_uri, value.values()))
    return is_list(lambda one: isinstance(one, str) and one in LICENSES)(value)


def is_map(keys, required=()):
    """Returns a check of a map with these keys, some of which have to be there.

    Keys that begin with x_ are anybody's.
    """
    def check(value):
        return isinstance(value, dict) and all(key in value for key in required) and \
            all(key.lower().startswith("x_") or key in keys and keys[key](item)
                for key, item in value.items())
    return check


def is_map_of(kind):
    """Returns a check of a map of names to values of a kind."""
    return lambda value: isinstance(value, dict) and value != {} and \
        all(map(is_term, value)) and all(map(kind, value.values()))


IS_EXTENSION = is_map({
    "file": is_text, "version": is_version, "abstract": is_text, "docfile": is_text,
}, required=("file", "version"))
IS_PHASE = is_map(dict.fromkeys(RELATIONS, is_map_of(is_range)))
KEYS = {
    "name": is_term,
    "version": is_version,
    "abstract": is_text,
    "maintainer": is_list(is_text),
    "license": is_license,
    "provides": is_map_of(IS_EXTENSION),
    "meta-spec": is_map({"version": is_version, "url": is_uri}, required=("version",)),
    "description": is_text,
    "generated_by": is_text,
    "tags": lambda value: isinstance(value, list) and value != [] and
            all(isinstance(tag, str) and TAG.fullmatch(tag) for tag in value),
    "no_index": is_map({"file": is_list(is_text), "directory": is_list(is_text)}),
    "prereqs": is_map(dict.fromkeys(PHASES, IS_PHASE)),
    "release_status": lambda value: value in ("stable", "testing", "unstable"),
    "resources": is_map({
        "homepage": is_uri,
        "bugtracker": is_map({"web": is_uri, "mailto": is_text}),
        "repository": is_map({"url": is_uri, "web": is_uri, "type": is_text}),
    }),
}
REQUIRED = ("name", "version", "abstract", "maintainer", "license", "provides",
            "meta-spec")


def meta_faults(meta):
    """Returns what is wrong with META.json's contents."""
    if not isinstance(meta, dict):
        return ["META.json is no map"]
    faults = [f"META.json: no {key}" for key in REQUIRED if key not in meta]
    for key, value in meta.items():
        if key.lower().startswith("x_"):
            continue
        if key not in KEYS:
            faults.append(f"META.json: unknown key {key}")
        elif not KEYS[key](value):
            faults.append(f"META.json: {key} cannot be {json.dumps(value)}")
    return faults


def read(path):
    """Returns a file's text; none for one that is not there."""
    try:
        with open(os.path.join(ROOT, path), encoding="utf-8") as source:
            return source.read()
    except FileNotFoundError:
        return ""


def named_files_faults(meta):
    """Returns what META.json names that is not there."""
    return [f"META.json: there is no {extension[key]}"
            for extension in meta["provides"].values() for key in ("file", "docfile")
            if key in extension and not os.path.exists(os.path.join(ROOT, extension[key]))]


def release_faults():
    """Returns where another release is named, and which scripts are missing."""
    release = re.search(r"default_version = '([^']*)'", read("warpagg.control")).group(1)
    faults = []
    for path, pattern in RELEASES.items():
        named = re.findall(pattern, read(path), re.M)
        if not named or any(one != release for one in named):
            faults.append(f"{path} names {named}, warpagg.control {release}")
    data = re.search(r"^DATA = (.*)$", read("Makefile").replace("\\\n", " "), re.M)
    scripts = set(data.group(1).split())
    there = {f"sql/{name}" for name in os.listdir(os.path.join(ROOT, "sql"))
             if "--" in name}
    if scripts != there:
        faults.append(f"the Makefile installs {sorted(scripts)}, "
                      f"and there are {sorted(there)}")
    if f"sql/warpagg--{release}.sql" not in there:
        faults.append(f"there is no sql/warpagg--{release}.sql")
    return faults


def changed(meta, path, value):
    """Returns a copy with one value replaced, or removed if it is None."""
    result = copy.deepcopy(meta)
    place = result
    for key in path[:-1]:
        place = place[key]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return result


def self_test(meta):
    """Plants faults; returns those that are not found, and good values that are."""
    bad = [((key,), None) for key in REQUIRED]
    bad += [((key,), 1.5) for key in meta]
    bad += [(("name",), "a b"), (("name",), "a/b"), (("version",), "0.2"),
            (("version",), "0.02.0"), (("license",), "ours"), (("more",), "x"),
            (("license",), {"ours": "somewhere"}), (("maintainer",), []),
            (("provides",), {}), (("provides", "warpagg", "file"), None),
            (("provides", "warpagg", "version"), "1"),
            (("provides", "warpagg", "more"), "x"),
            (("meta-spec", "version"), None), (("tags",), ["a/b"]),
            (("prereqs", "run"), {}), (("prereqs", "runtime", "needs"), {"a": 0}),
            (("prereqs", "runtime", "requires", "PostgreSQL"), "15"),
            (("release_status",), "old"), (("resources",), {"homepage": "here"})]
    good = [(("version",), "1.2.3b4"), (("license",), ["mit", "postgresql"]),
            (("license",), {"ours": "https://example.org/ours"}),
            (("maintainer",), ["a <a@example.org>", "b"]), (("x_more",), 1),
            (("prereqs", "runtime", "requires", "PostgreSQL"), ">= 15.0.0, < 20.0.0"),
            (("prereqs", "runtime", "requires", "plpgsql"), 0)]
    wrong = [f"not found: {case}" for case in bad if not meta_faults(changed(meta, *case))]
    wrong += [f"found: {case}" for case in good if meta_faults(changed(meta, *case))]
    return wrong


def main():
    """Checks, or checks the check; returns the exit status."""
    meta = json.loads(read("META.json"))
    if sys.argv[1:] == ["--self-test"]:
        faults = self_test(meta)
    else:
        faults = meta_faults(meta)
        faults += [] if faults else named_files_faults(meta)
        faults += release_faults()
    for fault in faults:
        print(fault)
    print(f"{len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
