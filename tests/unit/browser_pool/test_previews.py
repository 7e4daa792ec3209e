"""Previews of honest and hostile files."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.browser_pool.adapters.downloads import previews
from services.browser_pool.adapters.downloads.collector import read_file
from services.browser_pool.files import content
from tests.typed import there
from tests.unit.browser_pool.made_files import CELL, pdf, xlsx


async def preview(tmp_path: Path, data: bytes, name: str) -> str | None:
    path = tmp_path / "given"
    path.write_bytes(data)
    return (await read_file(path, name))[1]


@pytest.mark.parametrize(
    ("data", "name", "expected"),
    [
        (b"a,b\n1,2\n", "r.csv", "a,b\n1,2"), ("Größe 李".encode(), "r.txt", "Größe 李"),
        ("Größe".encode("cp1252"), "r.csv", "Größe"), ("\ufeffGröße".encode("utf-16"), "r.tsv", "Größe"),
        ("\ufeffa".encode(), "r.json", "a"), (b"", "r.csv", None), (b"\x00\x01\x02", "r.csv", None),
        (b"MZ\x90\x00", "r.exe", None), (b"a\x1b[31m\x07b", "r.txt", "a[31mb"),
        (b"x" * 1_000_000, "r.txt", "x" * previews.MAX_CHARS),
    ],
)  # fmt: skip
async def test_texts(tmp_path: Path, data: bytes, name: str, expected: str | None) -> None:
    assert await preview(tmp_path, data, name) == expected


def test_a_head_that_ends_inside_a_character_is_read() -> None:
    assert content.decoded("aä".encode()[:-1]) == "a"


@pytest.mark.system
async def test_a_pdf_shows_its_text_whatever_its_name(tmp_path: Path) -> None:
    assert await preview(tmp_path, pdf("Invoice 4711"), "report") == "Invoice 4711"


@pytest.mark.system
async def test_a_pdf_that_opens_without_a_password_and_one_that_does_not(tmp_path: Path) -> None:
    assert await preview(tmp_path, pdf("Open", ""), "r.pdf") == "Open"
    assert await preview(tmp_path, pdf("Closed", "hunter2"), "r.pdf") is None


@pytest.mark.system
async def test_a_workbook_shows_its_rows(tmp_path: Path) -> None:
    rows = f"<row>{CELL.format('Tag')}{CELL.format('Owner')}</row><row>{CELL.format('A1')}<c><v>7</v></c></row>"
    shown = there(await preview(tmp_path, xlsx(rows), "r.xlsx"))
    assert shown.splitlines()[:2] == ["[Assets]", "Tag\tOwner"]
    assert shown.splitlines()[2].startswith("A1\t7")


@pytest.mark.system
async def test_broken_files_have_no_preview(tmp_path: Path) -> None:
    assert await preview(tmp_path, b"%PDF-1.7\n" + b"\xff" * 1000, "r.pdf") is None
    assert await preview(tmp_path, b"PK\x03\x04" + b"\xff" * 1000, "r.xlsx") is None
    assert await preview(tmp_path, b"PK\x03\x04" + b"\xff" * 1000, "r.zip") is None


@pytest.mark.system
async def test_a_bomb_ends_its_reader_and_nothing_else(tmp_path: Path) -> None:
    bomb = xlsx(f"<row>{CELL.format('x' * 10)}</row>" * 1_500_000)
    assert len(bomb) < 1_000_000
    shown = await preview(tmp_path, bomb, "r.xlsx")
    assert shown is None or shown.startswith("[Assets]\nxxxxxxxxxx")
