/*
 * settings.c
 *		The settings of the extension.
 */
#include "postgres.h"

#include <limits.h>

#include "utils/guc.h"

#include "core/protocol.h"
#include "settings.h"

int wa_device = WA_WANT_ANY;
int wa_min_device_rows = 65536;
int wa_device_timeout_ms = 5000;
int wa_buffer_memory_kb = 65536;
int wa_staging_memory_kb = 65536;
char *wa_daemon_path = NULL;
int wa_debug_delay_ms = 0;

static const struct config_enum_entry device_options[] = {
	{"auto", WA_WANT_ANY, false},
	{"gpu", WA_WANT_GPU, false},
	{"cpu", WA_WANT_CPU, false},
	{NULL, 0, false},
};

void
wa_settings_init(void)
{
	DefineCustomEnumVariable(
		"warpagg.device", "Selects the device that reduces batches.",
		"\"auto\" uses a GPU where there is one, \"gpu\" raises an error "
		"where there is none, \"cpu\" never touches a GPU.",
		&wa_device, WA_WANT_ANY, device_options, PGC_USERSET, 0, NULL, NULL,
		NULL);
	DefineCustomIntVariable(
		"warpagg.min_device_rows",
		"Sets the number of rows below which a buffer is reduced in the "
		"backend itself.",
		"Zero sends every buffer to the device process.", &wa_min_device_rows,
		65536, 0, INT_MAX, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"warpagg.device_timeout",
		"Sets the time after which a silent device process counts as failed.",
		NULL, &wa_device_timeout_ms, 5000, 1500, INT_MAX, PGC_USERSET,
		GUC_UNIT_MS, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"warpagg.buffer_memory",
		"Sets the memory that the value buffers of one backend may take.", NULL,
		&wa_buffer_memory_kb, 65536, 64, MAX_KILOBYTES, PGC_USERSET,
		GUC_UNIT_KB, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"warpagg.staging_memory",
		"Sets the memory in which batches are handed to the device process.",
		"It is shared by all backends, pinned for the GPU, and made when the "
		"device process starts.",
		&wa_staging_memory_kb, 65536, 2048, 1024 * 1024, PGC_SIGHUP,
		GUC_UNIT_KB, NULL, NULL, NULL);
	DefineCustomStringVariable(
		"warpagg.daemon_path",
		"Sets the program that is run as the device process.",
		"Empty means the one that was installed with the extension.",
		&wa_daemon_path, "", PGC_SIGHUP, GUC_SUPERUSER_ONLY, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"warpagg.debug_delay",
		"Makes the device wait before each reduction, for tests.", NULL,
		&wa_debug_delay_ms, 0, 0, 3600 * 1000, PGC_SUSET,
		GUC_UNIT_MS | GUC_NOT_IN_SAMPLE, NULL, NULL, NULL);
	MarkGUCPrefixReserved("warpagg");
}
