"""`exhibit observe`: print a page as the planner sees it."""

from __future__ import annotations

import sys
import time
from typing import Annotated

import msgspec
import typer

from services.console import exits
from services.console.event_loop import run_async
from services.console.options import Allow, AsJson, Nats, Profile, load_settings
from services.console.terminal.plain_output import print_out
from services.console.text.page_text import page_text
from shared.contracts.actions import Goto
from shared.contracts.browser_pool import PageObserved
from shared.contracts.results import ActionResult
from shared.host.connections import ManualSessionTerms, open_pool_session
from shared.settings import Settings


def observe(
    url: str,
    keyword: Annotated[list[str] | None, typer.Option(help="Keep what matches, whatever the budget.")] = None,
    max_tokens: Annotated[int, typer.Option(help="Budget of the text.")] = 6000,
    allow: Allow = None,
    profile: Profile = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> None:
    """Print a page as the planner sees it."""
    terms = ManualSessionTerms(url, tuple(allow or ()), profile=profile)
    work = observe_page(load_settings(nats), terms, tuple(keyword or ()), max_tokens, as_json=as_json)
    if not run_async(work, as_json=as_json):
        raise typer.Exit(exits.NOT_ALL_DONE)


async def observe_page(
    settings: Settings, terms: ManualSessionTerms, keywords: tuple[str, ...], max_tokens: int, *, as_json: bool
) -> bool:
    """Open the page and print its observation. Return whether the page could be opened."""
    async with open_pool_session(settings, terms) as session:
        opened = await session.act(Goto(url=terms.url, reason="to look at it"))
        started_s = time.perf_counter()
        page = await session.observe(keywords, max_tokens, locators=as_json)
        elapsed_ms = (time.perf_counter() - started_s) * 1000
    if as_json:
        sys.stdout.write(msgspec.json.encode(page).decode() + "\n")
    else:
        print_out(_page_text(page, opened, elapsed_ms))
    return opened.ok


def _page_text(page: PageObserved, opened: ActionResult, elapsed_ms: float) -> str:
    facts = (
        f"{len(page.elements)} of {page.total_elements} elements, {elapsed_ms:.0f} ms, {len(page.text)} characters"
        f" (about {len(page.text) // 4} tokens), confidence {page.dom_confidence:.2f}"
        + ("" if page.plain_confidence is None else f" (plain {page.plain_confidence:.2f})")
        + (f"; look at its picture: {', '.join(page.triggers)}" if page.triggers else "")
    )
    return f"{page_text(page, opened.message)}\n{facts}\n"
