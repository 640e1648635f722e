/*
 * warpagg.c
 *		Entry point of the library.
 */
#include "postgres.h"

#include "fmgr.h"

#include "client/following.h"
#include "client/supervisor.h"
#include "scan/plan/counted_plan.h"
#include "scan/plan/path.h"
#include "scan/plan/quick_joins.h"
#include "scan/plan/why.h"
#include "settings.h"
#include "wal/wal.h"

PG_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);

/* Called by PostgreSQL when the library is loaded into a process. */
void
_PG_init(void)
{
	wa_settings_init();
	wa_supervisor_init();
	wa_following_init(wa_wal_next);
	wa_scan_init();
	wa_why_init();
	wa_counted_init();
	wa_quick_joins_init();
}
