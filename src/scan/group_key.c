/*
 * group_key.c
 *		Grouping keys as words; see group_key.h.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/memutils.h"

#include "scan/group_decimal.h"
#include "scan/group_key.h"

void
wa_key_init(WaKeyCodec *codec, MemoryContext context, const WaGroupKey *key)
{
	memset(codec, 0, sizeof(*codec));
	codec->kind = key->kind;
	codec->type = key->type;
	codec->context = context;
	codec->blank_padded = key->type == BPCHAROID;
	codec->has_shown = key->kind == WA_VECTOR_DECIMAL ||
					   key->kind == WA_VECTOR_FLOAT || codec->blank_padded;
	if (key->kind != WA_VECTOR_INT)
		codec->words =
			MemoryContextAlloc(context, WA_VECTOR_ROWS * sizeof(uint64));
	if (key->kind == WA_VECTOR_DECIMAL || key->kind == WA_VECTOR_TEXT)
		codec->dictionary = wa_dictionary_make(context);
	if (key->kind != WA_VECTOR_TEXT)
		return;
	codec->byte_codes = MemoryContextAllocZero(context, 256 * sizeof(uint32));
	codec->strings =
		MemoryContextAlloc(context, WA_VECTOR_ROWS * sizeof(WaDictionaryKey));
	codec->string_rows =
		MemoryContextAlloc(context, WA_VECTOR_ROWS * sizeof(uint16));
}

/* Returns the word of a float. */
static inline uint64
float_word(double x)
{
	uint64 word;

	if (x == 0)
		x = 0;
	if (isnan(x))
		x = get_float8_nan();
	memcpy(&word, &x, sizeof(word));
	return word;
}

static void
float_words(uint64 *words, const double *values, size_t nrows)
{
	for (size_t i = 0; i < nrows; i++)
		words[i] = float_word(values[i]);
}

static void
bool_words(uint64 *words, const uint8 *values, size_t nrows)
{
	for (size_t i = 0; i < nrows; i++)
		words[i] = values[i];
}

/* Returns a text as a key for the dictionary. */
static inline WaDictionaryKey
string_of(const WaKeyCodec *codec, const char *data, size_t length)
{
	WaDictionaryKey key = {data, (uint32) length, (uint32) length};

	if (codec->blank_padded)
		while (key.length > 0 && data[key.length - 1] == ' ')
			key.length--;
	return key;
}

/* Returns the code of a string; that of a single byte is kept at hand. */
static uint32
string_code(WaKeyCodec *codec, const WaDictionaryKey *string)
{
	uint32 *number;

	if (string->length != 1)
		return wa_dictionary_code(codec->dictionary, string);
	number = &codec->byte_codes[(uint8) string->data[0]];
	if (*number == 0)
		*number = wa_dictionary_code(codec->dictionary, string) + 1;
	return *number - 1;
}

/* Returns the code + 1 of a text that is a single byte, if it is at hand. */
static inline uint32
byte_number(const WaKeyCodec *codec, const WaText *text)
{
	/* That of a blank is not, if blanks do not count. */
	return text->length == 1 ? codec->byte_codes[(uint8) *text->data] : 0;
}

static void
text_words(WaKeyCodec *codec, const WaVector *vector, size_t nrows)
{
	const WaText *texts = wa_vector_texts(vector);
	uint64 *words = codec->words;
	size_t nstrings = 0;

	for (size_t i = 0; i < nrows; i++)
	{
		uint32 number = byte_number(codec, &texts[i]);

		words[i] = number != 0 ? number - 1 : 0;
		if (number != 0 || !wa_vector_is_valid(vector, i))
			continue;
		codec->strings[nstrings] =
			string_of(codec, texts[i].data, texts[i].length);
		if (codec->strings[nstrings].length == 1)
			words[i] = string_code(codec, &codec->strings[nstrings]);
		else
			codec->string_rows[nstrings++] = (uint16) i;
	}
	wa_dictionary_codes(codec->dictionary, codec->strings, codec->string_rows,
						nstrings, words);
}

const uint64 *
wa_key_words(WaKeyCodec *codec, const WaVector *vector, size_t nrows)
{
	switch (codec->kind)
	{
		case WA_VECTOR_INT:
			return (const uint64 *) wa_vector_ints(vector);
		case WA_VECTOR_FLOAT:
			float_words(codec->words, wa_vector_floats(vector), nrows);
			break;
		case WA_VECTOR_DECIMAL:
			wa_decimal_words(codec->dictionary, wa_vector_ints(vector),
							 vector->scale, nrows, codec->words);
			break;
		case WA_VECTOR_BOOL:
			bool_words(codec->words, wa_vector_bools(vector), nrows);
			break;
		case WA_VECTOR_TEXT:
			text_words(codec, vector, nrows);
			break;
	}
	return codec->words;
}

