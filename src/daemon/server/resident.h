/*
 * resident.h
 *		Doing what messages about resident columns ask for, but for RUN.
 *
 * All of it is called by the main thread.  What takes long becomes a task.
 */
#ifndef WA_DAEMON_RESIDENT_H
#define WA_DAEMON_RESIDENT_H

#include "daemon/server/connection.h"

/* A LOAD, EXTENTS, TEXTS, KEEP, FETCH or UNLOAD under way; belongs to its thread, then to us. */
typedef struct WaResidentTask WaResidentTask;

/*
 * Takes the file that came along with SHARE in the place of the connection's
 * parcel; the descriptor remains the caller's.  Returns false, like all of these,
 * if the connection has to be closed.
 */
bool wa_resident_share(WaConnection *connection, WaService *service,
					   const WaShareMessage *share, int fd);

/* Does what another message asks for, or has a thread do it. */
bool wa_resident_handle(WaConnection *connection, WaService *service,
						const WaMessage *message);

/* Replies to a task that is done, and frees it. */
bool wa_resident_reply(WaConnection *connection);

/* Frees the connection's parcel and its task, which nobody works at. */
void wa_resident_release(WaConnection *connection, WaService *service);

#endif /* WA_DAEMON_RESIDENT_H */
