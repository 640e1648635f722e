/*
 * resident_messages.h
 *		The messages about resident columns; see protocol.h.
 */
#ifndef WA_CORE_RESIDENT_MESSAGES_H
#define WA_CORE_RESIDENT_MESSAGES_H

#include "core/lookup_table.h"
#include "core/message.h"
#include "core/resident.h"

/*
 * Comes with a descriptor: the parcel, which takes the place of the one before.
 * It has so many bytes, a multiple of 4096, and cannot shrink.
 */
typedef struct WaShareMessage
{
	WaHeader header;
	uint64_t bytes;
} WaShareMessage;

/* An extent is to be kept, in place of what was there of the same columns. */
typedef struct WaLoadMessage
{
	WaHeader header;
	uint64_t extent; /* offset of a WaExtentHead in the parcel */
} WaLoadMessage;     /* bulk: wa_extent_checksum */

/* Relations that a RUN, RESIDENCY or STAMPS is over at most. */
#define WA_MAX_RUN_SOURCES 16384

/* A relation that one is over; a RESIDENCY does not look at its nblocks. */
typedef struct WaRunSource
{
	WaRelation relation;
	uint32_t nblocks; /* of the relation, by the query's snapshot */
} WaRunSource;

/*
 * Columns of some relations, as RUN and RESIDENCY name them.  They have the same types and
 * kinds in all of these, but attributes of their own.
 */
typedef struct WaNamedSources
{
	uint32_t nsources;
	uint32_t ncolumns;
	const WaColumnName *columns; /* attribute is 0 */
	const WaRunSource *sources;
	const int16_t *attributes; /* of each source, of each column */
} WaNamedSources;

/* Returns the bytes of some sources, and their attributes. */
static inline uint64_t
wa_run_sources_bytes(uint32_t nsources, uint32_t ncolumns)
{
	return nsources *
		   (sizeof(WaRunSource) + (uint64_t) ncolumns * sizeof(int16_t));
}

/* Returns the attributes of a source. */
static inline const int16_t *
wa_named_attributes(const WaNamedSources *named, uint32_t number)
{
	return &named->attributes[(size_t) number * named->ncolumns];
}

/* Writes the names that the columns have in a source. */
static inline void
wa_named_columns(const WaNamedSources *named, uint32_t number,
				 WaColumnName *names)
{
	const int16_t *attributes = wa_named_attributes(named, number);

	for (uint32_t i = 0; i < named->ncolumns; i++)
	{
		names[i] = named->columns[i];
		names[i].attribute = attributes[i];
	}
}

/*
 * Asks what there is of columns of some sources, as RUN names them: at `sources` lie
 * nsources WaRunSource, and behind them int16_t attributes[nsources][ncolumns]
 * (wa_run_sources_bytes), whose checksum bulk is.  At `blocks` the reply has a uint64_t for
 * each source.  Offsets are those of the parcel.
 */
typedef struct WaResidencyMessage
{
	WaHeader header;
	uint32_t nsources; /* at least 1 */
	uint32_t ncolumns;
	uint64_t sources;
	uint64_t blocks;
	WaColumnName columns[WA_MAX_QUERY_COLUMNS]; /* ncolumns; attribute is 0 */
} WaResidencyMessage;

/* What is there of a column. */
typedef struct WaResidency
{
	uint64_t blocks;     /* cached, fresh or not */
	uint64_t odd_blocks; /* besides, that other columns have of its extents */
	uint64_t rows;       /* of `blocks` */
	uint64_t bytes;
	int64_t smallest;    /* INT: of the values that are not NULL; more than */
	int64_t largest;     /* largest if there are none */
	uint64_t dictionary; /* TEXT: its number; 0: there is none */
	uint64_t texts;      /* TEXT: that have been added to it so far */
} WaResidency;

/*
 * What there is of the sources that have complete blocks, in which all of the columns are
 * cached, or of all sources if none has; of the dictionaries the first one of these.  Bulk
 * is the checksum of how many complete blocks each source has.
 */
typedef struct WaResidentMessage
{
	WaHeader header;
	uint64_t complete_blocks; /* of all sources */
	uint32_t ncolumns;
	uint32_t unused;
	WaResidency columns[WA_MAX_QUERY_COLUMNS]; /* in the order of the request */
} WaResidentMessage;

