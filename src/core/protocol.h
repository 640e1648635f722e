/*
 * protocol.h
 *		The messages between the backends, the supervisor and warpaggd.
 *
 * Backends talk to warpaggd over a Unix socket of type SOCK_SEQPACKET, so a
 * message is one datagram that arrives whole or not at all.  Each begins with
 * a WaHeader; its length is the datagram's and is checked against the message
 * type.  All integers are in the machine's own order: the socket never leaves
 * the machine.
 *
 * A message has a checksum, and another of the bulk data that goes with it, if any,
 * in the parcel, a slot or a file: who receives it computes both before anything is
 * believed.  A damaged message ends the connection, as a damaged answer does; damaged
 * data of a request has it fail.
 *
 *	backend                              warpaggd
 *	HELLO {version}            -------->
 *	                           <--------  WELCOME {state, has a GPU}
 *	ATTACH                     -------->
 *	                           <--------  ATTACHED {geometry} + 2 descriptors
 *	REDUCE {slot, what}        -------->
 *	                           <--------  HEARTBEAT, once a second
 *	                           <--------  RESULT {partial} or FAILED {text}
 *	STATUS                     -------->
 *	                           <--------  DEVICES {table}
 *	SHARE {bytes} + 1 descriptor ------>
 *	                           <--------  DONE
 *	LOAD {extent}              -------->
 *	                           <--------  DONE or FAILED {text}
 *	RESIDENCY {columns}        -------->
 *	                           <--------  RESIDENT {table}
 *	EXTENTS {columns, which}   -------->
 *	                           <--------  DONE
 *	TEXTS {column, first}      -------->
 *	                           <--------  DONE
 *	CONFIRM {extent, LSNs}     -------->
 *	                           <--------  DONE
 *	UNLOAD {relation, column}  -------->
 *	                           <--------  DONE
 *	PIN {relation, or not}     -------->
 *	                           <--------  DONE or FAILED {text}
 *	LIST {room}                -------->
 *	                           <--------  LISTED {number}
 *	RUN {query}                -------->
 *	                           <--------  HEARTBEAT, once a second
 *	                           <--------  ANSWER {counts} or FAILED {text}
 *
 * One request is under way on a connection at a time; a second one before the
 * reply ends the connection, as does any message that breaks these rules.  To
 * cancel, the backend closes the connection: what the daemon held for it goes
 * when its work is done.  A connection that it cannot serve is told so by FAILED,
 * with the number 0, before it is closed.
 *
 * HELLO and WELCOME begin alike in all versions, up to the version: so whoever
 * speaks another learns of it.
 *
 * The supervisor holds one end of a socket pair of the same type (descriptor
 * WA_CONTROL_FD in warpaggd) and speaks the messages PING, PONG, SETTINGS, LISTEN
 * (make the socket anew) and RETIRE (end, unless something is under way).
 * warpaggd ends at once when that descriptor reaches its end.
 *
 * Bulk data lies in the staging file: a memory file of warpaggd's, sealed
 * against shrinking, growing and further seals, that begins with a
 * WaStagingHeader and holds slots of equal size.  A backend takes a slot by
 * setting its owner from 0 to its own connection number, writes values (and
 * bitmap) into it, and gives it back by setting the owner to 0 once the reply
 * is there.  When a connection ends warpaggd frees what it owned.
 *
 * What is said about resident columns lies in the connection's parcel, which the
 * backend makes, seals and hands over by SHARE: core/resident.h.
 */
#ifndef WA_CORE_PROTOCOL_H
#define WA_CORE_PROTOCOL_H

#include <sys/stat.h>

#include "core/counters.h"
#include "core/must_check.h"
#include "core/partial.h"
#include "core/resident.h"

/* Raised with every change of a message, a shared file or WaPartial. */
#define WA_PROTOCOL_VERSION 8
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

/* What warpaggd ends with if it speaks another version than was asked for. */
#define WA_EXIT_OTHER_VERSION 3

#define WA_HEARTBEAT_MS      1000
#define WA_MAX_MESSAGE_BYTES 16384
#define WA_MAX_DEVICES       16
#define WA_MAX_SLOTS         1024
#define WA_MAX_ERROR_BYTES   256

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
	WA_MSG_PIN
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

/* How far warpaggd has got with its devices. */
typedef enum WaDaemonState
{
	WA_DAEMON_STARTING = 0, /* GPUs are being opened; ask again */
	WA_DAEMON_READY
} WaDaemonState;

