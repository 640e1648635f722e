/*
 * key_bound.c
 *		Rows whose groups come behind all that are wanted; see key_bound.h.
 *
 * Keys are compared by ranks, numbers in the order of the groups.  The ranks of the first groups
 * so far are a heap with the last of them on top; groups with the same rank are all in it.
 *
 * Groups behind that one may lack rows, here or in a worker.  They are not returned: where they are
 * returned batch after batch, of what was spilled, and any groups will do, nobody else would see
 * that there are others before them.
 */
#include "postgres.h"

#include "heap/gather.h"
#include "scan/plan/top_n.h"
#include "scan/rows/key_bound.h"
#include "scan/spill/group_store.h"
#include "scan/spill/spill.h"

typedef struct WaKeyBound
{
	WaWantedKeys wanted;
	uint32 times_made; /* of the store's groups, when these are noted */
	uint32 nnoted;     /* of them */
	uint64 nranks;
	int64 *ranks;
	int64 last;     /* what comes behind it is left out */
	int nregisters; /* that keys and columns are in, */
	uint16 *registers;
	uint16 selection[WA_VECTOR_ROWS];
} WaKeyBound;

WaWantedKeys
wa_wanted_keys(const WaScanState *state)
{
	const WaScanQuery *query = &state->query;
	WaWantedKeys wanted = {0};
	const WaOrderBy *order;
	WaTopN top_n;

	if (query->rolled != NULL || state->rolls_into != NULL ||
		query->ntransitions > 0)
		return wanted;
	wa_top_n_describe(query, &state->css.ss.ps, state->top, &top_n);
	order = &top_n.orders[0];
	if (top_n.limit == 0 || top_n.of_rows || order->of != WA_ORDER_KEY ||
		query->group_keys[order->number].kind != WA_VECTOR_INT)
		return wanted;
	return (WaWantedKeys){.limit = top_n.limit,
						  .key = order->number,
						  .descending = order->descending,
						  .nulls_first = order->nulls_first};
}

/* Adds a register to those that are used, unless it is there, or none. */
static void
use_register(WaKeyBound *bound, int number)
{
	for (int i = 0; i < bound->nregisters; i++)
		if (bound->registers[i] == number)
			return;
	if (number >= 0)
		bound->registers[bound->nregisters++] = (uint16) number;
}

/* Makes a bound of a query, without ranks. */
static WaKeyBound *
make_bound(const WaScanQuery *query, const WaWantedKeys *wanted)
{
	const WaQuery *compiled = &query->compiled;
	WaKeyBound *bound = palloc0(sizeof(WaKeyBound));

	bound->wanted = *wanted;
	bound->last = PG_INT64_MAX;
	bound->ranks = palloc(sizeof(int64) * wanted->limit);
	bound->registers =
		palloc(sizeof(uint16) * (compiled->nkeys + 2 * compiled->ncolumns + 1));
	for (uint32 i = 0; i < compiled->nkeys; i++)
		use_register(bound, compiled->key_numbers[i]);
	for (uint32 i = 0; i < compiled->ncolumns; i++)
	{
		use_register(bound, compiled->columns[i].argument);
		use_register(bound, compiled->columns[i].filter);
	}
	return bound;
}

void
wa_key_bound_begin(WaScanState *state, const WaWantedKeys *wanted)
{
	MemoryContext old;

	if (state->batch.bound != NULL)
	{
		pfree(state->batch.bound->ranks);
		pfree(state->batch.bound->registers);
		pfree(state->batch.bound);
	}
	state->batch.bound = NULL;
	if (wanted->limit == 0 || state->batch.chosen != NULL)
		return;
	old = MemoryContextSwitchTo(state->sources.estate->es_query_cxt);
	state->batch.bound = make_bound(&state->query, wanted);
	state->batch.bound->times_made = state->store.times_made;
	MemoryContextSwitchTo(old);
}

/* Returns the rank of a key. */
static inline int64
rank_of(const WaWantedKeys *wanted, int64 value, bool is_null)
{
	if (is_null)
		return wanted->nulls_first ? PG_INT64_MIN : PG_INT64_MAX;
	return wanted->descending ? ~value : value;
}

