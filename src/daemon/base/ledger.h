/*
 * ledger.h
 *		How much memory the process takes, by what it is for, and its limits.
 *
 * Whoever takes memory that grows with what is asked of us counts it here first.  Each
 * kind has a limit, and so have all together; of resident columns it is what the
 * setting says, and of the others:
 *
 *	queries	a quarter of that, but no less than WA_LEAST_QUERY_BYTES
 *	staging	what the pool has, which is made once
 *	all		the sum of these; parcels share it with the others
 *
 * Bytes are changed and read atomically; they may be above a limit that was lowered.
 * The counters show them.
 */
#ifndef WA_DAEMON_LEDGER_H
#define WA_DAEMON_LEDGER_H

#include <stdbool.h>

#include "core/counters.h"

/* What queries may always take together. */
#define WA_LEAST_QUERY_BYTES ((uint64_t) 64 << 20)

typedef struct WaLedger
{
	uint64_t used[WA_MEMORY_KINDS];
	uint64_t limit[WA_MEMORY_KINDS];
	uint64_t staging_bytes; /* constant, as shown is */
	WaMemoryUse *shown;     /* of each kind, in the counters; or NULL */
} WaLedger;

/* What became of taking memory. */
typedef enum WaTaken
{
	WA_TAKEN,
	WA_TAKEN_TOO_MUCH, /* of its kind */
	WA_TAKEN_ALL       /* of all together */
} WaTaken;

/*
 * Makes a ledger in which nothing is taken, for a staging pool of so many bytes and a
 * limit of resident columns.
 */
void wa_ledger_init(WaLedger *ledger, WaMemoryUse *shown,
					uint64_t staging_bytes, uint64_t resident_limit);

/* Sets all limits by that of resident columns. */
void wa_ledger_set_limit(WaLedger *ledger, uint64_t resident_limit);

/* Counts bytes of a kind, other than WA_MEMORY_ALL, unless there is no room. */
WaTaken wa_ledger_take(WaLedger *ledger, WaMemoryKind kind, uint64_t bytes);

/* Counts bytes of a kind that are taken already, whatever the limits. */
void wa_ledger_note(WaLedger *ledger, WaMemoryKind kind, uint64_t bytes);

/* Counts them as given back. */
void wa_ledger_give(WaLedger *ledger, WaMemoryKind kind, uint64_t bytes);

#endif /* WA_DAEMON_LEDGER_H */
