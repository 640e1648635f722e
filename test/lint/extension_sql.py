#!/usr/bin/env python3
"""extension_sql.py: checks that extension scripts look nothing up by search_path.

CREATE EXTENSION and ALTER EXTENSION UPDATE run a script as a superuser with the extension's schema in
search_path, and whoever may create objects in that schema could have a function,
operator, type or table of theirs taken for PostgreSQL's.  So in sql/warpagg--*.sql

  - a name begins with pg_catalog, or is a word of the grammar, or is one that the
    script itself has made: an object, an alias (written with AS), a variable;
  - an operator is written OPERATOR(pg_catalog.=), and what stands for one (IN,
    LIKE, BETWEEN, CASE x WHEN, NULLIF, USING, IS DISTINCT FROM) is not used;
  - what is called, and each type, begins with pg_catalog or is a word of the
    grammar, such as bigint; an own function is called without arguments only, as
    an overload could be a better match;
  - a string that is cast to pg_catalog.regclass or the like names its schema;
  - the same holds in the bodies of DO and of functions, and in strings there that
    become SQL;
  - a function in another language than C has SET search_path = pg_catalog, pg_temp;
  - statements are of the kinds in STATEMENTS, which this check can read; in the
    script of an update (x--1--2.sql) of those in UPDATE_STATEMENTS, too.

Usage: extension_sql.py FILE...     prints each fault as FILE:LINE: text
       extension_sql.py --self-test  says whether planted faults are found
The last line counts files, or cases, and faults; exit status 1 if there was a fault.
"""

import re
import sys

# Words of the grammar that the script may use, which name no object.
WORDS = set("""
    aggregate all alter and any array as asc begin by c called cascade case comment constant
    create cross declare default delete desc distinct do drop else elsif end execute exception
    exists false filter first for from full function grant group having if immutable in
    inner inout input insert into is join language last lateral left leakproof limit loop not
    notice null nulls of offset on only or order out outer over parallel partition perform
    plpgsql public raise restricted return returns revoke right row safe select set
    setof shareable some sql stable strict support table then to true union unsafe update using
    values variadic view volatile warning when where while with
""".split())

# Words that may stand before a parenthesis without calling anything.
OPENING = set("""
    all and any array as by coalesce else elsif exists filter from greatest having if
    in lateral least not null on or over return row select some then using values when
    where
""".split())

# Words of the grammar that are types, or parts of types.
TYPES = set("""
    bigint bit boolean char character dec decimal double float int integer interval
    national nchar numeric precision real smallint time timestamp varchar varying
    with without zone
""".split())

# What CREATE AGGREGATE and RAISE are told, each with "=".
OPTIONS = set("""
    sfunc stype sspace finalfunc finalfunc_extra finalfunc_modify combinefunc
    serialfunc deserialfunc initcond msfunc minvfunc mstype msspace mfinalfunc
    mfinalfunc_extra mfinalfunc_modify minitcond sortop parallel
    detail errcode hint message
""".split())

MODES = {"in", "out", "inout", "variadic"}
CATALOG = "pg_catalog"
OWN = re.compile(r"(warpagg|gpu)_")
REG = re.compile(r"reg(class|collation|config|dictionary|oper|operator|proc|procedure|type)$")

# A part of a name; %I, %s and %L are places in a string for format().
PART = r'(?:"(?:[^"]|"")*"|(?:[A-Za-z_]|%(?:\d+\$)?[IsL])(?:\w|%(?:\d+\$)?[IsL])*)'
OPERATOR = r"[-+*/<>=~!@#%^&|`?]+"
TOKEN = re.compile(rf"""
    (?P<space>\s+ | --[^\n]* | /\*.*?\*/)
  | (?P<string>'(?:[^']|'')*'(?:[^\S\n]*\n\s*'(?:[^']|'')*')*)
  | (?P<body>\$(?P<tag>\w*)\$.*?\$(?P=tag)\$)
  | (?P<safe>operator\s*\(\s*{CATALOG}\s*\.\s*(?:{OPERATOR}|%s)\s*\))
  | (?P<name>{PART}(?:\s*\.\s*(?:\*|{PART}))*)
  | (?P<number>\d+(?:\.\d+)?)
  | (?P<punct>::|:=|[()\[\],;])
  | (?P<operator>{OPERATOR})
  | (?P<other>.)
""", re.X | re.S | re.I)


