# daemon.mk
#	Builds warpaggd and the unit tests, none of which needs PostgreSQL.
#	Included by the Makefile in the root, after cuda/cuda.mk; by itself, from
#	the root, it builds without CUDA: make -f src/daemon/daemon.mk unit
#
#	daemon			build/warpaggd
#	emu-daemon		build/emu/warpaggd-emu, over the emulated GPU of test/emu
#	unit			builds and runs the unit tests: unit-core, unit-daemon
#	unit-programs	only builds them
#	fuzz-targets, fuzz-seeds	see test/fuzz/fuzz.mk
#
# Settings: WITH_CUDA (yes or no), CUDA_OBJS and CUDA_HOME, from the root; SAN,
# sanitizer flags, e.g. SAN=-fsanitize=thread: what is built with them lies in
# build/san-thread; FUZZ_SECONDS.

include $(patsubst %src/daemon/daemon.mk,%scripts/steps.mk,$(lastword $(MAKEFILE_LIST)))

WITH_CUDA ?= no
CUDA_HOME ?= /usr/local/cuda
FUZZ_SECONDS ?= 5
WERROR ?= -Werror
SAN ?=

comma := ,
DAEMON_BUILD := build$(if $(SAN),/san-$(subst $(comma),-,$(patsubst \
	-fsanitize=%,%,$(firstword $(SAN)))))
DAEMON_PROGRAM := $(DAEMON_BUILD)/warpaggd
DAEMON_CFLAGS = -std=gnu11 -O2 -g -D_GNU_SOURCE -Wall -Wextra \
	-Wmissing-prototypes -Wno-missing-field-initializers $(WERROR) $(SRC_INCLUDES) \
	-MMD -MP -pthread $(SAN)
# Records are words seen as structures, too; PostgreSQL's build has this as well.
DAEMON_CFLAGS += -fno-strict-aliasing

