/*
 * numeric_rest.c
 *		What a sum of numeric has beside scaled integers; see numeric_rest.h.
 */
#include "postgres.h"

#include "libpq/pqformat.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"

#include "agg/numeric_rest.h"

WaNumericRest *
wa_numeric_rest_make(MemoryContext context)
{
	WaNumericRest *rest =
		MemoryContextAllocZero(context, sizeof(WaNumericRest));

	rest->context = context;
	return rest;
}

/* Puts a copy of number in the place of *total. */
static void
keep(WaNumericRest *rest, Numeric *total, Numeric number)
{
	Size bytes = VARSIZE_ANY(number);
	Numeric copy = MemoryContextAlloc(rest->context, bytes);

	memcpy(copy, number, bytes);
	if (*total != NULL)
		pfree(*total);
	*total = copy;
}

/* Applies numeric_add or numeric_sub to *total, which may be NULL for 0. */
static void
combine(WaNumericRest *rest, Numeric *total, Numeric number, int sign)
{
	Numeric before = *total != NULL ? *total : int64_to_numeric(0);
	PGFunction function = sign > 0 ? numeric_add : numeric_sub;

	keep(rest, total,
		 DatumGetNumeric(DirectFunctionCall2(function, NumericGetDatum(before),
											 NumericGetDatum(number))));
}

/* Sees to it that squares of numbers with this display scale can be added. */
static void
make_room(WaNumericRest *rest, int display_scale)
{
	if (rest->shift != 0 || display_scale <= WA_NUMERIC_MAX_SQUARED_SCALE)
		return;
	rest->shift = WA_NUMERIC_SHIFT;
	if (rest->squares != NULL)
		keep(rest, &rest->squares,
			 wa_numeric_shift(rest->squares, 2 * WA_NUMERIC_SHIFT));
}

void
wa_numeric_rest_add(WaNumericRest *rest, Numeric number)
{
	combine(rest, &rest->sum, number, 1);
}

void
wa_numeric_rest_add_squares(WaNumericRest *rest, Numeric number)
{
	combine(rest, &rest->squares, wa_numeric_shift(number, 2 * rest->shift), 1);
}

void
wa_numeric_rest_take(WaNumericRest *rest, Numeric number, bool squares,
					 int sign)
{
	WaNumericView view;

	combine(rest, &rest->sum, number, sign);
	if (!squares)
		return;
	wa_numeric_view(number, &view);
	make_room(rest, view.display_scale);
	number = wa_numeric_shift(number, rest->shift);
	combine(rest, &rest->squares,
			DatumGetNumeric(DirectFunctionCall2(
				numeric_mul, NumericGetDatum(number), NumericGetDatum(number))),
			sign);
}

void
wa_numeric_rest_count(WaNumericRest *rest, WaNumericClass class, int sign)
{
	if (class == WA_NUMERIC_NAN)
		rest->nans += sign;
	else if (class == WA_NUMERIC_PLUS_INFINITY)
		rest->plus_infinities += sign;
	else
		rest->minus_infinities += sign;
}

/* Returns the count of a scale, which it makes if there is none. */
static WaScaleCount *
find_scale(WaNumericRest *rest, uint16 scale)
{
	WaScaleCount *count;

	for (int i = 0; i < rest->nscales; i++)
		if (rest->scales[i].scale == scale)
			return &rest->scales[i];
	if (rest->scales == NULL)
		rest->scales = MemoryContextAlloc(rest->context, sizeof(WaScaleCount));
	else
		rest->scales = repalloc(rest->scales, (Size) (rest->nscales + 1) *
												  sizeof(WaScaleCount));
	count = &rest->scales[rest->nscales++];
	count->scale = scale;
	count->rows = 0;
	return count;
}

