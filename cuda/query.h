/*
 * query.h
 *		The CUDA side's surface for whole queries: columns that lie in the memory
 *		of a GPU go in, groups with their partials come out, or rows.
 *
 * Plain C, as warpagg_cuda.h is, and with the same rules: each function returns
 * a WaStatus and writes a text to error when it is not WA_OK.  Nothing that a
 * caller hands over is kept.
 *
 * A query is computed by a few launches over all rows, whatever the number of
 * extents: a bitmap of the rows that may be used, the program (programs.h) where
 * there is one, the numbers of groups (keys.h), and a reduction for each column
 * (kernels.h, groups.h).  The host waits for the GPU once, or where groups are
 * found by hashing twice; columns of floats may need it to wait more often, and
 * so does choosing the groups that are wanted.  Where there are many rows, and the first
 * clauses leave few, which it waits for, the rest is computed of these alone, side by
 * side.  A query whose decimals turn out to
 * have no room in 64 bits is computed a second time with 128, and if quotients were
 * stored with a scale that is not theirs, a third time.  One that wants the first groups
 * by keys of floats, among which there are zeros of both signs, is computed once more for
 * all groups.
 *
 * Where rows are wanted, the keys of those that WHERE leaves are copied side by side, and
 * then to memory of the host, in which they stay.  The host waits twice: it has to know how
 * many there are.
 */
#ifndef WA_CUDA_QUERY_H
#define WA_CUDA_QUERY_H

#include "core/order_by.h"
#include "core/partial.h"
#include "core/program.h"
#include "core/ranks.h"
#include "cuda/inputs.h"

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * Rows and keys of a query at most, and groups that are handed over; there may be as
 * many groups as rows where not all are wanted.
 */
#define WA_CUDA_QUERY_ROWS   ((uint64_t) 1 << 30)
#define WA_CUDA_QUERY_KEYS   32
#define WA_CUDA_QUERY_GROUPS ((uint32_t) 1 << 22)

/* Words of a sum of squares of 128 bits. */
#define WA_CUDA_SQUARES_WORDS 6

/* No register. */
#define WA_CUDA_NO_REGISTER (-1)

/* A column, which fills a register.  All pointers are aligned to 256 bytes. */
typedef struct WaCudaColumn
{
	uint16_t number; /* of the register */
	WaColumnForm form;
	uint8_t scale; /* DECIMAL */
	const void *d_values;
	const uint64_t *d_validity; /* NULL: no row is NULL */
	const uint8_t *d_display;   /* DECIMAL: digits shown; NULL: scale */
	bool has_range;             /* what is not NULL lies between these */
	int64_t smallest;
	int64_t largest;
	bool is_small; /* I128: all values are below 2^95 in magnitude */
} WaCudaColumn;

/* An aggregated column, as WaQueryColumn (query/message/query.h) has it. */
typedef struct WaCudaAggregate
{
	int argument; /* register, or none: rows are counted */
	int filter;   /* register, or none */
	WaOpSet ops;  /* empty: values are counted */
} WaCudaAggregate;

/*
 * What the integers of a key, an INT that the program computes, stand for: i for
 * values[i], which is an INT or a DECIMAL of the scale.
 */
typedef struct WaCudaKeyValues
{
	const int64_t *values; /* ascending */
	uint32_t count;        /* 0: they stand for themselves */
	uint8_t scale;
} WaCudaKeyValues;

/*
 * What is wanted of values of the rows of each group: how many there are, each once, or with ranks
 * what lies there in their order.
 */
typedef struct WaCudaValues
{
	uint16_t number; /* register: an INT, a BOOL or a FLOAT */
	uint32_t nranks;
	uint32_t descends; /* 0 or 1: the order */
	const WaQueryRank *ranks;
} WaCudaValues;

/* Rows begin to end - 1. */
typedef struct WaCudaRange
{
	uint32_t begin;
	uint32_t end;
} WaCudaRange;

/* What rows have of a key, in memory of the host. */
typedef struct WaCudaRowValues
{
	void *values; /* integers, or the bits of doubles; 0 where NULL */
	uint8_t
		bytes; /* of a value: those that the query says, or 4 in place of 8 */
	uint8_t *valid; /* a byte for each row, 1: it is not NULL; NULL: none is */
	int64_t smallest; /* that is not NULL; more than largest if there is none */
	int64_t largest;
	uint8_t scale; /* DECIMAL: the digits that all rows show */
} WaCudaRowValues;

/* Rows, in any order. */
typedef struct WaCudaRows
{
	uint32_t nrows; /* at least one */
	const WaCudaRowValues *keys;
	void *memory; /* in which all values lie, for wa_cuda_rows_free */
	size_t bytes; /* of it */
} WaCudaRows;

/*
 * Takes rows, whose memory is the caller's from then on.  Returns false if there is not
 * enough memory: then nothing is.
 */
typedef bool (*WaCudaTakeRows)(void *context, const WaCudaRows *rows);

/*
 * A query.  No register is a TEXT.  Instructions behind the last clause compute
 * keys, arguments and filters.
 */
