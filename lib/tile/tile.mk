$(eval $(call library,lib/tile,lib/base lib/frame lib/grid))
