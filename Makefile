# trjpipe. `make help` says what there is to make. One .mk a folder says what is built there and which folders it may see.
VERSION := 0.1.0
PREFIX  ?= /usr/local
DESTDIR ?=
CFLAGS  ?= -O3 -g
SAN     ?=# address,undefined or thread: set by `make asan` and `make tsan`

NVCC    ?= $(shell command -v nvcc)# the CUDA engine is part of the build where it is found; NVCC= leaves it out
# hwloc keeps threads near their GPUs, in builds with nvcc that find its header; HWLOC= leaves it out.
HWLOC   ?= $(call found,hwloc.h)
# Libraries that some input needs are part of a build that finds their header; ZLIB= and the like leave them out.
ZLIB    ?= $(call found,zlib.h)
HDF5    ?= $(call found,hdf5.h,$(HDF5_SEES))
HDF5_SEES := $(patsubst -I%,-isystem %,$(or $(shell pkg-config --cflags hdf5 2>/dev/null),$(addprefix -I,$(wildcard /usr/include/hdf5/serial))))
HDF5_LIBS := $(or $(shell pkg-config --libs hdf5 2>/dev/null),$(if $(HDF5_SEES),-lhdf5_serial,-lhdf5))

# $(call found,HEADER,FLAGS): `yes` if the compiler finds the header. The header is passed with -include because versions of make
# differ in whether they remove the backslash of an escaped number sign inside $(shell ...).
found = $(shell $(CC) $(CPPFLAGS) $(2) -include $(1) -E -x c /dev/null >/dev/null 2>&1 && echo yes)

# Flags the code relies on. No contraction of a*b+c and no fast-math, ever: the counts are promised bit for bit.
WARN := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wcast-qual \
        -Wwrite-strings -Wvla -Wformat=2 -Wundef
MUST := -std=c11 -D_XOPEN_SOURCE=700 -ffp-contract=off -fno-math-errno -fno-trapping-math -pthread \
        -DTRJPIPE_VERSION='"$(VERSION)"' $(if $(NVCC),-DTRJPIPE_CUDA$(if $(HWLOC), -DTRJPIPE_HWLOC)) $(if $(ZLIB),-DTRJPIPE_ZLIB) $(if $(HDF5),-DTRJPIPE_HDF5) \
        $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer)
LIBS := -Wl,--as-needed -lzstd -lm $(if $(ZLIB),-lz) $(if $(HDF5),$(HDF5_LIBS))

# Objects of different compilers and flags live side by side: nothing is ever linked from two settings.
HASH := $(shell { $(CC) --version; echo '$(CC) $(MUST) $(WARN) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS)'; } 2>&1 | sha256sum | cut -c1-12)
O    := .build/$(HASH)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY: # objects are kept, also those that only a rule chain knows of

# $(call library,FOLDER,FOLDERS IT SEES): its sources go into libtrjpipe.a. Include paths are what keeps the layers apart.
define library
LIB_OBJS += $$(patsubst %.c,$(O)/%.o,$$(wildcard $(1)/*.c))
SEES_$(1) := $(addprefix -iquote ,$(1) $(2))
SEES_all += -iquote $(1)
endef
sees = $(foreach folder,$(patsubst %/,%,$(dir $(1))),$(or $(SEES_$(folder)),$(SEES_all)))

include lib/base/base.mk lib/trj/trj.mk lib/tile/tile.mk lib/rdf/rdf.mk lib/recipe/recipe.mk lib/plot/plot.mk cuda/cuda.mk tests/bench/paper/paper.mk filters/filters.mk tests/tests.mk tests/fuzz/fuzz.mk .ci/ci.mk

.PHONY: all
all: $(TOOLS:%=bin/%) ## build the tools into bin/

# Each step is one short line; `make V=1` shows the commands.
Q = $(if $(V),,@echo '  $(1) $@';)

$(O)/%.o: %.c
	@mkdir -p $(@D)
	$(call Q,CC) $(CC) $(MUST) $(WARN) $(CPPFLAGS) $(CFLAGS) $(ISA) $(call sees,$<) -MMD -MP -c -o $@ $<

$(O)/libtrjpipe.a: $(LIB_OBJS)
	@rm -f $@
	$(call Q,AR) $(AR) rcs $@ $^

$(O)/bin/%: $(O)/filters/%.o $(O)/libtrjpipe.a
	@mkdir -p $(@D)
	$(call Q,LD) $(CC) $(MUST) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

# bin/ holds the tools of the setting built last; bin/.setting changes when that does, so that they are put there again.
bin/%: $(O)/bin/% bin/.setting
	@cp $< $@

bin/.setting: .FORCE
	@mkdir -p bin
	@echo $(HASH) | cmp -s - $@ || echo $(HASH) > $@

.PHONY: .FORCE
.FORCE:

.PHONY: asan tsan
asan: ## run all tests under the address and undefined-behaviour sanitizers
	$(MAKE) SAN=address,undefined CFLAGS='-O1 -g -fno-sanitize-recover=all' check
tsan: ## run all tests under the thread sanitizer
	$(MAKE) SAN=thread CFLAGS='-O1 -g' check

.PHONY: config help clean
config: ## print the compiler, the flags and the folder of this setting
	@echo 'version  $(VERSION)'
	@echo 'compiler $(CC): $(shell $(CC) --version | head -1)'
	@echo 'flags    $(MUST) $(CFLAGS)'
	@echo 'objects  $(O)'
	@echo 'prefix   $(DESTDIR)$(PREFIX)'
	@echo 'nvcc     $(or $(NVCC),none: no CUDA engine in this build)'
	@echo 'zlib     $(or $(ZLIB),none: gzip cannot be unpacked)'
	@echo 'hdf5     $(or $(HDF5),none: H5MD cannot be read)'
	@echo 'hwloc    $(or $(HWLOC),none: threads run where the system puts them)'

help: ## print this list
	@awk -F':.*## ' '/^[a-z][a-z -]*:.*## /{printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

clean: ## remove everything that was built
	rm -rf .build bin

-include $(LIB_OBJS:.o=.d) $(wildcard $(O)/filters/*.d $(O)/tests/*/*.d)
