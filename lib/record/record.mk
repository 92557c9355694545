$(eval $(call library,lib/record,lib/base lib/numeric lib/frame lib/mpi lib/tile \
    lib/work lib/count lib/neighbour lib/histogram))
