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
#include "utils/memutils.h"

#include "scan/spill_file.h"

/* Bytes that rows are read into, unless one needs more. */
#define BATCH_BYTES (64 * 1024)

/* Of a tuple in memory: what stands before the bytes that are in a file. */
#define TUPLE_LEAD offsetof(HeapTupleHeaderData, t_infomask2)

struct WaSpillWriter
{
	FileSet *set;
	int process;
	WaPartition partition;
	int nparts;
	int64 bytes;
	BufFile *files[FLEXIBLE_ARRAY_MEMBER]; /* NULL: there is none */
};

struct WaSpillReader
{
	FileSet *set;
	WaPartition partition;
	int nfiles;
	int next_file;
	BufFile **files; /* of the processes; NULL: there is none */
	int64 bytes;     /* of all of them */
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
wa_spill_writer_make(FileSet *set, int process, WaPartition partition, int bits)
{
	int nparts = 1 << bits;
	WaSpillWriter *writer = palloc0(offsetof(WaSpillWriter, files) +
									sizeof(BufFile *) * (Size) nparts);

	Assert(bits > 0 && partition.bits + bits <= WA_PARTITION_MAX_BITS);
	writer->set = set;
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

/* Returns the file for a hash, in the writer's memory context. */
static BufFile *
file_for(WaSpillWriter *writer, uint32 hash)
{
	uint32 number = wa_spill_writer_part(writer, hash);
	char name[MAXPGPATH];
	MemoryContext old;

	if (writer->files[number] != NULL)
		return writer->files[number];
	make_name(name, writer->process, part_of(writer, number));
	old = MemoryContextSwitchTo(GetMemoryChunkContext(writer));
	writer->files[number] = BufFileCreateFileSet(writer->set, name);
	MemoryContextSwitchTo(old);
	return writer->files[number];
}

/* Writes an entry. */
static void
put(WaSpillWriter *writer, uint32 hash, bool is_group, const void *data,
	Size bytes)
{
	BufFile *file = file_for(writer, hash);
	uint32 word = (uint32) bytes << 1 | (is_group ? 1 : 0);

	if (bytes > PG_INT32_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a group is too large to be spilled")));
	BufFileWrite(file, &word, sizeof(word));
	BufFileWrite(file, unconstify(void *, data), bytes);
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
wa_spill_writer_nparts(const WaSpillWriter *writer)
{
	return writer->nparts;
}

int
wa_spill_writer_parts(const WaSpillWriter *writer, bool all, WaPartition *parts)
{
	int nparts = 0;

	for (int i = 0; i < writer->nparts; i++)
		if (all || writer->files[i] != NULL)
			parts[nparts++] = part_of(writer, (uint32) i);
	return nparts;
}

int64
wa_spill_writer_bytes(const WaSpillWriter *writer)
{
	return writer->bytes;
}

void
wa_spill_writer_end(WaSpillWriter *writer)
{
	for (int i = 0; i < writer->nparts; i++)
	{
		if (writer->files[i] == NULL)
			continue;
		BufFileExportFileSet(writer->files[i]);
		BufFileClose(writer->files[i]);
	}
	pfree(writer);
}

WaSpillReader *
wa_spill_reader_make(FileSet *set, int nprocesses, WaPartition partition)
{
	WaSpillReader *reader = palloc0(sizeof(WaSpillReader));

	reader->set = set;
	reader->partition = partition;
	reader->nfiles = nprocesses;
	reader->files = palloc(sizeof(BufFile *) * (Size) nprocesses);
	for (int i = 0; i < nprocesses; i++)
	{
		char name[MAXPGPATH];

		make_name(name, i, partition);
		reader->files[i] = BufFileOpenFileSet(set, name, O_RDONLY, true);
		if (reader->files[i] != NULL)
			reader->bytes += BufFileSize(reader->files[i]);
	}
	reader->capacity = BATCH_BYTES;
	reader->buffer = palloc(reader->capacity);
	return reader;
}

/* Reads bytes of the present file. */
static void
read_bytes(WaSpillReader *reader, void *data, Size bytes)
{
	if (BufFileRead(reader->files[reader->next_file], data, bytes) != bytes)
		ereport(ERROR, (errcode_for_file_access(),
						errmsg("could not read from a temporary file of "
							   "warpagg: it is too short")));
	reader->bytes_read += (int64) bytes;
}

/*
 * Looks at the entry that comes next, in whatever file.  Returns false if there
 * is none.
 */
static bool
peek(WaSpillReader *reader)
{
	while (reader->word == 0 && reader->next_file < reader->nfiles)
	{
		BufFile *file = reader->files[reader->next_file];
		size_t bytes = 0;

		if (file != NULL)
			bytes = BufFileRead(file, &reader->word, sizeof(reader->word));
		if (bytes == 0)
			reader->next_file++;
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
	reader->buffer =
		MemoryContextAllocHuge(GetMemoryChunkContext(reader), bytes);
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
	int64 bytes = reader->bytes;

	for (int i = 0; i < reader->nfiles; i++)
	{
		char name[MAXPGPATH];

		if (reader->files[i] == NULL)
			continue;
		BufFileClose(reader->files[i]);
		make_name(name, i, reader->partition);
		BufFileDeleteFileSet(reader->set, name, false);
	}
	pfree(reader->files);
	pfree(reader->buffer);
	pfree(reader);
	return bytes;
}
