$(eval $(call library,lib/derive,$(addprefix lib/,base numeric curve frame count neighbour histogram norm)))
