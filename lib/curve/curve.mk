$(eval $(call library,lib/curve,lib/base))
