$(eval $(call library,lib/norm,lib/base lib/numeric lib/curve lib/frame lib/count lib/neighbour lib/histogram))
