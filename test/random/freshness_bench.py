"""What the cases of freshness_cases.py work with: a table, and sessions that look."""

from session import Session

ROWS = 20000
FILL = "SELECT i, i % 7, i * 3, i / 8.0, i / 100.0, 's' || i % 11, " \
       "date '2020-01-01' + i % 400 FROM generate_series({first}, {last}) i"
COLUMNS = "id int, k int, v bigint, f float8, n numeric(12,2), s text, d date"
QUERIES = [
    "SELECT count(*), sum(v), min(id), max(k), min(f), sum(n) FROM {t}",
    "SELECT s, count(*), sum(n), max(d) FROM {t} GROUP BY s ORDER BY s",
    "SELECT count(*), sum(v - id) FROM {t} WHERE k = 3 AND n > 50",
]


class Bench:
    """Sessions, a table, and the count of what was checked."""

    def __init__(self):
        self.owner = Session()
        self.other = Session()
        self.old = Session()
        self.sessions = [self.owner, self.other, self.old]
        self.passed = self.failed = self.differences = 0
        self.case = None
        self.rule = 0
        self.table = "wa_cases.t"
        for session in self.sessions:
            session.run("LOAD 'warpagg'")

    def skip(self, rule):
        """Leaves out a rule everywhere, and counts differences alone."""
        self.rule = rule
        self.owner.run(f"ALTER SYSTEM SET warpagg.debug_skip_rule = {rule}")
        self.owner.run("SELECT pg_reload_conf(), pg_sleep(0.5)")
        for session in self.sessions:
            session.run(f"SET warpagg.debug_skip_rule = {rule}")

    def open(self):
        """Returns a further session."""
        session = Session()
        self.sessions.append(session)
        session.run("LOAD 'warpagg'")
        if self.rule:
            session.run(f"SET warpagg.debug_skip_rule = {self.rule}")
        return session

    def close(self):
        """Ends the sessions."""
        if self.rule:
            self.owner.run("ALTER SYSTEM RESET warpagg.debug_skip_rule")
            self.owner.run("SELECT pg_reload_conf(), pg_sleep(0.5)")
        for session in self.sessions:
            session.close()

    def count(self, ok, what):
        """Counts a check."""
        if self.rule:
            return
        if ok:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED  {self.case}: {what}", flush=True)

    def answers(self, session, query):
        """Returns what the node and PostgreSQL answer, in the same snapshot."""
        answers = []
        for scan in ("on", "off"):
            session.run(f"SET LOCAL warpagg.enable_scan = {scan}")
            answers.append(session.ask(query))
        return answers

    def run(self, statement):
        """Has the owner run a statement about {t}, the table."""
        return self.owner.run(statement.format(t=self.table))

    def compare(self, session, step):
        """Compares the answers in the transaction that a session is in."""
        for query in QUERIES:
            node, postgres = self.answers(session, query.format(t=self.table))
            self.differences += node != postgres
            self.count(node == postgres and postgres[0] == "00000",
                       f"{step}: {query}\n  node {node[0]} {node[1][:3]}\n"
                       f"  PostgreSQL {postgres[0]} {postgres[1][:3]}")

    def look(self, step):
        """Compares in a new snapshot, and in the old one if there is one."""
        self.other.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
        self.compare(self.other, step)
        self.other.run("COMMIT")
        if self.old.run("SELECT now() <> statement_timestamp()")[0][0] == "t":
            self.compare(self.old, f"{step}, old snapshot")

    def resident_blocks(self, session=None):
        """Returns how many blocks of the table a query takes from memory."""
        session = session or self.owner
        session.run("SET warpagg.enable_scan = on")
        rows = session.run(
            "EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) "
            "SELECT sum(v), min(id) FROM " + self.table)
        return next((int(row[0].split(":")[1]) for row in rows
                     if "Resident Blocks:" in row[0]), 0)

    def blocks(self):
        """Returns how many blocks of the table have rows."""
        return int(self.run(
            "SELECT count(DISTINCT (ctid::text::point)[0]) FROM {t}")[0][0])

    def uses(self, least, step, session=None):
        """Checks that a query takes so much of the table's blocks from memory."""
        used = self.resident_blocks(session)
        blocks = self.blocks()
        self.count(used >= least * blocks,
                   f"{step}: {used} of {blocks} blocks were resident")

    def load(self, session=None):
        """Loads all columns."""
        (session or self.owner).run(f"SELECT warpagg_load('{self.table}')")

    def make(self, options="", vacuum="VACUUM (FREEZE, ANALYZE)"):
        """Makes the table, with all blocks resident."""
        for session in self.sessions:
            session.ask("ROLLBACK")
        self.owner.run("DROP SCHEMA IF EXISTS wa_cases CASCADE")
        self.owner.run("CREATE SCHEMA wa_cases")
        self.owner.run(f"CREATE TABLE {self.table} ({COLUMNS}) WITH "
                       f"(fillfactor = 80, autovacuum_enabled = off{options})")
        self.owner.run(f"INSERT INTO {self.table} " +
                       FILL.format(first=1, last=ROWS))
        self.owner.run(f"{vacuum} {self.table}")
        self.load()

    def begin_old(self):
        """Has a session keep a snapshot of now."""
        self.old.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
        self.old.run(f"SELECT count(*) FROM {self.table}")

    def end_old(self):
        """Ends that session's transaction."""
        self.old.run("COMMIT")

    def settle(self, vacuum="VACUUM"):
        """Looks after a VACUUM, and after loading again."""
        self.owner.run(f"{vacuum} {self.table}")
        self.look(f"after {vacuum}")
        self.load()
        self.look("loaded again")
        self.end_old()
        self.owner.run(f"{vacuum} {self.table}")
        self.look(f"after another {vacuum}")
        self.load()
        self.look("loaded once more")
        blocks = self.owner.run(
            f"SELECT pg_relation_size('{self.table}') / 8192")[0][0]
        self.count(int(blocks) < 64 or self.resident_blocks() > 0,
                   "resident blocks are used again")
