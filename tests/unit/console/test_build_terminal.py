"""Which of the lines that are sent to a build session answer its questions."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Generator
from dataclasses import dataclass

import pytest

from services.console.commands.build.terminal import BuildTerminal
from services.console.line_reader import LineReader
from shared.contracts.questions import Question, QuestionAnswer
from shared.contracts.workflows.build_events import Told
from shared.contracts.workflows.build_outcomes import BuildOutcome

PRESS = Question(text="Press it?", options=("press it", "stop before it"))


@dataclass
class Typed:
    """A terminal that reads a pipe. ``end``: where lines are written into it."""

    terminal: BuildTerminal
    end: int

    def send(self, text: str) -> None:
        os.write(self.end, text.encode())

    def close(self) -> None:
        os.close(self.end)
        self.end = -1

    async def rest(self) -> list[str]:
        """Return what is read as commands until the input ends."""
        lines: list[str] = []
        while (line := await self.terminal.next_line("")) is not None:
            lines.append(line)
        return lines


@pytest.fixture
def typed() -> Generator[Typed]:
    read, write = os.pipe()
    one = Typed(BuildTerminal(LineReader(read), is_terminal=False), write)
    yield one
    os.close(read)
    if one.end >= 0:
        one.close()


def answered(*chosen: str, text: str = "") -> QuestionAnswer:
    return QuestionAnswer(question=PRESS.text, chosen=chosen, text=text)


async def test_a_line_that_was_sent_before_a_question_waits_and_the_next_one_answers_it(
    typed: Typed, capsys: pytest.CaptureFixture[str]
):
    typed.send("1\ndone\n")
    asking = asyncio.ensure_future(typed.terminal.ask(PRESS, "question 3"))
    shown = ""
    async with asyncio.timeout(30):
        while "2 stop before it" not in shown:
            await asyncio.sleep(0)
            shown += capsys.readouterr().out
        while "sent before this question: 2" not in shown:
            await asyncio.sleep(0)
            shown += capsys.readouterr().out
    typed.send("\n2\n")
    assert await asking == answered("stop before it")
    assert "question 3 is answered: stop before it" in capsys.readouterr().out
    typed.close()
    assert await typed.rest() == ["1", "done"]


async def test_answers_that_are_written_as_such_may_come_ahead_in_their_order(typed: Typed):
    typed.send("# the press\n\nanswer 2\nanswer not yet\nclose")
    typed.close()
    assert await typed.terminal.ask(PRESS, "question 1") == answered("stop before it")
    assert await typed.terminal.ask(PRESS, "question 2") == answered(text="not yet")
    assert await typed.rest() == ["close"]


async def test_without_an_answer_a_question_stays_open_and_the_lines_before_it_are_kept(typed: Typed):
    typed.send("done\nanswer 1\n")  # the second is written for a question that comes after the first
    typed.close()
    assert await typed.terminal.ask(PRESS, "question 1") is None
    assert await typed.rest() == ["done", "answer 1"]


async def test_a_line_reader_gives_each_line_once_with_and_without_a_break_at_the_end(typed: Typed):
    reader = typed.terminal._reader
    typed.send("one\ntwo\nthr")
    assert list(reader.sent()) == ["one", "two"]
    typed.send("ee")
    typed.close()
    assert [await reader.next() for _ in range(4)] == ["one", "two", "three", None]


def test_what_the_model_alone_is_told_is_shown_as_a_note_to_it(typed: Typed, capsys: pytest.CaptureFixture[str]):
    wanted = BuildOutcome(code="act_not_wanted", details=("click on button 'Send'",))
    typed.terminal.show_event(
        Told(at="", text="Not done, as you said.", refused=True, outcome=wanted, to_model=True), closing=False
    )
    note = "the person does not want this to be done: click on button 'Send'"
    assert capsys.readouterr().out == f"  (a note to the model: {note})\n"
    for_both = Told(at="", text="Not done, as you said.", refused=True, outcome=wanted)
    typed.terminal.show_event(for_both, closing=False)
    assert capsys.readouterr().out == "! Not done, as you said.\n"
