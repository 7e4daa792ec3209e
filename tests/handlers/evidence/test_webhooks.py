"""The webhook at the end of a run, on a bus in memory: stored first, sent at least once, counted, given up."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from services.evidence.comparisons import Comparisons
from services.evidence.handlers import deliver_webhook, queue_webhook
from services.evidence.read_api.read_handlers import load_status
from services.evidence.webhooks.attempts import ReceiverAnswer
from services.evidence.webhooks.delivery import Webhooks
from services.evidence.webhooks.sender import HttpSender
from shared.client.webhooks import DELIVERY_HEADER, SIGNATURE_HEADER, read_webhook
from shared.contracts.base import Usage
from shared.contracts.evidence import RunFinished, RunUnknown
from shared.contracts.sessions.status import NO_SAMPLES, LoadStatus, RunStatus
from shared.contracts.sessions.webhooks import DeliverWebhook, WebhookDelivery
from shared.errors import PermanentError, Unavailable
from shared.evidence_format.sources.folder import FolderSource
from shared.streams import WEBHOOKS
from tests.end_to_end.small_site import Answers, SmallSite
from tests.handlers.evidence.evidence_desk import KEY, NOW, Desk, closed, ended, found, sample, started, took
from tests.typed import expect, there

SECRET = "a-secret"
URL = "https://receiver.test/hook?token=hidden"


class Receiver:
    """Answers with what the test says, in order, and keeps what arrived."""

    def __init__(self, *answers: ReceiverAnswer | BaseException) -> None:
        self.answers, self.got = list(answers), list[tuple[Mapping[str, str], bytes]]()

    async def post(self, url: str, headers: Mapping[str, str], body: bytes, /) -> ReceiverAnswer:
        self.got.append((headers, body))
        answer = self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer


def hooked(desk: Desk, *answers: ReceiverAnswer | BaseException, secret: str = SECRET, most: int = 3) -> Receiver:
    receiver = Receiver(*answers)
    desk.deps.webhooks = Webhooks(URL, secret, receiver, desk.bus, lambda: NOW, most, 1.0)
    return receiver


async def finished(desk: Desk, status: str = "done", **more: Any) -> RunFinished:
    await desk.begun(sample("A-1"), sample("A-2", 2))
    await desk.tell(ended(sample("A-1")))
    return expect(await desk.tell(ended(sample("A-2", 2), status=status, **more)), RunFinished)


async def stored(desk: Desk) -> WebhookDelivery:
    return expect(await desk.bus.read(WEBHOOKS, "run_1/0", WebhookDelivery), WebhookDelivery)


async def queued(desk: Desk, run: RunFinished) -> DeliverWebhook:
    return expect(await queue_webhook(run, desk.deps, 1), DeliverWebhook)


async def test_a_receiver_that_fails_twice_gets_the_same_signed_bytes_a_third_time(desk):
    receiver = hooked(desk, ReceiverAnswer("rejected", 500), ReceiverAnswer("timeout"), ReceiverAnswer("accepted", 200))
    command = await queued(desk, await finished(desk))
    pauses = []
    for attempt in (1, 2):
        with pytest.raises(Unavailable) as caught:
            await deliver_webhook(command, desk.deps, attempt)
        pauses.append(caught.value.retry_after_s)
    await deliver_webhook(command, desk.deps, 3)
    await deliver_webhook(command, desk.deps, 4)  # delivered again by the bus
    assert pauses == [1.0, 2.0]
    assert len(receiver.got) == 3
    assert len({body for _, body in receiver.got}) == 1
    headers, body = receiver.got[-1]
    said = read_webhook(SECRET, body, headers[SIGNATURE_HEADER])
    assert said is not None
    assert (said.delivery_id, headers[DELIVERY_HEADER]) == ("run_1.0", "run_1.0")
    assert (said.status.success, said.status.in_progress) == (True, False)
    assert said.status.structured_output == {key: {"number": "7", "owner": None} for key in ("A-1", "A-2")}
    record = await stored(desk)
    assert record.state == "delivered"
    made = [(one.outcome, one.http_status) for one in record.attempts]
    assert made == [("rejected", 500), ("timeout", 0), ("accepted", 200)]


async def test_a_process_that_dies_within_an_attempt_leaves_it_to_the_next(desk):
    receiver = hooked(desk, asyncio.CancelledError(), ReceiverAnswer("accepted", 200))
    command = await queued(desk, await finished(desk))
    with pytest.raises(asyncio.CancelledError):
        await deliver_webhook(command, desk.deps, 1)
    await deliver_webhook(command, desk.deps, 2)
    assert [one.outcome for one in (await stored(desk)).attempts] == ["begun", "accepted"]
    assert receiver.got[0] == receiver.got[1]


async def test_the_end_of_a_run_that_is_told_twice_makes_one_body(desk):
    hooked(desk)
    run = await finished(desk)
    command = await queued(desk, run)
    first = await stored(desk)
    (desk.root / "run_1" / "A-2" / "result.json").write_bytes(b"{")
    assert await queued(desk, run) == command
    assert await stored(desk) == first


async def test_after_the_last_attempt_it_is_given_up_and_not_sent_again(desk):
    receiver = hooked(desk, ReceiverAnswer("rejected", 503), ReceiverAnswer("rejected", 503), most=2)
    command = await queued(desk, await finished(desk))
    with pytest.raises(Unavailable):
        await deliver_webhook(command, desk.deps, 1)
    with pytest.raises(PermanentError) as caught:
        await deliver_webhook(command, desk.deps, 2)
    await deliver_webhook(command, desk.deps, 3)
    assert (caught.value.code, (await stored(desk)).state, len(receiver.got)) == ("webhook_given_up", "given_up", 2)


async def test_without_a_secret_nothing_is_sent(desk):
    receiver = hooked(desk, secret="")
    command = await queued(desk, await finished(desk))
    with pytest.raises(PermanentError, match="EXHIBIT_WEBHOOK_SECRET"):
        await deliver_webhook(command, desk.deps, 1)
    assert (receiver.got, (await stored(desk)).state) == ([], "refused")


async def test_neither_the_secret_nor_the_path_of_the_address_is_in_messages_or_the_record(desk, caplog):
    hooked(desk, ReceiverAnswer("rejected", 500, "receiver.test answered 500"), most=1)
    with pytest.raises(PermanentError) as caught:
        await deliver_webhook(await queued(desk, await finished(desk)), desk.deps, 1)
    told = f"{caught.value} {caplog.text} {await stored(desk)} {desk.deps.webhooks}"
    assert "hidden" not in told
    assert SECRET not in told
    assert (await stored(desk)).receiver == "https://receiver.test"


async def test_without_a_receiver_in_the_settings_nothing_is_queued(desk):
    assert await queue_webhook(await finished(desk), desk.deps, 1) is None


# --- over HTTP


class Hook(Answers):
    status = 200
    hits: list[str] = []

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.hits.append(self.path)
        self.answer("thanks", status=self.status, location="/elsewhere")


@pytest.fixture
def site():
    Hook.hits = []
    with SmallSite(Hook) as site:
        yield site


async def unresolved(host: str) -> tuple[str, ...]:
    return ()


async def loopback(host: str) -> tuple[str, ...]:
    return ("127.0.0.1",)


@pytest.mark.parametrize(("status", "outcome"), [(204, "accepted"), (500, "rejected"), (302, "rejected")])
async def test_only_2xx_accepts_and_no_redirect_is_followed(site, monkeypatch, status, outcome):
    monkeypatch.setattr(Hook, "status", status)
    sender = HttpSender(loopback, ("127.0.0.1",), 60.0)
    answer = await sender.post(f"{site.url}/hook", {}, b"{}")
    assert (answer.outcome, answer.http_status, Hook.hits) == (outcome, status, ["/hook"])


@pytest.mark.parametrize("url", ["{site}/hook", "http://localhost:{port}/hook", "http://named.test:{port}/hook"])
async def test_a_private_address_is_refused_unless_the_settings_name_it(site, url):
    port = site.server_address[1]
    address = url.format(site=site.url, port=port)
    refused = await HttpSender(loopback, (), 60.0).post(address, {}, b"{}")
    assert (refused.outcome, Hook.hits) == ("refused", [])
    assert "EXHIBIT_WEBHOOK_PRIVATE_HOSTS" in refused.message
    allowed = HttpSender(loopback, ("127.0.0.1", "localhost", "named.test"), 60.0)
    assert (await allowed.post(address, {}, b"{}")).outcome == "accepted"


@pytest.mark.parametrize(
    "url", ["ftp://receiver.test/x", "file:///etc/passwd", "no address", "https://user:s3cr3t@receiver.test/"]
)
async def test_only_http_addresses_without_a_user_are_opened(url):
    answer = await HttpSender(loopback, ("*",), 60.0).post(url, {}, b"{}")
    assert answer.outcome == "refused"
    assert "s3cr3t" not in answer.message


async def test_an_unknown_name_and_a_closed_port_may_be_there_later(site):
    assert (await HttpSender(unresolved, (), 60.0).post("https://gone.test/", {}, b"{}")).outcome == "unreachable"
    port = site.server_address[1]
    site.shutdown()
    site.server_close()
    sender = HttpSender(loopback, ("127.0.0.1",), 60.0)
    assert (await sender.post(f"http://127.0.0.1:{port}/", {}, b"{}")).outcome == "unreachable"


# --- the status record


async def status_of(desk: Desk, skip: int = 0) -> RunStatus:
    return expect(await load_status(LoadStatus(run_id="run_1", skip=skip), desk.deps), RunStatus)


async def test_the_status_record_of_a_run_at_work(desk):
    await desk.begun(sample("A-1"), sample("A-2", 2))
    filed = await desk.capture(sample("A-1"))
    await desk.tell(took(sample("A-1"), filed), ended(sample("A-1"), filed))
    status = await status_of(desk)
    assert (status.in_progress, status.success, status.final_message) == (True, None, "")
    assert (status.metadata.samples, status.metadata.ended) == (2, 1)
    assert list(status.structured_output) == ["A-1"]
    (file,) = status.file_metadata
    assert (file.filename, file.file_size, file.download_timestamp) == ("01_t.png", 3, NOW)
    assert Path(file.download_url).read_bytes() == b"png"
    assert isinstance(await load_status(LoadStatus(run_id="run_9"), desk.deps), RunUnknown)


async def test_a_sample_for_review_is_no_success(desk):
    await finished(desk, status="needs_review", reason="ambiguous_value")
    status = await status_of(desk)
    assert (status.in_progress, status.success) == (False, False)
    assert status.final_message == "2 samples: 1 done, 1 needs_review (ambiguous_value)."
    assert [(one.sample_id, one.status) for one in status.samples] == [("A-1", "done"), ("A-2", "needs_review")]


async def test_pages_of_a_status_record_join(desk, monkeypatch):
    monkeypatch.setattr("services.evidence.read_api.run_status.STATUS_BYTES", 10)
    await finished(desk)
    first = await status_of(desk)
    last = await status_of(desk, first.next_skip or 0)
    assert (list(first.structured_output), first.next_skip) == (["A-1"], 1)
    assert (list(last.structured_output), last.next_skip) == (["A-2"], None)


async def test_what_counts_for_the_whole_run_is_told_without_its_samples(desk):
    one, two = sample("A-1"), sample("A-2", 2)
    await desk.begun(one, two, sample("A-3", 3))
    spent = (Usage(llm_calls=1, cost_usd=0.25), Usage(llm_calls=3, cost_usd=0.5))
    await desk.tell(ended(one, usage=spent[0], drivers=("flow",)))
    await desk.tell(ended(two, usage=spent[1], drivers=("flow", "model")))
    status = await status_of(desk, NO_SAMPLES)
    assert (status.structured_output, status.samples, status.next_skip) == ({}, (), None)
    assert (status.metadata.ended, status.cost_usd) == (2, 0.75)
    assert {one.drivers: one.samples for one in status.worked} == {("flow",): 1, ("flow", "model"): 1}


async def test_a_damaged_result_is_no_success_and_costs_only_itself(desk):
    await finished(desk)
    (desk.root / "run_1" / "A-2" / "result.json").write_bytes(b"{")
    status = await status_of(desk)
    assert list(status.structured_output) == ["A-1"]
    assert len(status.samples) == 2


async def test_a_run_that_follows_another_tells_what_has_changed(desk: Desk, tmp_path: Path):
    receiver = hooked(desk, ReceiverAnswer("accepted", 200))
    before = Desk(tmp_path / "before", products=())
    await before.begun(sample("A-1"))
    await before.tell(ended(sample("A-1"), number="6"))
    roots = {"run_0": before.root, "run_1": desk.root}
    desk.deps.comparisons = Comparisons(lambda run_id: nullcontext(FolderSource(roots[run_id] / "run_1")), KEY.public)
    await desk.tell(started(schedule="monthly", follows="run_0"), found(sample("A-1")), closed(1))
    await deliver_webhook(await queued(desk, await desk.tell(ended(sample("A-1")))), desk.deps, 1)
    [(headers, body)] = receiver.got
    told = there(there(read_webhook(SECRET, body, headers[SIGNATURE_HEADER])).comparison)
    assert (told.run_a, told.run_b, told.changed, told.refused) == ("run_0", "run_1", {"number": 1}, "")
