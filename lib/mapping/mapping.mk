$(eval $(call library,lib/mapping,lib/base lib/frame lib/topology lib/format))
