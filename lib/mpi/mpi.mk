$(eval $(call library,lib/mpi,lib/base lib/numeric lib/work))

LIBS += -ldl# dlopen, in libraries older than glibc 2.34

# A plug-in for each MPI whose compiler is found. Tools load it with --mpi, and are linked with none (mpi_run.c).
# MPI= builds without; MPI='openmpi' and so on chooses.
MPICC_openmpi := mpicc.openmpi
MPICC_mpich   := mpicc.mpich
MPICC_mpicc   := mpicc
MPI ?= $(or $(foreach name,openmpi mpich,$(if $(shell command -v $(MPICC_$(name))),$(name))),\
           $(if $(shell command -v mpicc),mpicc))
MPI := $(strip $(MPI))
PLUGINS := $(foreach name,$(MPI),$(if $(filter mpicc,$(name)),mpi.so,mpi-$(name).so))

$(O)/bin/plugins/%.so: lib/mpi/plugin/mpi_plugin.c lib/mpi/mpi_plugin.h lib/mpi/mpi.mk
	@mkdir -p $(@D)
	$(call Q,MPICC) $(or $(MPICC_$(patsubst mpi-%,%,$*)),mpicc) -std=c11 -D_XOPEN_SOURCE=700 -O2 -Wall \
	    -Wextra -fPIC -pthread \
	    -iquote lib/mpi -shared -o $@ $<
