# Fuzzes all code that reads files. Each folder of tests/fuzz/corpus is the start corpus of the target with its name;
# fuzz.c selects the target by the name of the program. Inputs that fuzzers find are added to the corpus, which
# `make check` reads.
FUZZ := $(notdir $(wildcard tests/fuzz/corpus/*))
SECONDS ?= 60
INCLUDES_tests/fuzz := $(INCLUDES_all)

$(O)/tests/fuzz/fuzz: $(call objects,tests/fuzz/fuzz.c tests/fuzz/hdf5_children.c) $(O)/libtrjpipe.a
	@mkdir -p $(@D)
	$(call Q,LD) $(LINK) $(if $(FUZZER),-fsanitize=fuzzer) -o $@ $^ $(LIBS) -lyaml
FLAGS_tests/fuzz/fuzz.c = $(if $(FUZZER),-DFUZZER)
FLAGS_tests/fuzz/hdf5_children.c = $(if $(FUZZER),-fno-sanitize=fuzzer-no-link)

check-here: $(O)/tests/fuzz/fuzz

# $(call fuzz-with,COMPILER,TARGET) builds TARGET with the fuzzer of the compiler and with the address and
# undefined-behaviour sanitizers. The address sanitizer maps a block of 128 KiB separately: with a smaller input buffer,
# targets execute up to 4.7 times as often.
fuzz-with = $(MAKE) --no-print-directory NVCC= CC=$(1) FUZZER=1 SAN=fuzzer-no-link,address,undefined \
                CFLAGS='-O1 -g -fno-sanitize-recover=all' CPPFLAGS='$(CPPFLAGS) -DTRJ_INPUT_BUFFER=0x1e000' $(2)

.PHONY: fuzz fuzz-afl fuzz-alone fuzz-here fuzz-afl-here fuzz-alone-here
fuzz: ## fuzz all readers with libFuzzer (needs clang) for SECONDS=60 each; FUZZ=xtc fuzzes one of them
	@$(call fuzz-with,clang,fuzz-here)
fuzz-afl: ## fuzz all readers with AFL++ (needs afl-fuzz)
	@$(call fuzz-with,afl-clang-fast,fuzz-afl-here)
# Libraries that the target machine may lack are linked statically.
fuzz-alone-libs = -l:libzstd.a -l:libz.a $(if $(BZIP2),-l:libbz2.a) $(if $(XZ),-l:liblzma.a) -l:libyaml.a -lm \
                  -Wl$(comma)--as-needed
fuzz-alone: ## build one program with libFuzzer for machines that lack the libraries; tests/fuzz/run runs it there
	@$(call fuzz-with,clang,HDF5= LDFLAGS='-static-libgcc -static-libstdc++' LIBS='$(fuzz-alone-libs)' fuzz-alone-here)
comma := ,

fuzz-here: $(O)/tests/fuzz/fuzz
	@tests/fuzz/run libfuzzer $< $(SECONDS) $(FUZZ)
fuzz-afl-here: $(O)/tests/fuzz/fuzz
	@tests/fuzz/run afl $< $(SECONDS) $(FUZZ)
fuzz-alone-here: $(O)/tests/fuzz/fuzz
	@mkdir -p .build/fuzz && cp $< .build/fuzz/alone
	@echo 'tests/fuzz/run libfuzzer .build/fuzz/alone $(SECONDS) $(FUZZ)'
