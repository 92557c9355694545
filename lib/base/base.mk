$(eval $(call library,lib/base))
