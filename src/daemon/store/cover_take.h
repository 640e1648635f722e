/*
 * cover_take.h
 *		The cover that a query uses: one that is kept, or one made of parts.
 */
#ifndef WA_DAEMON_COVER_TAKE_H
#define WA_DAEMON_COVER_TAKE_H

#include "daemon/store/cover.h"

/*
 * Returns a reference to the cover of a use that has begun, of columns of these
 * names: one that is kept, or one that is made.  Returns NULL if there is no memory.
 */
WaCover *wa_cover_take(WaStore *store, WaUse *use, const WaColumnName *names);

#endif /* WA_DAEMON_COVER_TAKE_H */
