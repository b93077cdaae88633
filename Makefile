# Everything needs Go alone. Tools are pinned in go.mod (go tool NAME).

GO       ?= go
SEED     ?= 1
TIDEPOOL  = $(GO) run ./harness/cmd/tidepool

.DEFAULT_GOAL := help

.PHONY: help bdd test unit vet explore race bench lint generate

help: ## what can be made
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

bdd: ## run every scenario in the simulated world (SEED=n, ARGS="--tags @S36")
	@$(TIDEPOOL) run --format pretty --seed $(SEED) $(ARGS) features

test: vet unit bdd ## all that needs Go alone: vet, unit tests, layering, scenarios

explore: ## every fault at every place of every story, then 200 random histories (SEED=n, ARGS="bring-up --kinds conflict")
	@$(TIDEPOOL) explore --seed $(SEED) $(ARGS)
	@$(TIDEPOOL) explore --histories 200 --seed $(SEED)

unit:
	$(GO) test ./...

vet:
	$(GO) vet ./...

race: ## unit tests and scenarios under the race detector
	$(GO) test -race ./...
	$(GO) run -race ./harness/cmd/tidepool run --seed $(SEED) features

bench: ## measure: bring-up, clusters of up to 1,000 OSDs, an upgrade, scenarios a second, memory
	$(GO) test -run '^$$' -bench . -benchmem ./harness/... ./sim/...

lint: ## gofumpt, staticcheck, generated files
	@out=$$($(GO) tool gofumpt -l $$(git ls-files '*.go' | grep -v zz_generated)); if [ -n "$$out" ]; then echo "gofumpt would change:"; echo "$$out"; exit 1; fi
	$(GO) tool staticcheck ./...

generate: ## CRDs and deepcopy methods from the API types
	$(GO) generate ./...
