"""Cases of freshness_cases.py about who sees what, and when it is loaded."""

import threading
import time

from freshness_bench import FILL

UPDATE = "UPDATE {t} SET v = -v WHERE id % 1000 = 7"
SUBTRANSACTIONS = """DO $$ BEGIN
FOR i IN 1 .. 90 LOOP
	BEGIN
		UPDATE {t} SET v = v + i WHERE id = i * 150;
		INSERT INTO {t} (id, k, v) VALUES (-i, 3, i);
		IF i % 5 = 0 THEN RAISE division_by_zero; END IF;
	EXCEPTION WHEN division_by_zero THEN NULL;
	END;
END LOOP; END $$"""

# What changes pages but no rows.
HARMLESS = {
    "hints": ["SELECT count(*), sum(v) FROM {t}", "CHECKPOINT"],
    "locks": ["SELECT count(*) FROM (SELECT FROM {t} FOR KEY SHARE) x",
              "SELECT count(*) FROM (SELECT FROM {t} FOR UPDATE) x"],
    "VACUUM": ["VACUUM {t}"],
    "VACUUM (FREEZE)": ["VACUUM (FREEZE) {t}",
                        "VACUUM (FREEZE, DISABLE_PAGE_SKIPPING) {t}"],
    "ANALYZE": ["ANALYZE {t}"],
    "transactions that fail": ["BEGIN; TRUNCATE {t}; ROLLBACK"],
}


def harmless(bench, name):
    """What changes no rows leaves all blocks fresh."""
    bench.case = f"harmless: {name}"
    bench.make(vacuum="ANALYZE")
    bench.run("DELETE FROM {t} WHERE id % 100 = 3")
    bench.load()
    bench.uses(1, "loaded without VACUUM")
    for statement in HARMLESS[name]:
        bench.run(statement)
        bench.look(f"after {statement[:30]}")
        bench.uses(1, f"after {statement[:30]}")
    bench.settle()


def without_vacuum(bench):
    """What has ended is resident for snapshots that see it, and for no others."""
    bench.case = "without VACUUM"
    bench.make(vacuum="ANALYZE")
    bench.uses(1, "loaded without VACUUM")
    for statement in (UPDATE, "DELETE FROM {t} WHERE id % 1000 = 8",
                      "INSERT INTO {t} " + FILL.format(first=1, last=900),
                      "BEGIN; UPDATE {t} SET k = 5; ROLLBACK"):
        bench.begin_old()
        bench.run(statement)
        bench.look("changed")
        bench.load()
        bench.look("loaded")
        bench.uses(1, f"after {statement[:30]}")
        bench.end_old()
    bench.settle()


def in_flux(bench):
    """Blocks are loaded while transactions that change them are in progress."""
    for end in ("COMMIT", "ROLLBACK"):
        bench.case = f"in flux, {end}"
        bench.make()
        bench.begin_old()
        bench.run("BEGIN")
        bench.run("INSERT INTO {t} " + FILL.format(first=1, last=30000))
        bench.run(UPDATE)
        bench.run("DELETE FROM {t} WHERE id % 1000 = 8")
        bench.load(bench.other)
        bench.look("loaded meanwhile")
        bench.load()
        bench.compare(bench.owner, "loaded by the writer itself")
        bench.run(end)
        bench.look("ended")
        bench.load()
        bench.look("loaded again")
        bench.uses(1, "loaded again")
        bench.settle()


def own_changes(bench):
    """A transaction sees its own changes, and not those that it takes back."""
    bench.case = "own changes"
    bench.make()
    bench.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
    bench.run("SET LOCAL synchronous_commit = off")
    for statement in (UPDATE, "SAVEPOINT a", "DELETE FROM {t} WHERE id < 900",
                      "INSERT INTO {t} " + FILL.format(first=1, last=9),
                      "ROLLBACK TO a", UPDATE, "SAVEPOINT b",
                      "UPDATE {t} SET k = 6 WHERE id % 1000 = 9", "RELEASE b"):
        bench.run(statement)
        bench.compare(bench.owner, f"after {statement[:20]}")
        bench.load()
        bench.compare(bench.owner, f"after {statement[:20]}, loaded")
    bench.count(bench.resident_blocks() > 0, "resident blocks are used beside")
    bench.run("COMMIT")
    bench.look("ended")
    bench.settle()


