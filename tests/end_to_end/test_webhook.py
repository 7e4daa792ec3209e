"""A run whose end is told: the receiver fails twice, then accepts, and finds the signature over the raw body right."""

from __future__ import annotations

import hashlib
import hmac
from pathlib import Path

import pytest

from shared.client.webhooks import read_webhook
from tests.end_to_end.conftest import Cli
from tests.end_to_end.small_site import Answers, SmallSite
from tests.end_to_end.tickets import FULL

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


def test_a_command_with_a_bus_of_its_own_waits_for_the_receiver(
    cli: Cli, tickets_url: str, receiver: SmallSite, tmp_path: Path
):
    number, samples = FULL[0].number, tmp_path / "samples.csv"
    samples.write_text(f"ticket_number,url\n{number},{tickets_url}/tickets/{number}\n")
    cli.env |= {
        "EXHIBIT_WEBHOOK_URL": f"{receiver.url}/hook",
        "EXHIBIT_WEBHOOK_SECRET": SECRET,
        "EXHIBIT_WEBHOOK_PRIVATE_HOSTS": "127.0.0.1",
        "EXHIBIT_WEBHOOK_RETRY_S": "0.05",
    }
    ended = cli.run(
        "run", "task_specs/practice_tickets.json", "--input", str(samples), "--evidence", str(tmp_path / "evidence")
    )
    assert ended.returncode == 0, ended.stderr
    assert len(Hook.got) == 3
    assert f"{receiver.url} accepted it after 3 attempts" in ended.stderr
    assert len({body for _, body in Hook.got}) == 1
    headers, body = Hook.got[-1]
    signature = headers["x-exhibit-signature"]
    assert signature == hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    told = read_webhook(SECRET, body, signature)
    assert told is not None
    status = told.status
    assert {headers["x-exhibit-delivery"] for headers, _ in Hook.got} == {f"{status.run_id}.0"}
    assert (status.success, status.in_progress, list(status.structured_output)) == (True, False, [number])
