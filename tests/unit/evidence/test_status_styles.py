"""The statuses as the report, the workbook and the manifest show and count them: all from one table."""

from __future__ import annotations

import json
import re
from importlib import resources

from services.evidence.outputs.report_file import assets
from shared.evidence_format.files.manifest import SampleLink, count_population
from shared.evidence_format.table.columns import BEFORE
from shared.evidence_view.assets import status_css, status_js
from shared.statuses import GROUPS, STATUSES, STYLES
from tests.typed import expect


def texts(ending: str) -> str:
    folders = map(resources.files, ("services.evidence.report", "shared.evidence_view"))
    files = (one for folder in folders for one in folder.iterdir() if one.name.endswith(ending))
    return "\n".join(one.read_text(encoding="utf-8") for one in files)


def constants() -> dict[str, object]:
    return {name: json.loads(value) for name, value in re.findall(r"^const (\w+) = (.*);$", status_js(), re.M)}


def test_the_program_has_the_statuses_in_the_order_of_a_population():
    told = constants()
    assert list(expect(told["STATUSES"], dict).items()) == [
        ("done", "Done"),
        ("partial_success", "Partial"),
        ("needs_review", "Needs review"),
        ("failed", "Failed"),
        ("auth_required", "Login required"),
        ("no_result", "No result"),
    ]
    assert told["URGENCY"] == ["failed", "auth_required", "no_result", "needs_review", "partial_success", "done"]
    assert told["GROUPS"] == [
        ["done", "done", "done"],
        ["review", "for review", "needs_review"],
        ["failed", "failed", "failed"],
        ["excepted", "excepted", "auth_required"],
    ]


def test_every_status_has_an_icon():
    glyphs = texts("dom.js").partition("const GLYPHS = {")[2].partition("};")[0]
    for status in STYLES:
        assert f"\n  {status}: [" in glyphs, status


def test_every_status_and_every_group_has_a_colour_wherever_it_is_shown():
    css = status_css()
    assert css.count("--done:") == css.count("--excepted-bar:") == 3, "on light ground, on dark ground and on paper"
    for status in STYLES:
        assert f".st-{status} {{ color: var(--" in css
    for group in GROUPS:
        assert f".p-{group} span {{" in css
        assert f".s-{group} {{" in css


def test_no_colour_of_a_status_stands_anywhere_else():
    own = re.compile(r"--(?:done|review|failed|excepted)(?:-bar)?:|\.st-\w+ \{")
    assert own.findall(texts(".css")) == []
    assert own.findall(assets().css) != []


def test_a_table_names_the_statuses():
    meaning = next(column.meaning for column in BEFORE if column.name == "status")
    assert meaning == "done, partial_success, needs_review, failed or auth_required"
    assert set(re.findall(r"[a-z]+_?[a-z]+", meaning)) - {"or"} == set(STATUSES)


def test_a_population_is_the_sum_of_its_groups():
    links = [
        SampleLink(row=row, sample_id=f"S{row}", status=status, reason="", attempted=True, manifest_sha256="")
        for row, status in enumerate((*STATUSES, "done", "of another version"), 1)
    ]
    told = count_population(links, len(links), complete=True, note="")
    assert (told.done, told.review, told.failed, told.excepted) == (2, 2, 1, 2)
