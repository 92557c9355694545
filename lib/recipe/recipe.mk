$(eval $(call library,lib/recipe,lib/base))
# The tools that a recipe may name are those that are built here.
$(O)/lib/recipe/toolbox.o $(O)/lib/recipe/toolbox.tidy: ISA = -DTRJPIPE_TOOLS='$(foreach tool,$(FILTERS),"$(tool)",)'
$(O)/lib/recipe/toolbox.o: filters/filters.mk
