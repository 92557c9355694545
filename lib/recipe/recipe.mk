$(eval $(call library,lib/recipe,lib/base))
# The tools that a recipe may name are those that are built here.
$(O)/lib/recipe/known_tools.o $(O)/lib/recipe/known_tools.tidy: ISA = -DTRJPIPE_TOOLS='$(foreach tool,$(FILTERS),"$(tool)",)'
$(O)/lib/recipe/known_tools.o: filters/filters.mk
