$(eval $(call library,lib/record,lib/base lib/numeric lib/frame lib/work lib/count lib/neighbour lib/histogram))
