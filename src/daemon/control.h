/*
 * control.h
 *		What the supervisor says, over the socket that we inherited.
 */
#ifndef WA_DAEMON_CONTROL_H
#define WA_DAEMON_CONTROL_H

#include "daemon/service.h"

/*
 * Tells whether the descriptor is a socket that a supervisor can speak over.
 * If not, there is no supervisor.
 */
bool wa_control_is_usable(int fd);

/*
 * Takes one message from the supervisor and does what it says.  Returns false
 * if there is no supervisor any more: then the process has to end.
 */
bool wa_control_receive(int fd, WaService *service);

#endif /* WA_DAEMON_CONTROL_H */
