/*
 * value_parts.h
 *		What is rolled up of several lists of values (value_list.h), part by part, so that threads
 *		can work on different parts at the same time.
 *
 * A part has the entries from one place in the order of groups and values to the next, and
 * no two have an equal value of a group.  On one thread, wa_value_parts_begin; for each list,
 * wa_value_parts_divide; for each part, wa_value_parts_sort; then, on one thread,
 * wa_value_parts_finish.  Lists can be divided at the same time, and parts sorted.
 */
#ifndef WA_QUERY_VALUE_PARTS_H
#define WA_QUERY_VALUE_PARTS_H

#include "core/must_check.h"
#include "query/message/query.h"
#include "query/records/records.h"
#include "query/run/value_sort.h"

/* A list, and the groups that its entries belong to. */
typedef struct WaValueRun
{
	WaValueList *list;
	const uint32_t *numbers; /* of its groups among all; NULL: the same */
	WaValueEntry *divided;   /* its entries, part after part; of its arena */
	size_t *ends;            /* of the parts in these */
} WaValueRun;

/* What a part has of its first or its last group, which others may have, too. */
typedef struct WaValueSpan
{
	uint32_t group;
	size_t begin; /* of the part's entries */
	size_t end;
	uint64_t rows;
} WaValueSpan;

typedef struct WaValuePart
{
	WaArena arena;
	WaValueEntry *entries; /* sorted, each value of a group once */
	size_t count;
	uint32_t nspans;
	WaValueSpan spans[2];
} WaValuePart;

typedef struct WaValueParts
{
	WaArena *arena;
	const WaQueryRolled *rolled;
	WaVectorKind kind;
	uint32_t ngroups;
	uint32_t nruns;
	WaValueRun *runs;
	uint32_t nparts;
	WaValueKey *borders; /* a search tree of where parts begin, from 1 on */
	WaValuePart *parts;
	uint64_t *distinct; /* values of each group: added to atomically; or NULL */
	uint64_t *found;    /* with ranks, the word of each, group by group; */
	uint8_t *is_found;  /* each is written by one thread */
} WaValueParts;

/*
 * Begins with the lists of runs, of values of a kind, of so many groups; arenas of parts are
 * made by make_arena.  Returns NULL if there is not enough memory.
 */
extern WaValueParts *wa_value_parts_begin(
	WaArena *arena, const WaQueryRolled *rolled, WaVectorKind kind,
	WaValueRun *runs, uint32_t nruns, uint32_t ngroups,
	void (*make_arena)(void *context, WaArena *arena), void *context);

/*
 * Divides a list, whose entries are forgotten; and sorts a part.  Return false if there is not
 * enough memory.
 */
extern WA_MUST_CHECK bool wa_value_parts_divide(WaValueParts *parts,
												uint32_t run);
extern WA_MUST_CHECK bool wa_value_parts_sort(WaValueParts *parts,
											  uint32_t part);

/*
 * Has the tables, one for each column that is rolled up to, which have the groups, take what was
 * found; of theirs nothing else is in them.  Returns false if there is not enough memory.
 */
extern WA_MUST_CHECK bool wa_value_parts_finish(WaValueParts *parts,
												WaRecordTable *const *tables);

/* Frees the memory of the parts. */
extern void wa_value_parts_end(WaValueParts *parts);

#endif /* WA_QUERY_VALUE_PARTS_H */
