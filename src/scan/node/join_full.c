/*
 * join_full.c
 *		Which join takes too much memory; see join_full.h.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"

#include "scan/node/join_full.h"
#include "scan/tables/join_tables.h"

/*
 * Returns the name of the relation that a join is to, or of the first one that its plan reads;
 * NULL: it is to what a subplan returns.
 */
static const char *
name_of(const WaScanState *state, const WaJoin *join)
{
	List *columns;

	if (join->subplan != NULL)
		return NULL;
	columns = pull_var_clause((Node *) list_make2(join->of, join->columns),
							  PVC_RECURSE_AGGREGATES | PVC_RECURSE_WINDOWFUNCS |
								  PVC_RECURSE_PLACEHOLDERS);
	if (columns == NIL)
		return NULL;
	return exec_rt_fetch((Index) linitial_node(Var, columns)->varno,
						 state->css.ss.ps.state)
		->eref->aliasname;
}

char *
wa_join_full(const WaScanState *state)
{
	const WaJoin *full =
		state->joined == NULL ? NULL : state->query.interpreter->joined->full;
	const char *name;

	if (full == NULL)
		return NULL;
	name = name_of(state, full);
	return psprintf("%s take more than %zu kB",
					name == NULL
						? "rows of a subquery"
						: psprintf("rows of %s", quote_identifier(name)),
					wa_join_memory_limit() / 1024);
}
