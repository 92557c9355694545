# FILTERS are those that recipes are made of.
FILTERS := trjcat rdfhist rdfnorm rdfderive rdfcmp rdfplot
FILTERS += mapconv mapsum mapmath
FILTERS += densmap surf mapcc skhist
FILTERS += potmap ionplace ligmap
FILTERS += trjstat trjcorr
FILTERS += orbmap
TOOLS   := $(FILTERS) trjinfo trjrun mapinfo trjmap

$(O)/bin/trjrun $(O)/bin/trjmap: LIBS += -lyaml

# For each of TOOLS there are filters/TOOL.c, its page filters/TOOL.1, and for each shell a completion made from its
# option table.
BASH_IN := share/bash-completion/completions
ZSH_IN  := share/zsh/site-functions
FISH_IN := share/fish/vendor_completions.d
COMPLETIONS := $(TOOLS:%=$(BASH_IN)/%) $(TOOLS:%=$(ZSH_IN)/_%) $(TOOLS:%=$(FISH_IN)/%.fish)

define completion
@mkdir -p $(@D)
$(call Q,COMPLETION) filters/completion $(1) $< >$@
endef
$(O)/$(BASH_IN)/%: $(O)/bin/% filters/completion
	$(call completion,bash)
$(O)/$(ZSH_IN)/_%: $(O)/bin/% filters/completion
	$(call completion,zsh)
$(O)/$(FISH_IN)/%.fish: $(O)/bin/% filters/completion
	$(call completion,fish)

MAN3     := $(wildcard filters/*.3)
MAN5     := $(wildcard schemas/*.5)
MAN7     := $(wildcard filters/*.7)
SCHEMAS  := $(wildcard schemas/*.md schemas/*.ksy schemas/*.json)
DOC      := share/doc/trjpipe
ABOUT    := CHANGELOG.md ARCHITECTURE.md CONTRIBUTING.md CITATION.cff
DOCS     := README.md LICENSE $(wildcard $(ABOUT:%=.github/%))
# Installed documents are in other folders than in the sources: these commands correct their links, and turn a link to
# a file that is not installed into text.
LINKS    := -e 's,\]\(((\.\./)*)\.github/,](\1,g; s,\]\(schemas/,](../../trjpipe/schemas/,g' \
            -e 's,\]\(((\.\./)*)filters/([a-z]+\.([0-9]))\),](\1../../man/man\4/\3),g' \
            -e 's,\]\(\.\./examples\),](examples),; s,\[([^]]*)\]\((\.\./)?(lib|tests)/[^)]*\),\1,g'
EXAMPLES := $(wildcard examples/*/Makefile examples/gallery/*.svg \
                $(foreach ending,md sh py c toml yaml in mdp cif dcd xtc pdb tpr pqr data trjf gp awk mrc molden nf, \
                examples/*/*.$(ending)))
FOLDERS  := bin include $(if $(PLUGINS),libexec/trjpipe) \
            lib/pkgconfig share/man/man1 share/man/man3 share/man/man5 share/man/man7 \
            share/trjpipe/schemas $(BASH_IN) $(ZSH_IN) $(FISH_IN) \
            $(addprefix $(DOC)/,$(sort $(patsubst %/,%,$(dir $(EXAMPLES)))))

# `make install` adds the folders that it creates to this file, so that `make uninstall` removes them, and no others, if
# they are empty.
NEW_FOLDERS := share/trjpipe/new-folders

