/*
 * parallel_groups.c
 *		Groups on their way from a worker to the leader; see parallel_task.h.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/shm_mq.h"

#include "scan/base/context_arena.h"
#include "scan/parallel/parallel_task.h"
#include "scan/spill/group_message.h"
#include "scan/spill/group_store.h"

bool
wa_task_send_groups(WaScanStore *store, struct shm_mq_handle *queue)
{
	const WaPartialShape *shape = wa_scan_shape(store);
	const uint32 ngroups = wa_scan_groups(store);
	uint32 next = 0;
	WaWriter writer;
	WaArena arena;

	wa_context_arena_init(&arena, CurrentMemoryContext);
	wa_writer_init(&writer, &arena);
	while (next < ngroups)
	{
		CHECK_FOR_INTERRUPTS();
		wa_scan_write_groups(store, shape, NULL, &next, ngroups, &writer);
		if (shm_mq_send(queue, writer.nwords * sizeof(uint64), writer.words,
						false, next == ngroups) != SHM_MQ_SUCCESS)
			return false;
	}
	return true;
}
