FILTERS := trjcat rdfhist rdfnorm rdfplot# those that recipes are made of
TOOLS   := $(FILTERS) trjrun

$(O)/bin/trjrun: LIBS += -lyaml

.PHONY: install uninstall
install: all ## install tools and man pages under $(DESTDIR)$(PREFIX)
	install -d '$(DESTDIR)$(PREFIX)/bin' '$(DESTDIR)$(PREFIX)/share/man/man1'
	install -m 755 $(TOOLS:%=bin/%) '$(DESTDIR)$(PREFIX)/bin'
	install -m 644 $(TOOLS:%=filters/%.1) '$(DESTDIR)$(PREFIX)/share/man/man1'

uninstall: ## remove what `make install` put there
	rm -f $(TOOLS:%='$(DESTDIR)$(PREFIX)/bin/%') $(TOOLS:%='$(DESTDIR)$(PREFIX)/share/man/man1/%.1')

.PHONY: demo
demo: deps-demo ## build, and show the g(r) of water: a table and a picture (installs what is missing)
	@$(MAKE) --no-print-directory all
	@PATH='$(CURDIR)/bin':"$$PATH" examples/water/run.sh .build/demo
	@awk '/^#/ || ($$1 > 2.4 && n++ < 20)' .build/demo/gr.tsv | cut -f 1-4
	@echo 'the whole table: .build/demo/gr.tsv    the picture: .build/demo/gr.svg'
