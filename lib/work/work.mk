$(eval $(call library,lib/work,lib/base lib/frame))
