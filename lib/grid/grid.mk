$(eval $(call library,lib/grid,lib/base lib/frame))
