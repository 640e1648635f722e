/*
 * gpu_records.h
 *		From what a GPU has found of a group to keys and records.
 */
#ifndef WA_DAEMON_GPU_RECORDS_H
#define WA_DAEMON_GPU_RECORDS_H

#include "cuda/query.h"
#include "query/groups/group_decimal.h"
#include "query/message/query.h"
#include "query/records/records.h"

/*
 * Makes the record of an aggregated column, in words, and in *rest what it has of
 * values of 128 bits; it refers to these and to the cell.
 * Returns false if a sum has no room in it.
 */
bool wa_gpu_record_make(const WaQueryColumn *column, const WaCudaCell *cell,
						uint64_t words[WA_RECORD_MAX_WORDS], WaWideRest *rest,
						WaRecord *record);

/* Returns the value of a key that is not TEXT; it may refer to the bytes. */
WaQueryValue wa_gpu_key_value(WaVectorKind kind, const WaCudaKey *key,
							  char bytes[WA_WIDE_DECIMAL_BYTES]);

#endif /* WA_DAEMON_GPU_RECORDS_H */
