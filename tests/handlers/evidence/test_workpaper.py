"""The workpaper of a run: what it says, what its links lead to, and what it never holds."""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.styles import Font
from python_calamine import CalamineWorkbook

from scripts.write_workpaper_template import main as write_template
from shared.evidence_format.export import ChangedMeanwhile
from shared.evidence_format.sources.folder import FolderSource
from shared.papers.paper import MARKS, Paper
from shared.papers.read_paper import read_paper
from shared.papers.workpaper.fill_template import TemplateRefused
from shared.papers.workpaper.write_workpaper import DEFAULT_TEMPLATE, make_workpaper
from tests.handlers.evidence.evidence_desk import KEY, Desk, found, sample, started
from tests.handlers.evidence.paper_world import (
    HOSTILE,
    corrected_run,
    exported,
    filed_run,
    paper_of,
    reviewed_run,
    timed_run,
)

SHEETS = ["Cover", "Attributes", "Values", "Exceptions", "Comments", "Sign-off", "Integrity"]
DOUBTFUL, LOST = f"T-{len(HOSTILE) + 1}", f"T-{len(HOSTILE) + 2}"


@pytest.fixture
async def run(desk: Desk) -> Desk:
    await filed_run(desk)
    return desk


def made(paper: Paper, template: Path | None = None) -> bytes:
    return make_workpaper(paper, lambda path: f"run_1/{path}", template).data


def sheet(data: bytes, name: str) -> list[list[Any]]:
    """Return the rows of a sheet as another program reads them."""
    return CalamineWorkbook.from_filelike(io.BytesIO(data)).get_sheet_by_name(name).to_python()


def facts(data: bytes, name: str) -> dict[str, Any]:
    """Return what stands beside each name in the first column; beside the first of equal ones."""
    return {row[0]: row[1] for row in reversed(sheet(data, name)) if row[0]}


async def test_the_cover_names_controls_population_and_seal(run: Desk):
    paper, _ = paper_of(run)
    cover = facts(made(paper), "Cover")
    assert cover["Control"] == "SOC 2 CC6.1: Logical access\nITGC-03"
    assert cover["Attribute"] == "Say who owns each ticket."
    samples = len(HOSTILE) + 2
    assert (cover["Samples found"], cover["Done"], cover["For review"], cover["Failed"]) == (samples, samples - 2, 1, 1)
    assert cover["Complete"] == "Complete"
    assert cover["Evidence"].startswith("Sealed and unchanged")
    assert (cover["Seed"], cover["Review"]) == ("none: nothing was drawn", "Not reviewed")
    assert facts(made(paper), "Integrity")["SHA-256 of manifest.json"] == run.check().manifest_sha256


async def test_hostile_texts_are_texts_and_stand_as_they_were_read(run: Desk):
    data = made(paper_of(run)[0])
    assert CalamineWorkbook.from_filelike(io.BytesIO(data)).sheet_names == SHEETS
    owners = [row[5] for row in sheet(data, "Attributes")[5 : 5 + len(HOSTILE)]]
    assert owners == [text.replace("\x07", "\ufffd") for text in HOSTILE]
    with zipfile.ZipFile(io.BytesIO(data)) as book:
        sheets = [book.read(name) for name in book.namelist() if name.startswith("xl/worksheets/sheet")]
        assert len(sheets) == len(SHEETS)
        assert [data for data in sheets if re.search(rb"<f[ >/]|t=\"e\"", data)] == []


async def test_every_link_leads_to_a_file_of_the_run(run: Desk):
    book: Any = load_workbook(io.BytesIO(made(paper_of(run)[0])))
    links = {cell.hyperlink.target for page in book for row in page.iter_rows() for cell in row if cell.hyperlink}
    assert [link for link in links if not (run.root / str(link)).is_file()] == []
    assert {"run_1/T-1/01_ticket.png", "run_1/T-1/01_ticket.mhtml.zst", "run_1/manifest.json"} <= links


