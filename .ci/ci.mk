.PHONY: deps deps-build deps-demo deps-check deps-lint
deps: ## install what is missing to build, test, lint and draw (apt-get; root or sudo)
	@.ci/deps build demo check lint
deps-build deps-demo deps-check deps-lint: deps-%:
	@.ci/deps build $*
