$(eval $(call library,lib/density,lib/base lib/frame lib/grid lib/tile))
