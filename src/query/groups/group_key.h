/*
 * group_key.h
 *		Grouping keys as words: keys are equal if their words are.
 *
 * INT		the value
 * BOOL		0 or 1
 * FLOAT	the bits, of one NaN and, but where they differ, of one zero
 * DECIMAL	the value without zeros at its end, and its scale; what does not fit
 *			beside the other, a code of its digits
 * TEXT		a code of its bytes
 *
 * Beside the word a key has what tells how it is shown, where equal keys may be
 * shown in several ways: the number of digits after the point of a DECIMAL, of
 * trailing blanks of a bpchar, 1 for the FLOAT -0.
 */
#ifndef WA_QUERY_GROUP_KEY_H
#define WA_QUERY_GROUP_KEY_H

#include "query/base/arena.h"
#include "query/base/query_key.h"
#include "query/base/value.h"
#include "query/groups/group_dictionary.h"
#include "query/groups/group_table.h"

/* How values of a key have looked so far. */
typedef struct WaKeyLook
{
	bool differs; /* equal values may have looked different */
	bool
		is_known; /* FLOAT, DECIMAL: there have been some; all looked like that: */
	uint32_t shown;
} WaKeyLook;

typedef struct WaKeyCodec
{
	WaVectorKind kind;
	bool blank_padded;           /* TEXT: trailing blanks do not count */
	bool keeps_zeros;            /* FLOAT: 0 and -0 are not equal */
	bool has_shown;              /* equal keys may be shown in several ways */
	WaKeyDictionary *dictionary; /* DECIMAL, TEXT */
	uint32_t *byte_codes; /* TEXT: code + 1 of each byte as a string, or 0 */
	uint64_t *words;      /* of the rows of a vector */
	WaKeyString *strings; /* TEXT: of rows that are looked up */
	uint16_t *string_rows;
	WaKeyLook look;
} WaKeyCodec;

/* Notes how some values of a FLOAT or DECIMAL are shown, all in the same way. */
static inline void
wa_key_look_note(WaKeyLook *look, uint32_t shown)
{
	look->differs |= look->is_known && look->shown != shown;
	look->is_known = true;
	look->shown = shown;
}

/* Tells whether one of equal keys is shown rather than another. */
static inline bool
wa_key_is_better_shown(const WaKeyCodec *codec, uint32_t shown, uint32_t other)
{
	return codec->kind == WA_VECTOR_DECIMAL ? shown > other : shown < other;
}

/*
 * Notes how the values of a vector look, of which there are words, and tells whether
 * equal ones so far may have looked different.
 */
extern bool wa_key_look_differs(WaKeyCodec *codec, const WaVector *vector,
								size_t nrows);

/* Likewise, all values of a codec for the same key. */
extern bool wa_key_looks_differ(WaKeyCodec *codec, const WaKeyCodec *other);

/* Has groups show the best of the rows of a vector; shown: by group. */
extern void wa_key_show_rows(const WaKeyCodec *codec, const WaVector *vector,
							 size_t nrows, const uint32_t *numbers,
							 uint32_t *shown);

/* Makes *codec that of a key, in the arena. */
extern void wa_key_init(WaKeyCodec *codec, WaArena *arena,
						const WaQueryKey *key);

/* Returns the words of a vector's rows, until the next call or vector. */
extern const uint64_t *wa_key_words(WaKeyCodec *codec, const WaVector *vector,
									size_t nrows);

/* Returns how a row's key is shown, which is not NULL. */
extern uint32_t wa_key_shown(const WaKeyCodec *codec, const WaVector *vector,
							 size_t row);

/* Returns the word of a value that is not NULL, and stores and notes how it is shown. */
extern uint64_t wa_key_of_value(WaKeyCodec *codec, const WaQueryValue *value,
								uint32_t *shown);

/*
 * Stores the key of a word in a value, but for its is_null.  Its text lives as
 * long as the codec's arena.
 */
extern void wa_key_value(const WaKeyCodec *codec, uint64_t word, uint32_t shown,
						 WaQueryValue *value);

/*
 * Stores what equal keys, which are no TEXT, have, whatever codec their words are of, in
 * place of words; NULLs are to have no word of their own.
 */
extern void wa_key_hashes(const WaKeyCodec *codec, uint64_t *words,
						  const uint8_t *valid, size_t nrows);

/*
 * Stores the words that keys of another codec, for the same key, which is no TEXT, have
 * in this one in place of theirs; those of NULLs stay.
 */
extern void wa_key_translate(WaKeyCodec *codec, const WaKeyCodec *other,
							 uint64_t *words, const uint8_t *valid,
							 size_t nrows);

#endif /* WA_QUERY_GROUP_KEY_H */
