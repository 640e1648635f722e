/*
 * connection.h
 *		One backend's connection to warpaggd: the socket and the staging memory.
 *
 * Nothing here raises an error for what the device process does.  Interrupts
 * are served while waiting, so any function that waits for a message may be
 * left by an error; the connection is then in the middle of an exchange, and
 * its user has to close it at the end of the (sub)transaction.
 */
#ifndef WA_CLIENT_CONNECTION_H
#define WA_CLIENT_CONNECTION_H

#include "client/trouble.h"
#include "core/must_check.h"
#include "core/protocol.h"

/* How the connection is, and what the device process said at the last hello. */
typedef struct WaConnectionState
{
	bool open;     /* the socket is connected and a hello was answered */
	bool attached; /* the staging memory is mapped */
	bool busy;     /* a message was sent whose last reply has not been read */
	bool waiting;  /* for that reply; in a callback: until an error */
	uint64_t generation; /* the number of the connection, from 1 on */
	WaDaemonState state;
	uint32_t gpus;
	char gpu_error[WA_MAX_ERROR_BYTES];
} WaConnectionState;

/* Returns the state of the connection; never NULL. */
extern const WaConnectionState *wa_connection_state(void);

/*
 * Closes the connection if the device process has ended since it was last
 * used, which is no failure of anything that is under way.
 */
extern void wa_connection_refresh(void);

/*
 * Connects, unless connected, and sends the question that wa_connection_hello
 * waits for an answer to.  Returns false if there is no device process.
 */
extern bool wa_connection_greet(void);

/*
 * Connects, unless connected, and asks how far the device process is, unless
 * wa_connection_greet has.  WA_EXCHANGE_LOST also means that there is none.
 */
extern WaExchange wa_connection_hello(void);

/* Maps the staging memory and the counters, unless that is done. */
extern bool wa_connection_attach(void);

/* Closes the connection and gives back all it holds. */
extern void wa_connection_close(void);

/* Says in the log, once a minute at most, that what was received was damaged. */
extern void wa_connection_note_damage(void);

/*
 * Sends a message, whose header but for type, length and bulk is filled in here.
 * The reply has to be received before the next message is sent.  Closes the connection if
 * it cannot be sent.
 */
extern WA_MUST_CHECK bool wa_connection_send(WaMessage *message,
											 WaMessageType type, size_t length);

/* The same for a message that has no reply. */
extern WA_MUST_CHECK bool wa_connection_tell(WaMessage *message,
											 WaMessageType type, size_t length);

/* Likewise sends one that has a reply, with a descriptor, which is not closed. */
extern WA_MUST_CHECK bool wa_connection_send_file(WaMessage *message,
												  WaMessageType type,
												  size_t length, int fd);

/*
 * Sends a message and receives the reply.  If that fails it closes the
 * connection.
 */
extern WaExchange wa_connection_exchange(WaMessage *message, WaMessageType type,
										 size_t length, WaMessage *reply);

/*
 * Waits for the reply to the last message sent, and stores it in *reply.  Behind a COVER
 * there comes another one.
 */
extern WaExchange wa_connection_receive(WaMessage *reply);

/*
 * Has replies waited for no longer than so many milliseconds, until the limit is
 * 0 or an error puts an end to the wait.
 */
extern void wa_connection_limit_wait(int limit_ms);

/*
 * Maps the file that came with the last reply, for reading, and forgets its
 * descriptor.  Returns NULL if there is none of so many bytes that keeps them.
 */
extern const void *wa_connection_map_file(uint64 bytes);

/*
 * Takes a free staging slot of the attached connection without waiting.
 * Returns its memory and sets *slot and *bytes, or returns NULL.
 */
extern void *wa_connection_take_slot(uint32_t *slot, size_t *bytes);

/* Gives the slot back; nothing to do after the connection was closed. */
extern void wa_connection_free_slot(uint32_t slot);

#endif /* WA_CLIENT_CONNECTION_H */
