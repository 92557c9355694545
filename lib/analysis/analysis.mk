$(eval $(call library,lib/analysis,lib/base lib/numeric lib/frame lib/topology lib/format lib/grid lib/work lib/mpi))
