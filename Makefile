# Makefile of warpagg
#
# With PGXS: all, install, installcheck, clean.  Beside it: demo, test, deb, unit,
# emu-test, bench, bench-kernels, bench-groups, bench-programs, bench-ladder, lint,
# format.  See README.md.

EXTENSION = warpagg
MODULE_big = warpagg
DATA = sql/warpagg--0.2.0.sql sql/warpagg--0.1.0--0.2.0.sql
PGFILEDESC = "warpagg - exact aggregates on the GPU"

SRCS = $(wildcard src/*.c src/core/*.c src/query/*.c src/client/*.c \
	src/exec/*.c src/state/*.c src/agg/*.c src/heap/*.c src/resident/*.c src/scan/*.c \
	src/stats/*.c)
OBJS = $(SRCS:.c=.o)

REGRESS = init family sum avg min max count variance nulls numeric interval \
	other_types sizes grouping groups window moving sharing parallel modifiers \
	regress_queries differences settings scan scan_expressions scan_guards \
	scan_errors scan_once scan_singly scan_parallel scan_limit scan_spill scan_plan \
	scan_executor scan_long scan_domains scan_gate scan_stored shifted resident \
	resident_queries resident_times resident_forms resident_wide \
	resident_quotients resident_spill resident_memory resident_ties resident_top \
	resident_texts resident_combinations resident_expressions resident_dashboards \
	resident_attempts quotients contract why why_heap versions
ISOLATION = snapshot scan
ISOLATION_OPTS = --inputdir=test
TAP_TESTS = 1
PROVE_TESTS = test/t/*.pl

PG_CPPFLAGS = -I$(srcdir)/src -I$(srcdir)
# A test build has settings with which results may be wrong (src/settings.c).
ifdef WA_TESTING
PG_CPPFLAGS += -DWA_TESTING
endif
PG_CFLAGS = -Wextra -Wno-unused-parameter -Wno-sign-compare -Werror
EXTRA_CLEAN = build

# CUDA is used where nvcc is; without it there is the CPU device only.
NVCC ?= $(firstword $(shell command -v nvcc) \
	$(wildcard /usr/local/cuda/bin/nvcc))
ifeq ($(NVCC),)
WITH_CUDA = no
else
WITH_CUDA = yes
CUDA_HOME ?= $(abspath $(dir $(realpath $(NVCC)))/..)
endif

# These install what is missing first, so they must not need pg_config yet.
SCRIPT_GOALS = demo test bench deb lint format
ifeq ($(filter $(SCRIPT_GOALS),$(MAKECMDGOALS)),)
PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)
ifeq ($(WITH_CUDA),yes)
include cuda/cuda.mk
endif
include src/daemon/daemon.mk
include test/emu/emu.mk

# These loops are written to be vectorised, which -O2 does only in part.  Their place
# in a line of the cache is to be theirs, whatever is linked before them: by 16 bytes
# some took an eighth more.
VECTOR_SRCS = $(wildcard src/core/program*.c) src/core/vector.c \
	src/core/steps.c src/query/column_rows.c src/query/run_inputs.c \
	src/query/group_key.c src/query/group_look.c src/query/group_table.c src/query/records.c \
	src/query/records_few.c src/query/group_table_rows.c \
	src/resident/narrow.c src/resident/map.c
src/core/fold.o src/core/exact_sum.o $(VECTOR_SRCS:.c=.o): \
	CFLAGS += -O3 -falign-functions=64

all: build/warpaggd
ifeq ($(WITH_CUDA),no)
	@echo "nvcc was not found: warpaggd is built with the CPU device only"
endif

install: install-daemon

.PHONY: install-daemon uninstall-daemon
install-daemon: build/warpaggd
	$(INSTALL_PROGRAM) build/warpaggd '$(DESTDIR)$(pkglibdir)/warpaggd'

uninstall: uninstall-daemon

uninstall-daemon:
	rm -f '$(DESTDIR)$(pkglibdir)/warpaggd'

# Headers are few and small: any change of one rebuilds all.
$(OBJS): $(wildcard src/*.h src/*/*.h)

print-%:
	@echo $($*)
endif

.PHONY: demo test bench deb lint format
# "make demo DATA=flights.csv.xz" names the file to load; for PGXS, which the
# script calls without that, DATA is what is installed.
demo:
	MAKEFLAGS= MAKEOVERRIDES= \
		scripts/demo.sh $(if $(filter command,$(origin DATA)),'$(DATA)')

test:
	MAKEFLAGS= scripts/test.sh

deb:
	MAKEFLAGS= scripts/deb.sh

bench:
	MAKEFLAGS= bench/aggregate.sh
	MAKEFLAGS= bench/family.sh
	MAKEFLAGS= bench/scan.sh
	MAKEFLAGS= bench/resident.sh

lint:
	scripts/lint.sh

format:
	git ls-files '*.c' '*.h' '*.cu' '*.cuh' '*.cpp' | xargs clang-format-14 -i
