"""The Anthropic driver, with a server that gives scripted replies."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from services.planner.drivers.model.model_driver import AnthropicDriver
from services.planner.state.attempt_state import AttemptState, SampleView
from shared.contracts.actions import Goto
from shared.settings import Settings
from shared.testing.settings import isolated_settings
from tests.handlers.planner.messages_server import Endpoint, Reply, endpoint, message, tool_call
from tests.unit.planner.planner_pages import URL, acted, done_result, page, ticket, view

MODEL = "claude-sonnet-5-5"
CLICK = {"reason": "It opens.", "target": "3"}


def settings_at(url: str, **changes: Any) -> Settings:
    """Return settings with one model at ``url``."""
    given = {"ANTHROPIC_API_KEY": "key-1", "ANTHROPIC_BASE_URL": url, "model": MODEL, "fast_model": "", **changes}
    return isolated_settings(**given)


@asynccontextmanager
async def served(
    *replies: Reply, max_retries: int = 0, by_model: dict[str, list[Reply]] | None = None, **changes: Any
) -> AsyncGenerator[tuple[Endpoint, AnthropicDriver]]:
    async with endpoint(*replies, by_model=by_model) as endpoint_:
        driver = AnthropicDriver(settings_at(endpoint_.url, **changes), max_retries=max_retries)
        try:
            yield endpoint_, driver
        finally:
            await driver.aclose()


def opened(**changes: Any) -> SampleView:
    state = acted(AttemptState(), Goto(url=URL), done_result(), "opened")
    return view(page(*ticket()), state, **changes)


def calls(*named: tuple[str, Any]) -> Reply:
    return message([block for name, said in named for block in tool_call(name, said).body["content"]], "tool_use")
