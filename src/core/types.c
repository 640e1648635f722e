/*
 * types.c
 *		Look-ups over the lists of types.h.
 */
#include "core/types.h"
#include "core/int128.h"

static const WaStorage type_storages[] = {
#define X(name, sql, storage) WA_##storage,
	WA_TYPE_LIST(X)
#undef X
};

static const char *const type_names[] = {
#define X(name, sql, storage) sql,
	WA_TYPE_LIST(X)
#undef X
};

static const char *const op_names[] = {
#define X(name, sql) sql,
	WA_OP_LIST(X)
#undef X
};

static const size_t storage_widths[] = {
#define X(name, ctype) sizeof(ctype),
	WA_STORAGE_LIST(X)
#undef X
};

static const WaOpSet type_aggregates[WA_TYPE_COUNT][WA_OP_COUNT] = {
#define X(op, type) [WA_##type][WA_OP_##op] = 1,
	WA_AGGREGATE_LIST(X)
#undef X
};

static const WaOpSet storage_reductions[WA_STORAGE_COUNT][WA_OP_COUNT] = {
#define X(op, storage, accumulator) [WA_##storage][WA_OP_##op] = 1,
	WA_REDUCTION_LIST(X)
#undef X
};

WaStorage
wa_type_storage(WaType type)
{
	return type_storages[type];
}

size_t
wa_type_width(WaType type)
{
	return storage_widths[type_storages[type]];
}

const char *
wa_type_name(WaType type)
{
	return type_names[type];
}

const char *
wa_op_name(WaOp op)
{
	return op_names[op];
}

bool
wa_aggregate_exists(WaOp op, WaType type)
{
	return type_aggregates[type][op] != 0;
}

bool
wa_reductions_exist(WaOpSet ops, WaStorage storage)
{
	if (ops == 0 || ops >> WA_OP_COUNT != 0 || !wa_ops_are_together(ops))
		return false;
	for (int op = 0; op < WA_OP_COUNT; op++)
		if ((ops & WA_OP_BIT(op)) != 0 && !storage_reductions[storage][op])
			return false;
	return true;
}
