/*
 * spill.c
 *		Groups beyond the memory; see spill.h.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "heap/gather.h"
#include "scan/base/context_arena.h"
#include "scan/spill/group_message.h"
#include "scan/spill/group_store.h"
#include "scan/spill/spill.h"
#include "scan/spill/spill_pace.h"
#include "scan/spill/spill_row.h"
#include "settings.h"

/*
 * So much more of them than would do if all were of the same size and their
 * memory grew by the group: it is doubled when it is full.
 */
#define SPARE_PARTITIONS 1.5

/* What has been done when it is only known that little has. */
#define LEAST_DONE 0.001

/* A partition that is to come. */
typedef struct Waiting
{
	WaSpillPart part;
	int nprocesses; /* that may have spilled some of it */
} Waiting;

typedef struct WaSpill
{
	MemoryContext context; /* of all that is here */
	MemoryContextCallback deletes;
	FileSet set;
	LogicalTapeSet *tapes;  /* of process 0; NULL: not yet needed */
	int process;            /* 0 is the leader, and whoever reads alone */
	int nprocesses;         /* that read the table together */
	pg_atomic_uint32 *bits; /* of a WaSpillShare; or NULL */
	WaPartition partition;  /* that is read; of 0 bits: the table is */
	WaSpillReader *reader;  /* NULL: the table is read */
	WaSpillWriter *writer;  /* NULL: the groups are not closed */
	int written_bits;       /* by which that divides the partition */
	Size closed_bytes;      /* of the groups when they were closed */
	Waiting *waiting;       /* a stack */
	int nwaiting;
	int room; /* in it */
	uint8 found[WA_VECTOR_ROWS];
} WaSpill;

/* Deletes the files, when their memory context ends. */
static void
delete_files(void *set)
{
	FileSetDeleteAll((FileSet *) set);
}

/* Makes the state of what is spilled. */
static WaSpill *
make_spill(WaScanStore *store)
{
	MemoryContext context =
		AllocSetContextCreate(store->sources->estate->es_query_cxt,
							  "warpagg spill", ALLOCSET_SMALL_SIZES);
	WaSpill *spill = MemoryContextAllocZero(context, sizeof(WaSpill));

	spill->context = context;
	spill->nprocesses = 1;
	store->spill = spill;
	return spill;
}

/* The same for one who has to delete the files in the end. */
static WaSpill *
make_spill_with_files(WaScanStore *store)
{
	WaSpill *spill = make_spill(store);

	FileSetInit(&spill->set);
	spill->deletes.func = delete_files;
	spill->deletes.arg = &spill->set;
	MemoryContextRegisterResetCallback(spill->context, &spill->deletes);
	return spill;
}

void
wa_spill_share(WaScanStore *store, WaSpillShare *share, int nprocesses)
{
	WaSpill *spill = store->spill;

	if (spill == NULL)
		spill = make_spill_with_files(store);
	share->set = spill->set;
	share->nprocesses = nprocesses;
	pg_atomic_init_u32(
		&share->bits, spill->writer == NULL ? 0 : (uint32) spill->written_bits);
	spill->nprocesses = nprocesses;
	spill->bits = &share->bits;
}

void
wa_spill_join(WaScanStore *store, WaSpillShare *share, int process)
{
	WaSpill *spill = make_spill(store);

	spill->set = share->set;
	spill->process = process;
	spill->nprocesses = share->nprocesses;
	spill->bits = &share->bits;
}

/* Returns the part of the rows, or of an answer, that has been taken, or a small one. */
static double
part_done(const WaScanStore *store)
{
	const WaSpill *spill = store->spill;
	const double done =
		spill->reader != NULL ? wa_spill_reader_progress(spill->reader)
		: store->answered > 0 ? store->answered
							  : wa_sources_progress(store->sources);

	return Max(done, LEAST_DONE);
}

/*
 * Returns the bits by which to divide the groups that are read, going by the part
 * of the rows, or of an answer, after which the memory was full.
 */
