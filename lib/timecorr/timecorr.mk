$(eval $(call library,lib/timecorr,$(addprefix lib/,base numeric curve frame topology format select grid tile work \
    observe)))
