# cuda.mk
#	The kernels and the CUDA side's surface, compiled by nvcc.  Included by the
#	Makefile in the root, after choice.mk and only where that chooses kernels.
#
#	CUDA_OBJS				objects of cuda/ for warpaggd; link with CUDA_LIBS
#	build/gpu/check_kernels	the kernel test for a machine with a GPU; under
#							compute-sanitizer use --report-api-errors no,
#							since it provokes errors of the API
#	build/gpu/check_block	the same with blocks of half the size
#	build/gpu/check_primitives	the test of cuda/warp and bench/ladder, likewise
#	build/gpu/check_groups	the test of grouped reductions, likewise
#	build/gpu/check_programs	that of query programs, likewise
#	build/gpu/check_wide_programs	that of programs that are wide, likewise
#	build/gpu/check_keys	that of the numbering of groups, likewise
#	GPU_GROUPS_OBJS			grouped reductions, for programs that measure them;
#							link with GPU_CORE_OBJS
#	build/gpu/bench_kernels	the kernel benchmark, likewise
#	build/gpu/bench_groups	that of grouped reductions, likewise
#	build/gpu/bench_programs	that of query programs and keys, likewise
#	build/gpu/bench_query	that of whole queries, likewise
#	build/gpu/bench_sorts	CUB's sorts, likewise
#	build/gpu/bench_ladder	the steps of a reduction side by side, likewise
#	bench-kernels, bench-groups, bench-programs, bench-query, bench-ladder
#							build these, and where there is a GPU run them and
#							leave build/gpu/kernels.md, groups.md, programs.md,
#							query.md and ladder.md
#
# Settings: those of choice.mk; WA_NVCC_FLAGS, more flags for warpaggd's kernels; and
# WA_GPU_ARCH, the GPU to test and measure on.

WA_GPU_ARCH ?= 90

