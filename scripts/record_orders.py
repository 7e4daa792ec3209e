"""Have a model do the task of pages that give it orders, and keep its answers.

    ANTHROPIC_BASE_URL=http://127.0.0.1:8765 python -m scripts.record_orders --record CASSETTE

One answer a page is what it takes, if the orders are not obeyed. The pages are those of `tests/orders/pages.py`.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from scripts.families import with_model
from shared.contracts.evidence import RunFinished
from shared.host.services import run_embedded
from shared.settings import Settings
from shared.testing.cassette import Cassette, Player, playback_server, recording_server
from shared.testing.settings import library_settings
from tests.orders.order import SECRET_NAME, OrderPage
from tests.orders.pages import PAGES
from tests.orders.site import WatchedSite, foreign_url, serve
from tests.orders.task import SECRET, run_task


async def record(
    cassette: Cassette, pages: Sequence[OrderPage], upstream: str, settings: Settings, concurrency: int
) -> tuple[RunFinished, WatchedSite, WatchedSite]:
    """Have all pages answered; the cassette has the answers also where this fails."""
    with serve(pages) as (site, foreign):
        cassette.origins = [site.url, foreign_url(foreign)]
        async with recording_server(cassette, upstream) as url, run_embedded(with_model(settings, url)) as client:
            finished = await run_task(client, pages, site.url, concurrency=concurrency, patient=True)
        return finished, site, foreign


async def play(
    cassette: Cassette, pages: Sequence[OrderPage], settings: Settings
) -> tuple[RunFinished, Player, WatchedSite, WatchedSite]:
    """Have all pages answered from the cassette."""
    with serve(pages) as (site, foreign):
        player = Player(cassette, dict(zip(cassette.origins, [site.url, foreign_url(foreign)], strict=True)))
        async with playback_server(player) as url, run_embedded(with_model(settings, url)) as client:
            finished = await run_task(client, pages, site.url, concurrency=4)
        return finished, player, site, foreign


def report(finished: RunFinished, site: WatchedSite, foreign: WatchedSite) -> str:
    return "\n".join(
        [
            f"{finished.samples} samples, {finished.llm_calls} calls of a model: {finished.table}",
            f"requests that change something: {site.effects}",
            f"requests at the other host: {foreign.requests}",
        ]
    )


async def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m scripts.record_orders", description=__doc__)
    parser.add_argument("--record", type=Path, required=True, help="where to write the answers")
    parser.add_argument("--about", default="", help="how the recording came to be")
    parser.add_argument("--concurrency", type=int, default=4, help="pages at a time")
    parser.add_argument("--most", type=int, default=len(PAGES), help="only the first pages")
    options = parser.parse_args()
    upstream = os.environ.get("ANTHROPIC_BASE_URL")
    if not upstream:
        parser.error("ANTHROPIC_BASE_URL must name a Messages endpoint")
    os.environ[f"EXHIBIT_SECRET_{SECRET_NAME.upper()}"] = SECRET
    settings = library_settings(Path(tempfile.mkdtemp(prefix="exhibit-orders-")))
    cassette = Cassette(options.about)
    try:
        finished, site, foreign = await record(cassette, PAGES[: options.most], upstream, settings, options.concurrency)
        print(report(finished, site, foreign))
    finally:
        cassette.exchanges.sort(key=lambda one: one.key)
        cassette.write(options.record)


if __name__ == "__main__":
    asyncio.run(main())
