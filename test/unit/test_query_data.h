/*
 * test_query_data.h
 *		A query over random rows, and what its groups have to be.
 *
 * The query groups by all kinds of key and aggregates all kinds of column; its
 * reference knows nothing of tables and records: it goes through its groups one
 * by one and adds up in 128 bits and in exact sums.
 */
#ifndef WA_TEST_QUERY_DATA_H
#define WA_TEST_QUERY_DATA_H

#include "query/message/partial_groups.h"
#include "test/unit/check.h"
#include "test/unit/make_run.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* The registers of the query. */
enum
{
	KEY_INT,
	KEY_TEXT,
	KEY_DECIMAL,
	KEY_FLOAT,
	KEY_BOOL,
	VALUE_INT,
	VALUE_DECIMAL,
	VALUE_FLOAT,
	NINPUTS,
	LIMIT = NINPUTS, /* a constant */
	STEP,            /* a constant */
	IS_BELOW,        /* VALUE_INT < LIMIT: WHERE */
	NEXT,            /* VALUE_INT + STEP */
	IS_ODD,          /* KEY_BOOL is not true: FILTER */
	NREGISTERS
};

#define NKEYS    5
#define NCOLUMNS 7

/* What VALUE_INT is compared with, and what is added to it. */
#define LIMIT_VALUE 800
#define STEP_VALUE  1000

/* A key or value of a row. */
typedef struct Cell
{
	bool is_null;
	int64_t i; /* INT, BOOL, DECIMAL */
	double f;
	uint8_t scale;
	uint8_t display;
	char text[8];
} Cell;

typedef struct Row
{
	Cell cells[NINPUTS];
} Row;

/* What a group is to have of a column. */
typedef struct Expected
{
	uint64_t rows;
	__int128 sum; /* DECIMAL: in units of 10^-REFERENCE_SCALE */
	unsigned __int128 squares;
	WaExactPart exact;
	Cell min;
	Cell max;
	uint64_t all; /* INT: bits of all rows, */
	uint64_t any; /* of some of them, */
	uint64_t odd; /* and of an odd number of them */
	uint8_t display;
	bool other; /* FLOAT: some row is not -0 */
} Expected;

typedef struct ExpectedGroup
{
	Cell keys[NKEYS]; /* as they are shown */
	Expected columns[NCOLUMNS];
	bool found;
} ExpectedGroup;

#define REFERENCE_SCALE 8

/* No key. */
#define NO_KEY UINT32_MAX

/* Returns a number below end. */
uint64_t random_below(uint64_t end);

/* The texts of the keys. */
extern const WaTextCodes test_texts;

/* Returns the query, grouped by the first nkeys of its keys. */
const WaQuery *test_query(uint32_t nkeys);

/*
 * Makes rows, of which a batch has the scales that a vector needs; variety: about
 * how many values a key has.
 */
void make_batch(Row *rows, size_t nrows, uint64_t variety);

/* Rows as the inputs of a run: columns, in forms that are drawn by lot. */
typedef struct Inputs
{
	WaColumnRows rows[NINPUTS];
	int64_t values[NINPUTS][WA_VECTOR_ROWS]; /* of any form */
	uint8_t validity[NINPUTS][WA_VECTOR_ROWS];
	uint8_t display[NINPUTS][WA_VECTOR_ROWS];
} Inputs;

/* Fills the inputs of rows, at most WA_VECTOR_ROWS. */
void fill_inputs(Inputs *inputs, const Row *rows, size_t nrows);

/* Adds a value, which is not NULL, to what is expected of a column of the kind. */
void expect_value(Expected *expected, WaVectorKind kind, const Cell *cell);

/*
 * Returns the number of the group with the first nkeys keys but for number `skipped`; ngroups:
 * there is none.
 */
size_t find_same(const ExpectedGroup *groups, size_t ngroups, const Cell *cells,
				 uint32_t nkeys, uint32_t skipped);

/* Brings a row into the groups, which there is room for; returns their number. */
size_t expect_row(ExpectedGroup *groups, size_t ngroups, const Row *row,
				  uint32_t nkeys);

/* Likewise into groups by the first nkeys keys but for number `skipped`. */
size_t expect_row_but(ExpectedGroup *groups, size_t ngroups, const Row *row,
					  uint32_t nkeys, uint32_t skipped);

/* Finds the group of keys that were read, and checks how they are shown. */
ExpectedGroup *find_expected(ExpectedGroup *groups, size_t ngroups,
							 const WaQueryValue *keys, uint32_t nkeys);

/* Likewise of groups by the first nkeys keys but for number `skipped`, which was not read. */
ExpectedGroup *find_expected_but(ExpectedGroup *groups, size_t ngroups,
								 const WaQueryValue *keys, uint32_t nkeys,
								 uint32_t skipped);

/* Tells whether a cell that was read is what a column is to have. */
bool is_expected(const Expected *expected, const WaQueryColumn *column,
				 const WaPartialCell *cell);

#endif /* WA_TEST_QUERY_DATA_H */
