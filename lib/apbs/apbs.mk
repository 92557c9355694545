$(eval $(call library,lib/apbs,lib/base lib/numeric lib/frame lib/grid))
