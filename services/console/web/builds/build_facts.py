"""What the page of a build session shows of its TODOs, acts and values, each with its picture. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from shared.contracts.results import Box
from shared.contracts.steps import FieldValue, FiledArtifact, StepTaken
from shared.contracts.workflows.build_events import ActionRecorded, BuildEvent, RowBegun, ValueRecorded
from shared.flows.building.folder import captures_folder
from shared.flows.building.state import BuildState, Todo
from shared.flows.workspace import SAMPLES_FOLDER, sample_file
from shared.pages.boxes import MARGIN_PX, meet, part_around
from shared.recordings.recording import Recording

SHOWN_KINDS = {".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png", ".webp": "image/webp"}
"""Of pictures, by the end of their files."""
NEAR_WIDTH_PX, NEAR_HEIGHT_PX, BEFORE = 430.0, 190.0, 0.66
"""Of the part around what is meant; so much of the rest of its width stands before it, where labels are."""
BY = {"person": "by hand", "scratch": "by its file", "agent": "by the model"}


@dataclass(frozen=True)
class BuildPicture:
    """A picture of the workspace. ``area``: what it shows of the document; ``box``: what is meant. None: it is not
    known where on the picture that is."""

    sha256: str
    area: Box | None = None
    box: Box | None = None

    @property
    def near(self) -> BuildPicture:
        """The part of it around what is meant; all of it, where that is not known."""
        area, box = self.area, self.box
        if area is None or box is None:
            return self
        width = min(max(NEAR_WIDTH_PX, box.width + 2 * MARGIN_PX), area.width)
        height = max(NEAR_HEIGHT_PX, box.height + 2 * MARGIN_PX)
        left = box.x - max(width - box.width, 0) * BEFORE
        return replace(self, shown=part_around(area, box, width, height, left))

    shown: Box | None = None
    """The part that is shown; None: all of it."""


@dataclass(frozen=True)
class ActOfBuild:
    """``picture``: the page right before it, with the element that it was done to; ``is_after``: it is what the act has
    taken itself."""

    event: ActionRecorded
    by: str
    picture: BuildPicture | None
    is_after: bool = False


@dataclass(frozen=True)
class ValueOfBuild:
    """``label``, ``role``, ``url``: of the element and the page that have shown it; empty: not recorded."""

    event: ValueRecorded
    by: str
    label: str = ""
    role: str = ""
    url: str = ""
    picture: BuildPicture | None = None


@dataclass(frozen=True)
class TodoOfBuild:
    """``missing``: fields that it brings and that were not read on this row."""

    todo: Todo
    is_current: bool
    acts: tuple[ActOfBuild, ...]
    values: tuple[ValueOfBuild, ...]
    missing: tuple[str, ...]
    before_last: int
    """The TODO that it comes before when it goes up by one; 0: it is the first."""
    after_next: int
    """The TODO that it comes before when it goes down by one; 0: it is the last then; -1: it is so already."""


def recording_path(sample_id: str) -> str:
    """Return the file of the workspace that has a recorded row."""
    return f"{SAMPLES_FOLDER}/{sample_file(sample_id)}"


def shown_todos(
    state: BuildState, events: Sequence[BuildEvent], sample: Recording | None, files: Mapping[str, str]
) -> list[TodoOfBuild]:
    """Return the TODOs with what was done for each on the current row.

    ``sample``: the recorded row; None: it is not there. ``files``: of the workspace, with their hashes."""
    own = of_this_row(events)
    acts = {one.step: one for one in own if isinstance(one, ActionRecorded)}
    values = {one.field: one for one in own if isinstance(one, ValueRecorded)}
    current = state.current
    found: list[TodoOfBuild] = []
    numbers = [one.number for one in state.todos]
    for at, todo in enumerate(state.todos):
        read = state.values.get(todo.number, ())
        below = numbers[at + 2] if at + 2 < len(numbers) else 0
        found.append(
            TodoOfBuild(
                todo,
                current is not None and todo.number == current.number,
                tuple(
                    shown_act(acts[step], sample, files) for step in state.steps.get(todo.number, ()) if step in acts
                ),
                tuple(_value(values[name], sample, files) for name in read if name in values),
                tuple(name for name in todo.fields if name not in read),
                numbers[at - 1] if at else 0,
                below if at + 1 < len(numbers) else -1,
            )
        )
    return found


def of_this_row(events: Sequence[BuildEvent]) -> Sequence[BuildEvent]:
    """Return what has happened since the current row was begun."""
    begun = [at for at, one in enumerate(events) if isinstance(one, RowBegun)]
    return events[begun[-1] :] if begun else ()


def has_acted(events: Sequence[BuildEvent]) -> bool:
    """Whether something was done on the current row."""
    return any(isinstance(one, ActionRecorded) for one in of_this_row(events))


def last_picture(events: Sequence[BuildEvent], sample: Recording | None, files: Mapping[str, str]) -> ActOfBuild | None:
    """Return the last act of this row that has a picture; None: none has."""
    acts = (shown_act(one, sample, files) for one in reversed(of_this_row(events)) if isinstance(one, ActionRecorded))
    return next((one for one in acts if one.picture is not None), None)


def shown_act(event: ActionRecorded, sample: Recording | None, files: Mapping[str, str]) -> ActOfBuild:
    """Return an act with its picture. ``sample`` and ``files``: as `shown_todos` has them."""
    by = BY.get(event.by, event.by)
    step = next((one for one in sample.steps if one.step == event.step), None) if sample is not None else None
    if sample is None or step is None:
        return ActOfBuild(event, by, None)
    for kind in ("step", "screenshot"):
        for filed in step.artifacts:
            if filed.artifact.kind == kind and (sha256 := _kept(sample, filed, files)):
                area, is_after = filed.artifact.area, kind == "screenshot"
                on_it = area is not None and event.box is not None and not is_after and meet(area, event.box)
                return ActOfBuild(event, by, BuildPicture(sha256, area, event.box if on_it else None), is_after)
    return ActOfBuild(event, by, None)


def _value(event: ValueRecorded, sample: Recording | None, files: Mapping[str, str]) -> ValueOfBuild:
    """Return a value with what the row has recorded of it; where another one was recorded, with nothing."""
    by = BY.get(event.by, event.by)
    recorded = next((one for one in sample.values if one.field == event.field), None) if sample is not None else None
    if sample is None or recorded is None or (recorded.shown or "") != event.shown or recorded.source is None:
        return ValueOfBuild(event, by)
    source = recorded.source
    picture = _picture_of(recorded, sample, files)
    return ValueOfBuild(event, by, source.label or "", source.role, source.url, picture)


def _picture_of(value: FieldValue, sample: Recording, files: Mapping[str, str]) -> BuildPicture | None:
    """Return a picture of the page state on which a value was read, with its box on it; None: there is none."""
    source = value.source
    if source is None or source.box is None:
        return None
    for filed in _pictures_of(sample.steps, source.observation_sha256):
        area, sha256 = filed.artifact.area, _kept(sample, filed, files)
        if sha256 and area is not None and meet(area, source.box):
            return BuildPicture(sha256, area, source.box)
    return None


def _pictures_of(steps: Iterable[StepTaken], observation_sha256: str) -> list[FiledArtifact]:
    """Return the pictures that were taken before a step on this page state, and captures that left it as it was."""
    return [
        filed
        for kind in ("screenshot", "step")
        for step in steps
        if step.observation is not None and step.observation.sha256 == observation_sha256
        for filed in step.artifacts
        if filed.artifact.kind == kind
    ]


def _kept(sample: Recording, filed: FiledArtifact, files: Mapping[str, str]) -> str:
    """Return the hash of a picture; empty: the file of that name is gone, or is another picture by now."""
    path = (captures_folder(Path(), sample.sample_id) / filed.filename).as_posix()
    return filed.artifact.sha256 if files.get(path) == filed.artifact.sha256 else ""
