"""Tag paths with more layers in them, of which an observation has the last tags only."""

from __future__ import annotations

from shared.extraction.labels.layers import is_layered, is_within
from tests.cases import cases


@cases(
    ("place", "path", "is_one"),
    [
        ("aside>dl>dd", "aside>dl>dd", True),
        ("aside>div>dl>span>dd", "aside>dl>dd", True),
        ("aside>section>dl>dd", "aside>dl>dd", False),
        ("dl>dd", "aside>dl>dd", False),
        ("aside>dl>dd", "aside>div>dl>dd", False),
        ("main>div>div>div>section>dl>div>dd", "body>main>div>div>section>dl>div>dd", True),
        ("main>div>aside>div>section>dl>div>dd", "body>main>div>div>section>dl>div>dd", False),
        ("div>div>div>div>div>div>div>dd", "body>main>div>div>section>dl>div>dd", False),
    ],
)
def test_only_layers_may_be_added(place, path, is_one):
    assert is_layered(place, path) == is_one


@cases(
    ("place", "is_in"),
    [
        ("html>body>main>article>p>a", True), ("html>body>div>main>div>article>div>p", True),
        ("body>main>div>div>div>article>div>p", True), ("html>body>main>article", False),
        ("html>body>main>section>p", False), ("article>div>div>div>div>div>div>p", False),
    ],
)  # fmt: skip
def test_a_part_may_stand_in_more_layers(place, is_in):
    assert is_within(place, "html>body>main>article") == is_in
