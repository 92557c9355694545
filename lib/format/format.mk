$(eval $(call library,lib/format,lib/base lib/codec lib/frame lib/topology))