size_t
wa_key_bound_leave_out(WaScanState *state, size_t nrows)
{
	WaKeyBound *bound = state->batch.bound;
	const WaVector *keys;
	size_t nselected = 0;
	int64 last;

	if (bound == NULL || bound->last == PG_INT64_MAX ||
		wa_spill_is_reading(&state->store))
		return nrows;
	keys = state->batch.key_vectors[bound->wanted.key];
	last = bound->last;
	for (size_t i = 0; i < nrows; i++)
	{
		const int64 rank = rank_of(&bound->wanted, wa_vector_ints(keys)[i],
								   !wa_vector_is_valid(keys, i));

		bound->selection[nselected] = (uint16) i;
		nselected += rank <= last;
	}
	if (nselected == nrows || nselected == 0)
		return nselected;
	wa_gather_keep(state->sources.gather, (int) state->query.compiled.nfilters,
				   state->sources.vectors, bound->selection, (int) nselected);
	for (int i = 0; i < bound->nregisters; i++)
	{
		const uint16 number = bound->registers[i];
		WaInterpreter *interpreter = state->query.interpreter;

		wa_vector_compact(&interpreter->registers[number],
						  interpreter->program.kinds[number], bound->selection,
						  nselected);
	}
	return nselected;
}

/* Has a rank take the place of the one on top, which comes behind it. */
static void
replace_last(WaKeyBound *bound, int64 rank)
{
	uint64 place = 0;
	uint64 child;

	while ((child = 2 * place + 1) < bound->nranks)
	{
		if (child + 1 < bound->nranks &&
			bound->ranks[child + 1] > bound->ranks[child])
			child++;
		if (bound->ranks[child] <= rank)
			break;
		bound->ranks[place] = bound->ranks[child];
		place = child;
	}
	bound->ranks[place] = rank;
}

/* Adds a rank. */
static void
add(WaKeyBound *bound, int64 rank)
{
	uint64 place = bound->nranks++;

	while (place > 0 && bound->ranks[(place - 1) / 2] < rank)
	{
		bound->ranks[place] = bound->ranks[(place - 1) / 2];
		place = (place - 1) / 2;
	}
	bound->ranks[place] = rank;
}

/* Returns the rank of a group of the store. */
static int64
rank_of_group(const WaScanState *state, uint32 group)
{
	const WaWantedKeys *wanted = &state->batch.bound->wanted;
	WaQueryValue value;

	wa_query_groups_key(state->store.groups->table, group, wanted->key, &value);
	return rank_of(wanted, value.integer, value.is_null);
}

/* Once groups are made anew one that has been noted might come again. */
void
wa_key_bound_note(WaScanState *state)
{
	WaKeyBound *bound = state->batch.bound;
	uint32 ngroups;

	if (bound == NULL || bound->times_made != state->store.times_made)
		return;
	ngroups = wa_scan_groups(&state->store);
	for (; bound->nnoted < ngroups; bound->nnoted++)
	{
		const int64 rank = rank_of_group(state, bound->nnoted);

		if (bound->nranks < bound->wanted.limit)
			add(bound, rank);
		else if (rank < bound->ranks[0])
			replace_last(bound, rank);
	}
	if (bound->nranks == bound->wanted.limit)
		wa_key_bound_tighten(state, bound->ranks[0]);
}

int64
wa_key_bound_last(const WaScanState *state)
{
	return state->batch.bound == NULL ? PG_INT64_MAX : state->batch.bound->last;
}

void
wa_key_bound_tighten(WaScanState *state, int64 last)
{
	WaKeyBound *bound = state->batch.bound;

	if (bound != NULL)
		bound->last = Min(bound->last, last);
}

bool
wa_key_bound_excludes(const WaScanState *state, uint32 group)
{
	const int64 last = wa_key_bound_last(state);

	return last != PG_INT64_MAX && rank_of_group(state, group) > last;
}
