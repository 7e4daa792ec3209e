"""What the page engine and Python agree on without asking each other."""

from __future__ import annotations

import re
from importlib.resources import files

import msgspec
import pytest

from services.browser_pool.adapters.observe.pending import DRAWN_MS, work_beside
from services.browser_pool.page.model import RawItem
from services.browser_pool.page.snapshot import LINE_CHARS

WALK = (files("services.browser_pool.adapters.observe") / "page" / "walk.js").read_text(encoding="utf-8")
READ_MS = 1_700_000_000_000.0


def test_facts_that_are_not_sent_are_the_defaults_of_an_item() -> None:
    written = re.search(r"^const USUAL = (\[.*\]);$", WALK, re.MULTILINE)
    assert written is not None
    usual = msgspec.json.decode(written[1].replace("'", '"').replace("NONE", "[]"))
    optional = [field for field in msgspec.structs.fields(RawItem) if field.default is not msgspec.NODEFAULT]
    assert usual == [list(one.default) if one.default == () else one.default for one in optional]


def test_the_engine_counts_the_letters_of_a_line_as_the_choice_does() -> None:
    assert f"const LINE_CHARS = {LINE_CHARS};" in WALK


@pytest.mark.parametrize(
    ("told", "work"),
    [
        ([READ_MS, False], "none"),
        ([READ_MS + DRAWN_MS, "due"], "due"),
        ([READ_MS + 1, True], "some"),
        # Too long after the page was read, or before it, in the document that was there then.
        ([READ_MS + DRAWN_MS + 1, False], None),
        ([READ_MS - 1, False], None),
        # The reading itself may have kept a timer waiting.
        ([READ_MS, "late"], None),
        (None, None),
        (["x", False], None),
    ],
)
def test_what_is_pending_is_known_with_the_reading_or_asked_once_more(told: object, work: str | None) -> None:
    assert work_beside(told, READ_MS) == work
