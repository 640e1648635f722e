/*
 * serial_path.c
 *		Paths without parallel workers, of which a second plan can be made; see
 *		serial_path.h.
 *
 * PostgreSQL makes one plan of a relation's paths.  Making another one changes nothing that
 * the first one has, but for these:
 *
 * - Of a subquery, that has been planned by itself, the numbers of relations in what it knows
 *	 of its partitions and children, and of rows that it locks, are changed once for each plan.
 * - Its initial plans would belong to both plans, and which of these begins last would run
 *	 them a second time without having them begin anew.
 * - A recursive query's rows have one reader.
 * - What other extensions do, and wrappers of foreign tables but PostgreSQL's, is not known.
 *
 * Something else is in the place of these, or of what is above them, if there is anything.
 *
 * The same plan with a Gather would put the statement into parallel mode, whether the plan is
 * used or not.  What is below a Gather also computes all rows if there is one process, if it
 * is not told that there are others.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "optimizer/pathnode.h"

#include "scan/plan/planner_compat.h"
#include "scan/plan/pushed_sources.h"
#include "scan/plan/serial_path.h"

/* A kind of path: how large it is, and where the paths are that it gets its rows from. */
typedef struct Kind
{
	NodeTag tag;
	Size bytes;
	int nbelow;
	Size below[2];
} Kind;

static Path *copy_path(const WaSerialPaths *copying, const Path *path);

/* Returns the kind of a path, or NULL if it is not known, or copied in another way. */
static const Kind *
kind_of(const Path *path)
{
	static const Kind kinds[] = {
		{T_Path, sizeof(Path), 0, {0}},
		{T_IndexPath, sizeof(IndexPath), 0, {0}},
		{T_BitmapHeapPath, sizeof(BitmapHeapPath), 0, {0}},
		{T_TidPath, sizeof(TidPath), 0, {0}},
		{T_TidRangePath, sizeof(TidRangePath), 0, {0}},
		{T_GroupResultPath, sizeof(GroupResultPath), 0, {0}},
		{T_SubqueryScanPath,
		 sizeof(SubqueryScanPath),
		 1,
		 {offsetof(SubqueryScanPath, subpath)}},
		{T_MaterialPath,
		 sizeof(MaterialPath),
		 1,
		 {offsetof(MaterialPath, subpath)}},
		{T_MemoizePath,
		 sizeof(MemoizePath),
		 1,
		 {offsetof(MemoizePath, subpath)}},
		{T_UniquePath, sizeof(UniquePath), 1, {offsetof(UniquePath, subpath)}},
		{T_DISTINCT_PATH_COMPAT,
		 sizeof(WaDistinctPath),
		 1,
		 {offsetof(WaDistinctPath, subpath)}},
		{T_ProjectionPath,
		 sizeof(ProjectionPath),
		 1,
		 {offsetof(ProjectionPath, subpath)}},
		{T_SortPath, sizeof(SortPath), 1, {offsetof(SortPath, subpath)}},
		{T_IncrementalSortPath,
		 sizeof(IncrementalSortPath),
		 1,
		 {offsetof(IncrementalSortPath, spath.subpath)}},
		{T_GroupPath, sizeof(GroupPath), 1, {offsetof(GroupPath, subpath)}},
		{T_AggPath, sizeof(AggPath), 1, {offsetof(AggPath, subpath)}},
		{T_WindowAggPath,
		 sizeof(WindowAggPath),
		 1,
		 {offsetof(WindowAggPath, subpath)}},
		{T_LimitPath, sizeof(LimitPath), 1, {offsetof(LimitPath, subpath)}},
		{T_NestPath,
		 sizeof(NestPath),
		 2,
		 {offsetof(NestPath, jpath.outerjoinpath),
		  offsetof(NestPath, jpath.innerjoinpath)}},
		{T_MergePath,
		 sizeof(MergePath),
		 2,
		 {offsetof(MergePath, jpath.outerjoinpath),
		  offsetof(MergePath, jpath.innerjoinpath)}},
		{T_HashPath,
		 sizeof(HashPath),
		 2,
		 {offsetof(HashPath, jpath.outerjoinpath),
		  offsetof(HashPath, jpath.innerjoinpath)}},
	};

	for (int i = 0; i < (int) lengthof(kinds); i++)
		if (kinds[i].tag == nodeTag(path))
			return &kinds[i];
	return NULL;
}

/* Returns a copy of a path alone, with so many bytes. */
static Path *
copy_alone(const Path *path, Size bytes)
{
	Path *copy = palloc(bytes);

	memcpy(copy, path, bytes);
	copy->parallel_aware = false;
	copy->parallel_workers = 0;
	return copy;
}

/* Tells whether a scan may run beside another one of the same relation. */
static bool
is_known_scan(const Path *path)
{
	switch (path->pathtype)
	{
		case T_SeqScan:
		case T_FunctionScan:
		case T_TableFuncScan:
		case T_ValuesScan:
		case T_CteScan:
		case T_NamedTuplestoreScan:
		case T_Result:
			return true;
		default:
			return false;
	}
}

