"""`exhibit try`: one row of a task, worked on as a run does, on one screen."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import RenderableType

from services.console import exits
from services.console.commands.trial.chosen_row import TriedRow, choose_row
from services.console.commands.trial.one_row import Tried, picture_place, run_row, try_row
from services.console.commands.trial.picture import write_picture
from services.console.event_loop import run_async
from services.console.options import AsJson, Encoding, Evidence, HiddenRows, Nats, Sheets, load_settings, read_as
from services.console.outcomes import CommandOutcome
from services.console.terminal.plain_console import PlainConsole, UnbrokenText
from services.console.text.trial_story import Line, Style, TrialStory, advice_of, trial_lines, tried_fields
from shared.contracts.steps import note_text
from shared.settings import Settings
from shared.statuses import colour_of
from shared.task.row_values import start_url

STYLES: dict[Style, str] = {
    "": "",
    "name": "bold",
    "value": "",
    "good": colour_of("done"),
    "bad": colour_of("needs_review"),
    "dim": "dim",
    "paste": "cyan",
}


def trial_texts(story: TrialStory, width: int) -> list[UnbrokenText]:
    """Return the screen. A line that is pasted is copied whole."""
    return [_styled(line) for line in trial_lines(story, width)]


def _styled(line: Line) -> UnbrokenText:
    text = UnbrokenText()
    for piece in line:
        text.append(piece.text, STYLES[piece.style])
    return text


@dataclass(frozen=True)
class TriedSample:
    story: TrialStory

    @property
    def exit_code(self) -> int:
        return exits.OK if self.story.certain else exits.NOT_ALL_DONE

    def to_json(self) -> TrialStory:
        return self.story

    def lines(self) -> Sequence[RenderableType]:
        return trial_texts(self.story, PlainConsole().width)


def try_(
    spec: Annotated[Path, typer.Argument(help="The task spec, a JSON file.")],
    input_file: Annotated[
        Path | None,
        typer.Option("--input", help="The rows: CSV or XLSX. Without: the CSV of the spec's name beside it."),
    ] = None,
    row: Annotated[int | None, typer.Option(min=1, help="Number of the row, from 1. Without: the first.")] = None,
    named: Annotated[str | None, typer.Option("--id", help="The row of this sample: its id, or its key.")] = None,
    planner: Annotated[str | None, typer.Option(help="Who decides: rules, anthropic or operator.")] = None,
    picture: Annotated[Path | None, typer.Option(help="Where the picture of the values is written (PNG).")] = None,
    evidence: Evidence = None,
    sheet: Sheets = None,
    encoding: Encoding = None,
    hidden_rows: HiddenRows = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Work on one row and show what each field matched, what nearly matched, and which key of the spec would settle it.

    Nothing is left behind but the picture, unless --evidence names a place: then it is a run of one sample.
    """
    settings = load_settings(nats, evidence)
    started_s = time.monotonic()
    how = read_as(sheet, encoding, hidden_rows)
    chosen = choose_row(spec, input_file, row=row, named=named, planner=planner, keeps=evidence is not None, how=how)
    errors = PlainConsole(stderr=True)
    waiting = (
        errors.status(f"trying {chosen.sample.sample_id}", spinner_style="dim") if errors.is_terminal else nullcontext()
    )
    with waiting:
        work = run_row if evidence is not None else try_row
        tried = run_async(work(settings, chosen, planner))
        story = _story(settings, chosen, tried, picture, time.monotonic() - started_s)
    return TriedSample(story)


def _story(settings: Settings, row: TriedRow, tried: Tried, named: Path | None, took_s: float) -> TrialStory:
    finished = tried.finished
    fields = tried_fields(row.spec, finished, tried.values)
    story = TrialStory(
        task_id=row.spec.task_id,
        sample_id=finished.sample_id,
        row=row.sample.row,
        file=row.file,
        url=next((one.url for one in fields if one.url), start_url(row.spec, row.sample)),
        status=finished.status,
        reason=finished.reason,
        message=finished.message,
        advice=advice_of(finished.status, finished.reason),
        certain=finished.status == "done" and all(one.certain for one in fields),
        decided_by=finished.decided_by,
        fields=fields,
        notes=tuple(map(note_text, finished.notes)),
        evidence=tried.evidence,
        took_s=round(took_s, 3),
        worked_s=round((finished.finished_at - finished.started_at).total_seconds(), 3),
    )
    place = picture_place(settings, named, finished.sample_id, row.spec.task_id)
    written = write_picture(story, tried.shots, place)
    return msgspec.structs.replace(story, picture=str(place) if written else "")
