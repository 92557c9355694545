$(eval $(call library,lib/surface,lib/base lib/frame lib/grid lib/work))
