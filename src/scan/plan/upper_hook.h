/*
 * upper_hook.h
 *		The planner's hook for groupings and what is above them, called after those of
 *		other libraries.
 */
#ifndef WA_SCAN_UPPER_HOOK_H
#define WA_SCAN_UPPER_HOOK_H

#include "optimizer/planner.h"

/* Installs the hook: what it does when others have done their work. */
extern void wa_upper_hook_init(create_upper_paths_hook_type hook);

/*
 * Has the hook called after those of libraries that were loaded since, for what is planned
 * from now on.
 */
extern void wa_upper_hook_be_last(void);

#endif /* WA_SCAN_UPPER_HOOK_H */
