/*
 * program.h
 *		The program that the supervisor runs, and whether its file is replaced.
 *
 * An update replaces files under a running server.  While the device process runs
 * it goes on as it was; its successor would be another program.  So once a second
 * the supervisor looks whether the file is still the one that it started, and
 * has a new one say whether it speaks the same version of the protocol, before it
 * depends on it.
 */
#ifndef WA_CLIENT_PROGRAM_H
#define WA_CLIENT_PROGRAM_H

#include "core/protocol.h"

/* A program, as far as its file tells; all of identity 0: none that may be run. */
typedef struct WaProgram
{
	char path[MAXPGPATH];
	WaFileIdentity identity;
} WaProgram;

/* What there is to say of a file that is not the one that was started. */
typedef enum WaProgramNews
{
	WA_PROGRAM_NO_NEWS = 0,
	WA_PROGRAM_NEW,           /* another that speaks our version */
	WA_PROGRAM_OTHER_VERSION, /* one that does not */
	WA_PROGRAM_UNUSABLE       /* there is none, or it does not run */
} WaProgramNews;

typedef struct WaProgramWatch
{
	WaProgram started; /* filled in by whoever starts it */
	WaProgram seen;    /* at the last look */
	bool judged;       /* what was seen has been asked for its version */
	pid_t probe;       /* the process that is asked; 0: none */
	int looks;         /* that this has lasted */
} WaProgramWatch;

/* Finds the program that the settings name. */
extern void wa_program_find(WaProgram *program);

/* Tells whether it is the same file at the same path. */
extern bool wa_program_is_same(const WaProgram *a, const WaProgram *b);

/*
 * Looks at the file; to be called once a second while the program runs.  News come
 * once.
 */
extern WaProgramNews wa_program_look(WaProgramWatch *watch);

/* Ends the process that is asked for its version, if there is one. */
extern void wa_program_stop_looking(WaProgramWatch *watch);

/*
 * Tells whether the file of our own library has been replaced since this was first
 * called.
 */
extern bool wa_program_library_is_replaced(void);

#endif /* WA_CLIENT_PROGRAM_H */
