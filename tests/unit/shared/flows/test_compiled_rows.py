"""Fields of rows in a flow: learned from the pages that showed them, and checked with the rows of held-out samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from shared.contracts.browser_pool import Element
from shared.contracts.steps import CellValue, FieldValue, RowValue, ValueSource
from shared.contracts.workflows.flows import OpenAddress, ReadList
from shared.flows.checking.recorded_answers import RecordedAnswers, check_values
from shared.flows.compiling.compiler import CompiledFlow, compile_flow
from shared.recordings.recording import Recording
from tests.cases import cases
from tests.unit.shared.flows.recorded_world import Recorder, element, spec_of

LINES = {"type": "rows", "columns": {"sku": "string", "amount": "string"}, "id_keys": ["sku"]}
SPEC = spec_of(output_schema={"lines": LINES}, input_schema={"number": "string"}, start_url="http://site/")
Rows = Sequence[tuple[str, str]]
FIRST = (("A-1", "10.00"), ("A-2", "20.00"))
SECOND = (("B-1", "5.50"), ("B-2", "7.00"), ("B-3", "9.25"))
THIRD = (("C-1", "4.00"), ("C-2", "8.00"))


def items(rows: Rows, *behind: Element) -> tuple[Element, ...]:
    """Return a page with a list without labels or headers."""
    found = [element(1, "heading", "An order", level=1)]
    for sku, amount in rows:
        found.append(element(len(found) + 1, "text", sku, place="ul>li>b"))
        found.append(element(len(found) + 1, "text", amount, place="ul>li>i"))
    return (*found, *(replace(one, ref=len(found) + at) for at, one in enumerate(behind, 1)))


def recorded(number: str, *pages: Rows) -> Recording:
    """Return a sample that has read these pages of rows, one after the other."""
    one = Recorder(number, {"number": number})
    rows: list[RowValue] = []
    for at, own in enumerate(pages):
        more = [element(0, "link", "Next")] if at + 1 < len(pages) else []
        shown = items(own, *more)
        if at == 0:
            one.open("http://site/", *shown)
        else:
            one.click(one.elements[-1].ref, *shown)
        rows += [RowValue(cells=tuple(cells_of(one, row))) for row in own]
    one.screenshot("order")
    one.values.append(FieldValue(field="lines", state="value", value=[], rows=tuple(rows)))
    return one.sample


def cells_of(one: Recorder, row: tuple[str, str]) -> list[CellValue]:
    found: list[CellValue] = []
    for name, text in zip(("sku", "amount"), row, strict=True):
        shown = next(element for element in one.elements if element.name == text)
        source = ValueSource(
            snapshot_id=one.sha256[:16], observation_sha256=one.sha256, url="http://site/", ref=shown.ref,
            role=shown.role, label=None, box=None, frame="main", kept_ref=shown.ref,
        )  # fmt: skip
        found.append(CellValue(field=name, state="value", value=text, shown=text, source=source))
    return found


def flow_of(*samples: Recording) -> CompiledFlow:
    return compile_flow(SPEC, samples)


def checked(flow: CompiledFlow, sample: Recording, returned: Any = None) -> tuple[str, ...]:
    """Return how the flow differs from a sample, of which it reads the rows. ``returned``: in their place."""
    answers = RecordedAnswers(sample, flow.files, {"number": sample.sample_id}, {})
    answers.answer(OpenAddress(url="http://site/"))
    read = answers.answer(ReadList(name="lines"))
    told = "" if read.error is None else read.error.message
    values = {"lines": read.value if returned is None else returned}
    return (
        check_values(sample, answers, values, told, {}).problems[:1]
        if told
        else tuple(one for one in check_values(sample, answers, values, "", {}).problems if "lines" in one)
    )


def test_rows_without_any_label_are_learned_and_found_on_other_samples():
    flow = flow_of(recorded("1", FIRST), recorded("2", SECOND))
    assert (flow.problems, flow.with_model) == ((), ())
    assert 'await read_list("lines")' in flow.source
    assert checked(flow, recorded("3", THIRD)) == ()


def test_pages_of_rows_are_turned_by_reading_them_and_by_no_step():
    flow = flow_of(recorded("1", FIRST, SECOND), recorded("2", THIRD))
    assert flow.problems == ()
    assert "Next" not in flow.source
    assert "click" not in flow.source
    assert checked(flow, recorded("3", THIRD, FIRST)) == ()


@cases(
    ("returned", "words"),
    [
        ([{"sku": "C-1", "amount": "4.00"}], "1 rows now, 2 then"),
        ([{"sku": "C-1", "amount": "4.00"}, {"sku": "C-2", "amount": "8.01"}], "2 rows now, 2 then"),
        ("C-1", "0 rows now, 2 then"),
    ],
)
def test_rows_that_a_flow_loses_or_changes_are_told(returned: Any, words: str):
    flow = flow_of(recorded("1", FIRST), recorded("2", SECOND))
    assert words in checked(flow, recorded("3", THIRD), returned)[0]


def test_a_page_that_lists_otherwise_is_told():
    flow = flow_of(recorded("1", FIRST), recorded("2", SECOND))
    sample = recorded("3", THIRD)
    pages = {key: replace_places(page) for key, page in sample.pages.items()}
    other = Recording("run_1", "3", sample.row, sample.steps, pages, sample.values)
    assert checked(flow, other)


def replace_places(page: Any) -> Any:
    elements = tuple(replace(one, place=one.place.replace("ul>li", "ol>li>p")) for one in page.elements)
    return type(page)(page.url, page.title, elements)


def test_rows_that_no_rule_separates_are_left_to_a_model():
    flow = flow_of(recorded("1", FIRST[:1]), recorded("2", ()))
    assert flow.with_model == ("lines",)
    assert "1 row; 2 or more are needed" in flow.remarks[0]