class Token:
    """One token: its kind, its text, its line, the parts of a name."""

    def __init__(self, kind, text, line):
        self.kind, self.text, self.line = kind, text, line
        self.parts = []
        if kind == "name":
            self.parts = [part if part[0] == '"' else part.lower()
                          for part in re.findall(PART + r"|\*", text)]

    @property
    def word(self):
        """What may be a word of the grammar, in lower case, or None."""
        if len(self.parts) == 1 and self.parts[0][0] != '"':
            return self.parts[0]
        return None

    def in_catalog(self):
        """Says whether this is the name of something in pg_catalog."""
        return len(self.parts) == 2 and self.parts[0] == CATALOG

    def value(self):
        """Returns what a string stands for, its pieces joined over lines."""
        if self.kind == "body":
            return re.sub(r"^\$\w*\$|\$\w*\$$", "", self.text)
        pieces = re.findall(r"'((?:[^']|'')*)'", self.text)
        return "\n".join(pieces).replace("''", "'")


class Tokens(list):
    """Tokens, with nothing before the first and after the last."""

    def __init__(self, text, line=1):
        super().__init__()
        for match in TOKEN.finditer(text):
            kind = "body" if match.lastgroup == "tag" else match.lastgroup
            if kind != "space":
                self.append(Token(kind, match.group(0), line))
            line += match.group(0).count("\n")
        self.end = Token("end", "", line)

    def at(self, i):
        """Returns a token, or one without a meaning."""
        return self[i] if 0 <= i < len(self) else self.end

    def part(self, start, end=None):
        """Returns some of the tokens."""
        part = Tokens("", self.end.line)
        part.extend(self[start:end])
        return part

    def split(self):
        """Returns the statements."""
        starts = [0] + [i + 1 for i, token in enumerate(self) if token.text == ";"]
        ends = [start - 1 for start in starts[1:]] + [len(self)]
        return [self.part(start, end) for start, end in zip(starts, ends)]

    def raises(self, i):
        """Says whether the token belongs to RAISE."""
        while i >= 0 and self[i].text != ";" and self[i].word not in ("then", "begin"):
            if self[i].word == "raise":
                return True
            i -= 1
        return False

    def sets(self, i):
        """Says whether this is the column in UPDATE ... SET column =."""
        return self.at(i - 1).word == "set" and self.at(i + 1).text == "="

    def aliases(self):
        """Returns the names after AS, those in a list too, and loop variables."""
        found = set()
        for i, token in enumerate(self):
            if token.word == "for":
                found.update(self.at(i + 1).parts)
            if token.word != "as" or self.at(i + 1).kind != "name":
                continue
            found.update(self.at(i + 1).parts)
            i += 3
            while self.at(i - 1).text in ("(", ",") and self.at(i).kind == "name":
                found.update(self.at(i).parts)
                i += 2
        return found - WORDS


