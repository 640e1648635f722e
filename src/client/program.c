/*
 * program.c
 *		Whether the file of warpaggd is replaced; see program.h.
 */
#include "postgres.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "miscadmin.h"

#include "client/program.h"
#include "client/spawn.h"
#include "settings.h"

/* A program that has not told its version after so many looks never will. */
#define PATIENT_LOOKS 20

/*
 * Identifies a file, by the time of its last change of contents, as its status
 * changes for many reasons; all 0 if there is none that we may use.
 */
static WaFileIdentity
identify(const char *path, int access_mode)
{
	struct stat status;
	WaFileIdentity identity = {0};

	if (access(path, access_mode) != 0 || stat(path, &status) != 0)
		return identity;
	identity = wa_file_identity(&status);
	identity.changed_ns =
		(int64_t) status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
	return identity;
}

void
wa_program_find(WaProgram *program)
{
	if (wa_daemon_path != NULL && wa_daemon_path[0] != '\0')
		strlcpy(program->path, wa_daemon_path, sizeof(program->path));
	else
		snprintf(program->path, sizeof(program->path), "%s/warpaggd",
				 pkglib_path);
	program->identity = identify(program->path, X_OK);
}

bool
wa_program_is_same(const WaProgram *a, const WaProgram *b)
{
	return strcmp(a->path, b->path) == 0 &&
		   wa_file_is_same(&a->identity, &b->identity);
}

/* Judges a program by how the process that was asked for its version ended. */
static WaProgramNews
judge(int status)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return WA_PROGRAM_NEW;
	if (WIFEXITED(status) && WEXITSTATUS(status) == WA_EXIT_OTHER_VERSION)
		return WA_PROGRAM_OTHER_VERSION;
	return WA_PROGRAM_UNUSABLE;
}

/* Sees whether the process that is asked has ended. */
static WaProgramNews
hear_probe(WaProgramWatch *watch)
{
	int status;
	pid_t reaped = waitpid(watch->probe, &status, WNOHANG);

	if (reaped == 0 && ++watch->looks < PATIENT_LOOKS)
		return WA_PROGRAM_NO_NEWS;
	if (reaped == 0)
	{
		wa_program_stop_looking(watch);
		return WA_PROGRAM_UNUSABLE;
	}
	watch->probe = 0;
	return reaped > 0 ? judge(status) : WA_PROGRAM_UNUSABLE;
}

WaProgramNews
wa_program_look(WaProgramWatch *watch)
{
	WaProgram now;

	if (watch->probe != 0)
		return hear_probe(watch);
	wa_program_find(&now);
	if (!wa_program_is_same(&now, &watch->seen))
	{
		/* It may still be being written: look again before it is asked. */
		watch->seen = now;
		watch->judged = false;
		return WA_PROGRAM_NO_NEWS;
	}
	if (watch->judged || wa_program_is_same(&now, &watch->started))
		return WA_PROGRAM_NO_NEWS;
	watch->judged = true;
	watch->looks = 0;
	watch->probe = wa_spawn_probe(now.path);
	return watch->probe != 0 ? WA_PROGRAM_NO_NEWS : WA_PROGRAM_UNUSABLE;
}

void
wa_program_stop_looking(WaProgramWatch *watch)
{
	if (watch->probe == 0)
		return;
	(void) kill(watch->probe, SIGKILL);
	(void) waitpid(watch->probe, NULL, 0);
	watch->probe = 0;
}

bool
wa_program_library_is_replaced(void)
{
	static WaFileIdentity loaded;
	Dl_info library;
	WaFileIdentity now;

	/* Where it was loaded from is known by what is in it. */
	if (dladdr(&loaded, &library) == 0)
		return false;
	now = identify(library.dli_fname, R_OK);
	if (loaded.inode == 0)
		loaded = now;
	return now.inode != 0 && !wa_file_is_same(&now, &loaded);
}