/*
 * Asks for texts of a column's dictionary, those of codes from `first` on.  Where
 * the message says there come a WaTextsHead and the texts, as many as there is room
 * for: of each its length, a number of 32 bits, and its bytes.  Bulk of the reply is
 * the checksum of the head and all of them.
 */
typedef struct WaTextsMessage
{
	WaHeader header;
	WaRelation relation;
	uint32_t first;
	WaColumnName column;
	uint64_t place; /* offset in the parcel */
	uint64_t room;  /* bytes, that of the head included */
} WaTextsMessage;

/* No dictionary has a longer text; the length of one that has yet to come. */
#define WA_NO_TEXT UINT32_MAX

typedef struct WaTextsHead
{
	uint64_t dictionary; /* its number; 0: there is none */
	uint64_t texts;      /* that had been added when the first was written */
	uint32_t ncodes;     /* all codes were less, at that time */
	uint32_t count;      /* of the texts that follow */
	uint64_t bytes;      /* of the head and them */
} WaTextsHead;

/*
 * Asks for the WaExtentState of the extents from `first` on of a relation of nblocks, or of
 * those of them that lack blocks, or have some that are not fresh; of up to `room` of them,
 * which are written to `states`.  An extent of which there is nothing lacks all.  LISTED
 * says how many were written; if they are `room`, there may be more behind the last.
 */
typedef struct WaExtentsMessage
{
	WaHeader header;
	WaRelation relation;
	uint32_t first;
	uint32_t nblocks; /* of the relation */
	uint32_t room;    /* of states, at least 1 */
	uint32_t ncolumns;
	uint32_t all;                                  /* 1: of all; else 0 */
	uint64_t states;                               /* offset in the parcel */
	WaColumnName columns[WA_MAX_RESIDENT_COLUMNS]; /* ncolumns of them */
} WaExtentsMessage;

/*
 * The blocks of an extent that are in `same` have the LSN in the heap that they have
 * here, as somebody has seen who read `position` before: they are fresh again, as if they
 * had been loaded.  It means the LSNs of one edition of the extent, which a WaExtentState
 * has told, and nothing where there is another one now.
 */
typedef struct WaConfirmMessage
{
	WaHeader header;
	WaRelation relation;
	uint32_t extent;
	uint64_t edition;
	uint64_t position;
	uint64_t same[WA_EXTENT_WORDS];
} WaConfirmMessage;

/* What a record of WAL has changed, if it is of use to know. */
typedef enum WaChangeKind
{
	WA_CHANGE_BLOCK, /* the rows of a block */
	WA_CHANGE_REST,  /* all blocks from this one on are gone, or others */
	WA_CHANGE_FILES /* of all relations of a database, or of all databases if that is
					  * 0: the rest of the relation, and the block, are 0 */
} WaChangeKind;

typedef struct WaChange
{
	WaRelation relation;
	uint32_t block;
	uint32_t kind; /* WaChangeKind */
	uint32_t unused;
	uint64_t lsn; /* where its record ends: the page's LSN from then on */
} WaChange;

/* Changes that a FOLLOW has at most. */
#define WA_MAX_CHANGES 480

/*
 * All records of WAL that end behind `from` and not behind `to` have been looked at:
 * they changed what is said here, and nothing else; no change has an LSN behind `to`.
 * Where `from` is behind what has been followed so far there is a gap: nothing is fresh
 * any more until it has been confirmed or loaded.  A `to` that is not behind what has
 * been followed says nothing new.
 */
typedef struct WaFollowMessage
{
	WaHeader header;
	uint64_t from;
	uint64_t to;
	uint32_t nchanges;
	uint32_t no_reply;                /* 1: nobody waits for FOLLOWED; else 0 */
	WaChange changes[WA_MAX_CHANGES]; /* nchanges of them */
} WaFollowMessage;

/* How far WAL has been followed; not less than `to`. */
typedef struct WaFollowedMessage
{
	WaHeader header;
	uint64_t position;
} WaFollowedMessage;

/* Forgets a relation's column, or all of them where attribute is 0. */
typedef struct WaUnloadMessage
{
	WaHeader header;
	WaRelation relation;
	int32_t attribute;
} WaUnloadMessage;

/*
 * Has what is resident of a relation, and what will be, stay, or not any more.  FAILED
 * with WA_BAD_REQUEST: nothing of it is resident; with WA_OUT_OF_MEMORY: with it more
 * than half of the memory would be pinned.
 */
