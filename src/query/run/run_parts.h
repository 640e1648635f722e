/*
 * run_parts.h
 *		Merging the groups of several runs of a query part by part, so that
 *		threads can merge different parts at the same time.
 *
 * A part has the groups with some hashes of their keys, so no group is in two
 * parts.  The life of a merge: on one thread, wa_run_parts_choose; for each run,
 * wa_run_parts_sort; then, for each part, wa_run_parts_merge into a run of its
 * own, whose message is written; in the end the messages are joined.  Runs can
 * be sorted at the same time, and parts merged.
 */
#ifndef WA_QUERY_RUN_PARTS_H
#define WA_QUERY_RUN_PARTS_H

#include "core/must_check.h"
#include "query/run/run.h"

/*
 * Returns in how many parts the groups of runs of a query are best merged; 0:
 * they are too few, or there is only one run.
 */
extern uint32_t wa_run_parts_choose(WaQueryRun *const *runs, unsigned nruns);

/*
 * Sorts the groups of a run by so many parts, as wa_run_parts_choose returns.
 * Returns false if there is not enough memory.
 */
extern WA_MUST_CHECK bool wa_run_parts_sort(WaQueryRun *run, uint32_t nparts);

/*
 * Merges a part of sorted runs, which stay as they are, into one without rows,
 * which takes no others and does not live longer.  Its rows are not counted.  Does not
 * return WA_RUN_TRAPPED.
 */
extern WA_MUST_CHECK WaRunOutcome wa_run_parts_merge(WaQueryRun *into,
													 WaQueryRun *const *runs,
													 unsigned nruns,
													 uint32_t part);

/*
 * Returns the words of the joined messages of all parts, and writes these to a
 * place, which is not read; any: one of the runs.
 */
extern size_t wa_run_parts_words(const WaQueryRun *any,
								 const WaWriter *messages, uint32_t nparts);
extern void wa_run_parts_join(const WaQueryRun *any, const WaWriter *messages,
							  uint32_t nparts, uint64_t *place);

#endif /* WA_QUERY_RUN_PARTS_H */
