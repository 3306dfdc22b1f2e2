# Every target sets itself up: a Python >= 3.11 and make are all it needs.
SHELL := /bin/bash
.ONESHELL:
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

VENV := .venv
PY := $(VENV)/bin/python
EXTRAS := --extra local --extra evals --extra dev
# Real components that the tests drive. Without root, missing ones are reported and their tests skip.
SYSTEM := prometheus prometheus-alertmanager systemd-journal-remote chromium fonts-wqy-zenhei ripgrep shellcheck \
  slurmctld slurmd slurm-client slurmdbd munge mariadb-server-core

# Real daemons that only the benign corpus of `make soak` runs. Too many to put on anybody's machine unasked.
COMPONENTS := $(SYSTEM) postgresql redis-server redis-tools memcached etcd-server nginx-light haproxy \
  dnsmasq-base bind9 prometheus-node-exporter openssh-server rsyslog containerd nodejs git cron logrotate \
  dbus qemu-system-x86 linux-image-cloud-amd64 cpio

.PHONY: help demo test check bench soak vectors wheel clean system components

help: ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/'

# What the product itself needs; the demo needs no more.
$(VENV)/.ready-base: pyproject.toml uv.lock
	@python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed; python3 is $$(python3 -V)"; exit 1; }
	[ -x $(PY) ] || python3 -m venv $(VENV)
	$(PY) -m pip install --quiet --disable-pip-version-check uv
	$(VENV)/bin/uv sync --quiet --frozen --inexact --no-dev --extra local
	touch $@

# And what tests, checks and measurements need.
$(VENV)/.ready: $(VENV)/.ready-base
	@$(VENV)/bin/uv sync --quiet --frozen --inexact $(EXTRAS)
	touch $@

system:
	@missing=""
	for p in $(SYSTEM); do dpkg -s "$$p" >/dev/null 2>&1 || missing="$$missing $$p"; done
	if [ -n "$$missing" ]; then
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	    export DEBIAN_FRONTEND=noninteractive
	    apt-get update -qq && apt-get install -y -qq --no-install-recommends $$missing >/dev/null
	  else
	    echo "Not installed, so their tests are skipped:$$missing"
	  fi
	fi

demo: $(VENV)/.ready-base ## diagnose the Astra outage from shipped evidence
	@$(VENV)/bin/firstfault demo --out out

test: $(VENV)/.ready system ## the whole test suite with coverage
	@$(PY) -m pytest -n 2 --dist worksteal -m "not soak" --cov --cov-report=term:skip-covered -q

check: $(VENV)/.ready ## format, lint, types, import contracts, handbook
	@$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports
	$(VENV)/bin/firstfault kb lint

bench: $(VENV)/.ready system ## measure speed and robustness; writes evals/bench/results.json
	@$(PY) -m evals.bench

soak: $(VENV)/.ready system ## what runs too long for every commit
	@$(PY) -m pytest -n 2 -m soak -q --timeout 3600

components: ## install what the benign corpus of soak runs, on a machine kept for tests
	@if [ ! -e /usr/sbin/policy-rc.d ]; then  # so that none starts as a service
	  trap 'rm -f /usr/sbin/policy-rc.d' EXIT
	  printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d && chmod 755 /usr/sbin/policy-rc.d
	fi
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(COMPONENTS) >/dev/null

vectors: $(VENV)/.ready ## embed the pages that changed, for the search; writes knowledge/search/vectors.npz
	@$(PY) -m knowledge.search.shipping

wheel: $(VENV)/.ready ## build the wheel and run it from another folder
	@rm -rf dist && $(VENV)/bin/uv build --quiet --wheel
	room=$$(mktemp -d)
	python3 -m venv $$room/venv
	$(VENV)/bin/uv pip install --quiet --python $$room/venv/bin/python dist/*.whl
	cd $$room && venv/bin/firstfault --help >/dev/null && venv/bin/firstfault demo --out $$room/out >/dev/null
	echo "The wheel runs on its own." && rm -rf $$room

clean: ## remove what the targets made
	rm -rf $(VENV) dist out .mypy_cache .ruff_cache .pytest_cache .hypothesis
