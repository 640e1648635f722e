/*
 * fuzz_query_mutate.h
 *		Changing queries as queries: what comes out of it is sound.
 */
#ifndef WA_TEST_FUZZ_QUERY_MUTATE_H
#define WA_TEST_FUZZ_QUERY_MUTATE_H

#include <stddef.h>
#include <stdint.h>

#include "query/message/query_wire.h"

/* A table of integers that queries may name, and who has it. */
extern const WaLookupTable fuzz_kept_table;
extern const WaTableFinder fuzz_table_finder;

/* Returns the word that messages of queries begin with. */
uint64_t fuzz_query_version(void);

/*
 * Changes the message of a sound query, whatever its version, into that of another
 * one, of at most so many words.  Returns how many, or 0 if that could not be done;
 * then nothing has been changed.
 */
size_t fuzz_mutate_query(uint64_t *words, size_t nwords, size_t most,
						 uint64_t seed);

#endif /* WA_TEST_FUZZ_QUERY_MUTATE_H */
