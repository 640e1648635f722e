# emu.mk
#	The emulator and the kernel test.  Included by the Makefile in the root.
#
#	emu-test			builds build/emu/test_kernels and
#						build/emu/test_primitives and runs them,
#						build/emu/test_groups, build/emu/test_programs,
#						build/emu/test_wide_programs and build/emu/test_keys, build/emu/test_queries,
#						build/emu/test_first_groups, build/emu/test_conditions,
#						build/emu/test_scratch, build/emu/test_launches, and build/emu/test_block, the
#						kernel test with blocks of half the size
#	EMU_SEEDS			seeds for those of these that make up their values; default: two
#						or three for each
#	EMU_QUERIES			how many random queries build/emu/test_queries has, and behind that
#						a seed, if others are wanted; default: 240
#	EMU_CUDA_OBJS		cuda/ and the emulator, for warpaggd-emu; link with
#						EMU_LIBS, beside src/core
#
# cuda/cuda.mk builds the same test by nvcc, for a machine with a GPU.

EMU_CXX_SOURCES = test/emu/fiber.cpp test/emu/scheduler.cpp \
	test/emu/runtime.cpp test/emu/virtual_memory.cpp
# Grouped reductions, query programs, keys and whole queries have tests of their
# own, and grouped reductions and queries sorts instead of CUB's.
EMU_CU_SOURCES = $(filter-out cuda/group% cuda/program% cuda/keys% cuda/query%,\
	$(call sources,cuda/*.cu))
EMU_SORTS = group_sort query_sort
EMU_DAEMON_SOURCES = $(filter-out $(EMU_SORTS:%=cuda/%.cu),\
	$(call sources,cuda/*.cu))
EMU_GROUPS_SOURCES = $(filter-out cuda/group_sort.cu,$(call sources,cuda/group*.cu))
EMU_PROGRAMS_SOURCES = $(call sources,cuda/program*.cu)
EMU_COMMON_SOURCES = test/emu/report.cpp test/emu/values.cpp
EMU_TEST_SOURCES = $(EMU_COMMON_SOURCES) test/emu/test_kernels.cpp \
	test/emu/test_surface.cpp test/emu/test_memory.cpp test/emu/test_main.cpp
EMU_CORE_SOURCES = $(call sources,src/core/*.c)

EMU_WARNINGS = -Wall -Wextra $(WERROR) -MMD -MP
EMU_INCLUDES = -I$(srcdir)/test/emu $(SRC_INCLUDES) -I$(srcdir)/cuda
# Kernels see shared memory through pointers of several types, and their
# #pragma unroll is meant for nvcc.  Messages may be cut off.
EMU_CXXFLAGS = -std=c++17 -O2 -g1 $(EMU_WARNINGS) -Wno-unknown-pragmas \
	-Wno-format-truncation -fno-strict-aliasing
EMU_CFLAGS = -std=gnu11 -O2 -g1 $(EMU_WARNINGS) -Wno-unused-parameter \
	-Wno-sign-compare
# With checks -O2 takes four times as long to compile kernels as -Og, and what comes of
# it is no faster: it changes from thread to thread all the time.
EMU_SANITIZE = -Og -fsanitize=address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer
# Checks of memory by calls are half the code in kernels.  Accesses by NULL and beyond
# objects end programs without UBSan, too.
EMU_KERNEL_SANITIZE = $(EMU_SANITIZE) -fno-sanitize=null,object-size,vptr \
	--param asan-instrumentation-with-call-threshold=100
EMU_LIBS = -lstdc++ -lpthread -lm

# The primitives of cuda/warp and bench/ladder by themselves.
EMU_PRIMITIVES_SOURCES = test/emu/test_primitives.cpp test/emu/test_ladder.cpp \
	test/emu/test_block_min.cpp

# Plain objects, for the daemon.
EMU_CUDA_OBJS = $(EMU_DAEMON_SOURCES:cuda/%.cu=build/emu/plain/%.o) \
	$(EMU_SORTS:%=build/emu/plain/%.o) \
	$(EMU_CXX_SOURCES:test/emu/%.cpp=build/emu/plain/%.o)

# Sanitized objects, for the test.
EMU_TEST_OBJS = $(EMU_CU_SOURCES:cuda/%.cu=build/emu/test/%.o) \
	$(EMU_CXX_SOURCES:test/emu/%.cpp=build/emu/test/%.o) \
	$(EMU_TEST_SOURCES:test/emu/%.cpp=build/emu/test/%.o) \
	build/emu/test/test_emulator.o \
	$(EMU_CORE_SOURCES:src/core/%.c=build/emu/test/core/%.o)

EMU_PRIMITIVES_OBJS = $(EMU_CXX_SOURCES:test/emu/%.cpp=build/emu/test/%.o) \
	$(EMU_PRIMITIVES_SOURCES:test/emu/%.cpp=build/emu/test/%.o) \
	$(EMU_COMMON_SOURCES:test/emu/%.cpp=build/emu/test/%.o) \
	$(EMU_CORE_SOURCES:src/core/%.c=build/emu/test/core/%.o)

EMU_GROUPS_OBJS = $(EMU_GROUPS_SOURCES:cuda/%.cu=build/emu/test/%.o) \
	$(EMU_CXX_SOURCES:test/emu/%.cpp=build/emu/test/%.o) \
	$(EMU_COMMON_SOURCES:test/emu/%.cpp=build/emu/test/%.o) \
	$(patsubst %,build/emu/test/%.o,group_sort test_groups test_groups_main) \
	$(EMU_CORE_SOURCES:src/core/%.c=build/emu/test/core/%.o)

EMU_PROGRAMS_OBJS = $(EMU_PROGRAMS_SOURCES:cuda/%.cu=build/emu/test/%.o) \
	$(EMU_CXX_SOURCES:test/emu/%.cpp=build/emu/test/%.o) \
	$(patsubst %,build/emu/test/%.o,\
		report random_program program_on_cpu test_programs) \
	$(EMU_CORE_SOURCES:src/core/%.c=build/emu/test/core/%.o)

EMU_WIDE_OBJS = $(EMU_PROGRAMS_SOURCES:cuda/%.cu=build/emu/test/%.o) \
	$(EMU_CXX_SOURCES:test/emu/%.cpp=build/emu/test/%.o) \
	$(patsubst %,build/emu/test/%.o,report random_wide test_wide_programs) \
	$(EMU_CORE_SOURCES:src/core/%.c=build/emu/test/core/%.o)

EMU_KEYS_OBJS = build/emu/test/keys.o build/emu/test/program_lookup.o \
	$(EMU_CXX_SOURCES:test/emu/%.cpp=build/emu/test/%.o) \
	$(EMU_COMMON_SOURCES:test/emu/%.cpp=build/emu/test/%.o) \
	build/emu/test/test_keys.o \
	$(EMU_CORE_SOURCES:src/core/%.c=build/emu/test/core/%.o)

EMU_QUERIES_SOURCES = $(filter-out cuda/device.cu,$(EMU_DAEMON_SOURCES))
EMU_QUERIES_OBJS = $(EMU_QUERIES_SOURCES:cuda/%.cu=build/emu/test/%.o) \
	$(EMU_SORTS:%=build/emu/test/%.o) build/emu/test/unit/test_gpu_runner.o \
	build/emu/test/unit/test_gpu_data.o build/emu/test/unit/test_gpu_query.o \
	build/emu/test/unit/test_gpu_made.o \
	$(EMU_CXX_SOURCES:test/emu/%.cpp=build/emu/test/%.o) \
	$(patsubst %,build/emu/test/src/daemon/%.o,run/query_groups run/query_lists \
		run/query_runner run/query_slices run/query_state \
		run/query_tables run/kept_tables run/made_tables run/run_budget run/take_extent column/dictionary \
		base/memory base/ledger base/chunks base/log base/watch) \
	$(patsubst src/%.c,build/emu/test/src/%.o,$(call sources,src/daemon/gpu/*.c)) \
	$(patsubst src/%.c,build/emu/test/src/%.o,$(call sources,src/query/*/*.c)) \
	$(EMU_CORE_SOURCES:src/core/%.c=build/emu/test/core/%.o)

