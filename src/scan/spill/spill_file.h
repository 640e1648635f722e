/*
 * spill_file.h
 *		Files of rows and groups that did not fit the memory, one for each
 *		partition and process that has spilled some.
 *
 * The files are of PostgreSQL's: temp_tablespaces, temp_file_limit and
 * log_temp_files hold for them.  They are closed by the resource owner at an
 * error.  Those of workers are in a set, which who has made it deletes; process 0
 * has tapes, all in one file, as it would have to make and to delete thousands of
 * files where there is little memory, which takes longer than to write them.
 *
 * Entries are read in the order in which a process has written them.
 */
#ifndef WA_SCAN_SPILL_FILE_H
#define WA_SCAN_SPILL_FILE_H

#include "storage/fileset.h"
#include "utils/logtape.h"

#include "core/must_check.h"
#include "heap/heap.h"
#include "scan/groups/partition.h"

/* A message of groups (query/message/partial_groups.h), aligned to words. */
typedef struct WaSpilledGroups
{
	const void *data;
	uint32 bytes;
} WaSpilledGroups;

typedef struct WaSpillWriter WaSpillWriter;

/* A part of a partition that has been written. */
typedef struct WaSpillPart
{
	WaPartition partition;
	LogicalTape *tape; /* of process 0; NULL: it has written nothing */
	int64 tape_bytes;
} WaSpillPart;

/*
 * Makes the files of process number `process`, or its tapes, for the parts into
 * which `bits` more bits divide a partition.  tapes: of process 0, else NULL.
 */
extern WaSpillWriter *wa_spill_writer_make(FileSet *set, LogicalTapeSet *tapes,
										   int process, WaPartition partition,
										   int bits);

/*
 * Writes a row whose keys have the hash, which is one of the partition's.  Of the
 * tuple, what comes before t_infomask2 is not kept.
 */
extern void wa_spill_writer_put_row(WaSpillWriter *writer, uint32 hash,
									HeapTupleHeader tuple, uint32 length);

/* Writes a message of groups that are of the part of the hash. */
extern void wa_spill_writer_put_groups(WaSpillWriter *writer, uint32 hash,
									   const void *message, Size bytes);

/* Returns the number of the part of a hash. */
extern uint32 wa_spill_writer_part(const WaSpillWriter *writer, uint32 hash);

/*
 * Stores the parts in `parts`, which has room for all; if all is not set, only
 * those that have been written to.  Returns how many these are.
 */
extern int wa_spill_writer_parts(const WaSpillWriter *writer, bool all,
								 WaSpillPart *parts);

/*
 * Has the files be read from now on, by whatever process, and frees the writer.  Returns
 * the bytes of all files, but not of tapes.
 */
extern int64 wa_spill_writer_end(WaSpillWriter *writer);

typedef struct WaSpillReader WaSpillReader;

/* Returns the bytes that a reader has for rows, unless one needs more. */
extern Size wa_spill_batch_bytes(void);

/* Opens the tape and the files of a partition, of processes 0 to nprocesses - 1. */
extern WaSpillReader *wa_spill_reader_make(FileSet *set, int nprocesses,
										   const WaSpillPart *part);

/*
 * Reads either rows, at most WA_VECTOR_ROWS, which it stores and returns the
 * number of; or groups, which it stores in *groups and returns 0.  Returns -1 at
 * the end.  What is read lives until the next call.  Checks for interrupts.
 */
extern WA_MUST_CHECK int wa_spill_reader_next(WaSpillReader *reader,
											  WaRow *rows,
											  WaSpilledGroups *groups);

/* Returns which part of the bytes has been read. */
extern double wa_spill_reader_progress(const WaSpillReader *reader);

/*
 * Deletes the files and the tape, and frees the reader.  Returns the bytes that the
 * files had.
 */
extern int64 wa_spill_reader_end(WaSpillReader *reader);

#endif /* WA_SCAN_SPILL_FILE_H */
