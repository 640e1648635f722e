/*
 * machine.h
 *		What of the machine this process may use.
 */
#ifndef WA_DAEMON_MACHINE_H
#define WA_DAEMON_MACHINE_H

#include <stdint.h>

/* Returns how many processors this process, or its cgroup, may use, at least 1. */
unsigned wa_machine_processors(void);

/* Returns the bytes of memory that the machine has, or our cgroup may use. */
uint64_t wa_machine_memory(void);

#endif /* WA_DAEMON_MACHINE_H */