# These take two thirds of the time to compile that they take by -O2, and run as fast.
build/emu/plain/%.o: cuda/%.cu
	@mkdir -p $(@D)
	$(call step,CXX)
	$(CXX) $(EMU_CXXFLAGS) -O1 $(EMU_INCLUDES) -x c++ -c -o $@ $<

build/emu/plain/%.o: test/emu/%.cpp
	@mkdir -p $(@D)
	$(call step,CXX)
	$(CXX) $(EMU_CXXFLAGS) $(EMU_INCLUDES) -c -o $@ $<

build/emu/test/%.o: cuda/%.cu
	@mkdir -p $(@D)
	$(call step,CXX)
	$(CXX) $(EMU_CXXFLAGS) $(EMU_KERNEL_SANITIZE) $(EMU_INCLUDES) -x c++ -c -o $@ $<

build/emu/test/%.o: test/emu/%.cpp
	@mkdir -p $(@D)
	$(call step,CXX)
	$(CXX) $(EMU_CXXFLAGS) $(EMU_SANITIZE) $(EMU_INCLUDES) -c -o $@ $<

$(EMU_CXX_SOURCES:test/emu/%.cpp=build/emu/test/%.o): EMU_SANITIZE += -O2

build/emu/test/core/%.o: src/core/%.c
	@mkdir -p $(@D)
	$(call step,CC)
	$(CC) $(EMU_CFLAGS) $(EMU_SANITIZE) $(SRC_INCLUDES) -c -o $@ $<

