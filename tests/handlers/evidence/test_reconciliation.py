"""A run compared with a register: filed, compared, told in tables and report, sealed and verified."""

from __future__ import annotations

import asyncio
import hashlib
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchmarks.evidence_reconciliation import facts_with, write_register
from benchmarks.evidence_world import World
from services.evidence.outputs.make_products import ALL_PRODUCTS
from services.evidence.outputs.parquet_tables import ParquetTables
from services.evidence.outputs.reconciliation import Reconciliation, read_counts
from services.evidence.read_api.sql_service import SqlService
from shared.contracts.discovery import InputFile, PopulationClosed, Register, Sample
from shared.contracts.evidence import AskSql, ReconciliationCounts, RunFinished, SqlAnswered
from shared.contracts.planner import SampleFinished
from shared.contracts.steps import FieldValue
from shared.streams import INPUTS
from shared.text.names import DISCOVERY
from tests.handlers.evidence.evidence_desk import NOW, Desk, closed, found, sample, started
from tests.handlers.evidence.report_blocks import block
from tests.handlers.evidence.sealed_rounds import told
from tests.handlers.evidence.sql_room import OwnDatabase
from tests.typed import expect

SPEC: dict[str, Any] = {
    "task_id": "tickets",
    "goal": "Say who owns each ticket.",
    "identity": {"number": "{number}"},
    "output_schema": {"number": "string", "owner": "string | null", "due": "date | null"},
}
HOSTILE = '=HYPERLINK("http://x")</script><img src=x onerror=alert(1)>\x1b[31m'
REGISTER = (
    "Number,OWNER,due,cost\n"
    "A-1,Ann,4 March 2026,1\n"
    f'A-2,"{HOSTILE.replace(chr(34), chr(34) * 2)}",2026-03-04,1\n'
    "A-4,Bo,,1\n"
    "A-9,Zoe,,1\n"
    "A-5,x,,1\n"
    "A-5,y,,1\n"
).encode()
BLOB = "up/register.csv"


def register(data: bytes = REGISTER, name: str = "register.csv", **more: Any) -> Register:
    file = InputFile(name=name, blob=BLOB, size_bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
    return Register(file=file, key="number", **more)


def result(one: Sample, status: Any = "done", attempt: int = 1) -> SampleFinished:
    return SampleFinished(
        run_id="run_1",
        sample_id=one.sample_id,
        attempt=attempt,
        status=status,
        reason="" if status == "done" else "not_found",
        sample=one,
        artifacts=(),
        values=(
            FieldValue(field="number", state="value", value=one.key, shown=one.key),
            FieldValue(field="owner", state="value", value="Ann", shown="Ann"),
            FieldValue(field="due", state="value", value="2026-03-04", shown="Mar 4, 2026"),
        ),
        started_at=NOW,
        finished_at=NOW,
    )


SAMPLES = [sample(f"A-{number}", number, number=f"A-{number}") for number in range(1, 6)]
STATUSES = {"A-4": "failed"}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "evidence", ALL_PRODUCTS)


async def compared(desk: Desk, data: bytes = REGISTER, **more: Any) -> RunFinished:
    """File a run that is compared with these bytes."""
    await desk.bus.put(INPUTS, BLOB, data)
    await desk.tell(started(spec=SPEC, register=register(data, **more)), *map(found, SAMPLES), closed(len(SAMPLES)))
    return await desk.tell(*(result(one, STATUSES.get(one.key, "done")) for one in SAMPLES))


def verdicts(desk: Desk) -> dict[str, str]:
    records = desk.json("reconciliation/reconciliation.json")["records"]
    return {one["key"]: one["verdict"] for one in records}


