$(eval $(call library,lib/rdf,lib/base lib/trj lib/tile))
