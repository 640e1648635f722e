/*
 * log.c
 *		Writing log lines without ever waiting for their reader.
 *
 * Standard error is a pipe to the supervisor.  Its flags belong to whoever
 * made it, so instead of making it non-blocking we ask whether it has room: a
 * pipe that is writable takes PIPE_BUF bytes at once.  log_lock keeps another
 * thread from taking that room in between, and guards the lines that are remembered:
 * what many requests have in common is logged once in a while, not for each.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/clock.h"
#include "daemon/base/log.h"

#define MAX_LINE_BYTES 1024 /* below PIPE_BUF, so that lines stay whole */

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

/* A line is left out that is the same as one of the last few. */
#define REMEMBERED_LINES 8
#define REMEMBERED_NS    (60 * WA_NS_PER_S)

typedef struct Remembered
{
	int64_t time_ns; /* 0: nothing */
	char line[MAX_LINE_BYTES];
} Remembered;

static Remembered remembered[REMEMBERED_LINES];

static const char *const level_names[] = {"LOG", "WARNING"};

/*
 * Tells whether a line was written a short time ago; remembers it if not.  The caller
 * holds the lock.
 */
static bool
was_written(const char *line, size_t bytes)
{
	const int64_t now_ns = wa_clock_ns();
	Remembered *oldest = &remembered[0];

	for (int i = 0; i < REMEMBERED_LINES; i++)
	{
		Remembered *one = &remembered[i];

		if (one->time_ns != 0 && now_ns - one->time_ns < REMEMBERED_NS &&
			memcmp(one->line, line, bytes) == 0)
			return true;
		if (one->time_ns < oldest->time_ns)
			oldest = one;
	}
	oldest->time_ns = now_ns;
	memcpy(oldest->line, line, bytes);
	return false;
}

/*
 * Writes the line, which has its end in it, if that is possible now and it is not
 * one of the last few.
 */
static void
write_line(const char *line, size_t bytes)
{
	struct pollfd target = {.fd = STDERR_FILENO, .events = POLLOUT};
	ssize_t written;

	(void) pthread_mutex_lock(&log_lock);
	if (poll(&target, 1, 0) == 1 && target.revents == POLLOUT &&
		!was_written(line, bytes))
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
