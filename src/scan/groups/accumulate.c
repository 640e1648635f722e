/*
 * accumulate.c
 *		What the groups of a query keep of one aggregated column; see
 *		accumulate.h.
 *
 * A group's rows are in its record and, where there is one, in its transition state.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "compat.h"
#include "core/int128.h"
#include "scan/base/context_arena.h"
#include "scan/groups/accumulate.h"
#include "scan/groups/record_states.h"
#include "state/extreme.h"
#include "state/numeric_format.h"

/* Returns the state of a group, NULL if it has none. */
static WaAggState *
state_of(const WaAccumulator *accumulator, uint32 group)
{
	return group < accumulator->nstates ? accumulator->states[group] : NULL;
}

/* Stores the state of a group. */
static void
set_state(WaAccumulator *accumulator, uint32 group, WaAggState *state)
{
	if (group >= accumulator->nstates)
	{
		uint64 count = Max((uint64) accumulator->nstates * 2,
						   Max(accumulator->ngroups, group + 1));

		wa_context_arena_resize(&accumulator->arena, &accumulator->states,
								count * sizeof(WaAggState *));
		memset(accumulator->states + accumulator->nstates, 0,
			   (count - accumulator->nstates) * sizeof(WaAggState *));
		accumulator->nstates = (uint32) count;
	}
	accumulator->states[group] = state;
}

/* Returns a new state in the scratch memory. */
static WaAggState *
scratch_state(const WaAccumulator *accumulator)
{
	MemoryContextReset(accumulator->scratch);
	return wa_state_make(accumulator->scratch, accumulator->plan);
}

/* Puts the rows of a record into a state without rows. */
static void
put_record(const WaAccumulator *accumulator, const WaRecord *record,
		   WaAggState *state)
{
	MemoryContext old = MemoryContextSwitchTo(accumulator->scratch);

	if (accumulator->plan->key.ops != 0)
		wa_record_put(accumulator->kind, &accumulator->layout, record, state);
	else
		state->rows = (int64) record->words[0];
	MemoryContextSwitchTo(old);
}

/* Adds the rows of a record to those of a group's state. */
static WaAggState *
add_record(WaAccumulator *accumulator, uint32 group, const WaRecord *record)
{
	WaAggState *state = state_of(accumulator, group);
	WaAggState *other;

	if (state == NULL)
	{
		MemoryContextReset(accumulator->scratch);
		state = wa_state_make(accumulator->context, accumulator->plan);
		set_state(accumulator, group, state);
		if (record->words[0] != 0)
			put_record(accumulator, record, state);
	}
	else if (record->words[0] != 0)
	{
		other = scratch_state(accumulator);
		put_record(accumulator, record, other);
		wa_state_merge(state, other);
	}
	return state;
}

/* Moves the rows of a group's record to its state, which is made if need be. */
static WaAggState *
flush(WaAccumulator *accumulator, uint32 group)
{
	WaAggState *state = state_of(accumulator, group);
	WaRecord record;

	wa_records_get(accumulator->table, group, &record);
	if (state != NULL && record.words[0] == 0)
		return state;
	state = add_record(accumulator, group, &record);
	if (record.words[0] != 0)
		wa_records_clear(accumulator->table, group);
	return state;
}

/* The owner of the records: takes one over. */
static void
take_record(void *accumulator, uint32 group)
{
	flush((WaAccumulator *) accumulator, group);
}

/* The owner of the records: takes a row. */
static void
take_decimal(void *context, uint32 group, int64 value, uint8 scale,
			 uint8 display)
{
	WaAccumulator *accumulator = (WaAccumulator *) context;
	WaAggState *state = flush(accumulator, group);
	MemoryContext old;

	MemoryContextReset(accumulator->scratch);
	old = MemoryContextSwitchTo(accumulator->scratch);
	wa_state_take(
		state, NumericGetDatum(wa_numeric_from_decimal(value, scale, display)));
	MemoryContextSwitchTo(old);
}

WaAccumulator *
wa_accumulator_make(MemoryContext parent, const WaAggPlan *plan,
					WaVectorKind kind)
{
	MemoryContext context =
		wa_context_for_groups(parent, "warpagg accumulator");
	WaAccumulator *accumulator =
		MemoryContextAllocZero(context, sizeof(WaAccumulator));

	accumulator->context = context;
	accumulator->scratch = AllocSetContextCreate(
		parent, "warpagg accumulator scratch", ALLOCSET_DEFAULT_SIZES);
	accumulator->plan = plan;
	accumulator->kind = kind;
	accumulator->layout = wa_record_layout(kind, plan->key.ops);
	accumulator->by_states = !wa_records_exist(kind, plan->key.ops);
	accumulator->form = wa_datum_form(plan->key.argument_type, kind);
	accumulator->owner = (WaRecordOwner){
		.context = accumulator, .flush = take_record, .take = take_decimal};
	wa_context_arena_init(&accumulator->arena, context);
	wa_context_arena_init(&accumulator->vectors, parent);
	accumulator->arena.vectors = &accumulator->vectors;
	accumulator->table = wa_records_make(
		&accumulator->arena, kind, accumulator->by_states ? 0 : plan->key.ops,
		&accumulator->owner);
	return accumulator;
}

