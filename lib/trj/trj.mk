$(eval $(call library,lib/trj,lib/base))
