"""Run a task family on its practice site with any driver, and score the result against the ground truth.

    python -m scripts.families "commit audit" --planner anthropic --record CASSETTE --upstream http://127.0.0.1:8765

With --record every answer of the Messages endpoint at --upstream is kept; with --play they are played back.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from practice.families import FAMILIES, Family, Score, Site, score
from shared.contracts.evidence import RunFinished
from shared.host.services import run_embedded
from shared.settings import Settings
from shared.testing.cassette import Cassette, Player, playback_server, recording_server

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Outcome:
    finished: RunFinished
    score: Score


def spec_of(family: Family, site: Site, *, patient: bool = False) -> dict[str, Any]:
    """Return the shipped task spec with the ports of now; ``patient``: without a time limit, for a slow driver."""
    text = (ROOT / "task_specs" / family.spec).read_text(encoding="utf-8")
    for written, served in site.origins.items():
        text = text.replace(written, served)
    spec = json.loads(text)
    return {**spec, "max_time_s": 0} if patient else spec


async def run_family(family: Family, site: Site, settings: Settings, planner: str, *, patient: bool = False) -> Outcome:
    """Run one sample at a time, so that answers are recorded and played in their order."""
    async with run_embedded(settings) as client:
        rows = [dict(row) for row in site.rows]
        accepted = await client.submit(
            spec_of(family, site, patient=patient), rows=rows, planner=planner, concurrency=1, mode="agent"
        )
        finished = await client.result(accepted.run_id)
    return Outcome(finished, score(family, site, Path(finished.table)))


async def play_family(family: Family, cassette: Cassette, settings: Settings) -> tuple[Outcome, Player]:
    """Run the family with the answers of a cassette."""
    async with family.serve() as site:
        player = Player(cassette, ports_of(cassette, site))
        async with playback_server(player) as url:
            return await run_family(family, site, with_model(settings, url), "anthropic"), player


def with_model(settings: Settings, url: str) -> Settings:
    return settings.model_copy(update={"anthropic_api_key": SecretStr("recorded"), "anthropic_base_url": url})


def ports_of(cassette: Cassette, site: Site) -> dict[str, str]:
    """Map the origins of the recording to those of now."""
    return dict(zip(cassette.origins, origins_of(site), strict=True))


def origins_of(site: Site) -> list[str]:
    """Return the addresses of the sites, by their names in rows and spec."""
    urls = [url for row in site.rows for url in (row.get("url", ""),) if url.startswith("http")]
    first = ["/".join(url.split("/")[:3]) for url in urls[:1]]
    return [*first, *site.origins.values(), *site.others]


def report(family: Family, outcome: Outcome) -> str:
    lines = [f"{family.name}: {outcome.finished.samples} samples, {outcome.finished.llm_calls} calls of a model"]
    score = outcome.score
    lines += [f"  {column}: {score.right[column]} of {score.cells[column]}" for column in score.cells]
    return "\n".join([*lines, *(f"  WRONG {difference}" for difference in score.wrong)])


async def main() -> None:
    options = _options()
    family = next(family for family in FAMILIES if family.name == options.family)
    folder = options.evidence or Path(tempfile.mkdtemp(prefix="exhibit-families-"))
    settings = Settings(evidence_dir=folder, state_dir=folder.with_name(f"{folder.name}-state"), nats_url=None)
    if options.play:
        outcome, player = await play_family(family, Cassette.read(options.play), settings)
        print(report(family, outcome), *player.unexpected, sep="\n")
        return
    async with family.serve() as site, AsyncExitStack() as stack:
        cassette = Cassette(options.about, origins_of(site))
        if options.upstream:
            url = await stack.enter_async_context(recording_server(cassette, options.upstream))
            settings = with_model(settings, url)
        try:
            patient = options.upstream is not None
            outcome = await run_family(family, site, settings, options.planner, patient=patient)
            print(report(family, outcome), folder, sep="\n")
        finally:
            if options.record:
                cassette.write(options.record)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m scripts.families", description=__doc__)
    parser.add_argument("family", choices=[family.name for family in FAMILIES])
    parser.add_argument("--planner", default="rules")
    parser.add_argument("--record", type=Path)
    parser.add_argument("--play", type=Path)
    parser.add_argument("--upstream", help="a live Messages endpoint")
    parser.add_argument("--about", default="", help="how the recording came to be")
    parser.add_argument("--evidence", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    asyncio.run(main())
