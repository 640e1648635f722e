/*
 * options.h
 *		The command line of warpaggd.
 */
#ifndef WA_DAEMON_OPTIONS_H
#define WA_DAEMON_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/must_check.h"

typedef struct WaOptions
{
	const char *socket_path; /* relative to the working directory */
	bool cpu_only;           /* never touch a GPU */
	uint64_t staging_bytes;  /* size of the staging pool */
	uint64_t cpu_devices;    /* number of CPU devices; more than 1 in tests */
	uint64_t memory_limit;   /* bytes of resident columns; 0: the default */
	uint64_t query_threads;  /* 0: as many as there are processors */
	uint64_t protocol;       /* version that is asked for */
	bool version_only;       /* print the version and end */
} WaOptions;

/*
 * Reads the command line into *options, which points into argv afterwards.
 * Returns false, having logged why, if it is not understood.
 */
WA_MUST_CHECK bool wa_options_parse(int argc, char **argv, WaOptions *options);

#endif /* WA_DAEMON_OPTIONS_H */
