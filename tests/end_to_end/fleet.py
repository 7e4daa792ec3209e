"""Services in separate processes that a test starts and kills."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.end_to_end.conftest import Cli


class Fleet:
    """Processes of services on one bus, each with a name of its own: ``planner``, or ``planner 2`` beside it."""

    def __init__(self, cli: Cli, url: str, evidence: Path) -> None:
        self._cli, self._url, self._evidence = cli, url, evidence
        self.running: dict[str, subprocess.Popen[str]] = {}

    def start(self, name: str) -> None:
        """Start a process of the service that the first word names; return when it serves."""
        service = name.partition(" ")[0]
        process = self._cli.start("serve", service, "--nats", self._url, "--evidence", str(self._evidence))
        assert process.stdout is not None
        assert process.stdout.readline() == f"{service} serves on {self._url}\n"
        self.running[name] = process

    def kill(self, name: str) -> None:
        """End a process by SIGKILL."""
        process = self.running.pop(name)
        process.kill()
        process.communicate()
