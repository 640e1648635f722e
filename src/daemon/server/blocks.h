/*
 * blocks.h
 *		Answering BLOCKS: what the blocks of a relation are.
 */
#ifndef WA_DAEMON_BLOCKS_H
#define WA_DAEMON_BLOCKS_H

#include "daemon/server/connection.h"

/* Answers a question.  Returns false if the connection has to be closed. */
bool wa_blocks_handle(WaConnection *connection, WaService *service,
					  const WaBlocksMessage *blocks);

#endif /* WA_DAEMON_BLOCKS_H */
