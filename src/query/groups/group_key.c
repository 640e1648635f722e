/*
 * group_key.c
 *		Grouping keys as words; see group_key.h.
 */
#include <math.h>
#include <string.h>

#include "core/exact_sum.h"
#include "query/groups/group_decimal.h"
#include "query/groups/group_key.h"

/* Blanks that are kept with a text of a message. */
#define MAX_KEPT_BLANKS 64

/* The NaN that stands for all of them. */
#define ONE_NAN UINT64_C(0x7FF8000000000000)

void
wa_key_init(WaKeyCodec *codec, WaArena *arena, const WaQueryKey *key)
{
	memset(codec, 0, sizeof(*codec));
	codec->kind = key->kind;
	codec->blank_padded = key->blank_padded;
	codec->keeps_zeros = key->keeps_zeros;
	codec->has_shown = key->kind == WA_VECTOR_DECIMAL || codec->blank_padded ||
					   (key->kind == WA_VECTOR_FLOAT && !codec->keeps_zeros);
	if (key->kind != WA_VECTOR_INT)
		codec->words =
			wa_arena_alloc_vector(arena, WA_VECTOR_ROWS * sizeof(uint64_t));
	if (key->kind == WA_VECTOR_DECIMAL || key->kind == WA_VECTOR_TEXT)
		codec->dictionary = wa_key_dictionary_make(arena);
	if (key->kind != WA_VECTOR_TEXT)
		return;
	codec->byte_codes = wa_arena_alloc_zero(arena, 256 * sizeof(uint32_t));
	codec->strings =
		wa_arena_alloc_vector(arena, WA_VECTOR_ROWS * sizeof(WaKeyString));
	codec->string_rows =
		wa_arena_alloc_vector(arena, WA_VECTOR_ROWS * sizeof(uint16_t));
}

/* Returns the word of a float. */
static inline uint64_t
float_word(double x, bool keeps_zeros)
{
	if (isnan(x))
		return ONE_NAN;
	return x == 0 && !keeps_zeros ? 0 : wa_double_bits(x);
}

static void
float_words(const WaKeyCodec *codec, const double *values, size_t nrows)
{
	const bool keeps_zeros = codec->keeps_zeros;

	for (size_t i = 0; i < nrows; i++)
		codec->words[i] = float_word(values[i], keeps_zeros);
}

static void
bool_words(uint64_t *words, const uint8_t *values, size_t nrows)
{
	for (size_t i = 0; i < nrows; i++)
		words[i] = values[i];
}

/* Returns a text as a key for the dictionary. */
static inline WaKeyString
string_of(const WaKeyCodec *codec, const char *data, size_t length)
{
	WaKeyString key = {data, (uint32_t) length, (uint32_t) length};

	if (codec->blank_padded)
		while (key.length > 0 && data[key.length - 1] == ' ')
			key.length--;
	return key;
}

/* Notes whether a string of a code has other blanks than the code's first one. */
static inline void
note_blanks(WaKeyCodec *codec, uint32_t code, uint32_t shown_length)
{
	if (codec->blank_padded && code != WA_NO_CODE &&
		wa_key_dictionary_shown(codec->dictionary, code).length != shown_length)
		codec->look.differs = true;
}

/* Likewise, several strings, whose codes are in words[rows[i]]. */
static void
note_strings(WaKeyCodec *codec, const WaKeyString *strings,
			 const uint16_t *rows, size_t nstrings, const uint64_t *words)
{
	for (size_t i = 0; i < nstrings && codec->blank_padded; i++)
		note_blanks(codec, (uint32_t) words[rows[i]], strings[i].shown_length);
}

/*
 * Returns the code of a string; that of a single byte is kept at hand, but for
 * WA_NO_CODE, which makes 0.
 */
static uint32_t
string_code(WaKeyCodec *codec, const WaKeyString *string)
{
	uint32_t *number;

	if (string->length != 1)
		return wa_key_dictionary_code(codec->dictionary, string);
	number = &codec->byte_codes[(uint8_t) string->data[0]];
	if (*number == 0)
		*number = wa_key_dictionary_code(codec->dictionary, string) + 1;
	return *number - 1;
}

/* Returns the code + 1 of a text that is a single byte, if it is at hand. */
static inline uint32_t
byte_number(const WaKeyCodec *codec, const WaText *text)
{
	/* That of a blank is not, if blanks do not count. */
	return text->length == 1 ? codec->byte_codes[(uint8_t) *text->data] : 0;
}

static void
text_words(WaKeyCodec *codec, const WaVector *vector, size_t nrows)
{
	const WaText *texts = wa_vector_texts(vector);
	uint64_t *words = codec->words;
	size_t nstrings = 0;

	for (size_t i = 0; i < nrows; i++)
	{
		uint32_t number = byte_number(codec, &texts[i]);

		words[i] = number != 0 ? number - 1 : 0;
		if (number != 0)
			note_blanks(codec, number - 1, 1);
		if (number != 0 || !wa_vector_is_valid(vector, i))
			continue;
		codec->strings[nstrings] =
			string_of(codec, texts[i].data, texts[i].length);
		if (codec->strings[nstrings].length == 1)
		{
			words[i] = string_code(codec, &codec->strings[nstrings]);
			note_blanks(codec, (uint32_t) words[i],
						codec->strings[nstrings].shown_length);
		}
		else
			codec->string_rows[nstrings++] = (uint16_t) i;
	}
	wa_key_dictionary_codes(codec->dictionary, codec->strings,
							codec->string_rows, nstrings, words);
	note_strings(codec, codec->strings, codec->string_rows, nstrings, words);
}

