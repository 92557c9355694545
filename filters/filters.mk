FILTERS := trjcat rdfhist rdfnorm rdfderive rdfplot# those that recipes are made of
TOOLS   := $(FILTERS) trjinfo trjrun

$(O)/bin/trjrun: LIBS += -lyaml

# A tool is what TOOLS names: filters/TOOL.c, its page filters/TOOL.1, and for each shell a completion made of its option table.
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

MAN5    := $(wildcard schemas/*.5)
MAN7    := $(wildcard filters/*.7)
SCHEMAS := $(wildcard schemas/*.md schemas/*.ksy schemas/*.json)

.PHONY: install uninstall
install: TO = $(DESTDIR)$(PREFIX)
install: all $(COMPLETIONS:%=$(O)/%) ## install tools, manual pages, completions and schemas under $(DESTDIR)$(PREFIX)
	install -d '$(TO)/bin' $(foreach n,1 5 7,'$(TO)/share/man/man$(n)') '$(TO)/share/trjpipe/schemas' \
	    $(patsubst %,'$(TO)/%',$(BASH_IN) $(ZSH_IN) $(FISH_IN))
	install -m 755 $(TOOLS:%=bin/%) '$(TO)/bin'
	install -m 644 $(TOOLS:%=filters/%.1) '$(TO)/share/man/man1'
	install -m 644 $(MAN5) '$(TO)/share/man/man5'
	install -m 644 $(MAN7) '$(TO)/share/man/man7'
	install -m 644 $(SCHEMAS) '$(TO)/share/trjpipe/schemas'
	for file in $(COMPLETIONS); do install -m 644 $(O)/$$file '$(TO)/'$$file || exit; done

uninstall: ## remove what `make install` put there
	cd '$(DESTDIR)$(PREFIX)' && rm -f $(TOOLS:%=bin/%) $(TOOLS:%=share/man/man1/%.1) $(MAN5:schemas/%=share/man/man5/%) \
	    $(MAN7:filters/%=share/man/man7/%) $(COMPLETIONS)
	rm -rf '$(DESTDIR)$(PREFIX)/share/trjpipe'

.PHONY: demo
demo: deps-demo ## build, and show the g(r) of water: a table and a picture (installs what is missing)
	@$(MAKE) $(JOBS) --no-print-directory all
	@PATH='$(CURDIR)/bin':"$$PATH" examples/water/run.sh .build/demo
	@awk '/^#/ || ($$1 > 2.4 && n++ < 20)' .build/demo/gr.tsv | cut -f 1-4
	@echo 'the whole table: .build/demo/gr.tsv    the picture: .build/demo/gr.svg'
