/*
 * lookup_table.h
 *		Look-up tables: functions of an integer that are constant on ranges of equal
 *		width, and functions of texts that have codes.
 *
 * The day, the month or the hour of a time in some time zone is such a function,
 * and so is any function of a date, or of a text of a dictionary.  Who knows the
 * function fills the table; who has the table can do without the function.
 */
#ifndef WA_CORE_LOOKUP_TABLE_H
#define WA_CORE_LOOKUP_TABLE_H

#include "core/lookup_slots.h"
#include "core/vector.h"

/* nentries * width is at most this, so that doubles hold it. */
#define WA_MAX_LOOKUP_SPAN ((uint64_t) 1 << 52)

/* Entries of a table that travels with a query. */
#define WA_MAX_ENTRIES ((uint64_t) 1 << 20)

/* Entries, or slots, of one that warpaggd keeps. */
#define WA_MAX_KEPT_ENTRIES ((uint64_t) 1 << 27)

/* What is known of an entry. */
typedef enum WaEntryState
{
	WA_ENTRY_UNKNOWN,
	WA_ENTRY_VALUE,
	WA_ENTRY_NULL
} WaEntryState;

/* What the values of a table are. */
typedef enum WaLookupResults
{
	WA_LOOKUP_WORDS, /* those of a vector of kind INT, FLOAT or DECIMAL */
	WA_LOOKUP_BOOLS, /* 0 or 1 */
	WA_LOOKUP_TEXTS /* numbers of texts of the table, which are all different */
} WaLookupResults;

/*
 * What tells a table that warpaggd keeps from all others: tables with the same digest
 * are the same.  Both words are 0: it is not kept.
 */
typedef struct WaTableDigest
{
	uint64_t words[2];
} WaTableDigest;

/* Tells whether a digest is one. */
static inline bool
wa_digest_is_set(const WaTableDigest *digest)
{
	return (digest->words[0] | digest->words[1]) != 0;
}

/* Tells whether two digests are the same. */
static inline bool
wa_digest_is_same(const WaTableDigest *a, const WaTableDigest *b)
{
	return a->words[0] == b->words[0] && a->words[1] == b->words[1];
}

/*
 * The function at x has the value values[(x - base) / width] where known[] is
 * WA_ENTRY_VALUE.  Where that is WA_ENTRY_UNKNOWN it is not known, nor is it beyond the
 * entries, unless is_total says that it is NULL there.  If there is a dictionary, x is
 * the code of a text in it, base is 0 and width 1.  If there are slots, there are as many
 * as entries, x is looked up there, base is 0, width 1, and the table is total.
 */
typedef struct WaLookupTable
{
	int64_t base;
	uint64_t width;    /* at least 1 */
	uint64_t nentries; /* at least 1 */
	const int64_t *values;
	const uint8_t *known; /* WaEntryState */
	uint8_t scale;        /* DECIMAL */
	uint8_t results;      /* WaLookupResults */
	bool is_total;        /* beyond the entries the function is NULL */
	bool null_has_value; /* the function of NULL has a value: this; else NULL */
	int64_t null_value;
	uint64_t dictionary; /* its number (core/protocol.h); 0: x is an INT */
	uint32_t ntexts;
	const WaText *texts;
	WaTableDigest digest; /* of a table that is, or is to be, kept */

	/* In place of values and known, or NULL: */
	const int32_t *narrow;     /* all is known, WA_NARROW_NULL is NULL */
	const WaLookupSlot *slots; /* for keys, of INT, that lie far apart */

	/*
	 * Beside narrow, or NULL: they say the same, in less memory.  Of each entry a bit, 1: it
	 * has a value, which is the number of bits before; and behind these words a uint32_t for
	 * each: the number of bits before.
	 */
	const uint64_t *bits;
} WaLookupTable;

#define WA_NARROW_NULL INT32_MIN

/* Returns how many words of bits so many entries have, and the bytes of all of it. */
static inline uint64_t
wa_lookup_bits_words(uint64_t nentries)
{
	return (nentries + 63) / 64;
}

static inline uint64_t
wa_lookup_bits_bytes(uint64_t nentries)
{
	return wa_lookup_bits_words(nentries) *
		   (sizeof(uint64_t) + sizeof(uint32_t));
}

/* Returns the bytes of narrow entries, behind which bits may lie. */
static inline uint64_t
wa_lookup_narrow_bytes(uint64_t nentries)
{
	return (nentries * sizeof(int32_t) + 7) / 8 * 8;
}

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * Computes the function at the values of a vector of INT, or of codes as such; sets all
 * of *out, of a kind that suits the results, but its pointers.  Returns false to trap: it is not
 * known somewhere.
 */
bool wa_lookup_table_call(const WaLookupTable *table, const WaVector *a,
						  WaVector *out, size_t nrows);

/* Makes a table that knows nothing but that it is total: of one entry, not known. */
void wa_lookup_table_empty(WaLookupTable *table);

/*
 * Makes a total table from so many keys, of which these are the smallest and the largest,
 * but for its entries or slots.  Returns whether it has entries: then these are for each
 * integer between both, and are narrow.  nentries is 0 if there are too many keys.
 */
bool wa_lookup_table_begin_keys(WaLookupTable *table, int64_t smallest,
								int64_t largest, uint64_t nkeys);

/*
 * Tells whether a table is one that can travel: its counts and its span are what
 * this file says, no entry is beyond the integers, and values are what they may be.
 */
bool wa_lookup_table_is_sound(const WaLookupTable *table);

/*
 * Tells whether a table is one that can be kept: the same, with more entries, but for
 * one of a dictionary, which may be another one later.
 */
bool wa_lookup_table_may_be_kept(const WaLookupTable *table);

/*
 * Tells what is known of an entry of a table without slots, and stores its value, if it
 * has one.
 */
static inline uint8_t
wa_lookup_table_entry(const WaLookupTable *table, uint64_t entry,
					  int64_t *value)
{
	if (table->narrow == NULL)
	{
		*value = table->values[entry];
		return table->known[entry];
	}
	*value = table->narrow[entry];
	return table->narrow[entry] == WA_NARROW_NULL ? WA_ENTRY_NULL
												  : WA_ENTRY_VALUE;
}

/* Tells whether a table's entries could be narrow. */
bool wa_lookup_table_can_be_narrow(const WaLookupTable *table);

/* Tells whether a table has results for a register of the kind. */
bool wa_lookup_table_suits(const WaLookupTable *table, WaVectorKind kind);

#ifdef __cplusplus
}
#endif

#endif /* WA_CORE_LOOKUP_TABLE_H */
