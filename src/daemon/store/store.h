/*
 * store.h
 *		The store of resident columns, and what it is asked for (store_state.h).
 */
#ifndef WA_DAEMON_STORE_H
#define WA_DAEMON_STORE_H

#include "core/must_check.h"
#include "daemon/store/store_state.h"

/* Prepares an empty store, which may use so many bytes. */
void wa_store_init(WaStore *store, uint64_t limit, unsigned ndevices);

/* Spreads the extents, those there are too, over devices with such ordinals. */
void wa_store_set_devices(WaStore *store, const uint32_t *devices,
						  unsigned ndevices);

/* Changes the limit, and evicts what is too much. */
void wa_store_set_limit(WaStore *store, uint64_t limit);

/*
 * Sets how much of the memory columns may take that nobody has asked for, and for how
 * long after its last use a column is not evicted for others: at first all, and 0.
 */
void wa_store_set_keeping(WaStore *store, uint32_t autoload_permille,
						  int64_t keep_ns);

/*
 * Copies the columns of a sound head out of its parcel and publishes them: next
 * to the columns that there are of the extent if these are of the same blocks,
 * else in their place.  If the relation was of another family before, or its columns had
 * other numbers there, all that there was of it is forgotten first.  The blocks of a patch
 * take the places of those that the extent has, in all columns that it has, if there is
 * still something of it (store_patch.c).  Evicts others to make room (store_evict.h).  Returns WA_OK; or a text
 * in error, and WA_OUT_OF_MEMORY or WA_BAD_REQUEST.
 */
WA_MUST_CHECK WaStatus wa_store_load(WaStore *store, const WaExtentHead *head,
									 const uint8_t *parcel, char *error,
									 size_t error_bytes);

/*
 * Tells what there is of each of some columns, and returns the number of blocks
 * that are cached with all of them.
 */
uint64_t wa_store_residency(WaStore *store, const WaRelation *relation,
							const WaColumnName *names, uint32_t ncolumns,
							WaResidency *residency);

/*
 * Does what TEXTS asks for: writes to a place that a backend may read and change
 * meanwhile.  Returns how many bytes.
 */
uint64_t wa_store_texts(WaStore *store, const WaTextsMessage *texts,
						uint8_t *place);

/*
 * Does what EXTENTS asks for: writes to a place that a backend may read and change
 * meanwhile.  Returns how many states, whose checksum is added to *bulk.
 */
uint32_t wa_store_extents(WaStore *store, const WaExtentsMessage *extents,
						  uint8_t *place, uint32_t *bulk);

/* Does what CONFIRM asks for; nothing if the edition is another one. */
void wa_store_confirm(WaStore *store, const WaConfirmMessage *confirm);

/* Forgets the columns of an attribute or, if it is 0, the relation. */
void wa_store_unload(WaStore *store, const WaRelation *relation,
					 int32_t attribute);

/*
 * Describes the columns of one database or, if it is 0, of all in an array of
 * so much room.  Returns how many there are, described or not.
 */
uint32_t wa_store_list(WaStore *store, uint32_t database,
					   WaResidentColumn *list, uint32_t room);

#endif /* WA_DAEMON_STORE_H */
