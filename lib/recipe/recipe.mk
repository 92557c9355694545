# Values of options are checked by the parsers of the tools.
$(eval $(call library,lib/recipe,$(addprefix lib/,base numeric frame topology format select work count neighbour \
    histogram record observe timecorr curve grid tile)))
# A recipe can use the filters that this Makefile builds.
FLAGS_lib/recipe/known_tools.c = -DTRJPIPE_TOOLS='$(foreach tool,$(FILTERS),"$(tool)",)'
$(call objects,lib/recipe/known_tools.c): filters/filters.mk