/* Tells whether a float is shown as -0. */
static inline uint32
float_shown(double x)
{
	return x == 0 && signbit(x);
}

uint32
wa_key_shown(const WaKeyCodec *codec, const WaVector *vector, size_t row)
{
	WaDictionaryKey string;

	switch (codec->kind)
	{
		case WA_VECTOR_FLOAT:
			return float_shown(wa_vector_floats(vector)[row]);
		case WA_VECTOR_DECIMAL:
			return vector->mixed ? vector->display[row] : vector->scale;
		case WA_VECTOR_TEXT:
			string = string_of(codec, wa_vector_texts(vector)[row].data,
							   wa_vector_texts(vector)[row].length);
			return string.shown_length - string.length;
		default:
			return 0;
	}
}

/* Returns an integer of SQL, widened. */
static uint64
integer_of_datum(Oid type, Datum value)
{
	switch (type)
	{
		case INT2OID:
			return (uint64) (int64) DatumGetInt16(value);
		case INT4OID:
		case DATEOID:
			return (uint64) (int64) DatumGetInt32(value);
		case OIDOID:
			return DatumGetObjectId(value);
		default:
			return (uint64) DatumGetInt64(value);
	}
}

static Datum
integer_datum(Oid type, uint64 word)
{
	switch (type)
	{
		case INT2OID:
			return Int16GetDatum((int16) word);
		case INT4OID:
		case DATEOID:
			return Int32GetDatum((int32) word);
		case OIDOID:
			return ObjectIdGetDatum((Oid) word);
		default:
			return Int64GetDatum((int64) word);
	}
}

static uint64
float_of_datum(Oid type, Datum value, uint32 *shown)
{
	double x = type == FLOAT4OID ? (double) DatumGetFloat4(value)
								 : DatumGetFloat8(value);

	*shown = float_shown(x);
	return float_word(x);
}

static Datum
float_datum(Oid type, uint64 word, uint32 shown)
{
	double x;

	memcpy(&x, &word, sizeof(x));
	if (shown != 0)
		x = -x;
	return type == FLOAT4OID ? Float4GetDatum((float4) x) : Float8GetDatum(x);
}

/* Looks at a value that may be compressed or out of line. */
static uint64
text_of_datum(WaKeyCodec *codec, Datum value, uint32 *shown)
{
	struct varlena *text = PG_DETOAST_DATUM_PACKED(value);
	WaDictionaryKey string =
		string_of(codec, VARDATA_ANY(text), VARSIZE_ANY_EXHDR(text));
	uint32 code = string_code(codec, &string);

	*shown = string.shown_length - string.length;
	if (text != (struct varlena *) DatumGetPointer(value))
		pfree(text);
	return code;
}

static Datum
text_datum(const WaKeyCodec *codec, uint64 word, uint32 shown)
{
	struct varlena *first =
		wa_dictionary_shown(codec->dictionary, (uint32) word);
	uint32 length = wa_dictionary_length(codec->dictionary, (uint32) word);
	struct varlena *text;

	if (!codec->blank_padded ||
		VARSIZE(first) - VARHDRSZ == (Size) length + shown)
		return PointerGetDatum(first);
	text = MemoryContextAlloc(codec->context, VARHDRSZ + (Size) length + shown);
	SET_VARSIZE(text, VARHDRSZ + (Size) length + shown);
	memcpy(VARDATA(text), VARDATA(first), length);
	memset(VARDATA(text) + length, ' ', shown);
	return PointerGetDatum(text);
}

uint64
wa_key_of_datum(WaKeyCodec *codec, Datum value, uint32 *shown)
{
	*shown = 0;
	switch (codec->kind)
	{
		case WA_VECTOR_FLOAT:
			return float_of_datum(codec->type, value, shown);
		case WA_VECTOR_DECIMAL:
			return wa_decimal_of_datum(codec->dictionary, value, shown);
		case WA_VECTOR_BOOL:
			return DatumGetBool(value);
		case WA_VECTOR_TEXT:
			return text_of_datum(codec, value, shown);
		default:
			return integer_of_datum(codec->type, value);
	}
}

Datum
wa_key_datum(const WaKeyCodec *codec, uint64 word, uint32 shown)
{
	MemoryContext old;
	Datum result;

	switch (codec->kind)
	{
		case WA_VECTOR_FLOAT:
			return float_datum(codec->type, word, shown);
		case WA_VECTOR_BOOL:
			return BoolGetDatum(word != 0);
		case WA_VECTOR_TEXT:
			return text_datum(codec, word, shown);
		case WA_VECTOR_DECIMAL:
			old = MemoryContextSwitchTo(codec->context);
			result = wa_decimal_datum(codec->dictionary, word, shown);
			MemoryContextSwitchTo(old);
			return result;
		default:
			return integer_datum(codec->type, word);
	}
}
