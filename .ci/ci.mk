.PHONY: deps deps-build deps-demo deps-check deps-emulation deps-lint
deps: ## install what is missing to build, test, lint and draw (apt-get; root or sudo)
	@.ci/deps build demo check lint
deps-build deps-demo deps-check deps-emulation deps-lint: deps-%:
	@.ci/deps build $*

# The host side of the CUDA engine is linted only where the CUDA headers are installed.
LINT_C  := $(wildcard lib/*/*.c filters/*.c tests/*/*.c $(if $(NVCC),cuda/*/*.c tests/bench/*/*.c))
LINT_H  := $(wildcard lib/*/*.h tests/*/*.h $(if $(NVCC),cuda/*/*.h tests/bench/*/*.h))
LINT_SH := .ci/run .ci/deps .ci/fresh .ci/changed .ci/untested filters/completion tests/run tests/bats \
           tests/emulation/nvcc tests/emulation/check_emulated $(wildcard tests/gpu/*) tests/bench/peers \
           tests/bench/draw tests/bench/hosts tests/bench/orbital_psi4 tests/bench/orbital_series \
           tests/bench/orbitals tests/bench/pipe tests/bench/streams tests/bench/terminal_plot tests/bench/paper/run \
           tests/bench/paper/plot tests/bench/cutoff_bins/run tests/fuzz/run .github/site/build \
           $(wildcard examples/*/*.sh)

.PHONY: lint lint-all tidy lint-format lint-headers lint-names lint-lines lint-macros lint-cycles lint-tidy \
        lint-cppcheck lint-shell lint-man
lint: deps-lint ## clang-format, clang-tidy, cppcheck, shellcheck, mandoc, includes, file names, line length
	@$(MAKE) --no-print-directory -k lint-format lint-headers lint-names lint-lines lint-macros lint-cycles lint-tidy \
	    lint-cppcheck lint-shell lint-man

lint-format:
	@files=$$($(call CHANGED,$(LINT_C) $(LINT_H) $(wildcard cuda/*/*.cu cuda/*/*.cuh tests/bench/*/*.cu \
	    examples/*/*.c))) || exit; [ -z "$$files" ] || clang-format --dry-run --Werror $$files

# Each header must compile alone, and must include only headers of folders that its folder may use.
lint-headers: $(LINT_H:%.h=$(OBJ)/%.alone)
$(OBJ)/%.alone: %.h
	@mkdir -p $(@D)
	@$(CC) $(MUST) $(WARN) $(call includes,$<) -fsyntax-only -x c $< -Wno-unused-function
	@touch $@

# clang-format, clang-tidy, cppcheck and shellcheck take most of the time. They check the files that changed since the
# commit of .ci/lint-base, for which `make lint-all` has checked all files, and those that include them. If all
# files are checked together, cppcheck also checks the calls between them.
TIDY_ALL := $(filter-out tests/%,$(LINT_C))
CHANGED   = $(if $(LINT_ALL),echo $(1),.ci/changed $(1))
lint-tidy:
	@files=$$($(call CHANGED,$(TIDY_ALL))) && $(MAKE) --no-print-directory tidy TIDY="$$(echo $$files)"
tidy: $(TIDY:%.c=$(O)/%.tidy)
lint-all: ## lint all files, and record the commit in .ci/lint-base for later commits
	@[ -z "$$(git status --porcelain)" ] || { echo 'lint-all: there are changes; commit them first' >&2; exit 1; }
	@$(MAKE) --no-print-directory lint LINT_ALL=1
	@git rev-parse HEAD >.ci/lint-base
$(O)/%.tidy: %.c .clang-tidy $(LINT_H)
	@mkdir -p $(@D)
	$(call Q,clang-tidy) clang-tidy --quiet $< -- $(MUST) $(call flags,$<) $(call includes,$<) \
	    2>$@.log || { cat $@.log; exit 1; }
	@touch $@