const uint64_t *
wa_key_words(WaKeyCodec *codec, const WaVector *vector, size_t nrows)
{
	switch (codec->kind)
	{
		case WA_VECTOR_INT:
			return (const uint64_t *) wa_vector_ints(vector);
		case WA_VECTOR_FLOAT:
			float_words(codec, wa_vector_floats(vector), nrows);
			break;
		case WA_VECTOR_DECIMAL:
			if (vector->wide)
				wa_decimal_wide_words(codec->dictionary,
									  wa_vector_wides(vector), vector->scale,
									  nrows, codec->words);
			else
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
static inline uint32_t
float_shown(double x)
{
	return x == 0 && signbit(x);
}

uint32_t
wa_key_shown(const WaKeyCodec *codec, const WaVector *vector, size_t row)
{
	const WaText *text;

	switch (codec->kind)
	{
		case WA_VECTOR_FLOAT:
			return float_shown(wa_vector_floats(vector)[row]);
		case WA_VECTOR_DECIMAL:
			return vector->mixed ? vector->display[row] : vector->scale;
		case WA_VECTOR_TEXT:
			text = &wa_vector_texts(vector)[row];
			return text->length -
				   string_of(codec, text->data, text->length).length;
		default:
			return 0;
	}
}

/*
 * Returns the code of a text, some of whose blanks may only be told of.  So few of these are
 * kept with it that it takes little more memory than its message.
 */
static uint64_t
text_of_value(WaKeyCodec *codec, const WaQueryValue *value, uint32_t *shown)
{
	WaKeyString string = string_of(codec, value->text.data, value->text.length);
	const uint32_t shown_length = string.shown_length + value->shown;
	uint32_t code;

	if (value->shown <= MAX_KEPT_BLANKS)
		string.shown_length = shown_length;
	code = string_code(codec, &string);
	*shown = shown_length - string.length;
	note_blanks(codec, code, shown_length);
	return code;
}

uint64_t
wa_key_of_value(WaKeyCodec *codec, const WaQueryValue *value, uint32_t *shown)
{
	*shown = 0;
	switch (codec->kind)
	{
		case WA_VECTOR_FLOAT:
			*shown = float_shown(value->number);
			wa_key_look_note(&codec->look, *shown);
			return float_word(value->number, codec->keeps_zeros);
		case WA_VECTOR_DECIMAL:
			*shown = value->shown;
			wa_key_look_note(&codec->look, *shown);
			return wa_decimal_of_value(codec->dictionary, value);
		case WA_VECTOR_TEXT:
			return text_of_value(codec, value, shown);
		default:
			return (uint64_t) value->integer;
	}
}

/* Stores a text without its blanks, and its code. */
static void
text_value(const WaKeyCodec *codec, uint64_t word, uint32_t shown,
		   WaQueryValue *value)
{
	value->text = wa_key_dictionary_shown(codec->dictionary, (uint32_t) word);
	value->text.length =
		wa_key_dictionary_length(codec->dictionary, (uint32_t) word);
	value->shown = shown;
	value->integer = (int64_t) word;
}

void
wa_key_value(const WaKeyCodec *codec, uint64_t word, uint32_t shown,
			 WaQueryValue *value)
{
	switch (codec->kind)
	{
		case WA_VECTOR_FLOAT:
			value->number = wa_bits_double(word);
			if (shown != 0 && word == 0)
				value->number = -0.0;
			break;
		case WA_VECTOR_DECIMAL:
			value->shown = shown;
			wa_decimal_value(codec->dictionary, word, value);
			break;
		case WA_VECTOR_TEXT:
			text_value(codec, word, shown, value);
			break;
		default:
			value->integer = (int64_t) word;
			break;
	}
}

void
wa_key_hashes(const WaKeyCodec *codec, uint64_t *words, const uint8_t *valid,
			  size_t nrows)
{
	if (codec->kind != WA_VECTOR_DECIMAL)
		return;
	for (size_t i = 0; i < nrows; i++)
		if (valid[i] != 0)
			words[i] = wa_decimal_hash(codec->dictionary, words[i]);
}

void
wa_key_translate(WaKeyCodec *codec, const WaKeyCodec *other, uint64_t *words,
				 const uint8_t *valid, size_t nrows)
{
	if (codec->kind != WA_VECTOR_DECIMAL)
		return;
	for (size_t i = 0; i < nrows; i++)
		if (valid[i] != 0)
			words[i] = wa_decimal_translate(codec->dictionary,
											other->dictionary, words[i]);
}
