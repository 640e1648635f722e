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
int wa_memory_limit_kb = 0;
bool wa_autoload = true;
double wa_autoload_share = 0.5;
int wa_keep_used_s = 300;
int wa_load_workers = -1;
int wa_debug_delay_ms = 0;
int wa_debug_load_delay_ms = 0;
int wa_debug_follow_s = 60;
int wa_debug_spill_groups = 0;
int wa_debug_sent_groups = 0;
#ifdef WA_TESTING
int wa_debug_skip_rule = 0;
#endif
int wa_accelerate = WA_ACCELERATE_EXACT;
bool wa_enable_scan = true;
bool wa_enable_resident = true;
int wa_explain_refusals = WA_REFUSALS_EXPLAINED;

static const struct config_enum_entry device_options[] = {
	{"auto", WA_WANT_ANY, false},
	{"gpu", WA_WANT_GPU, false},
	{"cpu", WA_WANT_CPU, false},
	{NULL, 0, false},
};

static const struct config_enum_entry accelerate_options[] = {
	{"off", WA_ACCELERATE_OFF, false},
	{"exact", WA_ACCELERATE_EXACT, false},
	{"all", WA_ACCELERATE_ALL, false},
	{NULL, 0, false},
};

/* What the setting took when it was a boolean has its old meaning. */
static const struct config_enum_entry refusals_options[] = {
	{"off", WA_REFUSALS_OFF, false},
	{"explain", WA_REFUSALS_EXPLAINED, false},
	{"notice", WA_REFUSALS_NOTICED, false},
	{"on", WA_REFUSALS_NOTICED, true},
	{"true", WA_REFUSALS_NOTICED, true},
	{"yes", WA_REFUSALS_NOTICED, true},
	{"1", WA_REFUSALS_NOTICED, true},
	{"false", WA_REFUSALS_OFF, true},
	{"no", WA_REFUSALS_OFF, true},
	{"0", WA_REFUSALS_OFF, true},
	{NULL, 0, false},
};

/* Settings of the scan tier. */
static void
define_scan_settings(void)
{
	DefineCustomBoolVariable(
		"warpagg.enable_scan",
		"Lets the planner replace aggregates over a table by one node.", NULL,
		&wa_enable_scan, true, PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	DefineCustomBoolVariable(
		"warpagg.enable_resident", "Lets queries use resident columns.", NULL,
		&wa_enable_resident, true, PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	DefineCustomEnumVariable(
		"warpagg.accelerate",
		"Selects the built-in aggregates that such a node may compute.",
		"\"exact\" means those whose result is the same to the last bit, "
		"\"all\" sums and averages of floats too.",
		&wa_accelerate, WA_ACCELERATE_EXACT, accelerate_options, PGC_USERSET,
		GUC_EXPLAIN, NULL, NULL, NULL);
	DefineCustomEnumVariable(
		"warpagg.explain_refusals",
		"Selects where it is said why aggregates are not computed by such a "
		"node.",
		"\"explain\" means by a line of EXPLAIN, \"notice\" by a NOTICE when "
		"the query is planned.",
		&wa_explain_refusals, WA_REFUSALS_EXPLAINED, refusals_options,
		PGC_USERSET, 0, NULL, NULL, NULL);
}

/* Settings of the resident tier. */
static void
define_resident_settings(void)
{
	DefineCustomIntVariable("warpagg.memory_limit",
							"Sets the memory that resident columns may take.",
							"Zero means a share of the memory of the devices.",
							&wa_memory_limit_kb, 0, 0, INT_MAX, PGC_SIGHUP,
							GUC_UNIT_KB, NULL, NULL, NULL);
	DefineCustomBoolVariable(
		"warpagg.autoload",
		"Has columns that queries would gain from loaded in the background.",
		NULL, &wa_autoload, true, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomRealVariable(
		"warpagg.autoload_share",
		"Sets the share of the memory for resident columns that those loaded "
		"in the background for queries may take.",
		"Zero means that none are loaded so.", &wa_autoload_share, 0.5, 0.0,
		1.0, PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"warpagg.keep_used",
		"Sets the time after its last use in which a resident column does not "
		"make room for others.",
		NULL, &wa_keep_used_s, 300, 0, 7 * 86400, PGC_SIGHUP, GUC_UNIT_S, NULL,
		NULL, NULL);
	DefineCustomIntVariable(
		"warpagg.load_workers",
		"Sets the number of parallel workers that load resident columns beside "
		"the session.",
		"-1 means one less than there are processors.", &wa_load_workers, -1,
		-1, 1024, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"warpagg.debug_load_delay",
		"Makes a load wait after it has read the blocks of an extent, for "
		"tests.",
		NULL, &wa_debug_load_delay_ms, 0, 0, 60 * 1000, PGC_SUSET,
		GUC_UNIT_MS | GUC_NOT_IN_SAMPLE, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"warpagg.debug_follow_time",
		"Sets the time after its last use in which a relation's resident "
		"columns are kept up to date, for tests.",
		NULL, &wa_debug_follow_s, 60, 1, 3600, PGC_SIGHUP,
		GUC_UNIT_S | GUC_NOT_IN_SAMPLE, NULL, NULL, NULL);
}

/*
 * What a test build alone has (make WA_TESTING=1), as results may be wrong with it.  The
 * other settings for tests only delay something or have it spilled, which changes no
 * result, and are for superusers.
 */
static void
define_test_settings(void)
{
#ifdef WA_TESTING
	DefineCustomIntVariable(
		"warpagg.debug_skip_rule",
		"Leaves out a rule of the freshness of resident columns, for tests.",
		"Results may then be wrong.  Zero leaves out none.",
		&wa_debug_skip_rule, 0, 0, 8, PGC_SUSET, GUC_NOT_IN_SAMPLE, NULL, NULL,
		NULL);
#endif
}

void
wa_settings_init(void)
{
	define_scan_settings();
	define_resident_settings();
	define_test_settings();
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
	DefineCustomIntVariable(
		"warpagg.debug_spill_groups",
		"Spills groups beyond so many, for tests; 0: beyond the memory.", NULL,
		&wa_debug_spill_groups, 0, 0, INT_MAX, PGC_SUSET, GUC_NOT_IN_SAMPLE,
		NULL, NULL, NULL);
	DefineCustomIntVariable(
		"warpagg.debug_sent_groups",
		"Has no more groups sent, for tests; 0: as many as are worth it.", NULL,
		&wa_debug_sent_groups, 0, 0, INT_MAX, PGC_SUSET, GUC_NOT_IN_SAMPLE,
		NULL, NULL, NULL);
	MarkGUCPrefixReserved("warpagg");
}
