/*
 * test_daemon_client.h
 *		What the tests of warpaggd share: starting one, talking to it.
 *
 * A function returns false, or a negative number, if something is not as it
 * should be; nothing here waits for longer than WA_TEST_PATIENCE_MS.
 */
#ifndef TEST_DAEMON_CLIENT_H
#define TEST_DAEMON_CLIENT_H

#include <sys/types.h>

#include "core/protocol.h"
#include "test/unit/check.h"

#define WA_TEST_PATIENCE_MS   20000
#define WA_TEST_MAX_ARGUMENTS 8

/* How a daemon is to be started. */
typedef struct WaTestStart
{
	const char *program;
	const char *arguments[WA_TEST_MAX_ARGUMENTS]; /* NULL after the last */
	bool without_control;
	bool without_counters;
	int stderr_fd;         /* 0: the file "log" in its directory */
	void (*prepare)(void); /* called in the child, NULL: nothing */
} WaTestStart;

/* A running daemon, in a directory of its own that is ours as well. */
typedef struct WaTestDaemon
{
	pid_t pid;
	int control_fd;
	int counters_fd;
	WaCounters *counters; /* the supervisor's */
	char directory[64];
} WaTestDaemon;

/* A connection; its fields are filled in as far as it has got. */
typedef struct WaTestClient
{
	int fd;
	uint32_t number;
	WaWelcomeMessage welcome;
	WaAttachedMessage geometry;
	int staging_fd;
	int counters_fd;
	uint8_t *staging;
	WaStagingHeader *header;
	const WaCounters *counters;
} WaTestClient;

/* One test; run starts the daemon for it. */
typedef struct WaTestCase
{
	const char *name;
	bool (*run)(WaTestDaemon *daemon);
	const char *arguments[WA_TEST_MAX_ARGUMENTS];
	const char *environment; /* NAME=VALUE, or NULL */
} WaTestCase;

/* Waits so many milliseconds. */
void wa_test_sleep(int milliseconds);

/* Returns milliseconds since some moment in the past. */
long wa_test_clock_ms(void);

/* Makes a temporary directory with pg_stat_tmp in it the current one. */
bool wa_test_enter_directory(WaTestDaemon *daemon);

/* Leaves it and removes all there is in it. */
void wa_test_leave_directory(WaTestDaemon *daemon);

/* Starts a daemon in the current directory; does not wait for it. */
bool wa_test_start(WaTestDaemon *daemon, const WaTestStart *start);

/* Waits for the daemon's end and returns its wait status, -1: did not end. */
int wa_test_wait(WaTestDaemon *daemon, int patience_ms);

/* Ends the daemon by closing its control socket; true if it exited with 0. */
bool wa_test_stop(WaTestDaemon *daemon);

/* Connects, waiting until the daemon listens. */
bool wa_test_connect(WaTestClient *client);

/* Copies bytes, sealed if they are a message and there is room; returns them. */
const void *wa_test_seal(WaMessage *copy, const void *bytes, size_t length);

/* Sends bytes, sealed if they are a message. */
bool wa_test_send(int fd, const void *bytes, size_t length);

/* Returns the checksum of the batch that a request names, if it is sound; else 0. */
uint32_t wa_test_batch_checksum(const WaTestClient *client,
								const WaReduceMessage *reduce);

/* Sends a request with the checksum of its batch. */
bool wa_test_send_reduce(const WaTestClient *client,
						 const WaReduceMessage *reduce);

/* Sends bytes as they are. */
bool wa_test_send_unsealed(int fd, const void *bytes, size_t length);

/* Sends HELLO, ATTACH, STATUS or PING. */
bool wa_test_send_simple(int fd, WaMessageType type, uint32_t request);

/*
 * Receives one message, heartbeats included.  Returns its type, 0 at the end
 * of the connection, -1 if it is unsound or does not come.
 */
int wa_test_receive(int fd, WaMessage *message, int patience_ms);

/* Receives the next message that is no heartbeat; likewise. */
int wa_test_receive_reply(int fd, WaMessage *message);

/* Says HELLO and takes the answer. */
bool wa_test_hello(WaTestClient *client);

/*
 * Says HELLO until the daemon has tried to open its GPUs, which takes it a
 * moment after its start and after each change of settings; the last answer is
 * in welcome.
 */
bool wa_test_wait_until_ready(WaTestClient *client);

/* Sends ATTACH and maps what comes. */
bool wa_test_attach(WaTestClient *client);

/* All of the above that is needed to reduce. */
bool wa_test_open(WaTestClient *client);

/* Closes the connection and unmaps everything. */
void wa_test_close(WaTestClient *client);

/* Takes a free slot; returns its number, or -1. */
int wa_test_take_slot(WaTestClient *client);

/* Gives a slot back. */
void wa_test_give_slot(WaTestClient *client, int slot);

/* Returns the memory of a slot. */
uint8_t *wa_test_slot(const WaTestClient *client, int slot);

/* Makes a request for nrows values of the type at the start of the slot. */
WaReduceMessage wa_test_request(int slot, WaType type, WaOpSet ops,
								uint64_t nrows);

/* Asks for the sum of three int8 in a slot of its own and checks it. */
bool wa_test_sum_works(WaTestClient *client, WaWantedDevice device);

/* Tells whether a new client is served. */
bool wa_test_daemon_answers(void);

/* Tells whether the daemon closes the connection. */
bool wa_test_is_closed(int fd);

/*
 * Sends bytes on a new connection, after HELLO or not, and tells whether that
 * ends it.
 */
bool wa_test_is_rejected(const void *bytes, size_t length, bool after_hello);

/* Sends PING; tells whether PONG comes in time. */
bool wa_test_ping(const WaTestDaemon *daemon, int patience_ms);

/* Sends SETTINGS. */
bool wa_test_settings(const WaTestDaemon *daemon, WaWantedDevice device);

/*
 * Runs the tests, each with a daemon of its own; argument is a word that the
 * names of those to be run contain, or NULL.  Returns the exit status.
 */
int wa_test_run_all(const char *program, const WaTestCase *cases, size_t ncases,
					const char *argument);

/* The same from a command line: PROGRAM [WORD]. */
int wa_test_main(int argc, char **argv, const WaTestCase *cases, size_t ncases);

#endif /* TEST_DAEMON_CLIENT_H */
