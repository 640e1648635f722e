/*
 * pins.c
 *		The relations that are pinned; see pins.h.
 *
 * The file has a record of each pinned relation, with 0 as its attribute, and of each
 * of its columns.  Its mark tells the device process for which this was so: by the start
 * of the server, the supervisor's counters and the starts that these count.
 */
#include "postgres.h"

#include <unistd.h>

#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

#include "client/client.h"
#include "client/counters.h"
#include "client/resident.h"
#include "client/trouble.h"
#include "resident/pins.h"
#include "resident/queue.h"
#include "resident/relation.h"
#include "resident/request_file.h"

/* Columns of a relation. */
typedef struct Columns
{
	Oid relation;
	int count;
	AttrNumber numbers[WA_MAX_RELATION_COLUMNS];
} Columns;

/* Opens the file of this database. */
static bool
open_pins(WaRequestFile *file, bool make)
{
	return wa_request_file_open(MyDatabaseId, "pinned", make, file);
}

/* Returns what tells the device process from earlier ones, 0 if it is not known. */
static uint64
present_mark(void)
{
	struct
	{
		TimestampTz server;
		int64 starts;
		char counters[64];
	} mark;

	wa_client_guard();
	if (!wa_connection_attach())
		return 0;
	memset(&mark, 0, sizeof(mark));
	mark.server = PgStartTime;
	mark.starts = wa_counter_get(&wa_counters()->starts);
	if (readlink(WA_COUNTERS_PATH, mark.counters, sizeof(mark.counters)) < 0)
		return 0;
	return hash_bytes_extended((const unsigned char *) &mark, sizeof(mark), 0);
}

/* Finds a relation's columns in the file; returns false if it is not pinned. */
static bool
find_columns(const WaRequestFile *file, Oid relation, Columns *columns)
{
	columns->relation = relation;
	columns->count = 0;
	for (int i = 0; i < file->count; i++)
		if (file->requests[i].relation == relation &&
			file->requests[i].attribute != 0 &&
			columns->count < WA_MAX_RELATION_COLUMNS)
			columns->numbers[columns->count++] = file->requests[i].attribute;
	return wa_request_find(file, relation, 0) >= 0;
}

/* Tells whether a record is one of some columns; if there are none, of the relation. */
static bool
is_of_columns(const WaRequest *request, const void *arg)
{
	const Columns *columns = arg;

	if (request->relation != columns->relation)
		return false;
	for (int i = 0; i < columns->count; i++)
		if (columns->numbers[i] == request->attribute)
			return true;
	return columns->count == 0;
}

/* Adds columns that are not there; returns false if there is no room. */
static bool
add_columns(WaRequestFile *file, Oid relation, int ncolumns,
			const AttrNumber *columns)
{
	for (int i = 0; i < ncolumns; i++)
		if (wa_request_find(file, relation, columns[i]) < 0 &&
			!wa_request_add(file, relation, columns[i], WA_REQUEST_ASKED))
			return false;
	return true;
}

/* Has warpaggd pin a relation, or unpin it. */
static bool
tell(Relation relation, bool pinned)
{
	WaRelation storage = wa_resident_storage(relation);

	return wa_client_pin(&storage, pinned);
}

/* Finds what is resident of a relation. */
static void
find_resident(Relation relation, Columns *columns)
{
	WaRelation storage = wa_resident_storage(relation);
	WaResidentColumn *list;
	int64 count = wa_resident_list(storage.database, &list);

	columns->relation = RelationGetRelid(relation);
	columns->count = 0;
	for (int64 i = 0; i < count; i++)
	{
		AttrNumber attribute = list[i].name.attribute;

		if (memcmp(&list[i].relation, &storage, sizeof(storage)) == 0 &&
			attribute <= MaxHeapAttributeNumber &&
			columns->count < WA_MAX_RELATION_COLUMNS)
			columns->numbers[columns->count++] = attribute;
	}
	pfree(list);
}

/* Raises the error for a pin that warpaggd refuses. */
static void
report_refusal(Relation relation)
{
	const char *name = RelationGetRelationName(relation);

	if (wa_trouble()->exchange != WA_EXCHANGE_DONE)
		wa_client_raise();
	if (wa_trouble()->status == WA_BAD_REQUEST)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("no column of \"%s\" is resident", name),
						errhint("Load the columns that are to be pinned by "
								"warpagg_load.")));
	ereport(ERROR,
			(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
			 errmsg("could not pin \"%s\"", name),
			 errdetail("Pinned columns would take more than half of the memory "
					   "for resident columns."),
			 errhint("Raise warpagg.memory_limit, or unpin other tables by "
					 "warpagg_unpin.")));
}

