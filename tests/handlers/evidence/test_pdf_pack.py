"""The PDF pack of a run: what it says, that nothing of it is lost or taken for markup, and that it is accessible."""

from __future__ import annotations

import io
import struct
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader

from shared.evidence_format.sources.folder import FolderSource
from shared.papers.pdf_pack.make_pack import FONTS, PackRefused, make_pack
from shared.papers.read_paper import CheckedFiles
from tests.handlers.evidence.evidence_desk import Desk
from tests.handlers.evidence.paper_world import (
    HOSTILE,
    SPEC,
    corrected_run,
    exported,
    filed_run,
    paper_of,
    picture,
    reviewed_run,
)
from tests.typed import there

MARKUP = (
    "#panic()",
    "*bold* _it_ = head",
    "$x^2$ `raw` @ref <label>",
    "\\u{41} // end",
    '#import "x": *',
    "https://evil.example",
)
MARGIN_PT = 20 / 25.4 * 72
"""Below the text of a page."""
SCRIPTS = ("مرحبا بالعالم", "Łódź Дарья Ελλάδα", "שלום", "张伟 😀", "a\u202eb")


def made(desk: Desk, fonts: Path | None = None) -> bytes:
    paper, checked = paper_of(desk)
    files = CheckedFiles(FolderSource(desk.root / "run_1"), checked)
    files.source.list_files()
    return make_pack(paper, files.read, fonts).data


def read(data: bytes) -> PdfReader:
    return PdfReader(io.BytesIO(data))


def texts(data: bytes) -> list[str]:
    """Return the text of each page, without the places at which a long word may be broken."""
    return [page.extract_text().replace("\u200b", "") for page in read(data).pages]


def outline(data: bytes) -> list[str]:
    """Return the headings."""

    def titles(parts: list[Any]) -> list[str]:
        return [title for one in parts for title in (titles(one) if isinstance(one, list) else [one.title])]

    return titles(read(data).outline)


async def test_text_of_pages_is_never_markup(desk: Desk):
    await filed_run(desk, MARKUP)
    pages = texts(made(desk))
    for number, text in enumerate(MARKUP, 1):
        page = next(one for one in pages if one.split("\n")[1:2] == [f"T-{number}"] or f"\nT-{number}\n" in one[:200])
        assert text in page.replace("\n", " ")
    assert not [
        page for page in read(made(desk)).pages for one in page.get("/Annots") or () if "/URI" in one.get_object()
    ]


async def test_a_character_that_no_font_has_stands_as_its_code_and_the_cover_says_so(desk: Desk):
    await filed_run(desk, SCRIPTS)
    pages = texts(made(desk))
    whole = "\n".join(pages)
    assert [code for code in ("U+5F20", "U+4F1F", "U+1F600", "U+202E") if code not in whole] == []
    assert "Characters that stand as their codes: 4 (U+202E, U+4F1F, U+5F20, U+1F600)" in pages[0].replace("\n", " ")
    assert [text for text in SCRIPTS[1:2] if text not in whole] == []


def used_fonts(data: bytes) -> set[str]:
    """Return the names of all fonts that are embedded, as the font files have them."""
    pages: list[Any] = list(read(data).pages)
    whole: list[Any] = [page["/Resources"].get("/Font", {}) for page in pages]
    return {str(one["/BaseFont"]).rpartition("+")[2] for fonts in whole for one in fonts.values()}


def forged_font(name: str, letter: str, glyph: int) -> bytes:
    """Return a font of another name with one letter, which it shows as a glyph of Noto Sans Hebrew."""
    data = (FONTS / "NotoSansHebrew-Regular.ttf").read_bytes()
    for was in ("Noto Sans Hebrew", "NotoSansHebrew"):
        data = data.replace(was.encode("utf-16-be"), name.ljust(len(was)).replace(" ", "x").encode("utf-16-be"))
    letters = struct.pack(">HHHHL", 0, 1, 3, 10, 12) + struct.pack(
        ">HHLLLLLL", 12, 0, 28, 0, 1, ord(letter), ord(letter), glyph
    )
    at = data.index(b"cmap")
    return data[: at + 8] + struct.pack(">LL", len(data), len(letters)) + data[at + 16 :] + letters


async def test_no_font_is_used_that_the_pack_does_not_name(desk: Desk):
    await filed_run(desk, SCRIPTS)
    data = made(desk)
    named = {path.stem for path in FONTS.glob("*.ttf") if path.name in "".join(texts(data)[-2:])}
    used = used_fonts(data)
    assert {"NotoSans-Regular", "NotoSansArabic-Regular"} <= used
    assert used <= named


async def test_further_fonts_are_used_and_named(desk: Desk, tmp_path: Path):
    await filed_run(desk, ("\u4e2d",))
    given = tmp_path / "fonts"
    given.mkdir()
    (given / "Mine.ttf").write_bytes(forged_font("Mine", "\u4e2d", 5))
    without, data = made(desk), made(desk, given)
    assert ["U+4E2D" in "".join(texts(one)) for one in (without, data)] == [True, False]
    assert len(used_fonts(data) - used_fonts(without)) == 1
    assert "Mine.ttf" in texts(data)[-1]
    (given / "Broken.ttf").write_bytes(b"no font")
    code, words = exported(
        desk.root / "run_1", tmp_path / "s", "--format", "pdf", "--fonts", given, "--out", tmp_path / "x.pdf"
    )
    assert (code, "Broken.ttf is no font that can be read" in words, (tmp_path / "x.pdf").exists()) == (2, True, False)


