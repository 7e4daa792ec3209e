"""Writes a run as a paper: a workpaper, a PDF pack or OSCAL."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shared.evidence_format.sources.source import NoRun, RunSource
from shared.evidence_format.verify.verify_run import RunCheck
from shared.papers.paper import Paper
from shared.papers.read_paper import CheckedFiles, read_paper
from shared.whole_files import new_folder, replace_file


@dataclass(frozen=True)
class PaperOptions:
    """``run_folder``: the folder or zip of the run; None: it is in a bucket. ``template``: of a workpaper. ``fonts``:
    a folder with further fonts for a PDF pack."""

    run_folder: Path | None = None
    template: Path | None = None
    fonts: Path | None = None


@dataclass(frozen=True)
class PaperWork:
    """A paper to be made. ``files``: of its run. ``beside``: a new folder, for files that it leads to."""

    paper: Paper
    files: CheckedFiles
    path: Path
    options: PaperOptions
    beside: Path


@dataclass(frozen=True)
class WrittenFile:
    """A file that was exported. ``lines``: what people are told; ``told``: the same as keys of ``--json``."""

    path: Path
    lines: Sequence[str]
    told: Mapping[str, Any]


def write_paper(form: str, medium: RunSource, checked: RunCheck, path: Path, options: PaperOptions) -> WrittenFile:
    """Write a paper of a run that was checked, and the folder of files that it leads to. On an error none is left.

    Raises:
        NoRun: the run cannot be read, or no such paper can be made of it: the message says why.
        ChangedMeanwhile: a file changed after the run was checked.
        Unreadable, OSError: a file cannot be read or written.
        PermanentError: the extra is not installed (``not_installed``).
    """
    paper = read_paper(medium, checked)
    with new_folder(beside_paper(path)) as beside:
        data, remarks = PAPERS[form](PaperWork(paper, CheckedFiles(medium, checked), path, options, beside.path))
        with replace_file(path) as file:
            file.write(data)
            beside.put_in_place()
    samples, exceptions = len(paper.samples), len(paper.exceptions)
    lines = [f"{path}: {samples} samples and {exceptions} exceptions of {paper.run_id}", *remarks]
    return WrittenFile(path, lines, {"samples": samples, "exceptions": exceptions, "remarks": list(remarks)})


def beside_paper(path: Path) -> Path:
    """Return the folder of the files that a paper at ``path`` leads to: its crops."""
    return path.with_name(f"{path.stem}_crops")


def _workpaper(work: PaperWork) -> tuple[bytes, list[str]]:
    from shared.papers.pictures.value_crops import write_crops
    from shared.papers.workpaper.fill_template import TemplateRefused
    from shared.papers.workpaper.write_workpaper import check_workpaper, make_workpaper

    base = link_base(work.paper.run_id, work.path, work.options.run_folder)
    folder = beside_paper(work.path).name
    try:
        check_workpaper(work.paper, work.options.template)
        cropped = write_crops(work.paper, work.files.read, work.beside, folder)
        counts = cropped.counts
        made = make_workpaper(
            cropped.paper, lambda file: f"{base}/{file}", work.options.template, lacking=counts.remarks
        )
    except TemplateRefused as exc:
        raise NoRun(f"the template cannot be filled: {exc}") from exc
    remarks = [f"its links lead to {base}/: keep it beside the evidence"]
    if counts.files:
        remarks.append(
            f"{folder}/: crops of {counts.files:,} values, {counts.size_bytes / 1e6:,.1f} MB: keep both together"
        )
    return made.data, [*remarks, *made.remarks]


def _pdf(work: PaperWork) -> tuple[bytes, list[str]]:
    from shared.papers.pdf_pack.glyphs import NoFont
    from shared.papers.pdf_pack.make_pack import PackRefused, make_pack

    try:
        made = make_pack(work.paper, work.files.read, work.options.fonts)
    except NoFont as exc:
        raise NoRun(f"the fonts cannot be used: {exc}") from exc
    except PackRefused as exc:
        raise NoRun(str(exc)) from exc
    if not made.lacking:
        return made.data, []
    told = f"{made.lacking} characters stand as their codes, which its cover says: --fonts DIR names further fonts"
    return made.data, [told]


def _oscal(work: PaperWork) -> tuple[bytes, list[str]]:
    from shared.papers.oscal import assessment_results

    base = link_base(work.paper.run_id, work.path, work.options.run_folder)
    return assessment_results(work.paper, lambda file: f"{base}/{file}"), [f"its links lead to {base}/"]


def link_base(run_id: str, path: Path, folder: Path | None) -> str:
    """Return the way from a file to the folder of the run, with ``/``. For a run in a zip or a bucket: the folder as it
    is once it was unpacked or fetched to where the file is."""
    if folder is None or not folder.is_dir():
        return run_id
    try:
        return Path(os.path.relpath(folder.resolve(), path.resolve().parent)).as_posix()
    except ValueError:  # another drive
        return run_id


PAPERS: Mapping[str, Callable[[PaperWork], tuple[bytes, list[str]]]] = {
    "workpaper": _workpaper,
    "pdf": _pdf,
    "oscal": _oscal,
}
"""What makes the bytes of each kind of paper, with remarks for people."""
