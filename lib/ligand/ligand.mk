$(eval $(call library,lib/ligand,lib/base lib/numeric lib/frame lib/grid lib/tile lib/work))