typedef struct WaWelcomeMessage
{
	WaHeader header;
	uint32_t version;
	uint32_t state;                     /* WaDaemonState */
	uint32_t gpus;                      /* number of GPUs in use */
	uint32_t connection;                /* number of this connection, never 0 */
	char gpu_error[WA_MAX_ERROR_BYTES]; /* why there is none; may be "" */
} WaWelcomeMessage;

/* Comes with two descriptors: the staging file and the counters' file. */
typedef struct WaAttachedMessage
{
	WaHeader header;
	uint32_t slots;
	uint32_t unused;
	uint64_t slot_bytes;   /* a multiple of 4096 */
	uint64_t slots_offset; /* of slot 0 in the file, likewise */
	uint64_t file_bytes;
	uint64_t counters_bytes;
} WaAttachedMessage;

typedef struct WaReduceMessage
{
	WaHeader header;
	uint32_t slot;
	uint32_t device; /* WaWantedDevice */
	uint32_t type;   /* WaType */
	uint32_t ops;    /* WaOpSet */
	uint64_t nrows;
	uint64_t values_offset;   /* in the slot, a multiple of the type's width */
	uint64_t validity_offset; /* in the slot, a multiple of 8 */
	uint32_t has_validity;    /* 0 or 1 */
	uint32_t delay_ms;        /* for tests: wait so long before reducing */
} WaReduceMessage; /* bulk: of the values, and the validity behind them */

/* Which device is to do it. */
typedef enum WaWantedDevice
{
	WA_WANT_ANY = 0, /* a GPU where there is one */
	WA_WANT_CPU,
	WA_WANT_GPU
} WaWantedDevice;

typedef struct WaResultMessage
{
	WaHeader header; /* length tells how much of partial is there */
	uint8_t partial[WA_PARTIAL_MAX_BYTES]; /* wa_partial_encode */
} WaResultMessage;

typedef struct WaFailedMessage
{
	WaHeader header;
	uint32_t status; /* WaStatus, not WA_OK */
	uint32_t unused;
	char text[WA_MAX_ERROR_BYTES]; /* ends with a zero byte */
} WaFailedMessage;

typedef struct WaDeviceInfo
{
	uint32_t kind;          /* WaDeviceKind */
	uint32_t ordinal;       /* among the devices of its kind */
	uint32_t compute_major; /* compute capability; 0 for the CPU */
	uint32_t compute_minor;
	uint64_t memory_bytes;    /* of the device, or of the machine */
	uint64_t free_bytes;      /* when the device was opened */
	uint32_t multiprocessors; /* or threads that the CPU device runs */
	uint32_t driver_version;  /* as CUDA numbers it, 13000 for 13.0; 0: CPU */
	char name[128];
} WaDeviceInfo;

typedef struct WaDevicesMessage
{
	WaHeader header; /* length tells how many devices are there */
	uint32_t state;  /* WaDaemonState */
	uint32_t devices;
	WaDeviceInfo device[WA_MAX_DEVICES];
} WaDevicesMessage;

typedef struct WaSettingsMessage
{
	WaHeader header;
	uint32_t version;
	uint32_t device;        /* WaWantedDevice: CPU means never touch a GPU */
	uint64_t staging_bytes; /* size of the staging pool, at the next start */
	uint64_t memory_limit;  /* bytes of resident columns at most */
	uint32_t autoload_permille; /* of them, for what nobody has asked for */
	uint32_t keep_seconds;      /* after its last use nothing is evicted */
} WaSettingsMessage;

/* Tells a file from all others, and from itself after a change of its name. */
typedef struct WaFileIdentity
{
	uint64_t device;
	uint64_t inode;
	int64_t changed_ns; /* time of the last change of its status */
} WaFileIdentity;

typedef struct WaPongMessage
{
	WaHeader header;
	uint32_t version;
	uint32_t working;      /* connections for which something is under way */
	WaFileIdentity socket; /* that warpaggd listens on */
} WaPongMessage;

/*
 * Comes with a descriptor: the parcel, which takes the place of the one before.
 * It has so many bytes, a multiple of 4096, and cannot shrink.
 */
typedef struct WaShareMessage
{
	WaHeader header;
	uint64_t bytes;
} WaShareMessage;

/* An extent is to be kept, in place of what was there of the same columns. */
typedef struct WaLoadMessage
{
	WaHeader header;
	uint64_t extent; /* offset of a WaExtentHead in the parcel */
} WaLoadMessage;     /* bulk: wa_extent_checksum */

/* A relation and columns of it; the length tells how many there are. */
typedef struct WaResidencyMessage
{
	WaHeader header;
	WaRelation relation;
	uint32_t ncolumns;
	WaColumnName columns[WA_MAX_QUERY_COLUMNS];
} WaResidencyMessage;