typedef struct WaCudaQuery
{
	WaProgram program; /* no calls */
	unsigned ncolumns;
	const WaCudaColumn *columns;
	unsigned nconstants;
	const WaProgramConstant *constants;
	unsigned nclauses;
	const WaProgramClause *clauses; /* ascending */
	unsigned nkeys;                 /* 0: there is one group */
	const uint16_t *keys;           /* registers */
	const WaCudaKeyValues
		*key_values; /* of the keys; NULL: all are themselves */
	unsigned naggregates;
	const WaCudaAggregate *aggregates;
	uint64_t nrows; /* of the columns */
	uint32_t nranges;
	const WaCudaRange *ranges; /* of rows to be used; ascending, apart */
	WaTopN top_n; /* of the groups; orders' numbers are keys' and cells' */

	/*
	 * Groups have cells behind those of the aggregated columns: one with the number of values for
	 * rows, or one for each rank, which has a row and the value as its least, or none.
	 * NULL: nothing is wanted of values.  With them all groups are.
	 */
	const WaCudaValues *values;

	/*
	 * Takes the rows that WHERE leaves and whose first key, an INT, is not NULL, if there
	 * are any, in place of groups: nothing is aggregated, and keys stand for themselves.
	 * NULL: groups are wanted.
	 */
	WaCudaTakeRows take_rows;
	const uint8_t *value_bytes; /* then: of each key in rows: 1, 4 or 8 */

	/*
	 * Called, with the context of the WaCudaTake, once the query has its turn and
	 * goes to the GPU.  NULL: nothing is.
	 */
	void (*begun)(void *context);

	/*
	 * Asked, with the same context, before so many bytes of the host's memory are taken
	 * for groups on their way; they are given back when the query ends.  Or for rows, which
	 * whoever takes them gives back.  NULL: as many as are needed.
	 */
	bool (*may_take)(void *context, size_t bytes);

	/*
	 * Told, with the same context, how many groups are going to be taken, at most.
	 * Returns false to have none taken.  NULL: nobody is told.
	 */
	bool (*expect)(void *context, uint32_t ngroups);
} WaCudaQuery;

/*
 * The key of a group.  Where all groups are handed over, there may be several of equal
 * keys that look different: of 0 and -0, or of DECIMALs that show other digits.
 */
typedef struct WaCudaKey
{
	bool is_null;
	bool is_wide;    /* DECIMAL: of 128 bits; the word is the low half */
	uint8_t scale;   /* DECIMAL */
	uint8_t display; /* DECIMAL: digits shown */
	int64_t word; /* the integer, the code, 0 or 1, or the bits of a double */
	int64_t high; /* wide: the high half */
} WaCudaKey;

/* What a group has of an aggregated column. */
typedef struct WaCudaCell
{
	WaPartial partial; /* exact sums lie in memory of the query's */
	uint8_t scale;     /* DECIMAL */
	uint8_t display;   /* DECIMAL with SUM: the most digits shown */
	bool is_wide;      /* min and max are those of 128 bits */
	uint64_t sum[3];   /* wide: SUM, a signed number, lowest word first */
	uint64_t squares[WA_CUDA_SQUARES_WORDS]; /* wide: SQUARES, likewise */
	uint8_t min_display; /* DECIMAL with MIN: digits shown of it, the most */
	uint8_t max_display; /* likewise */
} WaCudaCell;

/*
 * Takes a group, whose keys and cells, one of each aggregated column, are there
 * until it returns.  Returns false to have the rest left out.
 */
typedef bool (*WaCudaTake)(void *context, const WaCudaKey *keys,
						   const WaCudaCell *cells);

/* What came of a query. */
typedef struct WaCudaOutcome
{
	bool trapped;       /* rows have trapped; no group was taken */
	uint64_t kept_rows; /* that fulfil WHERE */
} WaCudaOutcome;

/* What a GPU needs for several queries at once. */
typedef struct WaCudaQueries WaCudaQueries;

/*
 * Makes room for so many queries at once on the GPU with this ordinal.  Each may
 * use one share'th of the device's memory, which is allocated when it is needed.
 */
WaStatus wa_cuda_queries_open(int ordinal, unsigned nslots, unsigned share,
							  WaCudaQueries **queries, char *error,
							  size_t error_bytes);

/* Ends it; no query is under way. */
void wa_cuda_queries_close(WaCudaQueries *queries);

/*
 * Computes a query, waiting for its turn.  Where tiles of rows trap their bits
 * are set in traps (wa_program_trap_bytes).  WA_UNSUPPORTED: this is nothing for a
 * GPU; WA_OUT_OF_MEMORY: it takes too much.
 */
WaStatus wa_cuda_query_run(WaCudaQueries *queries, const WaCudaQuery *query,
						   uint64_t *traps, WaCudaTake take, void *context,
						   WaCudaOutcome *outcome, char *error,
						   size_t error_bytes);

/*
 * Gives back the memory of rows that a query has handed over, by whichever thread: all of it
 * before the queries are closed.
 */
void wa_cuda_rows_free(WaCudaQueries *queries, void *memory);

#ifdef __cplusplus
}
#endif

#endif /* WA_CUDA_QUERY_H */
