/*
 * test_extent.h
 *		Extents whose values follow from their names, for tests of the store.
 *
 * The rows and values of an extent depend on nothing but the relation's file,
 * the extent's seed, which is the LSN of its first block, and the attribute, so
 * that what is found of it can be checked by itself.
 */
#ifndef TEST_EXTENT_H
#define TEST_EXTENT_H

#include "daemon/store/store.h"
#include "daemon/store/store_find.h"
#include "daemon/store/store_follow.h"
#include "daemon/store/store_use.h"

/* Attribute i + 1 is of form i. */
#define WA_TEST_ATTRIBUTES WA_FORM_COUNT

/* As many bytes as an extent takes in a parcel at most. */
#define WA_TEST_EXTENT_BYTES ((size_t) 4 << 20)

/*
 * The family of what is loaded from now on, in whose root attribute a has the number
 * a + shift, if that is more than 0; root 0: there is none.
 */
typedef struct WaTestFamily
{
	uint32_t root;
	int32_t shift;
} WaTestFamily;

extern WaTestFamily wa_test_family;

/* Makes an extent one of a relation of that family. */
void wa_test_join(WaExtentHead *head);

/* A snapshot for which all transactions have ended that decide about extents. */
extern const WaSnapshot wa_test_snapshot;

/* The transactions of extents have smaller numbers. */
#define WA_TEST_XIDS 1000

/* Makes a sound snapshot at random; some transactions may not have ended for it. */
WaSnapshot wa_test_random_snapshot(uint64_t *random_state);

/* Tells whether all transactions that decide about a block have ended for a snapshot. */
bool wa_test_is_settled(const WaExtentHead *head, uint32_t block,
						const WaSnapshot *snapshot);

/* Returns a use by wa_test_snapshot that needs WAL to be known up to 1. */
WaUse wa_test_use(uint32_t nblocks);

/*
 * Finds what wa_store_use_part does of the first part, from extent *next on, of which
 * there is something.  Returns how many extents; 0: there are no more.
 */
uint32_t wa_test_use_next(WaStore *store, WaUse *use, uint32_t *next,
						  WaUsedExtent used[2]);

/* Tells what there is of an extent. */
void wa_test_extent_state(WaStore *store, const WaRelation *relation,
						  uint32_t number, const WaColumnName *names,
						  uint32_t ncolumns, WaExtentState *state);

/* Has a store know all WAL up to a position, which changed nothing. */
void wa_test_know(WaStore *store, uint64_t position);

/* Takes aligned bytes of a parcel from *end on; returns their offset. */
uint64_t wa_test_take(uint64_t *end, uint64_t bytes);

/* Writes so many texts of a column behind *end: of nothing, "x", "xx" and so on. */
void wa_test_write_texts(uint8_t *parcel, WaExtentColumn *column,
						 uint32_t ntexts, uint64_t *end);

/* Returns the name of an attribute. */
WaColumnName wa_test_column_name(int16_t attribute);

/*
 * Writes an extent with the attributes whose bits (attribute - 1) are set to
 * the parcel, its head to the parcel's beginning.  rows: of a block at most.
 * position: of WAL, before it was read.  Returns how many bytes it has.
 */
uint64_t wa_test_write_extent(uint8_t *parcel, WaRelation relation,
							  uint32_t number, uint64_t position, uint64_t seed,
							  uint32_t rows, uint64_t attributes);

/*
 * The same, where the blocks have these LSNs, not such as follow from the seed.  What is
 * said of wa_test_used_is_right does not hold then.
 */
uint64_t wa_test_write_extent_of(uint8_t *parcel, WaRelation relation,
								 uint32_t number, uint64_t position,
								 uint64_t seed, uint32_t rows,
								 uint64_t attributes,
								 const uint64_t *block_lsn);

/* Writes transactions that decide about the blocks of a head; equal seeds make equal ones. */
void wa_test_write_xids(WaExtentHead *head, uint64_t seed);

/* Returns an integer value of attributes 1 to 4, if it is not NULL. */
bool wa_test_integer(WaRelation relation, uint64_t seed, int16_t attribute,
					 uint32_t row, int64_t *value);

/* Tells whether a column is what was written. */
bool wa_test_column_is_right(const WaColumn *column, WaRelation relation,
							 uint64_t seed, int16_t attribute);

/* Returns the name of a relation by a small number. */
WaRelation wa_test_relation(uint64_t i);

/* Writes an extent of a relation to memory, and loads it. */
WaStatus wa_test_load(WaStore *store, uint8_t *memory, uint64_t relation,
					  uint32_t number, uint64_t position, uint64_t seed,
					  uint32_t rows, uint64_t attributes);

/* The same; asked: the attributes that somebody has asked for. */
WaStatus wa_test_load_asked(WaStore *store, uint8_t *memory, uint64_t relation,
							uint32_t number, uint64_t position, uint64_t seed,
							uint32_t rows, uint64_t attributes, uint64_t asked);

/* Writes the names of a set of attributes; returns how many they are. */
uint32_t wa_test_names(uint64_t attributes, WaColumnName *names);

/*
 * Writes a source of a RUN, and the attributes that its columns have there, to where it
 * says in a parcel.
 */
void wa_test_write_source(uint8_t *parcel, const WaRunMessage *run,
						  uint32_t number, uint64_t relation, uint32_t nblocks,
						  const int16_t *attributes);

/* Has a RUN be over a set of attributes of one relation; writes that to the parcel. */
void wa_test_write_only_source(uint8_t *parcel, WaRunMessage *run,
							   uint64_t relation, uint32_t nblocks,
							   uint64_t attributes);

/* Tells whether all that a used extent refers to is right. */
bool wa_test_used_is_right(const WaUsedExtent *used, WaRelation relation,
						   const WaColumnName *names, uint32_t ncolumns);

#endif /* TEST_EXTENT_H */
