"""The parts of an .xlsx file that its sheets refer to: the list of sheets, the shared texts, the number formats."""

from __future__ import annotations

import posixpath
import re
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from xml.parsers import expat

from shared.errors import InvalidMessage
from shared.tables.number_formats import BUILT_IN, UNKNOWN
from shared.tables.workbook import SheetHead

_MAIN = (
    "http://schemas.openxmlformats.org/spreadsheetml/2006/main ",
    "http://purl.oclc.org/ooxml/spreadsheetml/main ",
    "",
)
"""The namespaces of the elements of a workbook: transitional, strict, and left out."""
_ELEMENTS = (
    "c", "v", "f", "row", "is", "t", "rPh", "si", "sheetFormatPr", "col", "mergeCell", "filterColumn", "sheet",
    "workbookPr", "calcPr", "numFmts", "numFmt", "cellXfs", "xf",
)  # fmt: skip
NAMES = {f"{space}{element}": element for space in _MAIN for element in _ELEMENTS}
"""The elements that are read, by their names with namespaces. All others are passed over."""
_CHUNK = 1 << 18
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")

Attributes = dict[str, str]
OnStart = Callable[[str, Attributes], None]
OnEnd = Callable[[str], None]
OnText = Callable[[str], None]


def bad_workbook(why: object) -> InvalidMessage:
    return InvalidMessage(f"cannot be read as an Excel workbook: {why}", code="bad_workbook")


def parse_part(archive: zipfile.ZipFile, name: str, start: OnStart, end: OnEnd, text: OnText | None = None) -> None:
    """Parse a part by callbacks, which get names with their namespaces; see `NAMES`.

    Raises InvalidMessage for a part that is no XML, or has a document type, which no workbook has.
    """
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True

    def refuse(*_: object) -> None:
        raise bad_workbook(f"{name} has a document type")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.StartDoctypeDeclHandler = refuse
    if text is not None:
        parser.CharacterDataHandler = text
    try:
        with archive.open(name) as file:
            while chunk := file.read(_CHUNK):
                parser.Parse(chunk, False)
            parser.Parse(b"", True)
    except (expat.ExpatError, zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError) as exc:
        raise bad_workbook(f"{name}: {exc}") from exc


def unescaped(text: str) -> str:
    """Return a text without the escapes of characters that XML cannot hold: ``_x000D_`` is a carriage return."""
    if "_x" not in text:
        return text
    plain = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@dataclass(frozen=True)
class ListedSheet:
    head: SheetHead
    part: str


@dataclass(frozen=True)
class WorkbookPart:
    """``recomputed``: the workbook asks that formulas are computed anew when it is opened, so that the stored values
    are not those that a person would see. ``parts``: the other parts, by the last word of their kind."""

    sheets: tuple[ListedSheet, ...]
    parts: Mapping[str, str]
    since_1904: bool
    recomputed: bool


def find_workbook_part(archive: zipfile.ZipFile) -> str | None:
    """Return the name of the part that lists the sheets; None where this is no .xlsx file."""
    named = _relations(archive, "")
    found = next((part for kind, part in named.values() if kind == "officeDocument"), "xl/workbook.xml")
    found = _find(archive, found)
    return found if found is not None and found.lower().endswith(".xml") else None