static int
choose_bits(const WaScanStore *store)
{
	const WaSpill *spill = store->spill;
	const double done = part_done(store);
	/* What all processes have will be read by one, with the groups. */
	double parts =
		spill->nprocesses > 1 ? spill->nprocesses / done : (1 - done) / done;
	int bits = (int) ceil(log2(Max(parts * SPARE_PARTITIONS, 1)));

	bits = Max(Min(bits, wa_spill_most_bits()), WA_SPILL_MIN_BITS);
	return Min(bits, WA_PARTITION_MAX_BITS - spill->partition.bits);
}

/* Returns the bits that all processes go by: those of the first. */
static int
agree_on_bits(WaScanStore *store)
{
	int bits = choose_bits(store);
	uint32 agreed = 0;

	if (store->spill->bits == NULL ||
		pg_atomic_compare_exchange_u32(store->spill->bits, &agreed,
									   (uint32) bits))
		return bits;
	return (int) agreed;
}

/* Has groups that have files to be spilled to be closed. */
static void
note_closed(WaScanStore *store)
{
	wa_query_groups_close(store->groups->table);
	store->spill->closed_bytes = wa_spill_groups_bytes(store);
	wa_spill_pace_restart(store, store->spill->closed_bytes);
}

/* Closes the groups. */
static void
close_groups(WaScanStore *store)
{
	WaSpill *spill = store->spill;
	MemoryContext old;

	if (spill == NULL)
		spill = make_spill_with_files(store);
	/* What has no program has no rows either: groups alone are spilled. */
	if (store->spill_rows == NULL && store->query->interpreter != NULL)
		store->spill_rows = wa_spill_rows_make(store->query, store->sources);
	old = MemoryContextSwitchTo(spill->context);
	/* The blocks of a tape are to lie side by side, as in PostgreSQL. */
	if (spill->process == 0 && spill->tapes == NULL)
		spill->tapes = LogicalTapeSetCreate(true, NULL, -1);
	spill->written_bits = agree_on_bits(store);
	spill->writer =
		wa_spill_writer_make(&spill->set, spill->tapes, spill->process,
							 spill->partition, spill->written_bits);
	MemoryContextSwitchTo(old);
	note_closed(store);
}

/* Tells whether groups that are not closed are to be. */
static bool
is_full(const WaScanStore *store, Size bytes)
{
	uint32 ngroups = wa_scan_groups(store);

	if (store->spill != NULL &&
		store->spill->partition.bits == WA_PARTITION_MAX_BITS)
		return false;
	if (wa_debug_spill_groups > 0)
		return ngroups >= (uint32) wa_debug_spill_groups;
	return ngroups > 0 && wa_spill_pace_is_full(store, ngroups, bytes);
}

int
wa_spill_piece(WaScanStore *store)
{
	if (store->groups == NULL)
		return WA_VECTOR_ROWS;
	if (wa_spill_has_spilled(store))
		return store->growth.free_piece;
	return wa_spill_pace_open(store);
}

/*
 * Notes the memory that is taken, by groups and the buffers of what is written and
 * read.  As in PostgreSQL, what a set of tapes knows of its blocks does not count.
 */
static void
note_memory(WaScanStore *store, Size bytes)
{
	const WaSpill *spill = store->spill;

	if (spill != NULL)
		bytes += MemoryContextMemAllocated(spill->context, true) -
				 MemoryContextMemAllocated(spill->context, false);
	store->spilled.memory_bytes = Max(store->spilled.memory_bytes, bytes);
}

void
wa_spill_check(WaScanStore *store)
{
	Size bytes;

	if (store->groups == NULL)
		return;
	bytes = wa_spill_groups_bytes(store);
	note_memory(store, bytes);
	wa_spill_pace_note(store, bytes);
	if (!wa_spill_has_spilled(store))
	{
		if (!is_full(store, bytes))
			return;
		if (store->never_spills)
			store->has_outgrown = true;
		else
			close_groups(store);
	}
	/* States that only their own functions know grow on, as PostgreSQL's do. */
	else if (store->query->ntransitions == 0 &&
			 wa_spill_pace_has_outgrown(store->spill->closed_bytes, bytes))
		wa_spill_groups(store);
}

/* Returns the row that is row i of the vectors. */
static const WaRow *
row_of_vectors(const WaScanStore *store, const WaScanBatch *batch, int i)
{
	/* Of rows that were spilled none is dismissed. */
	return &batch->rows[store->spill->reader != NULL
							? i
							: wa_gather_row(store->sources->gather, i)];
}

