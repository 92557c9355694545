# trjpipe. `make help` lists the goals. Each folder has a .mk file with its goals and the folders that it may include.
VERSION := 0.1.0
PREFIX  ?= /usr/local
DESTDIR ?=
CFLAGS  ?= -O3 -g1# line numbers for debuggers and profilers; -g adds variables, and makes a build a third longer
SAN     ?=# address,undefined or thread: set by `make asan` and `make tsan`

# The build contains the CUDA engine if nvcc is found; NVCC= omits it.
ifeq ($(origin NVCC),undefined)
NVCC    := $(shell command -v nvcc)
endif

# Libraries that only some inputs or options need. A build uses those whose headers it finds; `make ZLIB=` builds
# without zlib. For each library NAME: NAME_HEADER, NAME_LIBS (link flags), NAME_WITHOUT (what a build without it cannot
# do), and, if required, NAME_CFLAGS (include flags) and NAME_SONAME (the name by which the library is loaded at run
# time, which is the value of the macro). `make config`, the macros TRJPIPE_NAME, and .ci/fresh, which builds with each
# library alone, use this list. .ci/deps lists the packages.
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
HDF5_LINK     := $(or $(shell pkg-config --libs hdf5 2>/dev/null),$(if $(HDF5_CFLAGS),-lhdf5_serial,-lhdf5))
HDF5_LIBS     := -ldl
HDF5_WITHOUT  := H5MD and HDF5 of MDTraj cannot be read
FFTW_HEADER   := fftw3.h
FFTW_LIBS     := -lfftw3
FFTW_WITHOUT  := mapcc cannot compute a Fourier shell correlation; potmap lacks the methods pme and fast

# Probes of the compiler write to $(PROBE), which is named after the process of make and removed after the last one: as
# root, some compilers replace /dev/null if it is their output. A probe starts several processes; one probe therefore
# tests several headers or flags together, and each is tested separately only if that fails.
PROBE := .build/probe.$(shell mkdir -p .build; echo $$PPID)
# $(call found,HEADERS,FLAGS) is `yes` if the compiler finds the headers. They are passed with -include, because
# versions of make differ in whether they remove the backslash of an escaped number sign inside $(shell ...).
found = $(shell $(CC) $(CPPFLAGS) $(2) $(addprefix -include ,$(1)) -E -o $(PROBE) -x c /dev/null >/dev/null 2>&1 && \
            echo yes)
# $(call probed,NAME,FLAGS) sets the variable NAME, unless it has a value, to `yes` if its header is found.
probed = $(if $(filter undefined,$(origin $(1))),$(eval $(1) := $(or $(ALL_FOUND),$(call found,$($(1)_HEADER),$(2)))))
# One probe of all libraries that need no flags of their own
UNKNOWN   := $(foreach name,$(OPTIONAL),$(if $($(name)_CFLAGS),,$(if $(filter undefined,$(origin $(name))),$(name))))
ALL_FOUND := $(if $(word 2,$(UNKNOWN)),$(call found,$(foreach name,$(UNKNOWN),$($(name)_HEADER))))
$(foreach name,$(UNKNOWN),$(call probed,$(name)))
ALL_FOUND :=# other probes are of other headers
$(foreach name,$(OPTIONAL),$(call probed,$(name),$($(name)_CFLAGS)))
# Tools load HDF5 when they open a file of H5MD or MDTraj, because it takes long to load. $(HDF5_SONAME) is the name
# that a program contains that is linked with $(HDF5_LINK). If there is no shared library, a build leaves HDF5 out.
ifneq ($(HDF5),)
HDF5_SONAME ?= $(shell echo 'int H5open(void); int main(void) { return H5open(); }' >$(PROBE).c; \
                   $(CC) $(LDFLAGS) -o $(PROBE) $(PROBE).c $(HDF5_LINK) >/dev/null 2>&1 && \
                   tr '\0' '\n' <$(PROBE) | LC_ALL=C grep -am 1 '^libhdf5[^/]*\.so'; rm -f $(PROBE) $(PROBE).c)
HDF5_SONAME := $(HDF5_SONAME)
ifeq ($(HDF5_SONAME),)
$(if $(filter file,$(origin HDF5)),,$(error HDF5: the linker finds no shared library with \
    $(HDF5_LINK); install it, or leave HDF5=yes out))
