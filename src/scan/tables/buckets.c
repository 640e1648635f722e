/*
 * buckets.c
 *		Expressions over a time that seldom change; see buckets.h.
 *
 * A direct-mapped table keeps the last result for each of its slots.  What the device
 * process has been given a table of is looked up there.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/date.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "heap/gather.h"
#include "scan/base/datum.h"
#include "scan/expr/functions.h"
#include "scan/expr/times.h"
#include "scan/tables/buckets.h"
#include "scan/tables/table_cache.h"

#define BUCKET_USECS (INT64CONST(15) * 60 * 1000000)

/* Slots: 2^14 buckets are 170 days. */
#define MAX_SLOTS 16384
#define MIN_SLOTS 1024

/* Texts of slots take at most about so much. */
#define MAX_TEXT_BYTES ((Size) 4 * 1024 * 1024)
#define MIN_TEXT_BYTES ((Size) 64 * 1024)

/* Both take at most this part of the memory that groups may take, if they can. */
#define MEMORY_PART 4

/* No bucket has this number. */
#define NO_BUCKET PG_INT64_MIN

/* What a slot knows of the bucket that it holds. */
typedef struct Slot
{
	int64 bucket;
	bool is_constant; /* else: the expression has to be evaluated */
	bool is_null;
	uint8 scale; /* DECIMAL */
	union
	{
		int64 i;
		double f;
		uint8 b;
		WaText text;
	} value;
} Slot;

struct WaBuckets
{
	WaEvaluation *evaluation;
	ExprState *moved; /* NULL: it is the time itself */
	ExprState *step;  /* NULL: of dates */
	Oid step_type;
	WaVectorKind step_kind;
	bool in_zone;    /* the step is one of the session's time zone */
	bool is_shifted; /* wa_time_is_shifted holds for it */
	bool ascends;    /* wa_time_step_ascends does for the step */
	bool guarded;
	Oid time_type;
	Oid type; /* of the result */
	WaVectorKind kind;
	MemoryContext context;
	MemoryContext texts;     /* of the slots, and of some that they had */
	MemoryContext own_texts; /* of rows of the last call */
	Slot *slots;             /* NULL: there are none yet */
	uint64 nslots;           /* a power of two */
	bool is_fresh;           /* the slots hold nothing of an execution before */
	const WaLookupTable *table; /* of the same function, or NULL */
	uint64 table_query;         /* the query that it stays for */
};

WaBuckets *
wa_buckets_make(const WaCallExpression *call, WaEvaluation *evaluation)
{
	WaBuckets *buckets = palloc0(sizeof(WaBuckets));

	buckets->evaluation = evaluation;
	if (call->step != NULL)
	{
		if (!IsA(call->moved, Var))
			buckets->moved =
				ExecInitExprWithParams(call->moved, evaluation->parameters);
		buckets->step =
			ExecInitExprWithParams(call->step, evaluation->parameters);
		buckets->step_type = exprType((Node *) call->step);
		if (!wa_gather_kind(buckets->step_type, &buckets->step_kind))
			elog(ERROR, "unexpected type %u of a step", buckets->step_type);
		buckets->in_zone = exprType((Node *) call->moved) == TIMESTAMPTZOID;
		buckets->is_shifted = wa_time_is_shifted((Node *) call->moved);
		buckets->ascends =
			wa_time_step_ascends(wa_function_of((Node *) call->step));
	}
	buckets->guarded = call->guarded;
	buckets->time_type = exprType((Node *) wa_call_source(call)->expression);
	buckets->type = exprType((Node *) call->expression);
	buckets->kind = call->result;
	buckets->context = CurrentMemoryContext;
	buckets->texts = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg buckets", ALLOCSET_DEFAULT_SIZES);
	buckets->own_texts = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg texts", ALLOCSET_DEFAULT_SIZES);
	return buckets;
}

/* Returns a time as SQL has it. */
static NullableDatum
time_datum(const WaBuckets *buckets, int64 time)
{
	return (NullableDatum){wa_integer_datum(buckets->time_type, time), false};
}

/*
 * Evaluates one of the expressions (NULL: the whole) for a time, of a type and a kind.
 * Returns false if the result has no vector.  A text stays until the next evaluation.
 */
static bool
evaluate(const WaBuckets *buckets, ExprState *expression, Oid type,
		 WaVectorKind kind, int64 time, Slot *slot)
{
	WaVector vector = {.values = &slot->value};
	Datum result = wa_evaluation_of(buckets->evaluation, expression,
									time_datum(buckets, time), &slot->is_null);

	memset(&slot->value, 0, sizeof(slot->value));
	slot->scale = 0;
	if (slot->is_null)
		return true;
	if (!wa_datum_to_vector(type, kind, result, &vector))
		return false;
	slot->scale = vector.scale;
	return true;
}

