"""`exhibit seals`: the list of all seals of a folder or bucket, to be published."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from services.console import exits
from services.console.options import AsJson, Evidence, load_settings
from services.console.outcomes import CommandOutcome, CommandResult, ErrorLine, RunRefused
from services.console.run_location import runs_to_read
from shared.errors import ExhibitError
from shared.evidence_format.seals.listed import read_seals
from shared.evidence_format.seals.transparency import BadList, Grown, SealList, grow
from shared.text.normal import printable


def seals(
    out: Annotated[
        Path | None, typer.Option(help="The list: what is new is added at its end. Without: all, on standard output.")
    ] = None,
    evidence: Evidence = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """List all seals of a folder or bucket as a chain of hashes, to be published; it is only ever added to."""
    settings = load_settings(None, evidence)
    try:
        written = out.read_bytes() if out is not None and out.exists() else b""
        listed = SealList.parse(written)
        grown = grow(listed, [one for read in runs_to_read(settings) for one in read_seals(read)])
        if out is not None and grown.lines:
            _append(out, grown.lines)
    except BadList as exc:
        return RunRefused(f"{out} is not as it was written, and nothing was added: {exc}")
    except OSError as exc:
        return RunRefused(f"the list or a seal cannot be read or written: {exc}")
    except ExhibitError as exc:
        return RunRefused(str(exc))
    return _told(out, listed, grown)


def _append(out: Path, lines: bytes) -> None:
    """Add the lines, durably. A process that dies within it leaves a line that is cut off, which is told."""
    with out.open("ab") as file:
        file.write(lines)
        file.flush()
        os.fsync(file.fileno())


def _told(out: Path | None, listed: SealList, grown: Grown) -> CommandResult:
    lines = [] if out is not None else grown.lines.decode().splitlines()
    if out is not None:
        lines.append(printable(f"{out}: {len(listed.seals) + len(grown.added)} seals, {len(grown.added)} of them new"))
    wrong = [ErrorLine(f"exhibit: {printable(one)}") for one in grown.problems]
    data = {"seals": len(listed.seals) + len(grown.added), "added": grown.added, "problems": grown.problems}
    return CommandResult([*lines, *wrong], data, exits.NOT_ALL_DONE if wrong else exits.OK)
