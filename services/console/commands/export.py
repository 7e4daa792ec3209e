"""`exhibit export`: write a run to one zip, to hand it over."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from services.console import exits
from services.console.commands.verify import load_authority, load_trusted_key, to_json_object, verdict_lines
from services.console.options import AsJson, EvidenceOfRun, RunOrZip, TrustedKey, load_settings
from services.console.outcomes import CommandOutcome, CommandResult, RunRefused
from services.console.run_location import find_run
from services.console.terminal.plain_output import print_err
from shared.errors import ExhibitError
from shared.evidence_format.export import ChangedMeanwhile, write_zip
from shared.evidence_format.sources.opening import open_source
from shared.evidence_format.sources.source import NoRun, RunSource, Unreadable
from shared.evidence_format.verify.verify_run import RunCheck, check_run
from shared.text.normal import printable


def export(
    run: RunOrZip,
    out: Annotated[Path | None, typer.Option(help="The zip; else RUN.zip in this folder.")] = None,
    key: TrustedKey = None,
    broken: Annotated[bool, typer.Option("--broken", help="Also when it is not what was sealed.")] = False,
    evidence: EvidenceOfRun = None,
    as_json: AsJson = False,
) -> CommandOutcome | int:
    """Make one zip of a run, to be handed over; it is checked on the way."""
    settings = load_settings(None, evidence)
    try:
        with open_source(settings, find_run(settings, run)) as medium:
            checked = check_run(
                medium,
                load_trusted_key(settings, key),
                given=key is not None,
                authority=load_authority(settings, None),
            )
            zip_path = _check_out(out, checked, medium)
            files = write_zip(medium, checked, zip_path) if checked.whole or broken else 0
    except (NoRun, ExhibitError) as exc:
        return RunRefused(str(exc))
    except (ChangedMeanwhile, Unreadable, OSError, UnicodeError) as exc:  # a file name that is not valid text
        print_err(f"exhibit: nothing was exported: {printable(str(exc))}\n")
        return exits.NOT_ALL_DONE
    return _exported(checked, zip_path if files else None, files)


def _check_out(given: Path | None, checked: RunCheck, medium: RunSource) -> Path:
    """Return the path of the zip. Raises NoRun when it cannot be written there."""
    out = given or Path(f"{checked.run_id or Path(medium.place).name}.zip")
    if out.exists():
        raise NoRun(f"{out} is there already: name another with --out, or remove it")
    if not out.parent.is_dir():
        raise NoRun(f"there is no folder {out.parent}")
    if out.resolve().is_relative_to(Path(medium.place).resolve()):
        raise NoRun(f"{out} is inside of the evidence itself: name another place with --out")
    return out


def _exported(checked: RunCheck, out: Path | None, files: int) -> CommandResult:
    lines = [f"{out}: {files} files of {checked.run_id}"] if out is not None else []
    if checked.problems:
        lines += verdict_lines(checked)
        lines.append("exported all the same, as it is" if out else "nothing was exported; --broken exports it as it is")
    elif checked.seal is not None:
        lines.append(f"Verify it with the public key of {checked.seal.fingerprint} (`exhibit key`)")
    told = {**to_json_object(checked), "exported_to": None if out is None else str(out), "exported_files": files}
    return CommandResult(lines, told, exits.OK if checked.whole else exits.NOT_ALL_DONE)