void
wa_accumulator_grow(WaAccumulator *accumulator, uint32 ngroups)
{
	if (ngroups <= accumulator->ngroups)
		return;
	if (!wa_records_grow(accumulator->table, ngroups))
		elog(ERROR, "an arena of a memory context has failed");
	accumulator->ngroups = ngroups;
}

void
wa_accumulator_expect(WaAccumulator *accumulator, uint32 ngroups)
{
	if (!wa_records_expect(accumulator->table, ngroups))
		elog(ERROR, "an arena of a memory context has failed");
}

/* Takes the values of a vector into transition states. */
static void
take_into_states(WaAccumulator *accumulator, const uint32 *groups,
				 const uint8 *keep, const WaVector *vector, size_t nrows)
{
	MemoryContext old = MemoryContextSwitchTo(accumulator->scratch);

	for (size_t i = 0; i < nrows; i++)
	{
		WaAggState *state;

		if ((keep != NULL && keep[i] == 0) || !wa_vector_is_valid(vector, i))
			continue;
		state = flush(accumulator, groups == NULL ? 0 : groups[i]);
		wa_state_take(state, wa_datum_of_row(&accumulator->form, vector, i));
		MemoryContextReset(accumulator->scratch);
	}
	MemoryContextSwitchTo(old);
}

void
wa_accumulator_take(WaAccumulator *accumulator, const uint32 *groups,
					const uint8 *keep, const WaVector *values, size_t nrows)
{
	if (accumulator->by_states)
		take_into_states(accumulator, groups, keep, values, nrows);
	else
		wa_records_take(accumulator->table, groups, keep, values, nrows);
}

/* Stores a value of SQL in a vector; returns false if it has no room in a record. */
static bool
store(const WaAccumulator *accumulator, Datum value, WaVector *vector)
{
	if (accumulator->plan->key.ops == 0)
		return true;
	return !accumulator->by_states &&
		   wa_datum_to_vector(accumulator->plan->key.argument_type,
							  accumulator->kind, value, vector);
}

void
wa_accumulator_take_datum(WaAccumulator *accumulator, uint32 group, Datum value)
{
	MemoryContext old;
	int64 stored = 0;
	WaVector vector = {.values = &stored};

	MemoryContextReset(accumulator->scratch);
	old = MemoryContextSwitchTo(accumulator->scratch);
	if (store(accumulator, value, &vector))
		wa_records_take_value(accumulator->table, group, stored, vector.scale);
	else
		wa_state_take(flush(accumulator, group), value);
	MemoryContextSwitchTo(old);
}

void
wa_accumulator_merge_record(WaAccumulator *accumulator, uint32 group,
							const WaRecord *record)
{
	if (wa_records_merge(accumulator->table, group, record))
		return;
	flush(accumulator, group);
	add_record(accumulator, group, record);
}

/*
 * Stores the words of the record that a state with rows is as good as.  Returns false if
 * it is none: if there is more than rows to be counted, and not of integers.
 */
static bool
words_of(const WaAccumulator *accumulator, const WaAggState *state,
		 uint64 *words)
{
	const WaRecordLayout *layout = &accumulator->layout;
	const WaOpSet ops = accumulator->plan->key.ops;

	words[0] = (uint64) state->rows;
	if (ops == 0)
		return true;
	if (accumulator->kind != WA_VECTOR_INT || accumulator->by_states)
		return false;
	if (wa_ops_have(ops, WA_OP_SUM))
		memcpy(words + layout->sum, wa_state_component(state, WA_OP_SUM),
			   sizeof(WaInt128));
	if (wa_ops_have(ops, WA_OP_SQUARES))
		memcpy(words + layout->squares,
			   wa_state_component(state, WA_OP_SQUARES), sizeof(WaUint192));
	if (wa_ops_have(ops, WA_OP_MIN))
		memcpy(words + layout->min, wa_state_component(state, WA_OP_MIN),
			   WA_EXTREME_BYTES);
	if (wa_ops_have(ops, WA_OP_MAX))
		memcpy(words + layout->max, wa_state_component(state, WA_OP_MAX),
			   WA_EXTREME_BYTES);
	for (WaOp op = WA_OP_BIT_AND; op < WA_OP_COUNT; op++)
		if (wa_ops_have(ops, op))
			memcpy(words + wa_record_bits(*layout, ops, op),
				   wa_state_component(state, op), WA_EXTREME_BYTES);
	return true;
}

