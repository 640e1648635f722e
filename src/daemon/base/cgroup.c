/*
 * cgroup.c
 *		Finding the limits of control groups; see cgroup.h.
 *
 * /proc/self/cgroup says in which group of which hierarchy we are.  A hierarchy is looked
 * for where all have it, below /sys/fs/cgroup.  What is mounted there may begin with a
 * group below its root: containers see their own one, often under the path that it has
 * outside.  So the limits that are there count, on the way from our group's directory, if
 * there is one, up to the top.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/cgroup.h"

#define MAX_PATH_BYTES 4096

/* A hierarchy that has what we look for. */
typedef struct Hierarchy
{
	const char *mount;
	const char *controller; /* version 1: one that it has; else NULL */
	/* Looks at the files of one group. */
	void (*look)(const char *directory, WaCgroupLimits *limits);
} Hierarchy;

/* Makes *least a number that is smaller. */
static void
lower(uint64_t *least, uint64_t number)
{
	if (number < *least)
		*least = number;
}

/* Opens a file of a group, or returns NULL. */
static FILE *
open_file(const char *directory, const char *name)
{
	char path[MAX_PATH_BYTES];

	if (snprintf(path, sizeof(path), "%s/%s", directory, name) >=
		(int) sizeof(path))
		return NULL;
	return fopen(path, "re");
}

/*
 * Reads up to two numbers of a file; returns how many there are: none where it
 * is "max", or a negative number, which both mean that there is no limit.
 */
static int
read_numbers(const char *directory, const char *name, uint64_t numbers[2])
{
	FILE *file = open_file(directory, name);
	long long first;
	long long second;
	int found;

	if (file == NULL)
		return 0;
	found = fscanf(file, "%lld %lld", &first, &second);
	(void) fclose(file);
	if (found < 1 || first < 0)
		return 0;
	numbers[0] = (uint64_t) first;
	if (found < 2 || second < 0)
		return 1;
	numbers[1] = (uint64_t) second;
	return 2;
}

/* Takes a file that has a limit of memory into account. */
static void
look_at_bytes(const char *directory, const char *name, WaCgroupLimits *limits)
{
	uint64_t numbers[2];

	if (read_numbers(directory, name, numbers) > 0)
		lower(&limits->memory_bytes, numbers[0]);
}

/* Takes the time that processors may be used, in so much time, into account. */
static void
take_quota(uint64_t quota, uint64_t period, WaCgroupLimits *limits)
{
	if (period > 0)
		lower(&limits->processors,
			  quota <= period ? 1 : quota / period + (quota % period > 0));
}

/* memory.high slows down who exceeds it, as if there were no more memory. */
static void
look_at_version_2(const char *directory, WaCgroupLimits *limits)
{
	uint64_t numbers[2];

	look_at_bytes(directory, "memory.max", limits);
	look_at_bytes(directory, "memory.high", limits);
	if (read_numbers(directory, "cpu.max", numbers) == 2)
		take_quota(numbers[0], numbers[1], limits);
}

static void
look_at_memory(const char *directory, WaCgroupLimits *limits)
{
	look_at_bytes(directory, "memory.limit_in_bytes", limits);
}

static void
look_at_processors(const char *directory, WaCgroupLimits *limits)
{
	uint64_t quota[2];
	uint64_t period[2];

	if (read_numbers(directory, "cpu.cfs_quota_us", quota) > 0 &&
		read_numbers(directory, "cpu.cfs_period_us", period) > 0)
		take_quota(quota[0], period[0], limits);
}

static const Hierarchy hierarchies[] = {
	{"/sys/fs/cgroup", NULL, look_at_version_2},
	{"/sys/fs/cgroup/memory", "memory", look_at_memory},
	{"/sys/fs/cgroup/cpu", "cpu", look_at_processors},
};

/* Tells whether a list with commas has a word. */
static bool
lists(const char *list, const char *word)
{
	const size_t length = strlen(word);

	while (*list != '\0')
	{
		const size_t next = strcspn(list, ",");

		if (next == length && strncmp(list, word, length) == 0)
			return true;
		list += next + (list[next] == ',');
	}
	return false;
}

/*
 * Stores the path of our group in a hierarchy, as we see it: of a line
 * "number:controllers:path", without controllers in version 2.  False: there is none.
 */
static bool
find_group(const char *root, const Hierarchy *hierarchy,
		   char path[MAX_PATH_BYTES])
{
	FILE *file = open_file(root, "proc/self/cgroup");
	char *line = NULL;
	size_t room = 0;
	bool found = false;

	while (file != NULL && !found && getline(&line, &room, file) > 0)
	{
		char *controllers = strchr(line, ':');
		char *group = controllers == NULL ? NULL : strchr(controllers + 1, ':');

		if (group == NULL)
			continue;
		*controllers++ = '\0';
		*group++ = '\0';
		group[strcspn(group, "\n")] = '\0';
		found = (hierarchy->controller == NULL
					 ? controllers[0] == '\0'
					 : lists(controllers, hierarchy->controller)) &&
				snprintf(path, MAX_PATH_BYTES, "%s", group) < MAX_PATH_BYTES;
	}
	free(line);
	if (file != NULL)
		(void) fclose(file);
	/* It lies outside of what we see: a namespace begins elsewhere. */
	if (found && strncmp(path, "/..", 3) == 0)
		path[0] = '\0';
	return found;
}

/* Looks at a group and all above it, up to the top of what is mounted. */
static void
look_upwards(const char *root, const Hierarchy *hierarchy, const char *group,
			 WaCgroupLimits *limits)
{
	char directory[2 * MAX_PATH_BYTES];
	char *last = directory;
	const int top =
		snprintf(directory, sizeof(directory), "%s%s", root, hierarchy->mount);

	(void) snprintf(directory + top, sizeof(directory) - (size_t) top, "%s",
					group);
	while (last != NULL)
	{
		hierarchy->look(directory, limits);
		last = strrchr(directory + top, '/');
		if (last != NULL)
			*last = '\0';
	}
}

WaCgroupLimits
wa_cgroup_limits(const char *root)
{
	WaCgroupLimits limits = {UINT64_MAX, UINT64_MAX};
	char group[MAX_PATH_BYTES];

	for (size_t i = 0; i < sizeof(hierarchies) / sizeof(hierarchies[0]); i++)
		if (find_group(root, &hierarchies[i], group))
			look_upwards(root, &hierarchies[i], group, &limits);
	return limits;
}
