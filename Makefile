# Every target first sets up what it needs, once; see tools/bootstrap.
.DEFAULT_GOAL := help
.PHONY: help demo test types tests test-fast doctor benchmark setup lock sbom audit

# Processes that run tests, many of which wait; with 0 pytest runs them itself.
WORKERS = 3

# What this starts keeps the bytecode of what it imports; what tests start shares the cores as well.
export PYTHONDONTWRITEBYTECODE =
test tests test-fast: export OMP_NUM_THREADS = 1
PYTEST = .venv/bin/python -m pytest --numprocesses $(WORKERS)

help:  ## Show this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

demo: setup  ## Let a simulated robot cell describe itself, end to end
	@.venv/bin/autourdf demo

# To check types takes one core for a minute, in which the tests import what they need.
test:  ## Check the code and run all tests
	@tools/bootstrap test
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	@$(MAKE) --no-print-directory --jobs 2 types tests

types:
	.venv/bin/mypy
	.venv/bin/lint-imports --no-logo --no-cache

tests:
	$(PYTEST) --dist loadfile --no-loadscope-reorder --durations 20

test-fast:  ## Run the tests that start no process and take no time (1 to 6 minutes)
	@tools/bootstrap test
	$(PYTEST) -m fast --dist loadfile

doctor: setup  ## Check this machine and say what to do about what is wrong
	@.venv/bin/autourdf doctor

benchmark: setup  ## Measure how right and how fast the reconstruction is
	@.venv/bin/autourdf benchmark

setup:  ## Set up .venv and nothing else
	@tools/bootstrap

lock:  ## Pin the versions of requirements/*.in anew
	@tools/bootstrap
	tools/lock --upgrade

sbom: setup  ## Write sbom.json: all that .venv holds, with licences (CycloneDX)
	tools/audit sbom

audit: setup  ## Ask a database on the network about holes in what is locked
	tools/audit vulnerabilities
