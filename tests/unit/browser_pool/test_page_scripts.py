"""The scripts that run inside pages are one program: they share one scope."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

from services.browser_pool.adapters.observe import engine

DECLARED = re.compile(r"^(?:async )?(?:function\*?|const|let|class) (\w+)", re.MULTILINE)


def test_no_name_is_declared_twice() -> None:
    """A second function of a name silently takes the place of the first; a second constant stops all of them."""
    sources = [path.read_text(encoding="utf-8") for path in (Path(engine.__file__).parent / "page").glob("*.js")]
    counts = Counter(name for source in sources for name in DECLARED.findall(source))
    assert len(counts) > 200
    assert [name for name, count in counts.items() if count > 1] == []


def test_it_is_sent_as_ascii_and_says_the_same() -> None:
    """One wider character would double the bytes of all of it in the browser."""
    sent = engine.script()
    assert sent.isascii()
    assert r"\u00d7" in sent
    assert json.loads(f'"{engine._ascii("später … 😀")}"') == "später … 😀"
