# Sets itself up: needs Python 3.11 or newer with venv, make and git; Go and kubectl are brought along where missing.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
CODE := schemas snapshot transform apply tests

.PHONY: dev testbed demo lint test test-offline bench-snapshot bench-validate bench-transform measure-verdicts docs goldens clean

dev: $(READY)

$(READY): .ci/dev.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r .ci/dev.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

# Builds etcd, kube-apiserver, helm and the Kueue manager once; they are kept outside the repository.
testbed: dev
	PYTHONPATH=tests $(BIN)/python -m bed build

# The whole journey on a cluster of its own; prints where snapshot, plan, report and record lie.
demo: testbed
	PYTHONPATH=tests $(BIN)/python -m bed demo

lint: dev
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/ruff check $(CODE)
	$(BIN)/mypy
	$(BIN)/lint-imports

test: testbed
	$(BIN)/pytest

# Everything that needs no cluster: seconds instead of minutes, while you work.
test-offline: dev
	$(BIN)/pytest -m "not cluster"

# Against kubectl, as ratios; ends with 1 where a budget is broken. A small run: make bench-snapshot BENCH="--most 10000"
bench-snapshot: testbed
	PYTHONPATH=tests $(BIN)/python -m bench.snapshot $(BENCH)

# Validation beside kubeconform and kubectl-validate, which are built where missing.
bench-validate: dev
	PYTHONPATH=tests $(BIN)/python -m bench.validate $(BENCH)

# Against plain programs that parse and write the same lines; ends with 1 where a budget is broken.
bench-transform: dev
	PYTHONPATH=tests $(BIN)/python -m bench.transform $(BENCH)

# Our verdicts on 2,000 objects beside those of a real API server; ends with 1 where any differs.
measure-verdicts: testbed
	PYTHONPATH=tests $(BIN)/python -m bench.verdicts $(BENCH)

# Rewrites the generated parts of the documents; CI checks that nothing changes.
docs: dev
	PYTHONPATH=tests $(BIN)/python -m docs_blocks --write

clean:
	rm -rf $(VENV) dist build
