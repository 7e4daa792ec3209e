"""Finding runs and steering several of them: what is searched for, what a view is, what an answer says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from services.console.web.desk import Desk
from services.console.web.finding.saved_views import (
    MOST_VIEWS,
    SavedView,
    query_of,
    read_views,
    remove_view,
    save_view,
    views_file,
)
from services.console.web.finding.values_query import values_query
from services.console.web.guard import Guard, WebSessions
from services.console.web.page_origin import PageOrigin
from services.console.web.static_files import static_files
from services.console.web.steering.answers import read_answers
from services.console.web.steering.controls_web import MOST_RUNS_AT_ONCE
from services.console.web.web_app import make_app
from shared.bus.actor import Actor
from shared.client import Client
from shared.contracts.questions import Question, QuestionAnswer
from shared.contracts.sessions.control import ControlRefused, ControlReply, ControlRun, RunControlled
from shared.settings import Settings
from shared.subjects import CONTROL_RUN
from shared.testing.bus import MemoryBus
from tests.unit.console.asked_pages import HOST, SentPage, ask_page
from tests.unit.planner.planner_pages import NOW

ONE = Question(text="Which one?", options=("first", "last"))
SEVERAL = Question(text="Which ones?", options=("a", "b", "c"), multi_select=True)


@dataclass
class Steered:
    """Applies controls to runs, but for those that are over."""

    over: tuple[str, ...] = ()
    applied: list[ControlRun] = field(default_factory=list[ControlRun])


discovery: Actor[Steered] = Actor("discovery")


@discovery.answers(CONTROL_RUN)
async def control_run(request: ControlRun, deps: Steered) -> ControlReply:
    if request.run_id in deps.over:
        return ControlRefused(run_id=request.run_id, code="run_ended", message=f"{request.run_id} has ended")
    deps.applied.append(request)
    return RunControlled(
        run_id=request.run_id, number=1, control_id=request.control_id, control=request.control, by=request.by, at=NOW
    )


async def asked(folder: Path, steered: Steered, path: str, form: dict[str, str] | None = None) -> SentPage:
    bus: Any = MemoryBus()
    bus.host(discovery, steered)
    settings = Settings(state_dir=folder, nats_url=None)
    sessions = WebSessions()
    desk = Desk(Client(bus), settings, "ann", static_files(), PageOrigin("http://p", (), settings))
    return await ask_page(Guard(make_app(desk), sessions, {HOST}), sessions, path, form)


# --- several runs


async def test_a_control_of_several_runs_names_their_number_and_is_applied_to_each(tmp_path: Path):
    steered = Steered()
    page = await asked(tmp_path, steered, "/several/close?run=run_1&run=run_2&run=run_1")
    assert "Close 2 runs?" in page.text
    assert steered.applied == []
    done = await asked(tmp_path, steered, "/several/close", {"run.1": "run_1", "run.2": "run_2"})
    assert (done.status, "2 runs closed" in done.text) == (200, True)
    assert {(one.run_id, one.by) for one in steered.applied} == {("run_1", "ann"), ("run_2", "ann")}


async def test_a_run_that_refuses_keeps_no_other_from_it_and_is_named(tmp_path: Path):
    steered = Steered(over=("run_1",))
    done = await asked(tmp_path, steered, "/several/pause", {"run.1": "run_1", "run.2": "run_2"})
    assert (done.status, "1 of 2 paused" in done.text, "run_1 has ended" in done.text) == (409, True, True)
    assert [one.run_id for one in steered.applied] == ["run_2"]


@pytest.mark.parametrize("control", ["interrupt", "message", "none"])
async def test_only_some_controls_are_for_several(tmp_path: Path, control: str):
    assert (await asked(tmp_path, Steered(), f"/several/{control}?run=run_1")).status == 404


async def test_of_no_run_and_of_too_many_nothing_is_done(tmp_path: Path):
    steered = Steered()
    assert "No run was chosen" in (await asked(tmp_path, steered, "/several/pause")).text
    many = {f"run.{n}": f"run_{n}" for n in range(MOST_RUNS_AT_ONCE + 1)}
    assert (await asked(tmp_path, steered, "/several/pause", many)).status == 400
    assert steered.applied == []


# --- answers


@pytest.mark.parametrize(
    ("questions", "form", "answers"),
    [
        ((ONE,), {"chosen.0": "1"}, (QuestionAnswer(question="Which one?", chosen=("last",)),)),
        ((ONE,), {"text.0": " neither "}, (QuestionAnswer(question="Which one?", text="neither"),)),
        ((ONE,), {"chosen.0": "0", "text.0": "neither"}, (QuestionAnswer(question="Which one?", text="neither"),)),
        (
            (ONE, SEVERAL),
            {"chosen.0": "0", "chosen.1.2": "2", "chosen.1.0": "0"},
            (
                QuestionAnswer(question="Which one?", chosen=("first",)),
                QuestionAnswer(question="Which ones?", chosen=("a", "c")),
            ),
        ),
    ],
)
def test_options_are_chosen_by_their_numbers_and_a_text_counts_instead(
    questions: tuple[Question, ...], form: Mapping[str, str], answers: tuple[QuestionAnswer, ...]
):
    assert read_answers(questions, form) == answers


@pytest.mark.parametrize(
    ("form", "says"),
    [
        ({}, "no answer: Which one?"),
        ({"chosen.0": "7"}, "none"),
        ({"chosen.0": "first"}, "none"),
        ({"text.0": "x" * 2001}, "or a text"),
    ],
)
def test_an_answer_that_is_none_says_why(form: Mapping[str, str], says: str):
    told = read_answers((ONE,), form)
    assert isinstance(told, str)
    assert says in told


# --- finding


def test_a_text_that_is_searched_for_stays_one_text():
    query = values_query("it's -- \0'; drop")
    assert query.count("'it''s -- ''; drop'") == 3
    assert "\0" not in query


def test_a_view_has_the_filters_of_the_list_and_nothing_else():
    assert query_of("q=orders&state=review&tag=q3&page=3&next=http://x") == "q=orders&state=review&tag=q3"
    assert query_of("page=2") == ""


def test_views_are_kept_by_name_and_can_be_removed(tmp_path: Path):
    settings = Settings(state_dir=tmp_path)
    assert read_views(settings) == ()
    assert save_view(settings, "  for   Monday ", "q=orders&page=2") == ""
    assert save_view(settings, "audits", "state=review") == ""
    assert save_view(settings, "for Monday", "q=other") == ""
    assert read_views(settings) == (
        SavedView(name="audits", query="state=review"), SavedView(name="for Monday", query="q=other"),
    )  # fmt: skip
    remove_view(settings, "audits")
    assert [one.name for one in read_views(settings)] == ["for Monday"]


def test_a_view_without_name_or_filter_is_none_and_there_are_not_too_many(tmp_path: Path):
    settings = Settings(state_dir=tmp_path)
    assert "no name" in save_view(settings, " ", "q=a")
    assert "no filter" in save_view(settings, "all", "page=2")
    for number in range(MOST_VIEWS):
        assert save_view(settings, f"view {number}", "q=a") == ""
    assert "already" in save_view(settings, "one more", "q=a")


def test_a_file_of_views_that_is_none_is_none(tmp_path: Path):
    settings = Settings(state_dir=tmp_path)
    views_file(settings).parent.mkdir(parents=True)
    views_file(settings).write_text('{"views": 3}')
    assert read_views(settings) == ()
