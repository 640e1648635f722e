/*
 * load_task.c
 *		What is to be loaded of a relation; see load.h.
 */
#include "postgres.h"

#include "storage/bufmgr.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "client/resident.h"
#include "resident/load.h"
#include "resident/relation.h"
#include "wal/wal.h"

/* Chunks that there should be, for processes to share them evenly. */
#define WANTED_CHUNKS 128

static bool
same_name(const WaColumnName *a, const WaColumnName *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

/* Adds a column to all columns of a task or, if there is no room, to the rest. */
static void
add_column(WaLoadTask *task, const WaColumnName *name)
{
	int i;

	for (i = 0; i < task->nall; i++)
		if (same_name(&task->all[i], name))
			return;
	if (task->nall == WA_MAX_RESIDENT_COLUMNS)
	{
		if (task->nrest < WA_LOAD_MAX_COLUMNS)
			task->rest[task->nrest++] = *name;
		return;
	}
	for (i = task->nall++;
		 i > 0 && task->all[i - 1].attribute > name->attribute; i--)
		task->all[i] = task->all[i - 1];
	task->all[i] = *name;
}

static int
compare_names(const void *a, const void *b)
{
	return ((const WaColumnName *) a)->attribute -
		   ((const WaColumnName *) b)->attribute;
}

/* Returns the bit of a column among all columns of a task, 0 if it is of the rest. */
static uint64
bit_of(const WaLoadTask *task, const WaColumnName *name)
{
	for (int i = 0; i < task->nall; i++)
		if (same_name(&task->all[i], name))
			return UINT64CONST(1) << i;
	return 0;
}

/* Tells whether a column that is resident is of the relation's family, as it is there. */
static bool
is_of_family(const WaLoadTask *task, const WaResidentColumn *column)
{
	return memcmp(&column->family, &task->family.family,
				  sizeof(column->family)) == 0 &&
		   column->family_attribute ==
			   wa_family_attribute(&task->family, column->name.attribute);
}

/*
 * Has warpaggd forget all of a relation whose family is another one by now: all that was
 * resident is wanted again, as it was.
 */
static void
change_family(WaLoadTask *task, const WaResidentColumn *list, int64 count)
{
	wa_resident_forget(&task->storage, 0);
	task->nrest = 0;
	task->takes_new = true;
	task->nwanted = task->nall;
	memcpy(task->wanted, task->all, task->nall * sizeof(*task->all));
	for (int64 i = 0; i < count; i++)
	{
		if (memcmp(&list[i].relation, &task->storage, sizeof(WaRelation)) != 0)
			continue;
		if (list[i].is_asked != 0)
			task->asked_bits |= bit_of(task, &list[i].name);
		task->pins = task->pins || list[i].is_pinned != 0;
	}
}

/*
 * Adds the columns of the relation that are resident.  Those that it has no more
 * are forgotten: dropped ones, and ones with another type modifier.
 */
static void
add_resident(WaLoadTask *task, Relation relation)
{
	WaResidentColumn *list;
	int64 count = wa_resident_list(task->storage.database, &list);
	bool is_of_other = false;

	for (int64 i = 0; i < count; i++)
	{
		if (memcmp(&list[i].relation, &task->storage, sizeof(WaRelation)) != 0)
			continue;
		if (wa_resident_has_column(relation, &list[i].name))
		{
			add_column(task, &list[i].name);
			is_of_other = is_of_other || !is_of_family(task, &list[i]);
		}
		else
			wa_resident_forget(&task->storage, list[i].name.attribute);
	}
	qsort(task->rest, task->nrest, sizeof(task->rest[0]), compare_names);
	if (is_of_other)
		change_family(task, list, count);
	pfree(list);
}

/* Sets the bits of the columns that are wanted. */
static void
mark_wanted(WaLoadTask *task)
{
	for (int i = 0; i < task->nwanted; i++)
		task->wanted_bits |= bit_of(task, &task->wanted[i]);
}

/*
 * Has WAL be followed, up to now if that can be, for warpaggd to know what is still fresh.
 * Raises an error if it would not know it of what is loaded.
 */
static void
follow_wal(Relation relation)
{
	uint64 position;

	if (!wa_wal_begin())
		ereport(
			ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("columns of \"%s\" cannot be resident",
					RelationGetRelationName(relation)),
			 errdetail("The device process does not learn what WAL changes."),
			 errhint("The server's log says why WAL cannot be followed.")));
	if (!wa_wal_follow(GetActiveSnapshot(), &position))
		ereport(DEBUG1, (errmsg_internal("warpagg could not follow WAL")));
}

/* Fills in what does not depend on the columns. */
static void
begin_task(WaLoadTask *task, Relation relation)
{
	follow_wal(relation);
	memset(task, 0, sizeof(*task));
	task->storage = wa_resident_storage(relation);
	wa_family_plan(relation, &task->family);
	task->nblocks = RelationGetNumberOfBlocks(relation);
	task->nextents = wa_extents_of(task->nblocks);
	task->chunk =
		Min(Max(task->nextents / WANTED_CHUNKS, 1), WA_LOAD_MAX_CHUNK);
	pg_atomic_init_u32(&task->next_extent, 0);
	pg_atomic_init_u32(&task->is_full, 0);
	pg_atomic_init_u64(&task->left_out, 0);
	pg_atomic_init_u64(&task->seen, 0);
	pg_atomic_init_u64(&task->missed, 0);
	pg_atomic_init_u64(&task->flux, 0);
	pg_atomic_init_u64(&task->odd, 0);
	pg_atomic_init_u64(&task->read_rows, 0);
	pg_atomic_init_u64(&task->read_bytes, 0);
}

void
wa_load_prepare(WaLoadTask *task, Relation relation, bool asked, int nwanted,
				const WaColumnName *wanted)
{
	begin_task(task, relation);
	task->nwanted = nwanted;
	memcpy(task->wanted, wanted, nwanted * sizeof(*wanted));
	for (int i = 0; i < nwanted; i++)
		add_column(task, &wanted[i]);
	add_resident(task, relation);
	for (int i = 0; asked && i < nwanted; i++)
		task->asked_bits |= bit_of(task, &wanted[i]);
	mark_wanted(task);
}

bool
wa_load_prepare_refresh(WaLoadTask *task, Relation relation, bool takes_new)
{
	begin_task(task, relation);
	task->is_refresh = true;
	task->takes_new = takes_new;
	add_resident(task, relation);
	task->nwanted = task->nall;
	memcpy(task->wanted, task->all, task->nall * sizeof(*task->all));
	mark_wanted(task);
	return task->nall > 0;
}
