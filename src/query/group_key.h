/*
 * group_key.h
 *		Grouping keys as words: keys are equal if their words are.
 *
 * INT		the value
 * BOOL		0 or 1
 * FLOAT	the bits, of one zero and one NaN
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

#include "query/group_dictionary.h"
#include "query/group_table.h"
#include "query/groups.h"

typedef struct WaKeyCodec
{
	WaVectorKind kind;
	bool blank_padded;           /* TEXT: trailing blanks do not count */
	bool has_shown;              /* equal keys may be shown in several ways */
	WaKeyDictionary *dictionary; /* DECIMAL, TEXT */
	uint32_t *byte_codes; /* TEXT: code + 1 of each byte as a string, or 0 */
	uint64_t *words;      /* of the rows of a vector */
	WaKeyString *strings; /* TEXT: of rows that are looked up */
	uint16_t *string_rows;
	const int32_t *codes;     /* TEXT: of the rows of the vector, or NULL */
	const WaTextCodes *texts; /* of the codes */
	uint32_t *numbers;        /* by code, as byte_codes */
	bool watches;             /* TEXT: for texts that differ in blanks only, */
	bool tied;                /* of which there have been some */
} WaKeyCodec;

/* How the values of a key that is no text have looked so far. */
typedef struct WaKeyLook
{
	bool is_known; /* there have been some, which looked like that: */
	bool differs;  /* not all of them */
	uint32_t shown;
} WaKeyLook;

/* Notes how a value looks. */
static inline void
wa_key_look_note(WaKeyLook *look, uint32_t shown)
{
	look->differs |= look->is_known && look->shown != shown;
	look->is_known = true;
	look->shown = shown;
}

/*
 * Notes how the values of a vector of FLOAT or DECIMAL look, and tells whether some
 * value so far looks unlike another.
 */
extern bool wa_key_look_differs(WaKeyLook *look, WaVectorKind kind,
								const WaVector *vector, size_t nrows);

/* Likewise, the values of another table's key. */
extern bool wa_key_looks_differ(WaKeyLook *look, const WaKeyLook *other);

/*
 * Tells whether the rows of such a vector look like the key of their group does;
 * shown: by group.
 */
extern bool wa_key_rows_look_like(WaVectorKind kind, const WaVector *vector,
								  size_t nrows, const uint32_t *shown,
								  const uint32_t *numbers);

/* Makes *codec that of a key, in the arena. */
extern void wa_key_init(WaKeyCodec *codec, WaArena *arena,
						const WaQueryKey *key);

/*
 * Has the vector's rows be those of codes of texts, until codes are NULL.  If the arena
 * fails, words are not right any more.
 */
extern void wa_key_use_codes(WaKeyCodec *codec, WaArena *arena,
							 const WaTextCodes *texts, const int32_t *codes);

/* Returns the words of a vector's rows, until the next call or vector. */
extern const uint64_t *wa_key_words(WaKeyCodec *codec, const WaVector *vector,
									size_t nrows);

/* Returns how a row's key is shown, which is not NULL. */
extern uint32_t wa_key_shown(const WaKeyCodec *codec, const WaVector *vector,
							 size_t row);

/* Returns the word of a value that is not NULL, and how it is shown. */
extern uint64_t wa_key_of_value(WaKeyCodec *codec, const WaQueryValue *value,
								uint32_t *shown);

/*
 * Stores the key of a word in a value, but for its is_null.  Its text lives as
 * long as the codec's arena.
 */
extern void wa_key_value(const WaKeyCodec *codec, uint64_t word, uint32_t shown,
						 WaQueryValue *value);

/*
 * Stores what equal keys have, whatever codec their words are of, in place of
 * words; NULLs are to have no word of their own.
 */
extern void wa_key_hashes(const WaKeyCodec *codec, uint64_t *words,
						  const uint8_t *valid, size_t nrows);

/*
 * Stores the words that keys of another codec, for the same key, have in this
 * one in place of theirs; those of NULLs stay.
 */
extern void wa_key_translate(WaKeyCodec *codec, const WaKeyCodec *other,
							 uint64_t *words, const uint8_t *valid,
							 size_t nrows);

#endif /* WA_QUERY_GROUP_KEY_H */