CUDA_SOURCES = $(call sources,cuda/*.cu)
# What the kernel test and its like need of it.
CUDA_BLOCK_SOURCES = cuda/joint.cu $(call sources,cuda/kernels*.cu)
CUDA_REDUCTION_SOURCES = cuda/device.cu $(CUDA_BLOCK_SOURCES)
CUDA_OBJS = $(CUDA_SOURCES:cuda/%.cu=build/cuda/%.o)
CUDA_LIBS = -L$(CUDA_HOME)/lib64 -lcudart_static -lstdc++ -lpthread -ldl -lrt

NVCC_FLAGS = -std=c++17 -O3 -Xcompiler -Wall,-Wextra $(SRC_INCLUDES) \
	-I$(srcdir)/cuda -MMD -MP
CUDA_NEWEST = compute_$(lastword $(CUDA_ARCHS))
CUDA_GENCODE = $(foreach arch,$(CUDA_ARCHS),\
	-gencode arch=compute_$(arch),code=sm_$(arch)) \
	-gencode arch=$(CUDA_NEWEST),code=$(CUDA_NEWEST)
# Architectures that nvcc compiles for at a time.
CUDA_THREADS = --threads 2

build/cuda/%.o: cuda/%.cu build/cuda/archs build/cuda/flags
	@mkdir -p $(@D)
	$(call step,NVCC)
	$(NVCC) $(NVCC_FLAGS) $(WA_NVCC_FLAGS) $(CUDA_THREADS) $(CUDA_GENCODE) -c -o $@ $<

# These change when the GPUs do, or the flags, so that all is built anew then.
build/cuda/archs: $(call unless,build/cuda/archs,$(CUDA_ARCHS))
	@mkdir -p $(@D)
	@echo $(CUDA_ARCHS) >$@

build/cuda/flags: $(call unless,build/cuda/flags,$(WA_NVCC_FLAGS))
	@mkdir -p $(@D)
	@echo $(WA_NVCC_FLAGS) >$@

# The programs for one GPU: core as plain C, the rest by nvcc.
GPU_FLAGS = $(NVCC_FLAGS) -lineinfo -arch=sm_$(WA_GPU_ARCH)
GPU_CORE_OBJS = $(patsubst src/core/%.c,build/gpu/core/%.o,\
	$(call sources,src/core/*.c))
GPU_CUDA_OBJS = $(CUDA_REDUCTION_SOURCES:cuda/%.cu=build/gpu/%.o)
GPU_GROUPS_OBJS = $(patsubst cuda/%.cu,build/gpu/%.o,$(call sources,cuda/group*.cu))
GPU_PROGRAMS_OBJS = $(patsubst cuda/%.cu,build/gpu/%.o,\
	$(call sources,cuda/program*.cu))
GPU_CHECK_OBJS = $(patsubst %,build/gpu/%.o,\
	report values test_kernels test_surface test_memory test_main memory)

GPU_PRIMITIVES_OBJS = $(patsubst %,build/gpu/%.o,\
	report values test_primitives test_ladder test_block_min)

build/gpu/core/%.o: src/core/%.c
	@mkdir -p $(@D)
	$(call step,CC)
	$(CC) -std=gnu11 -O3 $(SRC_INCLUDES) -MMD -MP -c -o $@ $<

build/gpu/%.o: cuda/%.cu
	@mkdir -p $(@D)
	$(call step,NVCC)
	$(NVCC) $(GPU_FLAGS) -c -o $@ $<

build/gpu/%.o: test/emu/%.cpp
	@mkdir -p $(@D)
	$(call step,NVCC)
	$(NVCC) $(GPU_FLAGS) -x cu -c -o $@ $<

build/gpu/block/%.o: cuda/%.cu
	@mkdir -p $(@D)
	$(call step,NVCC)
	$(NVCC) $(GPU_FLAGS) -DWA_BLOCK_THREADS=128 -c -o $@ $<

build/gpu/check_kernels: $(GPU_CHECK_OBJS) $(GPU_CUDA_OBJS)
build/gpu/check_block: $(CUDA_BLOCK_SOURCES:cuda/%.cu=build/gpu/block/%.o) \
		$(filter-out $(CUDA_BLOCK_SOURCES:cuda/%.cu=build/gpu/%.o),$(GPU_CUDA_OBJS)) \
		$(GPU_CHECK_OBJS)
build/gpu/check_groups: $(patsubst %,build/gpu/%.o,\
		report values test_groups test_groups_main) $(GPU_GROUPS_OBJS)
build/gpu/check_programs: $(patsubst %,build/gpu/%.o,\
		report random_program program_on_cpu test_programs) $(GPU_PROGRAMS_OBJS)
build/gpu/check_wide_programs: $(patsubst %,build/gpu/%.o,\
		report random_wide test_wide_programs) $(GPU_PROGRAMS_OBJS)
build/gpu/check_keys: $(patsubst %,build/gpu/%.o,report values test_keys keys program_lookup)
build/gpu/check_primitives: $(GPU_PRIMITIVES_OBJS)

build/gpu/group_sort.o build/gpu/query_sort.o: \
	GPU_FLAGS += -I$(CUDA_HOME)/include/cccl
build/cuda/group_sort.o build/cuda/query_sort.o: \
	NVCC_FLAGS += -I$(CUDA_HOME)/include/cccl

# The benchmarks: bench/NAME.cu, and what it needs of bench/gpu.
BENCH_FLAGS = $(GPU_FLAGS) -I$(CUDA_HOME)/include/cccl
BENCH_KERNELS_OBJS = build/gpu/kernels_bench.o $(patsubst %,build/gpu/bench/%.o,\
	timing columns single fused floats latency)
BENCH_GROUPS_OBJS = build/gpu/groups_bench.o $(patsubst %,build/gpu/bench/%.o,\
	timing group_run)
BENCH_PROGRAMS_OBJS = build/gpu/programs_bench.o build/gpu/bench/timing.o
BENCH_QUERY_OBJS = build/gpu/query_bench.o build/gpu/bench/timing.o \
	$(patsubst cuda/%.cu,build/gpu/%.o,$(CUDA_SOURCES))
BENCH_SORTS_OBJS = build/gpu/sorts_bench.o build/gpu/bench/timing.o
BENCH_LADDER_OBJS = build/gpu/ladder_bench.o build/gpu/bench/timing.o

build/gpu/bench/%.o: bench/gpu/%.cu
	@mkdir -p $(@D)
	$(call step,NVCC)
	$(NVCC) $(BENCH_FLAGS) -c -o $@ $<

build/gpu/%_bench.o: bench/%.cu
	@mkdir -p $(@D)
	$(call step,NVCC)
	$(NVCC) $(BENCH_FLAGS) -c -o $@ $<

build/gpu/ladder_bench.o: bench/ladder/ladder.cu
	@mkdir -p $(@D)
	$(call step,NVCC)
	$(NVCC) $(BENCH_FLAGS) -c -o $@ $<

build/gpu/bench_kernels: $(BENCH_KERNELS_OBJS) $(GPU_CUDA_OBJS)
build/gpu/bench_groups: $(BENCH_GROUPS_OBJS) $(GPU_GROUPS_OBJS)
build/gpu/bench_programs: $(BENCH_PROGRAMS_OBJS) $(GPU_PROGRAMS_OBJS) \
		build/gpu/keys.o
build/gpu/bench_query: $(BENCH_QUERY_OBJS)
build/gpu/bench_sorts: $(BENCH_SORTS_OBJS)
build/gpu/bench_ladder: $(BENCH_LADDER_OBJS) $(GPU_CUDA_OBJS)

# All tests and benchmarks.
GPU_BINARIES = $(patsubst %,check_%,kernels block groups programs wide_programs keys \
	primitives) $(patsubst %,bench_%,kernels groups programs query sorts ladder)
$(GPU_BINARIES:%=build/gpu/%): $(GPU_CORE_OBJS)
	$(call step,LINK)
	$(NVCC) -arch=sm_$(WA_GPU_ARCH) -o $@ $^

.PHONY: bench-kernels bench-groups bench-programs bench-query bench-sorts bench-ladder
bench-kernels bench-groups bench-programs bench-query bench-sorts bench-ladder: bench-%: build/gpu/bench_%
	@if nvidia-smi -L >/dev/null 2>&1; then \
		$< build/gpu/$*.md; \
	else \
		echo "there is no GPU: $< was built, but not run"; \
	fi

-include $(wildcard build/cuda/*.d build/gpu/*.d build/gpu/*/*.d)
