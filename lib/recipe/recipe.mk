$(eval $(call library,lib/recipe,lib/base))
# A recipe can use the filters that this Makefile builds.
FLAGS_lib/recipe/known_tools.c = -DTRJPIPE_TOOLS='$(foreach tool,$(FILTERS),"$(tool)",)'
$(call objects,lib/recipe/known_tools.c): filters/filters.mk
