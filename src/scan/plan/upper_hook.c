/*
 * upper_hook.c
 *		The planner's hook for groupings and what is above them; see upper_hook.h.
 *
 * Who installs a hook calls the one that was there, mostly first, so that whoever is
 * loaded last has the last word.  TimescaleDB is loaded when a session's first statement
 * has been parsed, and its hook drops the paths that it finds for a grouping.
 */
#include "postgres.h"

#include "scan/plan/upper_hook.h"

static create_upper_paths_hook_type own_hook = NULL;
static create_upper_paths_hook_type previous_hook = NULL;
static create_upper_paths_hook_type later_hook = NULL; /* calls pass() */

/* Calls the hook behind those that were installed later. */
static void
call_last(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input_rel,
		  RelOptInfo *output_rel, void *extra)
{
	later_hook(root, stage, input_rel, output_rel, extra);
	own_hook(root, stage, input_rel, output_rel, extra);
}

/* Calls the hook that was there, and then this one unless it is called later. */
static void
pass(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input_rel,
	 RelOptInfo *output_rel, void *extra)
{
	if (previous_hook != NULL)
		previous_hook(root, stage, input_rel, output_rel, extra);
	if (later_hook == NULL)
		own_hook(root, stage, input_rel, output_rel, extra);
}

void
wa_upper_hook_be_last(void)
{
	if (later_hook != NULL || create_upper_paths_hook == pass)
		return;
	later_hook = create_upper_paths_hook;
	create_upper_paths_hook = call_last;
}

void
wa_upper_hook_init(create_upper_paths_hook_type hook)
{
	own_hook = hook;
	previous_hook = create_upper_paths_hook;
	create_upper_paths_hook = pass;
}
