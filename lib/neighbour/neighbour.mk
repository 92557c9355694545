$(eval $(call library,lib/neighbour,lib/base lib/frame lib/tile lib/work lib/count))
