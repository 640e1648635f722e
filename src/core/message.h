/*
 * message.h
 *		What all messages between the backends, the supervisor and warpaggd begin with;
 *		see protocol.h.
 */
#ifndef WA_CORE_MESSAGE_H
#define WA_CORE_MESSAGE_H

#include "core/counters.h"

/* Raised with every change of a message, a shared file or WaPartial. */
#define WA_PROTOCOL_VERSION 22
#define WA_PROTOCOL_MAGIC   0x57413031 /* "WA01" */

/* Relative to the data directory, which is every process's own directory. */
#define WA_SOCKET_PATH "pg_stat_tmp/warpagg.sock"
#define WA_LOCK_PATH   "pg_stat_tmp/warpagg.lock" /* held by the supervisor */
#define WA_COUNTERS_PATH \
	"pg_stat_tmp/warpagg.counters" /* a link to its file of counters */
#define WA_LAUNCH_PATH "pg_stat_tmp/warpagg.launch" /* held while launching */

/* Descriptors that warpaggd inherits, beside 0, 1 and 2 (its log). */
#define WA_CONTROL_FD  3
#define WA_COUNTERS_FD 4

/* What warpaggd ends with when a device was lost, */
#define WA_EXIT_DEVICE_LOST 2
/* and if it speaks another version than was asked for. */
#define WA_EXIT_OTHER_VERSION 3

#define WA_HEARTBEAT_MS      1000
#define WA_MAX_MESSAGE_BYTES 16384
#define WA_MAX_DEVICES       16
#define WA_MAX_SLOTS         1024
#define WA_MAX_ERROR_BYTES   256
#define WA_MAX_SNAPSHOT_XIDS 64

typedef enum WaMessageType
{
	WA_MSG_HELLO = 1,
	WA_MSG_WELCOME,
	WA_MSG_ATTACH,
	WA_MSG_ATTACHED,
	WA_MSG_REDUCE,
	WA_MSG_RESULT,
	WA_MSG_FAILED,
	WA_MSG_HEARTBEAT,
	WA_MSG_STATUS,
	WA_MSG_DEVICES,
	WA_MSG_PING,
	WA_MSG_PONG,
	WA_MSG_SETTINGS,
	WA_MSG_DONE,
	WA_MSG_SHARE,
	WA_MSG_LOAD,
	WA_MSG_RESIDENCY,
	WA_MSG_RESIDENT,
	WA_MSG_EXTENTS,
	WA_MSG_CONFIRM,
	WA_MSG_UNLOAD,
	WA_MSG_LIST,
	WA_MSG_LISTED,
	WA_MSG_RUN,
	WA_MSG_ANSWER,
	WA_MSG_TEXTS,
	WA_MSG_LISTEN,
	WA_MSG_RETIRE,
	WA_MSG_PIN,
	WA_MSG_FOLLOW,
	WA_MSG_FOLLOWED,
	WA_MSG_COVER,
	WA_MSG_STAMPS,
	WA_MSG_KEEP,
	WA_MSG_KEPT,
	WA_MSG_BLOCKS,
	WA_MSG_FETCH
} WaMessageType;

typedef struct WaHeader
{
	uint32_t magic;
	uint32_t type;     /* WaMessageType */
	uint32_t length;   /* bytes of the whole message, this header included */
	uint32_t request;  /* number the asker gave; the reply repeats it */
	uint32_t checksum; /* of the message but for this field */
	uint32_t bulk;     /* checksum of what goes with it; 0: nothing does */
} WaHeader;

/* HELLO, ATTACH, STATUS, HEARTBEAT, PING, DONE, LISTEN and RETIRE */
typedef struct WaSimpleMessage
{
	WaHeader header;
	uint32_t version; /* WA_PROTOCOL_VERSION */
	uint32_t unused;
} WaSimpleMessage;

#endif /* WA_CORE_MESSAGE_H */
