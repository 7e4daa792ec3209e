"""`exhibit observe`: print a page as the planner sees it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from services.console import exits
from services.console.event_loop import run_async
from services.console.options import Allow, AsJson, Nats, Profile, load_settings
from services.console.outcomes import CommandOutcome, CommandResult
from services.console.text.page_text import page_text
from shared.contracts.actions import Goto
from shared.contracts.browser_pool import PageObserved
from shared.host.connections import ManualSessionTerms, open_pool_session

if TYPE_CHECKING:
    from shared.settings import Settings


def observe(
    url: str,
    keyword: Annotated[list[str] | None, typer.Option(help="Keep what matches, whatever the budget.")] = None,
    max_tokens: Annotated[int, typer.Option(help="Budget of the text.")] = 6000,
    allow: Allow = None,
    profile: Profile = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Print a page as the planner sees it."""
    terms = ManualSessionTerms(url, tuple(allow or ()), profile=profile)
    return run_async(observe_page(load_settings(nats), terms, tuple(keyword or ()), max_tokens, locators=as_json))


async def observe_page(
    settings: Settings, terms: ManualSessionTerms, keywords: tuple[str, ...], max_tokens: int, *, locators: bool
) -> CommandResult:
    """Open the page and observe it; ``locators``: of its elements, too."""
    async with open_pool_session(settings, terms) as session:
        opened = await session.act(Goto(url=terms.url, reason="to look at it"))
        started_s = time.perf_counter()
        page = await session.observe(keywords, max_tokens, locators=locators)
        elapsed_ms = (time.perf_counter() - started_s) * 1000
    code = exits.OK if opened.ok else exits.NOT_ALL_DONE
    return CommandResult((page_text(page, opened.message), _facts(page, elapsed_ms)), page, code)


def _facts(page: PageObserved, elapsed_ms: float) -> str:
    return (
        f"{len(page.elements)} of {page.total_elements} elements, {elapsed_ms:.0f} ms, {len(page.text)} characters"
        f" (about {len(page.text) // 4} tokens), confidence {page.dom_confidence:.2f}"
        + ("" if page.plain_confidence is None else f" (plain {page.plain_confidence:.2f})")
        + (f"; look at its picture: {', '.join(page.triggers)}" if page.triggers else "")
    )
