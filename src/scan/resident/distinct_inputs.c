/*
 * distinct_inputs.c
 *		Queries that the device process answers in part; see distinct_inputs.h.
 *
 * A distinct input stands for all rows that have its values.  An expression over these
 * has one value for them all, which an aggregate takes as many times.  What
 * PostgreSQL would evaluate for none of the rows is not evaluated: clauses of WHERE
 * come in their order, behind them the keys and the arguments.  So if something raises
 * an error PostgreSQL raises one as well.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"

#include "heap/gather.h"
#include "scan/expr/lazy.h"
#include "scan/resident/distinct_inputs.h"
#include "scan/rows/merge.h"
#include "scan/rows/rowwise.h"
#include "scan/spill/group_store.h"
#include "scan/spill/spill_pace.h"

/* A value is taken one by one so many times; beyond, what it comes to is doubled. */
#define FEW_TIMES 16

/* How many distinct inputs are taken between two looks at the memory. */
#define LOOK_INTERVAL 1024

/* Tells whether the node's groups take more memory than they may. */
static bool
is_too_large(const WaScanStore *store)
{
	return store->groups != NULL &&
		   wa_spill_groups_bytes(store) > get_hash_memory_limit();
}

/* Shows a distinct input to the expressions. */
static void
show_input(WaDistinctInputs *inputs, uint32 input)
{
	TupleTableSlot *slot = inputs->slot;

	ExecClearTuple(slot);
	for (int i = 0; i < inputs->descriptor->natts; i++)
		slot->tts_values[i] =
			wa_groups_key(inputs->store.groups, input, i, &slot->tts_isnull[i]);
	ExecStoreVirtualTuple(slot);
}

/* Tells whether the rows of a distinct input fulfil WHERE. */
static bool
fulfils_where(const WaDistinctInputs *inputs, ExprContext *econtext)
{
	for (int i = 0; i < inputs->nwhere; i++)
		if (!wa_rowwise_is_true(inputs->where[i], econtext))
			return false;
	return true;
}

/* Returns the group of the distinct input that is shown. */
static uint32
find_group(WaDistinctInputs *inputs, ExprContext *econtext)
{
	WaScanState *state = inputs->state;

	if (state->store.groups == NULL)
		return 0;
	for (int i = 0; i < state->query.nkeys; i++)
		inputs->values[i] =
			ExecEvalExpr(inputs->keys[i], econtext, &inputs->nulls[i]);
	return wa_groups_find_row(state->store.groups, inputs->values,
							  inputs->nulls);
}

/* Merges what an accumulator has of a group with what another one has. */
static void
merge_group(WaAccumulator *from, uint32 theirs, WaAccumulator *into,
			uint32 group)
{
	WaAggState *state;
	WaRecord record;

	if (wa_accumulator_record(from, theirs, &record))
	{
		if (record.words[0] > 0)
			wa_accumulator_merge_record(into, group, &record);
		return;
	}
	state = wa_accumulator_state(from, theirs);
	if (state != NULL)
		wa_accumulator_merge(into, group, state);
}

/*
 * Has a column take a value many times: by merging what 1, 2, 4 and so on of it come
 * to, which is exact as merging always is.
 */
static void
take_doubled(const WaScanStore *store, int number, uint32 group, Datum value,
			 int64 times)
{
	const WaAggPlan *plan = &store->query->columns[number].plan;
	const WaVectorKind kind = store->query->compiled.columns[number].kind;
	WaAccumulator *doubled =
		wa_accumulator_make(CurrentMemoryContext, plan, kind);
	WaAccumulator *copies =
		wa_accumulator_make(CurrentMemoryContext, plan, kind);
	uint32 bit = 0;

	wa_accumulator_grow(doubled, 64);
	wa_accumulator_grow(copies, 64);
	wa_accumulator_take_datum(doubled, bit, value);
	for (;;)
	{
		if ((times & 1) != 0)
			merge_group(doubled, bit, store->columns[number], group);
		times >>= 1;
		if (times == 0)
			return;
		merge_group(doubled, bit, copies, bit);
		merge_group(doubled, bit, copies, bit);
		bit++;
		merge_group(copies, bit - 1, doubled, bit);
	}
}

/* Has a column take the value that PostgreSQL evaluates, for so many rows. */
static void
take_value(const WaScanStore *store, int number, ExprState *argument,
		   uint32 group, int64 rows, ExprContext *econtext)
{
	Datum value = BoolGetDatum(true);
	bool is_null = false;

	if (argument != NULL)
		value = ExecEvalExpr(argument, econtext, &is_null);
	if (is_null)
		return;
	if (rows > FEW_TIMES)
		take_doubled(store, number, group, value, rows);
	else
		for (int64 i = 0; i < rows; i++)
			wa_accumulator_take_datum(store->columns[number], group, value);
}

