//
// report.cpp
//		The lines that the test programs print, and their count.
//
#include "check.h"

#include <stdarg.h>
#include <stdio.h>

static unsigned passed;
static unsigned failed;

void
report_group(const char *failure, const char *format, ...)
{
	va_list arguments;
	bool ok = failure[0] == '\0';

	passed += ok;
	failed += !ok;
	printf(ok ? "ok - " : "not ok - ");
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf(ok ? "\n" : ": %s\n", failure);
	fflush(stdout);
}

int
report_total(void)
{
	printf("%u passed, %u failed\n", passed, failed);
	return failed != 0;
}