def asynchronous(bench):
    """Commits that are seen before they are flushed."""
    bench.case = "asynchronous commits"
    bench.make()
    bench.run("SET synchronous_commit = off")
    for i in range(30):
        bench.run(f"UPDATE {{t}} SET v = v + 1 WHERE id = {i * 331 + 1}")
        bench.look(f"after change {i}")
        if i % 10 == 5:
            bench.load()
            bench.uses(1, "loaded")
    bench.run("RESET synchronous_commit")
    bench.settle()


def old_position(bench):
    """Changes that WAL is not yet known to have when a query comes."""
    bench.case = "a change at once"
    bench.make()
    for i in range(30):
        bench.look("before")
        bench.run(f"UPDATE {{t}} SET v = v + 1 WHERE id = {i * 601 + 1}")
        bench.look(f"after change {i}")
    bench.settle()


def subtransactions(bench):
    """More subtransactions than a snapshot lists, some of which fail."""
    bench.case = "subtransactions"
    bench.make()
    bench.begin_old()
    bench.run("BEGIN")
    bench.run(SUBTRANSACTIONS)
    bench.look("under way")
    bench.load(bench.other)
    bench.look("under way, loaded")
    bench.compare(bench.owner, "the writer itself")
    # of this one snapshots know no more than that it is there
    beside = bench.open()
    beside.run("BEGIN")
    beside.run("CREATE TEMP TABLE x (id int, k int, v bigint)")
    beside.run("INSERT INTO x SELECT g * 150, 1, 1 FROM generate_series(1, 90) g")
    beside.run(SUBTRANSACTIONS.format(t="x"))
    bench.run("COMMIT")
    bench.look("ended")
    bench.load()
    bench.look("ended, loaded")
    beside.run("COMMIT")
    bench.look("all have ended")
    bench.uses(1, "all have ended")
    bench.settle()


def multixacts(bench):
    """Rows that several lock, one of whom updates them, or deletes them."""
    bench.case = "multixacts"
    locker = bench.open()
    updater = bench.open()
    for end in ("COMMIT", "ROLLBACK"):
        bench.make()
        bench.begin_old()
        for session in (locker, updater):
            session.run("BEGIN")
            session.run("SELECT FROM wa_cases.t WHERE id % 700 < 3 "
                        "FOR KEY SHARE")
        updater.run("SAVEPOINT a; UPDATE wa_cases.t SET v = 0 "
                    "WHERE id % 700 = 1; RELEASE a")
        bench.load()
        bench.look("locked and updated, loaded")
        bench.compare(updater, "the updater")
        updater.run(end)
        bench.look(f"the update has ended by {end}")
        bench.load()
        bench.look("loaded while there is a lock")
        bench.uses(1, "loaded while there is a lock")
        locker.run("COMMIT")
        bench.look("the lock has ended")
        bench.uses(1, "the lock has ended")
        bench.settle("VACUUM (FREEZE)")


def reuse(bench):
    """Rows take the places of others."""
    bench.case = "places used again"
    bench.make()
    for i in range(3):
        bench.run(f"DELETE FROM {{t}} WHERE id % 10 = {i}")
        bench.look("deleted")
        if i == 1:
            bench.load()
        bench.run("VACUUM {t}")
        bench.look("vacuumed")
        bench.run("INSERT INTO {t} " + FILL.format(first=30000, last=31900))
        bench.look("inserted")
        bench.load()
        bench.uses(1, "loaded")
    bench.settle()