.PHONY: install install-strip uninstall
install: TO = $(DESTDIR)$(PREFIX)
install: all $(COMPLETIONS:%=$(O)/%) ## install tools, C library, manual pages, completions, examples: DESTDIR, PREFIX
	@new=$$(for folder in $(FOLDERS); do folder='$(PREFIX)'/$$folder; \
	        while [ ! -d '$(DESTDIR)'"$$folder" ]; do \
	            echo "$$folder"; case $$folder in / | .) break ;; esac; folder=$$(dirname "$$folder"); done; \
	    done | sort -u) && \
	install -d $(FOLDERS:%='$(TO)/%') && \
	{ [ -z "$$new" ] || echo "$$new" >>'$(TO)/$(NEW_FOLDERS)'; } && chmod 644 '$(TO)/$(NEW_FOLDERS)'
	install -m 755 $(TOOLS:%=bin/%) '$(TO)/bin'
	install -m 644 lib/api/trjpipe.h '$(TO)/include'
	for file in $(PLUGINS); do install -m 755 bin/plugins/$$file '$(TO)/libexec/trjpipe' || exit; done
	install -m 755 $(O)/lib/$(SONAME) '$(TO)/lib'
	ln -sf $(SONAME) '$(TO)/lib/libtrjpipe.so'
	install -m 644 $(O)/lib/libtrjpipe.a '$(TO)/lib'
	sed -e 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|; s|@LIBS@|$(READ_LIBS)|' -e '/^prefix/s/ /\\ /g' \
	    lib/api/trjpipe.pc.in \
	    >'$(TO)/lib/pkgconfig/trjpipe.pc' && chmod 644 '$(TO)/lib/pkgconfig/trjpipe.pc'
	install -m 644 $(TOOLS:%=filters/%.1) '$(TO)/share/man/man1'
	install -m 644 $(MAN3) '$(TO)/share/man/man3'
	install -m 644 $(MAN5) '$(TO)/share/man/man5'
	install -m 644 $(MAN7) '$(TO)/share/man/man7'
	install -m 644 $(SCHEMAS) '$(TO)/share/trjpipe/schemas'
	install -m 644 $(DOCS) '$(TO)/$(DOC)'
	for file in $(EXAMPLES); do \
	    install -m $$([ -x $$file ] && echo 755 || echo 644) $$file '$(TO)/$(DOC)/'$$file || exit; done
	sed -E -i $(LINKS) '$(TO)/$(DOC)/'*.md '$(TO)/$(DOC)/'examples/*/*.md
	for file in $(COMPLETIONS); do install -m 644 $(O)/$$file '$(TO)/'$$file || exit; done
	rm -rf '$(TO)/$(DOC)/html'
	[ ! -f $(HTML)/index.html ] || { cp -R $(HTML) '$(TO)/$(DOC)/html' && chmod -R u=rwX,go=rX '$(TO)/$(DOC)/html'; }

STRIP ?= strip
install-strip: TO = $(DESTDIR)$(PREFIX)
install-strip: install ## install everything without debugging information, in a fifth of the space
	$(STRIP) $(TOOLS:%='$(TO)/bin/%') '$(TO)/lib/$(SONAME)'
	$(STRIP) --strip-debug '$(TO)/lib/libtrjpipe.a'

uninstall: TO = $(DESTDIR)$(PREFIX)
uninstall: ## remove what `make install` installed, and the folders that it created if they are empty
	@cd '$(TO)' && new=$$(sort -ru $(NEW_FOLDERS) 2>/dev/null || :) && \
	rm -f $(TOOLS:%=bin/%) $(TOOLS:%=share/man/man1/%.1) $(MAN3:filters/%=share/man/man3/%) \
	    $(MAN5:schemas/%=share/man/man5/%) \
	    $(MAN7:filters/%=share/man/man7/%) $(COMPLETIONS) && \
	rm -f $(PLUGINS:%=libexec/trjpipe/%) && \
	rm -f include/trjpipe.h lib/$(SONAME) lib/libtrjpipe.so lib/libtrjpipe.a lib/pkgconfig/trjpipe.pc && \
	rm -rf share/trjpipe/schemas $(NEW_FOLDERS) $(DOC)/examples $(DOC)/html $(addprefix $(DOC)/,$(notdir $(DOCS))) && \
	{ rmdir libexec/trjpipe libexec 2>/dev/null || :; } && \
	{ rmdir share/trjpipe $(DOC) 2>/dev/null || :; } && cd / && echo "$$new" | while read -r folder; do \
	    [ -z "$$folder" ] || rmdir '$(DESTDIR)'"$$folder" 2>/dev/null || :; done

.PHONY: formats
formats: bin/trjinfo ## write the list of formats into the manual of trjinfo
	@filters/format_list bin/trjinfo >$(O)/formats
	@sed -i -e '/output of filters.format_list/,/^\.El/{//!d}' \
	    -e '/output of filters.format_list/r $(O)/formats' filters/trjinfo.1

.PHONY: demo
demo: deps-demo ## build, and show the g(r) of water: a table and a figure (installs what is missing)
	@$(MAKE) $(JOBS) --no-print-directory all
	@PATH='$(CURDIR)/bin':"$$PATH" examples/water/run.sh .build/demo
	@awk '/^#/ || ($$1 > 2.4 && n++ < 20)' .build/demo/gr.tsv | cut -f 1-4
	@echo 'the whole table: .build/demo/gr.tsv    the figure: .build/demo/gr.svg'
