/*
 * changes.h
 *		What records of WAL change of the rows of relations.
 */
#ifndef WA_WAL_CHANGES_H
#define WA_WAL_CHANGES_H

#include "access/xlogreader.h"

#include "core/resident_messages.h"

/* Slots of the table that finds a block's change; a power of two. */
#define WA_CHANGE_SLOTS 2048

/* Changes that are collected for a FOLLOW. */
typedef struct WaChanges
{
	WaFollowMessage *follow;
	bool is_full;                    /* a record's were not taken */
	uint16_t slots[WA_CHANGE_SLOTS]; /* 1 + the number of a change; 0: none */
} WaChanges;

/* Begins to collect changes in a message, which has none then. */
extern void wa_changes_begin(WaChanges *changes, WaFollowMessage *follow);

/*
 * Adds what the record that was read last changes; of changes of a block only the last
 * is kept.  Returns false, and adds none, if there may be no room for all of them.  An
 * empty message has room for those of any record.
 */
extern bool wa_changes_add(WaChanges *changes, XLogReaderState *record);

#endif /* WA_WAL_CHANGES_H */
