/*
 * test_resident_client.h
 *		A backend's side of resident columns, for tests of warpaggd.
 */
#ifndef TEST_RESIDENT_CLIENT_H
#define TEST_RESIDENT_CLIENT_H

#include "test/unit/test_daemon_client.h"
#include "test/unit/test_extent.h"

#define WA_TEST_PARCEL_BYTES ((uint64_t) 8 << 20)

/* Answers are written from here on; an extent is written to the beginning. */
#define WA_TEST_ANSWERS ((uint64_t) 5 << 20)

/* Where the parts of a RUN lie in the parcel. */
#define WA_TEST_QUERY_AT   (WA_TEST_ANSWERS)
#define WA_TEST_SOURCES_AT (WA_TEST_ANSWERS + 65536)
#define WA_TEST_USED_AT    (WA_TEST_ANSWERS + 131072)
#define WA_TEST_COVER_AT   (WA_TEST_ANSWERS + 163840)
#define WA_TEST_GROUPS_AT  (WA_TEST_ANSWERS + 196608)

/* Where a RESIDENCY has the blocks of sources, after at most 2 MB for these. */
#define WA_TEST_BLOCKS_AT (WA_TEST_SOURCES_AT + ((uint64_t) 2 << 20))

/* That a relation has, of a RUN. */
#define WA_TEST_BLOCKS ((uint32_t) 64 * WA_EXTENT_BLOCKS)

/* Bytes that tell which of them an answer covers. */
#define WA_TEST_USED_BYTES ((size_t) 64 * WA_EXTENT_WORDS * sizeof(uint64_t))

/* A connection with a parcel of WA_TEST_PARCEL_BYTES. */
typedef struct WaTestOwner
{
	WaTestClient client;
	uint8_t *parcel;
	int parcel_fd;
} WaTestOwner;

/* Makes a memory file with such seals; returns its descriptor. */
int wa_test_make_parcel(uint64_t bytes, int seals);

/* Sends a message with nfds descriptors, at most 4. */
bool wa_test_send_with(int fd, const void *bytes, size_t length, const int *fds,
					   int nfds);

/* Sends SHARE; tells whether that could be done. */
bool wa_test_share(int fd, int parcel_fd, uint64_t bytes);

/* Connects, says HELLO and shares a parcel. */
bool wa_test_own(WaTestOwner *owner);

/* Ends all that. */
void wa_test_disown(WaTestOwner *owner);

/* Returns the checksum of the extent at an offset of a parcel, if it is sound; else 0. */
uint32_t wa_test_extent_checksum(const uint8_t *parcel, uint64_t offset,
								 uint64_t bytes);

/* Sends LOAD for the extent at an offset of the parcel. */
bool wa_test_send_load(WaTestOwner *owner, uint64_t offset);

/*
 * Writes an extent to the parcel and has it loaded.  Returns the status that
 * came back, -1 if something else did.
 */
int wa_test_load_extent(WaTestOwner *owner, uint64_t relation, uint32_t number,
						uint64_t position, uint64_t seed, uint64_t attributes);

/*
 * Sends a request, a RUN or RESIDENCY with the checksum of what it names, and receives the
 * reply; returns its type.
 */
int wa_test_ask(WaTestOwner *owner, const void *request, WaMessage *reply);

/*
 * Sends FOLLOW, which says that WAL has changed some blocks of relation 0, all at `to`.
 * Returns what the reply says is known, or 0.
 */
uint64_t wa_test_follow(WaTestOwner *owner, uint64_t from, uint64_t to,
						const uint32_t *blocks, uint32_t nblocks);

/* Sends such a FOLLOW that needs no reply; tells whether it could. */
bool wa_test_tell_follow(const WaTestOwner *owner, uint64_t from, uint64_t to,
						 const uint32_t *blocks, uint32_t nblocks);

/*
 * Writes a query to the parcel.  Returns the RUN, with room for 4096 bytes of groups,
 * over a set of attributes of the WA_TEST_BLOCKS blocks of relation 0, by
 * wa_test_snapshot, for which WAL has to be known up to a position.
 */
WaRunMessage wa_test_run(const WaTestOwner *owner, uint64_t attributes,
						 uint64_t position, const void *query,
						 uint64_t query_bytes, uint32_t request);

/*
 * Writes some relations to the parcel; returns the RESIDENCY that asks for a set of
 * attributes, the same ones of each.
 */
WaResidencyMessage wa_test_question(const WaTestOwner *owner,
									const uint64_t *relations,
									uint32_t nsources, uint64_t attributes);

/* Asks what there is of a set of attributes of one relation. */
bool wa_test_residency(WaTestOwner *owner, uint64_t relation,
					   uint64_t attributes, WaResidentMessage *resident);

#endif /* TEST_RESIDENT_CLIENT_H */
