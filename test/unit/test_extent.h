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

#include "daemon/store.h"

/* Attribute i + 1 is of form i. */
#define WA_TEST_ATTRIBUTES WA_FORM_COUNT

/* As many bytes as an extent takes in a parcel at most. */
#define WA_TEST_EXTENT_BYTES ((size_t) 4 << 20)

/* Returns the name of an attribute. */
WaColumnName wa_test_column_name(int16_t attribute);

/*
 * Writes an extent with the attributes whose bits (attribute - 1) are set to
 * the parcel, its head to the parcel's beginning.  rows: of a block at most.
 */
void wa_test_write_extent(uint8_t *parcel, WaRelation relation, uint32_t number,
						  uint64_t map_lsn, uint64_t seed, uint32_t rows,
						  uint64_t attributes);

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
					  uint32_t number, uint64_t map_lsn, uint64_t seed,
					  uint32_t rows, uint64_t attributes);

/* The same; asked: the attributes that somebody has asked for. */
WaStatus wa_test_load_asked(WaStore *store, uint8_t *memory, uint64_t relation,
							uint32_t number, uint64_t map_lsn, uint64_t seed,
							uint32_t rows, uint64_t attributes, uint64_t asked);

/* Writes the names of a set of attributes; returns how many they are. */
uint32_t wa_test_names(uint64_t attributes, WaColumnName *names);

/* Tells whether all that a used extent refers to is right. */
bool wa_test_used_is_right(const WaUsedExtent *used, WaRelation relation,
						   const WaColumnName *names, uint32_t ncolumns);

#endif /* TEST_EXTENT_H */
