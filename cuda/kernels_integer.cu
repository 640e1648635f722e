//
// kernels_integer.cu
//		The kernels that reduce a column of integers, which dates and times are, too.
//
#include "grid/column.cuh"

static const WaColumnEntry kEntries[] = {WA_COLUMN_INTEGERS(WA_COLUMN_ENTRY)};

const WaColumnEntry *
wa_column_integer_entry(WaStorage storage, WaOpSet ops)
{
	return wa_column_find(kEntries, storage, ops);
}
