/*
 * device.h
 *		A kind of device, as a table of functions.
 *
 * There is one table per kind.  No function of it is called with a lock held,
 * as each may wait for the device.  Those that return a WaStatus write a text
 * to error (error_bytes long) when it is not WA_OK.
 */
#ifndef WA_DAEMON_DEVICE_H
#define WA_DAEMON_DEVICE_H

#include "core/protocol.h"
#include "cuda/warpagg_cuda.h"

/* Most lanes, and threads, of one device. */
#define WA_MAX_LANES 4

typedef struct WaDeviceDriver
{
	WaDeviceKind kind;

	/*
	 * Opens one and describes it in *info, but for kind and ordinal.  It is worth a
	 * lane for each of its multiprocessors, up to WA_MAX_LANES.
	 */
	WaStatus (*open)(int ordinal, WaDeviceInfo *info, char *error,
					 size_t error_bytes);

	/*
	 * Makes a lane, with which one thread at a time can reduce batches of up
	 * to max_bytes of values and bitmap.  NULL: threads need none.
	 */
	WaStatus (*lane_open)(int ordinal, size_t max_bytes, WaCudaLane **lane,
						  char *error, size_t error_bytes);
	void (*lane_close)(WaCudaLane *lane);

	/* Reduces a batch into *partial, which is the partial of no rows. */
	WaStatus (*reduce)(WaCudaLane *lane, WaOpSet ops, const WaBatch *batch,
					   WaPartial *partial, char *error, size_t error_bytes);
} WaDeviceDriver;

/* The processors of this machine. */
extern const WaDeviceDriver wa_device_cpu;

#ifdef WA_WITH_CUDA
/* The GPUs that CUDA knows. */
extern const WaDeviceDriver wa_device_cuda;
#endif

#endif /* WA_DAEMON_DEVICE_H */
