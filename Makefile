# Everything runs from .venv, which is made when first needed and kept up to date.

PYTHON ?= python3
WORKERS ?= 2
PYTHONS ?= python3.11 python3.12 python3.13 python3.14

VENV := .venv
BIN := $(VENV)/bin
PYTEST := $(BIN)/pytest -n $(WORKERS) --dist worksteal
PACKAGES := analytic api experiments simulator
EXTRAS := cluster,dev,docs,ir,parquet,report,xml

# What needs a new install: the kernels are compiled then, and the files of api linked one by one.
INSTALLED := api pyproject.toml setup.py \
	$(wildcard compiling/* analytic/precision/kernels/* simulator/sampling/kernels/*)

export PIP_DISABLE_PIP_VERSION_CHECK := 1
# What checks pages for people who cannot see, hear or point; its tests skip where npm cannot fetch it.
export AXE := $(CURDIR)/build/axe.min.js
# Without bytecode pytest rewrites every test file in every process, half a minute of each run.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help install crosscheck test test-slow test-all check sanitize wheels floors bench docs docs-links reproduce clean FORCE

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile
	@echo "Variables: PYTHON (python3), WORKERS of the tests (2), PYTHONS of wheels (3.11 to 3.14)"

install: build/installed ## prum, its extras and the development tools in .venv

crosscheck: build/usable ## the main job on the built-in examples; writes crosscheck.html
	$(BIN)/prum crosscheck --example web --example campaign --example walks --users 20000 --seed 1 --html crosscheck.html
	@echo "Now open crosscheck.html. To use prum in this shell: . $(VENV)/bin/activate"
	@echo "Then go on with docs/tutorial.md, or with prum --help."

check: build/installed ## style, imports and types; seconds
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo
	$(BIN)/mypy

test: check build/axe.min.js ## all checks, and the fast tests; some four minutes
	$(PYTEST) -m "not slow"

test-slow: build/installed build/axe.min.js ## the other tests, and more examples; a quarter of an hour
	PRUM_EXAMPLES=all $(PYTEST) -m "slow or hypothesis or drawn"

test-all: test test-slow ## all checks and all tests

# What calls kernels most: they against their twins, and closed forms against enumeration.
SANITIZED := $(shell grep -rl --include='test_*.py' tests.twins tests) tests/oracle tests/unit/analytic/precision

sanitize: build/installed ## kernels under watch: addresses, undefined behaviour, assertions
	@rm -rf build/sanitized
	PRUM_SANITIZE=1 $(BIN)/python -m pip install --quiet --no-deps --target build/sanitized .
	LD_PRELOAD=$$(cc -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0 \
		PYTHONPATH=build/sanitized $(PYTEST) $(SANITIZED)

wheels: ## sdist and wheels for Linux, x86-64 and arm64; this machine's is tried in PYTHONS
	.ci/wheel dist $(PYTHONS)

floors: ## the fast tests with the oldest version of each dependency that is allowed
	.ci/floors $(firstword $(PYTHONS))

docs: build/installed ## the documentation as a site, build/docs/index.html
	$(BIN)/sphinx-build -W --keep-going -q -j auto -b html docs build/docs

docs-links: build/installed ## whether the links of the documentation lead somewhere
	$(BIN)/sphinx-build -W --keep-going -q -b linkcheck docs build/docs-links

bench: build/installed ## prum's speed beside other ways; each kind of users
	$(BIN)/python -m tests.benchmarks.compare
	$(BIN)/python -m tests.benchmarks.user_kinds

reproduce: build/installed ## every number of the documents, resumable; MINUTES=1 leaves out longer steps
	$(BIN)/python -m tests.reproduce $(STEPS) $(if $(MINUTES),--minutes $(MINUTES)) $(if $(DATA),--data '$(DATA)')

clean: ## remove .venv and whatever was made
	rm -rf $(VENV) build dist *.egg-info .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find $(PACKAGES) tests -name __pycache__ -prune -exec rm -rf {} +
	find $(PACKAGES) -name '*.so' -delete
	rm -f crosscheck.html

# The installation. Stamps are written last, so an interrupted step is done again; they contain what
# the step depended on where a time stamp cannot tell.

$(VENV)/made: build/interpreter
	@echo "Making $(VENV) with $(PYTHON)"
	@rm -f $@ build/installed build/usable
	@$(PYTHON) -m venv --clear $(VENV)
	@touch $@

build/installed: $(VENV)/made $(INSTALLED)
	@echo "Installing prum and its tools in $(VENV) (may take minutes the first time)"
	@rm -f $@
	@$(BIN)/python -m pip install --quiet --editable '.[$(EXTRAS)]'
	@touch $@

# Who checks and reads needs no tools of development; where they are, they stay up to date.
build/usable: $(VENV)/made $(INSTALLED)
	@if [ -f build/installed ]; then $(MAKE) --no-print-directory build/installed; else \
		echo "Installing prum in $(VENV) (may take a minute the first time)" \
		&& $(BIN)/python -m pip install --quiet --no-compile --editable '.[report]'; fi
	@touch $@

build/axe.min.js:
	@mkdir -p build
	@npm pack --silent --pack-destination build axe-core@4.11 > /dev/null 2>&1 \
		&& tar -xzf build/axe-core-4.11*.tgz -C build package/axe.min.js \
		&& mv build/package/axe.min.js $@ || echo "npm cannot fetch axe-core: its tests skip"
	@rm -rf build/package build/axe-core-*.tgz

build/interpreter: FORCE
	@mkdir -p build
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "prum needs Python 3.11 or newer; say make PYTHON=...")'
	@$(PYTHON) -c 'import sys; print("$(CURDIR)", sys.base_prefix, *sys.version_info[:2])' > $@.now
	@if cmp -s $@.now $@; then rm $@.now; else mv $@.now $@; fi

FORCE:
