# choice.mk
#	Whether warpaggd gets kernels, and for which GPUs.  Included by the Makefile in
#	the root, before the rest.
#
# Settings:
#	WITH_CUDA		yes, no, or auto: where nvcc is, and a GPU with its driver or
#					WA_CUDA_ARCHS.  Default: auto
#	WA_CUDA_ARCHS	native (the GPUs that are here), all, or numbers such as "80 90";
#					each may run on later GPUs of its generation, and the last one is
#					there as PTX, too, for generations to come.  Default: native where
#					there is a GPU, else all
#	NVCC, CUDA_HOME	the compiler, and the toolkit that it belongs to

# What is installed is what was built, where sudo has taken settings away, too.
built = $(if $(filter install%,$(MAKECMDGOALS)),$(file <$1))
WITH_CUDA ?= $(or $(call built,build/daemon/with_cuda),auto)
ifneq ($(call built,build/cuda/archs),)
WA_CUDA_ARCHS ?= $(call built,build/cuda/archs)
WA_NVCC_FLAGS ?= $(call built,build/cuda/flags)
endif

NVCC ?= $(firstword $(shell command -v nvcc) $(wildcard /usr/local/cuda/bin/nvcc))

# 80 serves 86, 87 and 89; 100 serves 103, and 120 serves 121.
CUDA_ALL_ARCHS := 75 80 90 100 120

# What GPUs are here, as nvcc numbers them.
ifneq ($(and $(NVCC),$(filter-out no,$(WITH_CUDA)),$(filter-out all,$(or $(WA_CUDA_ARCHS),native))),)
CUDA_HERE := $(sort $(subst .,,$(shell \
	nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null)))
endif

ifeq ($(WITH_CUDA),auto)
override WITH_CUDA := $(if $(and $(NVCC),$(or $(WA_CUDA_ARCHS),$(CUDA_HERE))),yes,no)
NO_KERNELS = $(if $(NVCC),there is no NVIDIA driver (WITH_CUDA=yes builds kernels \
	nevertheless),nvcc was not found)
endif

ifeq ($(WITH_CUDA),yes)
ifeq ($(NVCC),)
$(error WITH_CUDA=yes needs nvcc, which was not found: set NVCC)
endif
CUDA_HOME ?= $(abspath $(dir $(realpath $(shell command -v $(NVCC))))/..)
WA_CUDA_ARCHS ?= $(if $(CUDA_HERE),native,all)

# In nvcc's order, which is that of age.  A GPU that is newer than nvcc runs PTX.
CUDA_KNOWN_ARCHS = $(patsubst compute_%,%,$(shell $(NVCC) --list-gpu-arch))
ifeq ($(WA_CUDA_ARCHS),native)
CUDA_ARCHS := $(filter $(CUDA_HERE),$(CUDA_KNOWN_ARCHS))
ifeq ($(CUDA_ARCHS),)
CUDA_ARCHS := $(lastword $(filter $(CUDA_ALL_ARCHS),$(CUDA_KNOWN_ARCHS)))
endif
else ifeq ($(WA_CUDA_ARCHS),all)
CUDA_ARCHS := $(filter $(CUDA_ALL_ARCHS),$(CUDA_KNOWN_ARCHS))
else
CUDA_ARCHS := $(WA_CUDA_ARCHS)
endif
endif
