/*
 * store_state.h
 *		The resident columns: relations, their extents, and those's columns.
 *
 * The columns and the layout of an extent are constant and counted references
 * (column.h): queries use them without a lock while loads replace them.  WaStore
 * .lock guards the map, which is every field below that is not said to be
 * constant.  It is held for looking up and linking only: columns are copied and
 * freed outside, and no parcel is touched under it.  A dictionary's lock may be
 * held when it is taken, never the other way round.  lists_lock guards lists; it may be
 * taken while .lock is held, and nothing is while it is.
 *
 * What a load or a query works with is pinned: a pinned relation stays, and so
 * do its pinned columns' records, and with them the dictionaries.
 */
#ifndef WA_DAEMON_STORE_STATE_H
#define WA_DAEMON_STORE_STATE_H

#include "daemon/column/column.h"
#include "daemon/store/store_known.h"

#define WA_STORE_BUCKETS 1024

/* Covers of a relation that are kept, each of other columns. */
#define WA_STORE_COVERS 8

/* Lists of extents of several relations that are kept: cover_list.h. */
#define WA_STORE_LISTS 8

/*
 * Blocks of an extent that have been read again since it was loaded may lie in another,
 * its overlay, so that not all of it has to be made anew for each of them:
 * store_patch.c.  In the map this has the extent's number and this bit, which none of a
 * table's extents has.
 */
#define WA_OVERLAY (UINT32_C(1) << 23)

/* Returns the number that an extent of the map has in its relation. */
static inline uint32_t
wa_extent_number(uint32_t number)
{
	return number & ~WA_OVERLAY;
}

/*
 * What columns of a family's relations share if they have the same number in the family,
 * type and type modifier: store_family.h.  Any other column has one by itself.
 */
typedef struct WaSharedColumn
{
	struct WaSharedColumn *next; /* of the family */
	WaColumnName name;           /* with the number in the family */
	uint32_t users;              /* records */
	WaDictionary *dictionary;    /* TEXT, once there was need for it */
} WaSharedColumn;

/* What a relation has of a column in all its extents. */
typedef struct WaColumnRecord
{
	bool exists; /* else this place is free */
	WaColumnName name;
	int16_t family_attribute; /* 0: it has none */
	WaSharedColumn *shared;
	uint32_t extents;  /* that have the column, overlays too */
	uint32_t overlays; /* of these */
	uint32_t pins;
	bool asked;        /* somebody has asked for it to be loaded */
	int64_t needed_ns; /* clock.h: when a query used it, or a LOAD brought it */
	uint64_t queries;
	uint64_t blocks_used;
	uint64_t blocks_asked;
	int64_t last_use_us;
	WaResidency all; /* what all extents have of the column: store_sums.h */
} WaColumnRecord;

/* columns[i] is of the relation's record i, or NULL. */
typedef struct WaExtent
{
	struct WaStoredRelation *relation; /* constant, like number */
	uint32_t number;                   /* of an overlay with WA_OVERLAY */
	uint32_t device;
	uint64_t edition; /* that its blocks are of: WaStore.editions */
	uint64_t cached[WA_EXTENT_WORDS];
	uint32_t cached_blocks;          /* bits in `cached` */
	uint32_t cached_rows;            /* of those blocks */
	uint64_t fresh[WA_EXTENT_WORDS]; /* of `cached`: see store_follow.h */
	WaLayout *layout;
	uint32_t room; /* of columns */
	WaColumn **columns;
	struct WaExtent *newer; /* by last use */
	struct WaExtent *older;
} WaExtent;

/* A part of a relation: an extent and its overlay, of which one may be missing. */
typedef struct WaExtentPart
{
	uint32_t number; /* of the extent */
	uint64_t stamp;  /* of the relation, when it changed last */
	WaExtent *extent;
	WaExtent *overlay;
} WaExtentPart;

/*
 * A part of covers (cover_part.h), and all of it that who makes another cover has to
 * know: parts lie anywhere in memory, these side by side.
 */
typedef struct WaCoverPlace
{
	struct WaCoverPart *part; /* NULL: there is none */
	uint64_t id;              /* of the part: no other one has it */
	uint64_t stamp; /* of the relation, at the latest when the part was begun */
	WaDeciders deciders; /* of the extents that were looked at */
	uint32_t number;     /* as that of a WaExtentPart */
	uint32_t end_block;  /* none from this on was looked at */
	uint32_t rows;       /* that are usable */
	uint16_t blocks;
	uint8_t count; /* of extents, the overlay behind the other */
	bool has_left; /* fresh blocks, as they are not settled */
} WaCoverPlace;

/* A cover that is kept, and its parts: see cover_kept.h. */
typedef struct WaKeptCover
{
	uint32_t ncolumns;
	WaColumnName *names;   /* NULL: the place is free */
	struct WaCover *cover; /* the last one made, or NULL */
	WaCoverPlace *parts;   /* of each part of the relation, one or none */
	struct WaPlacementCache *placements; /* of all covers of the columns */
	uint32_t nblocks; /* of the relation, for whom the cover was */
	int64_t used_ns;
} WaKeptCover;

