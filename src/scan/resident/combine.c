/*
 * combine.c
 *		Queries that the device process answers in part; see combine.h.
 *
 * A combination stands for all rows that have its values.  An expression over these
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
#include "scan/resident/combine_internal.h"
#include "scan/rows/merge.h"
#include "scan/rows/rowwise.h"
#include "scan/spill/group_store.h"
#include "scan/spill/spill_pace.h"

/* A value is taken one by one so many times; beyond, what it comes to is doubled. */
#define FEW_TIMES 16

/* How many combinations are taken between two looks at the memory. */
#define LOOK_INTERVAL 1024

const WaScanQuery *
wa_combine_asked(const WaCombine *combine)
{
	return &combine->asked;
}

/* Tells whether the node's groups take more memory than they may. */
static bool
is_too_large(const WaScanStore *store)
{
	return store->groups != NULL &&
		   wa_spill_groups_bytes(store) > get_hash_memory_limit();
}

/* Shows a combination to the expressions. */
static void
store_combination(WaCombine *combine, uint32 combination)
{
	TupleTableSlot *slot = combine->slot;

	ExecClearTuple(slot);
	for (int i = 0; i < combine->descriptor->natts; i++)
		slot->tts_values[i] = wa_groups_key(combine->store.groups, combination,
											i, &slot->tts_isnull[i]);
	ExecStoreVirtualTuple(slot);
}

/* Tells whether the rows of a combination fulfil WHERE. */
static bool
fulfils_where(const WaCombine *combine, ExprContext *econtext)
{
	for (int i = 0; i < combine->nwhere; i++)
		if (!wa_rowwise_is_true(combine->where[i], econtext))
			return false;
	return true;
}

/* Returns the group of the combination that is shown. */
static uint32
find_group(WaCombine *combine, ExprContext *econtext)
{
	WaScanState *state = combine->state;

	if (state->store.groups == NULL)
		return 0;
	for (int i = 0; i < state->query.nkeys; i++)
		combine->values[i] =
			ExecEvalExpr(combine->keys[i], econtext, &combine->nulls[i]);
	return wa_groups_find_row(state->store.groups, combine->values,
							  combine->nulls);
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

/* Returns the branch of a column that the rows of the combination shown take. */
static const WaBranch *
choose_branch(const WaCombinedColumn *column, ExprContext *econtext)
{
	bool is_null;

	if (column->choice == NULL)
		return &column->branches[0];
	return &column->branches[DatumGetInt32(
		ExecEvalExpr(column->choice, econtext, &is_null))];
}

/* Has a column take the rows of the combination shown. */
static void
take_rows(WaCombine *combine, int number, uint32 combination, uint32 group,
		  int64 rows, ExprContext *econtext)
{
	const WaScanStore *into = &combine->state->store;
	const WaCombinedColumn *column = &combine->columns[number];
	const WaBranch *branch;

	if (!wa_rowwise_is_true(column->filter, econtext))
		return;
	branch = choose_branch(column, econtext);
	if (branch->place < 0)
		take_value(into, number, branch->argument, group, rows, econtext);
	else
		merge_group(combine->store.columns[branch->place], combination,
					into->columns[number], group);
}

/* Returns how many rows a combination stands for. */
static int64
count_rows(const WaCombine *combine, uint32 combination)
{
	WaRecord record;

	(void) wa_accumulator_record(combine->store.columns[combine->counted],
								 combination, &record);
	return (int64) record.words[0];
}

/* Brings a combination into its group. */
static void
take_combination(WaCombine *combine, uint32 combination, ExprContext *econtext)
{
	const WaScanState *state = combine->state;
	const int64 rows = count_rows(combine, combination);
	uint32 group;

	store_combination(combine, combination);
	if (!fulfils_where(combine, econtext))
		return;
	group = find_group(combine, econtext);
	for (int i = 0; i < state->query.ncolumns; i++)
	{
		wa_accumulator_grow(state->store.columns[i],
							wa_scan_groups(&state->store));
		take_rows(combine, i, combination, group, rows, econtext);
	}
	combine->rows += rows;
}

/* Brings all combinations into their groups. */
static void
take_all(WaCombine *combine)
{
	ExprContext *econtext = combine->state->css.ss.ps.ps_ExprContext;
	const uint32 ncombinations = wa_scan_groups(&combine->store);

	econtext->ecxt_outertuple = combine->slot;
	for (uint32 i = 0; i < ncombinations && !combine->is_refused; i++)
	{
		MemoryContext old;

		CHECK_FOR_INTERRUPTS();
		ResetExprContext(econtext);
		old = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
		take_combination(combine, i, econtext);
		MemoryContextSwitchTo(old);
		if (i % LOOK_INTERVAL == 0)
			combine->is_refused = is_too_large(&combine->state->store);
	}
}

/* Evaluates what there is to evaluate; returns false if that has no use. */
static bool
evaluate(WaCombine *combine)
{
	ExprContext *econtext = combine->state->css.ss.ps.ps_ExprContext;
	TupleTableSlot *shown = econtext->ecxt_outertuple;
	bool taken;

	combine->slot =
		MakeSingleTupleTableSlot(combine->descriptor, &TTSOpsVirtual);
	take_all(combine);
	taken = !combine->is_refused && !is_too_large(&combine->state->store);
	econtext->ecxt_outertuple = shown;
	ResetExprContext(econtext);
	ExecDropSingleTupleTableSlot(combine->slot);
	return taken;
}

bool
wa_combine_waits(const WaCombine *combine)
{
	const WaLazyConstant lazy = {.params = combine->params};

	return wa_lazy_waits(&lazy, combine->state->css.ss.ps.ps_ExprContext);
}

bool
wa_combine_receive(WaCombine *combine, const void *message, Size bytes,
				   const WaRanks *ranks)
{
	wa_scan_make_groups(&combine->store);
	if (!wa_scan_answer_is_sound(&combine->store, message, bytes, ranks))
		return false;
	wa_scan_merge_answer(&combine->store, message, bytes, ranks, false);
	return true;
}

bool
wa_combine_take(WaCombine *combine)
{
	WaScanState *state = combine->state;

	combine->rows = 0;
	combine->is_refused = false;
	if (!evaluate(combine))
	{
		wa_scan_make_groups(&state->store);
		return false;
	}
	state->now.kept_rows += combine->rows;
	state->now.combinations += wa_scan_groups(&combine->store);
	return true;
}
