/*
 * fuzz_process.h
 *		What targets have in the place of what is a process's own.
 */
#ifndef WA_TEST_FUZZ_PROCESS_H
#define WA_TEST_FUZZ_PROCESS_H

#include <sys/types.h>

/* Has dictionaries that are made from now on be numbered as in each input. */
void fuzz_restart_numbers(void);

/* What is linked in getrandom's place. */
ssize_t __wrap_getrandom(void *buffer, size_t length, unsigned flags);

#endif /* WA_TEST_FUZZ_PROCESS_H */