/* Relations of a family; it goes with the last of them. */
typedef struct WaStoredFamily
{
	WaFamily name; /* constant */
	struct WaStoredFamily *next;
	struct WaStoredRelation *latest; /* that has joined; earlier ones follow */
	uint64_t joined;                 /* relations, so far */
	uint32_t starts;                 /* for the next relation: its start */
	WaSharedColumn *columns;
} WaStoredFamily;

typedef struct WaStoredRelation
{
	WaRelation name; /* constant */
	struct WaStoredRelation *next;
	bool is_forgotten;      /* no name leads to it: it goes with the last pin */
	WaStoredFamily *family; /* constant; NULL: it is by itself */
	struct WaStoredRelation *later; /* in the family */
	struct WaStoredRelation *earlier;
	uint64_t order;  /* constant: of the family's relations, ascends */
	uint32_t start;  /* constant: of the devices, for its first extent */
	uint32_t pins;   /* of who is at work */
	bool is_pinned;  /* nothing of it is evicted */
	int64_t used_ns; /* by a query, if the order by use does not show it yet */
	uint32_t nrecords;
	uint32_t records_room;
	WaColumnRecord *records;
	uint32_t nextents; /* overlays too */
	uint64_t
		stamp; /* raised as extents change, or what they have, or is fresh */
	uint64_t lost; /* the stamp when an extent lost something last */
	uint64_t
		content; /* store_stamp.h: the number of what all blocks have, or 0, */
	uint64_t content_stamp;      /* as of this stamp, */
	uint32_t content_blocks;     /* if it has so many, */
	WaDeciders content_deciders; /* and these transactions have ended */
	uint32_t nparts;
	uint32_t parts_room;
	WaExtentPart *parts; /* by number */
	uint64_t moves;      /* of places in it, so far, but for such at its end */
	WaKeptCover kept[WA_STORE_COVERS]; /* which have room for all parts */
} WaStoredRelation;

/* Columns that are about to take the places of others of an extent. */
typedef struct WaNews
{
	const WaRelation *relation;
	uint32_t number;
	unsigned device; /* that has the extent */
	bool is_asked;   /* somebody has asked for columns of it */
	const WaLayout *old_layout;
	WaLayout *layout;
	uint32_t ncolumns; /* of which some may be NULL */
	WaColumn *const *old_columns;
	WaColumn *const *columns;
} WaNews;

/* Copies of columns on GPUs: mirror.h. */
typedef struct WaMirror WaMirror;

/* What the mirror is told to do. */
typedef struct WaCopier
{
	/* Has the GPU of an extent copy what has been loaded. */
	void (*loaded)(WaMirror *mirror, const WaRelation *relation,
				   uint32_t number, unsigned device);

	/*
	 * Has those of the columns copied whose predecessors have copies, and waits for
	 * that, but not for longer than wait_ns.  Nobody else knows of them yet; the caller
	 * has references to all.
	 */
	void (*ahead)(WaMirror *mirror, const WaNews *news, int64_t wait_ns);
} WaCopier;

typedef struct WaStore
{
	pthread_mutex_t lock;
	WaMemory memory;             /* its own rules: memory.h */
	WaMirror *mirror;            /* constant: copies on GPUs, or NULL */
	const WaCopier *copier;      /* constant: the mirror's, if there is one */
	struct WaGpus *gpus;         /* constant: compute queries, or NULL */
	struct WaKeptTables *tables; /* constant: for queries, or NULL */
	struct WaWatch *watch;       /* constant: of copies, or NULL */
	unsigned ndevices;           /* that extents are spread over */
	uint32_t devices[WA_MAX_DEVICES]; /* their ordinals */
	uint32_t autoload_permille;       /* of the memory: store_evict.h */
	int64_t keep_ns;                  /* likewise: the rule of eviction */
	int64_t copies_ns; /* constant: patches wait so long for copies on GPUs */
	WaStoredRelation *buckets[WA_STORE_BUCKETS];
	WaStoredFamily *families;
	uint32_t starts;  /* of relations and families: for the next one */
	WaExtent *newest; /* by last use: wa_map_order_by_use */
	WaExtent *oldest;
	uint64_t editions; /* that extents have had blocks of, so far */
	uint64_t ids;      /* that covers and parts of them have had, so far */
	uint64_t contents; /* the number that some content was given last */
	uint32_t takers;   /* atomic: queries that are taking covers */
	pthread_mutex_t lists_lock;
	struct WaCoverList *lists[WA_STORE_LISTS]; /* the last one first, or NULL */
	WaKnown known; /* of WAL; last, as most of it need not be cleared */
} WaStore;

/* Columns of a relation that are pinned; place[i] is that of record i. */
typedef struct WaPins
{
	WaStoredRelation *relation;
	uint32_t ncolumns;
	uint32_t place[WA_MAX_QUERY_COLUMNS];
} WaPins;

/* References to be given up without the lock; bytes of them that will go. */
typedef struct WaGarbage
{
	WaColumn *columns;
	WaDictionary *dictionaries;
	struct WaCover *covers;
	struct WaCoverPart *parts;
	uint64_t bytes;
} WaGarbage;

#endif /* WA_DAEMON_STORE_STATE_H */
