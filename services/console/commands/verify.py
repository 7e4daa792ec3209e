"""`exhibit verify`: check that evidence is what was sealed, and by whom. Needs no bus, browser or service."""

from __future__ import annotations

import time
from pathlib import Path
from textwrap import wrap
from typing import Annotated, Any

import typer

from services.console import exits
from services.console.options import AsJson, EvidenceOfRun, RunOrZip, TrustedKey, TsaCertificate, load_settings
from services.console.outcomes import CommandOutcome, CommandResult, RunRefused
from services.console.run_location import find_run
from services.console.text.seal_words import SIGNATURE_TEXTS, population_text, verdict_of, verdict_text
from shared.errors import ExhibitError
from shared.evidence_format.seals.timestamp import TimestampAuthority
from shared.evidence_format.seals.transparency import BadList, SealList
from shared.evidence_format.signing import NamedKey, PublicKey, key_path, load_known_key
from shared.evidence_format.sources.opening import open_source
from shared.evidence_format.sources.source import Finding, NoRun
from shared.evidence_format.verify.verify_run import RunCheck, check_run
from shared.extras import need_extra
from shared.settings import Settings
from shared.text.normal import printable


def verify(
    run: RunOrZip,
    key: TrustedKey = None,
    manifest: Annotated[str, typer.Option(help="The hash that the run's manifest was noted to have.")] = "",
    tsa_certificate: TsaCertificate = None,
    seals: Annotated[Path | None, typer.Option(help="A list of `exhibit seals` that its seals must be in.")] = None,
    evidence: EvidenceOfRun = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Check that a run is what was sealed: every byte, nothing missing, nothing added. Names every problem."""
    settings = load_settings(None, evidence)
    started_s = time.perf_counter()
    try:
        trusted, authority = load_trusted_key(settings, key), load_authority(settings, tsa_certificate)
        listed = load_seal_list(seals) if seals is not None else None
        with open_source(settings, find_run(settings, run)) as medium:
            checked = check_run(medium, trusted, manifest, given=key is not None, authority=authority, listed=listed)
    except (NoRun, ExhibitError) as exc:
        return RunRefused(str(exc))
    lines = [
        *_fact_lines(checked, time.perf_counter() - started_s),
        *_trusted_key_lines(settings, trusted, key),
        *verdict_lines(checked),
    ]
    return CommandResult(lines, to_json_object(checked), exit_code(checked))


def load_trusted_key(settings: Settings, given: str | None) -> PublicKey | NamedKey | None:
    """Return the given key, or that of this user if there is one. Raises NoRun when what is given is no key."""
    if given is None:
        return load_known_key(settings)
    if (named := NamedKey.parse(given)) is not None:
        return named
    try:
        key = PublicKey.parse(Path(given).read_bytes())
    except OSError as exc:
        raise NoRun(
            f"the key {given} cannot be read: {exc.strerror or exc}; --key takes a file, or a fingerprint of 64 digits"
        ) from exc
    if key is None:
        raise NoRun(f"{given} is no public key: it is to be Ed25519, as PEM (`exhibit key` of the sender prints it)")
    return key


def load_authority(settings: Settings, given: Path | None) -> TimestampAuthority | None:
    """Return the time-stamping authority that is believed; None where neither the command nor the settings name one.
    Raises NoRun when the file cannot be read, and PermanentError when it holds no root, or its extra is missing."""
    path = given or settings.tsa_certificate
    if path is None:
        return None
    need_extra("tsa")
    try:
        pem = path.read_bytes()
    except OSError as exc:
        raise NoRun(f"the certificates {path} cannot be read: {exc.strerror or exc}") from exc
    return TimestampAuthority.parse(pem, str(path))


def load_seal_list(path: Path) -> SealList:
    """Return a list of seals that is whole. Raises NoRun for any other file."""
    try:
        return SealList.parse(path.read_bytes())
    except OSError as exc:
        raise NoRun(f"the list of seals {path} cannot be read: {exc.strerror or exc}") from exc
    except BadList as exc:
        raise NoRun(f"the list of seals {path} is not as it was written: {exc}") from exc


def exit_code(checked: RunCheck) -> int:
    """Return 0 for the sealed run, 1 for a changed one, 2 when the signing key is not known."""
    if checked.stands:
        return exits.OK
    return exits.BAD_INPUT if checked.whole else exits.NOT_ALL_DONE


def to_json_object(checked: RunCheck) -> dict[str, Any]:
    """Return the result for --json."""
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
        "timestamps": [
            {"round": number, "at": one.at, "by": printable(one.by), "policy": one.policy, "checked": one.checked}
            for number, one in checked.timestamps.items()
        ],
        "notes": checked.notes,
    }


def verdict_lines(checked: RunCheck) -> list[str]:
    """Return the lines that name every problem, or say that there is none."""
    problems = len(checked.problems)
    verdict = verdict_of(problems, stands=checked.stands)
    told = f"{verdict}: {verdict_text(problems, stands=checked.stands)}"
    if verdict != "UNDECIDED":
        return ["", told, *(f"  {_problem_line(problem)}" for problem in checked.problems)]
    assert checked.seal is not None
    return [
        "",
        *wrap(
            f"{told}. Ask who sent the run for the fingerprint of their key (`exhibit key`), by another way than the "
            f"run has come. If it is {printable(checked.seal.fingerprint)}:",
            width=114,
            break_long_words=False,
        ),
        f"exhibit verify {printable(checked.place)} --key FINGERPRINT",
    ]


def _fact_lines(checked: RunCheck, took_s: float) -> list[str]:
    made = checked.made
    if made is None:
        return [printable(f"{checked.place}")]
    of, megabytes = made.population, checked.size_bytes / 1e6
    found = population_text(of.found, of.done, of.review, of.failed, of.excepted, of.attempted)
    lines = [
        f"{made.run_id}, round {made.round}, sealed {made.sealed_at:%Y-%m-%d %H:%M:%S} UTC by {made.software}",
        f"  place       {checked.place}",
        f"  signature   {SIGNATURE_TEXTS[checked.signed]}: {checked.seal.fingerprint if checked.seal else '-'}",
        f"  manifest    {checked.manifest_sha256}",
        f"  population  {found}",
        f"  files       {checked.files}, {megabytes:,.1f} MB, checked in {took_s:.1f} s",
    ]
    if not of.complete:
        lines.append(f"  CUT SHORT   there may be more samples: {of.note}")
    elif of.note:
        lines.append(f"  note        {of.note}")
    return [printable(line) for line in [*lines, *(f"  note        {note}" for note in checked.notes)]]


def _trusted_key_lines(settings: Settings, trusted: PublicKey | NamedKey | None, given: str | None) -> list[str]:
    """Return where the trusted key comes from, because a folder that was handed over may contain a key, too."""
    if trusted is None:
        return []
    if given is None:
        return [printable(f"  your key    {trusted.fingerprint}, in {key_path(settings).absolute()}")]
    where = "by its fingerprint" if isinstance(trusted, NamedKey) else f"in {Path(given).absolute()}"
    return [printable(f"  trusted     the key that you gave {where}")]


def _problem_line(problem: Finding) -> str:
    return printable(f"{problem.path}: {problem.message}" if problem.path else problem.message)
