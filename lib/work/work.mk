$(eval $(call library,lib/work,lib/base lib/trj lib/rdf lib/tile))