async def test_a_value_that_is_open_is_told_with_its_sample_and_with_what_it_is_open_between(run: Desk):
    data = made(paper_of(run)[0])
    rows = {(row[0], row[1]): row[2:5] for row in sheet(data, "Exceptions")[5:]}
    assert [key for key in rows if key[1] == DOUBTFUL] == [("Sample", DOUBTFUL)]
    where, code, told = rows["Sample", DOUBTFUL]
    assert (where, code) == ("owner", "ambiguous_value")
    assert str(told).endswith("; owner is open between: Ann Lee | =cmd|' /C calc'!A0")
    assert rows["Sample", LOST][1] == "not_found"
    marks = {row[1]: (row[4], row[6]) for row in sheet(data, "Attributes")[5 : 5 + len(HOSTILE) + 2]}
    assert (marks["T-1"], marks[DOUBTFUL]) == (("U", "T"), ("U", "?"))
    legend = [row[:2] for row in sheet(data, "Attributes")[-len(MARKS) :]]
    assert legend == [[code, meaning] for code, meaning in MARKS.items()]


async def test_what_people_decided_and_signed_stands_beside_what_was_read(desk: Desk):
    await reviewed_run(desk)
    data = made(paper_of(desk)[0])
    value = next(row for row in sheet(data, "Values") if row[:2] == [DOUBTFUL, "owner"])
    assert [value[at] for at in (2, 3, 6)] == ["=Ann", "R", "corrected"]
    assert value[4] == "open: Ann Lee | =cmd|' /C calc'!A0"
    (doubtful,) = (row for row in sheet(data, "Exceptions") if row[1] == DOUBTFUL)
    assert doubtful[2:4] == ["owner", "ambiguous_value"]
    assert doubtful[4].endswith("; owner was open between Ann Lee | =cmd|' /C calc'!A0")
    assert doubtful[5:7] == ["accepted; owner: corrected", "=Ann"]
    lost = next(row for row in sheet(data, "Exceptions") if row[:2] == ["Sample", LOST])
    assert lost[5:9] == ["rejected", "", "as the page says", "ann, 2026-11-21 08:00:00 UTC"]
    decided = {row[1]: row[-3:] for row in sheet(data, "Attributes")[5:]}
    assert decided[DOUBTFUL][:2] == [
        "accepted; owner: corrected (was open between Ann Lee | =cmd|' /C calc'!A0)",
        "ann, 2026-11-21 08:00:00 UTC",
    ]
    assert decided[LOST][0] == "rejected"
    said = "ask the =owner\ufffd"
    assert decided[DOUBTFUL][2].endswith(f"Comment by cleo, 2026-11-21 08:00:00 UTC, on owner: {said}")
    assert [row[:4] for row in sheet(data, "Comments")[5:]] == [[DOUBTFUL, "owner", said, "cleo"]]
    signed = [row[:2] for row in sheet(data, "Sign-off")[6:8]]
    assert signed == [["ann", "reviewer"], ["cleo", "approver"]]
    cover = facts(data, "Cover")
    assert cover["Open exceptions"] == 1  # what was rejected is no evidence
    # The doubtful sample and the two that were drawn; of the lost one the rejection is the last word.
    assert cover["Decided"] == "3 samples accepted, 1 value corrected, 1 sample rejected"
    assert cover["Seed"] == "Q1"
    assert cover["Drawn for re-performance"].startswith(f"2 of {len(HOSTILE) + 2} (attribute sampling")
    assert cover["Review"] == "Signed off on 2026-11-21 08:00:00 UTC"


async def test_the_decided_value_is_the_value_with_its_own_mark_and_what_was_read_beside_it(desk: Desk):
    await corrected_run(desk)
    data = made(paper_of(desk)[0])
    rows = {row[1]: row for row in sheet(data, "Attributes")[5:9]}
    owners = {name: (row[5], row[6]) for name, row in rows.items()}
    assert owners["T-1"] == ("2026-10-31", "R")
    assert owners["T-2"] == ("rejected (read as Bo)", "R")
    assert owners["T-3"] == ("Cy", "R")
    assert [row[3:5] for row in rows.values()][:3] == [["1", "U"], ["2", "U"], ["3", "U"]]
    assert [rows[name][8] for name in ("T-1", "T-2", "T-3", "T-4")] == [
        "owner: corrected (read as 4 weeks ago)",
        "owner: rejected",
        "owner: corrected (was open between Ann Lee | =cmd|' /C calc'!A0)",
        "accepted",
    ]
    assert "R" in {row[0] for row in sheet(data, "Attributes")[-len(MARKS) :]}
    values = {row[0]: row[2:5] for row in sheet(data, "Values") if row[1] == "owner"}
    assert values["T-1"] == ["2026-10-31", "R", "4 weeks ago"]


