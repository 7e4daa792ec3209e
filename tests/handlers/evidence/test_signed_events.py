"""Who sent an event: evidence takes what the right service has signed, on the subject and with the bytes it signed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace

from services.evidence.handlers import actor as evidence
from shared.bus.runner import Delivery, Runner
from shared.bus.signing.service_keys import KeysInMemory
from shared.bus.signing.signatures import SIGNATURE, EventSigner
from shared.bus.verdict import Term, Verdict
from shared.contracts.base import Failure
from shared.contracts.evidence import RunFinished
from shared.contracts.sessions.reviewing import ReviewSignedOff
from shared.contracts.sessions.settling import SampleSettled, Settlement
from shared.subjects import (
    POPULATION_CLOSED,
    REVIEW_SIGNED_OFF,
    RUN_FINISHED,
    RUN_STARTED,
    SAMPLE_FINISHED,
    SAMPLE_FOUND,
    SAMPLE_SETTLED,
    STEP_TAKEN,
    Stored,
    subject_for,
)
from tests.handlers.evidence.evidence_desk import NOW, Desk, closed, ended, found, outcomes, sample, started, took
from tests.handlers.evidence.signing_world import signed, signer_of

KEYS, ONE = KeysInMemory(), sample("A-1")
PLANNER, DISCOVERY = signer_of(KEYS, "planner"), signer_of(KEYS, "discovery")
FORGED = ended(ONE, steps=1, number="66")
SETTLED = Settlement(number=1, verdict="done", by="who", reason="I saw it.", at=NOW, attempt=1)
ENDED: dict[str, Any] = {"samples": 1, "outcomes": (), "location": "", "table": "", "llm_calls": 0, "cost_usd": 0.0}


class Sent:
    """A delivery of a message, with its outbox."""

    attempt = 1

    def __init__(self, subject: Stored[Any], message: Any, headers: Mapping[str, str], at: str = "") -> None:
        self.subject, self.data = at or subject_for(subject, message), msgspec.json.encode(message)
        self.headers, self.published = headers, list[Any]()
        self.verdict: Verdict | None = None

    async def acknowledge(self, verdict: Verdict, /) -> None:
        self.verdict = verdict

    async def in_progress(self) -> None: ...

    async def publish(self, subject: Stored[Any], message: Any) -> None:
        self.published.append(message)

    async def is_handled(self, message_id: str) -> bool:
        return False

    async def mark_handled(self, message_id: str) -> None: ...

    async def dead_letter(self, original: Delivery, failure: Failure) -> None: ...


async def send(desk: Desk, subject: Stored[Any], message: Any, headers: Mapping[str, str], at: str = "") -> Sent:
    sent = Sent(subject, message, headers, at)
    await Runner(desk.deps, sent, known=KEYS).handle(evidence.stored[subject.pattern], sent)
    return sent


async def honest(desk: Desk, signer: EventSigner, subject: Stored[Any], message: Any) -> Sent:
    return await send(desk, subject, message, signed(signer, subject, message))


@pytest.fixture
async def desk(tmp_path: Path) -> Desk:
    """A run of one sample, of which the planner has taken the first step."""
    desk = Desk(tmp_path / "evidence", products=())
    await honest(desk, DISCOVERY, RUN_STARTED, started())
    await honest(desk, DISCOVERY, SAMPLE_FOUND, found(ONE))
    await honest(desk, DISCOVERY, POPULATION_CLOSED, closed(1))
    await honest(desk, PLANNER, STEP_TAKEN, took(ONE))
    return desk


async def end_honestly(desk: Desk, *refused: tuple[str, str]) -> None:
    """End the run by its planner: it is as if nothing had been forged."""
    sent = await honest(desk, PLANNER, SAMPLE_FINISHED, ended(ONE, steps=1))
    [finished] = sent.published
    assert outcomes(finished) == {("done", ""): 1}
    assert desk.refused() == sorted(refused)
    result = desk.json("A-1/result.json")
    assert (result["extracted"]["number"], result["attempt"], result["steps"]) == ("7", 1, 1)
    assert desk.check().stands


@pytest.mark.parametrize(
    ("subject", "forged"),
    [
        (STEP_TAKEN, took(ONE, step=2)),
        (SAMPLE_FINISHED, FORGED),
        (SAMPLE_FINISHED, ended(ONE, steps=1)),
        (RUN_STARTED, started(1)),
        (SAMPLE_FOUND, found(sample("B-9", 9))),
        (POPULATION_CLOSED, closed(2)),
        (SAMPLE_SETTLED, SampleSettled(run_id="run_1", sample_id="A-1", attempt=1, number=1, settlement=SETTLED)),
        (REVIEW_SIGNED_OFF, ReviewSignedOff(run_id="run_1", round=1, number=1)),
        (RUN_FINISHED, RunFinished(run_id="run_1", attempt_base=0, started_at=NOW, finished_at=NOW, **ENDED)),
    ],
    ids=lambda one: type(one).__name__,
)
async def test_all_that_decides_must_be_signed(desk: Desk, subject: Stored[Any], forged: Any):
    await send(desk, subject, forged, {})
    await end_honestly(desk, (type(forged).__name__, "not_signed"))


async def test_a_key_of_nobody_is_of_no_use(desk: Desk):
    await honest(desk, EventSigner(Ed25519PrivateKey.generate()), SAMPLE_FINISHED, FORGED)
    await end_honestly(desk, ("SampleFinished", "unknown_signer"))


@pytest.mark.parametrize(
    ("subject", "forged", "by"),
    [
        (SAMPLE_FINISHED, FORGED, "discovery"),
        (STEP_TAKEN, took(ONE, step=2), "discovery"),
        (STEP_TAKEN, took(ONE, step=2), "evidence"),
        (POPULATION_CLOSED, closed(1, 1), "planner"),
        (RUN_STARTED, started(1), "planner"),
    ],
)
async def test_a_key_of_another_service_is_of_no_use(desk: Desk, subject: Stored[Any], forged: Any, by: str):
    await honest(desk, signer_of(KEYS, by), subject, forged)
    await end_honestly(desk, (type(forged).__name__, "other_signer"))


async def test_a_copied_signature_is_of_no_use_for_other_content(desk: Desk):
    copied = signed(PLANNER, STEP_TAKEN, took(ONE))
    for forged in (replace(took(ONE), message="x"), took(ONE, step=2), took(ONE, attempt=2)):
        await send(desk, STEP_TAKEN, forged, copied)
    await send(desk, SAMPLE_FINISHED, FORGED, copied)
    await end_honestly(desk, *[("StepTaken", "bad_signature")] * 3, ("SampleFinished", "bad_signature"))


@pytest.mark.parametrize("where", ["run_2.A-1", "run_1.A-2"])
async def test_signed_bytes_are_of_no_use_in_another_run_or_sample(desk: Desk, where: str):
    step = took(ONE, step=2)
    sent = await send(desk, STEP_TAKEN, step, signed(PLANNER, STEP_TAKEN, step), f"{STEP_TAKEN.pattern}.{where}")
    assert isinstance(sent.verdict, Term)
    await end_honestly(desk)


async def test_a_replay_of_signed_events_changes_nothing(desk: Desk):
    await honest(desk, PLANNER, STEP_TAKEN, took(ONE))
    await end_honestly(desk)
    files = desk.files()
    await honest(desk, DISCOVERY, RUN_STARTED, started())
    await honest(desk, PLANNER, STEP_TAKEN, took(ONE))
    assert (desk.files(), desk.refused()) == (files, [])


@pytest.mark.parametrize(
    ("header", "code"),
    [
        ("", "not_signed"),
        (".", "not_signed"),
        ("no/key.x", "unknown_signer"),
        ("0" * 64, "unknown_signer"),
        ("{key}", "bad_signature"),
        ("{key}.", "bad_signature"),
        ("{key}.AAAA", "bad_signature"),
        ("{key}.\u00b5", "bad_signature"),
    ],
)
async def test_what_is_no_signature_is_refused(desk: Desk, header: str, code: str):
    await send(desk, SAMPLE_FINISHED, FORGED, {SIGNATURE: header.format(key=PLANNER.public)})
    await end_honestly(desk, ("SampleFinished", code))
