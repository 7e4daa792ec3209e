"""The recorded decisions of the task families, and a model that plays them."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from scripts.families import with_model
from shared.client import Client
from shared.host.services import run_embedded
from shared.settings import Settings
from shared.testing.cassette import Cassette, Player, playback_server

RECORDINGS = Path(__file__).parents[1] / "recordings" / "planner" / "families"


def recording_of(name: str) -> Cassette:
    """Return the recording of a family, by its name."""
    return Cassette.read(RECORDINGS / f"{name.replace(' ', '_')}.json")


@asynccontextmanager
async def recorded_model(name: str, url: str, settings: Settings) -> AsyncGenerator[tuple[Client, Player]]:
    """Start a system whose model gives the recorded answers of a family. ``url``: where its one site is served now."""
    cassette = recording_of(name)
    player = Player(cassette, dict.fromkeys(cassette.origins, url))
    async with playback_server(player) as model, run_embedded(with_model(settings, model)) as client:
        yield client, player
