/*
 * sweep.h
 *		Having warpaggd forget what no relation has any more, and removing files.
 */
#ifndef WA_RESIDENT_SWEEP_H
#define WA_RESIDENT_SWEEP_H

/*
 * Has columns forgotten whose storage belongs to no relation of this database, or
 * to a database that was dropped: tables are dropped, truncated and rewritten
 * without warpaggd being told.  Removes the files of such databases, too.  Raises an
 * error if the device process fails.  unused: it is an action of wa_loader_try.
 */
extern void wa_resident_sweep(void *unused);

#endif /* WA_RESIDENT_SWEEP_H */
