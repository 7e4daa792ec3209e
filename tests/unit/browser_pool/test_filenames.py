"""Names that a site gives to its files."""

from __future__ import annotations

from services.browser_pool.files.filenames import (
    MAX_NAME,
    interrupted_message,
    label_of,
    media_type_of,
    safe_name,
    suffix_of,
    too_large,
)
from tests.cases import cases


@cases(
    ("given", "safe"),
    [
        ("report.pdf", "report.pdf"), ("../../etc/passwd", "passwd"), ("C:\\users\\me\\a b.csv", "a b.csv"),
        ("", "download"), ("..", "download"), ("/", "download"), ("\x00\n", "download"), ("李 ä😀.csv", "李 ä😀.csv"),
        ("invoice\u202efdp.exe", "invoicefdp.exe"), ("x" * 5000 + ".csv", "x" * (MAX_NAME - 4) + ".csv"),
    ],
)  # fmt: skip
def test_a_name_is_one_part_that_can_be_read(given: str, safe: str) -> None:
    assert safe_name(given) == safe


def test_suffix_and_type() -> None:
    assert [suffix_of(name) for name in ("a.PDF", "a.tar.gz", "a", ".", "a.b c", "a.toolongforasuffix")] == [
        *(".pdf", ".gz", "", "", "", "")
    ]
    assert media_type_of("a.PDF") == "application/pdf"
    assert media_type_of("a") == "application/octet-stream"


def test_labels_are_names_without_suffix_and_differ() -> None:
    assert label_of("r.csv", ()) == "r"
    assert label_of("r.csv", {"r", "r 2"}) == "r 3"
    assert label_of(".csv", ()) == "download"
    assert label_of("plain", ()) == "plain"


def test_what_is_said_of_files_that_are_not_kept() -> None:
    assert "9 bytes were announced" in too_large("a", 5, 0, 9)
    assert "it was stopped at 7" in too_large("a", 5, 7, 0)
    assert "the files before it" in too_large("a", 5, 3, 4)
    assert "after 3 of 4 bytes" in interrupted_message("a", 3, 4)
    assert "after 3 bytes" in interrupted_message("a", 3, 0)