/* Finds the offset from UTC, in seconds; false if there is none. */
static bool
find_offset(Timestamp time, int *offset)
{
	struct pg_tm tm;
	fsec_t fraction;

	return timestamp2tm(time, offset, &tm, &fraction, NULL, NULL) == 0;
}

/*
 * Tells whether the time from first to last is moved as a whole; *local: where
 * to its first moment goes, in the time zone in which the step is made.
 */
static bool
moves_as_one(const WaBuckets *buckets, Timestamp first, Timestamp last,
			 Timestamp *local)
{
	Slot ends[2] = {{.value.i = first}, {.value.i = last}};
	int offsets[2] = {0, 0};

	if (buckets->moved != NULL &&
		(!evaluate(buckets, buckets->moved, TIMESTAMPOID, WA_VECTOR_INT, first,
				   &ends[0]) ||
		 !evaluate(buckets, buckets->moved, TIMESTAMPOID, WA_VECTOR_INT, last,
				   &ends[1]) ||
		 ends[0].is_null || ends[1].is_null ||
		 ends[1].value.i - ends[0].value.i != last - first))
		return false;
	if (buckets->in_zone && (!find_offset(ends[0].value.i, &offsets[0]) ||
							 !find_offset(ends[1].value.i, &offsets[1]) ||
							 offsets[0] != offsets[1]))
		return false;
	*local = ends[0].value.i - offsets[0] * USECS_PER_SEC;
	return true;
}

/*
 * Tells whether a time that is longer than a bucket, and begins at a local time,
 * is in one step if its ends are.  That is so if the steps ascend; but an hour of
 * the day comes again on the next day, and a minute in the next hour.  So then
 * the time has to be one whole hour, or one whole day, there.
 */
static bool
ends_will_do(const WaBuckets *buckets, Timestamp local, int64 width)
{
	return buckets->is_shifted && (buckets->ascends || local % width == 0);
}

/* Tells whether the step is the same from first to last. */
static bool
is_one_step(const WaBuckets *buckets, Timestamp first, Timestamp last)
{
	const int64 width = last - first + 1;
	Timestamp local;
	Slot ends[2];

	if (!moves_as_one(buckets, first, last, &local) ||
		(width > BUCKET_USECS && !ends_will_do(buckets, local, width)) ||
		!evaluate(buckets, buckets->step, buckets->step_type,
				  buckets->step_kind, first, &ends[0]) ||
		!evaluate(buckets, buckets->step, buckets->step_type,
				  buckets->step_kind, last, &ends[1]))
		return false;
	return ends[0].is_null == ends[1].is_null &&
		   ends[0].scale == ends[1].scale && ends[0].value.i == ends[1].value.i;
}

/* Copies the text of a result, if it is one, into a context. */
static void
keep_text(const WaBuckets *buckets, Slot *slot, MemoryContext context)
{
	WaText *text = &slot->value.text;
	char *copy;

	if (buckets->kind != WA_VECTOR_TEXT || slot->is_null)
		return;
	copy = MemoryContextAlloc(context, text->length + 1);
	memcpy(copy, text->data, text->length);
	text->data = copy;
}

/* Evaluates the whole for a time; returns false if the result has no vector. */
static bool
evaluate_whole(const WaBuckets *buckets, int64 time, MemoryContext context,
			   Slot *slot)
{
	if (!evaluate(buckets, NULL, buckets->type, buckets->kind, time, slot))
		return false;
	keep_text(buckets, slot, context);
	return true;
}

/*
 * Fills the slot for the bucket of a time.  Returns false, with the slot as it
 * was, if the expression gave something that has no vector.
 */
static bool
fill_slot(const WaBuckets *buckets, int64 bucket, int64 time, Slot *slot)
{
	Slot filled = {.bucket = bucket};
	Timestamp first = bucket * BUCKET_USECS;

	filled.is_constant = buckets->step == NULL ||
						 is_one_step(buckets, first, first + BUCKET_USECS - 1);
	if (filled.is_constant &&
		!evaluate_whole(buckets, time, buckets->texts, &filled))
		return false;
	*slot = filled;
	return true;
}

/* Returns the bucket of a time. */
static inline int64
bucket_of(const WaBuckets *buckets, int64 time)
{
	if (buckets->step == NULL)
		return time;
	return time / BUCKET_USECS - (time % BUCKET_USECS < 0);
}

/*
 * Finds the result for a row; returns NULL if it has no vector, or if the
 * expression might raise an error and must not.
 */
