/*
 * buckets.c
 *		Functions of a timestamp that seldom change; see buckets.h.
 *
 * A direct-mapped table keeps the last result for each of its slots.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/nodeFuncs.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "scan/buckets.h"
#include "scan/datum.h"

#define BUCKET_USECS (INT64CONST(15) * 60 * 1000000)

/* Slots: 2^14 buckets are 170 days. */
#define NSLOTS 16384

/* What a slot knows of the bucket that it holds. */
typedef struct Slot
{
	int64 bucket;
	bool is_constant; /* else: the function has to be called */
	uint8 scale;      /* DECIMAL */
	union
	{
		int64 i;
		double f;
	} value;
} Slot;

struct WaBuckets
{
	FmgrInfo function;
	FunctionCallInfo call;
	Datum argument; /* the constant one */
	bool is_null;
	bool in_zone; /* of the session: a timestamptz */
	Oid type;     /* of the result */
	WaVectorKind kind;
	MemoryContext scratch;
	Slot *slots;
};

WaBuckets *
wa_buckets_make(const FuncExpr *call, WaVectorKind kind)
{
	WaBuckets *buckets = palloc0(sizeof(WaBuckets));
	int nargs = list_length(call->args);

	fmgr_info(call->funcid, &buckets->function);
	fmgr_info_set_expr((Node *) call, &buckets->function);
	buckets->call = palloc(SizeForFunctionCallInfo(nargs));
	InitFunctionCallInfoData(*buckets->call, &buckets->function, nargs,
							 call->inputcollid, NULL, NULL);
	buckets->in_zone = exprType(llast(call->args)) == TIMESTAMPTZOID;
	buckets->type = call->funcresulttype;
	buckets->kind = kind;
	buckets->scratch = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg buckets", ALLOCSET_SMALL_SIZES);
	buckets->slots = palloc(sizeof(Slot) * NSLOTS);
	return buckets;
}

void
wa_buckets_reset(WaBuckets *buckets, Datum argument, bool is_null)
{
	buckets->argument = argument;
	buckets->is_null = is_null;
	for (int i = 0; i < NSLOTS; i++)
		buckets->slots[i].bucket = PG_INT64_MIN;
}

/* Calls the function; returns false if the result is NULL or has no vector. */
static bool
call_function(WaBuckets *buckets, Timestamp time, Slot *slot)
{
	FunctionCallInfo call = buckets->call;
	WaVector vector = {.values = &slot->value};
	MemoryContext old = MemoryContextSwitchTo(buckets->scratch);
	Datum result;
	bool fits;

	call->args[call->nargs - 1].value = TimestampGetDatum(time);
	call->args[call->nargs - 1].isnull = false;
	if (call->nargs > 1)
	{
		call->args[0].value = buckets->argument;
		call->args[0].isnull = false;
	}
	call->isnull = false;
	result = FunctionCallInvoke(call);
	fits = !call->isnull &&
		   wa_datum_to_vector(buckets->type, buckets->kind, result, &vector);
	slot->scale = vector.scale;
	MemoryContextSwitchTo(old);
	MemoryContextReset(buckets->scratch);
	return fits;
}

/* Finds the offset from UTC, in seconds; false if there is none. */
static bool
find_offset(Timestamp time, int *offset)
{
	struct pg_tm tm;
	fsec_t fraction;

	return timestamp2tm(time, offset, &tm, &fraction, NULL, NULL) == 0;
}

/* Tells whether the offset from UTC is the same at both ends of a bucket. */
static bool
has_one_offset(const WaBuckets *buckets, Timestamp first, Timestamp last)
{
	int a;
	int b;

	if (!buckets->in_zone)
		return true;
	return find_offset(first, &a) && find_offset(last, &b) && a == b;
}

/* Fills the slot for a bucket; returns false if the function gave no value. */
static bool
fill_slot(WaBuckets *buckets, int64 bucket, Slot *slot)
{
	Timestamp first = bucket * BUCKET_USECS;
	Timestamp last = first + BUCKET_USECS - 1;
	Slot end;

	slot->bucket = bucket;
	slot->is_constant = false;
	if (!IS_VALID_TIMESTAMP(first) || !IS_VALID_TIMESTAMP(last) ||
		!has_one_offset(buckets, first, last))
		return true;
	if (!call_function(buckets, first, slot) ||
		!call_function(buckets, last, &end))
		return false;
	slot->is_constant =
		slot->value.i == end.value.i && slot->scale == end.scale;
	return true;
}

/* Returns the bucket of a time. */
static inline int64
bucket_of(Timestamp time)
{
	int64 bucket = time / BUCKET_USECS;

	return bucket - (time % BUCKET_USECS < 0);
}

/* Finds the result for a row; returns NULL if it has no vector. */
static const Slot *
look_up(WaBuckets *buckets, Timestamp time, Slot *own)
{
	int64 bucket = bucket_of(time);
	Slot *slot = &buckets->slots[(uint64) bucket % NSLOTS];

	if (TIMESTAMP_NOT_FINITE(time))
		return NULL;
	if (slot->bucket != bucket && !fill_slot(buckets, bucket, slot))
	{
		slot->bucket = PG_INT64_MIN;
		return NULL;
	}
	if (slot->is_constant)
		return slot;
	return call_function(buckets, time, own) ? own : NULL;
}

/* Makes all rows NULL. */
static void
store_nulls(WaVector *out, size_t nrows)
{
	memset(out->values, 0, nrows * sizeof(int64));
	memset(out->valid, 0, nrows);
	out->has_nulls = true;
}

bool
wa_buckets_call(void *context, const WaVector *a, WaVector *out, size_t nrows)
{
	WaBuckets *buckets = (WaBuckets *) context;
	int64 *results = wa_vector_ints(out);
	bool first = true;

	out->has_nulls = a->has_nulls;
	out->mixed = false;
	out->scale = 0;
	if (buckets->is_null)
	{
		store_nulls(out, nrows);
		return true;
	}
	if (a->has_nulls)
		memcpy(out->valid, a->valid, nrows);
	for (size_t i = 0; i < nrows; i++)
	{
		const Slot *slot;
		Slot own;

		if (!wa_vector_is_valid(a, i))
		{
			results[i] = 0;
			continue;
		}
		slot = look_up(buckets, wa_vector_ints(a)[i], &own);
		if (slot == NULL || (!first && slot->scale != out->scale))
			return false;
		out->scale = slot->scale;
		first = false;
		results[i] = slot->value.i;
	}
	return true;
}
