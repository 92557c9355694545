$(eval $(call library,lib/frame,lib/base lib/codec))
