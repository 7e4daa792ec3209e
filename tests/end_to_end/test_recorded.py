"""One complete run of each task family with recorded answers: the real SDK, browser, bus and sites; no model.

The answers are true decisions about exactly these prompts (tests/recordings/planner/README.md), so they are replayed
only if the prompt is the same. The results are compared with the ground truth of the practice sites. Flows are compiled
from what the model did, and run on the recorded samples.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from practice.families import FAMILIES, Family
from scripts.families import Outcome, play_family, report
from shared.evidence_format.sources.folder import FolderSource
from shared.flows.checking.validation import Validation, validate_flow
from shared.flows.compiling.compiler import CompiledFlow, compile_flow
from shared.host.services import run_embedded
from shared.recordings.from_run import read_recordings
from shared.recordings.recording import Recording
from shared.task.spec import TaskSpec, check_spec
from shared.testing.cassette import Player
from shared.testing.settings import isolated_settings, library_settings
from tests.end_to_end.family_runs import spec_of
from tests.end_to_end.recorded_families import recording_of

BY_NAME = {family.name: family for family in FAMILIES}
ALWAYS = "blame"
"""The family that is always played; the tickets are, in test_recorded_in_auto.py."""
FIRST_TWO = (0, 1)
COMPILED_FROM = {"blame": (0, 2)}
"""Samples that a flow is compiled from. The first two lines of code are in one file, and do not tell its path."""
Play = Callable[[Family], tuple[Outcome, Player]]


@dataclass(frozen=True)
class CompiledFamily:
    """The flow of two samples of a model, all samples, and how it does on the others, else on these two."""

    flow: CompiledFlow
    samples: Sequence[Recording]
    validation: Validation


@pytest.fixture(scope="module")
def play(tmp_path_factory: pytest.TempPathFactory) -> Play:
    """Play the recording of a family, once for all tests."""
    played: dict[str, tuple[Outcome, Player]] = {}

    def play(family: Family) -> tuple[Outcome, Player]:
        if family.name not in played:
            folder = tmp_path_factory.mktemp("family")
            settings = isolated_settings(evidence_dir=folder / "evidence", state_dir=folder / "state", nats_url=None)
            played[family.name] = asyncio.run(play_family(family, recording_of(family.name), settings))
        return played[family.name]

    return play


@pytest.fixture(scope="module")
def compiled(play: Play, tmp_path_factory: pytest.TempPathFactory) -> dict[str, CompiledFamily]:
    """The flow of each family, compiled from two samples of the model."""
    folder = tmp_path_factory.mktemp("flows")
    settings = library_settings(folder)
    runs = {family.name: Path(play(family)[0].finished.location) for family in FAMILIES}

    async def compile_all() -> dict[str, CompiledFamily]:
        found: dict[str, CompiledFamily] = {}
        async with run_embedded(settings) as client:
            for name, run in runs.items():
                spec, samples = task_of(BY_NAME[name]), read_recordings(FolderSource(run)).samples
                chosen = [samples[at] for at in COMPILED_FROM.get(name, FIRST_TWO)]
                flow = compile_flow(spec, chosen)
                others = [one for one in samples if one not in chosen] or samples
                found[name] = CompiledFamily(flow, samples, await validate_flow(client.bus, flow, spec, others))
        return found

    return asyncio.run(compile_all())


def task_of(family: Family) -> TaskSpec:
    spec, problems = check_spec(spec_of(family.spec.removesuffix(".json")))
    assert spec is not None, problems
    return spec


@pytest.mark.parametrize(
    "family", [pytest.param(one, id=one.name, marks=() if one.name == ALWAYS else pytest.mark.long) for one in FAMILIES]
)
def test_recorded_decisions_come_to_what_the_site_holds(family, play):
    outcome, player = play(family)
    assert player.unexpected == []
    assert player.left("decide") == player.left("answer") == 0
    assert outcome.score.wrong == (), report(family, outcome)
    assert outcome.finished.llm_calls == sum(player.played.values())
    check_evidence(Path(outcome.finished.location), judged=any("judgment" in one for one in outcome.score.cells))


def check_evidence(run: Path, *, judged: bool) -> None:
    """Every step says why; every judgment rests on files that are there."""
    for log in run.glob("*/action_log.json"):
        steps = json.loads(log.read_text(encoding="utf-8"))
        assert all(step["thinking"] for step in steps if step["action"] != "none"), log
        result = json.loads((log.parent / "result.json").read_text(encoding="utf-8"))
        assert sum(step["usage"]["llm_calls"] for step in steps) <= result["llm_calls"]
        if judged:
            refs = result["judgment"]["evidence_refs"]
            assert refs
            assert all((log.parent / ref).is_file() for ref in refs)


# --- flows of what the model did


@pytest.mark.long
@pytest.mark.parametrize(("name", "held_out"), [("tickets", 1), ("blame", 1), ("people", 0), ("hr requests", 0)])
def test_a_flow_of_a_models_samples_does_and_finds_the_same(name, held_out, compiled):
    one = compiled[name]
    assert len(one.samples) == len(FIRST_TWO) + held_out
    assert len(one.validation.checks) == (held_out or len(FIRST_TWO))
    assert one.validation.problems == ()
    fields = task_of(BY_NAME[name]).output_schema
    for check in one.validation.checks:
        assert set(fields) - set(one.flow.with_model) <= set(check.values)
    assert set(one.flow.with_model) <= {"judgment"}


@pytest.mark.long
def test_a_flow_of_different_commits_stays_a_draft_and_says_why(compiled):
    one = compiled["commit audit"]
    assert one.validation.checks == ()
    assert one.validation.problems
    # The first commit passed all checks, the second did not: where its details are is not told by one sample.
    assert any("Details" in problem or "go_back" in problem for problem in one.validation.problems)
