/*
 * log.c
 *		Writing log lines without ever waiting for their reader.
 *
 * Standard error is a pipe to the supervisor.  Its flags belong to whoever
 * made it, so instead of making it non-blocking we ask whether it has room: a
 * pipe that is writable takes PIPE_BUF bytes at once.  log_lock keeps another
 * thread from taking that room in between.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/log.h"

#define MAX_LINE_BYTES 1024 /* below PIPE_BUF, so that lines stay whole */

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

static const char *const level_names[] = {"LOG", "WARNING"};

/* Writes the line if that is possible now. */
static void
write_line(const char *line, size_t bytes)
{
	struct pollfd target = {.fd = STDERR_FILENO, .events = POLLOUT};
	ssize_t written;

	(void) pthread_mutex_lock(&log_lock);
	if (poll(&target, 1, 0) == 1 && target.revents == POLLOUT)
	{
		written = write(STDERR_FILENO, line, bytes);
		(void) written; /* there is nobody to tell */
	}
	(void) pthread_mutex_unlock(&log_lock);
}

void
wa_log_write(WaLogLevel level, const char *format, ...)
{
	int saved_errno = errno;
	char line[MAX_LINE_BYTES];
	size_t start;
	size_t bytes;
	va_list arguments;

	start = (size_t) snprintf(line, sizeof(line), "%s: ", level_names[level]);
	errno = saved_errno; /* for %m */
	va_start(arguments, format);
	(void) vsnprintf(line + start, sizeof(line) - start - 1, format, arguments);
	va_end(arguments);
	bytes = strlen(line);
	for (size_t i = 0; i < bytes; i++)
		if ((unsigned char) line[i] < ' ')
			line[i] = ' ';
	line[bytes++] = '\n';
	write_line(line, bytes);
	errno = saved_errno;
}
