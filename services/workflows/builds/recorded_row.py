"""One row of a build session: a leased browser whose actions and values are recorded as a sample."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from msgspec.structs import replace as replace_part

from shared.contracts.actions import BrowserAction, ByCss, ByText, Extract
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.results import ActionResult
from shared.contracts.steps import FieldValue, FiledArtifact, ObservationRef, RouteMark, StepTaken, ValueSource
from shared.contracts.workflows.builds import ElementInView, ShownPage
from shared.evidence_format.layout import artifact_filename
from shared.field_types import nullable
from shared.flows.building.meant_value import value_meant
from shared.flows.building.site_acts import acts_on_found
from shared.flows.workspace import SAMPLES_FOLDER
from shared.host.connections import ManualSession
from shared.pages.elements import text_of, title_of
from shared.pages.locate.target_context import context_of_target
from shared.recordings.recording import RecordedPage, Recording
from shared.streams import ARTIFACTS
from shared.task.spec import TaskSpec

MAX_PAGE_LINES, MAX_SHOWN_ELEMENTS, SHOWN_NAME_CHARS = 200, 300, 120
"""Of a page that is shown to who builds."""
ALL_ELEMENTS = 10_000_000
"""Tokens of an observation: every element, since it is what is stored of the page."""


def shown_page(page: PageObserved, words: Sequence[str], number: int, at: str) -> ShownPage:
    """Return what is told of a look at the page. ``words``: that a line must have to be shown. ``at``: of the look."""
    wanted = [word.lower() for word in words]
    lines = [line for line in page.text.splitlines() if all(word in line.lower() for word in wanted)]
    in_view = (one for one in page.elements if one.in_viewport)
    elements = (
        ElementInView(ref=one.ref, role=one.role, name=(one.name or one.value or "")[:SHOWN_NAME_CHARS], box=one.box)
        for one in in_view
        if one.box is not None and one.box.width >= 1 and one.box.height >= 1
    )
    return ShownPage(
        url=page.url,
        title=page.title,
        lines=tuple(lines[:MAX_PAGE_LINES]),
        more=max(len(lines) - MAX_PAGE_LINES, 0),
        number=number,
        snapshot_id=page.snapshot_id,
        elements=tuple(islice(elements, MAX_SHOWN_ELEMENTS)),
        at=at,
    )


class RecordedRow:
    """Acts on the page of one row, and records it. ``captures``: a folder of the workspace. ``by``: who works.
    ``last_step``: the largest number that a step has had; that of one that was left out is not given again."""

    def __init__(self, session: ManualSession, spec: TaskSpec, sample: Recording, captures: Path, by: str) -> None:
        self._session, self._spec, self._captures, self.by = session, spec, captures, by
        self.sample = sample
        self.last_step = max((one.step for one in sample.steps), default=0)
        self.page: PageObserved | None = None
        self._looks: set[str] = set()
        """Snapshots since the last act: they show the same page."""

    @property
    def session(self) -> ManualSession:
        return self._session

    @property
    def row(self) -> Mapping[str, str]:
        return self.sample.row

    async def observe(self) -> PageObserved:
        """Observe the page, and store what it shows."""
        page = await self._session.observe(max_tokens=ALL_ELEMENTS, locators=True, images=True)
        self.page = page
        self._looks.add(page.snapshot_id)
        stored = RecordedPage(page.url, page.title, page.elements)
        self.sample = replace(self.sample, pages={**self.sample.pages, page.sha256: stored})
        return page

    async def act(self, action: BrowserAction, route_step: int = 0) -> StepTaken:
        """Perform an action and record it as a step, also if it failed. The page is observed anew after it."""
        before, started_at = self.page, datetime.now(UTC)
        result = await self._session.act(action, step_picture=True)
        step = StepTaken(
            run_id=self.sample.run_id,
            sample_id=self.sample.sample_id,
            attempt=1,
            step=self.last_step + 1,
            started_at=started_at,
            ended_at=datetime.now(UTC),
            observation=None if before is None else ObservationRef.of(before),
            decided_by=self.by,
            action=action,
            result=result,
            message=result.message,
            route=RouteMark(step=route_step) if route_step else None,
            artifacts=await self._store(result),
            target_context=context_of_target(action, result, before),
        )
        if before is not None:
            self._decided_on(before.snapshot_id, self._looks)
        self.sample = replace(self.sample, steps=(*self.sample.steps, step))
        self.last_step, self._looks = step.step, set()
        await self.observe()
        return step

    async def judged(self, action: BrowserAction) -> tuple[BrowserAction, ...]:
        """Return the action as it is to be judged before it is done: where its target is told by a selector or by its
        text, on each element that this may hit. Nothing is pressed or recorded for it."""
        target = getattr(action, "target", None)
        if self.page is None or not isinstance(target, ByCss | ByText):
            return (action,)
        looked = await self._session.act(Extract(target=target))
        return acts_on_found(action, looked.target if looked.ok else None, self.page.elements)

    def _decided_on(self, snapshot_id: str, looks: Collection[str]) -> None:
        """Let the values that these looks have shown be of the page that an act was decided on: they are read before
        it, though the page shows something else differently by then."""
        values = tuple(
            replace_part(one, source=replace_part(one.source, snapshot_id=snapshot_id))
            if one.source is not None and one.source.snapshot_id in looks
            else one
            for one in self.sample.values
        )
        self.sample = replace(self.sample, values=values)

    def capture_path(self, filename: str) -> str:
        """Return the path of a capture in the workspace."""
        return f"{SAMPLES_FOLDER}/{self._captures.parent.name}/{self._captures.name}/{filename}"

    def drop(self, step: int) -> None:
        """Remove a recorded step. What was read on the page that it was decided on is read before the step that comes
        after it."""
        gone = next((one.observation for one in self.sample.steps if one.step == step), None)
        left = tuple(one for one in self.sample.steps if one.step != step)
        after = next((one.observation for one in left if one.step > step and one.observation is not None), None)
        self.sample = replace(self.sample, steps=left)
        if gone is not None and after is not None:
            self._decided_on(after.snapshot_id, (gone.snapshot_id,))
        elif gone is not None:
            self._looks.add(gone.snapshot_id)

    def record_value(self, name: str, element: Element, shown: str | None = None) -> FieldValue | str:
        """Record what an element shows as the value of a field, or say why it is none. ``shown``: the part of its text
        that is the value; None: all of it."""
        page, field = self.page, self._spec.output_schema.get(name)
        if field is None:
            return f"there is no field {name!r}; there are {', '.join(self._spec.output_schema)}"
        if page is None:
            return "no page is open"
        if element.cut_chars:
            return f"the text of element {element.ref} is too long: {element.cut_chars} characters of it are not read"
        shown = text_of(element) if shown is None else shown
        source = ValueSource(
            snapshot_id=page.snapshot_id,
            observation_sha256=page.sha256,
            url=page.url,
            ref=element.ref,
            role=element.role,
            label=element.header,
            box=element.box,
            frame=element.frame,
            fingerprint=element.fingerprint,
            locators=element.locators,
            kept_ref=element.ref,
            title=title_of(element, shown),
        )
        value = value_meant(name, field, element, shown, source, self.by)
        if isinstance(value, str):
            return value
        others = tuple(one for one in self.sample.values if one.field != name)
        self.sample = replace(self.sample, values=(*others, value))
        return value

    def record_absent(self, name: str) -> FieldValue | str:
        """Record that the page shows no value of a field, or say why it must have one."""
        field = self._spec.output_schema.get(name)
        if field is None:
            return f"there is no field {name!r}; there are {', '.join(self._spec.output_schema)}"
        if self.page is None:
            return "no page is open"
        if not nullable(field.type):
            return f"the task asks for a {field.type}, which every record has"
        value = FieldValue(field=name, state="not_present", read_by=self.by)
        others = tuple(one for one in self.sample.values if one.field != name)
        self.sample = replace(self.sample, values=(*others, value))
        return value

    def forget_values(self, names: Collection[str]) -> None:
        """Drop recorded values of the row."""
        self.sample = replace(self.sample, values=tuple(one for one in self.sample.values if one.field not in names))

    async def _store(self, result: ActionResult) -> tuple[FiledArtifact, ...]:
        """Write pictures and files of an action into the folder of captures."""
        filed: list[FiledArtifact] = []
        known = (one.filename.partition("_")[0] for step in self.sample.steps for one in step.artifacts)
        last = max((int(number) for number in known if number.isdecimal()), default=0)
        for number, artifact in enumerate(result.artifacts, last + 1):
            self._captures.mkdir(parents=True, exist_ok=True)
            name = artifact_filename(number, artifact)
            (self._captures / name).write_bytes(await self._session.bus.get(ARTIFACTS, artifact.blob))
            await self._session.bus.remove(ARTIFACTS, artifact.blob)
            filed.append(FiledArtifact(filename=name, artifact=artifact))
        return tuple(filed)
