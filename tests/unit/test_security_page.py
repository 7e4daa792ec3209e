"""docs/security.md names tests that there are, and leads to sections that it has."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path("docs/security.md").read_text(encoding="utf-8")


def test_every_test_that_is_named_is_there():
    named = set(re.findall(r"`((?:[a-z_]+/)*test_[a-z_]+\.py)`", PAGE))
    assert len(named) > 40
    there = [f"/{path}" for path in Path("tests").rglob("test_*.py")]
    assert [name for name in sorted(named) if not any(path.endswith(f"/{name}") for path in there)] == []


def test_every_adversary_has_a_section():
    headings = re.findall(r"^#+ (.+)$", PAGE, re.MULTILINE)
    anchors = {re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    linked = set(re.findall(r"\]\(#([a-z0-9-]+)\)", PAGE))
    assert len(linked) > 6
    assert linked <= anchors
