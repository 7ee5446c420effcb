# The verbs, equal here and in CI. `make help` lists them.
UV := .tools/bin/uv
PY := .venv/bin/python
STAMPS := .venv/.stamps
WEIGHTS ?= hub,registry

.DEFAULT_GOAL := help
.PHONY: help setup demo test check format docs bench lock clean

help: ## list the verbs
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

$(UV): requirements/bootstrap.txt
	python3 -m venv .tools
	.tools/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

.venv/bin/python: .python-version | $(UV)
	$(UV) venv --quiet --allow-existing .venv
	@mkdir -p $(STAMPS)

# What runs the product, the embedded model included.
$(STAMPS)/run: requirements/run.txt pyproject.toml | .venv/bin/python
	$(UV) pip install --quiet --compile-bytecode --python $(PY) --require-hashes -r $<
	$(UV) pip install --quiet --python $(PY) --no-deps --no-build-isolation --compile-bytecode --editable .
	@touch $@

# What checks and tests it too.
$(STAMPS)/develop: requirements/develop.txt pyproject.toml | .venv/bin/python
	$(UV) pip install --quiet --compile-bytecode --python $(PY) --require-hashes -r $<
	$(UV) pip install --quiet --python $(PY) --no-deps --no-build-isolation --compile-bytecode --editable .
	@mkdir -p $(STAMPS) && touch $@ $(STAMPS)/run

setup: $(STAMPS)/run ## install what runs the product into .venv

demo: setup ## no key, no service: learn a small rubric and score with it, on the embedded model
	USERSIDE_WEIGHTS=$(WEIGHTS) .venv/bin/userside demo -o demo

test: $(STAMPS)/develop ## run every test
	bash tests/parts.sh
	$(PY) -m compileall -q src tests
	USERSIDE_WEIGHTS=$(WEIGHTS) $(PY) -m pytest --numprocesses auto --maxprocesses 4 --dist worksteal

check: $(STAMPS)/develop ## lint, types, import contracts, generated files
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/pyright
	.venv/bin/lint-imports
	$(PY) -m tests.generated --check

format: $(STAMPS)/develop ## mend what can be mended by machine
	.venv/bin/ruff format .
	.venv/bin/ruff check --fix .

docs: $(STAMPS)/develop ## write the generated pages and schemas anew
	$(PY) -m tests.generated

bench: $(STAMPS)/develop ## measure beside what a user would pick instead; prints ratios
	$(PY) -m benchmarks

lock: | $(UV) ## choose versions anew (files name no registry host)
	cd requirements && sh lock.sh

clean: ## remove what was built
	rm -rf .venv .tools demo