/*
 * Remembers a pin; returns false if it was there already.  Raises an error if it cannot.
 */
static bool
remember(const Columns *columns)
{
	const uint64 mark = present_mark();
	WaRequestFile file;
	bool is_new;
	bool has_room;

	if (!open_pins(&file, true))
		ereport(ERROR, (errcode_for_file_access(),
						errmsg("could not open the list of pinned columns: "
							   "%m")));
	if (file.count == 0)
		file.mark = mark;
	is_new = wa_request_find(&file, columns->relation, 0) < 0;
	has_room =
		(!is_new ||
		 wa_request_add(&file, columns->relation, 0, WA_REQUEST_ASKED)) &&
		add_columns(&file, columns->relation, columns->count, columns->numbers);
	if (!has_room)
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 errmsg("too many columns are pinned"),
				 errdetail("There can be %d in a database.", WA_MAX_REQUESTS)));
	if (!wa_request_file_write(&file))
		ereport(ERROR, (errcode_for_file_access(),
						errmsg("could not write the list of pinned columns: "
							   "%m")));
	wa_request_file_close(&file);
	return is_new;
}

void
wa_pins_add(Relation relation)
{
	Columns *columns = palloc(sizeof(*columns));
	bool is_new;

	wa_pins_resume();
	find_resident(relation, columns);
	is_new = remember(columns);
	if (!tell(relation, true))
	{
		if (is_new)
			wa_pins_forget(columns->relation, 0, NULL);
		report_refusal(relation);
	}
	pfree(columns);
}

void
wa_pins_forget(Oid relation, int ncolumns, const AttrNumber *numbers)
{
	Columns *columns;
	WaRequestFile file;

	if (!open_pins(&file, false))
		return;
	columns = palloc(sizeof(*columns));
	columns->relation = relation;
	columns->count = ncolumns;
	if (ncolumns > 0)
		memcpy(columns->numbers, numbers, ncolumns * sizeof(*numbers));
	wa_request_remove(&file, is_of_columns, columns);
	(void) find_columns(&file, relation, columns);
	/* The relation's own record goes with the last. */
	if (columns->count == 0)
		wa_request_remove(&file, is_of_columns, columns);
	(void) wa_request_file_write(&file);
	wa_request_file_close(&file);
	pfree(columns);
}

void
wa_pins_remove(Relation relation)
{
	wa_pins_forget(RelationGetRelid(relation), 0, NULL);
	if (!tell(relation, false))
		wa_client_raise();
}

void
wa_pins_note_load(Relation relation, int ncolumns, const AttrNumber *numbers,
				  bool are_complete)
{
	Oid relid = RelationGetRelid(relation);
	WaRequestFile file;
	bool is_pinned;

	if (!open_pins(&file, false))
		return;
	is_pinned = wa_request_find(&file, relid, 0) >= 0;
	if (is_pinned && are_complete &&
		add_columns(&file, relid, ncolumns, numbers))
		(void) wa_request_file_write(&file);
	wa_request_file_close(&file);
	if (is_pinned && !tell(relation, true))
		ereport(
			WARNING,
			(errmsg("could not pin \"%s\"", RelationGetRelationName(relation)),
			 errdetail("The reason is that %s.", wa_trouble()->text)));
}

/* Has the columns of all pinned relations loaded; returns false if it cannot. */
static bool
request_all(const WaRequestFile *file)
{
	Columns *columns = palloc(sizeof(*columns));
	bool added = true;

	for (int i = 0; i < file->count && added; i++)
	{
		Oid relation = file->requests[i].relation;

		if (file->requests[i].attribute == 0 &&
			find_columns(file, relation, columns) && columns->count > 0)
			added = wa_queue_add(relation, columns->count, columns->numbers,
								 true) == WA_QUEUE_ADDED;
	}
	pfree(columns);
	return added;
}

void
wa_pins_resume(void)
{
	WaRequestFile file;
	uint64 mark;
	uint64 known;

	if (!open_pins(&file, false))
		return;
	known = file.mark;
	wa_request_file_close(&file);
	/* Nobody waits for the device process with the lock. */
	mark = present_mark();
	if (mark == 0 || mark == known || !open_pins(&file, false))
		return;
	if (mark != file.mark && request_all(&file))
	{
		file.mark = mark;
		(void) wa_request_file_write(&file);
	}
	wa_request_file_close(&file);
}
