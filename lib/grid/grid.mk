$(eval $(call library,lib/grid,lib/base lib/numeric lib/curve lib/frame))