build/emu/test_kernels: $(EMU_TEST_OBJS)
	$(call step,LINK)
	$(CXX) $(EMU_SANITIZE) -o $@ $^ -lpthread -lm

# The kernels in blocks of another size, and few columns in one launch.
EMU_BLOCK_SOURCES = cuda/joint.cu $(call sources,cuda/kernels*.cu)
EMU_BLOCK_OBJS = $(EMU_BLOCK_SOURCES:cuda/%.cu=build/emu/block/%.o) \
	$(filter-out $(EMU_BLOCK_SOURCES:cuda/%.cu=build/emu/test/%.o),$(EMU_TEST_OBJS))

build/emu/block/%.o: cuda/%.cu
	@mkdir -p $(@D)
	$(call step,CXX)
	$(CXX) $(EMU_CXXFLAGS) -O1 -DWA_BLOCK_THREADS=128 -DWA_ALONE_BYTES=1024 \
		$(EMU_INCLUDES) -x c++ -c -o $@ $<

build/emu/test_block: $(EMU_BLOCK_OBJS)
	$(call step,LINK)
	$(CXX) $(EMU_SANITIZE) -o $@ $^ -lpthread -lm

build/emu/test_primitives: $(EMU_PRIMITIVES_OBJS)
	$(call step,LINK)
	$(CXX) $(EMU_SANITIZE) -o $@ $^ -lpthread -lm

# Not that of cuda/, which a pattern would take.
$(EMU_SORTS:%=build/emu/plain/%.o): build/emu/plain/%.o: test/emu/%.cpp
	@mkdir -p $(@D)
	$(call step,CXX)
	$(CXX) $(EMU_CXXFLAGS) $(EMU_INCLUDES) -c -o $@ $<

$(EMU_SORTS:%=build/emu/test/%.o): build/emu/test/%.o: test/emu/%.cpp
	@mkdir -p $(@D)
	$(call step,CXX)
	$(CXX) $(EMU_CXXFLAGS) $(EMU_SANITIZE) $(EMU_INCLUDES) -c -o $@ $<

build/emu/test_groups: $(EMU_GROUPS_OBJS)
	$(call step,LINK)
	$(CXX) $(EMU_SANITIZE) -o $@ $^ -lpthread -lm

build/emu/test_programs: $(EMU_PROGRAMS_OBJS)
	$(call step,LINK)
	$(CXX) $(EMU_SANITIZE) -o $@ $^ -lpthread -lm

build/emu/test_wide_programs: $(EMU_WIDE_OBJS)
	$(call step,LINK)
	$(CXX) $(EMU_SANITIZE) -o $@ $^ -lpthread -lm