typedef struct WaPinMessage
{
	WaHeader header;
	WaRelation relation;
	uint32_t pinned; /* 0 or 1 */
} WaPinMessage;

/* Asks for an array of WaResidentColumn, of one database or, if 0, of all. */
typedef struct WaListMessage
{
	WaHeader header;
	uint32_t database;
	uint32_t room; /* of how many there is room for */
	uint64_t list; /* offset in the parcel */
} WaListMessage;

typedef struct WaListedMessage
{
	WaHeader header;
	uint32_t columns; /* how many there are, be there room for them or not */
	uint32_t unused;
} WaListedMessage; /* bulk: of those that there was room for */

/*
 * What a query's snapshot tells of transactions, by numbers of 64 bits: those below xmin
 * have ended for it, those from xmax on have not, nor have those listed, which are
 * between the two and ascend.
 */
typedef struct WaSnapshot
{
	uint64_t xmin;
	uint64_t xmax;
	uint32_t nxids;
	uint32_t unused;
	uint64_t xids[WA_MAX_SNAPSHOT_XIDS]; /* nxids of them */
} WaSnapshot;

/*
 * A quarter of what queries may take together: of groups that are rolled up where they are, as
 * few of them are sent, and a backend would have its own on disk.
 */
#define WA_RUN_MEMORY_SHARE UINT64_MAX

/*
 * A query over those blocks of its sources that are cached with all its columns, fresh,
 * and settled for its snapshot.  If WAL has not been followed up to its position there
 * are none.
 *
 * Offsets are those of the parcel.  At `sources` lie nsources WaRunSource, no relation
 * among them twice, and behind them int16_t attributes[nsources][ncolumns]
 * (wa_run_sources_bytes).  Bulk is the checksum of the query, of the sources behind it, and
 * of the blocks whose rows it brings (wa_run_checksum).
 *
 * Which blocks are covered is said by a bit for each block, in words of 64, of whole
 * extents of a source; those of the sources lie one behind the other, in their order
 * (wa_run_words_bytes).
 *
 * A query whose rows become tables may bring those of some blocks of its only source along:
 * these are not used, whether they are cached or not.
 */
typedef struct WaRunMessage
{
	WaHeader header;
	uint32_t nsources;  /* at least 1 */
	uint32_t ncolumns;  /* columns: of the query's registers, in its order */
	uint32_t announces; /* not 0: a COVER is wanted */
	uint32_t
		has_rest; /* not 0: at `cover` lie the blocks whose rows it brings */
	uint64_t position; /* all that the snapshot sees was in WAL before this */
	WaSnapshot snapshot;
	uint64_t query; /* wa_query_write */
	uint64_t query_bytes;
	uint64_t sources;
	uint64_t used;   /* where the answer says which blocks it covers; not
						   * written if it covers all of all sources */
	uint64_t cover;  /* where COVER says which it will cover, likewise */
	uint64_t groups; /* where its groups go, if there is room */
	uint64_t groups_room;
	uint64_t memory; /* bytes that its groups may take while it runs */
	WaColumnName columns[WA_MAX_QUERY_COLUMNS]; /* ncolumns; attribute is 0 */
} WaRunMessage;

/*
 * Asks for stamps of relations, as a snapshot sees them that has been taken before
 * `position` was read.  At `sources` lie nsources WaRunSource, of which some may be the
 * same and whose checksum bulk is.  At `stamps` the reply, DONE, has a uint64_t for each,
 * whose checksum is its bulk.
 *
 * A stamp is 0 unless all blocks of the relation are cached, fresh, and settled for the
 * snapshot, whatever columns there are of them.  If two stamps of a relation are the same,
 * and not 0, both snapshots see the same rows in the same blocks, also of columns that are
 * not resident: as long as no record of WAL has changed a block, its page has not changed.
 * That holds across starts of warpaggd, too.  Stamps may differ without a difference.
 */
typedef struct WaStampsMessage
{
	WaHeader header;
	uint32_t nsources; /* at least 1 */
	uint32_t unused;
	uint64_t position;
	WaSnapshot snapshot;
	uint64_t sources; /* offsets in the parcel */
	uint64_t stamps;
} WaStampsMessage;

