/*
 * status.c
 *		The function behind the view warpagg_status.
 *
 * What it shows comes from the supervisor's memory and from files: the device
 * process itself is not asked, so that it shows most when that is down.
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "client/client.h"
#include "resident/autoload.h"
#include "rows.h"

PG_FUNCTION_INFO_V1(warpagg_status);
PG_FUNCTION_INFO_V1(warpagg_status_0_2);

#define STATUS_COLUMNS 12

static const char *const states[] = {
	[WA_SUPERVISION_NONE] = "not supervised",
	[WA_SUPERVISION_FOREIGN] = "other version",
	[WA_SUPERVISION_DOWN] = "down",
	[WA_SUPERVISION_SILENT] = "silent",
	[WA_SUPERVISION_UP] = "up",
};

/* A row that is being put together. */
typedef struct Row
{
	Datum values[STATUS_COLUMNS];
	bool nulls[STATUS_COLUMNS];
	int ncolumns;
} Row;

/* Adds a column to the row; NULL if there is no value. */
static void
add(Row *row, Datum value, bool is_there)
{
	row->values[row->ncolumns] = value;
	row->nulls[row->ncolumns] = !is_there;
	row->ncolumns++;
}

/* Adds a number, of which 0 means that there is none. */
static void
add_int32(Row *row, int32 value)
{
	add(row, Int32GetDatum(value), value != 0);
}

/* Adds a time, likewise. */
static void
add_time(Row *row, int64 time)
{
	add(row, TimestampTzGetDatum((TimestampTz) time), time != 0);
}

/*
 * warpagg_status() returns one row: state of the device process, its process, the
 * version of the protocol that it speaks and that of this session's library; the
 * supervisor's process; since when it has been up; time and reason of the last
 * failure; time of the next start, if it is down; tables that are loaded in the
 * background, and those that wait; the release of this session's library.
 */
Datum
warpagg_status(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	WaConditionFields fields;
	WaSupervision state;
	Row row = {0};
	int64 running;
	int64 queued;

	InitMaterializedSRF(fcinfo, 0);
	state = wa_client_condition(&fields);
	wa_autoload_queue(&running, &queued);
	add(&row, CStringGetTextDatum(states[state]), true);
	add_int32(&row, fields.pid);
	add_int32(&row, fields.version);
	add_int32(&row, WA_PROTOCOL_VERSION);
	add_int32(&row, fields.supervisor_pid);
	add_time(&row, fields.up_since);
	add_time(&row, fields.last_failure);
	add(&row, CStringGetTextDatum(fields.reason), fields.reason[0] != '\0');
	add_time(&row, fields.next_start);
	add(&row, Int64GetDatum(running), true);
	add(&row, Int64GetDatum(queued), true);
	add(&row, CStringGetTextDatum(WA_RELEASE), true);
	Assert(row.ncolumns == STATUS_COLUMNS);
	wa_rows_put(result, row.values, row.nulls, STATUS_COLUMNS);
	return (Datum) 0;
}

/* What the extension from 0.2.0 on calls. */
Datum
warpagg_status_0_2(PG_FUNCTION_ARGS)
{
	return warpagg_status(fcinfo);
}
