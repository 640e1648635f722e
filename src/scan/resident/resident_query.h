/*
 * resident_query.h
 *		What a node computes as a query for the device process.
 */
#ifndef WA_SCAN_RESIDENT_QUERY_H
#define WA_SCAN_RESIDENT_QUERY_H

#include "client/residency.h"
#include "client/resident.h"
#include "core/must_check.h"
#include "scan/rows/merge.h"

/*
 * Rows that a query whose rows become tables brings along: words of a message of groups
 * (query/message/partial_groups.h), and of which blocks of its table they are, a bit for
 * each in words of whole extents.
 */
typedef struct WaRestRows
{
	uint64_t *words;
	size_t nwords;
	uint64_t *blocks;
	uint32 nblocks; /* that are set */
} WaRestRows;

/* What the device process is asked: of the node, or for its distinct inputs. */
typedef struct WaAsking
{
	const WaScanQuery *query;
	WaScanSources *sources;
	WaTopN top_n;       /* of the groups; of limit 0: all are wanted */
	uint32 most_groups; /* that are of use; 0: any number */
	const WaQueryRolled *
		rolled; /* how groups are rolled up (query/message/query.h); NULL: not */

	/* If rows become tables in place of groups (query/message/query.h): */
	bool is_made;
	const WaTableDigest *made; /* what they are named */
	bool is_unique;            /* no two rows have the first key */
	const WaRestRows *rest;    /* NULL: none */

	/* Set by wa_resident_describe_run, as many as run.nsources: */
	WaRunMessage run;
	WaNamedSources over;
	WaScanSource **asked; /* sources that can be resident; of each */
	uint64
		*covered; /* how many blocks the device process has, if it was asked */

	/* Set by wa_resident_look, if there are tables: */
	WaSourceColumns named;      /* of one of these sources, whose texts are */
	WaResidentMessage resident; /* those of all */

	/* Set by wa_resident_write_query: */
	WaRanks ranks;
	uint32 ntables; /* of the query */
	const WaLookupTable *tables;

	/* Set when it is asked: there was no answer, as tables that are lent are not kept */
	bool lacks_lent;
} WaAsking;

/*
 * Returns why what is asked cannot have the form of a query at all, the end of a sentence,
 * or NULL.
 */
extern WA_MUST_CHECK const char *
wa_resident_push_refusal(const WaAsking *asking);

/* Tells whether a query takes tables along. */
extern bool wa_resident_has_tables(const WaScanQuery *query);

/*
 * Writes what is asked, or, before a stage that lacks something
 * (scan/program/interpreter.h), how many rows come there; -1: there is none.  Returns
 * false if that has no such form.
 */
extern WA_MUST_CHECK bool wa_resident_write_query(WaAsking *asking, int stage,
												  WaArena *arena,
												  WaWriter *writer);

#endif /* WA_SCAN_RESIDENT_QUERY_H */
