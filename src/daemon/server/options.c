/*
 * options.c
 *		Reading the command line.
 *
 *	warpaggd [--socket=PATH] [--device=auto|cpu] [--staging-bytes=N]
 *	         [--cpu-devices=N] [--memory-limit=N] [--query-threads=N]
 *	         [--protocol=N] [--version]
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "core/protocol.h"
#include "daemon/base/log.h"
#include "daemon/base/pool.h"
#include "daemon/server/options.h"

#define DEFAULT_STAGING_BYTES ((uint64_t) 64 << 20)

typedef enum OptionCode
{
	OPTION_SOCKET = 1,
	OPTION_DEVICE,
	OPTION_STAGING_BYTES,
	OPTION_CPU_DEVICES,
	OPTION_MEMORY_LIMIT,
	OPTION_QUERY_THREADS,
	OPTION_PROTOCOL,
	OPTION_VERSION
} OptionCode;

static const struct option long_options[] = {
	{"socket", required_argument, NULL, OPTION_SOCKET},
	{"device", required_argument, NULL, OPTION_DEVICE},
	{"staging-bytes", required_argument, NULL, OPTION_STAGING_BYTES},
	{"cpu-devices", required_argument, NULL, OPTION_CPU_DEVICES},
	{"memory-limit", required_argument, NULL, OPTION_MEMORY_LIMIT},
	{"query-threads", required_argument, NULL, OPTION_QUERY_THREADS},
	{"protocol", required_argument, NULL, OPTION_PROTOCOL},
	{"version", no_argument, NULL, OPTION_VERSION},
	{NULL, 0, NULL, 0},
};

/* Reads a whole decimal number between the bounds. */
static bool
parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *number)
{
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return errno == 0 && *end == '\0' && *number >= min && *number <= max;
}

/* Takes one option over; tells whether its argument was understood. */
static bool
take_option(int code, const char *argument, WaOptions *options)
{
	switch (code)
	{
		case OPTION_SOCKET:
			options->socket_path = argument;
			return argument[0] != '\0';
		case OPTION_DEVICE:
			options->cpu_only = strcmp(argument, "cpu") == 0;
			return options->cpu_only || strcmp(argument, "auto") == 0;
		case OPTION_STAGING_BYTES:
			return parse_number(argument, 0, UINT64_MAX,
								&options->staging_bytes);
		case OPTION_CPU_DEVICES:
			return parse_number(argument, 1, WA_MAX_DEVICES,
								&options->cpu_devices);
		case OPTION_MEMORY_LIMIT:
			return parse_number(argument, 0, UINT64_MAX,
								&options->memory_limit);
		case OPTION_QUERY_THREADS:
			return parse_number(argument, 0, WA_MAX_POOL_THREADS,
								&options->query_threads);
		case OPTION_PROTOCOL:
			return parse_number(argument, 0, UINT32_MAX, &options->protocol);
		case OPTION_VERSION:
			options->version_only = true;
			return true;
		default:
			return false;
	}
}

bool
wa_options_parse(int argc, char **argv, WaOptions *options)
{
	int code;

	*options = (WaOptions){.socket_path = WA_SOCKET_PATH,
						   .staging_bytes = DEFAULT_STAGING_BYTES,
						   .cpu_devices = 1,
						   .protocol = WA_PROTOCOL_VERSION};
	opterr = 0;
	while ((code = getopt_long(argc, argv, "", long_options, NULL)) != -1)
	{
		if (!take_option(code, optarg, options))
		{
			wa_log_write(WA_LOG_WARNING, "invalid command-line argument \"%s\"",
						 argv[optind - 1]);
			return false;
		}
	}
	if (optind < argc)
	{
		wa_log_write(WA_LOG_WARNING, "unexpected command-line argument \"%s\"",
					 argv[optind]);
		return false;
	}
	return true;
}
