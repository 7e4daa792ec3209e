"""Re-performance of a sample: sessions are released, unreadable pages reported; a missing browser is no finding."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest

from services.planner.deps import Driver, PlannerDeps
from services.planner.handlers import reperform_sample
from shared.bus.actor import Actor
from shared.contracts.browser.stored_pages import PageNotRestored, PageRestored, RestorePage, RestoreReply
from shared.contracts.browser_pool import LeaseReply, LeaseSession, ReleaseSession, SessionLeased, SessionReleased
from shared.contracts.evidence import (
    ArtifactMissing,
    ArtifactProvided,
    ListedArtifact,
    LoadResult,
    ProvideArtifact,
    ProvideReply,
    ResultLoaded,
    ResultReply,
    ResultUnknown,
)
from shared.contracts.reperform import Reperform, SampleReperformed
from shared.contracts.results import Locator
from shared.contracts.steps import FieldValue, ValueSource
from shared.errors import ExhibitError, PermanentError, TransientError, Unavailable
from shared.streams import ANSWERS
from shared.subjects import LEASE, LOAD_RESULT, PROVIDE_ARTIFACT, RELEASE, RESTORE
from shared.testing.bus import MemoryBus
from shared.zstd import pack_zstd
from tests.unit.planner.planner_pages import NOW, page, sample, spec, ticket

SHOWN = page(
    *(
        msgspec.structs.replace(one, fingerprint=f"f{n}", locators=(Locator(kind="css", value=f"#e{n}", matches=1),))
        for n, one in enumerate(ticket(), 1)
    )
)
FACTS = {"capture_id": "c", "url": SHOWN.url, "title": "T", "http_status": 200, "observation_sha256": "o",
         "browser": "b", "viewport": {"width_px": 1, "height_px": 1},
         "captured_at": "2026-03-03T12:00:00Z"}  # fmt: skip
STORED = {
    "page": b"a page",
    "observation": pack_zstd(
        json.dumps({"capture": FACTS, "headers": [], "elements": msgspec.to_builtins(SHOWN.elements)}).encode()
    ),
}
HASHES = {kind: hashlib.sha256(data).hexdigest() for kind, data in STORED.items()}


def value(name: str, n: int, shown: str, read: str) -> FieldValue:
    element = SHOWN.elements[n - 1]
    source = ValueSource(
        snapshot_id="s", observation_sha256="o", url=SHOWN.url, ref=n, role=element.role, label=element.header,
        box=None, frame="main", fingerprint=element.fingerprint, locators=element.locators, kept_ref=n,
        page_sha256=HASHES["page"], observation_file_sha256=HASHES["observation"],
    )  # fmt: skip
    return FieldValue(field=name, state="value", value=read, shown=shown, source=source, read_by="rules")


RESULT = ResultLoaded(
    run_id="run_1",
    sample=sample(),
    spec=spec(required_fields=["assignee", "due_date"]).model_dump(mode="json", by_alias=True),
    attempt=1,
    status="done",
    reason="",
    values=(value("assignee", 3, "Ann Lee", "Ann Lee"), value("due_date", 5, "Mar 3, 2026", "2026-03-03")),
    artifacts=tuple(
        ListedArtifact(filename=f"{kind}.zst", kind=kind, sha256=HASHES[kind], size_bytes=len(STORED[kind]))
        for kind in STORED
    ),
)


@dataclass
class House:
    """Evidence and a browser pool as far as they are asked. ``answers`` are taken one after the other."""

    bus: MemoryBus = field(default_factory=MemoryBus)
    files: dict[str, bytes] = field(default_factory=lambda: {f"{kind}.zst": data for kind, data in STORED.items()})
    result: ResultReply = RESULT
    answers: list[RestoreReply | ExhibitError] = field(default_factory=list)
    asked: list[RestorePage] = field(default_factory=list)
    leases: list[LeaseSession] = field(default_factory=list)
    held: int = 0

    async def reperformed(self) -> SampleReperformed:
        async def wait(_: float) -> None: ...

        def nobody(_: str) -> Driver:
            raise AssertionError("nobody decides anything here")

        self.bus.host(evidence, self)
        self.bus.host(pool, self)
        deps = PlannerDeps(
            self.bus, self.bus, self.bus, nobody, "rules", now=lambda: NOW, elapsed_s=lambda: 0.0, wait=wait,
            blobs=self.bus, lease_bound_s=0.0,
        )  # fmt: skip
        return await reperform_sample(Reperform(run_id="run_1", sample_id="TCK-1001"), deps)

    @property
    def lent(self) -> list[str]:
        return [name for bucket, name in self.bus._blobs if bucket == ANSWERS.name]


evidence: Actor[House] = Actor("evidence")
pool: Actor[House] = Actor("browser_pool")


@evidence.answers(LOAD_RESULT)
async def load_result(request: LoadResult, house: House) -> ResultReply:
    return house.result


@evidence.answers(PROVIDE_ARTIFACT)
async def lend(request: ProvideArtifact, house: House) -> ProvideReply:
    data = house.files.get(request.filename)
    if data is None:
        return ArtifactMissing(filename=request.filename, message="it is not there")
    await house.bus.put(ANSWERS, request.filename, data)
    return ArtifactProvided(blob=request.filename, sha256=hashlib.sha256(data).hexdigest(), size_bytes=len(data))


@pool.answers(LEASE)
async def lease(request: LeaseSession, house: House) -> LeaseReply:
    house.leases.append(request)
    house.held += 1
    return SessionLeased(session_id="s1", instance_id="p1", browser="b")


@pool.answers(RELEASE)
async def release(request: ReleaseSession, house: House) -> SessionReleased:
    house.held -= 1
    return SessionReleased(session_id="s1")


@pool.answers(RESTORE)
async def restore(request: RestorePage, house: House) -> RestoreReply:
    assert await house.bus.get(ANSWERS, request.blob) == STORED["page"]
    house.asked.append(request)
    answer = house.answers.pop(0) if house.answers else PageRestored(page=SHOWN)
    if isinstance(answer, ExhibitError):
        raise answer
    return answer


def verdicts(told: SampleReperformed) -> dict[str, str]:
    return {one.field: one.verdict for one in told.values}


async def test_one_page_is_opened_once_for_all_its_values_and_nothing_is_left_behind():
    house = House()
    told = await house.reperformed()
    assert verdicts(told) == {"assignee": "same", "due_date": "same"}
    assert (told.identity, told.status, [one.filename for one in told.pages]) == ("proven", "done", ["page.zst"])
    assert [one.observation for one in told.values] == ["same", "same"]
    [asked] = house.asked
    assert (asked.sha256, asked.size_bytes) == (HASHES["page"], len(STORED["page"]))
    assert [one.fingerprint for one in asked.sought] == ["f3", "f5"]
    assert {"TCK-1001", "Ann Lee", "Mar 3, 2026"} <= set(asked.keywords)
    assert [one.allowed_hosts for one in house.leases] == [("stored.invalid",)]
    assert (house.held, house.lent) == (0, [])


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"page.zst": b"another page", "observation.zst": STORED["observation"]}, "SHA-256 of page.zst is"),
        ({"observation.zst": STORED["observation"]}, "it is not there"),
        ({"page.zst": STORED["page"], "observation.zst": b"x"}, "SHA-256 of observation.zst is"),
    ],
)
async def test_a_file_that_is_not_what_was_recorded_is_named(files: dict[str, bytes], words: str):
    house = House(files=files)
    told = await house.reperformed()
    assert set(verdicts(told).values()) == {"altered"}
    assert all(words in one.message for one in told.values)
    assert (house.held, house.lent) == (0, [])


async def test_a_hash_that_no_artifact_bears_is_named():
    house = House(result=msgspec.structs.replace(RESULT, artifacts=RESULT.artifacts[1:]))
    told = await house.reperformed()
    assert set(verdicts(told).values()) == {"altered"}
    assert "lists no stored page with SHA-256" in told.values[0].message


OF_NO_LIST: Any = "internal"
"""A code that a permanent error does not have."""


@pytest.mark.parametrize(
    ("answers", "verdict", "tries"),
    [
        ([PageNotRestored(code="not_a_page", message="no page")], "unreadable", 1),
        ([PageNotRestored(code="altered", message="other")], "altered", 1),
        ([Unavailable("gone", code="session_lost")], "same", 2),
        ([Unavailable("gone", code="session_lost")] * 2, "unreadable", 2),
        ([PermanentError("long", code="too_large")], "same", 2),
        ([PermanentError("a bug", code=OF_NO_LIST)], "unreadable", 1),
    ],
)
async def test_a_page_that_cannot_be_opened_is_said(
    answers: list[RestoreReply | ExhibitError], verdict: str, tries: int
):
    house = House(answers=answers)
    told = await house.reperformed()
    assert set(verdicts(told).values()) == {verdict}
    assert len(house.asked) == tries
    assert (house.held, house.lent) == (0, [])


async def test_less_is_asked_for_where_it_was_too_much():
    house = House(answers=[PermanentError("long", code="too_large")])
    await house.reperformed()
    assert house.asked[1].keywords == ()
    assert house.asked[1].max_tokens < house.asked[0].max_tokens
    assert house.asked[1].sought == house.asked[0].sought


async def test_no_browser_is_no_finding():
    house = House(answers=[Unavailable("none", code="no_browser")])
    with pytest.raises(TransientError) as error:
        await house.reperformed()
    assert error.value.code == "no_browser"
    assert (house.held, house.lent) == (0, [])


async def test_a_required_value_that_was_taken_out_of_the_result_is_missed():
    left = House(result=msgspec.structs.replace(RESULT, values=RESULT.values[:1]))
    assert [(value.field, value.verdict) for value in (await left.reperformed()).values] == [
        ("assignee", "same"), ("due_date", "differs"),
    ]  # fmt: skip
    failed = House(result=msgspec.structs.replace(RESULT, values=RESULT.values[:1], status="failed"))
    assert [value.field for value in (await failed.reperformed()).values] == ["assignee"]


async def test_a_sample_without_a_result_is_said():
    house = House(result=ResultUnknown(run_id="run_1", sample_id="TCK-1001", message="no result yet", known=True))
    told = await house.reperformed()
    assert (told.problem, told.values) == ("no result yet", ())
    broken = House(result=msgspec.structs.replace(RESULT, spec={"goal": 3}))
    assert "cannot be read" in (await broken.reperformed()).problem
