# Every target sets up what it needs: a virtual environment in .venv, from the hashed locks in requirements/.
# All it takes is Python 3.11 or newer with venv and pip. `make` alone lists the targets.

VENV := .venv
BIN := $(VENV)/bin
# Another interpreter: make PYTHON=/path/to/python3.12 test
PYTHON ?=
# More words for demo, serve, bench and test: make demo ARGS=--help
ARGS ?=
# How much `make history` plays and kills; `make test` does a smaller run.
HISTORY_ACTIONS ?= 100000
HISTORY_KILLS ?= 100
# Only `make lock` needs a resolver, so it is no part of the locks.
UV := uv==0.13.9

PIP := PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip --quiet --no-input install
PROJECTS := pyproject.toml clients/python/pyproject.toml
# What is written by hand and in Python.
CODE := $(wildcard referee clients/python/referee_client clients/python/examples scripts bench tests)
COMPILE := $(BIN)/uv pip compile --quiet pyproject.toml --universal --generate-hashes --no-annotate --no-header \
	--no-emit-package referee-client -c requirements/constraints.in

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help setup demo serve test lint check fix history proto proto-check bench lock clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile

setup: $(VENV)/.dev ## Set up .venv with everything for working on the referee

demo: $(VENV)/.runtime ## Watch two bots play a match of each game, and verify its record
	$(BIN)/referee demo $(ARGS)

serve: $(VENV)/.runtime ## Start a referee with a Redis of its own
	$(BIN)/referee serve $(ARGS)

test: $(VENV)/.dev ## Run all tests
	$(BIN)/python -m pytest $(ARGS)

history: $(VENV)/.dev ## Play long under kills, and prove from the histories that nothing was lost
	HISTORY_ACTIONS=$(HISTORY_ACTIONS) HISTORY_KILLS=$(HISTORY_KILLS) \
		$(BIN)/python -m pytest tests/history $(ARGS)

lint: $(VENV)/.dev ## Check style, formatting, import contracts and types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports
	$(BIN)/mypy $(CODE)

check: lint proto-check test ## Check everything, as CI does; edits nothing

fix: $(VENV)/.dev ## Format, and repair what can be repaired without thinking
	$(BIN)/ruff format
	$(BIN)/ruff check --fix
	cd protos && ../$(BIN)/buf format --write

proto: $(VENV)/.dev ## Generate the Python code of protos/
	$(BIN)/python scripts/generate_protos.py

proto-check: $(VENV)/.dev ## Check protos: style, generated code up to date, nothing broken since the last commit
	cd protos && ../$(BIN)/buf lint
	cd protos && ../$(BIN)/buf format --diff --exit-code
	$(BIN)/python scripts/generate_protos.py --check
	$(BIN)/python scripts/check_breaking.py

bench: $(VENV)/.dev ## Measure speed, as ratios to a ceiling of the same run
	$(BIN)/python bench/run.py $(ARGS)

lock: $(VENV)/.dev ## Resolve both locks again; ARGS=--upgrade moves the pins
	$(PIP) $(UV)
	$(COMPILE) --group dev -o requirements/dev.lock $(ARGS)
	$(COMPILE) requirements/build.in -c requirements/dev.lock -o requirements/runtime.lock $(ARGS)

clean: ## Remove .venv, caches and builds; keeps the data of matches
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- set-up ----------------------------------------------------------------------

$(VENV)/.python:
	@PYTHON="$(PYTHON)" sh scripts/make_venv.sh $(VENV)
	@touch $@

# The runtime lock is a part of the development lock, so that one stamp may stand for the other.
$(VENV)/.runtime: requirements/runtime.lock $(PROJECTS) | $(VENV)/.python
	@echo "Setting up $(VENV) to run the referee; this takes half a minute, once ..."
	@$(PIP) --require-hashes -r requirements/runtime.lock
	@$(PIP) --no-deps --no-build-isolation -e clients/python -e .
	@touch $@

$(VENV)/.dev: requirements/dev.lock requirements/runtime.lock $(PROJECTS) | $(VENV)/.python
	@echo "Setting up $(VENV) to work on the referee; this takes a minute, once ..."
	@$(PIP) --require-hashes -r requirements/dev.lock
	@$(PIP) --no-deps --no-build-isolation -e clients/python -e .
	@touch $(VENV)/.runtime $@
