"""Containers as processes: the command, the environment and the files that a deployment gives each, without an engine.

Each has a folder in place of its root. Paths that are mounted in the container, and addresses of other containers,
are written as those here; nothing else of what the deployment says is changed. Where root runs the tests,
the process can write to what is mounted as writable, and to nothing else of this machine.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from shared.child_process.child import die_with_parent
from tests.ports import free_port
from tests.waiting import until

ROOT = Path(__file__).parents[2]
IMAGE_ENV = dict(re.findall(r"(EXHIBIT_\w+)=(\S+)", (ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8")))
HOME = "/var/lib/exhibit"
"""Home and working folder of the image."""
READY_BOUND_S = 120.0
STOP_BOUND_S = 60.0
_READ_ONLY = """
mount --make-rprivate /
for folder in $WRITABLE; do mount --bind "$folder" "$folder"; done
mount -o remount,bind,ro /
exec "$@"
"""


@dataclass(frozen=True)
class Mount:
    """``source``: a file or folder of this machine; None: an empty folder of the container's own."""

    inside: str
    source: Path | None = None
    writable: bool = False


@dataclass
class Container:
    """``command``: with the entry point of its image. ``health``: how it is asked whether it is ready."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    mounts: Sequence[Mount] = ()
    health: Sequence[str] = ()
    read_only: bool = True


class Machine:
    """``folder``: for the roots of the containers. ``addresses``: what the deployment calls HOST:PORT, by what it is
    here. ``programs``: files that images have on their PATH."""

    def __init__(self, folder: Path, addresses: Mapping[str, str], programs: Mapping[str, Path]) -> None:
        self._folder, self._addresses = folder, addresses
        self._running: dict[str, tuple[subprocess.Popen[bytes], Path]] = {}
        self._bin = folder / "bin"
        self._bin.mkdir(parents=True)
        self._program("exhibit", f'exec "{sys.executable}" -m services.console "$@"')
        for name, path in programs.items():
            self._program(name, f'exec "{path}" "$@"')

    def _program(self, name: str, line: str) -> None:
        (self._bin / name).write_text(f"#!/bin/sh\n{line}\n")
        (self._bin / name).chmod(0o755)

    def start(self, container: Container) -> None:
        root = self._folder / container.name
        writable = [root / "tmp", *self._fill(root, container.mounts)]
        (root / "tmp").mkdir(parents=True, exist_ok=True)
        (root / HOME[1:]).mkdir(parents=True, exist_ok=True)
        command, environment = self.command_of(container), self.environment_of(container)
        if container.read_only and os.geteuid() == 0:
            command = ["unshare", "--mount", "sh", "-ec", _READ_ONLY, "sh", *command]
            environment["WRITABLE"] = " ".join(map(str, writable))
        output = self._folder / f"{container.name}.log"
        with output.open("wb") as sink:
            process = subprocess.Popen(
                command, env=environment, cwd=root / HOME[1:], stdin=subprocess.DEVNULL, stdout=sink, stderr=sink,
                preexec_fn=die_with_parent,
            )  # fmt: skip
        self._running[container.name] = process, output

    def _fill(self, root: Path, mounts: Iterable[Mount]) -> list[Path]:
        """Lay out what is mounted; return the folders that may be written to."""
        writable: list[Path] = []
        for mount in mounts:
            target = root / mount.inside[1:]
            target.parent.mkdir(parents=True, exist_ok=True)
            if mount.source is None:
                target.mkdir(exist_ok=True)
            elif mount.source.is_dir():
                target.symlink_to(mount.source)
            else:
                target.write_text(self.here(mount.source.read_text(encoding="utf-8"), root, mounts), encoding="utf-8")
                shutil.copymode(mount.source, target)
            writable += [target.resolve()] if mount.writable else []
        return writable

    def here(self, text: str, root: Path, mounts: Iterable[Mount]) -> str:
        """Return the text with paths and addresses of the container written as those of this machine."""
        for there, here in self._addresses.items():
            text = re.sub(rf"(?<![\w.]){re.escape(there)}(?!\d)", here, text)
        inside = sorted({HOME, "/tmp", *(mount.inside for mount in mounts)}, key=len, reverse=True)
        known = "|".join(map(re.escape, inside))
        return re.sub(rf"(?<![\w.])(?:{known})(?![\w.-])", lambda found: f"{root}{found[0]}", text)

    def command_of(self, container: Container) -> list[str]:
        root = self._folder / container.name
        return [self.here(word, root, container.mounts) for word in container.command]

    def environment_of(self, container: Container) -> dict[str, str]:
        """Return what the deployment gives it, and of ours what stands for the image."""
        root = self._folder / container.name
        given = {**IMAGE_ENV, "HOME": HOME, "TMPDIR": "/tmp", **container.environment}
        told = {name: self.here(value, root, container.mounts) for name, value in given.items()}
        image = {"PATH": f"{self._bin}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
        return {**image, **told}

    def is_ready(self, container: Container) -> bool:
        process, output = self._running[container.name]
        assert process.poll() is None, f"{container.name} ended:\n{output.read_text(errors='replace')[-3000:]}"
        command = [self.here(word, self._folder / container.name, container.mounts) for word in container.health]
        environment = self.environment_of(container)
        return subprocess.run(command, env=environment, capture_output=True, check=False).returncode == 0

    def wait_until_ready(self, container: Container) -> None:
        until(lambda: self.is_ready(container), f"{container.name} is ready", READY_BOUND_S)

    def kill(self, name: str) -> None:
        """End one by SIGKILL."""
        process, _ = self._running.pop(name)
        process.kill()
        process.wait()

    def said(self, name: str) -> str:
        return self._running[name][1].read_text(encoding="utf-8", errors="replace")

    def stop(self) -> dict[str, int]:
        """End all of them, those that were started last first; return their exit codes."""
        codes: dict[str, int] = {}
        for name, (process, _) in reversed(self._running.items()):
            process.terminate()
            try:
                codes[name] = process.wait(STOP_BOUND_S)
            except subprocess.TimeoutExpired:
                process.kill()
                codes[name] = process.wait()
        self._running.clear()
        return codes


@contextmanager
def machine(folder: Path, addresses: Mapping[str, str], programs: Mapping[str, Path]) -> Generator[Machine]:
    made = Machine(folder, addresses, programs)
    try:
        yield made
    finally:
        made.stop()


def address(text: str) -> tuple[str, str]:
    """Return ``HOST:PORT`` and an address of loopback that stands for it."""
    return text, f"127.0.0.1:{free_port()}"
