/*
 * socket.c
 *		Binding, sending and receiving; see socket.h.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/base/log.h"
#include "daemon/base/socket.h"

#define LISTEN_BACKLOG 128

/* Tells whether nothing is at a path but, perhaps, a socket. */
static bool
may_be_replaced(const char *path)
{
	struct stat status;

	if (lstat(path, &status) != 0 || S_ISSOCK(status.st_mode))
		return true;
	errno = EEXIST;
	return false;
}

/*
 * Binds the socket to a name of its own and listens, so that nobody meets it
 * before it does.
 */
static bool
bind_and_listen(int fd, const struct sockaddr_un *address)
{
	mode_t old_mask;
	bool bound;

	if (!may_be_replaced(address->sun_path))
		return false;
	(void) unlink(address->sun_path);
	old_mask = umask(0177);
	bound = bind(fd, (const struct sockaddr *) address, sizeof(*address)) == 0;
	(void) umask(old_mask);
	return bound && listen(fd, LISTEN_BACKLOG) == 0;
}

/*
 * Moves the socket to its path.  Its identity is that of before, which nothing at
 * the path has now, if another process was there at the same time.
 */
static bool
move(const char *from, const char *path, WaFileIdentity *identity)
{
	struct stat before;
	struct stat after;

	if (!may_be_replaced(path) || lstat(from, &before) != 0 ||
		rename(from, path) != 0)
		return false;
	*identity = wa_file_identity(&before);
	if (lstat(path, &after) == 0 && after.st_dev == before.st_dev &&
		after.st_ino == before.st_ino)
		*identity = wa_file_identity(&after);
	return true;
}

int
wa_socket_listen(const char *path, WaFileIdentity *identity)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const size_t room = sizeof(address.sun_path);
	int fd;

	if ((size_t) snprintf(address.sun_path, room, "%s.new", path) >= room)
	{
		wa_log_write(WA_LOG_WARNING, "socket path \"%s\" is too long", path);
		return -1;
	}
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd >= 0 && bind_and_listen(fd, &address) &&
		move(address.sun_path, path, identity))
		return fd;
	wa_log_write(WA_LOG_WARNING, "could not listen on socket \"%s\": %m", path);
	if (fd >= 0)
		(void) close(fd);
	return -1;
}

bool
wa_socket_peer_is_ours(int fd, pid_t *pid)
{
	struct ucred peer;
	socklen_t length = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0)
		return false;
	*pid = peer.pid;
	return peer.uid == geteuid() || peer.uid == 0;
}

bool
wa_socket_send(int fd, WaHeader *header, const int *fds, int nfds)
{
	union
	{
		struct cmsghdr align;
		char bytes[CMSG_SPACE(WA_SOCKET_MAX_FDS * sizeof(int))];
	} control;
	struct iovec part = {header, header->length};
	struct msghdr packet = {.msg_iov = &part, .msg_iovlen = 1};
	ssize_t sent;

	wa_message_seal(header);
	if (nfds > 0)
	{
		size_t bytes = (size_t) nfds * sizeof(int);
		struct cmsghdr *rights;

		memset(&control, 0, sizeof(control));
		packet.msg_control = control.bytes;
		packet.msg_controllen = CMSG_SPACE(bytes);
		rights = CMSG_FIRSTHDR(&packet);
		rights->cmsg_level = SOL_SOCKET;
		rights->cmsg_type = SCM_RIGHTS;
		rights->cmsg_len = CMSG_LEN(bytes);
		memcpy(CMSG_DATA(rights), fds, bytes);
	}
	do
		sent = sendmsg(fd, &packet, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent == (ssize_t) header->length;
}

/*
 * Takes the descriptors that came with a packet.  Returns how many there are,
 * and the last of them in *passed, or -1; the others are closed.
 */
static int
take_descriptors(struct msghdr *packet, int *passed)
{
	int count = 0;

	*passed = -1;
	for (struct cmsghdr *part = CMSG_FIRSTHDR(packet); part != NULL;
		 part = CMSG_NXTHDR(packet, part))
	{
		size_t nfds = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < nfds; i++)
		{
			if (*passed >= 0)
				(void) close(*passed);
			memcpy(passed, CMSG_DATA(part) + i * sizeof(int), sizeof(int));
			count++;
		}
	}
	return count;
}

/* Tells what has been received, of which so much is known already. */
static WaReceived
judge(const WaMessage *message, ssize_t length, bool sound)
{
	if (length == 0)
		return WA_RECEIVED_END;
	if (!sound || !wa_message_is_sound(message, (size_t) length))
		return WA_RECEIVED_UNSOUND;
	return wa_message_is_intact(message, (size_t) length) ? WA_RECEIVED_MESSAGE
														  : WA_RECEIVED_DAMAGED;
}

WaReceived
wa_socket_receive(int fd, WaMessage *message, int *passed)
{
	union
	{
		struct cmsghdr align;
		char bytes[CMSG_SPACE(WA_SOCKET_MAX_FDS * sizeof(int))];
	} control;
	struct iovec part = {message, sizeof(*message)};
	struct msghdr packet = {.msg_iov = &part, .msg_iovlen = 1};
	WaReceived received;
	ssize_t length;
	int count;

	*passed = -1;
	do
	{
		packet.msg_control = control.bytes;
		packet.msg_controllen = sizeof(control.bytes);
		length = recvmsg(fd, &packet, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	} while (length < 0 && errno == EINTR);
	if (length < 0)
		return errno == EAGAIN ? WA_RECEIVED_NOTHING : WA_RECEIVED_END;
	count = take_descriptors(&packet, passed);
	received =
		judge(message, length,
			  count < WA_SOCKET_MAX_FDS && (packet.msg_flags & MSG_TRUNC) == 0);
	/*
	 * MSG_CTRUNC: more descriptors came along, which the kernel closed.  If fewer
	 * are here than there was room for, we may have no more of them.
	 */
	if (received == WA_RECEIVED_MESSAGE && (packet.msg_flags & MSG_CTRUNC) != 0)
		received = WA_RECEIVED_STRIPPED;
	if (received != WA_RECEIVED_MESSAGE && *passed >= 0)
	{
		(void) close(*passed);
		*passed = -1;
	}
	return received;
}