@pytest.fixture(scope="module")
def filed(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A run that was compared, which no test changes."""
    desk = Desk(tmp_path_factory.mktemp("compared") / "evidence", ALL_PRODUCTS)
    asyncio.run(compared(desk))
    return desk


async def test_the_population_is_compared_with_the_register_both_ways(filed: Desk):
    assert verdicts(filed) == {
        "A-1": "other_form",
        "A-2": "differs",
        "A-3": "missing_there",
        "A-4": "not_read",
        "A-5": "duplicate",
        "A-9": "missing_here",
    }
    counts = {"other_form": 1, "differs": 1, "missing_there": 1, "not_read": 1, "duplicate": 1, "missing_here": 1}
    finished = filed.json("run.json")["finished"]
    assert msgspec.convert(finished["reconciliation"], ReconciliationCounts) == ReconciliationCounts(
        samples=5, rows=6, **counts
    )
    assert finished["not_made"] == []


async def test_the_file_says_what_was_compared_and_how(filed: Desk):
    file = filed.json("reconciliation/reconciliation.json")
    columns = [{"field": "owner", "column": "OWNER"}, {"field": "due", "column": "due"}]
    assert (file["version"], file["key"], file["key_column"], file["keys"]) == (1, "number", "Number", "exact")
    assert (file["columns"], file["columns_without_field"]) == (columns, ["cost"])
    assert (file["register"]["name"], file["register"]["encoding"]) == ("register.csv", "utf-8")
    assert [sheet["rows"] for sheet in file["register"]["reading"]["sheets"]] == [6]
    assert (filed.root / "run_1" / file["register"]["path"]).read_bytes() == REGISTER


async def test_the_register_and_the_comparison_are_sealed(desk: Desk):
    await compared(desk)
    assert desk.check().problems == []
    path = desk.json("reconciliation/reconciliation.json")["register"]["path"]
    sealed = {entry["path"]: entry["sha256"] for entry in desk.json("manifest.json")["files"]}
    assert sealed[path] == hashlib.sha256(REGISTER).hexdigest()
    (desk.root / "run_1" / path).write_bytes(REGISTER.replace(b"Bo", b"Al"))
    assert told(desk.check()) == {(path, "changed")}


async def test_a_comparison_that_says_other_things_than_its_run_is_found_even_where_it_was_sealed_so(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
):
    write = desk.deps.store.write_file

    async def write_other(key: str, path: Path) -> None:
        if key.endswith("reconciliation.json"):
            path.write_bytes(path.read_bytes().replace(b'"samples":["A-3"]', b'"samples":["A-8"]'))
        await write(key, path)

    monkeypatch.setattr(desk.deps.store, "write_file", write_other)
    await compared(desk)
    assert told(desk.check()) == {("reconciliation/reconciliation.json", "inconsistent")}


async def test_the_report_tells_it_as_text(filed: Desk):
    page = (filed.root / "run_1" / "report.html").read_text()
    assert "<img" not in page
    shown = json.loads(block(page, "run"))["reconciliation"]
    assert {verdict: number for verdict, _, number in shown["verdicts"]}["missing_there"] == 1
    # What a person has to look at comes first.
    assert [one["key"] for one in shown["listed"]] == ["A-2", "A-9", "A-3", "A-5", "A-4", "A-1"]
    [difference] = shown["listed"][0]["fields"]
    assert (difference["here"], difference["there"]) == ("Ann", HOSTILE)


async def test_it_can_be_asked_in_sql(filed: Desk):
    store = filed.deps.store
    service = SqlService(store, filed.bus, OwnDatabase(store), ParquetTables, lambda: NOW)

    async def ask(query: str, format_: Any = "json") -> str:
        return expect(await service.answer(AskSql(query=query, run_ids=("run_1",), format=format_)), SqlAnswered).text

    left = await ask("SELECT key, sample_id, rows FROM reconciliation WHERE verdict <> 'same' ORDER BY key")
    assert [tuple(one.values()) for one in json.loads(left)] == [
        ("A-1", "A-1", [1]),
        ("A-2", "A-2", [2]),
        ("A-3", "A-3", []),
        ("A-4", "A-4", [3]),
        ("A-5", "A-5", [5, 6]),
        ("A-9", None, [4]),
    ]
    fields = await ask("SELECT sample_id, field, verdict, text_there, value_there FROM differences ORDER BY ALL")
    assert [tuple(one.values()) for one in json.loads(fields)] == [
        ("A-1", "due", "other_form", "4 March 2026", "2026-03-04"),
        ("A-2", "owner", "differs", HOSTILE, HOSTILE),
    ]
    assert "'=HYPERLINK" in await ask("SELECT text_there FROM differences ORDER BY field DESC", "csv")
    await service.close()


async def test_a_run_that_is_compared_with_nothing_has_no_comparison(desk: Desk):
    await desk.tell(started(spec=SPEC), found(SAMPLES[0]), closed(1))
    finished = await desk.tell(result(SAMPLES[0]))
    assert finished.reconciliation is None
    assert not (desk.root / "run_1" / "reconciliation").exists()
    assert "reconciliation" not in json.loads(block((desk.root / "run_1" / "report.html").read_text(), "run"))


async def test_a_finished_run_is_compared_by_another_round_and_what_was_sealed_stays(desk: Desk):
    done = [one for one in SAMPLES if one.key != "A-4"]
    await desk.tell(started(spec=SPEC), *map(found, done), closed(len(done)), *map(result, done))
    await desk.bus.put(INPUTS, BLOB, REGISTER)
    finished = await desk.tell(started(1, spec=SPEC, register=register()), closed(len(done), 1))
    assert expect(finished, RunFinished).reconciliation is not None
    assert verdicts(desk)["A-9"] == "missing_here"
    other = b"number\nA-1\n"
    await desk.bus.put(INPUTS, BLOB, other)
    await desk.tell(started(2, spec=SPEC, register=register(other)), closed(len(done), 2))
    assert set(verdicts(desk)) == {"A-1", "A-2", "A-3", "A-5"}
    filed = [path.name for path in (desk.root / "run_1" / "reconciliation").glob("register_*")]
    assert len(filed) == 2  # the first one is still evidence of the second round
    archived = json.loads((desk.root / "run_1/rounds/2/reconciliation/reconciliation.json").read_text())
    assert archived["counts"]["missing_here"] == 2
    assert desk.check().problems == []


async def test_what_a_run_has_only_listed_is_compared_too_and_a_list_that_is_not_complete_says_so(desk: Desk):
    await desk.bus.put(INPUTS, BLOB, REGISTER)
    listing = {**SPEC, "phase": "discovery"}
    opens = started(spec=listing, discovery_spec=listing, register=register())
    await desk.tell(msgspec.structs.replace(opens, discovering=True))
    for one, owner in ((SAMPLES[0], "Ann"), (SAMPLES[1], "Bo")):
        item = {"number": one.key, "owner": owner, "due": "2026-03-04"}
        await desk.tell(msgspec.structs.replace(found(one), found_on="http://x/list", item=item))
    search = Sample(sample_id=DISCOVERY, key=DISCOVERY, row=0)
    ending = msgspec.structs.replace(result(search), values=())
    await desk.tell(ending, PopulationClosed(run_id="run_1", samples=2, complete=False, reason="stagnated"))
    assert verdicts(desk) == {
        "A-1": "other_form",
        "A-2": "differs",
        **{"A-4": "missing_here", "A-5": "duplicate", "A-9": "missing_here"},
    }
    assert desk.json("reconciliation/reconciliation.json")["population_complete"] is False
    assert desk.check().problems == []


async def test_an_event_that_is_delivered_again_changes_nothing(desk: Desk):
    await compared(desk)
    before = desk.files()
    desk.restart()
    await desk.tell(started(spec=SPEC, register=register()))
    assert desk.files() == before


async def test_a_register_that_is_not_on_the_bus_costs_the_comparison_and_not_the_run(desk: Desk):
    await desk.tell(started(spec=SPEC, register=register()), *map(found, SAMPLES), closed(len(SAMPLES)))
    finished = await desk.tell(*map(result, SAMPLES))
    assert finished.reconciliation is None
    assert "register.csv is not filed" in finished.not_made[0]
    assert finished.manifest_sha256
    assert "could not be filed" in desk.json("manifest.json")["remarks"][0]
    assert json.loads(block((desk.root / "run_1" / "report.html").read_text(), "run"))["reconciliation"] == {
        "register": {"name": "register.csv"}
    }


async def test_bytes_that_are_not_those_that_were_checked_are_not_filed(desk: Desk):
    await desk.bus.put(INPUTS, BLOB, REGISTER + b"A-7,x,,1\n")
    await desk.tell(started(spec=SPEC, register=register()), found(SAMPLES[0]), closed(1))
    assert not (desk.root / "run_1" / "reconciliation").exists()
    assert desk.json("run.json")["remarks"] == [
        "the register register.csv could not be filed: its bytes are not those that were checked"
    ]


@pytest.mark.system
async def test_a_large_register_is_compared_in_a_process_of_its_own_and_every_row_is_told(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("services.evidence.outputs.subprocess_product.LARGE_REGISTER_BYTES", 1000)
    rows = "".join(f"B-{number},x,\n" for number in range(300))
    finished = await compared(desk, f"number,owner,due\n{rows}".encode())
    assert finished.reconciliation == ReconciliationCounts(samples=5, rows=300, missing_here=300, missing_there=5)
    assert finished.not_made == ()
    assert desk.check().problems == []
    page = (desk.root / "run_1" / "report.html").read_text()
    assert json.loads(block(page, "run"))["reconciliation"]["left_out"] == 250


@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
def test_a_run_agrees_with_its_own_table_in_fields_of_all_types(tmp_path: Path, suffix: str):
    world, register_file = World(60), tmp_path / f"register.{suffix}"
    write_register(register_file, world, 61)
    run = facts_with(world, register_file)
    (tmp_path / "work").mkdir()
    product = Reconciliation(run, tmp_path / "work")
    for facts in world.facts():
        product.add(facts, lambda _: None)
    assert [file.name for file in product.finish()] == ["reconciliation/reconciliation.json"]
    done = sum(facts.status == "done" for facts in world.facts())
    counts = read_counts(run)
    assert counts is not None
    assert (counts.same + counts.other_form, counts.not_read, counts.missing_here) == (done, 60 - done, 1)
