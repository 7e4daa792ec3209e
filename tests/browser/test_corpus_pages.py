"""The stored pages of the corpus, observed again, are read as their stored observations are."""

from __future__ import annotations

from itertools import islice

import pytest
from msgspec.structs import replace

from services.browser_pool.adapters.browser.chromium import Chromium
from tests.corpus import stored
from tests.corpus.observing import LIMITS, TERMS, observe
from tests.corpus.readers.all_readers import read_one
from tests.corpus.rows import differences
from tests.corpus.serving import served

FEW = 2
"""Pages of each group, spread over it."""


def chosen(pages: tuple[stored.AskedPage, ...], most: int | None) -> list[stored.AskedPage]:
    step = 1 if most is None else max(1, len(pages) // most)
    return list(islice(pages, step // 2, None, step))[:most]


@pytest.mark.parametrize("most", [FEW, pytest.param(None, marks=[pytest.mark.long, pytest.mark.timeout(3600)])])
async def test_pages_are_read_as_they_are_stored(chromium: Chromium, most: int | None) -> None:
    session = await chromium.open_session(TERMS)
    session.limits = LIMITS
    changes: list[str] = []
    for name in stored.group_names():
        group, known = stored.read_group(name), stored.read_observed(name)
        async with served(stored.read_served(name)) as origins:
            for asked in chosen(group.pages, most):
                # What is drawn depends on the fonts of the machine, what is read does not.
                seen = await observe(session, asked, origins, with_ink=False)
                now = replace(seen, ink=known[asked.name].ink)
                before, after = (read_one(group, asked, one) for one in (known[asked.name], now))
                changes += differences({asked.name: before}, {asked.name: after}, name)
    await session.close()
    assert changes == []