/* Returns the branch of a column that the rows of the distinct input shown take. */
static const WaBranch *
choose_branch(const WaInputsColumn *column, ExprContext *econtext)
{
	bool is_null;

	if (column->choice == NULL)
		return &column->branches[0];
	return &column->branches[DatumGetInt32(
		ExecEvalExpr(column->choice, econtext, &is_null))];
}

/* Has a column take the rows of the distinct input shown. */
static void
take_rows(WaDistinctInputs *inputs, int number, uint32 input, uint32 group,
		  int64 rows, ExprContext *econtext)
{
	const WaScanStore *into = &inputs->state->store;
	const WaInputsColumn *column = &inputs->columns[number];
	const WaBranch *branch;

	if (!wa_rowwise_is_true(column->filter, econtext))
		return;
	branch = choose_branch(column, econtext);
	if (branch->place < 0)
		take_value(into, number, branch->argument, group, rows, econtext);
	else
		merge_group(inputs->store.columns[branch->place], input,
					into->columns[number], group);
}

/* Returns how many rows a distinct input stands for. */
static int64
count_rows(const WaDistinctInputs *inputs, uint32 input)
{
	WaRecord record;

	(void) wa_accumulator_record(inputs->store.columns[inputs->counted], input,
								 &record);
	return (int64) record.words[0];
}

/* Brings a distinct input into its group. */
static void
take_input(WaDistinctInputs *inputs, uint32 input, ExprContext *econtext)
{
	const WaScanState *state = inputs->state;
	const int64 rows = count_rows(inputs, input);
	uint32 group;

	show_input(inputs, input);
	if (!fulfils_where(inputs, econtext))
		return;
	group = find_group(inputs, econtext);
	for (int i = 0; i < state->query.ncolumns; i++)
	{
		wa_accumulator_grow(state->store.columns[i],
							wa_scan_groups(&state->store));
		take_rows(inputs, i, input, group, rows, econtext);
	}
	inputs->rows += rows;
}

/* Brings all distinct inputs into their groups. */
static void
take_all(WaDistinctInputs *inputs)
{
	ExprContext *econtext = inputs->state->css.ss.ps.ps_ExprContext;
	const uint32 ninputs = wa_scan_groups(&inputs->store);

	econtext->ecxt_outertuple = inputs->slot;
	for (uint32 i = 0; i < ninputs && !inputs->is_refused; i++)
	{
		MemoryContext old;

		CHECK_FOR_INTERRUPTS();
		ResetExprContext(econtext);
		old = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
		take_input(inputs, i, econtext);
		MemoryContextSwitchTo(old);
		if (i % LOOK_INTERVAL == 0)
			inputs->is_refused = is_too_large(&inputs->state->store);
	}
}

/* Evaluates what there is to evaluate; returns false if that has no use. */
static bool
evaluate(WaDistinctInputs *inputs)
{
	ExprContext *econtext = inputs->state->css.ss.ps.ps_ExprContext;
	TupleTableSlot *shown = econtext->ecxt_outertuple;
	bool taken;

	inputs->slot = MakeSingleTupleTableSlot(inputs->descriptor, &TTSOpsVirtual);
	take_all(inputs);
	taken = !inputs->is_refused && !is_too_large(&inputs->state->store);
	econtext->ecxt_outertuple = shown;
	ResetExprContext(econtext);
	ExecDropSingleTupleTableSlot(inputs->slot);
	return taken;
}

bool
wa_distinct_inputs_waits(const WaDistinctInputs *inputs)
{
	const WaLazyConstant lazy = {.params = inputs->params};

	return wa_lazy_waits(&lazy, inputs->state->css.ss.ps.ps_ExprContext);
}

bool
wa_distinct_inputs_receive(WaDistinctInputs *inputs, const void *message,
						   Size bytes, const WaRanks *ranks)
{
	wa_scan_make_groups(&inputs->store);
	if (!wa_scan_answer_is_sound(&inputs->store, message, bytes, ranks))
		return false;
	wa_scan_merge_answer(&inputs->store, message, bytes, ranks, false);
	return true;
}

bool
wa_distinct_inputs_take(WaDistinctInputs *inputs)
{
	WaScanState *state = inputs->state;

	inputs->rows = 0;
	inputs->is_refused = false;
	if (!evaluate(inputs))
	{
		wa_scan_make_groups(&state->store);
		return false;
	}
	state->now.kept_rows += inputs->rows;
	state->now.distinct_inputs += wa_scan_groups(&inputs->store);
	return true;
}