DAEMON_CORE_SRCS := $(call sources,src/core/*.c src/query/*/*.c)
DAEMON_GPU_SRCS := $(call sources,src/daemon/*/*.c) $(DAEMON_CORE_SRCS)
DAEMON_SRCS := $(filter-out $(if $(filter yes,$(WITH_CUDA)),,\
	%_cuda.c src/daemon/gpu/%.c src/daemon/mirror/%.c),$(DAEMON_GPU_SRCS))
DAEMON_OBJS := $(DAEMON_SRCS:src/%.c=$(DAEMON_BUILD)/daemon/%.o)
DAEMON_LIBS := -lpthread -lm
ifeq ($(WITH_CUDA),yes)
# The static runtime looks for the driver only when it is first called, so the
# program also runs where there is none.
DAEMON_LIBS += -L$(CUDA_HOME)/lib64 -lcudart_static -ldl -lrt -lstdc++
DAEMON_CUDA_OBJS = $(CUDA_OBJS)
endif

.PHONY: daemon
daemon: $(DAEMON_PROGRAM)

$(DAEMON_PROGRAM): $(DAEMON_OBJS) $(DAEMON_CUDA_OBJS)
	$(call step,LINK)
	$(CC) $(SAN) -o $@ $^ $(DAEMON_LIBS)

$(DAEMON_BUILD)/daemon/%.o: src/%.c $(DAEMON_BUILD)/daemon/with_cuda
	@mkdir -p $(@D)
	$(call step,CC)
	$(CC) $(DAEMON_CFLAGS) $(if $(filter yes,$(WITH_CUDA)),-DWA_WITH_CUDA) \
		-c -o $@ $<

# Changes when WITH_CUDA does, so that all is built anew then.
DAEMON_STAMP := $(DAEMON_BUILD)/daemon/with_cuda
$(DAEMON_STAMP): $(call unless,$(DAEMON_STAMP),$(WITH_CUDA))
	@mkdir -p $(@D)
	@echo $(WITH_CUDA) >$@

# These loops are written to be vectorised, as in the Makefile, which says more.
DAEMON_FOLD_FLAGS := $(if $(SAN),,-O3 -falign-functions=64)
DAEMON_FOLD_OBJS := core/fold.o core/exact_sum.o core/vector.o core/lookup_table.o \
	daemon/column/column_values.o query/base/column_rows.o \
	query/groups/group_key.o query/groups/group_look.o query/groups/group_table.o query/groups/group_table_rows.o \
	query/records/records.o query/records/records_few.o \
	$(patsubst src/%.c,%.o,$(call sources,src/core/program*.c))
$(DAEMON_FOLD_OBJS:%=$(DAEMON_BUILD)/daemon/%): DAEMON_CFLAGS += $(DAEMON_FOLD_FLAGS)
$(DAEMON_FOLD_OBJS:%=$(DAEMON_BUILD)/daemon-gpu/%): DAEMON_CFLAGS += $(DAEMON_FOLD_FLAGS)

# The daemon with GPU support but without CUDA: for GPUs that are none.  The core is
# the same, and with CUDA all is.
DAEMON_CORE_OBJS := $(DAEMON_CORE_SRCS:src/%.c=$(DAEMON_BUILD)/daemon/%.o)
DAEMON_GPU_BUILD := $(DAEMON_BUILD)/daemon$(if $(filter yes,$(WITH_CUDA)),,-gpu)
DAEMON_GPU_OBJS := $(DAEMON_CORE_OBJS) $(patsubst src/%.c,$(DAEMON_GPU_BUILD)/%.o,\
	$(filter-out $(DAEMON_CORE_SRCS),$(DAEMON_GPU_SRCS)))

$(DAEMON_BUILD)/daemon-gpu/%.o: src/%.c
	@mkdir -p $(@D)
	$(call step,CC)
	$(CC) $(DAEMON_CFLAGS) -DWA_WITH_CUDA -c -o $@ $<

# test/emu/emu.mk, which says what the emulator consists of, may come later.
.PHONY: emu-daemon
emu-daemon: build/emu/warpaggd-emu

.SECONDEXPANSION:
build/emu/warpaggd-emu: $(DAEMON_GPU_OBJS) $$(EMU_CUDA_OBJS)
	@mkdir -p $(@D)
	$(call step,LINK)
	$(CC) $(SAN) -o $@ $^ $(EMU_LIBS) -lpthread -lm

#
# Unit tests
#

UNIT_BUILD := $(DAEMON_BUILD)/unit
UNIT_FAKE := $(UNIT_BUILD)/warpaggd_fake
UNIT_COUNTING := $(UNIT_BUILD)/warpaggd_counting
UNIT_CORE_TESTS := test_bits test_checksum test_exact_sum test_small_sum test_partial \
	test_protocol test_program test_program_wide test_lookup_table test_query test_query_columns \
	test_query_choose test_query_choose_wide test_query_first_rows test_query_clauses test_query_constants \
	test_query_equal_values test_query_made test_query_wire test_coarser_groups \
	test_value_list test_value_parts test_group_memory test_replies test_resident
UNIT_DAEMON_TESTS := test_daemon test_daemon_abuse test_daemon_process \
	test_daemon_control test_daemon_gpu test_daemon_resident test_daemon_residency \
	test_daemon_stamps test_daemon_tables test_daemon_run fuzz_daemon
# These are linked with the parts of the daemon that they test.
UNIT_STORE_TESTS := test_chunks test_dictionary test_store test_cover \
	test_store_evict test_store_model test_store_failure test_store_patch test_patch \
	test_pool test_run_sources test_mirror test_family test_watch test_cgroup test_ledger \
	test_budget test_made_tables test_roll_up test_text_numbers
UNIT_CORE_PROGRAMS := $(UNIT_CORE_TESTS:%=$(UNIT_BUILD)/%)
UNIT_DAEMON_PROGRAMS := $(UNIT_DAEMON_TESTS:%=$(UNIT_BUILD)/%)
UNIT_STORE_PROGRAMS := $(UNIT_STORE_TESTS:%=$(UNIT_BUILD)/%)
UNIT_STORE_OBJS := $(patsubst src/%.c,$(DAEMON_BUILD)/daemon/%.o,\
	$(call sources,$(patsubst %,src/daemon/%/*.c,base column store)))
# These need what is only linked where there are GPUs, but none.
UNIT_MIRROR_OBJS := $(patsubst src/%.c,$(DAEMON_BUILD)/daemon/%.o,\
	$(call sources,src/daemon/mirror/*.c)) $(UNIT_BUILD)/test_mirror_device.o
UNIT_LOOK_UP := $(UNIT_BUILD)/test_gpu_look_up $(UNIT_BUILD)/test_gpu_spans

$(UNIT_BUILD)/%.o: test/unit/%.c
	@mkdir -p $(@D)
	$(call step,CC)
	$(CC) $(DAEMON_CFLAGS) -c -o $@ $<

$(UNIT_CORE_PROGRAMS): %: %.o $(DAEMON_CORE_OBJS)
	$(call step,LINK)
	$(CC) $(SAN) -o $@ $^ -lpthread -lm

$(UNIT_BUILD)/test_program: $(UNIT_BUILD)/test_program_reference.o

$(UNIT_BUILD)/test_value_parts: $(UNIT_BUILD)/test_value_trial.o

$(UNIT_BUILD)/test_query $(UNIT_BUILD)/test_query_choose $(UNIT_BUILD)/test_query_first_rows \
$(UNIT_BUILD)/test_query_made $(UNIT_BUILD)/test_query_wire $(UNIT_BUILD)/test_budget \
$(UNIT_BUILD)/test_roll_up: \
	$(UNIT_BUILD)/test_query_data.o
$(UNIT_BUILD)/test_budget $(UNIT_BUILD)/test_made_tables $(UNIT_BUILD)/test_roll_up: \
	$(UNIT_BUILD)/cpu_runner.o \
	$(patsubst %,$(DAEMON_BUILD)/daemon/daemon/run/%.o,kept_tables made_tables query_groups \
		query_lists query_slices query_state query_tables run_budget take_extent)

# The CPU's alone.
$(UNIT_BUILD)/cpu_runner.o: src/daemon/run/query_runner.c
	@mkdir -p $(@D)
	$(call step,CC)
	$(CC) $(DAEMON_CFLAGS) -c -o $@ $<

$(UNIT_STORE_PROGRAMS): %: %.o $(UNIT_BUILD)/test_extent.o \
		$(UNIT_STORE_OBJS) $(DAEMON_CORE_OBJS)
	$(call step,LINK)
	$(CC) $(SAN) $(UNIT_LDFLAGS) -o $@ $^ -lpthread -lm

$(UNIT_BUILD)/test_pool $(UNIT_BUILD)/test_run_sources $(UNIT_BUILD)/test_store_failure: \
	$(patsubst %,$(DAEMON_BUILD)/daemon/daemon/run/%.o,named_sources run run_budget \
		run_left_out run_rest run_slices run_sources run_stages run_states) \
	$(UNIT_BUILD)/test_counting_runner.o
$(UNIT_BUILD)/test_store_model: $(UNIT_BUILD)/test_store_world.o \
	$(UNIT_BUILD)/test_store_rules.o
$(UNIT_BUILD)/test_mirror $(UNIT_BUILD)/test_family $(UNIT_BUILD)/test_store_patch: \
	$(UNIT_MIRROR_OBJS) $(UNIT_BUILD)/test_mirror_extent.o
$(UNIT_BUILD)/test_store_failure: UNIT_LDFLAGS = -Wl,--wrap=malloc \
	-Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=aligned_alloc \
	-Wl,--wrap=wa_chunks_get

$(UNIT_DAEMON_PROGRAMS): %: %.o $(UNIT_BUILD)/test_daemon_client.o \
		$(DAEMON_CORE_OBJS)
	$(call step,LINK)
	$(CC) $(SAN) -o $@ $^ -lpthread -lm

$(UNIT_BUILD)/test_daemon_control $(UNIT_BUILD)/test_daemon_gpu \
$(UNIT_BUILD)/test_daemon_resident $(UNIT_BUILD)/test_daemon_residency \
$(UNIT_BUILD)/test_daemon_stamps $(UNIT_BUILD)/test_daemon_tables \
$(UNIT_BUILD)/test_daemon_run \
$(UNIT_BUILD)/fuzz_daemon: \
	$(UNIT_BUILD)/test_resident_client.o $(UNIT_BUILD)/test_extent.o \
	$(UNIT_STORE_OBJS)

$(UNIT_LOOK_UP): %: %.o $(patsubst %,$(DAEMON_GPU_BUILD)/daemon/gpu/%.o,\
		gpu_query gpu_look_up gpu_spans) $(UNIT_STORE_OBJS) $(UNIT_MIRROR_OBJS) $(DAEMON_CORE_OBJS)
	$(call step,LINK)
	$(CC) $(SAN) -o $@ $^ -lpthread -lm

$(UNIT_FAKE): $(DAEMON_GPU_OBJS) $(UNIT_BUILD)/test_daemon_fake_cuda.o \
		$(UNIT_BUILD)/test_mirror_device.o
	$(call step,LINK)
	$(CC) $(SAN) -o $@ $^ -lpthread -lm

# The daemon, with a runner that only counts.
$(UNIT_COUNTING): $(filter-out %/query_groups.o %/query_lists.o %/query_runner.o %/query_slices.o,\
		$(DAEMON_OBJS)) \
		$(UNIT_BUILD)/test_counting_runner.o $(DAEMON_CUDA_OBJS)
	$(call step,LINK)
	$(CC) $(SAN) -o $@ $^ $(DAEMON_LIBS)

.PHONY: unit unit-programs unit-core unit-daemon
unit: unit-core unit-daemon

unit-programs: $(UNIT_CORE_PROGRAMS) $(UNIT_STORE_PROGRAMS) \
	$(UNIT_DAEMON_PROGRAMS) $(UNIT_LOOK_UP) \
	$(DAEMON_PROGRAM) $(UNIT_FAKE) $(UNIT_COUNTING)

# Each program is a target, so that they run side by side.  The long ones come first.
UNIT_CORE_RUNS := unit-run-exact_sum_cases \
	$(patsubst %,unit-run-%,$(filter-out test_exact_sum,$(UNIT_CORE_TESTS)))
UNIT_DAEMON_RUNS := $(patsubst %,unit-run-%,fuzz_daemon fuzz_counting \
	$(filter-out fuzz_daemon,$(UNIT_DAEMON_TESTS)) $(UNIT_STORE_TESTS) \
	$(notdir $(UNIT_LOOK_UP)))
.PHONY: $(UNIT_CORE_RUNS) $(UNIT_DAEMON_RUNS)

unit-core: $(UNIT_CORE_RUNS)

unit-daemon: $(UNIT_DAEMON_RUNS)

unit-run-exact_sum_cases: $(UNIT_BUILD)/test_exact_sum
	python3 $(srcdir)/test/unit/exact_sum_cases.py 1 600 | $<

# They are told which daemon to test, if any.
$(UNIT_DAEMON_TESTS:%=unit-run-%): UNIT_DAEMON = $(DAEMON_PROGRAM)
unit-run-test_daemon_gpu: UNIT_DAEMON = $(UNIT_FAKE)
unit-run-test_daemon_run unit-run-fuzz_counting: UNIT_DAEMON = $(UNIT_COUNTING)
unit-run-fuzz_daemon unit-run-fuzz_counting: UNIT_SECONDS = $(FUZZ_SECONDS)
$(UNIT_DAEMON_TESTS:%=unit-run-%) unit-run-fuzz_counting: \
	$(DAEMON_PROGRAM) $(UNIT_FAKE) $(UNIT_COUNTING)

unit-run-fuzz_counting: $(UNIT_BUILD)/fuzz_daemon
	$< $(UNIT_DAEMON) $(UNIT_SECONDS)

$(filter-out %_cases %_counting,$(UNIT_CORE_RUNS) $(UNIT_DAEMON_RUNS)): \
		unit-run-%: $(UNIT_BUILD)/%
	@echo $<
	$< $(UNIT_DAEMON) $(UNIT_SECONDS)

-include $(wildcard $(patsubst %,$(DAEMON_BUILD)/%.d,daemon/*/* daemon/*/*/* \
	daemon-gpu/*/* daemon-gpu/*/*/*) $(UNIT_BUILD)/*.d)

include $(srcdir)/test/fuzz/fuzz.mk
