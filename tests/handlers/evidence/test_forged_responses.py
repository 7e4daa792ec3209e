"""Values that are said to come from an API count only with its stored response, at the place that the task names."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from shared.contracts.steps import FieldValue, FiledArtifact, ResponseSource
from tests.handlers.evidence.evidence_desk import SPEC, Desk, closed, ended, found, outcomes, sample, started, took

ONE = sample("A-1")
BODY = b'{"number": 7, "owner": null}'


@pytest.fixture
async def desk(desk: Desk) -> Desk:
    """A run of one sample, whose task names an API."""
    integration = {"url": "https://a.example/api", "fields": {"number": "/number", "owner": "/owner"}}
    await desk.tell(started(spec={**SPEC, "integration": integration}), found(ONE), closed(1))
    return desk


async def stored(desk: Desk) -> FiledArtifact:
    filed = await desk.capture(ONE, BODY, filename="response.json")
    return replace(filed, artifact=replace(filed.artifact, kind="response"))


def given(sha256: str) -> tuple[FieldValue, ...]:
    number = ResponseSource(url="https://a.example/api", sha256=sha256, pointer="/number")
    value = FieldValue(field="number", state="value", value="7", shown="7", origin="api", response=number)
    none = replace(value, field="owner", state="not_present", value=None, response=replace(number, pointer="/owner"))
    return (value, none)


async def test_values_of_a_stored_response_count(desk: Desk):
    filed = await stored(desk)
    values = given(filed.artifact.sha256)
    await desk.tell(replace(took(ONE, filed), values=values))
    assert outcomes(await desk.tell(replace(ended(ONE, filed, steps=1), values=values))) == {("done", ""): 1}
    assert desk.refused() == []


@pytest.mark.parametrize(
    ("logged", "said", "code"),
    [
        ({}, {"response": None}, "not_filed"),
        ({}, {"origin": "page"}, "not_filed"),
        ({}, {"sha256": "f" * 64}, "not_filed"),
        ({}, {"pointer": "/owner"}, "not_logged"),
        ({"pointer": "/owner"}, {"pointer": "/owner"}, "not_logged"),
        ({}, {"value": "8"}, "not_logged"),
        ({}, {"origin": "page", "response": None}, "not_logged"),
        ({"response": None}, {}, "not_logged"),
        ({"origin": "page", "response": None}, {"origin": "api", "response": None}, "not_filed"),
    ],
)
async def test_what_no_stored_response_bears_out_is_refused(
    desk: Desk, logged: dict[str, Any], said: dict[str, Any], code: str
):
    filed = await stored(desk)
    await desk.tell(replace(took(ONE, filed), values=forged(filed, logged)))
    await desk.tell(replace(ended(ONE, filed, steps=1), values=forged(filed, said)))
    assert desk.refused() == [("SampleFinished", code)]


async def test_a_file_of_another_kind_is_no_response(desk: Desk):
    filed = await desk.capture(ONE, BODY)
    values = given(filed.artifact.sha256)
    await desk.tell(replace(took(ONE, filed), values=values))
    await desk.tell(replace(ended(ONE, filed, steps=1), values=values))
    assert desk.refused() == [("SampleFinished", "not_filed")]


def forged(filed: FiledArtifact, changed: dict[str, Any]) -> tuple[FieldValue, ...]:
    place = {name: changed[name] for name in ("sha256", "pointer") if name in changed}
    number, none = given(filed.artifact.sha256)
    assert number.response is not None
    rest = {name: value for name, value in changed.items() if name not in place}
    return (replace(replace(number, response=replace(number.response, **place)), **rest), none)
