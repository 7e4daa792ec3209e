"""`exhibit learn`: a flow from a few rows whose right values a person has written down, without a model."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from services.console import exits
from services.console.commands.flows.accepting import AcceptLoss, accepted_fields
from services.console.commands.learn.examples import ExampleRow, Examples, read_examples
from services.console.commands.workflows.arguments import Author, Library, author_or_user
from services.console.commands.workflows.library import ask_library
from services.console.event_loop import run_async
from services.console.options import AsJson, Encoding, HiddenRows, Nats, Sheets, load_settings, read_as
from services.console.outcomes import CommandOutcome
from services.console.terminal.flows_view import unvaried_lines
from services.console.terminal.learn_view import (
    learned_table,
    predictions_table,
    question_lines,
    reading_text,
    rows_text,
)
from services.console.terminal.plain_console import PlainConsole
from shared.contracts.actions import Goto
from shared.contracts.browser_pool import PageObserved
from shared.contracts.workflows.library import WorkflowCreated, WorkflowRefused
from shared.errors import RunRejectedError
from shared.extraction.values import form_of, value_key
from shared.flows.checking.into_library import publish_flow
from shared.flows.files import write_files
from shared.flows.learning.flow import FlowOfExamples, learned_flow
from shared.flows.learning.learned_fields import (
    ANOTHER_ROW,
    ExampleQuestion,
    LearnedTask,
    Prediction,
    WrittenRow,
    find_question,
    learn_fields,
    predict,
    trusted,
)
from shared.flows.workspace import write_workspace
from shared.host.connections import ManualSessionTerms, open_pool_session
from shared.settings import Settings
from shared.task.spec import TaskSpec
from shared.text.normal import printable, tidy
from shared.workflow_source.wording import finding_line

MOST_QUESTIONS = 12
WRITE_IT = "write the right value into its row of the examples, and learn again"
ALL_ELEMENTS_TOKENS = 2_000_000
"""So many that no element is left out."""


@dataclass(frozen=True)
class LearnedFlow:
    """What was learned. ``left``: for a person; empty: nothing. ``version``: in the library; empty: it is not there."""

    learned: FlowOfExamples
    folder: Path
    task: LearnedTask
    predictions: Sequence[Prediction]
    left: Sequence[str]
    version: str

    @property
    def exit_code(self) -> int:
        return exits.NOT_ALL_DONE if self.left else exits.OK

    def to_json(self) -> dict[str, Any]:
        known = self.task.fields
        fields = {
            one.field: {
                "rules": len(known[one.field].rules.rules) if one.field in known else 0,
                "problem": one.problem,
                "settles": one.settles,
                "right": one.right,
                "written": one.written,
                "confidence": known[one.field].confidence if one.field in known else None,
            }
            for one in self.learned.checks
        }
        return {
            "name": self.learned.flow.name,
            "folder": str(self.folder),
            "fields": fields,
            "predictions": [{"row": one.name, "readings": one.readings} for one in self.predictions],
            "left": self.left,
            "given_up": self.learned.given_up,
            "unvaried": self._unvaried,
            "version": self.version,
        }

    @property
    def _unvaried(self) -> list[str]:
        return [name for name, one in self.task.fields.items() if one.unvaried]

    def lines(self) -> Iterator[Text]:
        name, given_up = self.learned.flow.name, self.learned.given_up
        yield Text(f"\n{printable(str(self.folder))}/workspace/flow.py: the flow of {name}")
        if self.left:
            yield Text(f"It stays a draft. Left for a person ({len(self.left)}):")
            yield Text("\n".join(f"  {printable(one)}" for one in self.left))
            if names := self.learned.may_be_accepted:
                options = " ".join(f"--accept-loss {name}" for name in names)
                yield Text(f"To go on without {', '.join(names)}: {options}")
            return
        count = len(self.learned.checks) - len(given_up)
        yield Text(f"Learned, and read right on every example: {count} of {len(self.learned.checks)} fields.")
        yield from map(Text, unvaried_lines(self._unvaried))
        if given_up:
            yield Text(f"Accepted as lost: {', '.join(given_up)}.")
        if self.version:
            yield Text(f"It is in the library as {name}, version {self.version[:12]}.")
        else:
            yield Text("--publish puts it into the library.")


def learn(
    spec: Annotated[Path, typer.Argument(help="The task spec.")],
    examples: Annotated[
        Path,
        typer.Option(help="CSV, Excel or JSON: the input columns, and of 2 to 5 rows the right values of the fields."),
    ],
    held_out: Annotated[int, typer.Option(min=0, help="Most rows without values that are predicted.")] = 10,
    yes: Annotated[bool, typer.Option("--yes", help="Ask nothing: what is not certain is left for a person.")] = False,
    out: Annotated[Path | None, typer.Option(help="Folder for the flow. Without: flows/TASK.")] = None,
    publish: Annotated[bool, typer.Option("--publish", help="Put it into the library if nothing is left.")] = False,
    accept_loss: AcceptLoss = None,
    author: Author = "",
    library: Library = None,
    sheet: Sheets = None,
    encoding: Encoding = None,
    hidden_rows: HiddenRows = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Learn a flow from a few rows whose right values are written down."""
    given, problems = read_examples(spec, examples, read_as(sheet, encoding, hidden_rows))
    if given is None:
        raise RunRejectedError(problems)
    accepted = _accepted(given.spec, accept_loss)
    settings = load_settings(nats)
    console = PlainConsole(highlight=False, quiet=as_json)
    rows = [*given.written, *given.held_out[:held_out]]

    def progress(one: ExampleRow) -> None:
        console.print(f"opening {printable(one.url)}", markup=False, style="dim")

    pages, failed = run_async(observe_rows(settings, given, rows, progress))
    asks = not yes and not as_json and sys.stdin.isatty()
    task, written, predictions = _learn(console, given, rows, pages, asks=asks)
    found = learned_flow(given.spec, task, written, accepted)
    left = _left(found, predictions, failed)
    if asks and predictions and not failed:
        if typer.confirm("Are all of these right?", default=False):
            task = trusted(task, predictions)
            rows_of = {one.name: one.row for one in rows}
            predictions = [predict(task, one.name, rows_of[one.name], pages[one.name]) for one in predictions]
            found = learned_flow(given.spec, task, written, accepted)
            left = _left(found, predictions, failed)
        else:
            left.append("a prediction is not right: write the right values of its row into the file, and learn again")
    flow = found.flow
    folder = out or Path("flows") / given.spec.task_id
    write_workspace(folder, flow.source, write_files(flow.files), variables=dict(written[0].row) if written else None)
    reply: WorkflowCreated | WorkflowRefused | None = None
    if publish and not left:
        who = author_or_user(author)
        reply = ask_library(
            nats, library, lambda bus: publish_flow(bus, flow.name, flow, who, "", accepted_losses=found.given_up)
        )
        left += [finding_line(one) for one in reply.findings] if isinstance(reply, WorkflowRefused) else []
    version = reply.workflow.hash if isinstance(reply, WorkflowCreated) else ""
    return LearnedFlow(found, folder, task, predictions, left, version)


