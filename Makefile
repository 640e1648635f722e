# Makefile of warpagg
#
# With PGXS: all, install, installcheck, clean.  Beside it: demo, test, check-fast, deb,
# unit, emu-test, bench, bench-kernels, bench-groups, bench-programs, bench-sorts, bench-ladder, lint,
# format.  See README.md.
#
# It can be used from another folder, in which the build is to lie then:
# make -f SOURCE/Makefile, or make -f SOURCE/Makefile VPATH=SOURCE.
#
# Settings: PG_CONFIG; V=1 shows commands (scripts/steps.mk); WITH_CUDA, WA_CUDA_ARCHS
# (cuda/choice.mk); with_llvm=no builds no bitcode; WERROR= lets a compiler warn.

include $(or $(VPATH),$(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST)))))/scripts/steps.mk

EXTENSION = warpagg
MODULE_big = warpagg
DATA = sql/warpagg--0.2.0.sql sql/warpagg--0.1.0--0.2.0.sql
PGFILEDESC = "warpagg - exact aggregates on the GPU"

SRCS := $(call sources,src/*.c src/core/*.c src/query/*/*.c src/client/*.c \
	src/state/*.c src/agg/*.c src/heap/*.c src/wal/*.c src/resident/*.c src/scan/*/*.c \
	src/stats/*.c)
OBJS = $(SRCS:.c=.o)

REGRESS = init family sum avg min max count variance pairs nulls numeric interval \
	other_types sizes grouping groups window moving sharing parallel modifiers \
	regress_queries differences settings scan scan_expressions scan_guards \
	scan_errors scan_distinct scan_distinct_values scan_percentiles scan_transitions scan_transition_order scan_grouping_sets scan_bits scan_lazy \
	scan_rowwise scan_parallel joins_parallel scan_limit scan_order scan_spill \
	scan_plan scan_executor scan_long scan_domains scan_one_time_filter scan_stored \
	scan_plus_constant scan_time_zones resident \
	resident_queries resident_times resident_forms resident_wide \
	resident_quotients resident_spill resident_memory resident_equal_values resident_top \
	resident_texts resident_distinct_inputs resident_expressions resident_dashboards \
	resident_costs resident_attempts resident_rest resident_family resident_places \
	scan_rows_first partitions \
	scan_lists joins joins_counted joins_kept joins_made joins_rest joins_quick joins_dependent joins_memory \
	quotients contract why why_heap versions
ISOLATION = snapshot scan partitions joins
ISOLATION_OPTS = --inputdir=$(srcdir)/test
TAP_TESTS = 1
PROVE_TESTS = test/t/*.pl

PG_CPPFLAGS = $(SRC_INCLUDES)
# A test build has settings with which results may be wrong (src/settings.c).
ifdef WA_TESTING
PG_CPPFLAGS += -DWA_TESTING
endif
# PostgreSQL's own flags and headers may be of another compiler: clang does not know all
# of GCC's, as the format gnu_printf, and warns of more by some.
WERROR ?= -Werror
PG_CFLAGS = -Wextra -Wno-unused-parameter -Wno-sign-compare $(WERROR) \
	-Wno-unknown-warning-option -Wno-ignored-optimization-argument \
	-Wno-ignored-attributes -Wno-missing-field-initializers \
	-Wno-cast-function-type-strict
EXTRA_CLEAN = build $(OBJS:.o=.d)
# This is part of the command to link.
SHLIB_LINK = $(call step,LINK)

# These install what is missing first, so they must not need pg_config yet.
SCRIPT_GOALS = demo test check-fast bench deb lint format
ifeq ($(filter $(SCRIPT_GOALS),$(MAKECMDGOALS)),)
PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
# PGXS takes with_llvm=no from the command line only; bitcode takes a clang.
PG_CLANG = $(or $(CLANG),$(shell sed -n 's/^CLANG *= *//p' '$(dir $(PGXS))../Makefile.global'))
ifeq ($(and $(filter-out no,$(or $(with_llvm),yes)),$(shell command -v $(PG_CLANG))),)
override with_llvm := no
endif
include $(PGXS)
srcdir := $(patsubst %/,%,$(srcdir))
override VPATH :=
# PGXS calls all files secondary, which are not made anew when they are missing.
.SECONDARY: none
include $(srcdir)/cuda/choice.mk
ifeq ($(WITH_CUDA),yes)
include $(srcdir)/cuda/cuda.mk
endif
include $(srcdir)/src/daemon/daemon.mk
include $(srcdir)/test/emu/emu.mk

# What PGXS would do, and beside that a line for each, and which headers it takes.
$(OBJS): %.o: %.c
	@mkdir -p $(@D)
	$(call step,CC)
	$(COMPILE.c) -MMD -MP -MT $*.o -MT $*.bc -MF $*.d -o $@ $<

$(OBJS:.o=.bc): %.bc: %.c
	@mkdir -p $(@D)
	$(call step,BITCODE)
	$(COMPILE.c.bc) -o $@ $<

-include $(wildcard $(OBJS:.o=.d))

# What has no list of its headers was built before there were lists: it may be old.
OLD_OBJS := $(foreach object,$(OBJS),$(if $(wildcard $(object:.o=.d)),,$(object)))
$(OLD_OBJS) $(OLD_OBJS:.o=.bc): always-built
.PHONY: always-built

# These loops are written to be vectorised, which -O2 does only in part.  Their place
# in a line of the cache is to be theirs, whatever is linked before them: by 16 bytes
# some took an eighth more.
VECTOR_SRCS = $(call sources,src/core/program*.c) src/core/vector.c \
	src/core/lookup_table.c src/query/base/column_rows.c \
	src/query/groups/group_key.c src/query/groups/group_look.c src/query/groups/group_table.c src/query/records/records.c \
	src/query/records/records_few.c src/query/groups/group_table_rows.c \
	src/resident/narrow.c
src/core/fold.o src/core/exact_sum.o $(VECTOR_SRCS:.c=.o): \
	CFLAGS += -O3 -falign-functions=64

all: build/warpaggd
	$(if $(NO_KERNELS),$(call say,warpaggd is built with the CPU device only: $(NO_KERNELS)))

install: install-daemon

.PHONY: install-daemon uninstall-daemon
install-daemon: build/warpaggd
	$(call say,INSTALL	$(DESTDIR)$(pkglibdir)/warpagg.so and warpaggd)
	$(INSTALL_PROGRAM) build/warpaggd '$(DESTDIR)$(pkglibdir)/warpaggd'

uninstall: uninstall-daemon

uninstall-daemon:
	rm -f '$(DESTDIR)$(pkglibdir)/warpaggd'

print-%:
	@echo $($*)
endif

.PHONY: demo test check-fast bench deb lint format
# "make demo DATA=flights.csv.xz" names the file to load; for PGXS, which the
# script calls without that, DATA is what is installed.
demo:
	MAKEFLAGS= MAKEOVERRIDES= \
		$(srcdir)/scripts/demo.sh $(if $(filter command,$(origin DATA)),'$(DATA)')

test:
	MAKEFLAGS= $(srcdir)/scripts/test.sh

check-fast:
	MAKEFLAGS= $(srcdir)/scripts/test.sh --fast

deb:
	MAKEFLAGS= $(srcdir)/scripts/deb.sh

bench:
	MAKEFLAGS= $(srcdir)/bench/aggregate.sh
	MAKEFLAGS= $(srcdir)/bench/family.sh
	MAKEFLAGS= $(srcdir)/bench/scan.sh
	MAKEFLAGS= $(srcdir)/bench/resident.sh

lint:
	$(srcdir)/scripts/lint.sh

format:
	git ls-files '*.c' '*.h' '*.cu' '*.cuh' '*.cpp' | xargs clang-format-14 -i
