$(eval $(call library,lib/potential,$(addprefix lib/,base numeric curve frame grid tile work apbs)))
