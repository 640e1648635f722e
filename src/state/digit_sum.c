/*
 * digit_sum.c
 *		Exact sums of numerics of any length; see digit_sum.h.
 */
#include "postgres.h"

#include "libpq/pqformat.h"
#include "utils/memutils.h"

#include "state/digit_sum.h"

/* Cells may grow to this before they are carried on. */
#define MAX_CELL (PG_INT64_MAX / 4)

/* Digits that hold whatever a cell can carry on. */
#define CARRY_DIGITS 5

#define MAX_DIGIT (WA_NUMERIC_BASE - 1)

/* Sees to it that there are cells for all digits from low to high. */
static void
cover(WaDigitSum *sum, int low, int high)
{
	int64 *cells;
	int count;

	if (sum->count > 0)
	{
		low = Min(low, sum->low);
		high = Max(high, sum->low + sum->count - 1);
	}
	count = high - low + 1;
	if (count == sum->count)
		return;
	cells = MemoryContextAllocZero(sum->context, (Size) count * sizeof(int64));
	if (sum->count > 0)
	{
		memcpy(cells + (sum->low - low), sum->cells,
			   (Size) sum->count * sizeof(int64));
		pfree(sum->cells);
	}
	sum->cells = cells;
	sum->low = low;
	sum->count = count;
}

/*
 * Carries from the lowest cell up: all but the highest then lie between 0 and
 * MAX_DIGIT.  Returns the highest, which has the sign.
 */
static int64
carry(int64 *cells, int count)
{
	for (int i = 0; i < count - 1; i++)
	{
		int64 carried = cells[i] / WA_NUMERIC_BASE;

		cells[i] -= carried * WA_NUMERIC_BASE;
		if (cells[i] < 0)
		{
			cells[i] += WA_NUMERIC_BASE;
			carried--;
		}
		cells[i + 1] += carried;
	}
	return cells[count - 1];
}

/* Announces that cells change by at most so much. */
static void
announce(WaDigitSum *sum, int64 change)
{
	sum->bound += change;
	if (sum->bound <= MAX_CELL)
		return;
	cover(sum, sum->low, sum->low + sum->count - 1 + CARRY_DIGITS);
	sum->bound = Max(llabs(carry(sum->cells, sum->count)), MAX_DIGIT) + change;
}

void
wa_digit_sum_add(WaDigitSum *sum, const WaNumericView *number, int sign)
{
	int low = number->weight - number->ndigits + 1;
	int64 *cells;

	if (number->ndigits == 0)
		return;
	cover(sum, low, number->weight);
	announce(sum, MAX_DIGIT);
	cells = sum->cells + (number->weight - sum->low);
	if (number->negative)
		sign = -sign;
	for (int i = 0; i < number->ndigits; i++)
		*cells-- += sign * wa_numeric_digit(number, i);
}

void
wa_digit_sum_add_product(WaDigitSum *sum, const WaNumericView *a,
						 const WaNumericView *b, int sign)
{
	int high = a->weight + b->weight;

	if (a->ndigits == 0 || b->ndigits == 0)
		return;
	cover(sum, high - a->ndigits - b->ndigits + 2, high);
	announce(sum, (int64) Min(a->ndigits, b->ndigits) * MAX_DIGIT * MAX_DIGIT);
	if (a->negative != b->negative)
		sign = -sign;
	for (int i = 0; i < a->ndigits; i++)
	{
		int64 digit = sign * wa_numeric_digit(a, i);
		int64 *cells = sum->cells + (high - i - sum->low);

		for (int j = 0; j < b->ndigits; j++)
			*cells-- += digit * wa_numeric_digit(b, j);
	}
}

void
wa_digit_sum_merge(WaDigitSum *into, const WaDigitSum *from)
{
	WaNumericView view;

	wa_digit_sum_view(from, &view);
	wa_digit_sum_add(into, &view, 1);
}

void
wa_digit_sum_view(const WaDigitSum *sum, WaNumericView *view)
{
	int count = sum->count + CARRY_DIGITS;
	int64 *cells = palloc0((Size) count * sizeof(int64));
	int16 *digits = palloc((Size) count * sizeof(int16));
	int first;
	int ndigits = 0;

	memset(view, 0, sizeof(*view));
	view->class = WA_NUMERIC_FINITE;
	if (sum->count > 0)
		memcpy(cells, sum->cells, (Size) sum->count * sizeof(int64));
	if (carry(cells, count) < 0)
	{
		view->negative = true;
		for (int i = 0; i < count; i++)
			cells[i] = -cells[i];
		(void) carry(cells, count);
	}
	for (first = count - 1; first >= 0 && cells[first] == 0; first--)
		;
	for (int i = first; i >= 0; i--)
	{
		digits[first - i] = (int16) cells[i];
		if (cells[i] != 0)
			ndigits = first - i + 1;
	}
	pfree(cells);
	view->digits = (const char *) digits;
	view->ndigits = ndigits;
	view->weight = ndigits == 0 ? 0 : sum->low + first;
	view->scale = Max(ndigits - 1 - view->weight, 0);
}

/* What stands before the cells of a serialized sum. */
typedef struct DigitSumHeader
{
	int64 bound;
	int32 low;
	int32 count;
} DigitSumHeader;

void
wa_digit_sum_write(const WaDigitSum *sum, StringInfo buffer)
{
	DigitSumHeader header = {
		.bound = sum->bound, .low = sum->low, .count = sum->count};

	appendBinaryStringInfo(buffer, (char *) &header, sizeof(header));
	if (sum->count > 0)
		appendBinaryStringInfo(buffer, (char *) sum->cells,
							   sum->count * (int) sizeof(int64));
}

void
wa_digit_sum_read(WaDigitSum *sum, StringInfo buffer)
{
	DigitSumHeader header;

	pq_copymsgbytes(buffer, (char *) &header, sizeof(header));
	if (header.count < 0 ||
		header.count > (buffer->len - buffer->cursor) / (int) sizeof(int64))
		elog(ERROR, "serialized warpagg state is damaged");
	if (header.count == 0)
		return;
	cover(sum, header.low, header.low + header.count - 1);
	sum->bound = header.bound;
	pq_copymsgbytes(buffer, (char *) sum->cells,
					header.count * (int) sizeof(int64));
}
