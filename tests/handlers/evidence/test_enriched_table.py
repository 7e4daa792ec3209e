"""The enriched table: the input row by row, unchanged, with the results appended."""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.evidence_world import World
from services.evidence.facts import RunFacts
from services.evidence.outputs.enriched_table import EnrichedTable
from services.evidence.state.file_contents import sample_file
from services.evidence.tables.enriched import unique_names
from shared.contracts.discovery import Sample, SampleFound
from shared.evidence_format.review.reviewed import ReviewedTarget, RunReview, SampleReview
from shared.evidence_view.sample_facts import SampleFacts
from shared.submission.samples import samples_of_table
from shared.tables.delimited import parse_delimited
from shared.tables.table import Table, objects_to_table, to_table
from shared.task.spec import TaskSpec
from tests.handlers.evidence.written_sample import files_of

SPEC = {
    "task_id": "t",
    "goal": "g",
    "start_url": "http://x/{ref}",
    "sample_id": "{ref}",
    "output_schema": {"name": "string", "school": "string | null"},
}
AT = datetime(2026, 3, 1, tzinfo=UTC)


def closing(header: Sequence[str]) -> RunFacts:
    made = World(1).closing()
    record = msgspec.structs.replace(made.record, spec=SPEC, input_columns=tuple(header))
    return RunFacts(record, made.finished, ())


def facts(
    sample: Sample, values: dict[str, Any] | None = None, run: RunFacts | None = None, **result: Any
) -> SampleFacts:
    found = SampleFound(run_id="r", sample_id=sample.sample_id, sample=sample, found_at=AT)
    fields = {name: {"state": "value", "value": value} for name, value in (values or {}).items()}
    written = msgspec.to_builtins(sample_file(found))
    if result and run is not None:
        result |= {"started_at": AT.isoformat(), "finished_at": AT.isoformat()}
    return (run or closing(())).facts_of(files_of(written, {"fields": fields, **result} if result else None))


def enriched(
    folder: Path, header: Sequence[str], samples: Sequence[SampleFacts], run: RunFacts | None = None
) -> list[list[str]]:
    folder.mkdir(exist_ok=True)
    product = EnrichedTable(run or closing(header), folder)
    try:
        for one in samples:
            product.add(one, lambda name: None)
        [made] = product.finish()
    finally:
        product.close()
    assert made.name == "enriched.csv"
    with made.path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def table(data: bytes) -> Table:
    grid, problems, _ = parse_delimited(data, "in.csv")
    read, more = to_table(grid, "in.csv")
    assert read is not None
    assert (problems, more) == ((), ())
    return read


def samples(read: Table) -> tuple[Sample, ...]:
    made, problems = samples_of_table(TaskSpec.model_validate(SPEC), read)
    assert problems == ()
    return made


ODD = (
    "ref, Name ,,note,amount\r\n"
    '007,"O\'Brien, Seán",,"two\r\nlines",01.50\r\n'
    "\r\n"
    '008,"say ""hi""",,=1+1,+49 30\r\n'
    '009," spaces ",,\u00a0,-5\r\n'
    "010,李小龙,,'quoted,@x\r\n"
)


def test_every_cell_of_the_input_stands_as_it_was(tmp_path: Path):
    read = table(ODD.encode())
    found = [facts(one, {"name": "X", "school": "=2+2"}, status="done") for one in samples(read)]
    got = enriched(tmp_path, read.header, found)
    original = [row for row in csv.reader(io.StringIO(ODD, newline="")) if row]
    assert [row[:5] for row in got] == original
    assert got[0][5:] == ["name_found", "school", "status", "reason", "not_present", "not_found", "sample_id"]
    assert got[1][5:] == ["X", "'=2+2", "done", "", "", "", "007"]


def said(act: str, value: str = "") -> ReviewedTarget:
    return ReviewedTarget(decision=act, value=value, by=("ann",), at=AT)


