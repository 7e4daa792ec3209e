"""`exhibit export`: write a run to one file, to hand it over or to file it: a zip of all, or a paper."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from services.console import exits
from services.console.commands.export.papers import PAPERS, PaperOptions, WrittenFile, beside_paper, write_paper
from services.console.commands.verify import load_authority, load_trusted_key, to_json_object, verdict_lines
from services.console.options import AsJson, EvidenceOfRun, RunOrZip, TrustedKey, TsaCertificate, load_settings
from services.console.outcomes import CommandOutcome, CommandResult, RunRefused
from services.console.run_location import find_run
from services.console.terminal.plain_output import print_err
from shared.errors import ExhibitError
from shared.evidence_format.export import ChangedMeanwhile, write_zip
from shared.evidence_format.sources.opening import open_source
from shared.evidence_format.sources.source import NoRun, RunSource, Unreadable
from shared.evidence_format.verify.verify_run import RunCheck, check_run
from shared.text.normal import printable

ExportFormat = Literal["zip", "workpaper", "pdf", "oscal"]
NAMES: dict[ExportFormat, str] = {
    "zip": "{run}.zip",
    "workpaper": "{run}_workpaper.xlsx",
    "pdf": "{run}_pack.pdf",
    "oscal": "{run}_oscal.json",
}


def export(
    run: RunOrZip,
    out: Annotated[Path | None, typer.Option(help="The file; else one in this folder that has the run's name.")] = None,
    form: Annotated[
        ExportFormat,
        typer.Option(
            "--format",
            help="zip: all of the run, to be verified elsewhere. workpaper: a workbook that leads to the evidence. "
            "pdf: a page a sample, with its pictures. oscal: assessment results for programs.",
        ),
    ] = "zip",
    template: Annotated[
        Path | None, typer.Option(help="With workpaper: a workbook with placeholders that it is made of.")
    ] = None,
    fonts: Annotated[
        Path | None, typer.Option(help="With pdf: a folder with fonts, for scripts that it cannot show else.")
    ] = None,
    key: TrustedKey = None,
    tsa_certificate: TsaCertificate = None,
    broken: Annotated[bool, typer.Option("--broken", help="Also when it is not what was sealed.")] = False,
    evidence: EvidenceOfRun = None,
    as_json: AsJson = False,
) -> CommandOutcome | int:
    """Make one file of a run, to be handed over or filed: a zip, or a paper. It is checked on the way."""
    settings = load_settings(None, evidence)
    try:
        for option, given, of in (("--template", template, "workpaper"), ("--fonts", fonts, "pdf")):
            if given is not None and form != of:
                raise NoRun(f"{option} belongs to --format {of}, and not to {form}")
        place = find_run(settings, run)
        with open_source(settings, place) as medium:
            checked = check_run(
                medium,
                load_trusted_key(settings, key),
                given=key is not None,
                authority=load_authority(settings, tsa_certificate),
            )
            path = _check_out(out, form, checked, medium)
            written = None
            if checked.whole or broken:
                options = PaperOptions(
                    run_folder=place if isinstance(place, Path) else None, template=template, fonts=fonts
                )
                written = _write(form, medium, checked, path, options)
    except (NoRun, ExhibitError) as exc:
        return RunRefused(str(exc))
    except (ChangedMeanwhile, Unreadable, OSError, UnicodeError) as exc:  # a file name that is not valid text
        print_err(f"exhibit: nothing was exported: {printable(str(exc))}\n")
        return exits.NOT_ALL_DONE
    return _exported(checked, written)


def _write(form: ExportFormat, medium: RunSource, checked: RunCheck, path: Path, options: PaperOptions) -> WrittenFile:
    if form in PAPERS:
        return write_paper(form, medium, checked, path, options)
    files = write_zip(medium, checked, path)
    return WrittenFile(path, [f"{path}: {files} files of {checked.run_id}"], {"exported_files": files})


def _check_out(given: Path | None, form: ExportFormat, checked: RunCheck, medium: RunSource) -> Path:
    """Return the path of the file. Raises NoRun when it cannot be written there."""
    out = given or Path(NAMES[form].format(run=checked.run_id or Path(medium.place).name))
    if out.exists():
        raise NoRun(f"{out} is there already: name another with --out, or remove it")
    beside = beside_paper(out)
    if form == "workpaper" and (beside.exists() or beside.is_symlink()):
        raise NoRun(f"{beside}, where its crops belong, is there already: name another with --out, or remove it")
    if not out.parent.is_dir():
        raise NoRun(f"there is no folder {out.parent}")
    if out.resolve().is_relative_to(Path(medium.place).resolve()):
        raise NoRun(f"{out} is inside of the evidence itself: name another place with --out")
    return out


def _exported(checked: RunCheck, written: WrittenFile | None) -> CommandResult:
    lines = list(written.lines) if written is not None else []
    if checked.problems:
        lines += verdict_lines(checked)
        lines.append(
            "exported all the same, as it is" if written else "nothing was exported; --broken exports it as it is"
        )
    elif checked.seal is not None:
        lines.append(f"Verify it with the public key of {checked.seal.fingerprint} (`exhibit key`)")
    told = {
        **to_json_object(checked),
        "exported_to": None if written is None else str(written.path),
        "exported_files": 0,
        **(written.told if written is not None else {}),
    }
    return CommandResult(lines, told, exits.OK if checked.whole else exits.NOT_ALL_DONE)