class Check:
    """Reads one script; what it has made so far, and its faults."""

    def __init__(self, text, is_update=False):
        self.faults = []
        self.statements = STATEMENTS | (UPDATE_STATEMENTS if is_update else {})
        self.functions = set()
        self.views = set()
        self.columns = set()
        # what psql is told, should it be given the script
        text = re.sub(r"^\\echo .*\\quit$", "", text, flags=re.M)
        for statement in Tokens(text).split():
            if statement:
                self.statement(statement)

    def fault(self, token, text):
        """Notes a fault."""
        self.faults.append((token.line, text))

    def looked_up(self, token, what):
        """Notes that a name depends on search_path."""
        self.fault(token, f"{what} {token.text or '(none)'} does not begin with "
                   f"{CATALOG}")

    def statement(self, tokens):
        """Checks one statement."""
        words = tuple(token.word for token in tokens)
        for kind, check in self.statements.items():
            if words[:len(kind)] == kind:
                check(self, tokens, len(kind))
                return
        first = " ".join(token.text for token in tokens[:2])
        self.fault(tokens[0], f"this check cannot read {first} ...")

    #
    # Statements; "i" is where what is special begins
    #

    def create_function(self, tokens, i):
        """Checks CREATE FUNCTION; its arguments may be columns of views."""
        name = self.new_name(tokens.at(i))
        i = self.arguments(tokens, i + 1, self.columns)
        if tokens.at(i).word == "returns":
            i = self.type(tokens, i + 1)
        options = tokens.part(i)
        words = [token.word for token in options]
        if "language" in words and words[words.index("language") + 1:][:1] != ["c"]:
            self.function_in_sql(options)
            return
        self.code(options, set())
        self.functions.add(name)

    def function_in_sql(self, options):
        """Checks what follows the result of a function in SQL or PL."""
        words = [token.word or token.text for token in options]
        path = ["set", "search_path", "=", CATALOG, ",", "pg_temp"]
        starts = [i for i in range(len(words)) if words[i:i + len(path)] == path]
        if len(starts) != 1:
            self.fault(options.at(0), "a function in another language than C needs "
                       "SET search_path = pg_catalog, pg_temp")
            return
        rest = options.part(0, starts[0])
        rest.extend(options[starts[0] + len(path):])
        self.code(rest, set())
        for token in rest:
            if token.kind in ("string", "body"):
                self.body(token)

    def create_aggregate(self, tokens, i):
        """Checks CREATE AGGREGATE."""
        name = self.new_name(tokens.at(i))
        i = self.arguments(tokens, i + 1, set())
        self.code(tokens.part(i), set())
        self.functions.add(name)

    def create_view(self, tokens, i):
        """Checks CREATE VIEW."""
        name = self.new_name(tokens.at(i))
        self.code(tokens.part(i + 1), self.columns)
        self.views.add(name)

    def rename_function(self, tokens, i):
        """Checks ALTER FUNCTION, which may rename one that was there."""
        self.new_name(tokens.at(i))
        i = self.arguments(tokens, i + 1, set())
        if [token.word for token in tokens[i:i + 2]] != ["rename", "to"] or \
                len(tokens) != i + 3:
            self.fault(tokens[0], "ALTER FUNCTION renames one, and nothing else")
        self.functions.add(self.new_name(tokens.at(i + 2)))

    def drop_function(self, tokens, i):
        """Checks DROP FUNCTION of what the script has made, or renamed."""
        if self.own_object(tokens, i - 1) != len(tokens):
            self.fault(tokens[0], "DROP FUNCTION drops one that nothing needs")

    def do(self, tokens, i):
        """Checks DO."""
        if len(tokens) != i + 1 or tokens[i].kind != "body":
            self.fault(tokens[0], "DO has a body in dollars, and nothing else")
        else:
            self.body(tokens[i])

    def comment(self, tokens, i):
        """Checks COMMENT ON."""
        self.code(tokens.part(self.own_object(tokens, i)), set())

    def grant(self, tokens, i):
        """Checks GRANT and REVOKE; roles are in no schema."""
        while i < len(tokens) and tokens[i].word != "on":
            i += 1
        while i < len(tokens) and tokens[i].word not in ("to", "from"):
            i = self.own_object(tokens, i + 1)

    #
    # Parts of statements; those with "i" return where the part has ended
    #

    def new_name(self, token):
        """Returns the name of an object that is being made."""
        if len(token.parts) != 1 or not OWN.match(token.parts[0]):
            self.fault(token, f"{token.text} is no name for a new object")
            return ""
        return token.parts[0]

    def own_object(self, tokens, i):
        """Checks what is commented or granted."""
        known = self.views
        if tokens.at(i).word in ("function", "aggregate"):
            known = self.functions
        i += tokens.at(i).word in ("aggregate", "column", "function", "table", "view")
        token = tokens.at(i)
        if not token.parts or token.parts[0] not in known:
            self.fault(token, f"{token.text} is nothing that the script has made")
        if tokens.at(i + 1).text == "(":
            return self.arguments(tokens, i + 1, set())
        return i + 1

    def arguments(self, tokens, i, names):
        """Checks a list of arguments, and adds their names."""
        if tokens.at(i).text != "(":
            self.fault(tokens.at(i), "a list of arguments is missing")
            return i
        i += 1
        while i < len(tokens) and tokens[i].text != ")":
            if tokens[i].text in (",", "*") or tokens[i].word in ("order", "by"):
                i += 1
                continue
            i += tokens[i].word in MODES
            if tokens.at(i + 1).kind == "name" and \
                    tokens.at(i + 1).word not in TYPES - {tokens.at(i + 1).text} \
                    and tokens.at(i + 1).word not in ("default", "order"):
                names.update(tokens.at(i).parts)
                i += 1
            i = self.default(tokens, self.type(tokens, i))
        return i + 1

    def default(self, tokens, i):
        """Checks the rest of an argument, behind its type."""
        start = i
        depth = 0
        while i < len(tokens) and (depth > 0 or tokens[i].text not in (",", ")")
                                   and tokens[i].word != "order"):
            depth += (tokens[i].text == "(") - (tokens[i].text == ")")
            i += 1
        self.code(tokens.part(start, i), set())
        return i

    def type(self, tokens, i):
        """Checks a type."""
        i += tokens.at(i).word == "setof"
        if not tokens.at(i).in_catalog() and tokens.at(i).word not in TYPES:
            self.looked_up(tokens.at(i), "type")
        i += 1
        while tokens.at(i).text in ("[", "]") or tokens.at(i).word in TYPES:
            i += 1
        return i

    def body(self, token):
        """Checks the body of DO or of a function."""
        tokens = Tokens(token.value(), token.line)
        known = set()
        for i, this in enumerate(tokens):
            if this.word == "declare":
                known |= self.variables(tokens, i + 1)
        self.code(tokens, known)
        for i, this in enumerate(tokens):
            if this.kind in ("string", "body") and becomes_sql(tokens, i):
                self.code(Tokens(this.value(), this.line), set(), fragment=True)

    def variables(self, tokens, i):
        """Checks the types of variables, and returns their names."""
        names = set()
        while i < len(tokens) and tokens[i].word != "begin":
            names.update(tokens[i].parts)
            i += 1 + (tokens.at(i + 1).word == "constant")
            i = self.type(tokens, i)
            while i < len(tokens) and tokens[i].text != ";":
                i += 1
            i += 1
        return names

    def code(self, tokens, known, fragment=False):
        """Checks tokens in which nothing may be looked up but what is known.

        A fragment is a string that becomes a part of SQL.
        """
        known = known | tokens.aliases()
        for i, token in enumerate(tokens):
            if token.kind == "other":
                self.fault(token, f"this check cannot read {token.text}")
            elif token.kind == "operator":
                self.operator(tokens, i)
            elif token.text == "::":
                self.cast(tokens, i)
            elif token.kind == "name":
                self.name(tokens, i, known, fragment)
                self.hidden_operator(tokens, i)

    def operator(self, tokens, i):
        """Checks an operator as such, or what looks like one."""
        before = tokens.at(i - 1)
        if tokens[i].text == "=" and before.word in ("stype", "mstype"):
            self.type(tokens, i + 1)
        elif not (tokens[i].text == "=" and
                  (before.word in OPTIONS or tokens.sets(i - 1)) or
                  tokens[i].text == "*" and
                  (before.text in ("(", ",") or before.word == "select")):
            self.looked_up(tokens[i], "operator")

    def cast(self, tokens, i):
        """Checks a cast, and the name in a string that is cast."""
        self.type(tokens, i + 1)
        target = tokens.at(i + 1)
        value = tokens.at(i - 1)
        if target.in_catalog() and REG.match(target.parts[1]) and not (
                value.kind == "string" and value.value().startswith(CATALOG + ".")):
            self.fault(value, f"{value.text}, cast to {target.text}, does not begin "
                       f"with {CATALOG}")

    def name(self, tokens, i, known, fragment):
        """Checks a name: that it is known, and may stand where it does."""
        token, before, after = tokens[i], tokens.at(i - 1), tokens.at(i + 1)
        first = token.parts[0]
        made = first in self.functions | self.views or \
            fragment and (OWN.match(first) or first.startswith("%"))
        if token.in_catalog() or len(token.parts) == 3 and first == CATALOG:
            return
        if after.text == "(":
            self.call(tokens, i, made)
        elif before.word in ("from", "join", "only", "update") or \
                before.word == "into" and tokens.at(i - 2).word == "insert":
            if not made and token.word not in ("lateral", "only"):
                self.looked_up(token, "relation")
        elif after.kind in ("string", "body") and \
                token.word not in WORDS | TYPES:
            self.looked_up(token, "type")
        elif not (made or first in known or tokens.sets(i) or
                  token.word in WORDS | TYPES | OPTIONS):
            self.looked_up(token, "name")

    def call(self, tokens, i, made):
        """Checks a name before a parenthesis."""
        before = tokens.at(i - 1)
        if tokens[i].word in OPENING | TYPES or before.word == "as":
            return
        if not made or not (before.word in ("aggregate", "function") or
                            tokens.at(i + 2).text == ")"):
            self.looked_up(tokens[i], "function")

    def hidden_operator(self, tokens, i):
        """Checks a word that may stand for an operator."""
        word = tokens[i].word
        before, after = tokens.at(i - 1), tokens.at(i + 1)
        if word in ("between", "ilike", "like", "natural", "nullif", "overlaps",
                    "similar") or \
                word == "in" and tokens.at(i - 2).word != "for" or \
                word == "using" and not tokens.raises(i) or \
                word == "case" and after.word != "when" and before.word != "end" or \
                word == "distinct" and before.word in ("is", "not"):
            self.fault(tokens[i], f"{tokens[i].text} stands for an operator")


