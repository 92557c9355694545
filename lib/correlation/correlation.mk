$(eval $(call library,lib/correlation,lib/base lib/numeric lib/frame lib/grid lib/tile lib/density lib/work))
