/*
 * test_gpu_data.h
 *		Random relations, as extents in host memory and as flat columns of
 *		several devices, and random queries over them.
 */
#ifndef WA_TEST_GPU_DATA_H
#define WA_TEST_GPU_DATA_H

#include "daemon/mirror/mirror.h"
#include "query/message/query.h"

#define NDEVICES 2

/* Keys and aggregated columns of a query, at most. */
#define MAX_KEYS    22
#define MAX_COLUMNS 220

/* Keys of a query whose rows become tables, at most. */
#define MAX_MADE 7

/* The columns; the registers of a query begin with them. */
enum
{
	COLUMN_INT16,
	COLUMN_INT32,
	COLUMN_INT64,
	COLUMN_UINT32,
	COLUMN_FLOAT4,
	COLUMN_FLOAT8,
	COLUMN_DECIMAL32,
	COLUMN_DECIMAL64,
	COLUMN_BOOL,
	COLUMN_TEXT,
	COLUMN_PRICE, /* a DECIMAL that shows all its digits */
	COLUMN_WIDE,  /* likewise, some of whose values have more than 64 bits */
	COLUMN_LARGE, /* and some have more than 96 */
	NCOLUMNS
};

/* A column of a device: all arrays are as long as its space of rows. */
typedef struct TestFlat
{
	uint8_t *values;
	uint64_t *validity;
	uint8_t *display;
} TestFlat;

typedef struct TestRelation
{
	WaMemory memory;
	WaDictionary *dictionary; /* of the TEXT */
	bool looks_alike; /* equal floats and numerics do, so they are good keys */
	uint64_t
		step; /* COLUMN_INT64 ascends by so much, about; 0: it is anything */
	uint64_t next; /* of it */
	uint64_t nextents;
	WaRunExtent *extents;
	const WaRunExtent **list;
	uint64_t *first_rows; /* on the device of the extent */
	uint64_t rows[NDEVICES];
	TestFlat flats[NDEVICES][NCOLUMNS];
	WaColumnName names[NCOLUMNS];
	const WaDictionary *dictionaries[NCOLUMNS];
	WaRunBounds bounds[NCOLUMNS];
} TestRelation;

/* How the columns are stored. */
extern const WaForm test_forms[NCOLUMNS];

/* Has other numbers come. */
void test_seed(uint64_t number);

/* Returns a number below end. */
uint64_t random_below(uint64_t end);

/* Returns one of the texts that the column of texts may have. */
const char *test_text(void);

/* Whether all extents of the relations that are made lie on the first device. */
extern bool test_on_one_device;

/*
 * Makes a relation of so many extents, which lie on devices, with gaps between
 * them, or on none (their device is NDEVICES).  step: see TestRelation.
 */
TestRelation *test_relation_make(uint64_t nextents, uint64_t step);
void test_relation_free(TestRelation *relation);

/* Makes a query; NULL if it is not sound. */
const WaQuery *test_gpu_query(WaArena *arena);

/*
 * Makes a query whose rows become tables with these digests, of which there are MAX_MADE;
 * NULL if it is not sound.
 */
const WaQuery *test_gpu_made_query(WaArena *arena,
								   const WaTableDigest *digests);

/* Returns the register that is the quotient of two decimals. */
int test_gpu_quotient(void);

/* Tells whether a register may have computed decimals of more than 64 bits. */
bool test_gpu_is_computed_wide(int number);

/* Tells whether all keys of a query are looked up in tables that ascend. */
bool test_has_table_key(const WaQuery *query);

#endif /* WA_TEST_GPU_DATA_H */
