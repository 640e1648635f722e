/*
 * group_decimal.c
 *		Numerics as words; see group_decimal.h.
 *
 * A word holds a value without zeros at its end and, in its five lowest bits,
 * the scale of that.  What does not fit is in a dictionary, as a header and
 * digits of base 10000, and its word holds a code, with a mark in place of the
 * scale.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "scan/group_decimal.h"
#include "state/numeric_format.h"

#define SCALE_BITS 5
#define SCALE_MASK ((1 << SCALE_BITS) - 1)

/* In place of a scale: the word holds a code. */
#define CODE_MARK SCALE_MASK

/* Values below this in magnitude fit beside a scale. */
#define MAX_VALUE (INT64CONST(1) << (63 - SCALE_BITS))

/* What stands before the digits of a numeric in the dictionary. */
typedef struct DigitsHeader
{
	int32 class;
	int32 negative;
	int32 weight;
} DigitsHeader;

static inline uint64
make_word(int64 value, int scale)
{
	return (uint64) value << SCALE_BITS | (uint64) scale;
}

static inline bool
fits_word(int64 value)
{
	return value > -MAX_VALUE && value < MAX_VALUE;
}

/* Takes zeros from the end of the digits after the point. */
static inline int64
strip(int64 value, int *scale)
{
	if (value == 0)
		*scale = 0;
	while (*scale > 0 && value % 10 == 0)
	{
		value /= 10;
		(*scale)--;
	}
	return value;
}

/* Returns the word of a numeric that is kept in the dictionary. */
static uint64
dictionary_word(WaDictionary *dictionary, const WaNumericView *view)
{
	bool is_finite = view->class == WA_NUMERIC_FINITE;
	DigitsHeader header = {.class = view->class};
	Size digits_bytes = is_finite ? view->ndigits * sizeof(int16) : 0;
	char *bytes = palloc(sizeof(header) + digits_bytes);
	WaDictionaryKey key = {bytes, (uint32) (sizeof(header) + digits_bytes),
						   (uint32) (sizeof(header) + digits_bytes)};
	uint32 code;

	if (is_finite)
	{
		header.negative = view->negative;
		header.weight = view->weight;
		memcpy(bytes + sizeof(header), view->digits, digits_bytes);
	}
	memcpy(bytes, &header, sizeof(header));
	code = wa_dictionary_code(dictionary, &key);
	pfree(bytes);
	return make_word(code, CODE_MARK);
}

/* Returns the word of a value, without zeros at its end, that does not fit. */
static uint64
large_word(WaDictionary *dictionary, int64 value, int scale)
{
	Numeric number = wa_numeric_from_decimal(value, scale, scale);
	WaNumericView view;
	uint64 word;

	wa_numeric_view(number, &view);
	word = dictionary_word(dictionary, &view);
	pfree(number);
	return word;
}

void
wa_decimal_words(WaDictionary *dictionary, const int64 *values, int scale,
				 size_t nrows, uint64 *words)
{
	for (size_t i = 0; i < nrows; i++)
	{
		int value_scale = scale;
		int64 value = strip(values[i], &value_scale);

		words[i] = likely(fits_word(value))
					   ? make_word(value, value_scale)
					   : large_word(dictionary, value, value_scale);
	}
}

/* Stores a viewed number as a word, if it fits. */
static bool
view_to_word(const WaNumericView *view, uint64 *word)
{
	/* A value that is stripped has more digits than its last of base 10000. */
	int scale =
		Min(view->scale * WA_NUMERIC_BASE_DIGITS, WA_DECIMAL_POWERS - 1);
	int64 value;

	for (; scale >= 0 && scale > (view->scale - 1) * WA_NUMERIC_BASE_DIGITS;
		 scale--)
		if (wa_numeric_to_decimal(view, scale, &value))
		{
			value = strip(value, &scale);
			*word = make_word(value, scale);
			return fits_word(value);
		}
	return false;
}

uint64
wa_decimal_of_datum(WaDictionary *dictionary, Datum value,
					uint32 *display_scale)
{
	struct varlena *number = PG_DETOAST_DATUM_PACKED(value);
	WaNumericView view;
	uint64 word;

	wa_numeric_view((Numeric) number, &view);
	*display_scale =
		view.class == WA_NUMERIC_FINITE ? (uint32) view.display_scale : 0;
	if (view.class != WA_NUMERIC_FINITE || !view_to_word(&view, &word))
		word = dictionary_word(dictionary, &view);
	if (number != (struct varlena *) DatumGetPointer(value))
		pfree(number);
	return word;
}

/* Returns the numeric that the dictionary has under a code. */
static Datum
dictionary_datum(const WaDictionary *dictionary, uint32 code,
				 uint32 display_scale)
{
	const char *bytes = VARDATA(wa_dictionary_shown(dictionary, code));
	uint32 length = wa_dictionary_length(dictionary, code);
	WaNumericView view = {.digits = bytes + sizeof(DigitsHeader)};
	DigitsHeader header;

	memcpy(&header, bytes, sizeof(header));
	switch ((WaNumericClass) header.class)
	{
		case WA_NUMERIC_NAN:
			return NumericGetDatum(wa_numeric_of_text("NaN"));
		case WA_NUMERIC_PLUS_INFINITY:
			return NumericGetDatum(wa_numeric_of_text("Infinity"));
		case WA_NUMERIC_MINUS_INFINITY:
			return NumericGetDatum(wa_numeric_of_text("-Infinity"));
		default:
			view.negative = header.negative != 0;
			view.weight = header.weight;
			view.ndigits = (int) ((length - sizeof(header)) / sizeof(int16));
			return NumericGetDatum(
				wa_numeric_of_view(&view, (int) display_scale));
	}
}

Datum
wa_decimal_datum(const WaDictionary *dictionary, uint64 word,
				 uint32 display_scale)
{
	int scale = (int) (word & SCALE_MASK);
	int64 value = (int64) word >> SCALE_BITS;

	if (scale == CODE_MARK)
		return dictionary_datum(dictionary, (uint32) value, display_scale);
	return NumericGetDatum(
		wa_numeric_from_decimal(value, scale, (int) display_scale));
}
