"""Writes the workpaper of a run: a workbook, made of a template, with the same bytes for the same evidence."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportMissingModuleSource=false
# openpyxl has no types.

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import Any

from shared.evidence_format.export import EARLIEST, MODE
from shared.extras import need_extra
from shared.papers.paper import Paper
from shared.papers.workpaper.fill_template import FillCounts, TemplateRefused, check_sheet, fill_sheet

DEFAULT_TEMPLATE = Path(__file__).with_name("template.xlsx")
MOST_TEMPLATE_BYTES = 20_000_000
MOST_VALUES = 100_000
"""A workpaper of so many takes a gigabyte of memory, and a minute."""
_CORE = "docProps/core.xml"
_MAKER = "Exhibit"


@dataclass(frozen=True)
class Workpaper:
    """``data``: of the workbook. ``remarks``: what it lacks, for people; its cell `run.remarks` says the same."""

    data: bytes
    remarks: Sequence[str]


def make_workpaper(
    paper: Paper, link_of: Callable[[str], str], template: Path | None = None, lacking: Sequence[str] = ()
) -> Workpaper:
    """Return the workpaper of a run.

    Args:
        link_of: returns the target of a link for a path in the run's folder, relative to the workbook.
        template: a workbook with placeholders; None: the one that comes with Exhibit.
        lacking: what the files beside the workbook lack, which it tells too.

    Raises:
        TemplateRefused: the template is no workbook, or cannot be filled.
        PermanentError: the extra is not installed (``not_installed``).
    """
    book = _open_for(paper, template)
    counts = FillCounts()
    _each_sheet(book, lambda sheet: fill_sheet(sheet, paper, link_of, counts))
    remarks = [*lacking, *counts.remarks]
    for cell in counts.late:
        cell.value = " ".join(f"{one}." for one in remarks) or None
    at = paper.last_change.astimezone(UTC).replace(tzinfo=None, microsecond=0)
    about = book.properties
    about.title, about.creator, about.lastModifiedBy = f"Workpaper of {paper.run_id}", _MAKER, _MAKER
    about.subject, about.language, about.created, about.modified = paper.task_id, "en", at, at
    written = io.BytesIO()
    book.save(written)
    about.modified = at  # saving writes the present time into it
    return Workpaper(with_fixed_times(written.getvalue(), about), remarks)


def check_workpaper(paper: Paper, template: Path | None = None) -> None:
    """Raise what :func:`make_workpaper` raises of a run or a template that cannot be taken, before anything is made."""
    _each_sheet(_open_for(paper, template), check_sheet)


def _open_for(paper: Paper, template: Path | None) -> Any:
    need_extra("papers")
    values = sum(len(one.values) for one in paper.samples)
    if values > MOST_VALUES:
        message = f"{values:,} values, and a workpaper has {MOST_VALUES:,} at most; combined.xlsx and SQL have all"
        raise TemplateRefused(message)
    return _open_template(template or DEFAULT_TEMPLATE)


def _each_sheet(book: Any, do: Callable[[Any], None]) -> None:
    """Do something with each sheet. Raises TemplateRefused with what is wrong with all of them."""
    problems: list[str] = []
    for sheet in book.worksheets:
        try:
            do(sheet)
        except TemplateRefused as exc:
            problems.append(str(exc))
    if problems:
        raise TemplateRefused("; ".join(problems))


def _open_template(path: Path) -> Any:
    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        data = path.read_bytes()
    except OSError as exc:
        raise TemplateRefused(f"{path} cannot be read: {exc.strerror or exc}") from exc
    if len(data) > MOST_TEMPLATE_BYTES:
        raise TemplateRefused(f"{path} has more than {MOST_TEMPLATE_BYTES:,} bytes")
    try:
        return load_workbook(io.BytesIO(data))
    except (InvalidFileException, zipfile.BadZipFile, KeyError, ValueError, TypeError, SyntaxError, OSError) as exc:
        raise TemplateRefused(f"{path} is no workbook (.xlsx): {exc}") from exc


def with_fixed_times(data: bytes, about: Any) -> bytes:
    """Return a workbook without the times at which it was written. ``about``: its properties, with the times to
    tell."""
    from openpyxl.xml.functions import tostring

    core: bytes = tostring(about.to_tree())
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as read, zipfile.ZipFile(out, "w") as packed:
        for name in sorted(read.namelist()):
            member = zipfile.ZipInfo(name, EARLIEST)
            member.compress_type, member.create_system, member.external_attr = zipfile.ZIP_DEFLATED, 3, MODE
            packed.writestr(member, core if name == _CORE else read.read(name))
    return out.getvalue()