void
wa_accumulator_merge(WaAccumulator *accumulator, uint32 group,
					 const WaAggState *state)
{
	uint64 words[WA_RECORD_MAX_WORDS];

	if (state->rows == 0)
		return;
	if (words_of(accumulator, state, words))
	{
		const WaRecord record = {.words = words};

		wa_accumulator_merge_record(accumulator, group, &record);
	}
	else
		wa_state_merge(flush(accumulator, group), state);
}

void
wa_accumulator_merge_theirs(WaAccumulator *accumulator, const uint32 *groups,
							WaAccumulator *others, const uint32 *theirs,
							size_t ntheirs)
{
	for (size_t i = 0; i < ntheirs; i++)
	{
		const WaAggState *state;
		WaRecord record;

		if (state_of(others, theirs[i]) == NULL)
		{
			wa_records_get(others->table, theirs[i], &record);
			if (record.words[0] != 0)
				wa_accumulator_merge_record(accumulator, groups[i], &record);
		}
		else if ((state = wa_accumulator_state(others, theirs[i])) != NULL)
			wa_accumulator_merge(accumulator, groups[i], state);
	}
}

bool
wa_accumulator_record(const WaAccumulator *accumulator, uint32 group,
					  WaRecord *record)
{
	wa_records_get(accumulator->table, group, record);
	return state_of(accumulator, group) == NULL;
}

WaAggState *
wa_accumulator_state(WaAccumulator *accumulator, uint32 group)
{
	WaAggState *state = state_of(accumulator, group);
	WaRecord record;

	if (state != NULL)
	{
		flush(accumulator, group);
		wa_state_collect(state);
		return state->rows == 0 ? NULL : state;
	}
	wa_records_get(accumulator->table, group, &record);
	if (record.words[0] == 0)
		return NULL;
	state = scratch_state(accumulator);
	put_record(accumulator, &record, state);
	return state;
}

/* Stores a sum of integers, if it is a bigint and fits. */
static bool
peek_sum(const WaAggPlan *plan, const uint64 *words, Datum *result)
{
	WaInt128 sum;
	int64 value;

	if (plan->type != WA_INT2 && plan->type != WA_INT4)
		return false;
	memcpy(&sum, words, sizeof(sum));
	if (!wa_int128_to_int64(sum, &value))
		return false;
	*result = Int64GetDatum(value);
	return true;
}

/*
 * Stores a result that can be told from a group's record: of counts, and of all but averages
 * and variances of integers; returns false if that takes a state.  Of millions of groups a
 * state for each takes longer than all their rows: 100 ns and more, where this takes 3.
 */
static bool
peek(const WaAccumulator *accumulator, uint32 group, WaAggregate aggregate,
	 Datum *result, bool *is_null)
{
	const WaAggPlan *plan = accumulator->plan;
	const WaRecordLayout *layout = &accumulator->layout;
	WaRecord record;
	int word;

	if (!wa_accumulator_record(accumulator, group, &record))
		return false;
	*is_null = record.words[0] == 0 && aggregate != WA_COUNT;
	if (aggregate == WA_COUNT || *is_null)
	{
		*result = Int64GetDatum((int64) record.words[0]);
		return true;
	}
	if (accumulator->kind != WA_VECTOR_INT)
		return false;
	switch (aggregate)
	{
		case WA_SUM:
			return peek_sum(plan, record.words + layout->sum, result);
		case WA_MIN:
			word = layout->min;
			break;
		case WA_MAX:
			word = layout->max;
			break;
		case WA_BIT_AND:
		case WA_BIT_OR:
		case WA_BIT_XOR:
			word = wa_record_bits(*layout, plan->key.ops,
								  wa_aggregate_bits(aggregate));
			break;
		default:
			return false;
	}
	*result =
		wa_integer_datum(plan->key.argument_type, (int64) record.words[word]);
	return true;
}

Datum
wa_accumulator_result(WaAccumulator *accumulator, uint32 group,
					  WaAggregate aggregate, bool *is_null)
{
	Datum result;

	if (peek(accumulator, group, aggregate, &result, is_null))
		return result;
	return wa_aggregate_result(
		aggregate, wa_accumulator_state(accumulator, group), is_null);
}

bool
wa_accumulator_estimate(const WaAccumulator *accumulator, uint32 group,
						WaAggregate aggregate, double *result)
{
	WaRecord record;
	WaInt128 sum;

	if ((aggregate != WA_SUM && aggregate != WA_AVG) ||
		(accumulator->kind != WA_VECTOR_INT &&
		 accumulator->kind != WA_VECTOR_DECIMAL) ||
		!wa_accumulator_record(accumulator, group, &record) ||
		record.words[0] == 0 || record.wide != NULL)
		return false;
	memcpy(&sum, record.words + accumulator->layout.sum, sizeof(sum));
	*result = (double) wa_int128_get(sum);
	if (aggregate == WA_AVG)
		*result /= (double) record.words[0];
	return true;
}
