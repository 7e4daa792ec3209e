"""Write the template that workpapers are made of unless another is given.

python -m scripts.write_workpaper_template [FILE]
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportMissingModuleSource=false
# openpyxl has no types.

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from openpyxl import Workbook
from openpyxl.styles import Alignment, Border, Color, Font, PatternFill, Side
from openpyxl.utils import get_column_letter

from shared.papers.workpaper.write_workpaper import DEFAULT_TEMPLATE, with_fixed_times

INK, MUTED, LINK, ACCENT = "1B2733", "5B6B7B", "1A5FB4", "17415F"
HEAD, BAND, OPEN = (PatternFill("solid", fgColor=Color(colour)) for colour in ("FFE7EEF4", f"FF{ACCENT}", "FFFBF6E3"))
"""Of heads, of the title, and of what a person fills in."""
LINE = Border(bottom=Side("thin", color="D5DDE5"))
EDGE = Side("thin", color="B8C4CF")
BOX = Border(left=EDGE, right=EDGE, top=EDGE, bottom=EDGE)
MOMENT = "yyyy-mm-dd hh:mm:ss"
TOP = Alignment(vertical="top", wrap_text=True)
BEGAN = datetime(2026, 1, 1)
HOW_TO_OPEN = (
    "Stored pages (.mhtml.zst): `exhibit web` shows them below the values of their sample; or unpack one with "
    "`zstd -d` and open the .mhtml in a browser of the family of Chrome"
)


def font(size: float = 10, color: str = INK, **more: Any) -> Font:
    return Font(name="Calibri", size=size, color=color, **more)


def titled(sheet: Any, title: str, about: str, widths: Sequence[float]) -> None:
    """Write the head of a sheet in rows 1 to 3, and set it up for printing."""
    for at, width in enumerate(widths, 1):
        sheet.column_dimensions[get_column_letter(at)].width = width
    for column in range(1, len(widths) + 1):
        sheet.cell(1, column).fill = BAND
    put(sheet, 1, 1, title, font(15, "FFFFFF", bold=True), fill=BAND, alignment=Alignment(vertical="center"))
    sheet.row_dimensions[1].height = 30
    put(sheet, 2, 1, about, font(9, MUTED), alignment=Alignment(vertical="center"))
    put(sheet, 3, 1, "{{run.id}}   ·   {{run.verdict}}", font(9, MUTED), alignment=Alignment(vertical="center"))
    sheet.sheet_view.showGridLines = False
    sheet.page_setup.orientation, sheet.page_setup.paperSize = "landscape", 9
    sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight = 1, 0
    sheet.sheet_properties.pageSetUpPr.fitToPage = True
    sheet.oddFooter.left.text, sheet.oddFooter.right.text = title, "&P / &N"
    sheet.print_options.horizontalCentered = False


def put(sheet: Any, row: int, column: int, value: Any, font_: Font | None = None, **style: Any) -> None:
    cell = sheet.cell(row, column, value)
    cell.font = font_ or font()
    for name, given in {"alignment": TOP, **style}.items():
        setattr(cell, name, given)


def table(sheet: Any, row: int, columns: Sequence[tuple[str, str, str]], *, filtered: bool = True) -> None:
    """Write a header and the row that is repeated below it. A column: heading, placeholder, kind (text, link, code,
    moment, number)."""
    for at, (heading, placeholder, kind) in enumerate(columns, 1):
        put(sheet, row, at, heading, font(bold=True), fill=HEAD, border=LINE)
        style: dict[str, Any] = {"border": LINE}
        look = font(color=LINK, underline="single") if kind == "link" else font()
        if kind == "code":
            look = Font(name="Consolas", size=9, color=MUTED)
        if kind == "mark":
            look, style["alignment"] = font(color=LINK, bold=True), Alignment(horizontal="center", vertical="top")
        if kind == "moment":
            style["number_format"] = MOMENT
        put(sheet, row + 1, at, placeholder, look, **style)
    if filtered:
        sheet.auto_filter.ref = f"A{row}:{get_column_letter(len(columns))}{row + 1}"
        sheet.print_title_rows = f"{row}:{row}"
        sheet.freeze_panes = sheet.cell(row + 1, 2)


def pairs(
    sheet: Any, row: int, heading: str, lines: Sequence[tuple[str, str]], kinds: dict[str, str] | None = None
) -> int:
    """Write facts under each other, and return the row after them."""
    put(sheet, row, 1, heading, font(11, ACCENT, bold=True), border=LINE)
    for column in range(2, 5):
        sheet.cell(row, column).border = LINE
    for at, (name, placeholder) in enumerate(lines, row + 1):
        put(sheet, at, 1, name, font(color=MUTED))
        kind = (kinds or {}).get(name, "text")
        style: dict[str, Any] = {"number_format": MOMENT} if kind == "moment" else {}
        look = font(color=LINK, underline="single") if kind == "link" else font(bold=kind == "strong")
        put(sheet, at, 2, placeholder, look, alignment=Alignment("left", "top", wrap_text=True), **style)
        sheet.merge_cells(start_row=at, start_column=2, end_row=at, end_column=4)
    return row + len(lines) + 2


def cover(sheet: Any) -> None:
    titled(sheet, "Workpaper", "What was tested, of which population, and how it came out", (26, 52, 26, 26))
    put(sheet, 4, 1, "{{run.remarks}}", font(9, "8A4B00"), alignment=Alignment(vertical="center"))
    row = pairs(
        sheet,
        5,
        "Test",
        [
            ("Control", "{{run.controls}}"),
            ("Attribute", "{{run.attribute}}"),
            ("Task", "{{run.task}}"),
            ("Period of collection", "{{run.period}}"),
            ("Period of review", "{{review.period}}"),
            ("Sealed (UTC)", "{{seal.sealed_at}}"),
            ("Requested by", "{{run.requested_by}}"),
            ("Review", "{{review.state}}"),
            ("Decided", "{{review.decided}}"),
            ("Evidence", "{{run.verdict}}"),
        ],
        {"Control": "strong", "Evidence": "strong", "Sealed (UTC)": "moment"},
    )
    row = pairs(
        sheet,
        row,
        "Population",
        [
            ("Source", "{{population.source}}"),
            ("Complete", "{{population.headline}}"),
            ("Why not complete", "{{population.why_not}}"),
            ("Samples found", "{{population.found}}"),
            ("Done", "{{population.done}}"),
            ("For review", "{{population.review_told}}"),
            ("Failed", "{{population.failed_told}}"),
            ("Stopped by a login", "{{population.excepted_told}}"),
            ("Open exceptions", "{{population.open_exceptions}}"),
        ],
        {"Complete": "strong"},
    )
    row = pairs(
        sheet,
        row,
        "Sample",
        [
            ("Method", "{{population.method}}"),
            ("Drawn for re-performance", "{{draw.method}}"),
            ("Seed", "{{draw.seed}}"),
        ],
    )
    put(sheet, row, 1, "Outcomes", font(11, ACCENT, bold=True), border=LINE)
    for at, name in enumerate(("Status", "Reason", "Samples", "Decided"), 1):
        put(sheet, row + 1, at, name, font(bold=True), fill=HEAD, border=LINE)
    for at, name in enumerate(("status", "reason", "samples", "decided"), 1):
        put(sheet, row + 2, at, f"{{{{outcome.{name}}}}}", border=LINE)
    put(sheet, row + 4, 1, "Conclusion", font(11, ACCENT, bold=True), border=LINE)
    put(sheet, row + 5, 1, None, fill=OPEN, border=BOX)
    sheet.merge_cells(start_row=row + 5, start_column=1, end_row=row + 5, end_column=4)
    sheet.row_dimensions[row + 5].height = 60


def attributes(sheet: Any) -> None:
    titled(
        sheet,
        "Attributes",
        "One row a sample, which leads to its page of the report. A value leads to its picture, with a box around it, "
        "or to the file that a person has named for it; a tickmark to the stored page",
        (7, 20, 16, 26, 6, 22, 18, 28, 40),
    )
    columns = [
        ("Row", "{{sample.row}}", "number"),
        ("Sample", "{{sample.id}}", "link"),
        ("Status", "{{sample.status}}", "text"),
        ("{{field.name}}", "{{field.value}}", "link"),
        ("", "{{field.mark}}", "mark"),
        ("Answer", "{{sample.answer}}", "link"),
        ("Decision", "{{sample.decision}}", "text"),
        ("Decided by", "{{sample.decided_by}}", "text"),
        ("Remarks", "{{sample.remarks}}", "text"),
    ]
    table(sheet, 5, columns)
    put(sheet, 4, 1, HOW_TO_OPEN, font(9, MUTED), alignment=Alignment(vertical="center"))
    put(sheet, 5, 5, "{{field.heading_of_mark}}", font(9, MUTED), fill=HEAD, border=LINE)
    sheet.freeze_panes = "C6"
    put(sheet, 8, 1, "Tickmarks", font(11, ACCENT, bold=True))
    put(sheet, 9, 1, "{{mark.code}}", font(bold=True), alignment=Alignment("center", "top"))
    put(sheet, 9, 2, "{{mark.meaning}}", alignment=Alignment(vertical="top"))


def values(sheet: Any) -> None:
    widths = (20, 20, 28, 6, 26, 26, 16, 28, 30, 26, 12, 34, 26, 34, 20, 20, 20)
    titled(
        sheet,
        "Values",
        "One row a value: the value that counts, what was read, where it stands, and what people have decided of it",
        widths,
    )
    columns = [
        ("Sample", "{{value.sample}}", "link"),
        ("Field", "{{value.field}}", "text"),
        ("Value", "{{value.value}}", "link"),
        ("Mark", "{{value.mark}}", "text"),
        ("As it was read", "{{value.read}}", "text"),
        ("As the page shows it", "{{value.shown}}", "text"),
        ("Decision", "{{value.decision}}", "text"),
        ("Decided by", "{{value.decided_by}}", "text"),
        ("Reason", "{{value.decision_reason}}", "text"),
        ("Where it stands, as decided", "{{value.where}}", "link"),
        ("Read by", "{{value.read_by}}", "text"),
        ("Address", "{{value.url}}", "text"),
        ("Picture", "{{value.picture}}", "link"),
        ("Box on the page", "{{value.box}}", "text"),
        ("Stored page", "{{value.page}}", "link"),
        ("SHA-256 of the picture", "{{value.picture_sha256}}", "code"),
        ("SHA-256 of the page", "{{value.page_sha256}}", "code"),
    ]
    table(sheet, 5, columns)
    put(sheet, 4, 1, HOW_TO_OPEN, font(9, MUTED), alignment=Alignment(vertical="center"))
    sheet.freeze_panes = "C6"


def exceptions(sheet: Any) -> None:
    titled(
        sheet,
        "Exceptions",
        "All that a reader has to know or decide, and what was decided",
        (14, 20, 22, 20, 60, 18, 24, 36, 28, 36),
    )
    columns = [
        ("Of", "{{exception.kind}}", "text"),
        ("Sample", "{{exception.sample}}", "text"),
        ("Field or record", "{{exception.where}}", "text"),
        ("Code", "{{exception.code}}", "text"),
        ("What", "{{exception.told}}", "text"),
        ("Decision", "{{exception.decision}}", "text"),
        ("Reviewed value", "{{exception.reviewed_value}}", "text"),
        ("Reason", "{{exception.decision_reason}}", "text"),
        ("Decided by", "{{exception.decided_by}}", "text"),
        ("Follow-up", "", "text"),
    ]
    table(sheet, 5, columns)
    put(sheet, 6, 10, None, fill=OPEN, border=BOX)


def comments(sheet: Any) -> None:
    titled(sheet, "Comments", "What people have said of the run, its samples and its values", (34, 24, 70, 20, 22))
    columns = [
        ("Sample", "{{comment.about}}", "text"),
        ("Field or record", "{{comment.where}}", "text"),
        ("Comment", "{{comment.text}}", "text"),
        ("By", "{{comment.by}}", "text"),
        ("When (UTC)", "{{comment.at}}", "moment"),
    ]
    table(sheet, 5, columns)


def sign_off(sheet: Any) -> None:
    titled(sheet, "Sign-off", "Who stands for it. Signatures are verified by `exhibit verify`", (28, 18, 24, 70))
    put(sheet, 5, 1, "Signed in the evidence", font(11, ACCENT, bold=True))
    table(
        sheet,
        6,
        [
            ("Name", "{{signature.name}}", "text"),
            ("Role", "{{signature.role}}", "text"),
            ("When (UTC)", "{{signature.at}}", "moment"),
            ("Fingerprint of the key", "{{signature.key}}", "code"),
        ],
        filtered=False,
    )
    put(sheet, 9, 1, "Timestamps of an authority (RFC 3161)", font(11, ACCENT, bold=True))
    table(
        sheet,
        10,
        [
            ("Authority", "{{stamp.by}}", "text"),
            ("Round of the seal", "{{stamp.round}}", "number"),
            ("When (UTC)", "{{stamp.at}}", "moment"),
            ("Check", "{{stamp.checked}}", "text"),
        ],
        filtered=False,
    )
    put(sheet, 13, 1, "Sign-off of this paper", font(11, ACCENT, bold=True))
    for at, name in enumerate(("Name", "Role", "Date", "Signature"), 1):
        put(sheet, 14, at, name, font(bold=True), fill=HEAD, border=LINE)
    for row, role in enumerate(("Prepared", "Reviewed", "Approved"), 15):
        for column in range(1, 5):
            put(sheet, row, column, role if column == 2 else None, fill=OPEN, border=BOX)
        sheet.row_dimensions[row].height = 26


def integrity(sheet: Any) -> None:
    titled(
        sheet,
        "Integrity",
        "What proves that the evidence is as it was sealed: run `exhibit verify` on its folder",
        (26, 74, 20, 20),
    )
    row = pairs(
        sheet,
        5,
        "Seal",
        [
            ("Run", "{{run.id}}"),
            ("SHA-256 of manifest.json", "{{seal.manifest_sha256}}"),
            ("Key that sealed it", "{{seal.fingerprint}}"),
            ("Sealed at (UTC)", "{{seal.sealed_at}}"),
            ("Round", "{{seal.round}}"),
            ("Files", "{{seal.files}}"),
            ("Sealed by", "{{seal.software}}"),
            ("This paper by", "{{run.software}}"),
            ("Remarks", "{{seal.notes}}"),
        ],
        {"SHA-256 of manifest.json": "link", "Key that sealed it": "link", "Sealed at (UTC)": "moment"},
    )
    put(sheet, row, 1, "Files of the run", font(11, ACCENT, bold=True))
    table(sheet, row + 1, [("File", "{{hash.path}}", "link"), ("SHA-256", "{{hash.sha256}}", "code")], filtered=False)
    put(sheet, row + 4, 1, "Folders of the samples", font(11, ACCENT, bold=True))
    table(
        sheet,
        row + 5,
        [("Sample", "{{sample.id}}", "text"), ("SHA-256 of its manifest.json", "{{sample.manifest_sha256}}", "link")],
        filtered=False,
    )


def main(out: Path) -> None:
    book = Workbook()
    sheets = {"Cover": cover, "Attributes": attributes, "Values": values, "Exceptions": exceptions}
    sheets |= {"Comments": comments, "Sign-off": sign_off, "Integrity": integrity}
    first = book.active
    for name, write in sheets.items():
        sheet = first if name == "Cover" and first is not None else book.create_sheet()
        sheet.title = name
        write(sheet)
    book.properties.creator, book.properties.created, book.properties.modified = "Exhibit", BEGAN, BEGAN
    written = io.BytesIO()
    book.save(written)
    book.properties.modified = BEGAN
    out.write_bytes(with_fixed_times(written.getvalue(), book.properties))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT_TEMPLATE)
