/*
 * partial_groups.h
 *		Groups on their way from one process to another.
 *
 * A message has groups of some rows, to be merged with groups of other rows: for
 * each the keys, as values, and for each aggregated column a cell, the record of
 * the group (query/records/records.h).  A writer that has something there that is no
 * record may put bytes of its own in its place.  In front stands the shape: of
 * what kinds keys and columns are.
 *
 *		version
 *		number of groups, of keys, of columns
 *		for each key: kind, whether blanks do not count
 *		for each column: kind, operations, scale of the sums
 *		for each group
 *			for each key: a value (query/message/value_wire.h)
 *			for each column: number of rows, with flags; if there are some, the
 *			other words of the record, and its rest, if it has one: of a FLOAT
 *			the length and bytes, of a DECIMAL the words of a WaWideRest; or the
 *			length and bytes of the writer's own
 */
#ifndef WA_QUERY_PARTIAL_GROUPS_H
#define WA_QUERY_PARTIAL_GROUPS_H

#include "core/must_check.h"
#include "query/base/wire.h"
#include "query/groups/groups.h"
#include "query/records/records.h"

/* An aggregated column. */
typedef struct WaPartialColumn
{
	WaVectorKind kind;
	WaOpSet ops;
	int scale; /* of the sums of a DECIMAL, in one message */
} WaPartialColumn;

/* What groups consist of. */
typedef struct WaPartialShape
{
	int nkeys;
	int ncolumns;
	const WaQueryKey *keys;
	const WaPartialColumn *columns;
} WaPartialShape;

/* Begins a message, with no groups so far. */
extern void wa_partial_begin(WaWriter *writer, const WaPartialShape *shape);

/*
 * Append a key, and a cell, of the next group: all its keys come first.  The
 * record may be of no rows.
 */
extern void wa_partial_put_key(WaWriter *writer, const WaQueryKey *key,
							   const WaQueryValue *value);
extern void wa_partial_put_record(WaWriter *writer,
								  const WaPartialColumn *column,
								  const WaRecord *record);
extern void wa_partial_put_bytes(WaWriter *writer, const void *bytes,
								 size_t length);

/* Ends a message of so many groups. */
extern void wa_partial_end(WaWriter *writer, uint32_t ngroups);

/* Returns the words of the groups of messages of a shape, with those in front. */
extern size_t wa_partial_joined_words(const WaPartialShape *shape,
									  const WaWriter *messages,
									  size_t nmessages);

/*
 * Writes one message with the groups of several, at least one, that have the same
 * scales, to a place with room for it, which is not read.
 */
extern void wa_partial_join(const WaPartialShape *shape,
							const WaWriter *messages, size_t nmessages,
							uint64_t *place);

/* What a group has of a column: a record with rows, or bytes, or nothing. */
typedef struct WaPartialCell
{
	WaRecord record; /* words NULL: there is none */
	WaText bytes;    /* data NULL: there are none */
	uint64_t words[WA_RECORD_MAX_WORDS];
	WaExactPart *rest; /* room for one, of FLOAT with a SUM */
	WaWideRest wide;   /* likewise, of DECIMAL */
} WaPartialCell;

/* A message of groups that is being read. */
typedef struct WaPartialReader
{
	WaReader reader;
	const WaPartialShape *shape;
	int *scales;        /* of the columns' sums in this message */
	uint32_t ngroups;   /* that are left */
	WaQueryValue *keys; /* of the group that was read */
	WaPartialCell *cells;
} WaPartialReader;

/*
 * Makes *reader one of groups of a shape, which lives as long; its scales are
 * not looked at.  Returns false if there is not enough memory.
 */
extern WA_MUST_CHECK bool wa_partial_reader_init(WaPartialReader *reader,
												 WaArena *arena,
												 const WaPartialShape *shape);

/*
 * Begins a message, which lives as long as what is read of it.  Returns false if
 * it is none of the shape.
 */
extern WA_MUST_CHECK bool wa_partial_open(WaPartialReader *reader,
										  const void *message, size_t bytes);

/*
 * Reads the next group into reader->keys and reader->cells; what is there is
 * sound, but for bytes of the writer's own.  Returns false if there is none:
 * then reader->reader.failed tells whether that is because the message is not
 * one of groups.
 */
extern WA_MUST_CHECK bool wa_partial_next(WaPartialReader *reader);

#endif /* WA_QUERY_PARTIAL_GROUPS_H */
