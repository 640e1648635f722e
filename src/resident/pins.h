/*
 * pins.h
 *		The relations of this database that are pinned, and which of their columns.
 *
 * The device process keeps what is pinned for as long as it lives.  A file
 * (request_file.h) remembers it for the next one, also after the server has been started
 * anew: the columns are loaded in the background then, and pinned again.
 *
 * The functions are called in a transaction.
 */
#ifndef WA_RESIDENT_PINS_H
#define WA_RESIDENT_PINS_H

#include "utils/relcache.h"

/*
 * Pins what is resident of an open relation, and what will be.  Raises an error if that
 * cannot be done.
 */
extern void wa_pins_add(Relation relation);

/* Undoes it.  Raises an error if the device process fails. */
extern void wa_pins_remove(Relation relation);

/*
 * Forgets columns of a relation, and it if these were the last.  Without columns: one that
 * is gone, or of which nothing is resident any more.
 */
extern void wa_pins_forget(Oid relation, int ncolumns,
						   const AttrNumber *columns);

/*
 * To be called when columns of an open relation have been loaded, as far as there was
 * memory for them: if it is pinned they are, too, and if they are complete it is
 * remembered that they belong to it.  Warns if it cannot be pinned.
 */
extern void wa_pins_note_load(Relation relation, int ncolumns,
							  const AttrNumber *columns, bool are_complete);

/*
 * Has the columns loaded that were pinned in an earlier device process than the one that
 * this session is connected to, unless somebody has.
 */
extern void wa_pins_resume(void);

#endif /* WA_RESIDENT_PINS_H */
