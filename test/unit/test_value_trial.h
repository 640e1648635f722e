/*
 * test_value_trial.h
 *		Rows of lists of values (src/query/run/value_list.h) that are drawn by lot, and what is
 *		rolled up of them.
 *
 * The reference sorts all rows, and goes through them one by one as PostgreSQL's
 * utils/adt/orderedsetaggs.c does.
 */
#ifndef WA_TEST_VALUE_TRIAL_H
#define WA_TEST_VALUE_TRIAL_H

#include "query/message/query.h"
#include "query/records/records.h"
#include "test/unit/check.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

#define MAX_LISTS 4
#define MAX_RANKS 9
#define MAX_ROWS  300000

#define ALL_OPS                                                               \
	(WA_OP_BIT(WA_OP_SUM) | WA_OP_BIT(WA_OP_SQUARES) | WA_OP_BIT(WA_OP_MIN) | \
	 WA_OP_BIT(WA_OP_MAX))

/* Some rows that have a value: of a list, of its group `own`. */
typedef struct Row
{
	uint32_t list;
	uint32_t own;
	bool is_null;
	int64_t value;
	uint64_t rows;
} Row;

/* A value of a group among all. */
typedef struct Pair
{
	uint32_t group;
	int64_t value;
	uint64_t rows;
} Pair;

/* How many rows a value has. */
typedef enum Weights
{
	ONE_ROW,
	FEW_ROWS,
	MANY_ROWS, /* about as many as an entry can have */
	NWEIGHTS
} Weights;

/* What a trial is to be like. */
typedef struct Shape
{
	WaVectorKind kind;
	WaOpSet ops; /* of values that are taken once */
	bool has_ranks;
	size_t nrows;
	uint32_t ngroups;
	uint64_t variety; /* about how many values there are */
	Weights weights;
	bool is_skewed; /* most rows have one value of one group */
} Shape;

typedef struct Trial
{
	Shape shape;
	WaQueryRolled rolled;
	WaQueryRank ranks[MAX_RANKS];
	uint32_t nlists;
	uint32_t *numbers[MAX_LISTS]; /* NULL: the same */
	Row rows[MAX_ROWS];
	Pair pairs[MAX_ROWS]; /* sorted, each value of a group once */
	size_t npairs;
} Trial;

/* Returns a number below end. */
uint64_t random_below(uint64_t end);

/* The trial at hand. */
extern Trial trial;

/* Makes a trial of a shape; and frees what it has. */
void make_trial(const Shape *shape);
void end_trial(void);

/* Tells whether tables, of the columns that are rolled up to, have what is expected. */
bool are_expected(WaRecordTable *const *tables);

#endif /* WA_TEST_VALUE_TRIAL_H */
