$(eval $(call library,lib/analysis,lib/base lib/frame lib/topology lib/format lib/grid lib/work))