def test_after_a_sign_off_the_decided_value_stands_in_its_column_and_what_was_read_in_one_of_its_own(tmp_path: Path):
    read = table(b"ref\n1\n2\n3\n4\n")
    review = RunReview(
        round=1,
        signed_off_at=AT,
        signed_off_number=3,
        rows=(),
        samples={
            "1": SampleReview(values={"name": said("correct", "=Bo"), "school": said("accept")}),
            "2": SampleReview(values={"school": said("not_applicable")}),
            "3": SampleReview(sample=said("reject")),
        },
    )
    run = closing(read.header)
    run = dataclasses.replace(run, review=review)
    given = [({"name": "Ann", "school": "A"}), ({"name": "Cy", "school": "C"}), ({"name": "Di"}), ({"name": "Ed"})]
    found = [facts(one, values, run=run, status="done") for one, values in zip(samples(read), given, strict=True)]
    got = enriched(tmp_path, read.header, found, run=run)
    assert got[0] == [
        "ref", "name", "school", "status", "reason", "decision", "read_value", "reviewed_by", "signed_off_at",
        "not_present", "not_found", "sample_id",
    ]  # fmt: skip
    assert [[row[at] for at in (1, 2, 5, 6, 7)] for row in got[1:]] == [
        ["'=Bo", "A", "correct", '{"name":"Ann"}', "ann"],
        ["Cy", "", "not_applicable", '{"school":"C"}', "ann"],
        ["", "", "reject", '{"name":"Di"}', "ann"],
        ["Ed", "", "", "", ""],
    ]


def test_rows_without_a_result_are_rows_all_the_same(tmp_path: Path):
    read = table(b"ref,name\n1,Ann\n2,Bob\n")
    first, second = samples(read)
    done = facts(second, {"name": "Bob"}, status="failed", reason="not_found")
    assert enriched(tmp_path, read.header, [facts(first), done])[1:] == [
        ["1", "Ann", "", "", "", "", "", "", "1"],
        ["2", "Bob", "Bob", "", "failed", "not_found", "", "", "2"],
    ]


def test_rows_that_were_given_as_objects_keep_their_columns_and_words(tmp_path: Path):
    read, problems = objects_to_table([{"ref": 7, " team": "red "}, {"ref": "8", "late": True}])
    assert read is not None
    assert problems == ()
    got = enriched(tmp_path, read.header, [facts(one) for one in samples(read)])
    assert [row[:3] for row in got] == [["ref", " team", "late"], ["7", "red ", ""], ["8", "", "true"]]


def test_of_samples_that_were_found_by_navigating_there_is_none(tmp_path: Path):
    product = EnrichedTable(closing(()), tmp_path)
    product.add(facts(Sample(sample_id="a", key="a", row=1, fields={"url": "http://x"})), lambda name: None)
    assert list(product.finish()) == []
    product.close()


@pytest.mark.parametrize(
    ("header", "names", "given"),
    [
        (["Name"], ["name", "status"], ("name_found", "status")),
        (["name", "NAME_found "], ["name"], ("name_found_2",)),
        (["a"], ["b", "b_found"], ("b", "b_found")),
        (["b"], ["b", "b_found"], ("b_found", "b_found_found")),
        (["", ""], ["a"], ("a",)),
    ],
)
def test_a_new_column_never_bears_the_name_of_an_old_one(header, names, given):
    assert unique_names(header, names) == given


_CELLS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12)


@given(st.lists(st.tuples(_CELLS, _CELLS), min_size=1, max_size=5))
@settings(max_examples=25)
def test_any_cells_come_back(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]):
    objects = [{"ref": f"R{number}", "one": one, "two ": two} for number, (one, two) in enumerate(rows)]
    read, problems = objects_to_table(objects)
    assert read is not None
    assert problems == ()
    got = enriched(tmp_path_factory.mktemp("e"), read.header, [facts(one) for one in samples(read)])
    assert [row[:3] for row in got] == [["ref", "one", "two "], *(list(row.values()) for row in objects)]
