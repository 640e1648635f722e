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
 *	RESIDENCY {sources, columns} ------>
 *	                           <--------  RESIDENT {table}
 *	STAMPS {sources, snapshot} -------->
 *	                           <--------  DONE
 *	BLOCKS {relation, snapshot} ------->
 *	                           <--------  DONE
 *	EXTENTS {columns, which}   -------->
 *	                           <--------  LISTED {number}
 *	TEXTS {column, first}      -------->
 *	                           <--------  DONE
 *	CONFIRM {extent, position} -------->
 *	                           <--------  DONE
 *	FOLLOW {from, to, changes} -------->
 *	                           <--------  FOLLOWED {position}, if that is wanted
 *	UNLOAD {relation, column}  -------->
 *	                           <--------  DONE
 *	PIN {relation, or not}     -------->
 *	                           <--------  DONE or FAILED {text}
 *	LIST {room}                -------->
 *	                           <--------  LISTED {number}
 *	KEEP {digest, table}       -------->
 *	                           <--------  DONE or FAILED {text}
 *	KEPT {digests}             -------->
 *	                           <--------  DONE or FAILED {text}
 *	FETCH {digest}             -------->
 *	                           <--------  LISTED {number} or FAILED {text}
 *	RUN {query}                -------->
 *	                           <--------  HEARTBEAT, once a second
 *	                           <--------  COVER {number}, if that was asked for
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
 * (make the socket anew), RETIRE (end, unless something is under way), FOLLOW and
 * FOLLOWED.
 * warpaggd ends at once when that descriptor reaches its end.
 *
 * Bulk data lies in the staging file: a memory file of warpaggd's, sealed against
 * shrinking, growing and further seals, that begins with a WaStagingHeader and holds
 * slots of equal size.  A backend takes a slot by setting its owner from 0 to its own
 * connection number, writes values into it, and gives it back by setting the owner to 0
 * once the reply is there.  When a connection ends warpaggd frees what it owned.
 *
 * What is said about resident columns lies in the connection's parcel, which the
 * backend makes, seals and hands over by SHARE: core/resident.h.
 */
#ifndef WA_CORE_PROTOCOL_H
#define WA_CORE_PROTOCOL_H

#include <sys/stat.h>

#include "core/must_check.h"
#include "core/partial.h"
#include "core/resident_messages.h"

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
	uint32_t device;   /* WaWantedDevice */
	uint32_t type;     /* WaType */
	uint32_t ops;      /* WaOpSet */
	uint64_t nrows;    /* of which the slot begins with the values */
	uint32_t delay_ms; /* for tests: wait so long before reducing */
	uint32_t unused;
} WaReduceMessage; /* bulk: of the values */

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
	WaStampsMessage stamps;
	WaBlocksMessage blocks;
	WaExtentsMessage extents;
	WaTextsMessage texts;
	WaConfirmMessage confirm;
	WaFollowMessage follow;
	WaFollowedMessage followed;
	WaUnloadMessage unload;
	WaPinMessage pin;
	WaListMessage list;
	WaListedMessage listed;
	WaKeepMessage keep;
	WaKeptMessage kept;
	WaFetchMessage fetch;
	WaRunMessage run;
	WaCoverMessage cover;
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
 * serve: known type and operations, values within the slot, no arithmetic overflow.
 */
bool wa_reduce_is_sound(const WaReduceMessage *reduce, uint32_t slots,
						uint64_t slot_bytes);

/* Tells whether what a FOLLOW says can be. */
bool wa_follow_is_sound(const WaFollowMessage *follow);

/* Tells whether a snapshot can be. */
bool wa_snapshot_is_sound(const WaSnapshot *snapshot);

/*
 * Tells whether for a sound snapshot all transactions have ended that decide about the
 * rows of a block, which are described as in a WaExtentHead; or of several blocks: then
 * settled is the largest of them, first_xid the smallest that is not 0, and last_xid the
 * largest.
 */
bool wa_snapshot_settles(const WaSnapshot *snapshot, uint64_t settled,
						 uint64_t first_xid, uint64_t last_xid);

/* Returns the checksum of a batch's values. */
uint32_t wa_batch_checksum(const WaBatch *batch);

/*
 * Returns the checksum of the query of a RUN, of the sources with their attributes, and of the
 * blocks whose rows it brings, if it does.
 */
uint32_t wa_run_checksum(const WaRunMessage *run, const void *query,
						 const void *sources, const void *rest_blocks);

#endif /* WA_CORE_PROTOCOL_H */
