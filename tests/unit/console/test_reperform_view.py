"""The progress of a re-performance is shown, and so is an early end."""

from __future__ import annotations

import io
import json

import pytest
import typer
from rich.console import Console

from services.console.commands.reperform.reperform import reperform_samples
from services.console.terminal.reperform_view import JsonReperformView, ReperformView, TextReperformView
from shared.bus.actor import Actor
from shared.contracts.reperform import Reperform, SampleReperformed, ValueReperformed
from shared.errors import Unavailable
from shared.subjects import REPERFORM
from shared.testing.bus import MemoryBus

IDS = [f"A-{number}" for number in range(1, 41)]
planner: Actor[str] = Actor("planner")


@planner.answers(REPERFORM)
async def answer(request: Reperform, gone_at: str) -> SampleReperformed:
    if request.sample_id == gone_at:
        raise Unavailable("the store does not answer", code="store_unavailable")
    value = ValueReperformed(field="owner", verdict="same", state="value", recorded="Ann", found="Ann")
    return SampleReperformed(
        run_id="run_1", sample_id=request.sample_id, status="done", identity="proven", values=(value,)
    )


def bus(gone_at: str = "") -> MemoryBus:
    made = MemoryBus()
    made.host(planner, gone_at)
    return made


def words(*, terminal: bool = False, all_values: bool = False) -> tuple[TextReperformView, io.StringIO]:
    written = io.StringIO()
    console = Console(file=written, force_terminal=terminal, force_interactive=terminal, width=200, _environ={})
    return TextReperformView("run_1", len(IDS), console, all_values=all_values), written


async def run(screen: ReperformView, gone_at: str = "") -> bool:
    return await reperform_samples(bus(gone_at), screen, "run_1", IDS, concurrency=3)


async def test_a_long_list_says_how_far_it_is(capsys: pytest.CaptureFixture[str]):
    screen, written = words()
    assert await run(screen) is True
    assert capsys.readouterr().err.splitlines() == [f"{4 * part} of 40 samples" for part in range(1, 11)]
    assert written.getvalue().startswith("40 samples of run_1, 40 with stored pages that prove the record; 40 values:")


async def test_in_a_terminal_a_bar_says_it_and_is_gone_at_the_end(capsys: pytest.CaptureFixture[str]):
    screen, written = words(terminal=True)
    assert await run(screen) is True
    assert capsys.readouterr().err == ""
    assert "40/40" in written.getvalue()
    assert "\x1b[2K" in written.getvalue().rpartition("40/40")[2]


async def test_values_that_are_all_listed_say_it_themselves(capsys: pytest.CaptureFixture[str]):
    screen, written = words(all_values=True)
    assert await run(screen) is True
    assert capsys.readouterr().err == ""
    assert sum(line.startswith("A-") for line in written.getvalue().splitlines()) == len(IDS)


async def test_what_cannot_go_on_says_what_there_is_until_there():
    screen, written = words()
    with pytest.raises(typer.Exit) as ended:
        await run(screen, gone_at="A-21")
    assert ended.value.exit_code == 3
    told = written.getvalue()
    assert "STOPPED after 20 of 40 samples: the store does not answer" in told
    assert "20 the same in the stored page" in told
    assert "So far: Every value that can be extracted again reads the same in the stored files." in told
    assert "Of the other samples this says nothing." in told


async def test_a_script_gets_one_object_that_says_that_it_is_not_all(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(typer.Exit):
        await run(JsonReperformView("run_1", len(IDS)), gone_at="A-21")
    told = json.loads(capsys.readouterr().out)
    assert (told["same"], told["stopped"], told["asked_for"]) == (False, "the store does not answer", 40)
    assert (told["counts"]["samples"], len(told["samples"])) == (20, 20)
    assert await run(JsonReperformView("run_1", len(IDS))) is True
    assert "stopped" not in json.loads(capsys.readouterr().out)
