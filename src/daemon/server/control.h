/*
 * control.h
 *		What the supervisor says, over the socket that we inherited.
 */
#ifndef WA_DAEMON_CONTROL_H
#define WA_DAEMON_CONTROL_H

#include "daemon/server/service.h"

/*
 * Tells whether the descriptor is a socket that a supervisor can speak over.
 * If not, there is no supervisor.
 */
bool wa_control_is_usable(int fd);

/* What the supervisor's message leaves the server to do. */
typedef enum WaOrder
{
	WA_ORDER_NONE = 0,
	WA_ORDER_LISTEN, /* on a new socket */
	WA_ORDER_RETIRE, /* end, unless something is under way */
	WA_ORDER_END     /* there is no supervisor any more */
} WaOrder;

/* What the server has the supervisor know. */
typedef struct WaControlState
{
	WaFileIdentity socket; /* that it listens on */
	uint32_t working;      /* connections for which something is under way */
} WaControlState;

/*
 * Takes one message from the supervisor, answers it or does what it says, and
 * returns what is left to do.
 */
WaOrder wa_control_receive(int fd, WaService *service,
						   const WaControlState *state);

#endif /* WA_DAEMON_CONTROL_H */
