"""The terminal of a build session: lines in, what has happened out. Text of pages is printed as plain text."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from services.console.line_reader import LineReader
from services.console.text.build_lines import build_help, parse_choice
from shared.contracts.browser_pool import PageObserved
from shared.contracts.steps import FieldValue, StepTaken
from shared.flows.building.build import BuiltFlow
from shared.flows.building.events import Question, QuestionAnswer
from shared.flows.building.folder import CompilerLine
from shared.flows.building.state import BuildState
from shared.text.normal import printable

MAX_PAGE_LINES = 200
LOG_LINES = 20
MARKS = {"open": " ", "doing": ">", "done": "x"}


class BuildTerminal:
    """``reader``: of standard input. ``is_terminal``: a person types; then there is a prompt."""

    def __init__(self, reader: LineReader, *, is_terminal: bool) -> None:
        self._reader, self._is_terminal = reader, is_terminal

    async def next_line(self, prompt: str) -> str | None:
        """Return the next line, or None at the end of the input."""
        if self._is_terminal:
            sys.stdout.write(printable(prompt))
            sys.stdout.flush()
        return await self._reader.next()

    async def ask(self, question: Question) -> QuestionAnswer | None:
        """Ask until something is answered; None at the end of the input."""
        many = ", several with commas" if question.multi_select else ""
        self.say(question.text)
        for number, option in enumerate(question.options, 1):
            self.say(f"  {number} {option}")
        while (line := await self.next_line(f"number{many}, or your own words: ")) is not None:
            if line.strip():
                chosen, text = parse_choice(line, question.options, multi_select=question.multi_select)
                return QuestionAnswer(question=question.text, chosen=chosen, text=text)
        return None

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

    def show_step(self, step: StepTaken, page: PageObserved | None) -> None:
        result = step.result
        if result is None or not result.ok:
            self.refuse(step.message)
            return
        where = f"  {page.url}  {page.title}" if page is not None else ""
        self.say(f"step {step.step}: {step.message}{where}")

    def show_page(self, page: PageObserved, words: Sequence[str]) -> None:
        wanted = [word.lower() for word in words]
        lines = [line for line in page.text.splitlines() if all(word in line.lower() for word in wanted)]
        self.say("\n".join([page.url, page.title, *lines[:MAX_PAGE_LINES]]))
        if len(lines) > MAX_PAGE_LINES:
            self.say(f"{len(lines) - MAX_PAGE_LINES} more lines: page WORDS shows those that have these words")

    def show_values(self, values: Mapping[str, FieldValue]) -> None:
        for name, value in values.items():
            none = " (the page says that there is none)" if value.state == "not_present" else ""
            self.say(f"  {name}: {value.shown!r}{none}")

    def show_log(self, lines: Sequence[CompilerLine]) -> None:
        for line in lines[-LOG_LINES:]:
            self.say(log_text(line))

    def show_compiled(self, built: BuiltFlow | None, version: str, *, closing: bool) -> None:
        if built is None:
            self.say("nothing was compiled: `log` says why")
            return
        draft = f", a draft: {len(built.flow.problems)} reasons" if built.flow.problems else ""
        self.say(f"workspace/flow.py is version {version}{draft}")
        if built.questions:
            self.say(f"the compiler asks {len(built.questions)} things" + ("" if closing else ": `questions`"))


def log_text(line: CompilerLine) -> str:
    """Return a line of the compiler's log for people."""
    end = f"  {line.version}" if line.version else ""
    took = f"  {line.elapsed_s:.2f} s" if line.elapsed_s else ""
    return f"{line.at[11:19]}  {line.kind:<9}  {line.text}{end}{took}"
