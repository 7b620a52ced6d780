# Everything runs in .venv, which is set up on first use and whenever pyproject.toml changes.
# Caches live in there too, so that `make clean` leaves nothing behind.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:

PY := .venv/bin/python
SAMPLE := traces/tower.parquet
EXTRAS := dev,check,spark
# More arguments for pytest, such as ARGS='-k doctor -x'.
ARGS :=

export HYPOTHESIS_STORAGE_DIRECTORY := $(CURDIR)/.venv/cache/hypothesis
export RUFF_CACHE_DIR := $(CURDIR)/.venv/cache/ruff
PYTEST = $(PY) -m pytest -o cache_dir=.venv/cache/pytest -n 2

.PHONY: help install demo test test-nojit test-boundscheck lint format bench golden clean

help: ## List the targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 26

install: ## Create .venv and install everything, also for tests and Spark
	@.ci/setup.sh $(EXTRAS)

demo: ## Replay a sample trace under several policies, side by side
	@.ci/setup.sh
	.venv/bin/sjoin replay $(SAMPLE) --policy exact,fifo,rand,prob,life,greedy,opt --mem 10 --window 10:15 --opt

test: install ## Run all tests (choose some with ARGS='-k doctor')
	$(PYTEST) $(ARGS)

test-nojit: install ## Run the tests with the engine as plain Python: slow, but debuggers work
	NUMBA_DISABLE_JIT=1 $(PYTEST) $(ARGS)

test-boundscheck: install ## Run the tests with every array index checked
	NUMBA_BOUNDSCHECK=1 SJOIN_CACHE_DIR=$(CURDIR)/.venv/cache/boundscheck $(PYTEST) $(ARGS)

lint: install ## Check style, formatting and who imports whom
	$(PY) -m ruff check
	$(PY) -m ruff format --check
	.venv/bin/lint-imports --no-logo --cache-dir .venv/cache/import_linter

format: install ## Format the code and mend what ruff can mend
	$(PY) -m ruff check --fix
	$(PY) -m ruff format

bench: install ## Print the benchmark table: ratios to other tools, measured here and now
	$(PY) -m tests.bench

golden: install ## Rewrite the golden counts; look at the difference before you commit it
	$(PY) -m tests.golden

clean: ## Remove .venv and all caches
	rm -rf .venv dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find cli streamjoin_core tests -name __pycache__ -type d -prune -exec rm -rf {} +
