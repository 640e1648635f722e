/*
 * calls.h
 *		Functions of one vector that programs call, beside scan/buckets.h.
 */
#ifndef WA_SCAN_CALLS_H
#define WA_SCAN_CALLS_H

#include "core/program.h"

/* Returns a text without its trailing blanks. */
extern WaText wa_trim(WaText text);

/* A WaVectorFunction: bpchars without their trailing blanks; no context. */
extern bool wa_trim_call(void *context, const WaVector *a, WaVector *out,
						 size_t nrows);

/*
 * WaVectorFunctions: extract(epoch FROM timestamp or timestamptz) as a numeric,
 * date_part as a double; no context.
 */
extern bool wa_epoch_decimal_call(void *context, const WaVector *a,
								  WaVector *out, size_t nrows);
extern bool wa_epoch_float_call(void *context, const WaVector *a, WaVector *out,
								size_t nrows);

/* What a numeric is divided by. */
typedef struct WaDivisor
{
	int64 value; /* in units of 10^-scale; 0: it has no vector */
	int scale;
	bool is_null;
} WaDivisor;

/*
 * A WaVectorFunction: floor(a / divisor) of numerics; the context is a
 * WaDivisor.  Traps where PostgreSQL's rounded quotient might have another floor
 * than the exact one.
 */
extern bool wa_floor_divide_call(void *context, const WaVector *a,
								 WaVector *out, size_t nrows);

#endif /* WA_SCAN_CALLS_H */
