/*
 * views.c
 *		The functions behind the views warpagg_devices, warpagg_stats,
 *		warpagg_memory and warpagg_reductions.
 *
 * The numbers come from the device process and from the counters that it
 * shares; where there is no device process the views are empty, and asking
 * has it started.
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"

#include "client/client.h"
#include "rows.h"

PG_FUNCTION_INFO_V1(warpagg_devices);
PG_FUNCTION_INFO_V1(warpagg_stats);
PG_FUNCTION_INFO_V1(warpagg_stats_0_2);
PG_FUNCTION_INFO_V1(warpagg_memory);
PG_FUNCTION_INFO_V1(warpagg_reductions);

#define DEVICES_COLUMNS    9
#define FALLBACKS_FROM     12
#define STATS_COLUMNS      (FALLBACKS_FROM + WA_FALLBACK_COUNT)
#define MEMORY_COLUMNS     4
#define REDUCTIONS_COLUMNS 5

static const char *const device_kinds[WA_DEVICE_KINDS] = {
	[WA_DEVICE_CPU] = "cpu",
	[WA_DEVICE_GPU] = "gpu",
};

/* Puts one row of devices together. */
static void
put_device(ReturnSetInfo *result, const WaDeviceInfo *device,
		   WaDaemonState state)
{
	Datum values[DEVICES_COLUMNS] = {0};
	bool nulls[DEVICES_COLUMNS] = {0};
	bool is_gpu = device->kind == WA_DEVICE_GPU;

	values[0] = CStringGetTextDatum(device_kinds[is_gpu]);
	values[1] = Int32GetDatum((int32) device->ordinal);
	values[2] = PointerGetDatum(cstring_to_text_with_len(
		device->name, strnlen(device->name, sizeof(device->name))));
	nulls[3] = nulls[7] = !is_gpu;
	values[3] = PointerGetDatum(cstring_to_text(
		psprintf("%u.%u", device->compute_major, device->compute_minor)));
	values[4] = Int64GetDatum((int64) device->memory_bytes);
	values[5] = Int64GetDatum((int64) device->free_bytes);
	values[6] = Int32GetDatum((int32) device->multiprocessors);
	values[7] = PointerGetDatum(
		cstring_to_text(psprintf("%u.%u", device->driver_version / 1000,
								 device->driver_version % 1000 / 10)));
	values[8] =
		CStringGetTextDatum(state == WA_DAEMON_READY ? "ready" : "starting");
	wa_rows_put(result, values, nulls, DEVICES_COLUMNS);
}

/*
 * warpagg_devices() returns a row for each device that the device process
 * has: kind (gpu or cpu), ordinal, name, compute capability, bytes of memory,
 * bytes free at the start, multiprocessors (threads, for the CPU), version of
 * CUDA that the driver supports, state (ready or starting).
 */
Datum
warpagg_devices(PG_FUNCTION_ARGS)
{
	WaMessage reply;

	InitMaterializedSRF(fcinfo, 0);
	if (wa_client_devices(&reply))
		for (uint32 i = 0; i < reply.devices.devices; i++)
			put_device((ReturnSetInfo *) fcinfo->resultinfo,
					   &reply.devices.device[i],
					   (WaDaemonState) reply.devices.state);
	return (Datum) 0;
}

/* Returns a counter as SQL has it. */
static Datum
count(const int64_t *counter)
{
	return Int64GetDatum(wa_counter_get(counter));
}

/* Returns a counter of nanoseconds in milliseconds. */
static Datum
milliseconds(const int64_t *counter)
{
	return Float8GetDatum((float8) wa_counter_get(counter) / 1000000.0);
}

/*
 * warpagg_stats() returns one row with the cluster's counters since the
 * supervisor started, or none: starts, restarts and failures of the device
 * process, connections; requests, bytes reduced for them, milliseconds spent on
 * that; queries answered from resident columns, rows of them, milliseconds;
 * extents loaded or confirmed, bytes loaded; and the buffers and queries left to
 * backends instead, by reason.
 */
