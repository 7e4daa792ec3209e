"""Workbooks written part by part, so that a test says of each cell what the file holds and what a person sees."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from shared.contracts.discovery import AS_IT_IS, Problem, ReadAs
from shared.tables.excel import open_workbook
from shared.tables.files import parse_table
from shared.tables.table import Table

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
STRICT = "http://purl.oclc.org/ooxml/spreadsheetml/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
FORMATS = ("General", "yyyy-mm-dd", "00000", '"INV-"0000', "0.00%", "#,##0.00", ";;;", "[h]:mm", '"INV-"@', "h:mm")
"""A cell names one by its place."""


@dataclass(frozen=True)
class Sheet:
    """``rows``: the XML of each cell, in order. ``after``: what follows the cells."""

    name: str
    rows: Sequence[Sequence[str]]
    state: str = "visible"
    hidden: frozenset[int] = frozenset()
    before: str = ""
    after: str = ""


def text(ref: str, value: str, style: int = 0) -> str:
    return f'<c r="{ref}" t="inlineStr" s="{style}"><is><t xml:space="preserve">{escape(value)}</t></is></c>'


def number(ref: str, value: object, style: int = 0) -> str:
    return f'<c r="{ref}" s="{style}"><v>{value}</v></c>'


def cell(ref: str, inner: str, kind: str = "n") -> str:
    return f'<c r="{ref}" t="{kind}">{inner}</c>'


def written(
    *sheets: Sheet, properties: str = "", calc: str = "", shared: str = "", space: str = MAIN, prefix: str = ""
) -> bytes:
    """Return an .xlsx file. ``prefix``: of the names of elements of its sheets, such as ``x:``."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_rels/.rels", _relations([("officeDocument", "xl/workbook.xml")]))
        parts = [("worksheet", f"worksheets/sheet{at}.xml") for at, _ in enumerate(sheets, 1)]
        others = [("styles", "styles.xml"), ("sharedStrings", "sharedStrings.xml")]
        archive.writestr("xl/_rels/workbook.xml.rels", _relations([*parts, *others]))
        listed = "".join(
            f'<sheet name={quoteattr(one.name)} sheetId="{at}" r:id="r{at}" state="{one.state}"/>'
            for at, one in enumerate(sheets, 1)
        )
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{space}" xmlns:r="{RELATIONS}"><workbookPr {properties}/>'
            f"<sheets>{listed}</sheets>{calc}</workbook>",
        )
        archive.writestr("xl/styles.xml", _styles(space))
        archive.writestr("xl/sharedStrings.xml", f'<sst xmlns="{space}">{shared}</sst>')
        for at, one in enumerate(sheets, 1):
            archive.writestr(f"xl/worksheets/sheet{at}.xml", _sheet(one, space, prefix))
    return file.getvalue()


def _sheet(sheet: Sheet, space: str, prefix: str) -> str:
    rows = "".join(
        f'<row r="{at}"{" hidden=" + chr(34) + "1" + chr(34) if at in sheet.hidden else ""}>{"".join(cells)}</row>'
        for at, cells in enumerate(sheet.rows, 1)
    )
    body = f"{sheet.before}<sheetData>{rows}</sheetData>{sheet.after}"
    named = f' xmlns:{prefix[:-1]}="{space}"' if prefix else f' xmlns="{space}"'
    if prefix:
        body = body.replace("</", "\0").replace("<", f"<{prefix}").replace("\0", f"</{prefix}")
    return f"<{prefix}worksheet{named}>{body}</{prefix}worksheet>"


def _styles(space: str) -> str:
    codes = "".join(f'<numFmt numFmtId="{164 + at}" formatCode={quoteattr(code)}/>' for at, code in enumerate(FORMATS))
    used = '<xf numFmtId="0"/>' + "".join(f'<xf numFmtId="{164 + at}"/>' for at in range(1, len(FORMATS)))
    return (
        f'<styleSheet xmlns="{space}"><numFmts>{codes}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>'
        f'<cellXfs>{used}</cellXfs><dxfs><dxf><numFmt numFmtId="166" formatCode="0"/></dxf></dxfs></styleSheet>'
    )


def _relations(parts: Sequence[tuple[str, str]]) -> str:
    listed = "".join(
        f'<Relationship Id="r{at}" Type="{RELATIONS}/{kind}" Target="{target}"/>'
        for at, (kind, target) in enumerate(parts, 1)
    )
    return f'<Relationships xmlns="{_PACKAGE}">{listed}</Relationships>'


def read(data: bytes, how: ReadAs = AS_IT_IS) -> tuple[Table | None, tuple[Problem, ...]]:
    return parse_table(data, "in.xlsx", open_workbook, how)
