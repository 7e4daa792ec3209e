"""Runs a file of scratch_work on the page of a row: each of its calls is performed and recorded."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from services.workflows.builds.recorded_row import RecordedRow
from shared.bus.blob_io import Sink, Source
from shared.client.flow_runs import run_flow
from shared.contracts.browser_pool import ActOnPage
from shared.contracts.steps import FieldValue, StepTaken
from shared.contracts.workflows.flows import BeginFlow, FlowAnswer, FlowCall, ReadFields
from shared.flows.building.scratch_calls import read_scratch
from shared.flows.files import OUTPUT_SCHEMA_FILE, VARIABLES_SCHEMA_FILE, FlowFiles, ValueSchema, write_files
from shared.flows.identifiers import to_identifier
from shared.flows.live import LiveFlow
from shared.flows.reading import LocatedReading, flow_error
from shared.flows.variables import typed_row
from shared.streams import Bucket

Noted = Callable[[StepTaken, FlowCall], None]
Before = Callable[[ActOnPage], Awaitable[None]]


class ScratchRun:
    """``noted``: is told each recorded step with its call. ``read``: the values that the file has read."""

    def __init__(self, row: RecordedRow, files: FlowFiles, noted: Noted, route_step: int) -> None:
        self._row, self._files = row, files
        self._bus = RecordingBus(row, noted, route_step)
        opened = row.page is not None
        self._live = LiveFlow(self._bus, row.session.lease, files, row.row, page_is_open=opened)
        self.read: dict[str, FieldValue] = {}

    async def run(self, name: str, source: str) -> str:
        """Return why the file did not come to its end; empty: it did."""
        try:
            found = read_scratch(source, self._files.mappings)
        except SyntaxError as exc:
            return f"{name}, line {exc.lineno or 0}: {exc.msg}"
        schema = _schema(found.parameters, self._row.row, self._files.variables)
        files = write_files(self._files)
        files.pop(OUTPUT_SCHEMA_FILE, None)
        files |= {VARIABLES_SCHEMA_FILE: write_files(FlowFiles(variables=schema))[VARIABLES_SCHEMA_FILE]}
        begin = BeginFlow(
            name=name.removesuffix(".py"), source=source, files=files, variables=typed_row(schema, self._row.row)
        )
        ran = await run_flow(self._row.session.bus, begin, self._answer)
        return "" if ran.error is None else ran.error.message

    async def _answer(self, call: FlowCall) -> FlowAnswer:
        self._bus.call = call
        answer = await self._live.answer(call)
        if not isinstance(call, ReadFields):
            return answer
        if answer.error is not None:
            self._keep_certain(call)
            return answer
        return keep_values(self._row, self._live.readings(call), answer, self.read)

    def _keep_certain(self, call: ReadFields) -> None:
        """Record the fields of which the page leaves nothing open: the others only are to be read by hand."""
        for one in self._live.readings(call):
            if one.element is not None and one.state in ("value", "empty"):
                value = self._row.record_value(one.field, one.element, one.text or None)
                if not isinstance(value, str):
                    self.read[one.field] = value


def keep_values(
    row: RecordedRow, readings: Sequence[LocatedReading], answer: FlowAnswer, read: dict[str, FieldValue]
) -> FlowAnswer:
    """Record the values that a flow has read, with the elements that show them; they are added to ``read``.
    ``readings``: those that the answer is made of."""
    for one in readings:
        if one.element is None and one.state != "empty":
            return flow_error("value_uncertain", f"it is not known which element shows {one.field}")
        if one.element is None:
            value = row.record_absent(one.field)
        else:
            value = row.record_value(one.field, one.element, one.text or None)
        if isinstance(value, str):
            return flow_error("value_uncertain", value)
        read[one.field] = value
    return answer


class RecordingBus:
    """The browser of a row, as the driver of a flow asks it: what is done and seen is recorded.

    ``call``: of the flow, which the next actions belong to. ``before``: is told each action before it is done."""

    def __init__(self, row: RecordedRow, noted: Noted, route_step: int, before: Before | None = None) -> None:
        self._row, self._noted, self._route_step, self._before = row, noted, route_step, before
        self.call: FlowCall | None = None

    async def ask(self, subject: object, request: Any, *, timeout_s: float = 30.0) -> Any:
        """Act, or observe: a driver asks nothing else."""
        if not isinstance(request, ActOnPage):
            return await self._row.observe()
        if self._before is not None:
            await self._before(request)
        step = await self._row.act(request.action, self._route_step)
        assert self.call is not None
        self._noted(step, self.call)
        return step.result

    async def put(self, bucket: Bucket, name: str, data: bytes | Source) -> None:
        await self._row.session.bus.put(bucket, name, data)

    async def get(self, bucket: Bucket, name: str) -> bytes:
        return await self._row.session.bus.get(bucket, name)

    async def fetch(self, bucket: Bucket, name: str, sink: Sink) -> None:
        await self._row.session.bus.fetch(bucket, name, sink)

    async def remove(self, bucket: Bucket, name: str) -> None:
        """The row has removed it when it stored it."""


def _schema(
    parameters: tuple[str, ...], row: Mapping[str, str], known: Mapping[str, ValueSchema]
) -> dict[str, ValueSchema]:
    """Return the schema of a file's own parameters."""
    names = {to_identifier(name): name for name in row}
    schema: dict[str, ValueSchema] = {}
    for one in parameters:
        key = f"{names.get(one, one)}!"
        schema[key] = known.get(key, ValueSchema(type="string"))
    return schema
