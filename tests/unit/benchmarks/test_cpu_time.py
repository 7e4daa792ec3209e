"""Whose processor time it is, by the command lines that the processes of a run really have."""

from __future__ import annotations

from benchmarks.cpu_time import kind_of
from tests.cases import cases

PYTHON = "/srv/.venv/bin/python"
KINDS = {
    "Chromium, browser": ["/usr/bin/chromium-headless-shell", "--disable-field-trial-config", "--headless"],
    "Chromium, renderer": ["/opt/chrome-linux/headless_shell --type=renderer --lang=en-US"],
    "Chromium, gpu-process": ["/usr/lib/chromium/chromium-headless-shell", "--type=gpu-process", "--no-sandbox"],
    "Playwright's driver": ["/srv/.venv/lib/playwright/driver/node", "cli.js", "run-driver"],
    "nats-server": ["/srv/.venv/bin/nats-server", "-c", "nats.conf"],
    "Python, flows": [PYTHON, "-I", "-m", "services.workflows.execution.child.zygote"],
    "Python": [PYTHON, "-m", "benchmarks.system", "spec.json"],
    "others": [],
}


@cases("kind", KINDS)
def test_a_process_is_told_by_its_command(kind: str) -> None:
    assert kind_of(KINDS[kind]) == kind