# The same programs, nearly all of which are long.
EMU_LONG_OBJS = $(EMU_PROGRAMS_SOURCES:cuda/%.cu=build/emu/long/%.o)

build/emu/long/%.o: cuda/%.cu
	@mkdir -p $(@D)
	$(call step,CXX)
	$(CXX) $(EMU_CXXFLAGS) $(EMU_KERNEL_SANITIZE) -DWA_PROGRAM_MAX_OPS=2 \
		$(EMU_INCLUDES) -x c++ -c -o $@ $<

build/emu/test_long_programs: $(EMU_LONG_OBJS) \
		$(filter-out $(EMU_LONG_OBJS:build/emu/long/%=build/emu/test/%),\
			$(EMU_PROGRAMS_OBJS))
	$(call step,LINK)
	$(CXX) $(EMU_SANITIZE) -o $@ $^ -lpthread -lm

build/emu/test_long_wide_programs: $(EMU_LONG_OBJS) \
		$(filter-out $(EMU_LONG_OBJS:build/emu/long/%=build/emu/test/%),\
			$(EMU_WIDE_OBJS))
	$(call step,LINK)
	$(CXX) $(EMU_SANITIZE) -o $@ $^ -lpthread -lm

build/emu/test_keys: $(EMU_KEYS_OBJS)
	$(call step,LINK)
	$(CXX) $(EMU_SANITIZE) -o $@ $^ -lpthread -lm

# The runner of the daemon over the emulator, against that of the CPU.
build/emu/test/src/%.o: src/%.c
	@mkdir -p $(@D)
	$(call step,CC)
	$(CC) $(EMU_CFLAGS) $(EMU_SANITIZE) -D_GNU_SOURCE -fno-strict-aliasing \
		-DWA_WITH_CUDA $(SRC_INCLUDES) -c -o $@ $<

build/emu/test/unit/%.o: test/unit/%.c
	@mkdir -p $(@D)
	$(call step,CC)
	$(CC) $(EMU_CFLAGS) $(EMU_SANITIZE) -D_GNU_SOURCE $(SRC_INCLUDES) -c -o $@ $<

# So few rows that become tables are shared between states.
build/emu/test/src/daemon/gpu/gpu_runner.o: EMU_CFLAGS += -DSTATE_ROWS=1000

build/emu/test_queries: $(EMU_QUERIES_OBJS)
	$(call step,LINK)
	$(CXX) $(EMU_SANITIZE) -o $@ $^ -lpthread -lm

# Whole queries that want the first groups only, with small limits.
EMU_FIRST_FLAGS = -DWA_QUERY_HASH_GROUPS=24 -DWA_QUERY_HASH_BITS=22 \
	-DWA_QUERY_FEW_GROUPS=12 -DWA_QUERY_MORE_GROUPS=3 -DWA_QUERY_DENSE_ROWS=64
EMU_FIRST_SOURCES = query_numbers query_sorted query_order query_dense
EMU_FIRST_OBJS = $(EMU_FIRST_SOURCES:%=build/emu/first/%.o) \
	$(filter-out $(EMU_FIRST_SOURCES:%=build/emu/test/%.o),\
		$(EMU_QUERIES_SOURCES:cuda/%.cu=build/emu/test/%.o)) \
	build/emu/first/test_first_groups.o \
	$(patsubst %,build/emu/test/%.o,first_query report) \
	$(EMU_SORTS:%=build/emu/test/%.o) \
	$(EMU_CXX_SOURCES:test/emu/%.cpp=build/emu/test/%.o) \
	$(EMU_CORE_SOURCES:src/core/%.c=build/emu/test/core/%.o)

build/emu/first/%.o: cuda/%.cu
	@mkdir -p $(@D)
	$(call step,CXX)
	$(CXX) $(EMU_CXXFLAGS) $(EMU_KERNEL_SANITIZE) $(EMU_FIRST_FLAGS) \
		$(EMU_INCLUDES) -x c++ -c -o $@ $<

build/emu/first/%.o: test/emu/%.cpp
	@mkdir -p $(@D)
	$(call step,CXX)
	$(CXX) $(EMU_CXXFLAGS) $(EMU_SANITIZE) $(EMU_FIRST_FLAGS) \
		$(EMU_INCLUDES) -c -o $@ $<

