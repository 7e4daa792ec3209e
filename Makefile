# Two commands are all a new user needs: `make demo` and `make test`. Each sets up what it needs.

PY := .venv/bin/python
COMPILE = $(PY) -m uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url -q

.PHONY: help setup browser extras demo test test-fast test-long check s3 s3-long real bench bench-observe bench-planner bench-evidence bench-review bench-compare bench-truth bench-library bench-console bench-web bench-learn bench-flows bench-flows-kills bench-drift bench-releases bench-hands bench-security bench-telemetry bench-flow-profile bench-tests mutants lock audit sbom schema examples corpus docs up clean

help:  ## What there is
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 18

setup: .venv/ready browser s3  ## Virtual environment, locked dependencies, a browser, and an S3 server for the tests

browser: .venv/base
	@$(PY) scripts/find_browser.py --quiet || sh scripts/install_browser.sh

.venv/ready: requirements-dev.lock pyproject.toml scripts/setup.sh
	@sh scripts/setup.sh development

.venv/base: requirements-base.lock requirements-build.lock pyproject.toml scripts/setup.sh
	@sh scripts/setup.sh base

.venv/product: requirements.lock requirements-build.lock pyproject.toml scripts/setup.sh
	@sh scripts/setup.sh product

extras: .venv/product browser  ## What make demo and make up do without: S3 buckets, search by meaning, MCP servers

demo: browser  ## Collect 60 practice tickets, from nothing to evidence
	@.venv/bin/exhibit demo

test: setup  ## Every promise once, on real servers and a real browser, and all checks: a quarter of an hour
	@$(PY) -m scripts.run_tests

test-fast: .venv/ready  ## Checks, and the tests that start no process: what to run on every save
	@$(PY) -m scripts.run_tests fast

test-long: setup s3-long  ## What is too long for every change: all pairs, fault matrices, third-party apps, mutants, load; hours
	@echo "This takes about three hours, and needs the network."
	@failed=0; $(PY) -m scripts.run_tests long || failed=1; $(PY) -m benchmarks.mutants || failed=1; \
		$(PY) -m benchmarks.suite loaded --runs 3 || failed=1; exit $$failed

s3: .venv/ready  # The S3 server that the tests need, built once
	@$(PY) -m scripts.build_s3_servers versitygw

s3-long: .venv/ready  # Both S3 servers, and Helm
	@$(PY) -m scripts.build_s3_servers

check: .venv/ready
	@.venv/bin/ruff check --quiet .
	@.venv/bin/ruff format --check --quiet .
	@.venv/bin/basedpyright --level error
	@$(PY) -m scripts.check_scripts
	@.venv/bin/lint-imports > .venv/imports.log || { cat .venv/imports.log; exit 1; }

real: setup  ## The main job, tasks and widgets on pages that are not ours
	@$(PY) -m pytest -q -s -m long tests/real

bench: setup  ## Measured beside a hand-written Playwright script
	@$(PY) -m benchmarks.batch

bench-observe: setup  ## What the browser pool sees, beside Playwright's aria_snapshot()
	@$(PY) -m benchmarks.observe

bench-planner: setup  ## What the planner shows a model: how long, how fast, what is cached
	@$(PY) -m benchmarks.planner

bench-evidence: setup  ## What evidence costs, beside cp and sha256sum
	@$(PY) -m benchmarks.evidence

bench-review: setup  ## What a review costs: decisions, the sign-off of 10,000 samples, and their check
	@$(PY) -m benchmarks.review

bench-compare: setup  ## What a comparison of two runs of 10,000 samples costs
	@$(PY) -m benchmarks.compare

bench-truth: setup  ## Right, wrong and done, for a person: over practice sites and third-party apps
	@$(PY) -m benchmarks.truth

bench-library: setup  ## The workflow library: search by meaning, beside BM25
	@$(PY) -m benchmarks.library

bench-console: setup  ## How long the command line takes to start, beside the start of Python
	@$(PY) -m benchmarks.console

up: browser  ## All services in one process, until Ctrl-C
	@.venv/bin/exhibit up

bench-web: setup  ## The console in the browser: what one live view costs a run, and how soon pages and events are there
	@$(PY) -m benchmarks.web

bench-learn: setup  ## Flows learned from written rows of third-party pages, beside autoscraper
	@$(PY) -m benchmarks.learn

bench-flows: setup  ## Flows beside a hand-written Playwright script, beside an agent, and on a site that changes
	@$(PY) -m benchmarks.flows

bench-flow-profile: setup  ## Where the time of a flow goes, beside a hand-written Playwright script
	@$(PY) -m benchmarks.flow_profile

bench-flows-kills: setup  ## 200 samples of each family on flows, with processes killed in mid-run; half an hour
	@$(PY) -m benchmarks.flow_kills

bench-drift: setup  ## Flows on practice sites that have changed: healed, failed closed, false heal; an hour
	@$(PY) -m benchmarks.drift

bench-releases: setup  ## Flows on third-party pages whose templates or release have changed
	@$(PY) -m benchmarks.releases

bench-hands: setup  ## What the typed actions tell of three widget kits, beside bare Playwright
	@$(PY) -m benchmarks.hands

bench-security: setup  ## Attacks tried and stopped, the flood that a run bears, and what security costs
	@$(PY) -m benchmarks.security

bench-telemetry: setup  ## What traces, metrics and JSON logs cost a step
	@$(PY) -m benchmarks.telemetry

bench-tests: setup  ## What `make test`, test-fast and ten runs of `make test` beside four busy loops take; hours
	@$(PY) -m benchmarks.suite

mutants: .venv/ready  ## Whether the fast tests notice one changed condition in the modules that decide; ten minutes
	@$(PY) -m benchmarks.mutants

lock: .venv/ready  ## Lock anew what the product needs, with and without extras, its tests and what builds it; hashes, no hosts
	@$(COMPILE) pyproject.toml --all-extras -o requirements.lock
	@$(COMPILE) pyproject.toml --extra practice --extra web -c requirements.lock -o requirements-base.lock
	@$(COMPILE) pyproject.toml --all-extras --group dev -c requirements.lock -o requirements-dev.lock
	@$(COMPILE) --group build -c requirements-dev.lock -o requirements-build.lock

audit: .venv/ready  ## Known vulnerabilities of the locked versions, where the registry tells them
	@$(PY) -m scripts.audit

sbom: .venv/ready  ## Write sbom.cdx.json, the locked packages with licences and hashes (CycloneDX)
	@$(PY) -m scripts.write_sbom

schema: .venv/ready  ## Publish the task spec's JSON Schema
	@$(PY) -m scripts.write_schema

examples: .venv/ready  ## Compile the example flows again from the samples beside them
	@$(PY) -m scripts.write_flow_examples

corpus: .venv/ready  ## Write what the readers say of the stored pages of tests/corpus, and print each change
	@$(PY) -m scripts.write_corpus

docs: .venv/ready  ## Write the pages and tables of the documentation that follow from the code
	@$(PY) -m scripts.write_docs

clean:  ## Remove what setup made; evidence stays, and the key that sealed it
	@rm -rf .venv .exhibit/nats
