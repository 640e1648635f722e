/*
 * socket.h
 *		Messages over Unix sockets of type SOCK_SEQPACKET, without waiting.
 */
#ifndef WA_DAEMON_SOCKET_H
#define WA_DAEMON_SOCKET_H

#include <sys/types.h>

#include "core/must_check.h"
#include "core/protocol.h"

/* What wa_socket_receive found. */
typedef enum WaReceived
{
	WA_RECEIVED_MESSAGE = 0,
	WA_RECEIVED_NOTHING, /* no message is there yet */
	WA_RECEIVED_END,     /* the peer has closed, or the socket failed */
	WA_RECEIVED_UNSOUND, /* something that is no message */
	WA_RECEIVED_DAMAGED, /* a message that is not what was sent */
	WA_RECEIVED_STRIPPED /* a message, but no room for its descriptor */
} WaReceived;

/* Most descriptors that go with one message. */
#define WA_SOCKET_MAX_FDS 2

/*
 * Binds a listening socket, mode 0600, to the path, in place of a socket that
 * may be there, at once: nobody finds none there.  Only the holder of the
 * supervisor's lock may do that.  Returns the socket, and in *identity what is at
 * the path then; or -1 having logged why not.
 */
int wa_socket_listen(const char *path, WaFileIdentity *identity);

/*
 * Tells whether the peer of a connected socket runs as our own user or as
 * root, and stores the number of its process in *pid.
 */
WA_MUST_CHECK bool wa_socket_peer_is_ours(int fd, pid_t *pid);

/*
 * Sends a message of header->length bytes, which it seals, together with nfds (at
 * most WA_SOCKET_MAX_FDS) descriptors.  Returns false if it could not be sent at
 * once: then the peer does not read, or has gone.
 */
bool wa_socket_send(int fd, WaHeader *header, const int *fds, int nfds);

/*
 * Receives one message into *message.  With WA_RECEIVED_MESSAGE it is sound
 * in the sense of wa_message_is_sound, and intact, and *passed the descriptor that came
 * along, for the caller to close, or -1.  A message with several is unsound.
 * With WA_RECEIVED_STRIPPED it is sound, too.
 */
WaReceived wa_socket_receive(int fd, WaMessage *message, int *passed);

#endif /* WA_DAEMON_SOCKET_H */
