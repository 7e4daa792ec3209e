"""`exhibit verify`: is this evidence what was sealed, and by whom? Needs no bus, no browser and no service."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from services.console import exits
from services.console.run_location import place_of_run
from shared.errors import ExhibitError
from shared.evidence_format.signing import PublicKey, key_path, known_key
from shared.evidence_format.sources.base import Finding, NoRun
from shared.evidence_format.sources.opening import opened
from shared.evidence_format.verify.run import RunCheck, check_run
from shared.settings import Settings
from shared.text.terminal import printable

HELP = "Exit codes: 0 it is what was sealed, by that key; 1 it is not; 2 no run, no key to tell by whom, or bad input."
TRUSTED = {
    "by_known_key": "signed by the key you trust",
    "by_unknown_key": "signed by a key that nobody has vouched for",
    "by_other_key": "signed by another key than the one you trust",
    "no": "not signed",
}


@dataclass(frozen=True)
class Verify:
    """What was asked for on the command line. ``noted``: the hash that the run's manifest must have."""

    run: str
    key: Path | None = None
    noted: str = ""
    as_json: bool = False


def verify_run(settings: Settings, asked: Verify) -> int:
    """Checks, says, and returns the exit code."""
    began = time.perf_counter()
    try:
        key = trusted_key(settings, asked.key)
        with opened(settings, place_of_run(settings, asked.run)) as medium:
            checked = check_run(medium, key, asked.noted)
    except (NoRun, ExhibitError) as exc:
        return refused(str(exc), as_json=asked.as_json)
    if asked.as_json:
        sys.stdout.write(msgspec.json.encode(as_data(checked)).decode() + "\n")
    else:
        lines = [*_facts(checked, time.perf_counter() - began), *_trusted(settings, asked, key), *verdict(checked)]
        sys.stdout.write("\n".join(lines) + "\n")
    return exit_code(checked)


def trusted_key(settings: Settings, given: Path | None) -> PublicKey | None:
    """The key that was given, or that of this machine where there is one. Raises NoRun where what was given is none."""
    if given is None:
        return known_key(settings)
    try:
        key = PublicKey.read(given.read_bytes())
    except OSError as exc:
        raise NoRun(f"the key {given} cannot be read: {exc.strerror or exc}") from exc
    if key is None:
        raise NoRun(f"{given} is no public key: it is to be Ed25519, as PEM (`exhibit key` prints one)")
    return key


def refused(words: str, *, as_json: bool) -> int:
    if as_json:
        sys.stdout.write(msgspec.json.encode({"stands": False, "refused": words}).decode() + "\n")
    else:
        sys.stderr.write(f"exhibit: {printable(words)}\n")
    return exits.BAD_INPUT


def exit_code(checked: RunCheck) -> int:
    if checked.stands:
        return exits.OK
    return exits.BAD_INPUT if checked.whole else exits.NOT_ALL_DONE


def as_data(checked: RunCheck) -> dict[str, Any]:
    made = checked.made
    return {
        "place": printable(checked.place),
        "run_id": checked.run_id,
        "stands": checked.stands,
        "signed": checked.signed,
        "fingerprint": checked.seal.fingerprint if checked.seal is not None else "",
        "manifest_sha256": checked.manifest_sha256,
        "round": made.round if made is not None else None,
        "sealed_at": made.sealed_at if made is not None else None,
        "software": made.software if made is not None else "",
        "population": made.population if made is not None else None,
        "files": checked.files,
        "size_bytes": checked.size_bytes,
        "problems": [
            {"path": printable(p.path), "code": p.code, "message": printable(p.message)} for p in checked.problems
        ],
        "notes": checked.notes,
    }


def verdict(checked: RunCheck) -> list[str]:
    """In words: what is wrong, all of it, or that nothing is."""
    if checked.problems:
        count = "1 problem" if len(checked.problems) == 1 else f"{len(checked.problems)} problems"
        return ["", f"NOT what was sealed: {count}", *(f"  {_line(problem)}" for problem in checked.problems)]
    if checked.stands:
        return ["", "OK: every file is what was sealed, none is missing and none was added"]
    assert checked.seal is not None
    return [
        "",
        "UNDECIDED: every file is what was sealed, but nobody has vouched for who sealed it.",
        "No key was given, and this machine has none of its own. Ask whoever sealed the run for the public key; it",
        f"has to have the fingerprint {printable(checked.seal.fingerprint)}",
        f"Then: exhibit verify {printable(checked.place)} --key FILE",
    ]


def _facts(checked: RunCheck, took_s: float) -> list[str]:
    made = checked.made
    if made is None:
        return [printable(f"{checked.place}")]
    of, megabytes = made.population, checked.size_bytes / 1e6
    found = f"{of.found} found = {of.done} done + {of.review} to review + {of.failed} failed + {of.excepted} excepted"
    lines = [
        f"{made.run_id}, round {made.round}, sealed {made.sealed_at:%Y-%m-%d %H:%M:%S} UTC by {made.software}",
        f"  place       {checked.place}",
        f"  signature   {TRUSTED[checked.signed]}: {checked.seal.fingerprint if checked.seal else '-'}",
        f"  manifest    {checked.manifest_sha256}",
        f"  population  {found}; {of.attempted} attempted",
        f"  files       {checked.files}, {megabytes:,.1f} MB, checked in {took_s:.1f} s",
    ]
    if not of.complete:
        lines.append(f"  CUT SHORT   there may be more samples: {of.note}")
    elif of.note:
        lines.append(f"  note        {of.note}")
    return [printable(line) for line in [*lines, *(f"  note        {note}" for note in checked.notes)]]


def _trusted(settings: Settings, asked: Verify, key: PublicKey | None) -> list[str]:
    """Where the key comes from: a folder that was handed over may hold one too, and be the folder one works in."""
    if key is None:
        return []
    place = (asked.key or key_path(settings)).absolute()
    words = "the key you gave" if asked.key is not None else "the key of this machine (--key names another)"
    return [printable(f"  trusted     {words}: {place}")]


def _line(problem: Finding) -> str:
    return printable(f"{problem.path}: {problem.message}" if problem.path else problem.message)