def read_workbook_part(archive: zipfile.ZipFile, part: str) -> WorkbookPart:
    listed: list[tuple[str, str, str]] = []
    told: dict[str, bool] = {}

    def start(full: str, attributes: Attributes) -> None:
        name = NAMES.get(full)
        if name == "sheet":
            relation = next((value for key, value in attributes.items() if key.endswith("/relationships id")), "")
            listed.append((attributes.get("name", ""), attributes.get("state", "visible"), relation))
        elif name == "workbookPr":
            told["since_1904"] = _is_true(attributes.get("date1904"))
        elif name == "calcPr":
            told["recomputed"] = _is_true(attributes.get("fullCalcOnLoad"))

    parse_part(archive, part, start, lambda _: None)
    relations = _relations(archive, part)
    sheets: list[ListedSheet] = []
    for name, state, relation in listed:
        kind, target = relations.get(relation, ("", ""))
        stored = _find(archive, target)
        if stored is None:
            raise bad_workbook(f"the cells of its sheet {name!r} are missing")
        sheets.append(ListedSheet(SheetHead(name, state != "visible", kind == "worksheet"), stored))
    if len({one.head.name for one in sheets}) < len(sheets):
        raise bad_workbook("two of its sheets have one name")
    parts = {kind: stored for kind, target in relations.values() if (stored := _find(archive, target)) is not None}
    return WorkbookPart(tuple(sheets), parts, told.get("since_1904", False), told.get("recomputed", False))


def _is_true(text: str | None) -> bool:
    return text is not None and text.strip().lower() in ("1", "true", "on")


def _relations(archive: zipfile.ZipFile, part: str) -> dict[str, tuple[str, str]]:
    """Return the relations of a part by id: the last word of their kind, and the part that each leads to."""
    folder, name = posixpath.split(part)
    stored = _find(archive, posixpath.join(folder, "_rels", f"{name}.rels"))
    found: dict[str, tuple[str, str]] = {}
    if stored is None:
        return found

    def start(element: str, attributes: Attributes) -> None:
        if element.rpartition(" ")[2] == "Relationship" and attributes.get("TargetMode") != "External":
            target = attributes.get("Target", "").replace("\\", "/")
            target = target.lstrip("/") if target.startswith("/") else posixpath.join(folder, target)
            kind = attributes.get("Type", "").rpartition("/")[2]
            found[attributes.get("Id", "")] = (kind, posixpath.normpath(target))

    parse_part(archive, stored, start, lambda _: None)
    return found


def _find(archive: zipfile.ZipFile, part: str) -> str | None:
    """Return the name under which the archive holds a part; names differ in case and in slashes."""
    wanted = part.lower()
    return next((one for one in archive.namelist() if one.replace("\\", "/").lstrip("/").lower() == wanted), None)


def read_shared_texts(archive: zipfile.ZipFile, part: str | None) -> list[str]:
    """Return the shared texts. The parts of a rich text are joined; how it is pronounced is no part of it."""
    texts: list[str] = []
    if part is None:
        return texts
    pieces: list[str] = []
    spoken = inside = False

    def start(full: str, attributes: Attributes) -> None:
        nonlocal spoken, inside
        name = NAMES.get(full)
        if name == "si":
            pieces.clear()
        elif name == "rPh":
            spoken = True
        elif name == "t":
            inside = not spoken

    def end(full: str) -> None:
        nonlocal spoken, inside
        name = NAMES.get(full)
        if name == "t":
            inside = False
        elif name == "rPh":
            spoken = False
        elif name == "si":
            texts.append(unescaped("".join(pieces)))

    parse_part(archive, part, start, end, lambda data: pieces.append(data) if inside else None)
    return texts


def read_formats(archive: zipfile.ZipFile, part: str | None) -> list[str]:
    """Return the number format of each style of cells, by its number."""
    if part is None:
        return []
    own: dict[int, str] = {}
    used: list[int] = []
    within: list[str] = []

    def start(full: str, attributes: Attributes) -> None:
        name = NAMES.get(full, "")
        if name == "numFmt" and within[-1:] == ["numFmts"]:
            own[_number(attributes.get("numFmtId"))] = attributes.get("formatCode", "")
        elif name == "xf" and within[-1:] == ["cellXfs"]:
            used.append(_number(attributes.get("numFmtId")))
        within.append(name)

    def end(_: str) -> None:
        within.pop()

    parse_part(archive, part, start, end)
    return [own.get(number) or BUILT_IN.get(number, UNKNOWN) for number in used]


def _number(text: str | None) -> int:
    try:
        return int(text or 0)
    except ValueError as exc:
        raise bad_workbook(f"{text!r} is no number") from exc
