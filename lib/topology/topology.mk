$(eval $(call library,lib/topology,lib/base lib/frame))