async def test_a_corrected_value_leads_to_what_the_person_has_named_for_it(desk: Desk):
    await corrected_run(desk)
    book: Any = load_workbook(io.BytesIO(made(paper_of(desk)[0])))
    links = {row[1].value: row[5].hyperlink.target for row in book["Attributes"].iter_rows(min_row=6, max_row=8)}
    assert links == {
        "T-1": "run_1/T-1/01_ticket.mhtml.zst",
        "T-2": "run_1/T-2/01_ticket.png",
        "T-3": "run_1/T-3/01_ticket.png",
    }


async def test_the_file_that_a_person_names_for_a_correction_stands_with_its_value(desk: Desk):
    await corrected_run(desk)
    data = made(paper_of(desk)[0])
    heads = sheet(data, "Values")[4]
    rows = {row[0]: dict(zip(heads, row, strict=True)) for row in sheet(data, "Values") if row[1] == "owner"}
    artifacts = {one["filename"]: one["sha256"] for one in desk.json("T-3/result.json")["artifacts"]}
    told = ("Where it stands, as decided", "Picture", "SHA-256 of the picture", "Stored page", "Address")
    # Nothing was read of T-3, so that its picture is the one that the person has named.
    picture = "T-3/01_ticket.png"
    assert [rows["T-3"][name] for name in told] == [picture, picture, artifacts["01_ticket.png"], "", "http://x"]
    page = "T-1/01_ticket.mhtml.zst"
    assert [rows["T-1"][name] for name in told if not name.startswith("SHA")] == [
        page,
        "T-1/01_ticket.png",
        page,
        "http://tickets.example/1",
    ]
    assert rows["T-2"]["Where it stands, as decided"] == ""


async def test_what_is_wrong_with_a_sample_is_one_line_with_what_was_decided_of_it(desk: Desk):
    await corrected_run(desk)
    lines = [row[:3] + row[5:7] for row in sheet(made(paper_of(desk)[0]), "Exceptions")[5:]]
    assert lines == [
        ["Value", "T-1", "owner", "corrected", "2026-10-31"],
        ["Value", "T-2", "owner", "rejected", ""],
        ["Sample", "T-3", "owner", "corrected", "Cy"],
        ["Sample", "T-4", "", "accepted", ""],
    ]


async def test_what_was_for_review_or_failed_does_not_read_as_open_once_it_is_decided(desk: Desk):
    await corrected_run(desk)
    data = made(paper_of(desk)[0])
    cover = facts(data, "Cover")
    assert (cover["Done"], cover["For review"], cover["Failed"]) == (2, "1, decided", "1, decided")
    outcomes = [
        row[:4] for row in sheet(data, "Cover") if row[0] in ("Done", "Needs review", "Failed") and row[3] != ""
    ]
    assert [(row[0], row[2], row[3]) for row in outcomes] == [("Needs review", 1, 1), ("Failed", 1, 1)]
    statuses = {row[1]: row[2] for row in sheet(data, "Attributes")[5:9]}
    assert statuses == {"T-1": "Done", "T-2": "Done", "T-3": "Needs review, decided", "T-4": "Failed, decided"}


async def test_the_period_of_collection_ends_with_the_last_sample_and_review_and_seal_have_their_own_times(desk: Desk):
    await timed_run(desk)
    cover = facts(made(paper_of(desk)[0]), "Cover")
    assert cover["Period of collection"] == "2026-11-21 07:50:00 UTC to 2026-11-21 07:55:00 UTC"
    assert cover["Period of review"] == "2026-11-21 07:58:00 UTC to 2026-11-21 08:00:00 UTC"
    assert cover["Sealed (UTC)"] == datetime(2026, 11, 21, 8)


