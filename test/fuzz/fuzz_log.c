/*
 * fuzz_log.c
 *		A log whose lines are made and thrown away, and random numbers that are none.
 */
#include <stdarg.h>
#include <sys/random.h>

#include "daemon/base/log.h"
#include "test/fuzz/fuzz.h"
#include "test/fuzz/fuzz_process.h"

static uint64_t last_number;

void
wa_log_write(WaLogLevel level, const char *format, ...)
{
	char line[1024];
	va_list arguments;

	(void) level;
	va_start(arguments, format);
	(void) vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
}

void
fuzz_restart_numbers(void)
{
	last_number = 0;
}

/* What the linker has in getrandom's place: the same in each input. */
ssize_t
__wrap_getrandom(void *buffer, size_t length, unsigned flags)
{
	uint8_t *bytes = buffer;

	(void) flags;
	last_number++;
	for (size_t i = 0; i < length; i++)
		bytes[i] =
			i < sizeof(last_number) ? (uint8_t) (last_number >> 8 * i) : 0;
	return (ssize_t) length;
}
