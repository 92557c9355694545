TOOLS := trjcat rdfhist rdfnorm rdfplot

.PHONY: install uninstall
install: all ## install tools and man pages under $(DESTDIR)$(PREFIX)
	install -d '$(DESTDIR)$(PREFIX)/bin' '$(DESTDIR)$(PREFIX)/share/man/man1'
	install -m 755 $(TOOLS:%=bin/%) '$(DESTDIR)$(PREFIX)/bin'
	install -m 644 $(TOOLS:%=filters/%.1) '$(DESTDIR)$(PREFIX)/share/man/man1'

uninstall: ## remove what `make install` put there
	rm -f $(TOOLS:%='$(DESTDIR)$(PREFIX)/bin/%') $(TOOLS:%='$(DESTDIR)$(PREFIX)/share/man/man1/%.1')
