# fuzz.mk
#	Builds the targets of libFuzzer in test/fuzz with clang, under AddressSanitizer
#	and UndefinedBehaviorSanitizer, into a folder of their own.  Needs neither
#	PostgreSQL nor CUDA.  Included by src/daemon/daemon.mk.
#
#	fuzz-targets	builds them
#	fuzz-seeds		writes inputs to begin with to build/fuzz/seeds
#
# Settings: FUZZ_CC; FUZZ_SAN, the sanitizers: FUZZ_SAN=memory FUZZ_BUILD=build/fuzz-memory
# builds them under MemorySanitizer beside the others.

FUZZ_CC ?= clang-14
FUZZ_SAN ?= address,undefined,float-cast-overflow
FUZZ_BUILD := build/fuzz
# Where warpaggd asks for it, as GCC has it: each piece of memory is to be alone.
FUZZ_CFLAGS = -std=gnu11 -O1 -g -fno-omit-frame-pointer -fno-strict-aliasing \
	-D_GNU_SOURCE -D__SANITIZE_ADDRESS__=1 $(SRC_INCLUDES) -MMD -MP -pthread \
	-Wall -Wextra -Wmissing-prototypes $(WERROR) -Wno-missing-field-initializers \
	-Wno-unused-but-set-variable
FUZZ_FLAGS = -fsanitize=$(FUZZ_SAN) -fno-sanitize-recover=all

FUZZ_TARGETS := fuzz_request fuzz_query fuzz_extent fuzz_answer
FUZZ_PROGRAMS := $(FUZZ_TARGETS:%=$(FUZZ_BUILD)/%)
FUZZ_OBJ := $(FUZZ_BUILD)/obj
FUZZ_CORE_OBJS := $(DAEMON_CORE_SRCS:%.c=$(FUZZ_OBJ)/%.o)
# These have what is theirs of a process in its place: main, threads, the log.
FUZZ_DAEMON_OBJS := $(patsubst %.c,$(FUZZ_OBJ)/%.o,$(filter-out %_cuda.c \
	src/daemon/gpu/%.c src/daemon/mirror/%.c \
	$(patsubst %,src/daemon/%.c,server/main server/server base/pool base/log),\
	$(call sources,src/daemon/*/*.c)))
FUZZ_SHARED_OBJS := $(patsubst %,$(FUZZ_OBJ)/test/fuzz/%.o,\
	fuzz_input fuzz_message)

.PHONY: fuzz-targets fuzz-seeds
fuzz-targets: $(FUZZ_PROGRAMS)

fuzz-seeds: $(FUZZ_BUILD)/fuzz_seeds
	rm -rf $(FUZZ_BUILD)/seeds
	mkdir -p $(FUZZ_TARGETS:%=$(FUZZ_BUILD)/seeds/%)
	$< $(FUZZ_BUILD)/seeds

$(FUZZ_OBJ)/%.o: %.c
	@mkdir -p $(@D)
	$(call step,CC)
	$(FUZZ_CC) $(FUZZ_CFLAGS) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link -c -o $@ $<

$(FUZZ_PROGRAMS): $(FUZZ_BUILD)/%: $(FUZZ_OBJ)/test/fuzz/%.o \
		$(FUZZ_OBJ)/test/fuzz/fuzz_mutate.o $(FUZZ_SHARED_OBJS) $(FUZZ_CORE_OBJS)
	$(call step,LINK)
	$(FUZZ_CC) $(FUZZ_FLAGS) -fsanitize=fuzzer $(FUZZ_LDFLAGS) -o $@ $^ \
		-lpthread -lm

FUZZ_OWN = $(patsubst %,$(FUZZ_OBJ)/test/%.o,$1)

$(FUZZ_BUILD)/fuzz_query: $(call FUZZ_OWN,fuzz/fuzz_rows fuzz/fuzz_query_mutate)
$(FUZZ_BUILD)/fuzz_extent $(FUZZ_BUILD)/fuzz_request: \
	$(call FUZZ_OWN,fuzz/fuzz_extent_writer fuzz/fuzz_log fuzz/fuzz_threads) \
	$(FUZZ_DAEMON_OBJS)
$(FUZZ_BUILD)/fuzz_request: $(call FUZZ_OWN,fuzz/fuzz_query_mutate)
# Dictionaries are numbered by chance.
$(FUZZ_BUILD)/fuzz_extent $(FUZZ_BUILD)/fuzz_request: FUZZ_LDFLAGS = \
	-Wl,--wrap=getrandom

$(FUZZ_BUILD)/fuzz_seeds: $(call FUZZ_OWN,fuzz/fuzz_seeds fuzz/fuzz_seeds_query \
		fuzz/fuzz_seeds_answer fuzz/fuzz_seeds_extent fuzz/fuzz_seeds_request \
		fuzz/fuzz_extent_writer fuzz/fuzz_query_mutate unit/test_query_data) \
		$(FUZZ_SHARED_OBJS) $(FUZZ_CORE_OBJS)
	$(call step,LINK)
	$(FUZZ_CC) $(FUZZ_FLAGS) -o $@ $^ -lpthread -lm

-include $(wildcard $(FUZZ_OBJ)/*/*/*.d $(FUZZ_OBJ)/*/*/*/*.d)
