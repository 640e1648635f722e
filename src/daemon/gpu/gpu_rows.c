/*
 * gpu_rows.c
 *		Rows that GPUs have handed over; see gpu_rows.h.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/gpu/gpu_rows.h"

bool
wa_gpu_rows_keep(WaGpuRows **list, WaCudaQueries *queries, WaBudget *budget,
				 const WaCudaRows *rows, uint32_t nkeys)
{
	const size_t bytes = nkeys * sizeof(*rows->keys);
	WaGpuRows *own = malloc(sizeof(*own) + bytes);

	if (own == NULL)
		return false;
	*own = (WaGpuRows){
		.next = *list, .queries = queries, .budget = budget, .rows = *rows};
	memcpy(own->keys, rows->keys, bytes);
	own->rows.keys = own->keys;
	*list = own;
	return true;
}

void
wa_gpu_rows_move(WaGpuRows **from, WaGpuRows **to)
{
	while (*from != NULL)
	{
		WaGpuRows *own = *from;

		*from = own->next;
		own->next = *to;
		*to = own;
	}
}

uint64_t
wa_gpu_rows_count(const WaGpuRows *list)
{
	uint64_t nrows = 0;

	for (const WaGpuRows *of = list; of != NULL; of = of->next)
		nrows += of->rows.nrows;
	return nrows;
}

/* Tells what is known of the values of a key. */
static WaRowValues
known_of(const WaCudaRowValues *values, WaVectorKind kind)
{
	const bool has_values = values->smallest <= values->largest;

	return (WaRowValues){
		.kind = kind,
		.is_narrow = wa_row_words_are_narrow(values->smallest, values->largest),
		.display =
			kind == WA_VECTOR_DECIMAL && has_values ? values->scale : -1};
}

/* Adds rows begin to end - 1 to a run, of whose keys but for the first that much is known. */
static bool
add_rows(const WaCudaRows *rows, uint32_t begin, uint32_t end,
		 const WaRowValues *known, WaRowColumn *columns, uint32_t ncolumns,
		 WaQueryRun *run)
{
	const WaCudaRowValues *first = &rows->keys[0];
	WaGivenRows given = {.nrows = end - begin,
						 .smallest = first->smallest,
						 .largest = first->largest,
						 .columns = columns,
						 .known = known};

	if (first->bytes == sizeof(int32_t))
		given.narrow_keys = (const int32_t *) first->values + begin;
	else
		given.keys = (int64_t *) first->values + begin;
	for (uint32_t i = 0; i < ncolumns; i++)
	{
		const WaCudaRowValues *key = &rows->keys[i + 1];

		columns[i] = (WaRowColumn){
			.values = (char *) key->values + (size_t) begin * key->bytes,
			.valid = key->valid == NULL ? NULL : key->valid + begin,
			.is_narrow = key->bytes < wa_row_value_bytes(known[i].kind)};
	}
	return begin == end || wa_query_run_add_rows(run, &given);
}

bool
wa_gpu_rows_add(const WaGpuRows *list, const WaNumberedQuery *numbered,
				WaQueryRun *run, unsigned share, unsigned nshares)
{
	const uint32_t ncolumns = numbered->query.nkeys - 1;
	WaRowValues known[WA_CUDA_QUERY_KEYS];
	WaRowColumn columns[WA_CUDA_QUERY_KEYS];

	for (const WaGpuRows *of = list; of != NULL; of = of->next)
	{
		const uint64_t nrows = of->rows.nrows;

		for (uint32_t i = 0; i < ncolumns; i++)
			known[i] =
				known_of(&of->keys[i + 1], numbered->asked->keys[i + 1].kind);
		if (!add_rows(&of->rows, (uint32_t) (nrows * share / nshares),
					  (uint32_t) (nrows * (share + 1) / nshares), known,
					  columns, ncolumns, run))
			return false;
	}
	return true;
}

void
wa_gpu_rows_free(WaGpuRows *list)
{
	while (list != NULL)
	{
		WaGpuRows *own = list;

		list = own->next;
		wa_cuda_rows_free(own->queries, own->rows.memory);
		wa_budget_give(own->budget, own->rows.bytes, own->rows.bytes);
		free(own);
	}
}
