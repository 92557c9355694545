$(eval $(call library,lib/plot,lib/base))