STATEMENTS = {
    ("create", "function"): Check.create_function,
    ("create", "aggregate"): Check.create_aggregate,
    ("create", "view"): Check.create_view,
    ("comment", "on"): Check.comment,
    ("grant",): Check.grant,
    ("revoke",): Check.grant,
    ("do",): Check.do,
}
UPDATE_STATEMENTS = {
    ("create", "or", "replace", "view"): Check.create_view,
    ("alter", "function"): Check.rename_function,
    ("drop", "function"): Check.drop_function,
}


def becomes_sql(tokens, i):
    """Says whether a string in a body may become SQL.

    A single word does only if it is a format, executed, or assigned.
    """
    if tokens.raises(i):
        return False
    before = tokens.at(i - 1)
    return re.fullmatch(r"[\w.]*", tokens[i].value()) is None or \
        before.text == ":=" or before.word == "execute" or \
        before.text == "(" and tokens.at(i - 2).parts == [CATALOG, "format"]


# Scripts without a fault, and scripts with one.
GOOD = [
    "CREATE FUNCTION warpagg_f(a pg_catalog.text, b double precision DEFAULT NULL, "
    "OUT c bigint, OUT name pg_catalog.name) RETURNS SETOF pg_catalog.record AS "
    "'MODULE_PATHNAME' LANGUAGE C STRICT; "
    "REVOKE ALL ON FUNCTION warpagg_f(pg_catalog.text, double precision) FROM PUBLIC; "
    "GRANT EXECUTE ON FUNCTION warpagg_f(pg_catalog.text, double precision) "
    "TO pg_monitor; COMMENT ON FUNCTION warpagg_f(pg_catalog.text, double precision) "
    "IS 'what it does: a = b(c), in SQL'",
    "CREATE FUNCTION warpagg_f(OUT pid integer, OUT up boolean) RETURNS SETOF "
    "pg_catalog.record AS 'MODULE_PATHNAME' LANGUAGE C; "
    "CREATE VIEW warpagg_f AS SELECT f.pid, up, f.pid OPERATOR(pg_catalog.+) 1 AS next "
    "FROM warpagg_f() AS f WHERE f.up; GRANT SELECT ON warpagg_f TO PUBLIC; "
    "COMMENT ON VIEW warpagg_f IS 'a view'",
    "CREATE FUNCTION warpagg_f(a pg_catalog.int4) RETURNS pg_catalog.bool LANGUAGE sql "
    "SET search_path = pg_catalog, pg_temp AS 'SELECT true'",
    "DO $$ DECLARE t pg_catalog.text; b boolean; r pg_catalog.record; n bigint; "
    "BEGIN b := t OPERATOR(pg_catalog.=) ALL (ARRAY['a', 'b']); "
    "b := 'pg_catalog.int4'::pg_catalog.regtype IS NULL; "
    "t := CASE WHEN b THEN t ELSE 'pg_catalog.int4' END; "
    "FOR r IN SELECT p.oid FROM pg_catalog.pg_proc AS p LOOP "
    "EXECUTE pg_catalog.format('CREATE FUNCTION %I(pg_catalog.internal) RETURNS "
    "pg_catalog.%I AS ''MODULE_PATHNAME'', %L LANGUAGE C', t, t, 'ab'); "
    "UPDATE pg_catalog.pg_proc AS p SET proname = t WHERE b; "
    "DELETE FROM pg_catalog.pg_description AS d WHERE b; "
    "END LOOP; END $$",
    "DO $$ DECLARE n bigint := 0; BEGIN SELECT pg_catalog.count(*) INTO STRICT n; "
    "IF n OPERATOR(pg_catalog.>) 1 THEN RAISE EXCEPTION USING MESSAGE = 'a = f(b)'; "
    "END IF; END $$",
]
BAD = [
    "SELECT pg_catalog.now()",
    "CREATE TABLE warpagg_t (a bigint)",
    "CREATE OR REPLACE FUNCTION warpagg_f() RETURNS pg_catalog.void AS 'm' LANGUAGE C",
    "CREATE FUNCTION f() RETURNS pg_catalog.void AS 'm' LANGUAGE C",
    "CREATE FUNCTION warpagg_f(internal) RETURNS pg_catalog.internal AS 'm' LANGUAGE C",
    "CREATE FUNCTION warpagg_f(a text) RETURNS pg_catalog.void AS 'm' LANGUAGE C",
    "CREATE FUNCTION warpagg_f(OUT name) AS 'm' LANGUAGE C",
    "CREATE FUNCTION warpagg_f() RETURNS SETOF record AS 'm' LANGUAGE C",
    "CREATE FUNCTION warpagg_f() RETURNS public.x AS 'm' LANGUAGE C",
    "CREATE FUNCTION warpagg_f(a bigint DEFAULT now()) RETURNS bigint AS 'm' LANGUAGE C",
    "CREATE FUNCTION warpagg_f(a bigint DEFAULT 1 + 1) RETURNS bigint AS 'm' LANGUAGE C",
    "CREATE FUNCTION warpagg_f() RETURNS bigint AS 'm' LANGUAGE C SUPPORT helper",
    "CREATE FUNCTION warpagg_f() RETURNS bigint LANGUAGE sql AS 'SELECT 1'",
    "CREATE FUNCTION warpagg_f() RETURNS bigint LANGUAGE sql SET search_path = "
    "public AS 'SELECT 1'",
    "CREATE FUNCTION warpagg_f() RETURNS bigint LANGUAGE sql SET search_path = "
    "pg_catalog, pg_temp AS 'SELECT abs(1)'",
    "CREATE AGGREGATE gpu_x(text) (SFUNC = pg_catalog.int8inc, STYPE = bigint)",
    "CREATE AGGREGATE gpu_x(*) (SFUNC = int8inc, STYPE = bigint)",
    "CREATE AGGREGATE gpu_x(pg_catalog.float8 ORDER BY float8) (STYPE = pg_catalog.internal)",
    "CREATE AGGREGATE gpu_x(*) (SFUNC = pg_catalog.int8inc, STYPE = int8)",
    "CREATE AGGREGATE gpu_x(*) (SFUNC = pg_catalog.int8inc, STYPE = bigint, SORTOP = <)",
    "CREATE VIEW warpagg_v AS SELECT * FROM pg_class",
    "CREATE VIEW warpagg_v AS SELECT * FROM public.pg_class",
    "CREATE VIEW warpagg_v AS SELECT c.oid::text FROM pg_catalog.pg_class AS c",
    "CREATE VIEW warpagg_v AS SELECT c.oid FROM pg_catalog.pg_class c",
    "CREATE VIEW warpagg_v AS SELECT left('ab', 1)",
    "CREATE VIEW warpagg_v AS SELECT date '2000-01-01' AS d",
    "CREATE VIEW warpagg_v AS SELECT CAST(1 AS text) AS d",
    "GRANT SELECT ON other TO PUBLIC",
    "COMMENT ON FUNCTION warpagg_g() IS 'not made here'",
    "DO LANGUAGE plpgsql 'BEGIN END'",
]
BAD += [f"CREATE FUNCTION warpagg_f(a pg_catalog.text) RETURNS pg_catalog.void AS 'm' "
        f"LANGUAGE C; {rest}" for rest in [
            "COMMENT ON FUNCTION warpagg_f(text) IS 'a type'",
            "GRANT EXECUTE ON FUNCTION warpagg_f(text) TO PUBLIC",
            "CREATE VIEW warpagg_f AS SELECT warpagg_f('a')",
        ]]
