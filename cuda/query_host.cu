//
// query_host.cu
//		Pinned memory in which rows are handed over; see query/host.h.
//
#include "query/host.h"

#include <algorithm>

#include "query/error.h"

// A new piece is by this part larger than needed, so that it is of use for similar rows.
static const size_t kSparePart = 16;

// Frees a piece that nobody uses.
static void
drop_piece(WaQueryHost *host, size_t number)
{
	const WaQueryPiece piece = host->pieces[number];

	host->pieces.erase(host->pieces.begin() + (ptrdiff_t) number);
	host->bytes -= piece.bytes;
	if (cudaFreeHost(piece.memory) != cudaSuccess)
		(void) cudaGetLastError();
}

// Drops pieces that nobody uses until there is room for so many bytes; returns false if
// there is none.
static bool
make_room(WaQueryHost *host, size_t bytes)
{
	for (size_t i = host->pieces.size(); i-- > 0;)
		if (host->bytes + bytes > host->max_bytes && !host->pieces[i].busy)
			drop_piece(host, i);
	return host->bytes + bytes <= host->max_bytes;
}

// Returns the smallest piece that nobody uses and that has so many bytes; NULL: there is
// none.
static WaQueryPiece *
find_piece(WaQueryHost *host, size_t bytes)
{
	WaQueryPiece *found = NULL;

	for (WaQueryPiece &piece : host->pieces)
		if (!piece.busy && piece.bytes >= bytes &&
			(found == NULL || piece.bytes < found->bytes))
			found = &piece;
	return found;
}

// Adds a piece of so many bytes, which there is room for, and some to spare, if there is
// room for these, too.
static WaQueryPiece *
add_piece(WaQueryHost *host, size_t bytes)
{
	WaQueryPiece piece = {
		NULL,
		std::min(bytes + bytes / kSparePart, host->max_bytes - host->bytes),
		false};

	host->pieces.reserve(host->pieces.size() + 1);
	wa_query_check(
		cudaHostAlloc(&piece.memory, piece.bytes, cudaHostAllocPortable));
	host->bytes += piece.bytes;
	host->pieces.push_back(piece);
	return &host->pieces.back();
}

void *
wa_query_host_take(WaQueryHost *host, size_t bytes)
{
	const std::lock_guard<std::mutex> lock(host->lock);
	WaQueryPiece *piece = find_piece(host, bytes);

	if (piece == NULL && make_room(host, bytes))
		piece = add_piece(host, bytes);
	if (piece == NULL)
		return NULL;
	piece->busy = true;
	return piece->memory;
}

void
wa_query_host_give(WaQueryHost *host, void *memory)
{
	const std::lock_guard<std::mutex> lock(host->lock);

	for (WaQueryPiece &piece : host->pieces)
		if (piece.memory == memory)
			piece.busy = false;
}

void
wa_query_host_close(WaQueryHost *host)
{
	while (!host->pieces.empty())
		drop_piece(host, host->pieces.size() - 1);
}
