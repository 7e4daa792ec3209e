"""A model collects a list that stands on five pages of a record; its planner is killed before each of its answers.

The answers are true ones, recorded (tests/recordings/planner/README.md).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from scripts.families import with_model
from shared.client import connect
from shared.contracts.evidence import RunFinished
from shared.host.nats_server import nats_server
from shared.host.services import run_embedded, run_services
from shared.settings import Settings
from shared.testing.cassette import Cassette, Player, answering_server, key_of, playback_server
from shared.testing.settings import library_settings
from tests.end_to_end.conftest import Cli
from tests.end_to_end.finished_runs import logs_of, results_of, run
from tests.end_to_end.fleet import Fleet
from tests.end_to_end.role_site import OWNER, ROLE, SPEC, members, role_site, row_of

RECORDING = Path(__file__).parents[1] / "recordings" / "planner" / "list_over_pages.json"
STEPS = ["goto", "save_progress", "click", "screenshot", *["save_progress", "click"] * 4, "done"]
SUMMARY = "condensed"
CUTS = ((1, 2), (3, 4), (5, 6), (7, 8), (9, 10), (11, 12), (13,))
"""Before which of its answers the planner of each run is killed: a sample has three attempts."""


def all_that_is_there() -> dict[str, Any]:
    return {"role": ROLE, "owner": OWNER, "members": [user for user, _, _ in members()]}


async def test_a_list_over_five_pages_comes_back_whole(tmp_path: Path):
    cassette = Cassette.read(RECORDING)
    with role_site() as site:
        player = Player(cassette, dict.fromkeys(cassette.origins, site.url))
        async with (
            playback_server(player) as model,
            run_embedded(with_model(library_settings(tmp_path), model)) as client,
        ):
            finished = await run(client, SPEC, [row_of(site)], planner="anthropic", mode="agent")
    assert player.unexpected == []
    assert sum(player.played.values()) == len(cassette.exchanges)
    (result,) = results_of(finished).values()
    assert (result["status"], result["extracted"]) == ("done", all_that_is_there())
    assert [step["action"] for step in logs_of(finished)[ROLE]] == STEPS


@dataclass
class CutModel:
    """Plays the answers, and none to the questions in ``cuts``, each counted by the answers before it: who asks one is
    to be killed. A summary that was given since the last step is in no log, and is given again."""

    player: Player
    cuts: list[int]
    asked: int = 0
    last: str = ""
    held: asyncio.Event = field(default_factory=asyncio.Event)
    over: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer(self, body: bytes, _: Mapping[str, str]) -> tuple[int, bytes]:
        request, self.asked = json.loads(body), self.asked + 1
        if self.cuts and sum(self.player.played.values()) + 1 == self.cuts[0]:
            del self.cuts[0]
            if self.last == SUMMARY:
                self.player.played.pop(SUMMARY)
            self.held.set()
            await self.over.wait()
            return 503, b"{}"
        self.last = key_of(request)
        status, reply = self.player.answer(request)
        return status, json.dumps(reply).encode()


@pytest.mark.long
@pytest.mark.timeout(900)
async def test_a_sample_that_is_killed_before_each_answer_goes_on_and_pays_none_twice(cli: Cli, settings: Settings):
    evidence, cassette = Path(settings.evidence_dir), Cassette.read(RECORDING)
    others = ("evidence", "browser_pool", "discovery")
    with role_site() as site:
        async with nats_server(cli.folder / "jetstream") as url, run_services(settings, url, others):
            for cuts in CUTS:
                player = Player(cassette, dict.fromkeys(cassette.origins, site.url))
                model = CutModel(player, list(cuts))
                async with answering_server(model.answer) as endpoint:
                    cli.env |= {"ANTHROPIC_API_KEY": "recorded", "ANTHROPIC_BASE_URL": endpoint}
                    fleet = Fleet(cli, url, evidence)
                    finished = await run_and_kill(fleet, model, url, row_of(site), len(cuts))
                    fleet.kill("planner")
                    model.over.set()
                assert_same_as_never_killed(finished, model, cuts)


async def run_and_kill(fleet: Fleet, model: CutModel, url: str, row: dict[str, str], kills: int) -> RunFinished:
    await asyncio.to_thread(fleet.start, "planner")
    async with connect(url) as client:
        accepted = await client.submit(SPEC, rows=[row], planner="anthropic", mode="agent")
        for _ in range(kills):
            await model.held.wait()
            fleet.kill("planner")
            model.held.clear()
            await asyncio.to_thread(fleet.start, "planner")
        return await client.result(accepted.run_id)


def assert_same_as_never_killed(finished: RunFinished, model: CutModel, cuts: Sequence[int]) -> None:
    player, (result,), (log,) = model.player, results_of(finished).values(), logs_of(finished).values()
    assert player.unexpected == [], cuts
    assert model.cuts == [], "the planner was killed each time"
    assert (result["status"], result["extracted"]) == ("done", all_that_is_there()), cuts
    assert result["attempt"] == len(cuts) + 1
    assert [step["action"] for step in log] == STEPS, cuts
    answers = len(player.cassette.exchanges)
    assert sum(player.played.values()) == result["llm_calls"] == answers, cuts
    at_summary = [one.key for one in player.cassette.exchanges].index(SUMMARY) + 1
    again = int(at_summary + 1 in cuts)
    assert model.asked == answers + len(cuts) + again, "nothing that is in the log was asked again"
