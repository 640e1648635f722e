/*
 * records_wide.c
 *		Records of numerics that take values of 128 bits; see records_internal.h.
 */
#include "query/records/records_internal.h"

/* Returns a group's rest, which is made if there is none; NULL: no memory. */
static WaWideRest *
rest_of(WaRecordTable *table, uint32_t group)
{
	void **rest = wa_record_rest(table, group);

	if (rest == NULL)
		return NULL;
	if (*rest == NULL)
		*rest = wa_arena_alloc_zero(table->arena, sizeof(WaWideRest));
	return *rest;
}

/*
 * Takes a row; returns false if there is not enough memory.  A record whose sum has
 * no room for it is flushed, after which it has.
 */
static bool
take_row(WaRecordTable *table, uint32_t group, __int128 value, uint8_t scale,
		 uint8_t display)
{
	WaWideRest *rest = rest_of(table, group);

	if (rest == NULL)
		return false;
	if (!wa_wide_rest_take(rest, table->ops, value, scale, display))
	{
		wa_record_flush(table, group);
		rest = rest_of(table, group);
		if (rest == NULL)
			return false;
		(void) wa_wide_rest_take(rest, table->ops, value, scale, display);
	}
	wa_record_of(table, group)[0]++;
	return true;
}

void
wa_records_take_wide(WaRecordTable *table, const uint32_t *groups,
					 const uint8_t *kept, const WaVector *vector, size_t nrows)
{
	const WaInt128 *values = wa_vector_wides(vector);

	for (size_t i = 0; i < nrows; i++)
	{
		if (kept != NULL && kept[i] == 0)
			continue;
		if (!take_row(table, groups == NULL ? 0 : groups[i],
					  wa_int128_get(values[i]), vector->scale,
					  vector->mixed ? vector->display[i] : vector->scale))
			return;
	}
}

bool
wa_records_fit_wide(const WaRecordTable *table, uint32_t group,
					const WaWideRest *from)
{
	WaWideRest merged = {0};

	if (from == NULL)
		return true;
	if (table->rests != NULL && table->rests[group] != NULL)
		merged = *(const WaWideRest *) table->rests[group];
	return wa_wide_rest_merge(&merged, table->ops, from);
}

void
wa_records_merge_wide(WaRecordTable *table, uint32_t group,
					  const WaWideRest *from)
{
	WaWideRest *rest = from == NULL ? NULL : rest_of(table, group);

	if (rest != NULL)
		(void) wa_wide_rest_merge(rest, table->ops, from);
}

void
wa_records_show_wide(WaRecordTable *table, uint32_t group, WaRecord *record)
{
	record->wide = table->rests[group];
}