/*
 * Asks what the blocks of a relation are, as a snapshot sees them, likewise.  At `blocks`
 * the reply, DONE, has a uint64_t for each of nblocks, whose checksum is its bulk.
 *
 * That is 0 unless the block is cached, fresh, and settled for the snapshot; else the LSN
 * of its page.  As long as wal_level is not minimal, and the server runs, two that are the
 * same, of the same block, tell that both snapshots see the same rows in it.  It is 0, too,
 * of a page that has never had a record.
 */
typedef struct WaBlocksMessage
{
	WaHeader header;
	WaRelation relation;
	uint32_t nblocks; /* of the relation, at least 1 */
	uint64_t position;
	WaSnapshot snapshot;
	uint64_t blocks; /* offset in the parcel */
} WaBlocksMessage;

/* The stamp of a relation without blocks, in which nobody sees rows. */
#define WA_EMPTY_STAMP UINT64_C(1)

/*
 * Has a look-up table kept, for queries that name it by its digest: at `table` lie so many
 * bytes of it (query/message/table_wire.h), whose checksum bulk is.  It stays until others
 * need its room; a RUN whose tables are not all kept any more fails with WA_NOT_KEPT, and
 * so does KEEP if there is no room.
 */
typedef struct WaKeepMessage
{
	WaHeader header;
	WaTableDigest digest;
	uint64_t table; /* offset in the parcel */
	uint64_t bytes;
} WaKeepMessage;

/* Digests that KEPT is about at most. */
#define WA_MAX_KEPT_DIGESTS 1024

/*
 * Asks whether tables are all kept, by their digests, `count` of which lie at `digests`, with
 * the checksum bulk, 1 to WA_MAX_KEPT_DIGESTS; fails with WA_NOT_KEPT if they are not.
 */
typedef struct WaKeptMessage
{
	WaHeader header;
	uint64_t digests; /* offset in the parcel */
	uint64_t count;
} WaKeptMessage;

/*
 * Has a table that is kept written to `table`, as KEEP has it, if there is room for so many
 * bytes; fails with WA_NOT_KEPT if it is not.  The number of LISTED is how many words it
 * takes, of which bulk is the checksum if they were written.
 */
typedef struct WaFetchMessage
{
	WaHeader header;
	WaTableDigest digest;
	uint64_t table; /* offset in the parcel */
	uint64_t room;
} WaFetchMessage;

/* Returns the bytes of a bit for each block of the extents of all sources. */
static inline uint64_t
wa_run_words_bytes(const WaRunSource *sources, uint32_t nsources)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < nsources; i++)
		bytes += wa_extents_bytes(sources[i].nblocks);
	return bytes;
}

/* Returns how many blocks all sources have. */
static inline uint64_t
wa_run_blocks(const WaRunSource *sources, uint32_t nsources)
{
	uint64_t blocks = 0;

	for (uint32_t i = 0; i < nsources; i++)
		blocks += sources[i].nblocks;
	return blocks;
}

/*
 * Says, before they are computed, which blocks the answer will cover, if these are some
 * but not all of the sources', so that the backend can read the others meanwhile.  Bulk
 * is the checksum of `cover`.
 */
typedef struct WaCoverMessage
{
	WaHeader header;
	uint64_t blocks; /* covered */
} WaCoverMessage;

/*
 * The groups of the covered blocks lie in the parcel, or, if there was no room,
 * in a sealed memory file that comes with the message.  groups_bytes is 0 if
 * there is no block that could be used, or if there is no use in an answer, as not
 * all blocks could be (query/message/query.h, only_wanted): then nothing has been written.
 * A query that makes tables has one word in place of groups: how many rows they are of.
 * `used` is not written either if the answer covers what a COVER before it has said.
 * Bulk is the checksum of what has been: `used`, and the groups behind it.
 */
typedef struct WaAnswerMessage
{
	WaHeader header;
	uint32_t in_parcel; /* 0 or 1 */
	uint32_t kind;      /* WaDeviceKind, of the device that computed it */
	uint64_t groups_bytes;
	uint64_t blocks;      /* covered */
	uint64_t left_blocks; /* that would be, but have rows that it cannot take */
	uint64_t rows;        /* of them; or, if blocks is 0, that there would be */
	uint64_t kept_rows;   /* of them that fulfil WHERE */
	uint64_t is_rolled;   /* 0 or 1: the groups have been rolled up */
	uint64_t device_ns;   /* from the request's arrival to the answer */
} WaAnswerMessage;

#endif /* WA_CORE_RESIDENT_MESSAGES_H */
