$(eval $(call library,lib/histogram,lib/base lib/numeric lib/frame lib/count lib/neighbour))
