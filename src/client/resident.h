/*
 * resident.h
 *		What a backend tells and asks warpaggd of resident columns.
 *
 * Each function but wa_client_load sends one request over the open connection
 * and waits for the reply (wa_client_require, wa_client_wants).  Offsets are
 * those of the parcel (client/parcel.h).  If a function returns false, trouble.h
 * tells why; nothing is raised.  When the connection failed it has been closed.
 */
#ifndef WA_CLIENT_RESIDENT_H
#define WA_CLIENT_RESIDENT_H

#include "client/connection.h"
#include "core/must_check.h"

/*
 * Closes the connection, as what was received is damaged or cannot be right, and notes
 * that.  Returns false.
 */
extern bool wa_client_reject(bool is_damaged);

/* Raises an error for what was noted last. */
extern void wa_client_raise(void) __attribute__((noreturn));

/* wa_parcel_reserve, if a message can be sent. */
extern WA_MUST_CHECK char *wa_client_reserve(uint64 bytes);

/*
 * Has an extent in the parcel loaded.  Does not wait: the parcel stays as it is,
 * and nothing else is asked for, until wa_client_loaded has been called.
 */
extern WA_MUST_CHECK bool wa_client_load(uint64 extent);

/* Waits until the extent is loaded. */
extern WA_MUST_CHECK bool wa_client_loaded(void);

/*
 * Asks for texts of the dictionary of a column, from a code on (WaTextsMessage), as
 * many as there is room for: bytes of `texts`.
 */
extern WA_MUST_CHECK bool wa_client_texts(const WaRelation *relation,
										  const WaColumnName *column,
										  uint32 first, WaTextsHead *head,
										  char *texts, uint64 room);

/*
 * Asks, by one request, what there is of columns of some sources, at most
 * WA_MAX_RUN_SOURCES.  blocks: of each source how many complete ones it has.
 */
extern WA_MUST_CHECK bool wa_client_residency(const WaNamedSources *named,
											  WaResidentMessage *answer,
											  uint64 *blocks);

/*
 * Asks for the states of the extents from one on of a relation of nblocks; unless `all` are
 * wanted, of those that lack some of them or have some that are not fresh
 * (WaExtentsMessage).  states: room for `room`.  Stores how many there are.
 */
extern WA_MUST_CHECK bool
wa_client_extents(const WaRelation *relation, int ncolumns,
				  const WaColumnName *columns, uint32 first, uint32 nblocks,
				  bool all, uint32 room, WaExtentState *states, uint32 *count);

/* Says which blocks of an extent are as they were.  header is filled in here. */
extern WA_MUST_CHECK bool wa_client_confirm(const WaConfirmMessage *confirm);

/* Has a column forgotten, or all of the relation if attribute is 0. */
extern WA_MUST_CHECK bool wa_client_unload(const WaRelation *relation,
										   int attribute);

/* Has a relation pinned, or unpinned. */
extern bool wa_client_pin(const WaRelation *relation, bool pinned);

/*
 * Asks for the columns of a database, 0: of all.  Returns how many there are in *list,
 * in the current memory context, or -1.
 */
extern int64 wa_client_list(uint32 database, WaResidentColumn **list);

/* Whoever wants to know, before an answer is there, which blocks it will cover. */
typedef struct WaAnnounced
{
	/*
	 * Told the words of so many blocks, some but not all of the sources', which stay
	 * with the memory context of the call.  Nothing can be asked of warpaggd meanwhile
	 * (wa_client_is_engaged).  May raise errors.
	 */
	void (*tell)(void *context, uint64_t *cover, uint64 blocks);
	void *context;
} WaAnnounced;

/*
 * Has a query run, whose header is filled in here; so is what lies at run->sources in the
 * parcel, from `over`.  announced: told if run->announces.
 * Returns the groups, which stay, with the current memory context, until the next call or
 * wa_client_release_groups; or NULL.
 * *used: the words of the blocks of all sources that the answer covers, likewise; NULL:
 * all, or none.
 * They are the very words that were announced if it covers what was.
 * What the groups are is for the caller to check.
 */
extern const void *wa_client_run(const WaRunMessage *run,
								 const WaNamedSources *over,
								 const WaAnnounced *announced,
								 WaAnswerMessage *answer, uint64_t **used);
extern void wa_client_release_groups(void);

#endif /* WA_CLIENT_RESIDENT_H */
