$(eval $(call library,lib/format,lib/base lib/codec lib/frame lib/topology))
$(O)/lib/format/h5md.o $(O)/lib/format/h5md.tidy: ISA = $(if $(HDF5),$(HDF5_CFLAGS))
