/*
 * parallel_groups.c
 *		Groups on their way from a worker to the leader; see parallel_task.h.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/shm_mq.h"

#include "scan/context_arena.h"
#include "scan/merge.h"
#include "scan/parallel_task.h"

bool
wa_task_send_groups(WaScanState *state, struct shm_mq_handle *queue)
{
	const WaPartialShape *shape = wa_scan_shape(state);
	const uint32 ngroups = wa_scan_groups(state);
	uint32 next = 0;
	WaWriter writer;
	WaArena arena;

	wa_context_arena_init(&arena, CurrentMemoryContext);
	wa_writer_init(&writer, &arena);
	while (next < ngroups)
	{
		uint32 first = next;

		CHECK_FOR_INTERRUPTS();
		wa_partial_begin(&writer, shape);
		while (next < ngroups &&
			   writer.nwords * sizeof(uint64) < WA_TASK_MESSAGE_BYTES)
			wa_scan_write_group(state, shape, next++, &writer);
		wa_partial_end(&writer, next - first);
		if (shm_mq_send(queue, writer.nwords * sizeof(uint64), writer.words,
						false, next == ngroups) != SHM_MQ_SUCCESS)
			return false;
	}
	return true;
}
