# `make lab` and `make test` are the two commands of the README; `make help` lists all.
# Nothing is installed outside the folder .venv.

PYTHON ?= python3
CONSTRAINTS ?= constraints.txt# the tested versions; `make setup CONSTRAINTS=/dev/null` takes the newest
EXTRAS ?= lab,fast,dask,class,test
WORKERS ?= 2
PYTEST_ARGS ?=
LAB_ARGS ?=
LESSON ?= notebooks/00_start_here.ipynb

VENV := .venv
BIN := $(VENV)/bin

export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Compiled kernels and figures' font lists are kept here, also where the home folder cannot be written.
export NUMBA_CACHE_DIR ?= $(CURDIR)/.cache/numba
export MPLCONFIGDIR ?= $(CURDIR)/.cache/matplotlib

.DEFAULT_GOAL := help
.PHONY: help setup lab test lint types layers pytest test-slow bench site assignments wheel lock clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(BIN)/.mbedu-ready  ## create .venv with everything (done once; again when pyproject.toml changes)

# Debian's Python comes without ensurepip; then the pip that is there puts one into the new environment.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "mbedu needs Python 3.11 or newer, but $(PYTHON) is `$(PYTHON) --version 2>&1`."; \
	  echo "Name another one, for example:  make $(firstword $(MAKECMDGOALS)) PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -m venv $(VENV) >/dev/null 2>&1 || { \
	  $(PYTHON) -m venv --clear --without-pip $(VENV) && \
	  $(PYTHON) -m pip --python $(BIN)/python install -q pip; } || { \
	  rm -rf $(VENV); \
	  echo "Could not create $(VENV): $(PYTHON) needs the module venv, and either ensurepip or pip."; \
	  echo "On Debian or Ubuntu:  apt-get install python3-venv"; exit 1; }

$(BIN)/.mbedu-ready: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing mbedu and what it needs into $(VENV) (some minutes the first time) …"
	@$(BIN)/python -m pip install -q -c $(CONSTRAINTS) -e '.[$(EXTRAS)]' || { \
	  echo "The installation failed; the message of pip above says why. A network connection is needed once."; \
	  echo "Where a pinned version does not exist for your Python:  make setup CONSTRAINTS=/dev/null"; \
	  echo "After an interrupted first try:  rm -r $(VENV)"; exit 1; }
	@# no question about news of JupyterLab in front of a class
	@$(BIN)/jupyter labextension disable --level=sys_prefix \
	  '@jupyterlab/apputils-extension:announcements' >/dev/null 2>&1 || true
	@touch $@

# The lesson is the default address, so that the printed address leads to it where no browser opens.
lab: setup  ## open the first lesson in JupyterLab
	@$(BIN)/jupyter lab --ip=localhost --LabApp.default_url=/lab/tree/$(LESSON) \
	  $(if $(filter 0,$(shell id -u)),--allow-root) $(LAB_ARGS)

test: lint types layers pytest  ## style, types, layers and all quick tests

lint: setup
	@$(BIN)/ruff check . || { echo "ruff: see above; many are repaired by  $(BIN)/ruff check --fix ."; exit 1; }
	@$(BIN)/ruff format --check . || { echo "Layout differs; repair it with  $(BIN)/ruff format ."; exit 1; }

types: setup
	@$(BIN)/mypy

layers: setup
	@$(BIN)/lint-imports --no-logo || { echo "An import breaks the layers: see CONTRIBUTING.md."; exit 1; }

# One thread in each worker: two workers with two threads each on two cores are slower, not faster.
pytest: export OMP_NUM_THREADS ?= 1
pytest: export OPENBLAS_NUM_THREADS ?= 1
pytest: setup
	@$(BIN)/python -m pytest -n $(WORKERS) $(PYTEST_ARGS)

test-slow: setup  ## the long tests: large sweeps, the wheel in a truly empty environment
	@$(BIN)/python -m pytest -m slow -n $(WORKERS) $(PYTEST_ARGS)

bench: setup  ## all benchmarks, beside other packages (BENCH=name for one)
	@$(BIN)/python -m pip install -q -c $(CONSTRAINTS) -e '.[bench]'
	@set -e; for file in benchmarks/$(if $(BENCH),$(BENCH),[a-z]*).py; do \
	  echo "== $$file"; $(BIN)/python "$$file"; done

site: setup  ## the lessons as static pages in site/, for a room without a network
	@$(BIN)/mbedu export notebooks site

assignments: setup  ## nbgrader assignments from the lessons, in assignments/source/
	@$(BIN)/mbedu assignments notebooks assignments

wheel: setup  ## build dist/mbedu-*.whl, with data and notebooks
	@$(BIN)/python -m build --wheel --no-isolation
	@ls dist/*.whl

# The newest versions that the ranges of pyproject.toml allow, frozen; run the tests before committing it.
lock: $(BIN)/python  ## make constraints.txt anew
	@rm -rf .cache/lock && $(BIN)/python -m venv .cache/lock
	@.cache/lock/bin/python -m pip install -q -e '.[lab,fast,dask,class,test,bench]'
	@{ sed -n '/^#/p' constraints.txt; \
	   .cache/lock/bin/python -m pip freeze --exclude-editable --exclude pip --exclude setuptools; } > .cache/lock.txt
	@mv .cache/lock.txt constraints.txt && rm -rf .cache/lock

clean:  ## remove what was built and cached (not .venv)
	rm -rf build dist site .cache .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