size_t
wa_spill_missing(WaScanStore *store, WaScanBatch *batch, size_t nrows,
				 const uint8 **found)
{
	WaSpill *spill = store->spill;
	size_t nfound = 0;

	*found = NULL;
	if (spill == NULL || spill->writer == NULL)
		return nrows;
	for (size_t i = 0; i < nrows; i++)
	{
		spill->found[i] = batch->group_numbers[i] != WA_NO_GROUP;
		nfound += spill->found[i];
	}
	if (nfound == nrows)
		return nrows;
	*found = spill->found;
	for (size_t i = 0; i < nrows; i++)
	{
		if (spill->found[i])
			continue;
		wa_spill_row(store,
					 wa_partition_hash(store->query->nkeys,
									   store->query->group_keys,
									   batch->key_vectors, i),
					 row_of_vectors(store, batch, (int) i));
		batch->group_numbers[i] = 0;
	}
	return nfound;
}

void
wa_spill_row(WaScanStore *store, uint32 hash, const WaRow *row)
{
	WaSpill *spill = store->spill;

	if (spill->reader == NULL)
	{
		wa_spill_slot(store, hash, wa_sources_row(store->sources, row));
		return;
	}
	wa_spill_writer_put_row(spill->writer, hash, row->tuple, row->length);
	store->spilled.rows++;
}

void
wa_spill_slot(WaScanStore *store, uint32 hash, TupleTableSlot *slot)
{
	HeapTuple packed = wa_spill_rows_pack(store->spill_rows, slot);

	wa_spill_writer_put_row(store->spill->writer, hash, packed->t_data,
							packed->t_len);
	heap_freetuple(packed);
	store->spilled.rows++;
}

void
wa_spill_message(WaScanStore *store, uint32 hash, const WaWriter *message)
{
	wa_spill_writer_put_groups(store->spill->writer, hash, message->words,
							   message->nwords * sizeof(uint64));
}

bool
wa_spill_has_spilled(const WaScanStore *store)
{
	return store->spill != NULL && store->spill->writer != NULL;
}

/* Returns the hash of a group's keys.  values: room for them. */
static uint32
hash_group(const WaScanStore *store, uint32 group, WaQueryValue *values)
{
	for (int i = 0; i < store->query->nkeys; i++)
		wa_query_groups_key(store->groups->table, group, i, &values[i]);
	return wa_partition_hash_values(store->query->nkeys,
									store->query->group_keys, values);
}

/*
 * Stores in ends[i] where the groups of part i end in their order by parts, which
 * it returns, and in hashes[i] the hash of one of them.
 */
static uint32 *
sort_groups(const WaScanStore *store, uint32 *ends, uint32 *hashes)
{
	const WaSpillWriter *writer = store->spill->writer;
	uint32 ngroups = wa_scan_groups(store);
	uint32 *order =
		palloc_extended(sizeof(uint32) * ((Size) ngroups + 1), MCXT_ALLOC_HUGE);
	uint8 *parts = palloc_extended((Size) ngroups + 1, MCXT_ALLOC_HUGE);
	WaQueryValue *values =
		palloc0(sizeof(WaQueryValue) * (store->query->nkeys + 1));
	uint32 starts[1 << WA_SPILL_MAX_BITS] = {0};

	for (uint32 group = 0; group < ngroups; group++)
	{
		uint32 hash = hash_group(store, group, values);

		parts[group] = (uint8) wa_spill_writer_part(writer, hash);
		hashes[parts[group]] = hash;
		starts[parts[group]]++;
	}
	for (uint32 part = 0, end = 0; part < (1 << WA_SPILL_MAX_BITS); part++)
	{
		ends[part] = end + starts[part];
		starts[part] = end;
		end = ends[part];
	}
	for (uint32 group = 0; group < ngroups; group++)
		order[starts[parts[group]]++] = group;
	return order;
}

