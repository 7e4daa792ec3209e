"""Publishing the flow of a build session: it is replayed on a row that it was not built with, checked like a compiled
one, and put into the library with the recorded rows as its samples."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from services.workflows.builds.build_store import BuildBus
from services.workflows.builds.recorded_row import RecordedRow
from services.workflows.builds.row_browser import open_row, recorded_row
from services.workflows.builds.scratch_run import RecordingBus, keep_values
from services.workflows.builds.workbench import Workbench, now_text, values_told
from shared.client.flow_runs import run_flow
from shared.contracts.browser_pool import ActOnPage
from shared.contracts.questions import Question
from shared.contracts.steps import FieldValue
from shared.contracts.workflows.build_events import FlowPublished
from shared.contracts.workflows.build_outcomes import BuildOutcome
from shared.contracts.workflows.builds import BuildRow, PublishFlow
from shared.contracts.workflows.flows import EnterSection, FlowAnswer, FlowCall, ReadFields, ReadWithModel
from shared.contracts.workflows.library import WorkflowRefused
from shared.flows.building.build import BuiltFlow, compile_build
from shared.flows.building.folder import (
    captures_folder,
    read_scratch_files,
    read_written,
    write_flow_files,
    write_sample,
)
from shared.flows.building.site_acts import described_act, may_change_site
from shared.flows.building.state import outcome_of
from shared.flows.building.stopped_work import todo_of_last, told_call
from shared.flows.checking.into_library import publish_flow
from shared.flows.checking.published import published_flow
from shared.flows.checking.validation import (
    Losses,
    Validation,
    begin_draft,
    check_sample,
    error_of,
    identifiers_of,
    validate_flow,
    variables_of,
)
from shared.flows.compiling.compiler import MIN_SAMPLES, CompiledFlow, NotCompiledError
from shared.flows.compiling.sample_choice import field_support
from shared.flows.files import fields_without_rules, write_files
from shared.flows.live import LiveFlow
from shared.flows.workspace import write_workspace
from shared.recordings.packing import pack_recordings, within_limits
from shared.recordings.recording import Recording
from shared.workflow_source.wording import finding_line

MOST_LEFT_OUT = 8
"""Finished rows that are tried to be left out, so that the flow is proven on one of them."""
NONE_LEFT_OUT = "Of those that are finished each shows something that the others do not, so none can be left out. "
PRESS_IT, STOP_BEFORE = "press it", "stop before it"
RIGHT, WRONG = "they are right", "one is wrong"
YES, NO = "yes", "no"


class HeldBackError(Exception):
    """The replay has come to something that may change the site, and a person wants it to end there."""


@dataclass(frozen=True)
class Replay:
    """What a replay came to. ``stopped``: why the flow did not come to its end; ``held_back``: before what a person
    has ended it. Empty: it came to its end. ``calls``: that it has made; ``url``: of the page that was seen last."""

    sample: Recording
    read: dict[str, FieldValue]
    stopped: str = ""
    held_back: str = ""
    calls: tuple[FlowCall, ...] = ()
    url: str = ""


class FlowPublisher:
    """``bench``: the session; its row in the browser stays as it is, for a replay has a browser of its own."""

    def __init__(self, bench: Workbench, bus: BuildBus) -> None:
        self._bench, self._bus = bench, bus
        self._needed_each: tuple[str, ...] = ()
        """Finished rows of which none could be left out."""

    def further_row(self, rows: Sequence[BuildRow]) -> BuildRow | None:
        """Return the first row that the flow was not built with."""
        seen = {*self._bench.state.finished, self._bench.state.sample_id}
        return next((one for one in rows if one.sample_id not in seen), None)

    def why_not(self, rows: Sequence[BuildRow]) -> BuildOutcome | None:
        """Return why nothing can be published now; None: it can be tried."""
        finished = self._bench.state.finished
        if len(finished) < MIN_SAMPLES:
            return outcome_of("publish_needs_rows", rows=finished, number=MIN_SAMPLES)
        if self.further_row(rows) is not None:
            return None
        if len(finished) == MIN_SAMPLES:
            return outcome_of("publish_needs_further_row", rows=finished)
        if finished == self._needed_each:
            return outcome_of("publish_needs_further_row", rows=finished, details=(NONE_LEFT_OUT,))
        return None

    async def wants(self, rows: Sequence[BuildRow]) -> bool:
        """Ask whether the flow is to be published, where it can be."""
        if self._bench.state.published or self.why_not(rows) is not None:
            return False
        left = [
            f"{', '.join(names)} on row {one.sample_id}"
            for one in self._bench.finished_samples()
            if (names := self._bench.open_fields(one.values))
        ]
        told = f" Still open: {'; '.join(left)}." if left else ""
        asked = Question(text=f"Put the flow into the library?{told}", options=(YES, NO))
        return await self._bench.ask(asked) == [YES]

    async def publish(self, command: PublishFlow, rows: Sequence[BuildRow]) -> None:
        """Replay, check and publish. What speaks against it is told, and nothing is published then."""
        bench = self._bench
        if unknown := [one for one in command.accept_loss if one not in bench.spec.output_schema]:
            bench.tell("publish_unknown_field", fields=tuple(unknown), details=(", ".join(bench.spec.output_schema),))
            return
        if (why := self.why_not(rows)) is not None:
            bench.tell_outcome(why)
            return
        bench.save()
        try:
            proposal = await self._proposal(command, rows)
        except NotCompiledError as exc:
            bench.tell("publish_draft", details=(str(exc),))
            return
        if proposal is None:
            self._needed_each = bench.state.finished
            bench.tell("publish_needs_further_row", details=(NONE_LEFT_OUT,))
            return
        built, row = proposal
        if built.flow.problems:
            bench.tell("publish_draft", details=built.flow.problems)
            return
        if built.flow.with_model:
            bench.tell("left_to_model", fields=built.flow.with_model)
        left_out = row.sample_id in bench.state.finished
        bench.tell("replaying_left_out" if left_out else "replaying", row=row.sample_id)
        replay = await self._replay(built.flow, row)
        if replay.stopped:
            self._tell_stopped(built, row, replay)
            return
        if replay.read and not await self._confirmed(built.flow, row, replay):
            bench.tell("publish_not_confirmed", row=row.sample_id)
            return
        await self._check_and_publish(command, built, replay)

    # --- what is published

    async def _proposal(self, command: PublishFlow, rows: Sequence[BuildRow]) -> tuple[BuiltFlow, BuildRow] | None:
        """Return the flow, which stands in workspace/flow.py then, and a row that it was not built with. None where the
        input has no further one, and none that is finished can be left out. Raises NotCompiledError."""
        samples, row = self._bench.finished_samples(), self.further_row(rows)
        if row is not None:
            built = await asyncio.to_thread(self._compile, samples, command.accept_loss)
            await asyncio.to_thread(self._write, built)
            return built, row
        first = {one.sample_id for one in read_written(self._bench.folder).values()}
        for sample in [one for one in reversed(samples) if one.sample_id not in first][:MOST_LEFT_OUT]:
            row = next((one for one in rows if one.sample_id == sample.sample_id), None)
            others = [one for one in samples if one is not sample]
            built = None if row is None else await self._without(sample, others, command.accept_loss)
            if row is not None and built is not None:
                await asyncio.to_thread(self._write, built)
                return built, row
        return None

    async def _without(
        self, sample: Recording, others: Sequence[Recording], given_up: Sequence[str]
    ) -> BuiltFlow | None:
        """Return the flow of the other rows, where it does and finds on this one what was recorded."""
        try:
            built = await asyncio.to_thread(self._compile, others, given_up)
        except NotCompiledError:
            return None
        if built.flow.problems:
            return None
        check = await check_sample(self._bus, built.flow, self._bench.spec, sample)
        return None if check.problems else built

    def _compile(self, samples: Sequence[Recording], given_up: Sequence[str]) -> BuiltFlow:
        """Return the flow of these rows."""
        bench = self._bench
        files, _ = read_scratch_files(bench.folder)
        return compile_build(bench.spec, bench.state, samples, files, read_written(bench.folder), given_up)

    def _write(self, built: BuiltFlow) -> None:
        moment = now_text()[:19].replace("-", "").replace(":", "")
        write_flow_files(self._bench.folder, built.flow, variables_of(built.flow, built.samples[0].row), moment)

    async def _confirmed(self, flow: CompiledFlow, row: BuildRow, replay: Replay) -> bool:
        without_rule = {*flow.with_model, *fields_without_rules(flow.files)}
        found = values_told(replay.read, self._bench.open_fields(replay.read.values()), without_rule)
        asked = Question(text=f"Row {row.sample_id}: {found} Is that right?", options=(RIGHT, WRONG))
        return await self._bench.ask(asked) == [RIGHT]

    # --- the replay

    async def _replay(self, flow: CompiledFlow, row: BuildRow) -> Replay:
        """Run the flow on a row in a browser of its own, and record it."""
        bench, read, held_back = self._bench, dict[str, FieldValue](), ""
        captures = captures_folder(bench.folder, row.sample_id)
        async with open_row(self._bus, bench.spec, row) as session:
            live_row = RecordedRow(session, bench.spec, recorded_row(row), captures, bench.by)
            bus = RecordingBus(live_row, lambda step, call: None, 0, lambda request: self._may_act(live_row, request))
            begin = begin_draft(flow, live_row.row)
            live = LiveFlow(bus, session.lease, flow.files, begin.variables)

            calls: list[FlowCall] = []

            async def answer(call: FlowCall) -> FlowAnswer:
                bus.call = call
                if not isinstance(call, EnterSection):
                    calls.append(call)
                if isinstance(call, ReadWithModel):
                    return FlowAnswer(value={})
                answered = await live.answer(call)
                if isinstance(call, ReadFields) and answered.error is None:
                    return keep_values(live_row, live.readings(call), answered, read)
                return answered

            stopped = ""
            try:
                stopped = error_of(await run_flow(self._bus, begin, answer))
            except HeldBackError as exc:
                held_back = str(exc)
            url = "" if live_row.page is None else live_row.page.url
        return Replay(live_row.sample, read, stopped, held_back, tuple(calls), url)

    async def _may_act(self, row: RecordedRow, request: ActOnPage) -> None:
        """Ask a person before an action that may change the site. Raises HeldBackError where it is not to be done."""
        shown = () if row.page is None else row.page.elements
        judged, samples = await row.judged(request.action), self._bench.finished_samples()
        if not request.once and not any(may_change_site(one, shown, samples) for one in judged):
            return
        what = described_act(judged[0], shown)
        text = f"On row {row.sample.sample_id} the flow is about to do this: {what}. It may change the site. Do it?"
        if await self._bench.ask(Question(text=text, options=(PRESS_IT, STOP_BEFORE))) != [PRESS_IT]:
            raise HeldBackError(what)

    def _tell_stopped(self, built: BuiltFlow, row: BuildRow, replay: Replay) -> None:
        """Tell where the flow stopped on a row: at which call, of which TODO, on which page."""
        bench, calls = self._bench, replay.calls
        todo = todo_of_last(calls, built, identifiers_of(row.fields), bench.events, bench.state.todos)
        bench.tell(
            "publish_stopped",
            *(() if todo is None else (todo,)),
            row=row.sample_id,
            act=told_call(calls[-1]) if calls else "",
            url=replay.url,
            details=(replay.stopped,),
        )
        bench.tell_alike()

    # --- checked and published

    async def _check_and_publish(self, command: PublishFlow, built: BuiltFlow, replay: Replay) -> None:
        bench, flow = self._bench, built.flow
        name = command.name or bench.spec.task_id
        samples = list(built.samples)
        whole = [] if replay.held_back else [replay.sample]
        accepted = frozenset({*command.accept_loss, *bench.state.given_up})
        losses = Losses(accepted, await published_flow(self._bus, name))
        held_out, used = (whole, samples) if whole else (samples[-1:], samples[:-1])
        validation = await validate_flow(self._bus, flow, bench.spec, held_out, used, losses=losses)
        if validation.problems:
            self._tell_problems(validation, command.accept_loss)
            return
        for one in whole:
            if one.sample_id not in bench.state.finished:
                write_sample(bench.folder, one)
        packed = pack_recordings(bench.written, [*samples, *whole], flow.samples)
        write_workspace(bench.folder, flow.source, write_files(flow.files), samples=packed)
        lost = sorted({one.field for one in validation.lost} | (accepted & set(fields_without_rules(flow.files))))
        kept = within_limits(packed)
        reply = await publish_flow(self._bus, name, flow, command.author or bench.by, "", kept, accepted_losses=lost)
        if isinstance(reply, WorkflowRefused):
            bench.tell("publish_refused", details=tuple(finding_line(one) for one in reply.findings))
            return
        if replay.held_back:
            bench.tell("replay_held_back", details=(replay.held_back,))
        support = field_support(bench.spec, [*samples, *whole])
        bench.note(
            FlowPublished(
                at=now_text(),
                name=reply.workflow.name,
                hash=reply.workflow.hash,
                row=replay.sample.sample_id,
                held_back=bool(replay.held_back),
                given_up=tuple(sorted({*flow.files.fields.given_up, *lost})),
                unvaried=tuple(one.field for one in support if one.is_unvaried),
            )
        )

    def _tell_problems(self, validation: Validation, accepted: Sequence[str]) -> None:
        """Tell what differs, which nobody can accept, and what is lost, which a person can."""
        if validation.differs:
            self._bench.tell("publish_differs", details=validation.differs)
        if refused := validation.refused:
            fields, told = tuple(one.field for one in refused), tuple(one.told for one in refused)
            self._bench.tell("publish_loses", fields=fields, details=told, accepted=tuple(accepted))
        self._bench.tell_alike()