def _accepted(spec: TaskSpec, named: list[str] | None) -> frozenset[str]:
    """Return the fields that may be lost. Raises RunRejectedError for those that the task requires."""
    accepted = accepted_fields(spec, named)
    needed = [one for one in sorted(accepted) if one in spec.required_fields or one in spec.identity]
    if needed:
        raise exits.refused("--accept-loss", f"the task requires {', '.join(needed)}: no sample is done without it")
    return accepted


async def observe_rows(
    settings: Settings, examples: Examples, rows: Sequence[ExampleRow], progress: Callable[[ExampleRow], None]
) -> tuple[dict[str, PageObserved], dict[str, str]]:
    """Return the page of each row by its name, and of the others why they could not be opened."""
    pages: dict[str, PageObserved] = {}
    failed: dict[str, str] = {}
    spec = examples.spec
    hosts = [one.url for one in rows]
    terms = ManualSessionTerms(hosts[0], tuple(spec.allowed_hosts), profile=spec.auth_profile)
    async with open_pool_session(settings, terms) as session:
        for one in rows:
            progress(one)
            opened = await session.act(Goto(url=one.url, reason="to learn from it"))
            if not opened.ok:
                failed[one.name] = opened.message
                continue
            page = await session.observe((), ALL_ELEMENTS_TOKENS, locators=True)
            if page.http_status is not None and page.http_status >= 400:
                failed[one.name] = f"HTTP {page.http_status}"
            elif page.left_out:
                failed[one.name] = f"{page.left_out} of its elements could not be read"
            else:
                pages[one.name] = page
    return pages, failed


