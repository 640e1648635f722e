/*
 * pushed_states.c
 *		From what another server has aggregated to states; see pushed_states.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"

#include "core/int128.h"
#include "scan/groups/pushed_states.h"
#include "state/column.h"
#include "state/extreme.h"
#include "state/numeric_format.h"

bool
wa_pushed_is_exact(const WaPlanKey *key)
{
	if (wa_ops_have(key->ops, WA_OP_SQUARES))
		return false;
	return !wa_ops_have(key->ops, WA_OP_SUM) || key->argument_type == INT2OID ||
		   key->argument_type == INT4OID || key->argument_type == INT8OID ||
		   key->argument_type == NUMERICOID;
}

int
wa_pushed_values(WaOpSet ops)
{
	int count = 1;

	for (int op = 0; op < WA_OP_COUNT; op++)
		count += wa_ops_have(ops, (WaOp) op);
	return count;
}

/* Raises the error that values of another server cannot be. */
static void
raise_unsound(void)
{
	ereport(ERROR, (errcode(ERRCODE_FDW_ERROR),
					errmsg("another server has returned aggregates that do not "
						   "fit each other")));
}

/* Returns the sum of integers, as PostgreSQL returns it for their type. */
static __int128
integer_of(const WaAggPlan *plan, Datum sum)
{
	WaNumericView view;
	__int128 integer = 0;

	if (plan->key.argument_type != INT8OID)
		return DatumGetInt64(sum);
	wa_numeric_view((Numeric) PG_DETOAST_DATUM_PACKED(sum), &view);
	if (!wa_numeric_to_wide(&view, 0, &integer))
		raise_unsound();
	return integer;
}

/* Puts the sum of its rows into a state without rows. */
static void
put_sum(WaAggState *state, Datum sum)
{
	const WaAggPlan *plan = state->plan;
	WaPartial partial;

	if (plan->kind == &wa_numeric_column)
	{
		/* As one row of that value: it shows as many digits, and may be NaN. */
		plan->kind->add(state, sum, 1);
		return;
	}
	wa_partial_init(&partial, NULL);
	partial.sum = wa_int128_make(integer_of(plan, sum));
	plan->kind->absorb(state, &partial);
}

WaAggState *
wa_pushed_state(const WaAggPlan *plan, const Datum *values, const bool *nulls)
{
	const int64 rows = nulls[0] ? -1 : DatumGetInt64(values[0]);
	WaAggState *state;
	int next = 1;

	if (rows < 0)
		raise_unsound();
	if (rows == 0)
		return NULL;
	state = wa_state_make(CurrentMemoryContext, plan);
	for (int op = 0; op < WA_OP_COUNT; op++)
	{
		if (!wa_ops_have(plan->key.ops, (WaOp) op))
			continue;
		if (nulls[next])
			raise_unsound();
		if (op == WA_OP_SUM)
			put_sum(state, values[next]);
		else
			wa_extreme_put(state, (WaOp) op, values[next]);
		next++;
	}
	state->rows = rows;
	return state;
}