async def test_the_same_evidence_gives_the_same_bytes_and_no_time_of_making(run: Desk):
    paper, _ = paper_of(run)
    first = made(paper)
    assert made(paper_of(run)[0]) == first
    with zipfile.ZipFile(io.BytesIO(first)) as book:
        assert {member.date_time[0] for member in book.infolist()} == {1980}
        sealed = f"{paper.last_change:%Y-%m-%dT%H:%M:%SZ}"
        assert book.read("docProps/core.xml").count(sealed.encode()) == 2


async def test_a_run_that_was_changed_is_on_no_paper_without_a_word(run: Desk, tmp_path: Path):
    (run.root / "run_1/T-1/01_ticket.png").write_bytes(b"another picture")
    out = tmp_path / "paper.xlsx"
    code, words = exported(run.root / "run_1", tmp_path / "state", "--format", "workpaper", "--out", out)
    assert (code, "nothing was exported" in words, out.exists()) == (1, True, False)
    code, words = exported(run.root / "run_1", tmp_path / "state", "--format", "workpaper", "--out", out, "--broken")
    assert (code, out.exists()) == (1, True)
    assert facts(out.read_bytes(), "Cover")["Evidence"].startswith("NOT WHAT WAS SEALED: 2 problems")
    told = [row[4] for row in sheet(out.read_bytes(), "Exceptions") if row[0] == "Evidence"]
    assert any(one.startswith("T-1/01_ticket.png") for one in told)


async def test_a_run_at_work_says_that_nothing_proves_it(desk: Desk, tmp_path: Path):
    await desk.tell(started(), found(sample()))
    cover = facts(made(paper_of(desk)[0]), "Cover")
    assert cover["Evidence"].startswith("NOT SEALED")
    assert cover["Complete"] == "Not finished: 1 found so far"
    assert not [text for text in cover.values() if "none was left out" in str(text)]


async def test_a_file_that_changes_after_the_check_is_on_no_paper(run: Desk):
    checked = run.check()
    result = run.root / "run_1/T-1/result.json"
    result.write_bytes(result.read_bytes().replace(b"=1+1", b"=1+2"))
    with pytest.raises(ChangedMeanwhile, match=r"T-1/result\.json changed"):
        read_paper(FolderSource(run.root / "run_1"), checked)


async def test_links_lead_from_where_the_workpaper_is(run: Desk, tmp_path: Path):
    (tmp_path / "auditor.pem").write_text(KEY.public.pem)
    (tmp_path / "papers of Q1").mkdir()
    out = tmp_path / "papers of Q1" / "paper.xlsx"
    given = ("--format", "workpaper", "--out", out, "--key", tmp_path / "auditor.pem")
    code, words = exported(run.root / "run_1", tmp_path / "state", *given)
    assert code == 0, words
    book: Any = load_workbook(out)
    link = book["Attributes"]["B6"].hyperlink
    assert (out.parent / str(link.target)).resolve() == (run.root / "run_1/T-1/01_ticket.png").resolve()


# --- templates of others


def test_the_default_template_is_what_its_script_writes(tmp_path: Path):
    write_template(tmp_path / "template.xlsx")
    files = [(tmp_path / "template.xlsx").read_bytes(), DEFAULT_TEMPLATE.read_bytes()]
    written, kept = ([sheet(data, name) for name in SHEETS] for data in files)
    assert written == kept


def template(path: Path, *rows: list[str], name: str = "Mine") -> Path:
    book = Workbook()
    page = book.active
    assert page is not None
    page.title = name
    for row in rows:
        page.append(row)
    page["A2"].font = Font(bold=True)
    book.save(path)
    return path


async def test_a_template_is_filled_row_by_row_and_field_by_field(run: Desk, tmp_path: Path):
    own = template(
        tmp_path / "own.xlsx",
        ["Test of {{run.task}} ({{population.found}})", "", "", ""],
        ["{{sample.id}}", "{{field.name}}: {{field.value}}", "{{field.mark}}", "end"],
        ["below", "=1+1", "", "{{population.complete}}"],
    )
    data = made(paper_of(run)[0], own)
    rows = sheet(data, "Mine")
    count = len(HOSTILE) + 2
    assert rows[0][0] == f"Test of tickets ({count})"
    assert rows[1][:6] == ["T-1", "number: 1", "U", "owner: =1+1", "T", "end"]
    assert rows[count][0] == LOST
    assert (rows[count + 1][0], rows[count + 1][3]) == ("below", "yes")
    page: Any = load_workbook(io.BytesIO(data))["Mine"]
    assert (page.cell(count + 2, 2).value, page.cell(count + 2, 2).data_type) == ("=1+1", "f")
    assert [page.cell(row, 1).font.bold for row in (1, 2, count + 1, count + 2)] == [False, True, True, False]


