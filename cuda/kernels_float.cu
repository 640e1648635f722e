//
// kernels_float.cu
//		The kernels that reduce a column of floats.
//
#include "grid/column.cuh"

static const WaColumnEntry kEntries[] = {WA_COLUMN_FLOATS(WA_COLUMN_ENTRY)};

const WaColumnEntry *
wa_column_float_entry(WaStorage storage, WaOpSet ops)
{
	return wa_column_find(kEntries, storage, ops);
}
