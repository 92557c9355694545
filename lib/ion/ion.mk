$(eval $(call library,lib/ion,lib/base lib/numeric lib/frame lib/grid lib/work lib/potential))
