"""Opens the pages of examples in one session of a browser pool, and observes all of their elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from services.console.commands.learn.examples import ExampleRow, Examples
from shared.contracts.actions import Goto
from shared.contracts.browser_pool import PageObserved
from shared.host.connections import ManualSessionTerms, open_pool_session
from shared.settings import Settings

ALL_ELEMENTS_TOKENS = 2_000_000
"""So many that no element is left out."""


async def observe_rows(
    settings: Settings, examples: Examples, rows: Sequence[ExampleRow], progress: Callable[[ExampleRow], None]
) -> tuple[dict[str, PageObserved], dict[str, str]]:
    """Return the page of each row by its name, and of the others why they could not be opened."""
    pages: dict[str, PageObserved] = {}
    failed: dict[str, str] = {}
    spec = examples.spec
    hosts = [one.url for one in rows]
    terms = ManualSessionTerms(hosts[0], tuple(spec.allowed_hosts), profile=spec.auth_profile)
    async with open_pool_session(settings, terms) as session:
        for one in rows:
            progress(one)
            opened = await session.act(Goto(url=one.url, reason="to learn from it"))
            if not opened.ok:
                failed[one.name] = opened.message
                continue
            page = await session.observe((), ALL_ELEMENTS_TOKENS, locators=True)
            if page.http_status is not None and page.http_status >= 400:
                failed[one.name] = f"HTTP {page.http_status}"
            elif page.left_out:
                failed[one.name] = f"{page.left_out} of its elements could not be read"
            else:
                pages[one.name] = page
    return pages, failed
