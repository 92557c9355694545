$(eval $(call library,lib/work,lib/base lib/frame lib/rdf lib/tile))
