"""The command line: in this process, or as a process of its own; and services that a worker's tests share."""

from __future__ import annotations

import asyncio
import io
import logging
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from typer.testing import CliRunner

from services.console.cli import app
from shared.telemetry.logs import OURS

ROOT = Path(__file__).parents[2]
STOP_BOUND_S = 60
SECRETS = {"DESK_PASSWORD": "right", "API_TOKEN": "k7-very!secret-Token=42"}
"""What the services know under these names."""


class Cli:
    """`exhibit`, with an environment of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.env = {
            **os.environ,
            "EXHIBIT_STATE_DIR": str(folder / "state"),
            "EXHIBIT_WORKFLOWS_DIR": str(folder / "workflows"),
            "EXHIBIT_PLANNER": "rules",
        }
        self.env.pop("EXHIBIT_NATS_URL", None)
        self.started: list[subprocess.Popen[str]] = []

    def run(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command to its end in this process: in a thread of its own where a loop runs in this one."""
        if not _loop_runs_here():
            return self._invoke(arguments, stdin)
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(self._invoke, arguments, stdin).result()

    async def run_async(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """As `run`, while the loop of the test goes on."""
        return await asyncio.to_thread(self._invoke, arguments, stdin)

    def _invoke(self, arguments: tuple[str, ...], stdin: str) -> subprocess.CompletedProcess[str]:
        with own_logging():
            ended = Runner().invoke(app, arguments, input=stdin, env=self._changes(), catch_exceptions=False)
        return subprocess.CompletedProcess(arguments, ended.exit_code, ended.stdout, ended.stderr)

    def _changes(self) -> Mapping[str, str | None]:
        return {**dict.fromkeys(os.environ.keys() - self.env.keys()), **self.env}

    def start(self, *arguments: str, stdin: str | None = None) -> subprocess.Popen[str]:
        """Start `exhibit` as a process; all of its children end with it."""
        process = subprocess.Popen(
            [sys.executable, "-m", "services.console", *arguments],
            stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.env,
            cwd=ROOT,
            start_new_session=True,  # so that a test can do what Ctrl-C in a terminal does: signal the whole group
        )
        self.started.append(process)
        return process

    def start_alone(self, *arguments: str) -> subprocess.Popen[str]:
        """As `start`, but with a bus and services of its own."""
        url = self.env.pop("EXHIBIT_NATS_URL", "")
        try:
            return self.start(*arguments)
        finally:
            self.env["EXHIBIT_NATS_URL"] = url

    def close(self) -> None:
        """Kill whatever still runs."""
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.communicate()


def _loop_runs_here() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


class Runner(CliRunner):
    """With a standard input that has a descriptor: some commands read it by that."""

    @contextmanager
    def isolation(
        self, input: str | bytes | None = None, env: Mapping[str, str | None] | None = None, color: bool = False
    ) -> Generator[tuple[io.BytesIO, io.BytesIO, io.BytesIO]]:
        with super().isolation(None, env, color) as streams, tempfile.TemporaryFile("w+", buffering=1) as file:
            file.write(str(input or ""))
            file.seek(0)
            sys.stdin = file
            yield streams


@contextmanager
def own_logging() -> Generator[None]:
    """Let a command configure its logs, and put back what was there."""
    loggers = [logging.getLogger(name) for name in (None, "nats", *OURS)]
    root, levels = loggers[0], [one.level for one in loggers]
    handlers, root.handlers = root.handlers, []
    try:
        yield
    finally:
        root.handlers = handlers
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


class System:
    """All services and a bus, in one process of `exhibit up`. Evidence, keys and workflows lie below its folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.env = {
            "EXHIBIT_STATE_DIR": str(folder / "state"),
            "EXHIBIT_EVIDENCE_DIR": str(folder / "evidence"),
            "EXHIBIT_WORKFLOWS_DIR": str(folder / "workflows"),
            "EXHIBIT_TOOLS_DIR": str(ROOT / "examples/workflows/ticket_evidence/tools"),
            **{f"EXHIBIT_SECRET_{name}": secret for name, secret in SECRETS.items()},
        }
        self.url = ""

    @property
    def evidence(self) -> Path:
        return self.folder / "evidence"

    def way_in(self) -> str:
        """Return the address that opens the console, which the process has printed. It opens one session."""
        assert self._up.stdout is not None
        return next(line.split()[-1] for line in self._up.stdout if "in a browser:" in line)

    def __enter__(self) -> Self:
        self._log = (self.folder / "log").open("w")
        self._up = subprocess.Popen(
            [sys.executable, "-m", "services.console", "up", "--port", "-1"],
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            env={**Cli(self.folder).env, **self.env},
            cwd=ROOT,
        )
        assert self._up.stdout is not None
        line = self._up.stdout.readline()
        self.url = next((word.rstrip(",") for word in line.split() if word.startswith("nats://")), "")
        assert self.url, f"`exhibit up` did not start: {line}{(self.folder / 'log').read_text()}"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._up.send_signal(signal.SIGTERM)
        self._up.communicate(timeout=STOP_BOUND_S)
        self._log.close()
