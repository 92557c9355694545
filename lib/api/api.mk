$(eval $(call library,lib/api,$(addprefix lib/,base numeric frame topology format select grid count neighbour \
    histogram)))

# The C library (trjpipe.h). It contains those objects of libtrjpipe.a that the functions of trjpipe.h use. A change
# that breaks programs built with an earlier version increases the number in SONAME. In the static library, which is one
# object, all other symbols are local.
SONAME   := libtrjpipe.so.0
API_OBJS := $(call objects,$(wildcard lib/api/*.c))
API_LIBS := $(O)/lib/$(SONAME) $(O)/lib/libtrjpipe.a
OBJCOPY  ?= objcopy

$(O)/lib/$(SONAME): lib/api/trjpipe.map $(API_OBJS) $(O)/libtrjpipe.a
	@mkdir -p $(@D)
	$(call Q,LD) $(filter-out -pie,$(LINK)) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=$< \
	    $(if $(SAN),,-Wl,-z,defs) -o $@ $(filter-out $<,$^) $(LIBS)

$(O)/lib/libtrjpipe.a: $(API_OBJS) $(O)/libtrjpipe.a
	@mkdir -p $(@D)
	$(call Q,LD) $(LD) -r -o $(@D)/trjpipe.o $^
	@$(OBJCOPY) --localize-hidden $(@D)/trjpipe.o && rm -f $@ && $(AR) rcs $@ $(@D)/trjpipe.o
