"""The inputs of `exhibit run`: specs, the file with the samples, and the row of the discovery spec."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from services.console.run_location import LAST
from shared.client import RunRejectedError
from shared.contracts.discovery import Problem
from shared.hashing import search_sha256
from shared.task.spec import read_spec

INPUT_SUFFIXES = (".csv", ".tsv", ".xlsx", ".xls")


@dataclass(frozen=True)
class RunInputs:
    """What the files and options say. ``file``: name and bytes of the samples; ``row`` fills the discovery spec."""

    spec: dict[str, Any] | None
    file: tuple[str, bytes] | None = None
    discovery: dict[str, Any] | None = None
    row: tuple[tuple[str, str], ...] = ()

    @property
    def lists_only(self) -> bool:
        """Whether the task itself finds samples and works on none."""
        return (self.spec or {}).get("phase") == "discovery"

    @property
    def names_no_samples(self) -> bool:
        return self.file is None and self.discovery is None and not self.lists_only

    @property
    def sha256(self) -> str | None:
        """The hash of what the samples come from, as in the run's record; None when nothing says where they are."""
        if self.file is not None:
            return hashlib.sha256(self.file[1]).hexdigest()
        if self.discovery is not None:
            return search_sha256(self.discovery, dict(self.row))
        return search_sha256(self.spec, dict(self.row)) if self.spec is not None and self.lists_only else None


def read_inputs(
    *,
    spec_file: Path | None,
    input_file: Path | None = None,
    discovery_file: Path | None = None,
    filled_with: tuple[str, ...] = (),
    resume: str | None = None,
) -> RunInputs:
    """Read the files and parse ``NAME=VALUE`` pairs. Raises RunRejectedError with every problem."""
    problems: list[Problem] = []
    spec: dict[str, Any] | None = None
    discovery: dict[str, Any] | None = None
    file: tuple[str, bytes] | None = None
    if spec_file is not None:
        spec, found = read_spec(spec_file)
        problems += found
    elif resume is None:
        problems.append(Problem(where="SPEC", message="name a task spec, or an earlier run with --resume"))
    if discovery_file is not None:
        discovery, found = read_spec(discovery_file)
        problems += found
    if input_file is not None:
        file, found = _read_file(input_file)
        problems += found
    row, found = _parse_row(filled_with)
    problems += found
    if resume not in (None, LAST) and (file is not None or discovery is not None):
        message = f"{resume} goes on with its own samples: leave --input and --discover out, or say --resume last"
        problems.append(Problem(where="--resume", message=message))
    if problems:
        raise RunRejectedError(problems)
    return RunInputs(spec, file, discovery, tuple(row.items()))


def _parse_row(pairs: tuple[str, ...]) -> tuple[dict[str, str], list[Problem]]:
    row: dict[str, str] = {}
    problems: list[Problem] = []
    for pair in pairs:
        name, equals, value = (part.strip() for part in pair.partition("="))
        if not equals or not name:
            problems.append(Problem(where=f"--with {pair}", message="write NAME=VALUE, such as org=acme"))
        elif name in row:
            problems.append(Problem(where=f"--with {name}", message="it is given twice"))
        row[name] = value
    return row, problems


def _read_file(path: Path) -> tuple[tuple[str, bytes] | None, list[Problem]]:
    if path.suffix.lower() not in INPUT_SUFFIXES:
        return None, [Problem(where=str(path), message=f"an input file ends in {', '.join(INPUT_SUFFIXES)}")]
    try:
        return (path.name, path.read_bytes()), []
    except FileNotFoundError:
        return None, [Problem(where=str(path), message="no such file")]
    except OSError as exc:
        return None, [Problem(where=str(path), message=f"cannot be read: {exc.strerror}")]
