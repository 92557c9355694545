HTML := .build/html

.PHONY: html
html: ## make a web site of the documentation in .build/html (with mandoc and cmark-gfm)
	@.github/site/build $(HTML) $(VERSION)
