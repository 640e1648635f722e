/*
 * test_mirror_extent.h
 *		Extents in chosen forms, runs over them, and checks of what of them is on a
 *		device, for tests of the mirror.
 */
#ifndef TEST_MIRROR_EXTENT_H
#define TEST_MIRROR_EXTENT_H

#include "daemon/mirror/mirror.h"
#include "daemon/store/cover.h"

#define WA_TEST_PARCEL_BYTES ((size_t) 16 << 20)

/* A column to write: values are random, of so many bits. */
typedef struct WaTestColumn
{
	int16_t attribute;
	WaForm form;
	uint32_t scale;
	unsigned bits;
	bool has_nulls;
	bool all_null;
	bool has_display;
} WaTestColumn;

/* Writes an extent to a parcel and loads it; equal seeds make equal ones. */
WaStatus wa_test_load_columns(WaStore *store, uint8_t *parcel,
							  uint64_t relation, uint32_t number, uint64_t seed,
							  uint32_t nrows, const WaTestColumn *columns,
							  uint32_t ncolumns);

/* Uses a device as somebody who knows of nothing that was found before. */
bool wa_test_use_alone(WaMirror *mirror, const WaRunRequest *request,
					   unsigned device, WaMirrorUse *use);

/* Waits until nothing is left to be done. */
void wa_test_mirror_settle(WaMirror *mirror);

/* Returns the bytes of a device's memory that copies take. */
uint64_t wa_test_mirror_bytes(WaMirror *mirror, unsigned device);

/* A run over a relation's extents, with references to them. */
typedef struct WaTestRun
{
	WaStore *store;
	WaColumnName names[WA_MAX_RESIDENT_COLUMNS];
	WaUse use;
	WaCover *cover;
	WaRunRequest request;
} WaTestRun;

/* Begins a run over columns; false if there is nothing of one. */
bool wa_test_run_begin(WaTestRun *run, WaStore *store, uint64_t relation,
					   const WaColumnName *names, uint32_t ncolumns);
void wa_test_run_end(WaTestRun *run);

/* Returns the name of a column in such a form. */
WaColumnName wa_test_name(int16_t attribute, WaForm form);

/* Tells whether what a use says of a device is what the host has. */
bool wa_test_use_is_right(const WaMirrorUse *use, const WaRunRequest *request);

/*
 * Tells whether a use, while nothing changes, is what it would be if nothing was known
 * before.
 */
bool wa_test_use_is_new(WaMirror *mirror, const WaMirrorUse *use,
						const WaRunRequest *request);

#endif /* TEST_MIRROR_EXTENT_H */
