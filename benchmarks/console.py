"""`make bench-console`: how long commands that need no service take, beside the start of Python.

With ``BESIDE=FOLDER``, another checkout, its commands are the peers. Both take turns, each command in a process of its
own with the same Python. What counts is processor time, the least of all rounds: on a machine without other work a
command takes as long, and of times on the wall a machine with other work says little.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.report import Row, at_most, report

ROOT = Path(__file__).parents[1]
BESIDE = os.environ.get("BESIDE", "")
ROUNDS = int(os.environ.get("ROUNDS", "15"))
RUN = ROOT / "tests/fixtures/earlier_runs/submitted.zip"
SPEC = ROOT / "task_specs/practice_tickets.json"
HELP_LIMIT_S, COMMAND_LIMIT_S = 0.3, 0.5


@dataclass(frozen=True)
class TimedCommand:
    """``code``: the exit code that it is to have."""

    words: tuple[str, ...]
    code: int = 0
    limit_s: float = COMMAND_LIMIT_S

    @property
    def name(self) -> str:
        return f"exhibit {self.words[0]}" + (" --help" if self.words[-1] == "--help" != self.words[0] else "")


def commands_on(run: Path, sample: str) -> list[TimedCommand]:
    return [
        TimedCommand(("--help",), limit_s=HELP_LIMIT_S),
        TimedCommand(("--version",), limit_s=HELP_LIMIT_S),
        TimedCommand(("validate", str(SPEC))),
        TimedCommand(("verify", str(run)), code=2),  # it is whole, and the key of who sealed it is not known here
        TimedCommand(("explain", str(run), sample)),
        TimedCommand(("key",)),
        TimedCommand(("health",), code=2),  # no port is set
        TimedCommand(("workflows", "list")),  # there is no library
        TimedCommand(("verify", "--help")),
        TimedCommand(("run", "--help")),
    ]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(RUN) as packed:
            packed.extractall(folder)
        run = next(Path(folder).rglob("run.json")).parent
        commands = commands_on(run, next(path.parent.name for path in sorted(run.glob("*/result.json"))))
        _seconds(ROOT, TimedCommand(("key", "--new")), Path(folder))
        start_s = min(_spent([sys.executable, "-c", "pass"], 0, Path(folder), ROOT) for _ in range(ROUNDS))
        rows = [Row("python -c pass", "s", start_s)]
        rows += [_row(command, Path(folder)) for command in commands]
    report(
        "console",
        "seconds of processor time of a command that needs no service",
        rows,
        {"rounds": ROUNDS, "cores": os.cpu_count()},
    )


def _row(command: TimedCommand, folder: Path) -> Row:
    times: list[float] = []
    beside: list[float] = []
    for _ in range(ROUNDS):
        times.append(_seconds(ROOT, command, folder))
        if BESIDE:
            beside.append(_seconds(Path(BESIDE), command, folder))
    return at_most(command.limit_s, command.name, "s", min(times), min(beside) if beside else None)


def _seconds(checkout: Path, command: TimedCommand, folder: Path) -> float:
    return _spent([sys.executable, "-m", "services.console", *command.words], command.code, folder, checkout)


def _spent(command: Sequence[str], code: int, folder: Path, checkout: Path) -> float:
    env = {**os.environ, "PYTHONPATH": str(checkout), "EXHIBIT_STATE_DIR": str(folder / "state")}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run(command, capture_output=True, cwd=folder, env=env, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if ended.returncode != code:
        raise SystemExit(f"{' '.join(command)}: exit code {ended.returncode}\n{ended.stderr.decode()[-2000:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
