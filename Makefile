# make setup: everything installed; make demo: a race; make test: all tests.
PYTHON ?= python3
BIN = .venv/bin
ROUNDS ?= 20000
export NUMBA_CACHE_DIR ?= $(CURDIR)/.cache/numba

.PHONY: setup constraints demo test attack nightly browser quick check bench docs dist clean

# Exact versions, of which constraints.txt says for which Python; others get the ranges of pyproject.toml.
PINNED = $(shell $(PYTHON) -c "import sys; print('--constraint constraints.txt' * (sys.version_info[:2] == (3, 11)))")
.venv/ready: pyproject.toml constraints.txt onearm/__init__.py
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet $(PINNED) --editable ".[dev]"
	touch $@

setup: .venv/ready
	$(BIN)/onearm warm --play --learners $$($(BIN)/python -c "from onearm.cli.arguments import RACERS; print(RACERS)")

constraints:
	$(BIN)/python -m tests.project.constraints

demo: setup
	$(BIN)/onearm race letter SynNonSep --rounds $(ROUNDS) --out demo

# The page of a race is tested in Chromium, where there is one: nothing is installed unasked.
HAS_BROWSER = { command -v chromium && command -v chromedriver; } >/dev/null
test: .venv/ready
	$(BIN)/onearm warm
	$(BIN)/python -m pytest -n auto
	@$(HAS_BROWSER) || echo "browser tests were left out: no chromium and chromedriver found; make browser installs them"

# Model files, damaged and crafted: make test does the same with fewer.
attack: .venv/ready
	$(BIN)/onearm warm
	$(BIN)/python -m tests.core.attack --out bench/results/attack.md

# A service is killed, its disk fails and forgets: make test does the same with fewer rounds.
nightly: .venv/ready
	$(BIN)/python -m tests.service.nightly --out bench/results/service_nightly.md

# Debian's packages, with root's rights.
ROOT = $(if $(filter 0,$(shell id -u)),,sudo)
browser:
	$(HAS_BROWSER) || { $(ROOT) apt-get -q update && \
	    $(ROOT) env DEBIAN_FRONTEND=noninteractive apt-get -qy install chromium chromium-driver; }

quick: .venv/ready
	@mkdir -p .cache
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m slipcover -m pytest -n auto -m "not compiled"
	@awk 'END { print "coverage: " $$4 " % of " $$2 " lines; what is left is in .cache/coverage.txt" }' .cache/coverage.txt

check: .venv/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: .venv/ready
	$(BIN)/python -m pip install --quiet --editable ".[bench]"
	$(BIN)/python -m bench speed

docs: .venv/ready
	$(BIN)/sphinx-build -W -b html docs docs/_build

# Wheel and sdist, tried in empty environments of every CPython here from 3.11 up.
dist: .venv/ready
	$(BIN)/python -m tests.project.dist

clean:
	rm -rf .venv .cache demo dist docs/_build