/* Tells whether a subquery may have two plans. */
static bool
is_known_subquery(const PlannerInfo *root)
{
	return root->init_plans == NIL && root->append_rel_list == NIL &&
		   root->rowMarks == NIL;
}

/* Tells whether a path may be copied, those below it aside. */
static bool
is_known(const Path *path)
{
	if (IsA(path, Path))
		return is_known_scan(path);
	return !IsA(path, SubqueryScanPath) ||
		   is_known_subquery(path->parent->subroot);
}

/* Replaces paths of a list by copies; returns NULL if one cannot be copied. */
static List *
copy_paths(const WaSerialPaths *copying, const List *paths)
{
	List *copies = NIL;
	ListCell *cell;

	foreach (cell, paths)
	{
		Path *copy = copy_path(copying, (const Path *) lfirst(cell));

		if (copy == NULL)
			return NIL;
		copies = lappend(copies, copy);
	}
	return copies;
}

/* Copies a path that appends what others return. */
static Path *
copy_append(const WaSerialPaths *copying, const AppendPath *path)
{
	AppendPath *copy = (AppendPath *) copy_alone(&path->path, sizeof(*copy));

	copy->subpaths = copy_paths(copying, path->subpaths);
	copy->first_partial_path = list_length(copy->subpaths);
	return list_length(copy->subpaths) < list_length(path->subpaths)
			   ? NULL
			   : &copy->path;
}

/* The same where rows keep their order. */
static Path *
copy_merge_append(const WaSerialPaths *copying, const MergeAppendPath *path)
{
	MergeAppendPath *copy =
		(MergeAppendPath *) copy_alone(&path->path, sizeof(*copy));

	copy->subpaths = copy_paths(copying, path->subpaths);
	return list_length(copy->subpaths) < list_length(path->subpaths)
			   ? NULL
			   : &copy->path;
}

/* Copies what is below a Gather, which may have computed some columns of its rows. */
static Path *
copy_gathered(const WaSerialPaths *copying, const Path *gather,
			  const Path *below)
{
	Path *copy = copy_path(copying, below);

	return copy == NULL ? NULL
						: &create_projection_path(copying->root, gather->parent,
												  copy, gather->pathtarget)
							   ->path;
}

/*
 * Has a merge join keep the rows of its inner side if what these come from cannot go back to
 * some of them, which what is in the place of it could.
 */
static void
keep_inner(MergePath *path)
{
	if (path->innersortkeys == NIL &&
		!ExecSupportsMarkRestore(path->jpath.innerjoinpath))
		path->materialize_inner = true;
}

/* Copies a path of a kind, with those below it. */
static Path *
copy_kind(const WaSerialPaths *copying, const Path *path, const Kind *kind)
{
	Path *copy = copy_alone(path, kind->bytes);

	for (int i = 0; i < kind->nbelow; i++)
	{
		Path **below = (Path **) ((char *) copy + kind->below[i]);

		*below = copy_path(copying, *below);
		if (*below == NULL)
			return NULL;
	}
	if (IsA(copy, MergePath))
		keep_inner((MergePath *) copy);
	return copy;
}

/* Copies a path that is planned twice; returns NULL if it cannot be. */
static Path *
copy_itself(const WaSerialPaths *copying, const Path *path)
{
	const Kind *kind = kind_of(path);

	if (kind != NULL)
		return is_known(path) ? copy_kind(copying, path, kind) : NULL;
	switch (nodeTag(path))
	{
		case T_AppendPath:
			return copy_append(copying, (const AppendPath *) path);
		case T_MergeAppendPath:
			return copy_merge_append(copying, (const MergeAppendPath *) path);
		case T_GatherPath:
			return copy_gathered(copying, path,
								 ((const GatherPath *) path)->subpath);
		case T_GatherMergePath:
			return copy_gathered(copying, path,
								 ((const GatherMergePath *) path)->subpath);
		case T_ForeignPath:
			return wa_pushed_sources_may_have(path->parent) ? (Path *) path
															: NULL;
		case T_CustomPath:
			return ((const CustomPath *) path)->methods == copying->ours
					   ? (Path *) path
					   : NULL;
		default:
			return NULL;
	}
}

/* Copies a path, or returns NULL. */
static Path *
copy_path(const WaSerialPaths *copying, const Path *path)
{
	Path *copy = NULL;

	check_stack_depth();
	if (IsA(path, SubqueryScanPath))
		copy = copying->instead(path, copying->context);
	if (copy == NULL)
		copy = copy_itself(copying, path);
	return copy != NULL ? copy : copying->instead(path, copying->context);
}

Path *
wa_serial_path(const WaSerialPaths *copying, const Path *path)
{
	return copy_path(copying, path);
}
