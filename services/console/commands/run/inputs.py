"""The inputs of `exhibit run`: specs, the file with the samples, and the row of the discovery spec."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from services.console.run_location import LAST
from shared.contracts.discovery import AS_IT_IS, RUN_MODES, Problem, ReadAs, RunMode, find_run_mode
from shared.contracts.workflows.heals import HEAL_MODES
from shared.errors import RunRejectedError
from shared.hashing import search_sha256
from shared.tables.files import INPUT_OPTIONS, REGISTER_OPTIONS
from shared.task.spec import read_spec

INPUT_SUFFIXES = (".csv", ".tsv", ".xlsx", ".xls")
REGISTER_SUFFIXES = (*INPUT_SUFFIXES, ".json")


@dataclass(frozen=True)
class Reconciling:
    """What the options say of a comparison with a register."""

    file: Path | None = None
    key: str | None = None
    fold_keys: bool = False
    read_as: ReadAs = AS_IT_IS


@dataclass(frozen=True)
class RunInputs:
    """What the files and options say. ``file``: name and bytes of the samples; ``row`` fills the discovery spec;
    ``register``: name and bytes of what the population is compared with. ``read_as``: how ``file`` is read."""

    spec: dict[str, Any] | None
    file: tuple[str, bytes] | None = None
    discovery: dict[str, Any] | None = None
    row: tuple[tuple[str, str], ...] = ()
    register: tuple[str, bytes] | None = None
    mode: RunMode | None = None
    read_as: ReadAs = AS_IT_IS

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
    mode: str | None = None,
    heal: str | None = None,
    reconciling: Reconciling | None = None,
    read_as: ReadAs = AS_IT_IS,
) -> RunInputs:
    """Read the files and parse ``NAME=VALUE`` pairs. Raises RunRejectedError with every problem.

    ``heal``: takes the place of the key in the spec, so that the spec of the run says what was allowed.
    """
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
        file, found = _read_file(input_file, "an input file", INPUT_SUFFIXES)
        problems += found
    register, found = _read_register(reconciling or Reconciling())
    problems += found
    row, found = _parse_row(filled_with)
    problems += found
    known_mode = None if mode is None else find_run_mode(mode)
    if known_mode is None and mode is not None:
        message = f"{mode!r} is no mode; the modes are {', '.join(RUN_MODES)}"
        problems.append(Problem(where="--mode", message=message))
    problems += _heal_problems(heal, has_spec=spec_file is not None)
    if spec is not None and heal is not None:
        spec = {**spec, "heal": heal}
    if resume not in (None, LAST) and (file is not None or discovery is not None):
        message = f"{resume} goes on with its own samples: leave --input and --discover out, or say --resume last"
        problems.append(Problem(where="--resume", message=message))
    problems += _read_as_problems(read_as, INPUT_OPTIONS, "--input", given=input_file is not None, resume=resume)
    if problems:
        raise RunRejectedError(problems)
    return RunInputs(spec, file, discovery, tuple(row.items()), register, known_mode, read_as)


def _read_as_problems(how: ReadAs, options: str, file: str, *, given: bool, resume: str | None) -> list[Problem]:
    """Find options about a file that is not read: there is none, or a resumed run keeps its own samples."""
    said = {"sheet": how.sheets, "encoding": how.encoding, "hidden-rows": how.hidden_rows}
    message = f"it goes with {file} FILE" if not given else "a resumed run keeps its own samples; leave it out"
    return [
        Problem(where=f"{options}{name}", message=message)
        for name, value in said.items()
        if value and (not given or resume is not None)
    ]


def _read_register(given: Reconciling) -> tuple[tuple[str, bytes] | None, list[Problem]]:
    if given.file is None:
        alone = [name for name, said in (("--key", given.key is not None), ("--fold-keys", given.fold_keys)) if said]
        problems = [Problem(where=name, message="it goes with --reconcile FILE") for name in alone]
        how = given.read_as
        return None, [*problems, *_read_as_problems(how, REGISTER_OPTIONS, "--reconcile", given=False, resume=None)]
    file, problems = _read_file(given.file, "a file to reconcile with", REGISTER_SUFFIXES)
    if not given.key:
        message = "say by --key which field of the spec names a record in the file"
        problems.append(Problem(where="--reconcile", message=message))
    return file, problems


def _heal_problems(heal: str | None, *, has_spec: bool) -> list[Problem]:
    if heal is None:
        return []
    if heal not in HEAL_MODES:
        known = ", ".join(HEAL_MODES)
        return [Problem(where="--heal", message=f"{heal!r} is no way to heal; the ways are {known}")]
    message = "a run that is resumed keeps what its spec says: name the SPEC, or leave --heal out"
    return [] if has_spec else [Problem(where="--heal", message=message)]


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


def _read_file(path: Path, what: str, suffixes: tuple[str, ...]) -> tuple[tuple[str, bytes] | None, list[Problem]]:
    if path.suffix.lower() not in suffixes:
        return None, [Problem(where=str(path), message=f"{what} ends in {', '.join(suffixes)}")]
    try:
        return (path.name, path.read_bytes()), []
    except FileNotFoundError:
        return None, [Problem(where=str(path), message="no such file")]
    except OSError as exc:
        return None, [Problem(where=str(path), message=f"cannot be read: {exc.strerror}")]