def _learn(
    console: Console, given: Examples, rows: Sequence[ExampleRow], pages: Mapping[str, PageObserved], *, asks: bool
) -> tuple[LearnedTask, list[WrittenRow], list[Prediction]]:
    """Learn, show what was learned, and ask about what is ambiguous; each answer is one more example."""
    written = [
        WrittenRow(one.name, one.row, one.values, pages[one.name], one.lists)
        for one in given.written
        if one.name in pages
    ]
    others = {one.name: one for one in rows if not one.is_written and one.name in pages}
    asked = 0
    while True:
        task = learn_fields(given.spec, written)
        predictions = [predict(task, name, one.row, pages[name]) for name, one in others.items()]
        question = find_question(task, predictions) if asks and asked < MOST_QUESTIONS else None
        if question is None:
            break
        asked += 1
        if not _ask(console, given, question, others[question.row], pages[question.row], written):
            break
    console.print()
    console.print(learned_table(task, written))
    if predictions:
        console.print()
        console.print(predictions_table(task, predictions))
    return task, written, predictions


def _ask(
    console: Console,
    given: Examples,
    question: ExampleQuestion,
    row: ExampleRow,
    page: PageObserved,
    written: list[WrittenRow],
) -> bool:
    """Ask a question, and add the answer to the examples. Return False when it is left for later."""
    console.print("\n".join(question_lines(question)), markup=False)
    form = form_of(given.spec.output_schema[question.field])
    while True:
        text = tidy(typer.prompt(">", default="", show_default=False, prompt_suffix=" "))
        if not text:
            return False
        number = int(text) if text.isascii() and text.isdigit() else 0
        value = question.options[number - 1] if 1 <= number <= len(question.options) else text
        if value is None or value_key(form, value) is not None:
            break
        console.print(f"This is no {form.type}.", markup=False)
    known = next((at for at, one in enumerate(written) if one.name == row.name), None)
    if known is None:
        written.append(WrittenRow(row.name, row.row, {question.field: value}, page))
    else:
        written[known] = replace(written[known], values={**written[known].values, question.field: value})
    return True


def _left(found: FlowOfExamples, predictions: Sequence[Prediction], failed: Mapping[str, str]) -> list[str]:
    """Return what is left for a person."""
    left = list(found.left)
    fields = found.flow.files.fields
    read = fields.fields.keys() - set(fields.given_up)
    left += [f"{one.name}: {one.other}; {ANOTHER_ROW}" for one in predictions if one.other]
    for one in (one for one in predictions if not one.other):
        lacking = {name for name in fields.optional if one.readings[name].certainty == "missing"}
        unsure = [name for name in one.unsure if name in read and name not in lacking]
        left += [f"{one.name}: {name}: {reading_text(one.readings[name])}; {WRITE_IT}" for name in unsure]
        lists = [name for name in one.unsure_lists if name in fields.lists]
        left += [f"{one.name}: {name}: {rows_text(one.lists[name])}; {WRITE_IT}" for name in lists]
    return [*left, *(f"{name}: its page was not opened: {why}" for name, why in failed.items())]