build/emu/test_first_groups: $(EMU_FIRST_OBJS)
	$(call step,LINK)
	$(CXX) $(EMU_SANITIZE) -o $@ $^ -lpthread -lm

# Whole queries, each clause and each column in a launch of its own, few rows side by side,
# and so little memory that it has to take turns.
build/emu/launches/%.o: cuda/%.cu
	@mkdir -p $(@D)
	$(call step,CXX)
	$(CXX) $(EMU_CXXFLAGS) $(EMU_KERNEL_SANITIZE) -DWA_QUERY_LAUNCH_PARTS=1 \
		-DWA_QUERY_FIRST_GROUPS=256 -DWA_QUERY_DENSE_ROWS=64 \
		-DWA_QUERY_HOST_BYTES=262144 $(EMU_INCLUDES) -x c++ -c -o $@ $<

build/emu/launches/gpu/gpus.o: src/daemon/gpu/gpus.c
	@mkdir -p $(@D)
	$(call step,CC)
	$(CC) $(EMU_CFLAGS) $(EMU_SANITIZE) -D_GNU_SOURCE -DWA_WITH_CUDA \
		-DMEMORY_SHARE=400 $(SRC_INCLUDES) -c -o $@ $<

EMU_LAUNCHES_SOURCES = query query_programs query_numbers query_dense

build/emu/test_launches: $(EMU_LAUNCHES_SOURCES:%=build/emu/launches/%.o) \
		build/emu/launches/gpu/gpus.o \
		$(filter-out $(EMU_LAUNCHES_SOURCES:%=build/emu/test/%.o) \
			build/emu/test/src/daemon/gpu/gpus.o,$(EMU_QUERIES_OBJS))
	$(call step,LINK)
	$(CXX) $(EMU_SANITIZE) -o $@ $^ -lpthread -lm

# Conditions, which the host finds alone.
build/emu/test_conditions: $(EMU_QUERIES_SOURCES:cuda/%.cu=build/emu/test/%.o) \
		$(patsubst %,build/emu/test/%.o,test_conditions report $(EMU_SORTS)) \
		$(EMU_CXX_SOURCES:test/emu/%.cpp=build/emu/test/%.o) \
		$(EMU_CORE_SOURCES:src/core/%.c=build/emu/test/core/%.o)
	$(call step,LINK)
	$(CXX) $(EMU_SANITIZE) -o $@ $^ -lpthread -lm

# The memory of queries.
build/emu/test_scratch: $(EMU_QUERIES_SOURCES:cuda/%.cu=build/emu/test/%.o) \
		$(patsubst %,build/emu/test/%.o,test_scratch report $(EMU_SORTS)) \
		$(EMU_CXX_SOURCES:test/emu/%.cpp=build/emu/test/%.o) \
		$(EMU_CORE_SOURCES:src/core/%.c=build/emu/test/core/%.o)
	$(call step,LINK)
	$(CXX) $(EMU_SANITIZE) -o $@ $^ -lpthread -lm

# The programs that emu-test runs, the long ones first.
EMU_RUNS = $(patsubst %,emu-run-%,queries kernels launches groups first_groups \
	wide_programs programs long_programs long_wide_programs block conditions keys \
	scratch primitives)
emu-run-queries emu-run-launches: export WARPAGG_EMU_DEVICES = 2
$(filter-out $(patsubst %,emu-run-%,queries launches conditions scratch),$(EMU_RUNS)): \
	EMU_ARGUMENTS = $(EMU_SEEDS)
emu-run-block: EMU_ARGUMENTS = 4
emu-run-queries: EMU_ARGUMENTS = $(EMU_QUERIES)
# So many queries come to each line of the files that are compiled for this program.
emu-run-launches: EMU_ARGUMENTS = 80

.PHONY: emu-test $(EMU_RUNS)
emu-test: $(EMU_RUNS)
$(EMU_RUNS): emu-run-%: build/emu/test_%
	$< $(EMU_ARGUMENTS)

-include $(wildcard $(patsubst %,build/emu/%.d,*/* */*/* */*/*/* */*/*/*/*))
