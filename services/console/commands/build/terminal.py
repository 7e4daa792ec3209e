"""The terminal of a build session: lines in, what has happened out. Text of pages is printed as plain text."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from services.console.line_reader import LineReader
from services.console.terminal.flows_view import unvaried_lines
from services.console.text.build_lines import (
    ANSWER,
    answer_in,
    build_help,
    is_empty_line,
    log_text,
    note_to_model,
    parse_choice,
)
from shared.contracts.questions import Question, QuestionAnswer
from shared.contracts.workflows.build_events import (
    ActionRecorded,
    BuildEvent,
    FlowPublished,
    FlowWritten,
    MessageWritten,
    Told,
    ValueRecorded,
)
from shared.contracts.workflows.builds import ShownPage
from shared.flows.building.folder import CompilerLine
from shared.flows.building.state import BuildState
from shared.text.normal import printable

LOG_LINES = 20
MARKS = {"open": " ", "doing": ">", "done": "x"}


class BuildTerminal:
    """``reader``: of standard input. ``is_terminal``: a person types; then there is a prompt."""

    def __init__(self, reader: LineReader, *, is_terminal: bool) -> None:
        self._reader, self.is_terminal = reader, is_terminal

    async def next_line(self, prompt: str) -> str | None:
        """Return the next line, or None at the end of the input."""
        self._prompt(prompt)
        return await self._reader.next()

    def _prompt(self, prompt: str) -> None:
        if self.is_terminal:
            sys.stdout.write(printable(prompt))
            sys.stdout.flush()

    async def ask(self, question: Question, name: str) -> QuestionAnswer | None:
        """Ask until something is answered; None at the end of the input. ``name``: what the question is called.

        A line that was sent before the question is shown does not answer it, unless it was written as an answer: it
        waits, and is done after what asks."""
        ahead, waiting = await self._sent_before()
        self.say(f"{name}: {question.text}")
        for number, option in enumerate(question.options, 1):
            self.say(f"  {number} {option}")
        if waiting:
            self.say(f"  Lines that were sent before this question: {waiting}. They are done once it is answered.")
        many = ", several with commas" if question.multi_select else ""
        line = ahead or await self._answer_line(f"number{many}, or your own words: ", waiting)
        if not line:
            self.say(f"  {name} is left open: the input has no answer to it.")
            return None
        chosen, text = parse_choice(line, question.options, multi_select=question.multi_select)
        self.say(f"  {name} is answered: {', '.join(chosen) or text}")
        return QuestionAnswer(question=question.text, chosen=chosen, text=text)

    async def _sent_before(self) -> tuple[str, int]:
        """Return the answer that the next line was written as, and how many lines wait where it is none."""
        while sent := self._reader.sent():
            if not is_empty_line(sent[0]):
                ahead = answer_in(sent[0])
                if ahead:
                    await self._reader.next()
                return ahead, 0 if ahead else len(sent)
            await self._reader.next()
        return "", 0

    async def _answer_line(self, prompt: str, waiting: int) -> str:
        """Return the next line that comes after those that wait; empty: the input has ended."""
        while True:
            self._prompt(prompt)
            line = await self._reader.next_after(waiting)
            if line is None:
                return ""
            if not is_empty_line(line) and line.strip() != ANSWER:
                return answer_in(line) or line

    # --- shown

    def say(self, text: str) -> None:
        sys.stdout.write(printable(text, keep="\n") + "\n")
        sys.stdout.flush()

    def refuse(self, text: str) -> None:
        self.say(f"! {text}")

    def show_help(self) -> None:
        self.say(build_help())

    def show_todos(self, state: BuildState) -> None:
        for one in state.todos:
            self.say(f"  [{MARKS[one.state]}] {one.number} {one.title}")

    def show_event(self, event: BuildEvent, *, closing: bool) -> None:
        """Print what has happened. What is asked, and what was typed, is not printed again."""
        match event:
            case Told() if note := note_to_model(event):
                self.say(f"  (a note to the model: {note})")
            case Told():
                (self.refuse if event.refused else self.say)(event.text)
            case ActionRecorded(by="scratch") | ValueRecorded(by="scratch"):
                pass
            case ActionRecorded():
                where = f"  {event.url}  {event.title}" if event.url else ""
                (self.say if event.ok else self.refuse)(
                    f"step {event.step}: {event.message}{where}" if event.ok else event.message
                )
            case ValueRecorded(absent=True, shown=""):
                self.say(f"  {event.field}: the page shows none of it")
            case ValueRecorded():
                none = " (the page says that there is none)" if event.absent else ""
                self.say(f"  {event.field}: {event.shown!r}{none}")
            case MessageWritten(by="agent"):
                self.say(f"agent: {event.text}")
            case FlowWritten():
                self._show_compiled(event, closing=closing)
            case FlowPublished():
                self.say(f"It is in the library as {event.name}, version {event.hash[:12]}.")
                for line in unvaried_lines(event.unvaried):
                    self.say(line)
            case _:
                pass

    def show_page(self, page: ShownPage) -> None:
        self.say("\n".join([page.url, page.title, *page.lines]))
        if page.more:
            self.say(f"{page.more} more lines: page WORDS shows those that have these words")

    def show_log(self, lines: Sequence[CompilerLine]) -> None:
        for line in lines[-LOG_LINES:]:
            self.say(log_text(line))

    def _show_compiled(self, event: FlowWritten, *, closing: bool) -> None:
        if not event.version:
            self.say("workspace/flow.py was not written: `log` says why")
            return
        count = len(event.problems)
        reasons = "1 reason" if count == 1 else f"{count} reasons"
        draft = f", a draft for {reasons}, which `log` names" if count else ""
        self.say(f"workspace/flow.py is version {event.version}{draft}")
        if event.asks:
            things = "1 question" if event.asks == 1 else f"{event.asks} questions"
            self.say(f"the compiler has {things}" + ("" if closing else ": `questions` asks"))
