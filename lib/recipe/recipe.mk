$(eval $(call library,lib/recipe,lib/base))
# A recipe can use the filters that this Makefile builds.
$(O)/lib/recipe/known_tools.o $(O)/lib/recipe/known_tools.tidy: \
    ISA = -DTRJPIPE_TOOLS='$(foreach tool,$(FILTERS),"$(tool)",)'
$(O)/lib/recipe/known_tools.o: filters/filters.mk
