/*
 * plan.c
 *		How the aggregates over one column are evaluated; see plan.h.
 *
 * A state keeps only the components that somebody will ask for.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "settings.h"
#include "state/column.h"
#include "state/extreme.h"
#include "state/plan.h"

/* Rows of a state before it gets a bulk: of one at a time, and of many. */
#define BULK_ROWS      256
#define BULK_ROWS_MANY 2048

#define EXTREMES (WA_OP_BIT(WA_OP_MIN) | WA_OP_BIT(WA_OP_MAX))

/* X(type's OID, kind, type for the device): what is not merely ordered */
#define COLUMN_LIST(X)                      \
	X(INT2OID, integer, INT2)               \
	X(INT4OID, integer, INT4)               \
	X(INT8OID, integer, INT8)               \
	X(MONEYOID, integer, MONEY)             \
	X(DATEOID, integer, DATE)               \
	X(TIMEOID, integer, TIME)               \
	X(TIMESTAMPOID, integer, TIMESTAMP)     \
	X(TIMESTAMPTZOID, integer, TIMESTAMPTZ) \
	X(OIDOID, integer, OID)                 \
	X(XID8OID, integer, XID8)               \
	X(PG_LSNOID, integer, PG_LSN)           \
	X(FLOAT4OID, float, FLOAT4)             \
	X(FLOAT8OID, float, FLOAT8)             \
	X(NUMERICOID, numeric, NUMERIC)

/* Columns that are counted, and ordered at most. */
static const WaColumnKind other_column = {0};

/* Chooses how a column of the type is kept. */
static void
choose_kind(WaAggPlan *plan)
{
	plan->type = WA_TYPE_COUNT;
	switch (plan->key.argument_type)
	{
#define X(oid, name, device_type)         \
	case oid:                             \
		plan->kind = &wa_##name##_column; \
		plan->type = WA_##device_type;    \
		break;
		COLUMN_LIST(X)
#undef X
		case INTERVALOID:
			plan->kind = &wa_interval_column;
			break;
		default:
			plan->kind = &other_column;
			break;
	}
	/* Nothing but the number of rows: what they are does not matter. */
	if (plan->key.ops == 0)
		plan->kind = &other_column;
	plan->width = 0;
	if (plan->kind->by_device && plan->kind->take_bulk == NULL)
		plan->width = (uint8) wa_type_width(plan->type);
}

/* Lays out the components of a state. */
static void
lay_out(WaAggPlan *plan)
{
	const Size bytes[WA_OP_COUNT] = {
		[WA_OP_SUM] = plan->kind->sum_bytes,
		[WA_OP_SQUARES] = plan->kind->squares_bytes,
		[WA_OP_MIN] = WA_EXTREME_BYTES,
		[WA_OP_MAX] = WA_EXTREME_BYTES,
		[WA_OP_BIT_AND] = WA_EXTREME_BYTES,
		[WA_OP_BIT_OR] = WA_EXTREME_BYTES,
		[WA_OP_BIT_XOR] = WA_EXTREME_BYTES,
	};
	Size offset = MAXALIGN(sizeof(WaAggState));

	for (int op = 0; op < WA_OP_COUNT; op++)
	{
		plan->offsets[op] = (uint16) offset;
		if ((plan->key.ops & WA_OP_BIT(op)) != 0)
			offset += bytes[op];
	}
	plan->state_bytes = offset;
}

/* Prepares calls of a function of two values in the context. */
static FunctionCallInfo
prepare_call(const WaAggPlan *plan, Oid oid, MemoryContext context)
{
	FmgrInfo *function = MemoryContextAlloc(context, sizeof(FmgrInfo));
	FunctionCallInfo call =
		MemoryContextAlloc(context, SizeForFunctionCallInfo(2));

	fmgr_info_cxt(oid, function, context);
	InitFunctionCallInfoData(*call, function, 2, plan->collation, NULL, NULL);
	call->args[0].isnull = false;
	call->args[1].isnull = false;
	return call;
}

/* Looks up what MIN and MAX of a type need that no device takes. */
static void
look_up_order(WaAggPlan *plan, MemoryContext context)
{
	Oid compare;

	if ((plan->key.ops & EXTREMES) == 0 || plan->kind == &wa_integer_column ||
		plan->kind == &wa_float_column)
		return;
	get_typlenbyval(plan->key.argument_type, &plan->typlen, &plan->typbyval);
	compare = lookup_type_cache(plan->key.argument_type, TYPECACHE_CMP_PROC)
				  ->cmp_proc;
	if (OidIsValid(compare))
		plan->compare = prepare_call(plan, compare, context);
}

void
wa_plan_complete(WaAggPlan *plan, MemoryContext context)
{
	choose_kind(plan);
	if (((plan->key.ops & WA_OP_BIT(WA_OP_SUM)) != 0 &&
		 plan->kind->sum == NULL) ||
		((plan->key.ops & WA_OP_BIT(WA_OP_SQUARES)) != 0 &&
		 plan->kind->variance == NULL) ||
		((plan->key.ops & WA_BIT_OPS) != 0 && plan->kind != &wa_integer_column))
		elog(ERROR, "warpagg has no such aggregate over type %u",
			 plan->key.argument_type);
	lay_out(plan);
	look_up_order(plan, context);
	if (!plan->kind->by_device || !plan->may_use_device)
		plan->bulk_rows = PG_INT64_MAX;
	else if (wa_min_device_rows == 0)
		plan->bulk_rows = 1;
	else
		plan->bulk_rows = plan->many ? BULK_ROWS_MANY : BULK_ROWS;
}

bool
wa_plan_keys_match(const WaPlanKey *a, const WaPlanKey *b)
{
	return a->argument_type == b->argument_type && a->ops == b->ops;
}
