/*
 * cgroup.c
 *		Finding the limits of control groups; see cgroup.h.
 *
 * /proc/self/cgroup says in which group of which hierarchy we are, and
 * /proc/self/mountinfo where these can be seen.  A mount may show a part of a
 * hierarchy, from a group on that mountinfo calls its root: containers see their own
 * one, often under the path that it has outside.  If our group lies elsewhere, as in
 * a namespace that begins below or above the mount, the top of what is mounted is
 * all that is left to look at.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/cgroup.h"

#define MAX_PATH_BYTES 4096

/* Where mountinfo has these, counted from 0; then come others, "-" and the type. */
#define ROOT_FIELD  3
#define POINT_FIELD 4

/* Looks at the files of one group. */
typedef void (*Look)(const char *directory, WaCgroupLimits *limits);

/* A hierarchy that has what we look for. */
typedef struct Hierarchy
{
	const char *type;       /* of its mount */
	const char *controller; /* version 1: one that it has; else NULL */
	Look look;
} Hierarchy;

/* Where a group can be seen. */
typedef struct Place
{
	char top[MAX_PATH_BYTES];   /* of what is mounted */
	char group[MAX_PATH_BYTES]; /* ours, from there on: "" or "/..." */
	bool is_ours;               /* it is our group; else we do not see that */
} Place;

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
	{.type = "cgroup2", .look = look_at_version_2},
	{.type = "cgroup", .controller = "memory", .look = look_at_memory},
	{.type = "cgroup", .controller = "cpu", .look = look_at_processors},
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

/* Removes the end of a line. */
static void
chop(char *line)
{
	line[strcspn(line, "\n")] = '\0';
}

/* Opens one of the files of /proc/self. */
static FILE *
open_self(const char *root, const char *name)
{
	char directory[MAX_PATH_BYTES];

	if (snprintf(directory, sizeof(directory), "%s/proc/self", root) >=
		(int) sizeof(directory))
		return NULL;
	return open_file(directory, name);
}

/*
 * Stores the path of our group in a hierarchy, as we see it: of a line
 * "number:controllers:path", without controllers in version 2.  False: there is none.
 */
static bool
find_group(const char *root, const Hierarchy *hierarchy,
		   char path[MAX_PATH_BYTES])
{
	FILE *file = open_self(root, "cgroup");
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
		chop(group);
		found = (hierarchy->controller == NULL
					 ? controllers[0] == '\0'
					 : lists(controllers, hierarchy->controller)) &&
				snprintf(path, MAX_PATH_BYTES, "%s", group) < MAX_PATH_BYTES;
	}
	free(line);
	if (file != NULL)
		(void) fclose(file);
	return found;
}

/* Puts characters in the place of what mountinfo has for them: \040 for a blank. */
static void
unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from != '\0'; to++)
		if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' &&
			from[2] >= '0' && from[2] <= '7' && from[3] >= '0' &&
			from[3] <= '7')
		{
			*to = (char) ((from[1] - '0') * 64 + (from[2] - '0') * 8 +
						  (from[3] - '0'));
			from += 4;
		}
		else
			*to = *from++;
	*to = '\0';
}

/* Returns what follows the root of a mount in a path, or NULL if it is elsewhere. */
static const char *
below(const char *path, const char *mount_root)
{
	const size_t length = strcmp(mount_root, "/") == 0 ? 0 : strlen(mount_root);

	if (strncmp(path, mount_root, length) != 0 ||
		(path[length] != '/' && path[length] != '\0') ||
		strncmp(path + length, "/..", 3) == 0)
		return NULL;
	return strcmp(path + length, "/") == 0 ? "" : path + length;
}

/*
 * Reads a line of mountinfo.  If it is a mount of the hierarchy stores where that
 * shows the group with the path; false: it is none.
 */
static bool
read_mount(const char *root, char *line, const Hierarchy *hierarchy,
		   const char *path, Place *place)
{
	char *rest = strstr(line, " - ");
	char *fields[POINT_FIELD + 1];
	const char *group;
	const char *type;
	const char *options;

	if (rest == NULL)
		return false;
	*rest = '\0';
	rest += 3;
	for (int i = 0; i <= POINT_FIELD; i++)
		if ((fields[i] = strsep(&line, " ")) == NULL)
			return false;
	type = strsep(&rest, " ");
	(void) strsep(&rest, " ");
	options = rest == NULL ? "" : rest;
	if (strcmp(type, hierarchy->type) != 0 ||
		(hierarchy->controller != NULL &&
		 !lists(options, hierarchy->controller)))
		return false;
	unescape(fields[ROOT_FIELD]);
	unescape(fields[POINT_FIELD]);
	group = below(path, fields[ROOT_FIELD]);
	place->is_ours = group != NULL;
	return snprintf(place->top, sizeof(place->top), "%s%s", root,
					fields[POINT_FIELD]) < (int) sizeof(place->top) &&
		   snprintf(place->group, sizeof(place->group), "%s",
					group == NULL ? "" : group) < (int) sizeof(place->group);
}

/* Finds where a group can be seen, if at all: its own directory if there is one. */
static bool
find_place(const char *root, const Hierarchy *hierarchy, const char *path,
		   Place *place)
{
	FILE *file = open_self(root, "mountinfo");
	char *line = NULL;
	size_t room = 0;
	Place other;
	bool found = false;

	while (file != NULL && (!found || !place->is_ours) &&
		   getline(&line, &room, file) > 0)
	{
		chop(line);
		if (!read_mount(root, line, hierarchy, path, &other) ||
			(found && !other.is_ours))
			continue;
		*place = other;
		found = true;
	}
	free(line);
	if (file != NULL)
		(void) fclose(file);
	return found;
}

/* Looks at a group and all above it, up to the top of what is mounted. */
static void
look_upwards(const Hierarchy *hierarchy, Place *place, WaCgroupLimits *limits)
{
	char directory[2 * MAX_PATH_BYTES];

	for (;;)
	{
		char *last = strrchr(place->group, '/');

		(void) snprintf(directory, sizeof(directory), "%s%s", place->top,
						place->group);
		hierarchy->look(directory, limits);
		if (last == NULL)
			return;
		*last = '\0';
	}
}

WaCgroupLimits
wa_cgroup_limits(const char *root)
{
	WaCgroupLimits limits = {UINT64_MAX, UINT64_MAX};
	char path[MAX_PATH_BYTES];
	Place place;

	for (size_t i = 0; i < sizeof(hierarchies) / sizeof(hierarchies[0]); i++)
		if (find_group(root, &hierarchies[i], path) &&
			find_place(root, &hierarchies[i], path, &place))
			look_upwards(&hierarchies[i], &place, &limits);
	return limits;
}
