/*
 * group_dictionary.h
 *		Codes of distinct byte strings, from 0 in the order of their coming.
 */
#ifndef WA_QUERY_GROUP_DICTIONARY_H
#define WA_QUERY_GROUP_DICTIONARY_H

#include "core/vector.h"
#include "query/base/arena.h"

/* No code; no string, and no key, ever has it. */
#define WA_NO_CODE UINT32_MAX

typedef struct WaKeyDictionary WaKeyDictionary;

/*
 * A string, of which only the first `length` bytes count for being equal to
 * another; shown_length, not less, are kept: blanks behind them.
 */
typedef struct WaKeyString
{
	const char *data;
	uint32_t length;
	uint32_t shown_length;
} WaKeyString;

/*
 * Makes a dictionary without strings, in the arena, whose failure leaves it
 * without further strings: codes are those of others then.  Returns NULL if
 * there is not enough memory.
 */
extern WaKeyDictionary *wa_key_dictionary_make(WaArena *arena);

/* Returns the code of a string, which is added if it is not there. */
extern uint32_t wa_key_dictionary_code(WaKeyDictionary *dictionary,
									   const WaKeyString *key);

/*
 * The same for several strings, at most WA_VECTOR_ROWS: stores the code of
 * keys[i] in words[rows[i]].
 */
extern void wa_key_dictionary_codes(WaKeyDictionary *dictionary,
									const WaKeyString *keys,
									const uint16_t *rows, size_t nkeys,
									uint64_t *words);

/* Has no more strings added: the code of others is WA_NO_CODE from now on. */
extern void wa_key_dictionary_close(WaKeyDictionary *dictionary);

/* Returns the string of a code as it came first; it lives with the dictionary. */
extern WaText wa_key_dictionary_shown(const WaKeyDictionary *dictionary,
									  uint32_t code);

/*
 * Returns a string that is kept, by its data, behind the header of four bytes that texts of
 * PostgreSQL have.  Returns NULL if it is not kept with so many bytes.
 */
extern const void *wa_key_dictionary_headed(const char *kept, size_t length);

/* Returns a hash of the string, the same in all dictionaries. */
extern uint32_t wa_key_dictionary_hash(const WaKeyDictionary *dictionary,
									   uint32_t code);

/* Returns how many bytes of the string count. */
extern uint32_t wa_key_dictionary_length(const WaKeyDictionary *dictionary,
										 uint32_t code);

#endif /* WA_QUERY_GROUP_DICTIONARY_H */
