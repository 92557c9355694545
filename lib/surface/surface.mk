$(eval $(call library,lib/surface,lib/base lib/numeric lib/frame lib/grid lib/work))
