/*
 * gpu_part.h
 *		One GPU's part in a run.
 */
#ifndef WA_DAEMON_GPU_PART_H
#define WA_DAEMON_GPU_PART_H

#include <pthread.h>

#include "daemon/gpu/gpu_query.h"
#include "daemon/gpu/gpu_rows.h"
#include "daemon/gpu/gpu_spans.h"
#include "query/run/run.h"

/* Belongs to the thread that computes it, while it does. */
typedef struct WaGpuPart
{
	pthread_t thread;
	bool has_thread;
	const WaRunRequest *request;
	const WaNumberedQuery *numbered;
	const WaQuery *query; /* that, without texts */
	const WaCudaQuery *translated;
	WaCudaQueries *queries;
	WaMirrorUse use; /* all of whose extents it computes */
	const WaGpuSpans *spans;
	WaDeviceShare *shares; /* of the request's extents */
	void *state;           /* of the runner */
	WaQueryRun *groups;    /* which are there */
	WaGpuRows *rows;       /* that become tables */
	uint64_t kept_rows;    /* that fulfil WHERE */
	WaStatus status;
	char error[WA_MAX_ERROR_BYTES];
} WaGpuPart;

/*
 * Computes a part: adds the groups, or the rows, and tells what was left out.  Sets the
 * status; if it is not WA_OK, all of these are of no use.
 */
void wa_gpu_part_run(WaGpuPart *part);

#endif /* WA_DAEMON_GPU_PART_H */
