# steps.mk
#	What the makefiles share.  Included by the Makefile in the root, before PGXS,
#	and by src/daemon/daemon.mk.
#
#	srcdir						the folder of the source, in which a build may lie
#								or not
#	$(call sources,PATTERNS)	the files below it that match
#	SRC_INCLUDES				the folders that #include looks at
#	$(call step,TAG)			in a recipe: a line that says what is made, and how
#	$(call say,TEXT)			likewise: another line
#	$(call unless,FILE,WORDS)	as a prerequisite: FORCE, unless the file has these words
#
# A build prints a line for each step; with V=1 it prints the commands instead, and
# with -s nothing.

srcdir := $(patsubst %/,%,$(dir $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))))

SRC_INCLUDES := -I$(srcdir)/src -I$(srcdir)
sources = $(patsubst $(srcdir)/%,%,$(wildcard $(addprefix $(srcdir)/,$1)))

ifeq ($(findstring s,$(filter-out --%,$(firstword -$(MAKEFLAGS)))),)
say = $(info $1)
ifneq ($(V),1)
step = $(info $1	$@)
endif
endif
ifneq ($(V),1)
.SILENT:
endif

unless = $(if $(filter-out $(file <$1),$2)$(filter-out $2,$(file <$1)),FORCE)

# Makes do without VPATH, which would find objects of the source's own build, too.
ifneq ($(srcdir),.)
vpath %.c $(srcdir)
vpath %.cu $(srcdir)
vpath %.cpp $(srcdir)
vpath %.control $(srcdir)
endif

.PHONY: FORCE
