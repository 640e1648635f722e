/*
 * spill_file.c
 *		Files of rows and groups; see spill_file.h.
 *
 * An entry has a word before it: its length, and whether it is groups.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "storage/buffile.h"
#include "utils/memutils.h"

#include "scan/spill/spill_file.h"

/* Rows are read into this part of the memory of groups, unless one needs more. */
#define BATCH_PART      16
#define MAX_BATCH_BYTES ((Size) 64 * 1024)

/* Of a tuple in memory: what stands before the bytes that are in a file. */
#define TUPLE_LEAD offsetof(HeapTupleHeaderData, t_infomask2)

/* Where a process writes a part; one of both is there, if it has written any. */
typedef struct Output
{
	BufFile *file;
	LogicalTape *tape;
	int64 bytes;
} Output;

/* Files forget pieces of their memory, so each set has a context of its own. */
struct WaSpillWriter
{
	MemoryContext context;
	FileSet *set;
	LogicalTapeSet *tapes; /* of process 0; or NULL */
	int process;
	WaPartition partition;
	int nparts;
	int64 bytes; /* of files */
	Output outputs[FLEXIBLE_ARRAY_MEMBER];
};

struct WaSpillReader
{
	MemoryContext context;
	FileSet *set;
	WaPartition partition;
	int nprocesses;
	int process;       /* whose file or tape is read */
	LogicalTape *tape; /* of process 0; or NULL */
	BufFile *file;     /* of another process; NULL: it is not open */
	int64 bytes;       /* of all */
	int64 file_bytes;  /* of the files among them */
	int64 bytes_read;
	uint32 word; /* of the entry that comes next; 0: not yet read */
	char *buffer;
	Size capacity;
};

/* Makes the name of a file. */
static void
make_name(char *name, int process, WaPartition partition)
{
	snprintf(name, MAXPGPATH, "%d.%d.%x", process, partition.bits,
			 partition.value);
}

/* Returns one of the parts that are written. */
static WaPartition
part_of(const WaSpillWriter *writer, uint32 number)
{
	WaPartition part = writer->partition;

	part.value |= number << part.bits;
	part.bits += pg_leftmost_one_pos32(writer->nparts);
	return part;
}

WaSpillWriter *
wa_spill_writer_make(FileSet *set, LogicalTapeSet *tapes, int process,
					 WaPartition partition, int bits)
{
	int nparts = 1 << bits;
	MemoryContext context = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg spill writer", ALLOCSET_SMALL_SIZES);
	WaSpillWriter *writer =
		MemoryContextAllocZero(context, offsetof(WaSpillWriter, outputs) +
											sizeof(Output) * (Size) nparts);

	Assert((process == 0) == (tapes != NULL));
	Assert(bits > 0 && partition.bits + bits <= WA_PARTITION_MAX_BITS);
	writer->context = context;
	writer->set = set;
	writer->tapes = tapes;
	writer->process = process;
	writer->partition = partition;
	writer->nparts = nparts;
	return writer;
}

uint32
wa_spill_writer_part(const WaSpillWriter *writer, uint32 hash)
{
	return hash >> writer->partition.bits & (uint32) (writer->nparts - 1);
}

/* Begins to write a part: a tape lives with the others, a file with the writer. */
static void
begin_output(WaSpillWriter *writer, uint32 number)
{
	Output *output = &writer->outputs[number];
	char name[MAXPGPATH];
	MemoryContext old;

	if (writer->tapes != NULL)
	{
		old = MemoryContextSwitchTo(GetMemoryChunkContext(writer->tapes));
		output->tape = LogicalTapeCreate(writer->tapes);
	}
	else
	{
		old = MemoryContextSwitchTo(writer->context);
		make_name(name, writer->process, part_of(writer, number));
		output->file = BufFileCreateFileSet(writer->set, name);
	}
	MemoryContextSwitchTo(old);
}

/* Writes bytes; a tape makes its buffer in the current memory context. */
static void
write_bytes(Output *output, const void *data, Size bytes)
{
	if (output->tape != NULL)
		LogicalTapeWrite(output->tape, unconstify(void *, data), bytes);
	else
		BufFileWrite(output->file, unconstify(void *, data), bytes);
	output->bytes += (int64) bytes;
}

