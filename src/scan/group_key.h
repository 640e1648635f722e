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
#ifndef WA_SCAN_GROUP_KEY_H
#define WA_SCAN_GROUP_KEY_H

#include "scan/group_dictionary.h"
#include "scan/group_table.h"
#include "scan/groups.h"

typedef struct WaKeyCodec
{
	WaVectorKind kind;
	Oid type;
	bool blank_padded;        /* TEXT: trailing blanks do not count */
	bool has_shown;           /* equal keys may be shown in several ways */
	WaDictionary *dictionary; /* DECIMAL, TEXT */
	uint32 *byte_codes; /* TEXT: code + 1 of each byte as a string, or 0 */
	uint64 *words;      /* of the rows of a vector */
	WaDictionaryKey *strings; /* TEXT: of rows that are looked up */
	uint16 *string_rows;
	MemoryContext context;
} WaKeyCodec;

/* Makes *codec that of a key; it lies in the context. */
extern void wa_key_init(WaKeyCodec *codec, MemoryContext context,
						const WaGroupKey *key);

/* Returns the words of a vector's rows, until the next call or vector. */
extern const uint64 *wa_key_words(WaKeyCodec *codec, const WaVector *vector,
								  size_t nrows);

/* Returns how a row's key is shown, which is not NULL. */
extern uint32 wa_key_shown(const WaKeyCodec *codec, const WaVector *vector,
						   size_t row);

/* Returns the word of a value of SQL, and how it is shown. */
extern uint64 wa_key_of_datum(WaKeyCodec *codec, Datum value, uint32 *shown);

/* Returns a key as a value of SQL, in the codec's context. */
extern Datum wa_key_datum(const WaKeyCodec *codec, uint64 word, uint32 shown);

#endif /* WA_SCAN_GROUP_KEY_H */
