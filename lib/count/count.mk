$(eval $(call library,lib/count,lib/base lib/frame lib/tile lib/work))
