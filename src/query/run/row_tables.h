/*
 * row_tables.h
 *		The tables (core/lookup_table.h) that rows become (query/message/query.h, made).
 *
 * Their life: on one thread, begin, and give each table a place; for each run, at the
 * same time, sort; for each part, at the same time, fill (row_fill.h); on one thread,
 * finish, and give texts a place.  As soon as there is no use in the tables, what remains
 * does nothing.
 */
#ifndef WA_QUERY_ROW_TABLES_H
#define WA_QUERY_ROW_TABLES_H

#include "core/must_check.h"
#include "query/message/table_wire.h"
#include "query/run/row_bits.h"
#include "query/run/row_sort.h"
#include "query/run/run.h"

/* A table that is being filled, and what it has of its form, to be written. */
typedef struct WaRowTable
{
	WaLookupTable table;
	WaTableForm form;
	int32_t *narrow;
	uint64_t *bits; /* of keys beside narrow */
	WaLookupSlot *slots;
	int64_t *values;
	uint8_t *known;
	int32_t *texts; /* TEXT: once it is finished, numbers that its texts had */
	const WaRowValues
		*others; /* TEXT: of the run whose rows have texts beside the
								* query's; NULL: none */
} WaRowTable;

typedef struct WaRowTables
{
	WaArena *arena;
	const WaNumberedQuery *numbered;
	uint32_t nruns;
	const WaRunRows **rows;    /* of the runs */
	uint32_t *first_chunks;    /* of the runs, of: */
	const WaRowChunk **chunks; /* of all runs */
	uint64_t *chunk_ends;      /* rows of all chunks so far */
	uint32_t nchunks;
	uint64_t nrows; /* with a key; once it is finished, each key counts once */
	uint32_t ntables;
	WaRowTable *tables; /* the first one is that of the keys */
	uint32_t nparts;
	WaRowBits bits;
	WaRowSort sort;   /* if the table of the keys has slots */
	unsigned nsorted; /* changed atomically */
	bool is_useless;  /* likewise */
} WaRowTables;

/*
 * Begins tables of the rows of runs of a query, at least one, which stay as they are; all
 * but the tables' own memory comes from the arena.  Returns false if there is not enough
 * memory.
 */
extern WA_MUST_CHECK bool wa_row_tables_begin(WaRowTables *tables,
											  WaArena *arena,
											  const WaNumberedQuery *numbered,
											  WaQueryRun *const *runs,
											  uint32_t nruns);

/* Tells whether there is no use in the tables. */
extern bool wa_row_tables_are_useless(const WaRowTables *tables);

/* Says that there is none. */
extern void wa_row_tables_give_up(WaRowTables *tables);

/* Returns the bytes of the entries of a table, and has it have them at a place. */
extern uint64_t wa_row_tables_bytes(const WaRowTables *tables, uint32_t number);
extern void wa_row_tables_place(WaRowTables *tables, uint32_t number,
								void *place);

/* Sorts the rows of a run. */
extern void wa_row_tables_sort(WaRowTables *tables, uint32_t run);

/*
 * Finishes the tables, but for the texts themselves.  Returns false if there is not enough
 * memory.
 */
extern WA_MUST_CHECK bool wa_row_tables_finish(WaRowTables *tables);

/* Returns the bytes of the texts of a table, and copies them to a place. */
extern uint64_t wa_row_tables_texts_bytes(const WaRowTables *tables,
										  uint32_t number);
extern void wa_row_tables_place_texts(WaRowTables *tables, uint32_t number,
									  WaText *texts, char *place);

#endif /* WA_QUERY_ROW_TABLES_H */