async def test_a_template_tells_all_exceptions_and_those_that_are_open(desk: Desk, tmp_path: Path):
    await reviewed_run(desk)
    own = template(tmp_path / "own.xlsx", ["{{population.exceptions}}", "{{population.open_exceptions}}"], [""])
    assert sheet(made(paper_of(desk)[0], own), "Mine")[0] == [2, 1]


async def test_a_list_without_items_says_so(run: Desk, tmp_path: Path):
    own = template(tmp_path / "own.xlsx", ["Signed by", ""], ["{{signature.name}}", "{{signature.at}}"])
    assert sheet(made(paper_of(run)[0], own), "Mine") == [["Signed by"], ["none"]]


async def test_all_that_is_wrong_with_a_template_is_named_with_its_cell(run: Desk, tmp_path: Path):
    own = template(
        tmp_path / "own.xlsx",
        ["{{run.nothing}}", '=HYPERLINK("{{run.id}}")', "Lacking: {{run.remarks}}"],
        ["{{sample.id}} {{exception.told}}", "{{field.name}}", "apart", "{{field.mark}}"],
    )
    with pytest.raises(TemplateRefused) as refused:
        made(paper_of(run)[0], own)
    assert str(refused.value).split("; ") == [
        "Mine!A1: there is no placeholder {{run.nothing}}",
        "Mine!B1: a formula cannot hold a placeholder",
        "Mine!C1: {{run.remarks}} stands alone in its cell",
        "Mine!A2: a row is repeated for one list, sample or exception",
        "Mine!2: the cells of a field are not side by side",
    ]


@pytest.mark.parametrize("data", [b"", b"no workbook", b"PK\x05\x06" + b"\0" * 18], ids=["empty", "text", "zip"])
async def test_what_is_no_workbook_is_no_template(run: Desk, tmp_path: Path, data: bytes):
    (tmp_path / "own.xlsx").write_bytes(data)
    out = tmp_path / "paper.xlsx"
    given = ("--format", "workpaper", "--out", out, "--template", tmp_path / "own.xlsx")
    code, words = exported(run.root / "run_1", tmp_path / "state", *given)
    assert (code, "is no workbook (.xlsx)" in words, out.exists()) == (2, True, False)


async def test_a_template_belongs_to_a_workpaper(run: Desk, tmp_path: Path):
    code, words = exported(run.root / "run_1", tmp_path / "state", "--template", tmp_path / "own.xlsx")
    assert (code, "--template belongs to --format workpaper" in words) == (2, True)


async def test_what_has_no_room_is_said_on_the_cover(run: Desk, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("shared.papers.workpaper.fill_template.MOST_LINKS", 5)
    long = replace(paper_of(run)[0], goal="x" * 40_000)
    told = sheet(made(long), "Cover")[3][0]
    assert "Texts that are longer than a cell can be, each says so at its end: 1." in told
    assert "Cells without a link, for a sheet has room for 5: " in told
    assert sheet(made(paper_of(run)[0]), "Cover")[3][0].startswith("Cells without a link")


async def test_a_run_with_too_many_values_has_no_workpaper(run: Desk, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("shared.papers.workpaper.write_workpaper.MOST_VALUES", 10)
    with pytest.raises(TemplateRefused, match="22 values, and a workpaper has 10 at most"):
        made(paper_of(run)[0])


async def test_a_moment_in_the_workbook_is_one(run: Desk, tmp_path: Path):
    own = template(tmp_path / "own.xlsx", ["{{run.asked_at}}"], [""])
    assert sheet(made(paper_of(run)[0], own), "Mine")[0] == [datetime(2026, 11, 21, 8)]
