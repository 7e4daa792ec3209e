"""With the mode `flow` nothing is asked of a model: the settings have a key, and its endpoint counts connections."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from practice.tickets.data import ground_truth
from practice.tickets.demo import compare, write_input
from shared.client.workflow_calls import create_workflow
from shared.contracts.workflows.library import WorkflowCreated
from shared.errors import ExhibitError
from shared.host.services import run_embedded
from shared.models.client import open_model
from tests.end_to_end.flow_sources import READ_TICKET, TICKET_FILES


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


async def test_a_run_on_flows_connects_to_no_model(settings, ticket_spec, tickets_url, tmp_path, trap):
    settings = settings.model_copy(
        update={
            "workflows_dir": tmp_path / "workflows",
            "tools_dir": tmp_path / "tools",
            "anthropic_api_key": SecretStr("a key"),
            "anthropic_base_url": trap.url,
        }
    )
    tickets, table = ground_truth()[:2], tmp_path / "tickets.csv"
    write_input(table, tickets_url, tickets)
    spec = {**ticket_spec, "workflow": {"name": "read_ticket"}}
    async with run_embedded(settings) as client:
        created = await create_workflow(client.bus, "read_ticket", READ_TICKET, files=TICKET_FILES)
        assert isinstance(created, WorkflowCreated)
        accepted = await client.submit(spec, file=(table.name, table.read_bytes()), mode="flow")
        finished = await client.result(accepted.run_id)
    assert trap.connections == 0
    assert compare(Path(finished.table), tickets) == []
    assert finished.llm_calls == 0
    results = [json.loads(path.read_text()) for path in Path(finished.location).glob("*/result.json")]
    assert [result["usage"]["llm_calls"] for result in results] == [0] * finished.samples
    assert {result["way"] for result in results} == {"flow"}

    model = open_model(settings, "main", max_output_tokens=100, max_retries=0)
    with pytest.raises(ExhibitError):
        await model.ask([], "a question", [])
    await model.aclose()
    assert trap.connections > 0  # with these settings a client that asks does connect
