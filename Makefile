# trjpipe. `make help` lists the goals. Each folder has a .mk file with its goals and the folders that it may include.
VERSION := 0.1.0
PREFIX  ?= /usr/local
DESTDIR ?=
CFLAGS  ?= -O3 -g
SAN     ?=# address,undefined or thread: set by `make asan` and `make tsan`

NVCC    ?= $(shell command -v nvcc)# the build contains the CUDA engine if nvcc is found; NVCC= omits it
# hwloc binds threads to the cores near their GPUs. Builds with nvcc use it if its header is found. HWLOC= omits it.
HWLOC   ?= $(call found,hwloc.h)

# Libraries that only some inputs or options need. A build uses those whose headers it finds; `make ZLIB=` builds
# without zlib. For each library NAME: NAME_HEADER, NAME_LIBS (link flags), NAME_WITHOUT (what a build without it cannot
# do), and, if required, NAME_CFLAGS (include flags). `make config`, the macros TRJPIPE_NAME, and .ci/fresh, which
# builds with each library alone, use this list. .ci/deps lists the packages.
OPTIONAL      := ZLIB BZIP2 XZ HDF5 FFTW
ZLIB_HEADER   := zlib.h
ZLIB_LIBS     := -lz
ZLIB_WITHOUT  := gzip cannot be unpacked
BZIP2_HEADER  := bzlib.h
BZIP2_LIBS    := -lbz2
BZIP2_WITHOUT := bzip2 cannot be unpacked
XZ_HEADER     := lzma.h
XZ_LIBS       := -llzma
XZ_WITHOUT    := xz cannot be unpacked
HDF5_HEADER   := hdf5.h
HDF5_CFLAGS   := $(patsubst -I%,-isystem %,$(or $(shell pkg-config --cflags hdf5 2>/dev/null),\
                   $(addprefix -I,$(wildcard /usr/include/hdf5/serial))))
HDF5_LIBS     := $(or $(shell pkg-config --libs hdf5 2>/dev/null),$(if $(HDF5_CFLAGS),-lhdf5_serial,-lhdf5))
HDF5_WITHOUT  := H5MD cannot be read
FFTW_HEADER   := fftw3.h
FFTW_LIBS     := -lfftw3
FFTW_WITHOUT  := mapcc cannot compute a Fourier shell correlation; potmap lacks the methods pme and fast

# $(call found,HEADER,FLAGS) is `yes` if the compiler finds the header. The header is passed with -include, because
# versions of make differ in whether they remove the backslash of an escaped number sign inside $(shell ...).
found = $(shell $(CC) $(CPPFLAGS) $(2) -include $(1) -E -x c /dev/null >/dev/null 2>&1 && echo yes)
$(foreach name,$(OPTIONAL),$(if $(filter undefined,$(origin $(name))),\
    $(eval $(name) := $(call found,$($(name)_HEADER),$($(name)_CFLAGS)))))
chosen := $(foreach name,$(OPTIONAL),$(if $($(name)),$(name)))

# $(call accepted,FLAGS) is FLAGS if the compiler accepts them without a warning for a file that includes a libc header.
accepted = $(shell $(CC) -Werror -O2 $(1) -include stdio.h -c -o /dev/null -x c /dev/null >/dev/null 2>&1 && \
               echo '$(1)')

# Hardening: position-independent code, read-only relocations, a stack protector, and the checks of libc
# (_FORTIFY_SOURCE) in builds that optimise and have no sanitizer. Flags of the user take precedence.
# tests/bench/RESULTS.md gives the costs. The same objects are used for the shared library, which exports only the
# functions of lib/api/trjpipe.h.
OPTIMISED := $(filter-out -O0,$(lastword $(filter -O%,$(CFLAGS))))
FORTIFY   := $(if $(and $(OPTIMISED),$(if $(SAN),,yes)),$(if $(findstring _FORTIFY_SOURCE,$(CPPFLAGS) $(CFLAGS)),,yes))
HARDEN    := -fPIC -fvisibility=hidden $(foreach flag,-fstack-protector-strong -fstack-clash-protection \
                 -fcf-protection -mbranch-protection=standard,$(call accepted,$(flag))) \
             $(if $(FORTIFY),$(or $(call accepted,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3),\
                 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2))
HARDEN_LD := -pie -Wl,-z,relro,-z,now

# Flags that the code requires. Contraction of a*b+c and fast-math are never allowed: the counts must be identical bit
# for bit.
WARN := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wcast-qual \
        -Wwrite-strings -Wvla -Wformat=2 -Wundef
MUST := -std=c11 -D_XOPEN_SOURCE=700 -ffp-contract=off -fno-math-errno -fno-trapping-math -pthread \
        -DTRJPIPE_VERSION='"$(VERSION)"' $(if $(NVCC),-DTRJPIPE_CUDA$(if $(HWLOC), -DTRJPIPE_HWLOC)) \
        $(chosen:%=-DTRJPIPE_%) \
        $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer)
READ_LIBS := -lzstd -lm $(foreach name,$(filter-out FFTW,$(chosen)),$($(name)_LIBS))# of programs that read trajectories
LIBS      := -Wl,--as-needed $(READ_LIBS) $(if $(FFTW),$(FFTW_LIBS))
include cuda/nvcc.mk

