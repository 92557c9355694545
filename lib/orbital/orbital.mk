$(eval $(call library,lib/orbital,lib/base lib/numeric lib/frame lib/grid lib/work))