lint-cppcheck:
	@files=$$($(call CHANGED,$(wildcard lib/*/*.c filters/*.c))) || exit; [ -z "$$files" ] || \
	    cppcheck --quiet --std=c11 --error-exitcode=1 --inline-suppr --enable=warning,portability,performance \
	    --suppress=missingIncludeSystem -DTRJPIPE_VERSION='"x"' -DTRJPIPE_TOOLS='"x",' \
	    $(INCLUDES_all:-iquote=-I) $$files

# Includes name a file without its folder, so that each name must occur once.
lint-names:
	@! find lib cuda filters tests -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' | sed 's|.*/||' | sort | uniq -d | \
	    sed 's|$$|: two files have this name; rename one|' | grep .

# Lines have at most 120 columns. Exceptions: data, figures, rows of Markdown tables, single words such as links, and
# a line that is one quoted string after at most one word, such as a message that a test expects.
LONG_LINES := tests/fuzz/corpus tests/data tests/bench/paper/results '*.svg'
lint-lines:
	@! git ls-files -z -- . $(LONG_LINES:%=':!'%) | LC_ALL=C.UTF-8 xargs -0 grep -InE '^.{121,}$$' | \
	    grep -vE -e '^[^:]*\.md:[0-9]+:\|.*\|$$' -e '^[^:]*:[0-9]+:[^ ]*$$' \
	    -e "^[^:]*:[0-9]+: *(grep )?[^ '\"]* ?('[^']*'|\"[^\"]*\")( ?[^ ]{1,3})*$$" | \
	    sed 's|^\([^:]*:[0-9]*\):.*|\1: longer than 120 columns; fold it|' | grep .

# The Makefile sets macros of the version and of libraries for those .c files that contain them, and for no other file.
# The public header defines its version itself.
lint-macros:
	@awk '{ line = $$0; sub("//.*", "", line) } \
	    match(line, /(^|[^A-Z_])TRJPIPE_($(subst $(space),|,$(MACROS)))([^A-Z_0-9]|$$)/) { \
	        name = substr(line, RSTART, RLENGTH); gsub(/[^A-Z_0-9]/, "", name); bad = 1; \
	        print FILENAME ":" FNR ": " name " is set only for .c files that contain it; use it in one" } \
	    END { exit bad }' $(filter-out lib/api/trjpipe.h,$(wildcard $(addprefix */*/*.,h cu cuh)))

# Source files of lib/ must not need each other, directly or through others. tsort gets a pair of objects for each
# symbol that one of them uses and the other defines, and reports each loop.
lint-cycles: $(foreach object,$(LIB_OBJS),$(if $(findstring /lib/,$(object)),$(object)))
	@nm -A $^ | sed 's|:.* \([A-Zu]\) | \1 |' | \
	    awk '$$2 == "U" { used[$$1 " " $$3]; next } { where[$$3] = $$1 } \
	        END { for (k in used) { split(k, u, " "); if (u[2] in where) print u[1], where[u[2]] } }' | tsort >/dev/null

# A test ends if a command of a pipeline fails, and `grep -q` ends before the command before it has written all.
lint-shell:
	@shellcheck -x $(LINT_SH)
	@! grep -nE '[^|][|] *grep -[a-zA-Z]*q' tests/cli/*.bats tests/cli/*.bash | sed 's/$$/: use has/' | grep .
	@! grep -nE '\<s?rand\(' tests/cli/*.bats | sed 's/$$/: use random() of helper.bash/' | grep .
	@! awk 'bad { if (!/^ *}/) print bad ": fails no test, unless it is the last command: use run !"; bad = "" } \
	    /^ +! [^-]/ && !/[|][|]|&&|\\$$/ { bad = FILENAME ":" FNR }' tests/cli/*.bats | grep .
	@files=$$($(call CHANGED,$(wildcard tests/cli/*.bats tests/cli/*.bash))) || exit; [ -z "$$files" ] || \
	    shellcheck -x $$files

lint-man:
	@mandoc -T lint -W warning $(wildcard filters/*.[137] schemas/*.5)
