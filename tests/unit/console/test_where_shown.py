"""Which file of a sample shows a corrected value, in words, and which is offered first. Pure."""

from __future__ import annotations

from typing import Any

from services.console.web.review.where_shown import NO_FILE, file_choices, first_choice
from shared.contracts.sessions.reviewing import LookedAt, ReviewItem, ReviewTarget, ShownWhere
from tests.cases import cases

KINDS = {
    "01_page.mhtml.zst": "page", "01_page.observation.json.zst": "observation", "01_page.png": "screenshot",
    "02_page.mhtml.zst": "page", "02_page.png": "screenshot", "03_invoice.pdf": "download", "flow.json": "flow",
}  # fmt: skip
FILES = [ShownWhere(file=name, sha256=f"h{n}") for n, name in enumerate(KINDS)]
DETAIL: dict[str, Any] = {
    "files": [{"name": name, "kind": kind} for name, kind in KINDS.items()],
    "steps": [{"n": 1, "files": ["01_page.mhtml.zst", "01_page.png"]}, {"n": 4, "files": ["02_page.mhtml.zst"]}],
}
ITEM = ReviewItem(
    target=ReviewTarget(kind="value", sample_id="A-1", field="owner"), looked_at=LookedAt(content_sha256="c")
)


def test_files_are_named_in_words_pictures_first_and_what_shows_nothing_is_left_out():
    choices = file_choices(FILES, DETAIL)
    assert [(one.words, one.value) for one in choices] == [
        ("picture 1, step 1", "h2 01_page.png"),
        ("picture 2", "h4 02_page.png"),
        ("the page, step 1", "h0 01_page.mhtml.zst"),
        ("the page, step 4", "h3 02_page.mhtml.zst"),
        ("the file 03_invoice.pdf", "h5 03_invoice.pdf"),
    ]


def test_two_files_of_the_same_words_are_told_by_their_names():
    detail = {"files": [{"name": name, "kind": "page"} for name in ("a.mhtml", "b.mhtml")]}
    choices = file_choices([ShownWhere(file="a.mhtml", sha256="x"), ShownWhere(file="b.mhtml", sha256="y")], detail)
    assert [one.words for one in choices] == ["the page (a.mhtml)", "the page (b.mhtml)"]


def test_a_sample_whose_files_are_not_here_has_the_names_of_evidence():
    assert [one.words for one in file_choices([FILES[2]], {})] == ["the file 01_page.png"]


@cases(
    ("last", "picture", "first"),
    [
        ("", "", "02_page.png"),  # the one that stands beside the case
        ("", "01_page.png", "01_page.png"),
        ("01_page.mhtml.zst", "02_page.png", "01_page.mhtml.zst"),
        ("09_other.png", "", "02_page.png"),
        (NO_FILE, "01_page.png", ""),
    ],
)
def test_the_last_choice_is_offered_first_and_else_the_picture_beside_the_case(last: str, picture: str, first: str):
    item = ReviewItem(target=ITEM.target, looked_at=ITEM.looked_at, picture=picture)
    assert first_choice(file_choices(FILES, DETAIL), DETAIL, item, last) == first


def test_a_sample_without_a_picture_offers_no_file_first():
    assert first_choice(file_choices([FILES[0]], DETAIL), DETAIL, ITEM, "") == ""
