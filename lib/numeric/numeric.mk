$(eval $(call library,lib/numeric,lib/base))
