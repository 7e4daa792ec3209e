"""A list of people is returned unchanged, with the directory's data appended to each row."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from python_calamine import CalamineWorkbook

from practice.people import demo, server
from practice.people.asking import settle
from practice.people.data import Person, ground_truth
from shared.client import Client
from tests.end_to_end.family_runs import spec_of
from tests.typed import expect

REMARKS = ('she said "soon",\r\nthen left', "  李小龙 ✈  ", "=SUM(A1:A9)", "007", "")
HEADER = ["ref", " remark", "name", "", "company", "note"]


def input_file(people: list[Person]) -> bytes:
    """Rows of all kinds, with a column of remarks, one that has no name, and spaces around a name of a column."""
    kinds = ["found", "ambiguous", "found", "not_found"]
    rows: list[dict[str, str]] = []
    for row in demo.input_rows(people):
        if kinds and settle(people, row["name"], row["company"]).kind == kinds[0]:
            rows.append(row)
            kinds.pop(0)
    assert not kinds
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(HEADER)
    for row, remark in zip(rows, REMARKS, strict=False):
        writer.writerow([row["ref"], remark, row["name"], "", row["company"], row["note"]])
    return text.getvalue().encode()


def read(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


async def test_a_list_comes_back_with_what_was_found(client: Client, tmp_path: Path):
    people = list(ground_truth())
    original = tmp_path / "people.csv"
    original.write_bytes(input_file(people))
    async with server.serve() as url:
        accepted = await client.submit(spec_of("practice_people", url), file=("people.csv", original.read_bytes()))
        finished = await client.result(accepted.run_id)
    folder = Path(finished.location)
    given, got = read(original), read(folder / "enriched.csv")
    assert [row[: len(HEADER)] for row in got] == given
    new = [
        "name_found",
        "profile_url",
        "school",
        "current_company",
        "tenure",
        "status",
        "reason",
        "not_present",
        "not_found",
        "sample_id",
    ]
    assert got[0][len(HEADER) :] == new
    assert demo.compare_enriched(folder / "enriched.csv", original, people, url) == []
    assert [row[-5] for row in got[1:]] == ["done", "needs_review", "done", "failed"]
    book = CalamineWorkbook.from_path(str(folder / "combined.xlsx"))
    assert book.sheet_names == ["Samples", "done", "needs_review", "failed", "About"]
    shown = [expect(row[0], str) for row in book.get_sheet_by_name("Samples").to_python()[1:]]
    assert shown == [row[-1] for row in got[1:]]
    assert all((folder / name / "01_search.png").is_file() for name in shown)
