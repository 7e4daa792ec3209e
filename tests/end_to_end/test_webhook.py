"""A run whose end is told: the receiver fails twice, then accepts, and finds the signature over the raw body right."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json

import pytest
from pydantic import SecretStr

from practice.tickets.data import ground_truth
from shared.client.webhooks import read_webhook
from shared.contracts.sessions.status import RunStatus
from shared.host.services import run_embedded
from tests.end_to_end.small_site import Answers, SmallSite
from tests.typed import expect
from tests.waiting import until

SECRET = "of-this-test"


class Hook(Answers):
    """Answers 503, then 500, then 200."""

    got: list[tuple[dict[str, str], bytes]] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.got.append(({name.lower(): value for name, value in self.headers.items()}, body))
        self.answer("", status={1: 503, 2: 500}.get(len(self.got), 200))


@pytest.fixture
def receiver():
    Hook.got = []
    with SmallSite(Hook) as site:
        yield site


async def test_the_end_of_a_run_is_told_until_the_receiver_accepts(settings, ticket_spec, tickets_url, receiver):
    settings = settings.model_copy(
        update={
            "webhook_url": SecretStr(f"{receiver.url}/hook"),
            "webhook_secret": SecretStr(SECRET),
            "webhook_private_hosts": "127.0.0.1",
            "webhook_retry_s": 0.05,
        }
    )
    number = ground_truth()[0].number
    async with run_embedded(settings) as client:
        rows = [{"ticket_number": number, "url": f"{tickets_url}/tickets/{number}"}]
        accepted = await client.submit(ticket_spec, rows=rows)
        await client.result(accepted.run_id)
        await asyncio.to_thread(until, lambda: len(Hook.got) >= 3, "the third attempt")
        status = expect(await client.status(accepted.run_id), RunStatus)
    assert len(Hook.got) == 3
    assert len({body for _, body in Hook.got}) == 1
    assert {headers["x-exhibit-delivery"] for headers, _ in Hook.got} == {f"{accepted.run_id}.0"}
    headers, body = Hook.got[-1]
    signature = headers["x-exhibit-signature"]
    assert signature == hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    told = read_webhook(SECRET, body, signature)
    assert told is not None
    assert told.status == status
    assert (status.success, status.in_progress, list(status.structured_output)) == (True, False, [number])
    assert json.loads(body)["status"]["file_metadata"][0]["file_size"] > 0


def test_a_command_with_a_bus_of_its_own_waits_for_the_receiver(cli, ticket_spec, tickets_url, receiver, tmp_path):
    number = ground_truth()[0].number
    spec, samples = tmp_path / "spec.json", tmp_path / "samples.csv"
    spec.write_text(json.dumps(ticket_spec))
    samples.write_text(f"ticket_number,url\n{number},{tickets_url}/tickets/{number}\n")
    cli.env |= {
        "EXHIBIT_WEBHOOK_URL": f"{receiver.url}/hook",
        "EXHIBIT_WEBHOOK_SECRET": SECRET,
        "EXHIBIT_WEBHOOK_PRIVATE_HOSTS": "127.0.0.1",
        "EXHIBIT_WEBHOOK_RETRY_S": "0.05",
    }
    ended = cli.run("run", str(spec), "--input", str(samples), "--evidence", str(tmp_path / "evidence"))
    assert ended.returncode == 0, ended.stderr
    assert len(Hook.got) == 3
    assert f"{receiver.url} accepted it after 3 attempts" in ended.stderr
