"""Sources and diffs as lines of a page."""

from __future__ import annotations

import pytest

from services.console.web.library.heal_pictures import part_with_labels
from services.console.web.library.source_lines import SourceWord, diff_lines, source_lines
from shared.contracts.results import Box

SOURCE = '''def f(a: int = 3) -> str:
    """Two
    lines."""
    return f"{a} is"  # so
'''


def test_words_of_a_source_have_their_kinds():
    first, second, third, fourth = source_lines(SOURCE)
    assert first[0] == SourceWord("def", "keyword")
    assert SourceWord("3", "number") in first
    assert second == [SourceWord("    "), SourceWord('"""Two', "string")]
    assert third == [SourceWord('    lines."""', "string")]
    assert fourth[-1] == SourceWord("# so", "comment")
    assert "string" in {one.kind for one in fourth}


@pytest.mark.parametrize(
    "source",
    [
        SOURCE,
        "def (:\n  'no end\n return 1",
        "x = 1\x0cy = 2\n# \u2028 z\n",
        "a = '\u202e'\r\nb = 2\r\n",
        "f'''{a\n}{b!r:>{c}}''' + '{{'\n",
        "   \tx\n",
        "\ufeffx = 1",
        "",
    ],
)
def test_nothing_of_a_source_is_lost(source: str):
    assert ["".join(word.text for word in line) for line in source_lines(source)] == source.splitlines()


def test_lines_of_a_diff_say_what_they_are():
    diff = "--- a\n+++ a\n@@ -1 +1 @@\n-old\n+new\n same"
    assert [one.kind for one in diff_lines(diff)] == ["file", "file", "place", "gone", "added", ""]
    assert diff_lines("") == []


@pytest.mark.parametrize(
    "box",
    [
        Box(x=0, y=0, width=40, height=10),
        Box(x=1200, y=4000, width=80, height=20),
        Box(x=300, y=900, width=5, height=5),
    ],
)
def test_a_part_of_a_picture_shows_what_is_meant_and_never_more_than_there_is(box: Box):
    area = Box(x=0, y=0, width=1280, height=4020)
    part = part_with_labels(box, area)
    assert area.x <= part.x <= box.x
    assert box.x + box.width <= part.x + part.width <= area.x + area.width
    assert area.y <= part.y <= box.y
    assert box.y + box.height <= part.y + part.height <= area.y + area.height


def test_a_small_picture_is_shown_whole():
    area = Box(x=0, y=10, width=300, height=200)
    assert part_with_labels(Box(x=20, y=30, width=10, height=10), area) == area