BAD += [f"DO $$ DECLARE t pg_catalog.text; b boolean; r pg_catalog.record; n bigint; "
        f"BEGIN {body}; END $$" for body in [
            "t := format('%I', t)",
            "t := quote_ident(t)",
            "t := public.quote_ident(t)",
            "t := t || t",
            "b := t = t",
            "b := t OPERATOR(public.=) t",
            "b := t OPERATOR(=) t",
            "b := n <> ALL (ARRAY[1])",
            "n := - n",
            "b := t IN ('a', 'b')",
            "b := t NOT IN ('a')",
            "b := t LIKE 'a'",
            "b := n BETWEEN 1 AND 2",
            "b := t IS DISTINCT FROM t",
            "t := NULLIF(t, t)",
            "t := CASE t WHEN t THEN t END",
            "t := 'a'::name",
            "b := 'int'::pg_catalog.regtype IS NULL",
            "b := t::pg_catalog.regclass IS NULL",
            "t := CURRENT_SCHEMA()",
            "SELECT p.oid FROM pg_catalog.pg_proc AS p JOIN pg_catalog.pg_aggregate AS a "
            "USING (oid)",
            "SELECT p.oid FROM pg_catalog.pg_proc AS p NATURAL JOIN pg_catalog.pg_type",
            "UPDATE pg_proc SET prorettype = 1",
            "UPDATE pg_catalog.pg_proc AS p SET proname = t WHERE p.oid = 1",
            "DELETE FROM pg_catalog.pg_description AS d WHERE d.objoid = 1",
            "DELETE FROM pg_description",
            "INSERT INTO t VALUES (1)",
            "FOR r IN SELECT p.oid FROM pg_proc AS p LOOP NULL; END LOOP",
            "EXECUTE 'SELECT evil()'",
            "EXECUTE 'COMMENT ON FUNCTION warpagg_f(text) IS NULL'",
            "EXECUTE pg_catalog.format('CREATE FUNCTION %I(internal) RETURNS bigint', t)",
            "EXECUTE pg_catalog.format('CREATE AGGREGATE %I (STYPE = internal)', t)",
            "EXECUTE pg_catalog.format('SORTOP = operator(public.%s)', t)",
            "EXECUTE pg_catalog.format('SORTOP = %s', '<=')",
            "t := 'internal'",
            "EXECUTE $x$SELECT evil()$x$",
            "PERFORM evil()",
        ]]
