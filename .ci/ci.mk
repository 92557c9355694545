.PHONY: deps deps-build deps-demo deps-check deps-lint
deps: ## install what is missing to build, test, lint and draw (apt-get; root or sudo)
	@.ci/deps build demo check lint
deps-build deps-demo deps-check deps-lint: deps-%:
	@.ci/deps build $*

# The host side of the CUDA engine can only be looked at where its headers are.
LINT_C  := $(wildcard lib/*/*.c filters/*.c tests/*/*.c $(if $(NVCC),cuda/*/*.c))
LINT_H  := $(wildcard lib/*/*.h tests/*/*.h $(if $(NVCC),cuda/*/*.h))
LINT_SH := .ci/run .ci/deps .ci/fresh filters/completion tests/run $(wildcard tests/gpu/*) tests/bench/peers \
           tests/bench/paper/run tests/bench/paper/plot tests/fuzz/run $(wildcard examples/*/*.sh)

.PHONY: lint lint-format lint-headers lint-tidy lint-cppcheck lint-shell lint-man
lint: deps-lint ## clang-format, clang-tidy, cppcheck, shellcheck, mandoc, and that headers stand alone
	@$(MAKE) --no-print-directory -k lint-format lint-headers lint-tidy lint-cppcheck lint-shell lint-man

lint-format:
	@clang-format --dry-run --Werror $(LINT_C) $(LINT_H) $(wildcard cuda/*/*.cu cuda/*/*.cuh tests/bench/paper/*.cu)

# A header that needs another one included before it fails here; so does a folder that sees what it must not.
lint-headers: $(LINT_H:%.h=$(O)/%.alone)
$(O)/%.alone: %.h
	@mkdir -p $(@D)
	@$(CC) $(MUST) $(WARN) $(call includes,$<) -fsyntax-only -x c $< -Wno-unused-function
	@touch $@

lint-tidy: $(patsubst %.c,$(O)/%.tidy,$(filter-out tests/%,$(LINT_C)))
$(O)/%.tidy: %.c .clang-tidy $(LINT_H)
	@mkdir -p $(@D)
	$(call Q,clang-tidy) clang-tidy --quiet $< -- $(MUST) $(ISA) $(call includes,$<) 2>$@.log || { cat $@.log; exit 1; }
	@touch $@

lint-cppcheck:
	@cppcheck --quiet --std=c11 --error-exitcode=1 --inline-suppr --enable=warning,portability,performance \
	    --suppress=missingIncludeSystem -DTRJPIPE_VERSION='"x"' -DTRJPIPE_TOOLS='"x",' $(INCLUDES_all:-iquote=-I) lib filters

lint-shell:
	@shellcheck $(LINT_SH)
	@shellcheck $(wildcard tests/cli/*.bats tests/cli/*.bash)

lint-man:
	@mandoc -T lint -W warning $(wildcard filters/*.[17] schemas/*.5)
