$(eval $(call library,lib/density,lib/base lib/numeric lib/frame lib/grid lib/tile lib/work))
