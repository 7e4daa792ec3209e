"""`exhibit export`: one zip of a run, to be handed to somebody."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import msgspec

from services.console import exits
from services.console.commands.verify import as_data, refused, trusted_key, verdict
from services.console.run_location import place_of_run
from shared.errors import ExhibitError
from shared.evidence_format.export import ChangedMeanwhile, export
from shared.evidence_format.sources.base import Medium, NoRun, Unreadable
from shared.evidence_format.sources.opening import opened
from shared.evidence_format.verify.run import RunCheck, check_run
from shared.settings import Settings
from shared.text.terminal import printable


@dataclass(frozen=True)
class Export:
    """What was asked for on the command line."""

    run: str
    out: Path | None = None
    key: Path | None = None
    broken_too: bool = False
    as_json: bool = False


def export_run(settings: Settings, asked: Export) -> int:
    """Checks the run, packs it, says so, and returns the exit code. A run that is not what was sealed is packed only
    where that was asked for, and never without a word."""
    try:
        with opened(settings, place_of_run(settings, asked.run)) as medium:
            checked = check_run(medium, trusted_key(settings, asked.key))
            out = _out(asked, checked, medium)
            files = export(medium, checked, out) if checked.whole or asked.broken_too else 0
    except (NoRun, ExhibitError) as exc:
        return refused(str(exc), as_json=asked.as_json)
    except (ChangedMeanwhile, Unreadable, OSError, UnicodeError) as exc:  # a name that is no text fits in no zip
        sys.stderr.write(f"exhibit: nothing was exported: {printable(str(exc))}\n")
        return exits.NOT_ALL_DONE
    _say(checked, out if files else None, files, as_json=asked.as_json)
    return exits.OK if checked.whole else exits.NOT_ALL_DONE


def _out(asked: Export, checked: RunCheck, medium: Medium) -> Path:
    out = asked.out or Path(f"{checked.run_id or Path(medium.place).name}.zip")
    if out.exists():
        raise NoRun(f"{out} is there already: name another with --out, or remove it")
    if not out.parent.is_dir():
        raise NoRun(f"there is no folder {out.parent}")
    if out.resolve().is_relative_to(Path(medium.place).resolve()):
        raise NoRun(f"{out} would lie inside of the evidence itself: name another place with --out")
    return out


def _say(checked: RunCheck, out: Path | None, files: int, *, as_json: bool) -> None:
    if as_json:
        told = {**as_data(checked), "exported_to": str(out) if out is not None else None, "exported_files": files}
        sys.stdout.write(msgspec.json.encode(told).decode() + "\n")
        return
    lines = [f"{out}: {files} files of {checked.run_id}"] if out is not None else []
    if checked.problems:
        lines += verdict(checked)
        lines.append("exported all the same, as it is" if out else "nothing was exported; --broken exports it as it is")
    elif checked.seal is not None:
        lines.append(f"Whoever gets it checks it with the public key of {checked.seal.fingerprint} (`exhibit key`)")
    sys.stdout.write("\n".join(lines) + "\n")
