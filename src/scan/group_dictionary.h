/*
 * group_dictionary.h
 *		Codes of distinct byte strings, from 0 in the order of their coming.
 */
#ifndef WA_SCAN_GROUP_DICTIONARY_H
#define WA_SCAN_GROUP_DICTIONARY_H

#include "utils/palloc.h"

#include "core/vector.h"

typedef struct WaDictionary WaDictionary;

/*
 * A string, of which only the first `length` bytes count for being equal to
 * another; shown_length, not less, are kept.
 */
typedef struct WaDictionaryKey
{
	const char *data;
	uint32 length;
	uint32 shown_length;
} WaDictionaryKey;

/* Makes a dictionary without strings, in the memory context. */
extern WaDictionary *wa_dictionary_make(MemoryContext context);

/* Returns the code of a string, which is added if it is not there. */
extern uint32 wa_dictionary_code(WaDictionary *dictionary,
								 const WaDictionaryKey *key);

/*
 * The same for several strings, at most WA_VECTOR_ROWS: stores the code of
 * keys[i] in words[rows[i]].
 */
extern void wa_dictionary_codes(WaDictionary *dictionary,
								const WaDictionaryKey *keys, const uint16 *rows,
								size_t nkeys, uint64 *words);

/*
 * Returns the string of a code as it came first, as a varlena that lives as
 * long as the dictionary.
 */
extern struct varlena *wa_dictionary_shown(const WaDictionary *dictionary,
										   uint32 code);

/* Returns how many bytes of the string count. */
extern uint32 wa_dictionary_length(const WaDictionary *dictionary, uint32 code);

#endif /* WA_SCAN_GROUP_DICTIONARY_H */