# Each setting (compiler versions and all flags) has its own object folder, so that a program never contains objects of
# two settings.
HASH := $(shell { $(CC) --version; $(if $(NVCC),$(NVCC) --version;) \
    echo '$(CC) $(MUST) $(WARN) $(HARDEN) $(CPPFLAGS) $(CFLAGS) $(HARDEN_LD) $(LDFLAGS) $(LIBS) $(NVCC)' \
    '$(CUDA_FLAGS)'; } 2>&1 | sha256sum | cut -c1-12)
O    := .build/$(HASH)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY: # make deletes no intermediate file, so that objects are not compiled twice

# $(call library,FOLDER,OTHER FOLDERS) adds the sources of FOLDER to libtrjpipe.a. Their include paths are FOLDER and
# OTHER FOLDERS only, which enforces the order of the layers.
define library
LIB_OBJS += $$(patsubst %.c,$(O)/%.o,$$(wildcard $(1)/*.c))
INCLUDES_$(1) := $(addprefix -iquote ,$(1) $(2))
INCLUDES_all += -iquote $(1)
endef
includes = $(foreach folder,$(patsubst %/,%,$(dir $(1))),$(or $(INCLUDES_$(folder)),$(INCLUDES_all)))

PARTS := lib/base/base.mk lib/numeric/numeric.mk lib/curve/curve.mk lib/frame/frame.mk lib/codec/codec.mk \
         lib/topology/topology.mk lib/format/format.mk lib/select/select.mk lib/grid/grid.mk lib/tile/tile.mk \
         lib/work/work.mk lib/analysis/analysis.mk lib/density/density.mk lib/ligand/ligand.mk lib/apbs/apbs.mk \
         lib/potential/potential.mk lib/ion/ion.mk lib/correlation/correlation.mk lib/surface/surface.mk \
         lib/count/count.mk \
         lib/neighbour/neighbour.mk lib/histogram/histogram.mk lib/record/record.mk lib/norm/norm.mk \
         lib/derive/derive.mk lib/waves/waves.mk lib/recipe/recipe.mk lib/plot/plot.mk lib/api/api.mk cuda/cuda.mk \
         tests/bench/paper/paper.mk tests/bench/cutoff_bins/cutoff_bins.mk .github/site/site.mk filters/filters.mk \
         tests/tests.mk tests/emulation/emulation.mk tests/fuzz/fuzz.mk .ci/ci.mk
include $(PARTS)

# The .mk file of a folder sets flags for the objects of the folder and its subfolders. They are compiled again when it
# changes.
$(foreach part,$(PARTS),$(eval $(patsubst %,$(O)/%.o,$(basename \
    $(wildcard $(addprefix $(dir $(part)),*.c */*.c */*.cu)))): $(part)))

.PHONY: all
all: $(TOOLS:%=bin/%) $(API_LIBS) ## build the tools into bin/, and the C library

LINK = $(CC) $(MUST) $(CFLAGS) $(HARDEN_LD) $(LDFLAGS)

# Each step is one short line; `make V=1` shows the commands.
Q = $(if $(V),,@echo '  $(1) $@';)

$(O)/%.o: %.c
	@mkdir -p $(@D)
	$(call Q,CC) $(CC) $(MUST) $(WARN) $(HARDEN) $(CPPFLAGS) $(CFLAGS) $(ISA) $(call includes,$<) -MMD -MP -c -o $@ $<

$(O)/libtrjpipe.a: $(LIB_OBJS)
	@rm -f $@
	$(call Q,AR) $(AR) rcs $@ $^

$(O)/bin/%: $(O)/filters/%.o $(O)/libtrjpipe.a
	@mkdir -p $(@D)
	$(call Q,LD) $(LINK) -o $@ $^ $(LIBS)

# bin/ contains the tools of the setting built last. bin/.setting changes with the setting, so that the tools are copied
# again.
bin/%: $(O)/bin/% bin/.setting
	@cp $< $@

bin/.setting: .FORCE
	@mkdir -p bin
	@echo $(HASH) | cmp -s - $@ || echo $(HASH) > $@

.PHONY: .FORCE
.FORCE:

# Goals that run make again use all cores, unless the user gives -j.
JOBS = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

.PHONY: asan tsan
asan: ## run all tests under the address and undefined-behaviour sanitizers
	$(MAKE) SAN=address,undefined CFLAGS='-O1 -g -fno-sanitize-recover=all' check
tsan: ## run all tests under the thread sanitizer
	$(MAKE) SAN=thread CFLAGS='-O1 -g' check

.PHONY: config help clean
config: ## print the compiler, the flags and the folder of this setting
	@echo 'version  $(VERSION)'
	@echo 'compiler $(CC): $(shell $(CC) --version | head -1)'
	@echo 'flags    $(MUST) $(HARDEN) $(CFLAGS)'
	@echo 'objects  $(O)'
	@echo 'prefix   $(DESTDIR)$(PREFIX)'
	@echo 'NVCC     $(or $(NVCC),none: no CUDA engine in this build)'
	@$(foreach name,$(OPTIONAL),printf '%-8s %s\n' $(name) '$(or $($(name)),none: $($(name)_WITHOUT))';)
	@echo 'HWLOC    $(or $(HWLOC),none: threads run where the system puts them)'
	@$(if $(NVCC),echo 'CUFFT    $(or $(CUFFT),none: FFTW computes the Fourier transforms of potmap -e cuda on the CPU)')

help: ## print this list
	@awk -F':.*## ' '/^[a-z][a-z -]*:.*## /{printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

clean: ## remove everything that was built
	rm -rf .build bin

-include $(LIB_OBJS:.o=.d) $(wildcard $(O)/filters/*.d $(O)/tests/*/*.d)