HDF5 :=
endif
endif
chosen := $(foreach name,$(OPTIONAL),$(if $($(name)),$(name)))
# hwloc binds threads to the cores near their GPUs. Builds with nvcc use it if its header is found. HWLOC= omits it.
HWLOC_HEADER := hwloc.h
$(if $(NVCC),$(call probed,HWLOC))

# $(call accepted,FLAGS) is FLAGS if the compiler accepts them without a warning for a file that includes a libc header;
# otherwise it is empty. $(call tried,FLAGS) is the same, and always starts the compiler. $(COMMON) is a list of flags
# that most compilers accept, tested together, or empty if the compiler rejects one of them.
accepted = $(if $(filter-out $(COMMON),$(1)),$(call tried,$(1)),$(1))
tried    = $(shell $(CC) -Werror -O2 $(1) -include stdio.h -c -o $(PROBE) -x c /dev/null >/dev/null 2>&1 && echo '$(1)')
COMMON   := $(call tried,-fstack-protector-strong -fstack-clash-protection -fcf-protection -ffunction-sections \
                -fdata-sections -fno-asynchronous-unwind-tables -ffile-prefix-map=/a=/b)

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
# Relative relocations in their compact form make all tools together 4 % smaller. A program contains it only if the C
# library of this machine can start such a program (glibc since 2.36).
COMPACT   := -Wl,-z,pack-relative-relocs
HARDEN_LD += $(shell echo 'int main(void) { return 0; }' >$(PROBE).c; \
                 $(CC) $(LDFLAGS) -pie $(COMPACT) -o $(PROBE) $(PROBE).c >/dev/null 2>&1 && ./$(PROBE) && \
                 echo '$(COMPACT)')

# Functions and data that a tool does not use are left out of it, which makes all tools together a sixth smaller. With
# nvcc, which refers to kernels in sections of its own, they stay.
comma    := ,
SECTIONS := $(call accepted,-ffunction-sections -fdata-sections)
HARDEN   += $(SECTIONS)
# Nothing unwinds the stack of a tool while it runs: there are no exceptions, threads are never cancelled, and debuggers
# find the tables in the debugging information. Without tables of their own, all tools together are a twelfth smaller.
HARDEN   += $(if $(SAN),,$(call accepted,-fno-asynchronous-unwind-tables))
ifeq ($(NVCC),)
HARDEN_LD += $(if $(SECTIONS),-Wl$(comma)--gc-sections)
endif

# Flags that the code requires. Contraction of a*b+c and fast-math are never allowed: the counts must be identical bit
# for bit.
WARN := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wcast-qual \
        -Wwrite-strings -Wvla -Wformat=2 -Wundef
MUST := -std=c11 -D_XOPEN_SOURCE=700 -ffp-contract=off -fno-math-errno -fno-trapping-math -pthread \
        $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer)
READ_LIBS := -lzstd -lm $(foreach name,$(filter-out FFTW,$(chosen)),$($(name)_LIBS))# of programs that read trajectories
LIBS      := -Wl,--as-needed $(READ_LIBS) $(if $(FFTW),$(FFTW_LIBS))
include cuda/nvcc.mk

# The debug information names files relative to this folder, so that objects of the same sources, compiler and flags are
# equal in all folders.
MAP := $(if $(call accepted,-ffile-prefix-map=/a=/b),-ffile-prefix-map='$(CURDIR)'=.)
$(shell rm -f $(PROBE) $(PROBE).c)

# The instruction sets of files whose names end in _avx512.c and _avx2.c. Their functions are used if the CPU has them.
# On other architectures these files are empty.
ifneq (,$(findstring x86_64,$(shell $(CC) -dumpmachine)))
AVX2   := -mavx2 -mfma -mbmi2 -mpopcnt
AVX512 := -mavx512f -mavx512vl -mavx512dq -mavx512bw $(AVX2)
endif

