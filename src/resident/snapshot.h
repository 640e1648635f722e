/*
 * snapshot.h
 *		What a snapshot tells of transactions, for warpaggd.
 */
#ifndef WA_RESIDENT_SNAPSHOT_H
#define WA_RESIDENT_SNAPSHOT_H

#include "utils/snapshot.h"

#include "core/resident_messages.h"

/*
 * Describes an MVCC snapshot.  Of one that does not list all transactions that were in
 * progress (a transaction had many subtransactions, or the server was in recovery), or
 * lists more than a message has room for, none counts as ended that is not older than
 * all of them.
 */
extern void wa_snapshot_describe(Snapshot snapshot, WaSnapshot *described);

#endif /* WA_RESIDENT_SNAPSHOT_H */
