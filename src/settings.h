/*
 * settings.h
 *		The settings of the extension, as sessions see them.
 */
#ifndef WA_SETTINGS_H
#define WA_SETTINGS_H

/* Values of warpagg.device: WaWantedDevice of core/protocol.h */
extern int wa_device;

/* Buffers with fewer rows are folded in the backend. */
extern int wa_min_device_rows;

/* A device process that is silent for so long has failed. */
extern int wa_device_timeout_ms;

/* Most memory that the buffers of one backend take together. */
extern int wa_buffer_memory_kb;

/* Size of the staging pool that the device process makes. */
extern int wa_staging_memory_kb;

/* Program to run as the device process; empty for the one installed. */
extern char *wa_daemon_path;

/* For tests: the device waits so long before each reduction. */
extern int wa_debug_delay_ms;

/* For tests: groups are spilled beyond so many; 0: beyond the memory. */
extern int wa_debug_spill_groups;
extern int wa_debug_sent_groups;

/* Values of warpagg.accelerate: which built-in aggregates the scan tier takes. */
typedef enum WaAccelerate
{
	WA_ACCELERATE_OFF,
	WA_ACCELERATE_EXACT,
	WA_ACCELERATE_ALL
} WaAccelerate;

extern int wa_accelerate;

/* Whether the planner considers the node of the scan tier. */
extern bool wa_enable_scan;

/* Values of warpagg.explain_refusals: where it is said why there is no node. */
typedef enum WaRefusals
{
	WA_REFUSALS_OFF,
	WA_REFUSALS_EXPLAINED, /* in EXPLAIN */
	WA_REFUSALS_NOTICED    /* as a NOTICE when a query is planned */
} WaRefusals;

extern int wa_explain_refusals;

/* Most memory that resident columns take; 0: what the device process finds. */
extern int wa_memory_limit_kb;

/* Whether queries use resident columns. */
extern bool wa_enable_resident;

/* Whether queries have the columns that they would gain from loaded. */
extern bool wa_autoload;

/* The share of that memory that they take then at most; 0: none are loaded. */
extern double wa_autoload_share;

/* For so long after its last use a column is not evicted for others. */
extern int wa_keep_used_s;

/* Workers that load beside the session, at most; -1: by the processors. */
extern int wa_load_workers;

/* For tests: a load waits so long after the blocks of each extent. */
extern int wa_debug_load_delay_ms;

/* For tests: for so long after a query has used a relation it is followed. */
extern int wa_debug_follow_s;

/*
 * The rules of the proof that resident columns are fresh, by the numbers that
 * warpagg.debug_skip_rule has in a test build.  Each is needed; the tests show that by
 * leaving one out.
 */
typedef enum WaFreshnessRule
{
	WA_RULE_OTHER_TRANSACTION = 1, /* not made or rewritten in this one */
	WA_RULE_LOGGED,                /* only relations whose changes are in WAL */
	WA_RULE_FOLLOW_LATER,   /* WAL is followed after the snapshot was taken */
	WA_RULE_POSITION_FIRST, /* loading reads WAL's position before the blocks */
	WA_RULE_ISOLATION,      /* not in serializable transactions */
	WA_RULE_SETTLED, /* what decides about rows has ended for the snapshot */
	WA_RULE_FLUX,    /* no blocks with rows of transactions in progress */
	WA_RULE_CHANGES  /* all that changes rows in WAL is seen */
} WaFreshnessRule;

/*
 * For tests: the WaFreshnessRule that is left out, or 0.  There is a setting for it in a
 * test build alone; no other leaves a rule out.
 */
#ifdef WA_TESTING
extern int wa_debug_skip_rule;
#else
static const int wa_debug_skip_rule = 0;
#endif

/* Defines the settings; called once, from _PG_init. */
extern void wa_settings_init(void);

#endif /* WA_SETTINGS_H */
