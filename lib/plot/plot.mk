$(eval $(call library,lib/plot,lib/base lib/curve))
