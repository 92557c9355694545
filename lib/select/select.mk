$(eval $(call library,lib/select,lib/base lib/frame lib/topology lib/format))