/* What is there of a column. */
typedef struct WaResidency
{
	uint64_t blocks;     /* cached, fresh or not */
	uint64_t odd_blocks; /* besides, that other columns have of its extents */
	uint64_t rows;       /* of `blocks` */
	uint64_t bytes;
	int64_t smallest;    /* INT: of the values that are not NULL; more than */
	int64_t largest;     /* largest if there are none */
	uint64_t dictionary; /* TEXT: its number; 0: there is none */
	uint64_t texts;      /* TEXT: that have been added to it so far */
} WaResidency;

/* The columns in the order of the request; the length tells how many. */
typedef struct WaResidentMessage
{
	WaHeader header;
	uint64_t complete_blocks; /* cached with all of the columns */
	uint32_t ncolumns;
	uint32_t unused;
	WaResidency columns[WA_MAX_QUERY_COLUMNS];
} WaResidentMessage;

/*
 * Asks for the WaExtentState of extents first to first + count - 1; bulk of the reply
 * is the checksum of all of them.
 */
typedef struct WaExtentsMessage
{
	WaHeader header;
	WaRelation relation;
	uint32_t first;
	uint32_t count;
	uint32_t ncolumns;
	uint64_t states; /* offset in the parcel, where they are written */
	WaColumnName columns[WA_MAX_RESIDENT_COLUMNS]; /* ncolumns of them */
} WaExtentsMessage;

/*
 * Asks for texts of a column's dictionary, those of codes from `first` on.  Where
 * the message says there come a WaTextsHead and the texts, as many as there is room
 * for: of each its length, a number of 32 bits, and its bytes.  Bulk of the reply is
 * the checksum of the head and all of them.
 */
typedef struct WaTextsMessage
{
	WaHeader header;
	WaRelation relation;
	uint32_t first;
	WaColumnName column;
	uint64_t place; /* offset in the parcel */
	uint64_t room;  /* bytes, that of the head included */
} WaTextsMessage;

/* No dictionary has a longer text; the length of one that has yet to come. */
#define WA_NO_TEXT UINT32_MAX

typedef struct WaTextsHead
{
	uint64_t dictionary; /* its number; 0: there is none */
	uint64_t texts;      /* that had been added when the first was written */
	uint32_t ncodes;     /* all codes were less, at that time */
	uint32_t count;      /* of the texts that follow */
	uint64_t bytes;      /* of the head and them */
} WaTextsHead;

/*
 * The blocks of an extent that are in `kept` are as they were when the page of
 * the map had old_lsn, which is what is known of them, and were all-visible
 * when it had new_lsn; the others are not cached any more.
 */
typedef struct WaConfirmMessage
{
	WaHeader header;
	WaRelation relation;
	uint32_t extent;
	uint64_t old_lsn;
	uint64_t new_lsn;
	uint64_t kept[WA_EXTENT_WORDS];
} WaConfirmMessage;

/* Forgets a relation's column, or all of them where attribute is 0. */
typedef struct WaUnloadMessage
{
	WaHeader header;
	WaRelation relation;
	int32_t attribute;
} WaUnloadMessage;

/*
 * Has what is resident of a relation, and what will be, stay, or not any more.  FAILED
 * with WA_BAD_REQUEST: nothing of it is resident; with WA_OUT_OF_MEMORY: with it more
 * than half of the memory would be pinned.
 */
typedef struct WaPinMessage
{
	WaHeader header;
	WaRelation relation;
	uint32_t pinned; /* 0 or 1 */
} WaPinMessage;

/* Asks for an array of WaResidentColumn, of one database or, if 0, of all. */
typedef struct WaListMessage
{
	WaHeader header;
	uint32_t database;
	uint32_t room; /* of how many there is room for */
	uint64_t list; /* offset in the parcel */
} WaListMessage;

typedef struct WaListedMessage
{
	WaHeader header;
	uint32_t columns; /* how many there are, be there room for them or not */
	uint32_t unused;
} WaListedMessage; /* bulk: of those that there was room for */

/*
 * A query over the blocks of a relation that are cached with all its columns and
 * fresh.  Offsets are those of the parcel.  Bulk is the checksum of the maps, and the
 * query behind them.
 */
typedef struct WaRunMessage
{
	WaHeader header;
	WaRelation relation;
	uint32_t nblocks;  /* of the relation, by the query's snapshot */
	uint32_t nmaps;    /* pages of the visibility map */
	uint32_t ncolumns; /* columns: of the query's registers, in its order */
	uint64_t maps;     /* WaMapPage of each */
	uint64_t query;    /* wa_query_write */
	uint64_t query_bytes;
	uint64_t used;   /* where the answer says which blocks it covers: the
						   * words of each map's `visible`, one map after the
						   * other; not written if it covers all of nblocks */
	uint64_t groups; /* where its groups go, if there is room */
	uint64_t groups_room;
	uint64_t memory; /* bytes that its groups may take while it runs */
	WaColumnName columns[WA_MAX_QUERY_COLUMNS]; /* ncolumns of them */
} WaRunMessage;