Datum
warpagg_stats(PG_FUNCTION_ARGS)
{
	const WaCounters *counters = wa_client_counters();
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Datum values[STATS_COLUMNS];
	bool nulls[STATS_COLUMNS] = {0};

	InitMaterializedSRF(fcinfo, 0);
	if (counters == NULL)
		return (Datum) 0;
	values[0] = count(&counters->starts);
	values[1] = Int64GetDatum(Max(wa_counter_get(&counters->starts) - 1, 0));
	values[2] = count(&counters->failures);
	values[3] = count(&counters->connections);
	values[4] = count(&counters->requests);
	values[5] = count(&counters->bytes);
	values[6] = milliseconds(&counters->device_ns);
	values[7] = count(&counters->queries);
	values[8] = count(&counters->query_rows);
	values[9] = milliseconds(&counters->query_ns);
	values[10] = count(&counters->loads);
	values[11] = count(&counters->loaded_bytes);
	for (int i = 0; i < WA_FALLBACK_COUNT; i++)
		values[FALLBACKS_FROM + i] = count(&counters->fallbacks[i]);
	wa_rows_put(result, values, nulls, STATS_COLUMNS);
	return (Datum) 0;
}

/* What the extension from 0.2.0 on calls. */
Datum
warpagg_stats_0_2(PG_FUNCTION_ARGS)
{
	return warpagg_stats(fcinfo);
}

/*
 * warpagg_memory() returns a row for each kind of memory of the device process, and
 * one for all together: bytes that are taken, the most since it was started, and the
 * limit.
 */
Datum
warpagg_memory(PG_FUNCTION_ARGS)
{
	static const char *const kinds[WA_MEMORY_KINDS] = {
#define X(name, text) [WA_MEMORY_##name] = text,
		WA_MEMORY_LIST(X)
#undef X
	};
	const WaCounters *counters = wa_client_counters();
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	for (int kind = 0; counters != NULL && kind < WA_MEMORY_KINDS; kind++)
	{
		const WaMemoryUse *use = &counters->memory[kind];
		Datum values[MEMORY_COLUMNS] = {CStringGetTextDatum(kinds[kind]),
										count(&use->current), count(&use->peak),
										count(&use->limit)};
		bool nulls[MEMORY_COLUMNS] = {0};

		wa_rows_put(result, values, nulls, MEMORY_COLUMNS);
	}
	return (Datum) 0;
}

/* Puts one row of reductions together. */
static void
put_reduction(ReturnSetInfo *result, const WaCounters *counters, int kind,
			  WaOp op, WaType type)
{
	Datum values[REDUCTIONS_COLUMNS];
	bool nulls[REDUCTIONS_COLUMNS] = {0};

	values[0] = CStringGetTextDatum(device_kinds[kind]);
	values[1] = CStringGetTextDatum(wa_op_name(op));
	values[2] = CStringGetTextDatum(wa_type_name(type));
	values[3] = count(&counters->runs[kind][op][type]);
	values[4] = count(&counters->rows[kind][op][type]);
	wa_rows_put(result, values, nulls, REDUCTIONS_COLUMNS);
}

/*
 * warpagg_reductions() returns a row for each kind of device, operation and
 * type: how many batches the device process has reduced so, and how many rows
 * they had.
 */
Datum
warpagg_reductions(PG_FUNCTION_ARGS)
{
	const WaCounters *counters = wa_client_counters();
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	if (counters == NULL)
		return (Datum) 0;
	for (int kind = 0; kind < WA_DEVICE_KINDS; kind++)
		for (int op = 0; op < WA_OP_COUNT; op++)
			for (int type = 0; type < WA_TYPE_COUNT; type++)
				if (wa_aggregate_exists((WaOp) op, (WaType) type))
					put_reduction(result, counters, kind, (WaOp) op,
								  (WaType) type);
	return (Datum) 0;
}
