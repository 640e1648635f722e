/*
 * plan_text.c
 *		Texts of plans and expressions; see plan_text.h.
 *
 * They are PostgreSQL's, where a field is a blank, a colon, its name and a blank, and then a
 * value.  From 16 on the name begins with those of what the field is in: "scan.scanrelid".
 * In names that users have given a blank has a backslash before it, and begins no field.
 */
#include "postgres.h"

#include "scan/node/plan_text.h"

/* Fields that make no difference to the rows of a plan, nor to a value of these. */
static const char *const left_out[] = {
	"location",        "startup_cost", "total_cost",     "plan_rows",
	"plan_width",      "plan_node_id", "disabled_nodes", "extParam",
	"allParam",        "num_workers",  "rescan_param",   "numGroups",
	"transitionSpace", "rows_total",   "custom_relids",  "resname",
	"ressortgroupref", "varnosyn",     "varattnosyn",    "varnullingrels"};

/* Those that have the number of a relation. */
static const char *const numbered[] = {"varno", "scanrelid"};

/* Tells whether a name of some length is among some. */
static bool
is_among(const char *name, size_t length, const char *const *names, int count)
{
	for (int i = 0; i < count; i++)
		if (strlen(names[i]) == length && memcmp(name, names[i], length) == 0)
			return true;
	return false;
}

/* Returns what follows a value: it is a word, or one list in brackets. */
static const char *
skip_value(const char *text)
{
	const char *ends = *text == '(' ? ")" : " )}";

	for (; *text != '\0' && strchr(ends, *text) == NULL; text++)
		if (*text == '\\' && text[1] != '\0')
			text++;
	return *text == ')' && ends[0] == ')' ? text + 1 : text;
}

/* Returns the place of a relation among some, to which it is added if it is new. */
static int
place_of(List **relations, int number)
{
	ListCell *cell;

	foreach (cell, *relations)
		if (lfirst_int(cell) == number)
			return foreach_current_index(cell);
	*relations = lappend_int(*relations, number);
	return list_length(*relations) - 1;
}

/* Appends what a text begins with, which may be a field, but for those that are left out. */
static const char *
append_field(StringInfo to, List **relations, const char *text)
{
	const char *begin = text + 2;
	const char *end = begin + strcspn(begin, " (){}");
	const char *name = end;
	int number;

	while (name > begin && name[-1] != '.')
		name--;
	if (*end == ' ' &&
		is_among(name, (size_t) (end - name), left_out, lengthof(left_out)))
		return skip_value(end + 1);
	appendBinaryStringInfo(to, text, (int) (end - text));
	if (!is_among(name, (size_t) (end - name), numbered, lengthof(numbered)) ||
		(number = atoi(end)) <= 0)
		return end;
	appendStringInfo(to, " #%d", place_of(relations, number));
	return end + 1 + strspn(end + 1, "0123456789");
}

void
wa_plan_text_append(StringInfo to, List **relations, const void *node)
{
	const char *text = nodeToString(node);
	const char *next;

	while ((next = strstr(text, " :")) != NULL)
	{
		appendBinaryStringInfo(to, text, (int) (next - text));
		if (next == text || next[-1] != '\\')
			text = append_field(to, relations, next);
		else
		{
			appendStringInfoString(to, " :");
			text = next + 2;
		}
	}
	appendStringInfoString(to, text);
}
