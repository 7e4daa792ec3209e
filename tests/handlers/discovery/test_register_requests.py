"""Run requests that name a register: checked before anything starts, and kept in the run's record."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec
import pytest

from services.discovery.handlers import submit_run
from shared.contracts.discovery import (
    FileReading,
    InputFile,
    ReadAs,
    Register,
    RunAccepted,
    RunRecord,
    RunStarted,
    SubmitRun,
)
from shared.contracts.evidence import RunLoaded
from shared.evidence_format.reading_words import reading_lines
from shared.streams import INPUTS
from shared.testing.bus import MemoryBus
from tests.handlers.discovery.discovery_bench import (
    ROWS,
    SPEC,
    deps_on,
    evidence,
    knowing_nothing,
    loaded,
    nothing_started,
    record_of,
    where,
)
from tests.typed import expect
from tests.unit.shared.tables.written_workbook import Sheet, cell, text, written


@pytest.fixture
def bus() -> MemoryBus:
    return knowing_nothing(MemoryBus())


async def put(bus: MemoryBus, data: bytes, name: str = "out.csv", key: str = "number", **more: Any) -> Register:
    await bus.put(INPUTS, name, data)
    file = InputFile(name=name, blob=name, size_bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
    return Register(file=file, key=key, **more)


async def test_the_register_of_a_run_is_in_its_record(bus: MemoryBus):
    register = await put(bus, b"Number,cost\nT-1,3\n", fold_keys=True)
    reply = await submit_run(SubmitRun(spec=SPEC, samples=ROWS, register=register), deps_on(bus))
    assert isinstance(reply, RunAccepted)
    assert bus.events(RunStarted)[0].record.register == register


async def test_what_became_of_the_rows_of_both_files_is_in_the_record(bus: MemoryBus):
    register = await put(bus, "Number;cost\n\nT-1;\xa33\n".encode("cp1252"))
    file = msgspec.structs.replace(register.file, read_as=ReadAs(encoding="cp1252"))
    register = msgspec.structs.replace(register, file=file)
    rows = [[text("A1", "number"), text("B1", "url"), text("C1", "x")]]
    rows += [[text(f"A{at}", f"T-{at}"), text(f"B{at}", "http://x/1"), cell("C2", "<f>A9</f>")] for at in (2, 3)]
    rows[2].pop()
    book = written(Sheet("Old", rows, "hidden"), Sheet("List", rows, hidden=frozenset({3})))
    await bus.put(INPUTS, "in.xlsx", book)
    given = InputFile(
        name="in.xlsx",
        blob="in.xlsx",
        size_bytes=len(book),
        sha256=hashlib.sha256(book).hexdigest(),
        read_as=ReadAs(hidden_rows="leave"),
    )
    reply = await submit_run(SubmitRun(spec=SPEC, input_file=given, register=register), deps_on(bus))
    assert isinstance(reply, RunAccepted)
    assert reply.samples == 1
    record = bus.events(RunStarted)[0].record
    assert reading_lines(expect(record.input_reading, FileReading)) == [
        "in.xlsx: 1 row read, of the sheet List",
        "left out: the sheet Old: it is hidden",
        "left out: 1 hidden row (3) of the sheet List",
        "sheet List, cell C2 (column x): a formula without a stored value; open the file in Excel, save it, and name "
        "it again; the task does not use it",
    ]
    assert reading_lines(expect(record.register_reading, FileReading)) == [
        "out.csv: 1 row read, in cp1252, as was told",
        "left out: 1 blank row (1)",
    ]


async def test_all_problems_are_told_at_once_with_those_of_the_rest_and_nothing_starts(bus: MemoryBus):
    register = await put(bus, b"number,Number,number\nT-1,3,4\nT-2,1,1,1\n", key="ticket")
    request = SubmitRun(spec=SPEC, samples=({"number": "T-1"},), planner="oracle", register=register)
    told = where(await submit_run(request, deps_on(bus)))
    assert told == [
        "planner",
        "column url",
        "out.csv, column number",
        "out.csv, row 2",
        "register.key",
        "out.csv, columns",
    ]
    assert nothing_started(bus)


@pytest.mark.parametrize(
    ("data", "name", "place"),
    [
        (b"", "out.csv", "out.csv"),
        (b"\0\1", "out.csv", "out.csv"),
        (b"PK\x03\x04", "out.xlsx", "out.xlsx"),
        (b'{"number": 1}', "out.json", "out.json"),
        (b"id\n1\n", "out.csv", "out.csv, columns"),
        (b'[{"number": 1, " number": 2}]', "out.json", "out.json, row 1"),
    ],
)
async def test_a_file_that_cannot_be_compared_is_refused(bus: MemoryBus, data: bytes, name: str, place: str):
    register = await put(bus, data, name)
    reply = await submit_run(SubmitRun(spec=SPEC, samples=ROWS, register=register), deps_on(bus))
    assert where(reply) == [place]
    assert nothing_started(bus)


@pytest.mark.parametrize("data", [b"number\n", b"[]"])
async def test_an_empty_register_is_compared(bus: MemoryBus, data: bytes):
    register = await put(bus, data, "out.json" if data == b"[]" else "out.csv")
    assert isinstance(
        await submit_run(SubmitRun(spec=SPEC, samples=ROWS, register=register), deps_on(bus)), RunAccepted
    )


async def test_bytes_that_are_not_those_of_the_request_are_refused(bus: MemoryBus):
    register = await put(bus, b"number\nT-1\n")
    await bus.put(INPUTS, "out.csv", b"number\nT-9\n")
    assert where(await submit_run(SubmitRun(spec=SPEC, samples=ROWS, register=register), deps_on(bus))) == ["out.csv"]


async def test_the_register_is_checked_even_where_the_spec_is_wrong(bus: MemoryBus):
    register = await put(bus, b"id\n1\n")
    reply = await submit_run(SubmitRun(spec={**SPEC, "goal": 1}, samples=ROWS, register=register), deps_on(bus))
    assert set(where(reply)) == {"spec.goal", "out.csv, columns"}


# --- resumed


def finished_run(register: Register | None = None) -> RunLoaded:
    return loaded(("done", 1), record=record_of(register=register))


async def resumed(loaded: RunLoaded, register: Register | None, bus: MemoryBus) -> RunRecord:
    bus.host(evidence(loaded), None)
    reply = await submit_run(SubmitRun(resume_run_id="run_1", register=register), deps_on(bus))
    assert expect(reply, RunAccepted).samples == 0
    return bus.events(RunStarted)[0].record


@pytest.mark.parametrize("is_new", [True, False], ids=["named by the next round", "kept from the round before"])
async def test_a_finished_run_is_compared_by_another_round(is_new: bool):
    bus = MemoryBus()
    register = await put(bus, b"number\nT-1\n")
    run, named = (finished_run(), register) if is_new else (finished_run(register), None)
    assert (await resumed(run, named, bus)).register == register


async def test_a_register_that_does_not_fit_the_run_is_refused():
    bus = MemoryBus()
    register = await put(bus, b"number\nT-1\n", key="ticket")
    bus.host(evidence(finished_run()), None)
    assert where(await submit_run(SubmitRun(resume_run_id="run_1", register=register), deps_on(bus))) == [
        "register.key"
    ]
    assert nothing_started(bus)


def test_a_request_without_a_register_is_as_before():
    written = msgspec.json.decode(msgspec.json.encode(SubmitRun(spec=SPEC)))
    del written["register"]
    assert msgspec.convert(written, SubmitRun) == SubmitRun(spec=SPEC)
