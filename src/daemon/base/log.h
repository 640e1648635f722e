/*
 * log.h
 *		The log of the device process: lines on its standard error.
 */
#ifndef WA_DAEMON_LOG_H
#define WA_DAEMON_LOG_H

/* What PostgreSQL calls these levels; the supervisor reports lines at them. */
typedef enum WaLogLevel
{
	WA_LOG_LOG = 0,
	WA_LOG_WARNING
} WaLogLevel;

/*
 * Writes one line, "LEVEL: text", to standard error.  The arguments are
 * printf's, %m included; control characters in the text become blanks and a
 * text of more than a thousand bytes is cut.  Never waits and never fails: the
 * line is lost if the reader has gone or does not keep up, and left out if it was
 * written in the last minute.  Any thread may call it; errno is kept.
 */
void wa_log_write(WaLogLevel level, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* WA_DAEMON_LOG_H */
