/*
 * extent_decide.c
 *		Which tuples of a page are rows; see extent_reader.h.
 *
 * A row is a tuple that all see for whom the transactions that decide about the page
 * have ended (core/resident.h).  These are found as VACUUM finds them, but without its
 * horizon: what it might remove or not is no row here, and its deleter decides.  Where
 * the inserter has failed nobody sees the tuple, nor ever will.
 *
 * While a page is locked for reading, no tuple comes or goes, and who has inserted or
 * deleted one stays.  Whether these are in progress may change from one tuple to the
 * next: a page is in flux if one of them was when it was looked at.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/xlog.h"
#include "utils/rel.h"

#include "compat.h"
#include "resident/extent_reader.h"
#include "resident/full_xid.h"
#include "resident/relation.h"

/* What is known of an inserter, and that there is no deleter. */
#define KNOWN_LIVE (HEAP_XMIN_COMMITTED | HEAP_XMAX_INVALID)

/* The transactions that decide, by how far they are from the next one. */
typedef struct Deciders
{
	TransactionId next;
	int32 settled;
	int32 first; /* the oldest that is not before settled; or PG_INT32_MAX */
	int32 last;  /* the newest; or PG_INT32_MIN */
	TransactionId noted;
} Deciders;

/* Notes a transaction that decides; most tuples of a page have the same one. */
static inline void
note(Deciders *deciders, TransactionId xid)
{
	int32 distance;

	if (xid == deciders->noted || !TransactionIdIsNormal(xid))
		return;
	deciders->noted = xid;
	distance = (int32) (xid - deciders->next);
	deciders->last = Max(deciders->last, distance);
	if (distance >= deciders->settled)
		deciders->first = Min(deciders->first, distance);
}

/* Notes the inserter of a row, unless all know that it has committed. */
static inline void
note_inserter(Deciders *deciders, HeapTupleHeader tuple)
{
	if (!HeapTupleHeaderXminFrozen(tuple))
		note(deciders, HeapTupleHeaderGetRawXmin(tuple));
}

/*
 * Decides about a tuple that is not known to be a row at the first look; stores whether
 * it is one.  Returns false if it is in flux.
 */
static bool
decide(Relation relation, Buffer buffer, const WaRow *row, Deciders *deciders,
	   bool *is_row)
{
	HeapTupleData tuple;
	TransactionId deleter = InvalidTransactionId;

	tuple.t_tableOid = RelationGetRelid(relation);
	tuple.t_data = row->tuple;
	tuple.t_len = row->length;
	ItemPointerSet(&tuple.t_self, row->block, row->offset);
	*is_row = false;
	switch (HeapTupleSatisfiesVacuumHorizon(&tuple, buffer, &deleter))
	{
		case HEAPTUPLE_INSERT_IN_PROGRESS:
			if (wa_resident_has_rule(WA_RULE_FLUX))
				return false;
			pg_fallthrough;
		case HEAPTUPLE_LIVE:
			note_inserter(deciders, tuple.t_data);
			*is_row = true;
			return true;
		case HEAPTUPLE_RECENTLY_DEAD:
			note(deciders, deleter);
			return true;
		case HEAPTUPLE_DEAD:
			return true;
		case HEAPTUPLE_DELETE_IN_PROGRESS:
			break;
	}
	return false;
}

/* Stores which transactions have decided about a block. */
static void
store_deciders(WaExtentReader *reader, uint32 place, const Deciders *deciders)
{
	if (deciders->last != PG_INT32_MIN)
		reader->last_xid[place] = reader->next_xid + (int64) deciders->last;
	if (deciders->first != PG_INT32_MAX)
		reader->first_xid[place] = reader->next_xid + (int64) deciders->first;
}

/*
 * Goes through the tuples of a page and leaves those that are rows.  Returns how many, or
 * -1 if the page is in flux.
 */
static int
keep_rows(WaExtentReader *reader, Buffer buffer, Deciders *deciders,
		  WaRow *rows, int ntuples)
{
	int nrows = 0;

	for (int i = 0; i < ntuples; i++)
	{
		bool is_row = true;

		if (likely((rows[i].tuple->t_infomask & KNOWN_LIVE) == KNOWN_LIVE))
			note_inserter(deciders, rows[i].tuple);
		else if (!decide(reader->relation, buffer, &rows[i], deciders, &is_row))
			return -1;
		if (is_row && nrows != i)
			rows[nrows] = rows[i];
		nrows += is_row ? 1 : 0;
	}
	return nrows;
}

int
wa_extent_decide(WaExtentReader *reader, Buffer buffer, uint32 place,
				 WaRow *rows)
{
	const BlockNumber block = wa_extent_first_block(reader->number) + place;
	const Page page = BufferGetPage(buffer);
	const int ntuples = wa_heap_take_all(page, block, rows);
	Deciders deciders = {
		.next = (TransactionId) reader->next_xid,
		.settled = (int32) ((int64) reader->settled - (int64) reader->next_xid),
		.first = PG_INT32_MAX,
		.last = PG_INT32_MIN,
		.noted = InvalidTransactionId,
	};
	int nrows;

	reader->first_xid[place] = 0;
	reader->last_xid[place] = 0;
	/* A standby may have the flag before it may rely on it. */
	if (PageIsAllVisible(page) && !reader->is_recovering)
		return ntuples;
	nrows = keep_rows(reader, buffer, &deciders, rows, ntuples);
	if (nrows >= 0)
		store_deciders(reader, place, &deciders);
	return nrows;
}