BAD += ["DO $$ DECLARE t text; BEGIN NULL; END $$",
        "DO $$ DECLARE t record; BEGIN NULL; END $$"]

# The same of updates, whose statements have no place in an install script.
UPDATE = "CREATE FUNCTION warpagg_f() RETURNS bigint AS 'm' LANGUAGE C; "
GOOD_UPDATES = [
    "ALTER FUNCTION warpagg_f(pg_catalog.text) RENAME TO warpagg_g; " + UPDATE +
    "DROP FUNCTION warpagg_g(pg_catalog.text)",
    UPDATE + "CREATE OR REPLACE VIEW warpagg_f AS SELECT * FROM warpagg_f()",
]
BAD_UPDATES = [
    "ALTER FUNCTION f() RENAME TO warpagg_g",
    "ALTER FUNCTION warpagg_f() RENAME TO g",
    "ALTER FUNCTION warpagg_f(text) RENAME TO warpagg_g",
    "ALTER FUNCTION warpagg_f() OWNER TO mallory",
    "DROP FUNCTION warpagg_f()",
    UPDATE + "DROP FUNCTION warpagg_f(text)",
    UPDATE + "DROP FUNCTION warpagg_f() CASCADE",
    UPDATE + "DROP FUNCTION IF EXISTS warpagg_f()",
    "CREATE OR REPLACE VIEW warpagg_v AS SELECT * FROM pg_class",
    "CREATE OR REPLACE FUNCTION warpagg_f() RETURNS pg_catalog.void AS 'm' LANGUAGE C",
]


def self_test():
    """Checks the check; returns the exit status."""
    cases = [(text, False, True) for text in GOOD]
    cases += [(text, False, False) for text in BAD + BAD_UPDATES + GOOD_UPDATES]
    cases += [(text, True, True) for text in GOOD + GOOD_UPDATES]
    cases += [(text, True, False) for text in BAD + BAD_UPDATES]
    wrong = 0
    for text, is_update, is_good in cases:
        faults = Check(text, is_update).faults
        if bool(faults) == is_good:
            wrong += 1
            print(f"{'no fault: ' + str(faults) if faults else 'fault not found'}: "
                  f"{text}")
    print(f"{len(cases)} cases, {wrong} faults")
    return 1 if wrong else 0


def main(paths):
    """Checks all files; returns the exit status."""
    faults = 0
    for path in paths:
        with open(path, encoding="utf-8") as source:
            check = Check(source.read(), path.count("--") == 2)
        for line, fault in sorted(check.faults):
            print(f"{path}:{line}: {fault}")
        faults += len(check.faults)
    print(f"{len(paths)} files, {faults} faults")
    return 1 if faults or not paths else 0


if __name__ == "__main__":
    sys.exit(self_test() if sys.argv[1:] == ["--self-test"] else main(sys.argv[1:]))