/* Writes an entry. */
static void
put(WaSpillWriter *writer, uint32 hash, bool is_group, const void *data,
	Size bytes)
{
	const uint32 number = wa_spill_writer_part(writer, hash);
	Output *output = &writer->outputs[number];
	uint32 word = (uint32) bytes << 1 | (is_group ? 1 : 0);
	MemoryContext old;

	if (bytes > PG_INT32_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a group is too large to be spilled")));
	if (output->bytes == 0)
		begin_output(writer, number);
	old = MemoryContextSwitchTo(writer->context);
	write_bytes(output, &word, sizeof(word));
	write_bytes(output, data, bytes);
	MemoryContextSwitchTo(old);
	if (output->file != NULL)
		writer->bytes += (int64) (sizeof(word) + bytes);
}

void
wa_spill_writer_put_row(WaSpillWriter *writer, uint32 hash,
						HeapTupleHeader tuple, uint32 length)
{
	put(writer, hash, false, (char *) tuple + TUPLE_LEAD,
		length - (uint32) TUPLE_LEAD);
}

void
wa_spill_writer_put_groups(WaSpillWriter *writer, uint32 hash,
						   const void *message, Size bytes)
{
	put(writer, hash, true, message, bytes);
}

int
wa_spill_writer_parts(const WaSpillWriter *writer, bool all, WaSpillPart *parts)
{
	int nparts = 0;

	for (int i = 0; i < writer->nparts; i++)
	{
		const Output *output = &writer->outputs[i];

		if (!all && output->bytes == 0)
			continue;
		parts[nparts].partition = part_of(writer, (uint32) i);
		parts[nparts].tape = output->tape;
		parts[nparts].tape_bytes = output->tape != NULL ? output->bytes : 0;
		nparts++;
	}
	return nparts;
}

int64
wa_spill_writer_end(WaSpillWriter *writer)
{
	const int64 bytes = writer->bytes;

	for (int i = 0; i < writer->nparts; i++)
	{
		const Output *output = &writer->outputs[i];

		/* A tape that is rewound has no buffer until it is read. */
		if (output->tape != NULL)
			LogicalTapeRewindForRead(output->tape, BLCKSZ);
		if (output->file == NULL)
			continue;
		BufFileExportFileSet(output->file);
		BufFileClose(output->file);
	}
	MemoryContextDelete(writer->context);
	return bytes;
}

Size
wa_spill_batch_bytes(void)
{
	return Min(get_hash_memory_limit() / BATCH_PART, MAX_BATCH_BYTES);
}

/* Opens the file of the present process, if it is there. */
static void
open_file(WaSpillReader *reader)
{
	MemoryContext old = MemoryContextSwitchTo(reader->context);
	char name[MAXPGPATH];

	make_name(name, reader->process, reader->partition);
	reader->file = BufFileOpenFileSet(reader->set, name, O_RDONLY, true);
	MemoryContextSwitchTo(old);
}

/* Closes it, if it is open. */
static void
close_file(WaSpillReader *reader)
{
	if (reader->file != NULL)
		BufFileClose(reader->file);
	reader->file = NULL;
}

/* Goes on to the next process. */
static void
advance(WaSpillReader *reader)
{
	close_file(reader);
	if (++reader->process < reader->nprocesses)
		open_file(reader);
}

/* Adds up the bytes of files: each has a buffer, so one is open at a time. */
static void
measure_files(WaSpillReader *reader)
{
	for (advance(reader); reader->process < reader->nprocesses; advance(reader))
		if (reader->file != NULL)
			reader->file_bytes += BufFileSize(reader->file);
	reader->process = 0;
}

WaSpillReader *
wa_spill_reader_make(FileSet *set, int nprocesses, const WaSpillPart *part)
{
	MemoryContext context = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg spill reader", ALLOCSET_SMALL_SIZES);
	WaSpillReader *reader =
		MemoryContextAllocZero(context, sizeof(WaSpillReader));

	reader->context = context;
	reader->set = set;
	reader->partition = part->partition;
	reader->nprocesses = nprocesses;
	reader->tape = part->tape;
	measure_files(reader);
	reader->bytes = part->tape_bytes + reader->file_bytes;
	reader->capacity = wa_spill_batch_bytes();
	reader->buffer = MemoryContextAlloc(context, reader->capacity);
	return reader;
}

/* Reads bytes of the present process; returns how many, fewer at the end. */
static size_t
read_some(WaSpillReader *reader, void *data, Size bytes)
{
	MemoryContext old;

	if (reader->process > 0)
		return reader->file != NULL ? BufFileRead(reader->file, data, bytes)
									: 0;
	if (reader->tape == NULL)
		return 0;
	/* A tape makes its buffer in the current memory context. */
	old = MemoryContextSwitchTo(reader->context);
	bytes = LogicalTapeRead(reader->tape, data, bytes);
	MemoryContextSwitchTo(old);
	return bytes;
}

/* Reads bytes that are there. */
static void
read_bytes(WaSpillReader *reader, void *data, Size bytes)
{
	if (read_some(reader, data, bytes) != bytes)
		ereport(ERROR, (errcode_for_file_access(),
						errmsg("could not read from a temporary file of "
							   "warpagg: it is too short")));
	reader->bytes_read += (int64) bytes;
}

/*
 * Looks at the entry that comes next, of whatever process.  Returns false if there
 * is none.
 */
static bool
peek(WaSpillReader *reader)
{
	while (reader->word == 0 && reader->process < reader->nprocesses)
	{
		const size_t bytes =
			read_some(reader, &reader->word, sizeof(reader->word));

		if (bytes == 0)
			advance(reader);
		else if (bytes != sizeof(reader->word))
			elog(ERROR, "a temporary file of warpagg ends in an entry");
		reader->bytes_read += (int64) bytes;
	}
	return reader->word != 0;
}

/* Makes room for so many bytes, for which what was read is given up. */
static void
make_room(WaSpillReader *reader, Size bytes)
{
	if (bytes <= reader->capacity)
		return;
	pfree(reader->buffer);
	reader->buffer = MemoryContextAllocHuge(reader->context, bytes);
	reader->capacity = bytes;
}

/* Reads the rows that come next, as many as there is room for, at least one. */
static int
read_rows(WaSpillReader *reader, WaRow *rows)
{
	Size used = 0;
	int nrows = 0;

	while (nrows < WA_VECTOR_ROWS && peek(reader) && (reader->word & 1) == 0)
	{
		Size bytes = reader->word >> 1;
		Size room = MAXALIGN(TUPLE_LEAD + bytes);

		if (nrows == 0)
			make_room(reader, room);
		if (used + room > reader->capacity)
			break;
		/* The lead tells whether a tuple is a value of a composite type. */
		memset(reader->buffer + used, 0, TUPLE_LEAD);
		read_bytes(reader, reader->buffer + used + TUPLE_LEAD, bytes);
		rows[nrows].tuple = (HeapTupleHeader) (reader->buffer + used);
		rows[nrows].length = (uint32) (TUPLE_LEAD + bytes);
		rows[nrows].block = InvalidBlockNumber;
		rows[nrows].offset = InvalidOffsetNumber;
		reader->word = 0;
		used += room;
		nrows++;
	}
	return nrows;
}

int
wa_spill_reader_next(WaSpillReader *reader, WaRow *rows,
					 WaSpilledGroups *groups)
{
	CHECK_FOR_INTERRUPTS();
	if (!peek(reader))
		return -1;
	if ((reader->word & 1) == 0)
		return read_rows(reader, rows);
	groups->bytes = reader->word >> 1;
	make_room(reader, groups->bytes);
	groups->data = reader->buffer;
	read_bytes(reader, reader->buffer, groups->bytes);
	reader->word = 0;
	return 0;
}

double
wa_spill_reader_progress(const WaSpillReader *reader)
{
	return reader->bytes == 0 ? 1 : (double) reader->bytes_read / reader->bytes;
}

int64
wa_spill_reader_end(WaSpillReader *reader)
{
	const int64 bytes = reader->file_bytes;

	close_file(reader);
	if (reader->tape != NULL)
		LogicalTapeClose(reader->tape);
	for (int process = 1; process < reader->nprocesses; process++)
	{
		char name[MAXPGPATH];

		make_name(name, process, reader->partition);
		BufFileDeleteFileSet(reader->set, name, true);
	}
	MemoryContextDelete(reader->context);
	return bytes;
}