# Macros that depend on the version and on the libraries of a build are set only for those .c files that contain them,
# so that most objects are the same in all builds. VALUE_NAME names the folder of objects that depend on NAME.
MACROS        := VERSION CUDA CUFFT HWLOC $(OPTIONAL)
VALUE_VERSION := $(VERSION)
FLAG_VERSION  := -DTRJPIPE_VERSION='"$(VERSION)"'
CUDA          := $(if $(NVCC),yes)
space := $(subst ,, )
$(foreach name,$(filter-out VERSION,$(MACROS)),\
    $(eval FLAG_$(name) := $(if $($(name)),$(strip \
        -DTRJPIPE_$(name)$(if $($(name)_SONAME),='"$($(name)_SONAME)"') $($(name)_CFLAGS))))\
    $(eval VALUE_$(name) := $(if $($(name)),$(name)$($(name)_SONAME)$(subst $(space),,$(subst \
        /,.,$($(name)_CFLAGS))),no-$(name))))
SOURCES := $(wildcard $(addsuffix /*.c,lib/* cuda/* filters tests/*))
$(foreach use,$(shell grep -owE 'TRJPIPE_($(subst $(space),|,$(MACROS)))' $(SOURCES) | sort -u),\
    $(eval MACROS_$(subst :TRJPIPE_, += ,$(use))))
macros = $(foreach name,$(MACROS_$(1)),$(FLAG_$(name)))

# Most of the run time is spent in these files, whose loops gcc vectorises and unrolls only at -O3. They are compiled
# with it also if CFLAGS gives -O2, as in many distributions: the portable unpacker of XTC would lose a third of its
# speed.
HOT   := %_avx512.c %_avx2.c %_plain.c lib/frame/largest_magnitude.c lib/format/xtc_unpack.c \
         lib/codec/%.c lib/tile/%.c lib/count/kernel.c
LEVEL := $(lastword $(filter -O%,$(CFLAGS)))

# The code of these files runs once for each command, input or frame, or calls functions of other files for its work.
# With -Os, all tools together are 3 % smaller than with -O2; tests/bench/RESULTS.md gives the times.
SMALL := filters/% lib/analysis/% lib/api/% lib/apbs/apbs% lib/histogram/% lib/mpi/% lib/plot/% lib/recipe/% \
         lib/topology/% %_options.c %_setup.c %_report.c \
         $(addprefix lib/base/,block_salvage.c block_stream.c connection.c digest.c error.c failure.c file_argument.c \
             json.c nearest_name.c npy_header.c optional_library.c other_programs.c output.c progress_link.c report.c \
             series_name.c temporary_file.c termination_signals.c tool.c unpack.c used_files.c yaml_errors.c \
             yaml_tree.c) \
         $(addprefix lib/frame/,electron_factors.c element.c periodic_choices.c property.c segment_note.c units.c) \
         $(addprefix lib/format/,card.c child_reader.c cif.c cp2k_cell.c file_beside.c format_table.c formats.c g96.c \
             gsd.c h5md.c hdf5_file.c imd.c mdtraj.c openmm_state.c poscar.c stream_salvage.c tinker.c write_card.c \
             write_mmcif.c write_vasp.c) \
         $(addprefix lib/grid/map_,format.c geometry.c output.c result.c unit.c) \
         $(addprefix lib/orbital/orbital_,check.c choice.c output.c request.c rule.c) \
         $(addprefix lib/select/select_,names.c parse.c tree.c words.c) \
         $(addprefix lib/observe/,division.c ensemble.c functions.c observable.c parts.c profile_table.c reference.c \
             summary.c sums_reader.c) \
         $(addprefix lib/select/,group% index_file.c merge% open_system.c) \
         $(addprefix lib/timecorr/,correlation_table.c lag_estimate.c partial%) \
         $(addprefix lib/work/,checkpoint.c engine_choice.c engine_start.c map_run.c)

# Files of lib/topology that also read each atom of a trajectory. With -Os, mmCIF took a fifth more time.
PER_ATOM := $(addprefix lib/topology/,cif_records.c dlpoly_records.c mmcif_records.c)

# These files read text, set arrays up, or copy what they read. With -O2 they take a quarter less time to compile, their
# code is smaller, and their tools need no more time than with -O3.
COLD  := lib/mapping/% lib/record/record% lib/orbital/wave_function% %_merge.c \
         $(addprefix lib/base/,hash.c input.c table_reader.c) \
         $(addprefix lib/format/,dlpoly.c lammps_dump.c mmcif.c netcdf.c pdb.c reader.c sequential_reader.c xdatcar.c \
             xyz.c) \
         $(addprefix lib/grid/,grid_stream_reader.c map_cube.c map_dx.c map_expression.c map_mrc.c map_operands.c \
             map_text.c) \
         lib/orbital/orbital_lattice.c \
         $(addprefix lib/observe/,clusters.c column_pairs.c histogram.c residue_torsions.c) \
         $(addprefix lib/timecorr/,correlation_run.c displacement.c \
             fluctuation_memory.c signal.c velocity.c)

# $(call flags,FILE) are the flags of one .c file: FLAGS_FILE, its level, its instruction set and its macros.
flags = $(FLAGS_$(1)) $(if $(filter $(HOT),$(1)),$(LEVEL:-O2=-O3),$(if $(filter \
            $(SMALL),$(filter-out $(PER_ATOM),$(1))),$(patsubst -O2,-Os,$(LEVEL:-O3=-Os)),$(if \
            $(filter $(COLD),$(1)),$(LEVEL:-O3=-O2)))) \
        $(if $(filter %_avx512.c,$(1)),$(AVX512)) $(if $(filter %_avx2.c,$(1)),$(AVX2)) $(macros)

# Objects are in $(OBJ), a folder for each compiler and its flags, or, if macros of a library or the version are set for
# them, in one of its subfolders. Objects of cuda/ also depend on nvcc. Archives and programs are in $(O), a folder for
# each setting of the build. Therefore a program never contains objects of two settings.
# $(call hash,COMMAND;,TEXT) is a hash of what COMMAND prints and of TEXT.
hash     = $(shell { $(1) echo '$(subst ','\'',$(2))'; } 2>&1 | sha256sum | cut -c1-12)
OBJ      := .build/$(call hash,$(CC) --version;,$(CC) $(MUST) $(WARN) $(HARDEN) $(CPPFLAGS) $(CFLAGS) $(AVX512) \
                $(HOT) $(SMALL) $(COLD) $(FUZZER))
OBJ_CUDA := $(OBJ)/cuda-$(if $(NVCC),$(call hash,$(NVCC) --version;,$(NVCC) $(CUDA_HOME) $(CUDA_FLAGS)))
O        := $(OBJ)/$(call hash,,$(HARDEN_LD) $(LDFLAGS) $(LIBS) $(OBJ_CUDA) $(foreach name,$(MACROS),$(VALUE_$(name))))
folder   = $(if $(filter cuda/%,$(1)),$(OBJ_CUDA),$(OBJ))$(if $(MACROS_$(1)),/$(subst $(space),+,$(foreach name,\
               $(MACROS_$(1)),$(VALUE_$(name)))))
# $(call objects,FILES) are the objects of .c and .cu files.
objects  = $(foreach file,$(1),$(call folder,$(file))/$(basename $(file)).o)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY: # make deletes no intermediate file, so that objects are not compiled twice

# $(call library,FOLDER,OTHER FOLDERS) adds the sources of FOLDER to libtrjpipe.a. Their include paths are FOLDER and
# OTHER FOLDERS only, which enforces the order of the layers.
define library
LIB_OBJS += $$(call objects,$$(wildcard $(1)/*.c))
INCLUDES_$(1) := $(addprefix -iquote ,$(1) $(2))
INCLUDES_all += -iquote $(1)
endef
includes = $(foreach folder,$(patsubst %/,%,$(dir $(1))),$(or $(INCLUDES_$(folder)),$(INCLUDES_all)))

PARTS := lib/base/base.mk lib/mpi/mpi.mk lib/numeric/numeric.mk lib/curve/curve.mk lib/frame/frame.mk \
         lib/codec/codec.mk \
         lib/topology/topology.mk lib/format/format.mk lib/select/select.mk lib/grid/grid.mk lib/tile/tile.mk \
         lib/work/work.mk lib/analysis/analysis.mk lib/density/density.mk lib/ligand/ligand.mk lib/apbs/apbs.mk \
         lib/potential/potential.mk lib/ion/ion.mk lib/correlation/correlation.mk lib/orbital/orbital.mk \
         lib/surface/surface.mk lib/mapping/mapping.mk \
         lib/count/count.mk lib/observe/observe.mk lib/timecorr/timecorr.mk \
         lib/neighbour/neighbour.mk lib/histogram/histogram.mk lib/record/record.mk lib/norm/norm.mk \
         lib/derive/derive.mk lib/waves/waves.mk lib/recipe/recipe.mk lib/plot/plot.mk lib/api/api.mk cuda/cuda.mk \
         tests/bench/paper/paper.mk tests/bench/cutoff_bins/cutoff_bins.mk \
         tests/bench/orbital_kernels/orbital_kernels.mk .github/site/site.mk filters/filters.mk \
         tests/tests.mk tests/emulation/emulation.mk tests/fuzz/fuzz.mk .ci/ci.mk
include $(PARTS)

# The .mk file of a folder sets flags for the objects of the folder and its subfolders. They are compiled again when it
# changes.
$(foreach part,$(PARTS),$(eval $(call objects,$(wildcard $(addprefix $(dir $(part)),*.c */*.c */*.cu))): $(part)))

.PHONY: all
all: $(TOOLS:%=bin/%) $(PLUGINS:%=bin/plugins/%) $(API_LIBS) ## build the tools into bin/, and the C library

LINK = $(CC) $(MUST) $(CFLAGS) $(HARDEN_LD) $(LDFLAGS)

# Each step is one short line; `make V=1` shows the commands.
Q = $(if $(V),,@echo '  $(1) $@';)

define compile
$(1)/%.o: %.c
	@mkdir -p $$(@D)
	$$(call Q,CC) $$(CC) $$(MUST) $$(WARN) $$(HARDEN) $$(CPPFLAGS) $$(CFLAGS) $$(MAP) $$(call flags,$$<) \
	    $$(call includes,$$<) -MMD -MP -c -o $$@ $$<
endef
$(foreach folder,$(sort $(foreach file,$(SOURCES),$(call folder,$(file)))),$(eval $(call compile,$(folder))))

$(O)/libtrjpipe.a: $(CUDA_OBJS) $(LIB_OBJS)# the slowest first
	@mkdir -p $(@D) && rm -f $@
	$(call Q,AR) $(AR) rcs $@ $^

$(O)/bin/%: $$(call objects,filters/$$*.c) $(O)/libtrjpipe.a
	@mkdir -p $(@D)
	$(call Q,LD) $(LINK) -o $@ $^ $(LIBS)

# bin/ contains the tools of the setting built last. bin/.setting changes with the setting, so that the tools are copied
# again.
bin/%: $(O)/bin/% bin/.setting
	@cp $< $@

bin/plugins/%: $(O)/bin/plugins/% bin/.setting
	@mkdir -p $(@D)
	@cp $< $@

bin/.setting: .FORCE
	@mkdir -p bin
	@echo $(O) | cmp -s - $@ || echo $(O) > $@

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
config: ## print the compiler, the flags, the folders and the libraries of this setting
	@echo 'version  $(VERSION)'
	@echo 'compiler $(CC): $(shell $(CC) --version | head -1)'
	@echo 'flags    $(MUST) $(HARDEN) $(CPPFLAGS) $(CFLAGS)'
	@echo 'objects  $(OBJ)$(if $(NVCC), $(OBJ_CUDA))'
	@echo 'programs $(O)'
	@echo 'prefix   $(DESTDIR)$(PREFIX)'
	@echo 'NVCC     $(or $(NVCC),none: no CUDA engine in this build)'
	@$(foreach name,$(OPTIONAL),printf '%-8s %s\n' $(name) '$(or $($(name)),none: $($(name)_WITHOUT))';)
	@echo 'MPI      $(or $(MPI),none: --mpi is not available)'
	@$(if $(NVCC),echo 'GPUs     $(CUDA_ARCHS:%=sm_%); LINEINFO $(or $(LINEINFO),none)')
	@$(if $(NVCC),echo 'HWLOC    $(or $(HWLOC),none: threads run where the system puts them)')
	@$(if $(NVCC),echo 'CUFFT    $(or $(CUFFT),none: FFTW computes the Fourier transforms of potmap -e cuda on the CPU)')

help: ## print this list
	@awk -F':.*## ' '/^[a-z][a-z -]*:.*## /{printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

clean: ## remove everything that was built
	rm -rf .build bin

-include $(wildcard $(patsubst %.o,%.d,$(call objects,$(SOURCES) $(wildcard cuda/*/*.cu))))