static const Slot *
look_up(const WaBuckets *buckets, const WaVector *times, size_t row, Slot *own)
{
	int64 time = wa_vector_ints(times)[row];
	int64 bucket = bucket_of(buckets, time);
	Slot *slot = &buckets->slots[(uint64) bucket & (buckets->nslots - 1)];

	if (slot->bucket == bucket && slot->is_constant)
		return slot;
	if (wa_time_is_safe(buckets->time_type, time))
	{
		if (slot->bucket != bucket && !fill_slot(buckets, bucket, time, slot))
			return NULL;
		if (slot->is_constant)
			return slot;
	}
	else if (buckets->guarded)
		return NULL;
	return evaluate_whole(buckets, time, buckets->own_texts, own) ? own : NULL;
}

bool
wa_buckets_value(const WaBuckets *buckets, int64 first, int64 last,
				 Datum *value, bool *is_null)
{
	if (buckets->step != NULL && !is_one_step(buckets, first, last))
		return false;
	*value = wa_evaluation_of(buckets->evaluation, NULL,
							  time_datum(buckets, first), is_null);
	return true;
}

/* Makes the slots. */
static void
make_slots(WaBuckets *buckets)
{
	const Size part = get_hash_memory_limit() / MEMORY_PART;

	buckets->nslots = MAX_SLOTS;
	while (buckets->nslots > MIN_SLOTS && buckets->nslots * sizeof(Slot) > part)
		buckets->nslots /= 2;
	buckets->slots =
		MemoryContextAlloc(buckets->context, sizeof(Slot) * buckets->nslots);
}

/* Tells whether texts of slots take more than they should. */
static bool
has_many_texts(const WaBuckets *buckets)
{
	const Size part = get_hash_memory_limit() / MEMORY_PART;

	return MemoryContextMemAllocated(buckets->texts, false) >
		   Max(Min(part, MAX_TEXT_BYTES), MIN_TEXT_BYTES);
}

/* Empties the slots. */
static void
empty_slots(WaBuckets *buckets)
{
	MemoryContextReset(buckets->texts);
	if (buckets->slots == NULL)
		make_slots(buckets);
	for (uint64 i = 0; i < buckets->nslots; i++)
		buckets->slots[i].bucket = NO_BUCKET;
}

void
wa_buckets_forget(WaBuckets *buckets)
{
	buckets->is_fresh = false;
	buckets->table = NULL;
}

void
wa_buckets_use_table(WaBuckets *buckets, const WaLookupTable *table)
{
	buckets->table = table;
	buckets->table_query = wa_tables_query();
}

/* Stores the result for a row that is not NULL; returns false to trap. */
static inline bool
store_row(const WaBuckets *buckets, const WaVector *times, WaVector *out,
		  size_t row)
{
	Slot own;
	const Slot *slot = look_up(buckets, times, row, &own);

	if (slot == NULL)
		return false;
	out->valid[row] = !slot->is_null;
	out->has_nulls |= slot->is_null;
	out->display[row] = slot->scale;
	switch (buckets->kind)
	{
		case WA_VECTOR_BOOL:
			wa_vector_bools(out)[row] = slot->value.b;
			break;
		case WA_VECTOR_TEXT:
			wa_vector_texts(out)[row] = slot->value.text;
			break;
		default:
			wa_vector_ints(out)[row] = slot->value.i;
			break;
	}
	return true;
}

/* Looks the results up in the table; returns false if it does not know them all. */
static bool
look_up_table(const WaBuckets *buckets, const WaVector *a, WaVector *out,
			  size_t nrows)
{
	return buckets->table != NULL &&
		   buckets->table_query == wa_tables_query() &&
		   wa_lookup_table_call(buckets->table, a, out, nrows);
}

/* Finds the results by slots; returns false to trap. */
static bool
look_up_slots(WaBuckets *buckets, const WaVector *a, WaVector *out,
			  size_t nrows)
{
	size_t width = wa_vector_width(buckets->kind);

	out->has_nulls = a->has_nulls;
	out->mixed = false;
	out->scale = 0;
	MemoryContextReset(buckets->own_texts);
	if (!buckets->is_fresh || has_many_texts(buckets))
		empty_slots(buckets);
	buckets->is_fresh = true;
	for (size_t i = 0; i < nrows; i++)
	{
		if (wa_vector_is_valid(a, i))
		{
			if (!store_row(buckets, a, out, i))
				return false;
			continue;
		}
		memset((char *) out->values + i * width, 0, width);
		out->valid[i] = 0;
	}
	return buckets->kind != WA_VECTOR_DECIMAL ||
		   wa_evaluation_align(out, nrows);
}

bool
wa_buckets_call(void *context, const WaVector *a, WaVector *out, size_t nrows)
{
	WaBuckets *buckets = (WaBuckets *) context;

	return buckets->evaluation->is_prepared &&
		   (look_up_table(buckets, a, out, nrows) ||
			look_up_slots(buckets, a, out, nrows));
}