def exported(bench):
    """A snapshot that another session takes over."""
    bench.case = "exported snapshot"
    bench.make()
    bench.begin_old()
    name = bench.old.run("SELECT pg_export_snapshot()")[0][0]
    bench.run(UPDATE)
    bench.run("INSERT INTO {t} " + FILL.format(first=1, last=900))
    bench.load()
    importer = bench.open()
    importer.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
    importer.run(f"SET TRANSACTION SNAPSHOT '{name}'")
    bench.compare(importer, "imported")
    bench.count(bench.resident_blocks(importer) > 0, "it uses resident blocks")
    bench.run("VACUUM {t}")
    bench.load()
    bench.compare(importer, "imported, vacuumed")
    importer.run("COMMIT")
    bench.settle()


def cursor(bench):
    """A cursor that is opened before a change and fetched from after it."""
    bench.case = "cursor"
    bench.make()
    query = f"SELECT count(*), sum(v), sum(n) FROM {bench.table}"
    expected = bench.run(query)
    bench.other.run("BEGIN")
    bench.other.run("SET LOCAL warpagg.enable_scan = on")
    bench.other.run(f"DECLARE c CURSOR FOR {query}")
    bench.run(UPDATE)
    bench.run("DELETE FROM {t} WHERE id % 1000 = 8")
    bench.load()
    bench.count(bench.other.run("FETCH c") == expected, "what it was opened over")
    bench.other.run("COMMIT")
    bench.settle()


def prepared(bench):
    """What a prepared transaction has changed is loaded before it ends."""
    for end in ("COMMIT", "ROLLBACK"):
        bench.case = f"prepared and loaded, {end}"
        bench.make()
        bench.begin_old()
        bench.run("BEGIN")
        bench.run("INSERT INTO {t} " + FILL.format(first=1, last=900))
        bench.run("DELETE FROM {t} WHERE id % 1000 = 8")
        bench.run("PREPARE TRANSACTION 'wa_case'")
        bench.load()
        bench.look("prepared, loaded")
        bench.run(f"{end} PREPARED 'wa_case'")
        bench.look("ended")
        bench.load()
        bench.look("ended, loaded")
        bench.uses(1, "ended, loaded")
        bench.settle()


def during_load(bench):
    """Blocks change after they have been read and before the load ends."""
    for statement in ("UPDATE {t} SET v = v + 1 WHERE id < 900",
                      "DELETE FROM {t} WHERE id < 900",
                      "BEGIN; UPDATE {t} SET v = v + 1 WHERE id < 900; ROLLBACK",
                      "INSERT INTO {t} " + FILL.format(first=1, last=3)):
        bench.case = f"changed while being loaded: {statement[:10]}"
        bench.make()
        bench.run("CREATE TABLE wa_cases.beside AS SELECT * FROM {t}")
        bench.run("ANALYZE wa_cases.beside")
        bench.run("SELECT warpagg_load('wa_cases.beside')")
        bench.run("SELECT warpagg_unload('{t}')")
        loader = bench.open()
        loader.run("SET warpagg.debug_load_delay = '1s'")
        load = threading.Thread(target=bench.load, args=[loader])
        load.start()
        time.sleep(0.4)
        bench.run(statement)
        # has all WAL be followed before the load ends
        bench.other.run("SELECT sum(v) FROM wa_cases.beside")
        load.join()
        bench.look("loaded")
        bench.load()
        bench.look("loaded again")
        bench.uses(1, "loaded again")
        bench.settle()


MOMENTS = {f"harmless: {name}": lambda b, n=name: harmless(b, n)
           for name in HARMLESS}
MOMENTS.update({
    "without VACUUM": without_vacuum, "in flux": in_flux,
    "own changes": own_changes, "asynchronous commits": asynchronous,
    "a change at once": old_position, "subtransactions": subtransactions,
    "multixacts": multixacts, "places used again": reuse,
    "exported snapshot": exported, "cursor": cursor,
    "prepared and loaded": prepared, "changed while being loaded": during_load})
