/*
 * shared_instrument.c
 *		Brings together what the processes of another node count; see
 *		shared_instrument.h.
 *
 * Each worker writes what it counted into shared memory as its executor ends; nobody reads
 * it before the worker has ended.  The leader adds them up before it launches workers
 * again, and as the memory goes.  That is later than ShutdownCustomScan, which the
 * executor calls for a node before it waits for the workers of a Gather above it.
 *
 * The part is a node that the executor has not made, below ours in custom_ps.  The
 * executor gives shared memory to nodes that are parallel-aware only, and a plan that is
 * so is shown as "Parallel Custom Scan", and shares its rows among workers, which ours
 * does not.  No one runs the part: what looks at custom_ps is planstate_tree_walker, which
 * gives it to
 * - execParallel.c, whose functions want a tag, a plan with a number and parallel_aware,
 *   methods, and an instrument, as each worker reports those of all nodes by their plans'
 *   numbers.  The part has the number of our node, so both find the first slot with it,
 *   ours, and what the part adds to it is 0; its own slot stays 0.
 * - ExecShutdownNode, which passes over an instrument that is not running and a method
 *   that is not there;
 * - ExplainPreScanNode, which takes custom_relids of a plan, of which there are none.
 * ExecEndNode, ExecReScan and ExecSetTupleBound leave custom_ps to its node, which leaves
 * it alone; the plan's own tree does not have the part, so it is not sent to workers, which
 * make theirs with their nodes.  EXPLAIN comes to custom_ps after the node's own lines, by
 * which wa_shared_instrument_collect has emptied it.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "executor/instrument.h"
#include "storage/dsm.h"

#include "compat.h"
#include "scan/state/instrument.h"
#include "scan/state/shared_instrument.h"

struct WaSharedInstrument
{
	CustomScanState css;
	WaInstrument *shared; /* of a leader, while it has workers: theirs, */
	int nworkers;         /* so many */
	WaInstrument *mine;   /* of a worker, in shared memory */
	WaInstrument past;    /* of workers that have ended */
};

/* Takes over what workers, which have ended, have left. */
static void
take_counts(WaSharedInstrument *part)
{
	WaInstrument sum = {0};

	if (part->shared == NULL)
		return;
	for (int i = 0; i < part->nworkers; i++)
		wa_instrument_add(&sum, &part->shared[i], true);
	wa_instrument_add(&part->past, &sum, false);
	memset(part->shared, 0, (Size) part->nworkers * sizeof(WaInstrument));
}

/* The leader lets go of the shared memory. */
static void
detach(dsm_segment *segment, Datum part)
{
	WaSharedInstrument *left = (WaSharedInstrument *) DatumGetPointer(part);

	take_counts(left);
	left->shared = NULL;
}

static Size
estimate_dsm(CustomScanState *node, ParallelContext *context)
{
	return (Size) context->nworkers * sizeof(WaInstrument);
}

static void
initialize_dsm(CustomScanState *node, ParallelContext *context, void *memory)
{
	WaSharedInstrument *part = (WaSharedInstrument *) node;

	memset(memory, 0, estimate_dsm(node, context));
	/* There may be none: then there are no workers either. */
	if (context->seg == NULL)
		return;
	part->shared = memory;
	part->nworkers = context->nworkers;
	on_dsm_detach(context->seg, detach, PointerGetDatum(part));
}

static void
reinitialize_dsm(CustomScanState *node, ParallelContext *context, void *memory)
{
	take_counts((WaSharedInstrument *) node);
}

static void
initialize_worker(CustomScanState *node, shm_toc *toc, void *memory)
{
	((WaSharedInstrument *) node)->mine =
		(WaInstrument *) memory + ParallelWorkerNumber;
}

void
wa_shared_instrument_make(WaScanState *state)
{
	static const CustomExecMethods methods = {
		.CustomName = "WarpAgg Instrument",
		.EstimateDSMCustomScan = estimate_dsm,
		.InitializeDSMCustomScan = initialize_dsm,
		.ReInitializeDSMCustomScan = reinitialize_dsm,
		.InitializeWorkerCustomScan = initialize_worker,
	};
	PlanState *ps = &state->css.ss.ps;
	CustomScan *plan;
	WaSharedInstrument *part;

	if (ps->state->es_instrument == 0 || !ps->plan->parallel_safe)
		return;
	plan = makeNode(CustomScan);
	/* What is shared has the number of the node; the node itself shares nothing. */
	plan->scan.plan.plan_node_id = ps->plan->plan_node_id;
	plan->scan.plan.parallel_aware = true;
	part = palloc0(sizeof(WaSharedInstrument));
	NodeSetTag(part, T_CustomScanState);
	part->css.methods = &methods;
	part->css.ss.ps.plan = &plan->scan.plan;
	part->css.ss.ps.state = ps->state;
	/* Workers send those of all nodes; this one's, which are 0, add to ours. */
	part->css.ss.ps.instrument =
		instr_alloc_node_compat(ps->state->es_instrument);
	state->shared_instrument = part;
	state->css.custom_ps = lappend(state->css.custom_ps, part);
}

void
wa_shared_instrument_leave(const WaScanState *state)
{
	if (state->shared_instrument != NULL &&
		state->shared_instrument->mine != NULL)
		*state->shared_instrument->mine = wa_instrument_of(state);
}

void
wa_shared_instrument_collect(WaScanState *state, WaInstrument *instrument)
{
	WaSharedInstrument *part = state->shared_instrument;

	if (part == NULL)
		return;
	state->css.custom_ps = list_delete_ptr(state->css.custom_ps, part);
	take_counts(part);
	wa_instrument_add(instrument, &part->past, true);
}
