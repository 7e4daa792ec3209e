"""Writes a run as a paper: a workpaper, a PDF pack or OSCAL."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shared.evidence_format.sources.source import NoRun, RunSource
from shared.evidence_format.verify.verify_run import RunCheck
from shared.papers.paper import Paper
from shared.papers.read_paper import CheckedFiles, read_paper


@dataclass(frozen=True)
class PaperOptions:
    """``run_folder``: the folder or zip of the run; None: it is in a bucket. ``template``: of a workpaper. ``fonts``:
    a folder with further fonts for a PDF pack."""

    run_folder: Path | None = None
    template: Path | None = None
    fonts: Path | None = None


@dataclass(frozen=True)
class PaperWork:
    """A paper to be made. ``files``: of its run."""

    paper: Paper
    files: CheckedFiles
    path: Path
    options: PaperOptions


@dataclass(frozen=True)
class WrittenFile:
    """A file that was exported. ``lines``: what people are told; ``told``: the same as keys of ``--json``."""

    path: Path
    lines: Sequence[str]
    told: Mapping[str, Any]


def write_paper(form: str, medium: RunSource, checked: RunCheck, path: Path, options: PaperOptions) -> WrittenFile:
    """Write a paper of a run that was checked. On an error no file is left.

    Raises:
        NoRun: the run cannot be read, or no such paper can be made of it: the message says why.
        ChangedMeanwhile: a file changed after the run was checked.
        Unreadable, OSError: a file cannot be read or written.
        PermanentError: the extra is not installed (``not_installed``).
    """
    paper = read_paper(medium, checked)
    data, remarks = PAPERS[form](PaperWork(paper, CheckedFiles(medium, checked), path, options))
    _write_whole(path, data)
    samples, exceptions = len(paper.samples), len(paper.exceptions)
    lines = [f"{path}: {samples} samples and {exceptions} exceptions of {paper.run_id}", *remarks]
    return WrittenFile(path, lines, {"samples": samples, "exceptions": exceptions, "remarks": list(remarks)})


def _workpaper(work: PaperWork) -> tuple[bytes, list[str]]:
    from shared.papers.workpaper.fill_template import TemplateRefused
    from shared.papers.workpaper.write_workpaper import make_workpaper

    base = link_base(work.paper.run_id, work.path, work.options.run_folder)
    try:
        made = make_workpaper(work.paper, lambda file: f"{base}/{file}", work.options.template)
    except TemplateRefused as exc:
        raise NoRun(f"the template cannot be filled: {exc}") from exc
    remarks = [f"its links lead to {base}/: keep it beside the evidence", *made.remarks]
    return made.data, remarks


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


def _write_whole(path: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.chmod(0o644)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


PAPERS: Mapping[str, Callable[[PaperWork], tuple[bytes, list[str]]]] = {
    "workpaper": _workpaper,
    "pdf": _pdf,
    "oscal": _oscal,
}
"""What makes the bytes of each kind of paper, with remarks for people."""
