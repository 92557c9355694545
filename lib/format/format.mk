$(eval $(call library,lib/trj,lib/base))
$(O)/lib/trj/h5md.o $(O)/lib/trj/h5md.tidy: ISA = $(if $(HDF5),$(HDF5_SEES))
