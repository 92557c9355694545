$(eval $(call library,lib/observe,$(addprefix lib/,base numeric curve frame topology format select grid tile work)))