async def test_a_font_that_the_typesetter_cannot_use_is_told_and_not_left_out(desk: Desk, tmp_path: Path):
    await filed_run(desk, ("\u4e2d",))
    (tmp_path / "Mine.ttf").write_bytes(forged_font("Mine", "\u4e2d", 60_000))
    with pytest.raises(PackRefused, match=r"Minexxxxxxxxxxxx.*leave out the folder"):
        made(desk, tmp_path)


async def test_the_pack_is_tagged_and_has_a_title_a_language_and_texts_for_its_pictures(desk: Desk):
    await filed_run(desk, ("Ann Lee",))
    reader = read(made(desk))
    root: Any = reader.root_object
    shows_title = root["/ViewerPreferences"]["/DisplayDocTitle"]
    assert (root["/MarkInfo"]["/Marked"], root["/Lang"], shows_title) == (True, "en", True)
    assert b"<pdfuaid:part>1</pdfuaid:part>" in root["/Metadata"].get_data()
    assert there(reader.metadata).title == "Evidence pack of run_1"
    told = [kid["/Alt"] for kid in _structure(root["/StructTreeRoot"]) if kid.get("/S") == "/Figure"]
    assert "Picture of the page of T-1, with boxes around 2 owner: Ann Lee" in told
    assert len(told) == 2


def _structure(parent: Any) -> list[Any]:
    kids = parent.get("/K") if hasattr(parent, "get") else None
    found: list[Any] = []
    for kid in kids if isinstance(kids, list) else [kids]:
        part: Any = kid.get_object() if kid is not None and hasattr(kid, "get_object") else kid
        if hasattr(part, "get"):
            found += [part, *_structure(part)]
    return found


async def test_the_same_evidence_gives_the_same_bytes_with_the_time_of_the_seal(desk: Desk):
    await filed_run(desk, ("Ann Lee",))
    first = made(desk)
    assert made(desk) == first
    about = there(read(first).metadata)
    assert about.creation_date == about.modification_date == paper_of(desk)[0].last_change.replace(microsecond=0)


async def test_there_is_a_page_a_sample_and_what_was_decided_stands_on_it(desk: Desk):
    await reviewed_run(desk)
    data = made(desk)
    samples = [f"T-{number}" for number in range(1, len(HOSTILE) + 3)]
    assert outline(data) == [
        "Population", "Outcomes", "Samples drawn for re-performance", "Exceptions", "Attributes", "Samples", *samples,
        "Integrity", "Sign-offs", "Sign-off of this paper", "Files of the run", "Folders of the samples",
        "How this paper was made",
    ]  # fmt: skip
    pages = texts(data)
    doubtful = next(page for page in pages if "2a Ann Lee" in page.replace("  ", " "))
    assert "=Ann" in doubtful
    assert "corrected" in doubtful
    assert "SOC 2 CC6.1: Logical access" in pages[0]
    assert any("cleo" in page and "approver" in page for page in pages[-3:])


async def test_the_decided_value_is_the_value_in_the_table_and_on_the_page_of_its_sample(desk: Desk):
    await corrected_run(desk)
    pages = texts(made(desk))
    table = next(page for page in pages if "Attributes" in page and "Decided by a person" in page.replace("\n", " "))
    assert table.index("2026-10-31") < table.index("read as 4 weeks ago") < table.index("rejected (read as Bo)")
    assert "open: " not in table
    own = next(page for page in pages if "\nT-1\n" in page[:200])
    assert own.index("2026-10-31") < own.index("read as 4 weeks ago")


async def test_what_was_for_review_is_said_to_be_decided_on_the_cover_and_on_its_page(desk: Desk):
    await corrected_run(desk)
    pages = [page.replace("\n", " ") for page in texts(made(desk))]
    assert "1 for review, decided" in pages[0]
    assert "1 failed, decided" in pages[0]
    assert any(" T-3 Needs review, decided" in page for page in pages)


async def test_a_picture_that_is_not_as_it_was_captured_is_not_shown(desk: Desk):
    await filed_run(desk, ("Ann Lee",))
    (desk.root / "run_1/T-1/01_ticket.png").write_bytes(picture(50))
    pages = texts(made(desk))
    assert "NOT WHAT WAS SEALED" in pages[0]
    assert any("T-1/01_ticket.png cannot be shown" in page for page in pages)


async def test_no_picture_leaves_its_page_however_much_stands_above_it(desk: Desk):
    more = {f"field_{number}": "string | null" for number in range(30)}
    await filed_run(desk, ("Ann Lee",), spec={**SPEC, "output_schema": {**SPEC["output_schema"], **more}})
    lows: list[float] = []

    def note(operator: bytes, _: object, matrix: list[float], __: object) -> None:
        if operator == b"Do":
            lows.append(min(matrix[5], matrix[5] + matrix[3]))

    for page in read(made(desk)).pages:
        page.extract_text(visitor_operand_before=note)
    assert len(lows) == 2
    assert [low >= MARGIN_PT for low in lows] == [True, True], lows
