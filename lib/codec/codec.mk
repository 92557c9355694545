$(eval $(call library,lib/codec,lib/base))
