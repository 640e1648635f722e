/*
 * full_xid.h
 *		Numbers of transactions in 64 bits, which do not wrap around.
 */
#ifndef WA_RESIDENT_FULL_XID_H
#define WA_RESIDENT_FULL_XID_H

#include "access/transam.h"

/* Returns the number of the next transaction, of a moment ago. */
static inline uint64
wa_next_full_xid(void)
{
	return U64FromFullTransactionId(ReadNextFullTransactionId());
}

/*
 * Returns the number of a normal transaction, of which 32 bits are known.  It is less
 * than 2^31 away from next, on either side, as all are that snapshots and rows name.
 */
static inline uint64
wa_full_xid(uint64 next, TransactionId xid)
{
	return next + (uint64) (int64) (int32) (xid - (TransactionId) next);
}

#endif /* WA_RESIDENT_FULL_XID_H */
