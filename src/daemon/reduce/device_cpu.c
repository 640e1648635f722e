/*
 * device_cpu.c
 *		The CPU device: folds batches on the worker thread itself.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/machine.h"
#include "daemon/reduce/device.h"

#define CPUINFO_PATH "/proc/cpuinfo"

/* Writes the processor's name to name, "CPU" if the machine does not tell. */
static void
read_processor_name(char *name, size_t name_bytes)
{
	FILE *file = fopen(CPUINFO_PATH, "re");
	char line[256];

	(void) snprintf(name, name_bytes, "CPU");
	if (file == NULL)
		return;
	while (fgets(line, sizeof(line), file) != NULL)
	{
		const char *colon = strstr(line, ": ");

		if (strncmp(line, "model name", strlen("model name")) == 0 &&
			colon != NULL)
		{
			line[strcspn(line, "\n")] = '\0';
			(void) snprintf(name, name_bytes, "%s", colon + 2);
			break;
		}
	}
	(void) fclose(file);
}

static WaStatus
cpu_open(int ordinal, WaDeviceInfo *info, char *error, size_t error_bytes)
{
	uint64_t page_bytes = (uint64_t) sysconf(_SC_PAGESIZE);
	unsigned processors = wa_machine_processors();

	(void) ordinal;
	(void) error;
	(void) error_bytes;
	info->memory_bytes = wa_machine_memory();
	info->free_bytes = (uint64_t) sysconf(_SC_AVPHYS_PAGES) * page_bytes;
	if (info->free_bytes > info->memory_bytes)
		info->free_bytes = info->memory_bytes;
	info->multiprocessors =
		processors < WA_MAX_LANES ? processors : WA_MAX_LANES;
	read_processor_name(info->name, sizeof(info->name));
	return WA_OK;
}

static WaStatus
cpu_reduce(WaCudaLane *lane, WaOpSet ops, const WaBatch *batch,
		   WaPartial *partial, char *error, size_t error_bytes)
{
	(void) lane;
	(void) error;
	(void) error_bytes;
	wa_partial_fold(partial, ops, batch);
	return WA_OK;
}

const WaDeviceDriver wa_device_cpu = {
	.kind = WA_DEVICE_CPU,
	.open = cpu_open,
	.reduce = cpu_reduce,
};