/*
 * The groups of the covered blocks lie in the parcel, or, if there was no room,
 * in a sealed memory file that comes with the message.  groups_bytes is 0 if
 * there is no block that could be used, or if there is no use in an answer, as not
 * all blocks could be (query/query.h, only_wanted): then nothing has been written.
 * Bulk is the checksum of what has been: `used`, and the groups behind it.
 */
typedef struct WaAnswerMessage
{
	WaHeader header;
	uint32_t in_parcel; /* 0 or 1 */
	uint32_t kind;      /* WaDeviceKind, of the device that computed it */
	uint64_t groups_bytes;
	uint64_t blocks;      /* covered */
	uint64_t left_blocks; /* that would be, but have rows that it cannot take */
	uint64_t rows;        /* of them; or, if blocks is 0, that there would be */
	uint64_t kept_rows;   /* of them that fulfil WHERE */
	uint64_t device_ns;   /* from the request's arrival to the answer */
} WaAnswerMessage;

/* Every message there is. */
typedef union WaMessage
{
	WaHeader header;
	WaSimpleMessage simple;
	WaWelcomeMessage welcome;
	WaAttachedMessage attached;
	WaReduceMessage reduce;
	WaResultMessage result;
	WaFailedMessage failed;
	WaDevicesMessage devices;
	WaSettingsMessage settings;
	WaPongMessage pong;
	WaShareMessage share;
	WaLoadMessage load;
	WaResidencyMessage residency;
	WaResidentMessage resident;
	WaExtentsMessage extents;
	WaTextsMessage texts;
	WaConfirmMessage confirm;
	WaUnloadMessage unload;
	WaPinMessage pin;
	WaListMessage list;
	WaListedMessage listed;
	WaRunMessage run;
	WaAnswerMessage answer;
} WaMessage;

/* Head of the staging file; slots are taken and freed by compare-and-swap. */
typedef struct WaStagingHeader
{
	uint32_t magic;
	uint32_t slots;
	uint32_t owner[WA_MAX_SLOTS]; /* connection number, 0: free */
} WaStagingHeader;

/* Fills in a message's header, but for its checksums. */
static inline void
wa_message_begin(WaHeader *header, WaMessageType type, uint32_t length,
				 uint32_t request)
{
	header->magic = WA_PROTOCOL_MAGIC;
	header->type = (uint32_t) type;
	header->length = length;
	header->request = request;
	header->checksum = 0;
	header->bulk = 0;
}

/* Fills in the checksum of a message that is complete, and is to be sent as it is. */
void wa_message_seal(WaHeader *header);

/*
 * Tells whether a message that is sound arrived as it was sealed: its bytes are those
 * that its checksum was computed of.
 */
WA_MUST_CHECK bool wa_message_is_intact(const void *bytes, size_t length);

/* Fills in what tells a file, of which there is a status, from others. */
static inline WaFileIdentity
wa_file_identity(const struct stat *status)
{
	return (WaFileIdentity){
		.device = (uint64_t) status->st_dev,
		.inode = (uint64_t) status->st_ino,
		.changed_ns = (int64_t) status->st_ctim.tv_sec * 1000000000 +
					  status->st_ctim.tv_nsec,
	};
}

/* Tells whether two files are the same one. */
static inline bool
wa_file_is_same(const WaFileIdentity *a, const WaFileIdentity *b)
{
	return a->device == b->device && a->inode == b->inode &&
		   a->changed_ns == b->changed_ns;
}

/*
 * Tells whether the bytes are a message of a known type whose length is right
 * for it and whose header says the same.  Its fields are still unchecked.
 */
bool wa_message_is_sound(const void *bytes, size_t length);

/*
 * Tells whether the request is one that a staging file of this geometry can
 * serve: known type and operations, offsets and lengths within the slot, no
 * arithmetic overflow.
 */
bool wa_reduce_is_sound(const WaReduceMessage *reduce, uint32_t slots,
						uint64_t slot_bytes);

/* Returns the checksum of what a RUN names: its maps, and the query behind them. */
uint32_t wa_run_checksum(const WaRunMessage *run, const void *maps,
						 const void *query);

/* Returns the checksum of a batch's values, and its validity behind them. */
uint32_t wa_batch_checksum(const WaBatch *batch);

#endif /* WA_CORE_PROTOCOL_H */
