"""With the mode `flow` nothing is asked of a model: the settings have a key, and its endpoint counts connections."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from shared.errors import ExhibitError
from shared.host.services import run_embedded
from shared.models.client import open_model
from shared.settings import Settings
from tests.end_to_end.finished_runs import results_of, run
from tests.end_to_end.flow_sources import READ_TICKET, TICKET_FILES, create_flow
from tests.end_to_end.tickets import FULL, rows, wrong_cells


class Trap(socketserver.ThreadingTCPServer):
    """Counts the connections to it, and answers none."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        self.connections = 0
        super().__init__(("127.0.0.1", 0), socketserver.BaseRequestHandler)

    def verify_request(self, request: object, client_address: object) -> bool:
        self.connections += 1
        return False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


@pytest.fixture
def trap() -> Iterator[Trap]:
    with Trap() as made:
        serving = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.05})
        serving.start()
        yield made
        made.shutdown()
        serving.join()


async def test_a_run_on_flows_connects_to_no_model(
    settings: Settings, ticket_spec: dict[str, Any], tickets_url: str, tmp_path: Path, trap: Trap
):
    settings = settings.model_copy(
        update={
            "workflows_dir": tmp_path / "workflows",
            "tools_dir": tmp_path / "tools",
            "anthropic_api_key": SecretStr("a key"),
            "anthropic_base_url": trap.url,
        }
    )
    spec = {**ticket_spec, "workflow": {"name": "read_ticket"}}
    async with run_embedded(settings) as client:
        await create_flow(client, "read_ticket", READ_TICKET, TICKET_FILES)
        finished = await run(client, spec, rows(tickets_url, FULL[:1]), mode="flow")
    assert trap.connections == 0
    assert wrong_cells(finished.table, FULL[:1]) == []
    assert finished.llm_calls == 0
    (result,) = results_of(finished).values()
    assert (result["usage"]["llm_calls"], result["drivers"]) == (0, ["flow"])

    model = open_model(settings, "main", max_output_tokens=100, max_retries=0)
    with pytest.raises(ExhibitError):
        await model.ask([], "a question", [])
    await model.aclose()
    assert trap.connections > 0  # with these settings a client that asks does connect