uint16
wa_numeric_rest_count_scale(WaNumericRest *rest, uint16 scale, int sign)
{
	WaScaleCount *count = find_scale(rest, scale);
	uint16 largest = 0;

	count->rows += sign;
	if (count->rows == 0)
		*count = rest->scales[--rest->nscales];
	for (int i = 0; i < rest->nscales; i++)
		largest = Max(largest, rest->scales[i].scale);
	return largest;
}

void
wa_numeric_rest_merge(WaNumericRest *into, const WaNumericRest *from)
{
	if (from->sum != NULL)
		combine(into, &into->sum, from->sum, 1);
	if (from->shift != 0)
		make_room(into, WA_NUMERIC_MAX_DISPLAY_SCALE);
	if (from->squares != NULL)
		combine(
			into, &into->squares,
			wa_numeric_shift(from->squares, 2 * (into->shift - from->shift)),
			1);
	into->nans += from->nans;
	into->plus_infinities += from->plus_infinities;
	into->minus_infinities += from->minus_infinities;
}

/* Returns the numeric that the text stands for. */
static Numeric
numeric_of_text(const char *text)
{
	return DatumGetNumeric(
		DirectFunctionCall3(numeric_in, CStringGetDatum(text),
							ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
}

Numeric
wa_numeric_rest_special(const WaNumericRest *rest)
{
	if (rest == NULL)
		return NULL;
	if (rest->nans > 0 ||
		(rest->plus_infinities > 0 && rest->minus_infinities > 0))
		return numeric_of_text("NaN");
	if (rest->plus_infinities > 0)
		return numeric_of_text("Infinity");
	if (rest->minus_infinities > 0)
		return numeric_of_text("-Infinity");
	return NULL;
}

/* What stands before the sums of a serialized rest. */
typedef struct RestHeader
{
	int64 nans;
	int64 plus_infinities;
	int64 minus_infinities;
	int32 sum_bytes;     /* 0: NULL */
	int32 squares_bytes; /* likewise */
	int32 shift;
} RestHeader;

/* Returns the bytes of a number that may be NULL. */
static int32
bytes_of(Numeric number)
{
	return number == NULL ? 0 : (int32) VARSIZE_ANY(number);
}

void
wa_numeric_rest_write(const WaNumericRest *rest, StringInfo buffer)
{
	RestHeader header = {.nans = rest->nans,
						 .plus_infinities = rest->plus_infinities,
						 .minus_infinities = rest->minus_infinities,
						 .sum_bytes = bytes_of(rest->sum),
						 .squares_bytes = bytes_of(rest->squares),
						 .shift = rest->shift};

	appendBinaryStringInfo(buffer, (char *) &header, sizeof(header));
	if (rest->sum != NULL)
		appendBinaryStringInfo(buffer, (char *) rest->sum, header.sum_bytes);
	if (rest->squares != NULL)
		appendBinaryStringInfo(buffer, (char *) rest->squares,
							   header.squares_bytes);
}

/* Reads a number of so many bytes. */
static Numeric
read_number(WaNumericRest *rest, StringInfo buffer, int32 bytes)
{
	char *number;

	if (bytes == 0)
		return NULL;
	if (bytes < VARHDRSZ)
		elog(ERROR, "serialized warpagg state is damaged");
	number = MemoryContextAlloc(rest->context, (Size) bytes);
	pq_copymsgbytes(buffer, number, bytes);
	if (VARSIZE_ANY(number) != (Size) bytes)
		elog(ERROR, "serialized warpagg state is damaged");
	return (Numeric) number;
}

void
wa_numeric_rest_read(WaNumericRest *rest, StringInfo buffer)
{
	RestHeader header;

	pq_copymsgbytes(buffer, (char *) &header, sizeof(header));
	rest->nans = header.nans;
	rest->plus_infinities = header.plus_infinities;
	rest->minus_infinities = header.minus_infinities;
	rest->shift = header.shift;
	rest->sum = read_number(rest, buffer, header.sum_bytes);
	rest->squares = read_number(rest, buffer, header.squares_bytes);
}