/* Writes all groups to the files of their parts. */
static void
write_groups(WaScanStore *store)
{
	const WaPartialShape *shape = wa_scan_shape(store);
	uint32 ends[1 << WA_SPILL_MAX_BITS];
	uint32 hashes[1 << WA_SPILL_MAX_BITS];
	const uint32 *order = sort_groups(store, ends, hashes);
	uint32 next = 0;
	WaWriter writer;
	WaArena arena;

	wa_context_arena_init(&arena, CurrentMemoryContext);
	wa_writer_init(&writer, &arena);
	for (int part = 0; part < (1 << WA_SPILL_MAX_BITS); part++)
		while (next < ends[part])
		{
			CHECK_FOR_INTERRUPTS();
			wa_scan_write_groups(store, shape, order, &next, ends[part],
								 &writer);
			wa_spill_message(store, hashes[part], &writer);
		}
}

void
wa_spill_groups(WaScanStore *store)
{
	MemoryContext memory;
	MemoryContext old;

	if (store->spill == NULL || store->spill->writer == NULL)
		close_groups(store);
	memory = AllocSetContextCreate(CurrentMemoryContext, "warpagg message",
								   ALLOCSET_SMALL_SIZES);
	old = MemoryContextSwitchTo(memory);
	write_groups(store);
	MemoryContextSwitchTo(old);
	note_memory(store, wa_spill_groups_bytes(store) +
						   MemoryContextMemAllocated(memory, true));
	MemoryContextDelete(memory);
	wa_scan_make_groups(store);
	note_closed(store);
}

/* Puts the partitions that have been written among those to come. */
static void
push_parts(WaSpill *spill, int nprocesses)
{
	WaSpillPart parts[1 << WA_SPILL_MAX_BITS];
	const int nparts =
		wa_spill_writer_parts(spill->writer, nprocesses > 1, parts);

	if (spill->nwaiting + nparts > spill->room)
	{
		Size bytes = sizeof(Waiting) * (Size) (spill->nwaiting + nparts);

		spill->room = spill->nwaiting + nparts;
		spill->waiting = spill->waiting == NULL
							 ? MemoryContextAlloc(spill->context, bytes)
							 : repalloc(spill->waiting, bytes);
	}
	for (int i = nparts - 1; i >= 0; i--)
		spill->waiting[spill->nwaiting++] = (Waiting){parts[i], nprocesses};
}

/* Returns the bytes of the file that tapes are in. */
static int64
tape_bytes(const WaSpill *spill)
{
	return spill->tapes == NULL
			   ? 0
			   : (int64) LogicalTapeSetBlocks(spill->tapes) * BLCKSZ;
}

void
wa_spill_finish(WaScanStore *store, int nprocesses)
{
	WaSpill *spill = store->spill;
	WaSpillCounts *counts = &store->spilled;

	if (spill == NULL)
		return;
	spill->nprocesses = 1;
	spill->bits = NULL;
	if (spill->writer != NULL)
	{
		push_parts(spill, nprocesses);
		counts->disk_bytes += wa_spill_writer_end(spill->writer);
		spill->writer = NULL;
	}
	counts->most_disk_bytes =
		Max(counts->most_disk_bytes, counts->disk_bytes + tape_bytes(spill));
	if (spill->reader != NULL)
		counts->disk_bytes -= wa_spill_reader_end(spill->reader);
	spill->reader = NULL;
}

bool
wa_spill_is_left(const WaScanStore *store)
{
	return store->spill != NULL && store->spill->nwaiting > 0;
}

void
wa_spill_open(WaScanStore *store)
{
	WaSpill *spill = store->spill;
	const Waiting *next = &spill->waiting[--spill->nwaiting];
	MemoryContext old = MemoryContextSwitchTo(spill->context);

	spill->partition = next->part.partition;
	spill->reader =
		wa_spill_reader_make(&spill->set, next->nprocesses, &next->part);
	MemoryContextSwitchTo(old);
}

int
wa_spill_read(WaScanStore *store, WaRow *rows, WaSpilledGroups *groups)
{
	return wa_spill_reader_next(store->spill->reader, rows, groups);
}

bool
wa_spill_is_reading(const WaScanStore *store)
{
	return store->spill != NULL && store->spill->reader != NULL;
}

void
wa_spill_end(WaScanStore *store)
{
	if (store->spill != NULL && store->spill->tapes != NULL)
		LogicalTapeSetClose(store->spill->tapes);
	if (store->spill != NULL)
		MemoryContextDelete(store->spill->context);
	store->spill = NULL;
}
