"""Where a value stands, on real pages: fields that are read in one part, and controls that only search or filter."""

from __future__ import annotations

import pytest

from services.planner.page.fields import FieldAmbiguous, FieldFound, Reading
from services.planner.page.identity import read_page
from services.planner.page.text import is_filter
from shared.contracts.browser_pool import PageObserved
from tests.browser.conftest import Look
from tests.unit.planner.planner_pages import sample, spec

PEOPLE = """
<h1>TCK-1001: Printer</h1>
<section aria-labelledby=r><h2 id=r>Reporter</h2><dl><dt>Name</dt><dd>Ann</dd><dt>Phone</dt><dd>11</dd></dl></section>
<section aria-label="Technician"><dl><dt>Name</dt><dd>Bob</dd><dt>Phone</dt><dd>22</dd></dl></section>
<fieldset><legend>Approver</legend><label>Name <input value=Cem></label>
<label>Phone <input value=33></label></fieldset>
<table><caption>Billing</caption><tr><th>Name<td>Dia<tr><th>Phone<td>44</table>
<h2>Visits</h2><table><tr><th>Day<th>Name<th>Phone<tr><td>Monday<td>Eve<td>55<tr><td>Tuesday<td>Fay<td>66</table>
<h2>Remarks</h2><p>Name: Gus</p>
"""
FILTERS = """
<h1>TCK-1001: Printer</h1>
<form method=get action=/list><label>State <select><option>any</select></label></form>
<form action=/list><label>Owner <input value=x></label></form>
<form class="issue-filter" method=post><label>Age <input value=x></label></form>
<table><thead><tr><th>Day <input aria-label=Day value=x></thead><tr><td>Monday</table>
<form method=post action=/edit><label>Name <input value=Ann></label></form>
<form><label>Phone <input value=11></label></form>
"""


def task(under: object = None, **changes: object):
    field = {"type": "string", **({} if under is None else {"under": under}), **changes}
    return spec(
        output_schema={"ticket_number": "string", "name": field}, required_fields=["name"], required_artifacts=[]
    )


def reading(seen: PageObserved, **how: object) -> Reading:
    who = sample(fields={"ticket_number": "TCK-1001", "day": "Tuesday"})
    return read_page(task(**how), who, seen).readings["name"]


@pytest.mark.parametrize(
    ("under", "shown"),
    [
        ("Reporter", "Ann"),
        ("technician", "Bob"),
        (["Nobody", "Approver"], "Cem"),
        ("Billing", "Dia"),
        ("{day}", "Fay"),
        ("Remarks", "Gus"),
    ],
)
async def test_a_value_is_read_under_its_heading_in_its_region_table_or_row(look: Look, under: object, shown: str):
    found = reading(await look(PEOPLE), under=under)
    assert isinstance(found, FieldFound)
    assert found.candidate.shown == shown


async def test_without_a_part_the_label_is_ambiguous_and_in_an_unknown_part_there_is_nothing(look: Look):
    seen = await look(PEOPLE)
    assert isinstance(reading(seen), FieldAmbiguous)
    assert not isinstance(reading(seen, under="Buyer"), FieldFound | FieldAmbiguous)


async def test_a_part_that_is_there_twice_is_no_part(look: Look):
    seen = await look(PEOPLE + "<h2>Visits</h2><p>Name: Hal</p>")
    assert not isinstance(reading(seen, under="Visits"), FieldFound | FieldAmbiguous)


async def test_where_labels_are_given_the_fields_own_name_is_none(look: Look):
    seen = await look("<h1>TCK-1001</h1><dl><dt>Name</dt><dd>Ann</dd><dt>Technician</dt><dd>Bob</dd></dl>")
    found = reading(seen, labels=["Technician"])
    assert isinstance(found, FieldFound)
    assert found.candidate.shown == "Bob"


async def test_a_control_that_only_searches_or_filters_is_no_value(look: Look):
    seen = await look(FILTERS)
    controls = {e.name: is_filter(e) for e in seen.elements if e.tag in ("input", "select")}
    assert controls == {"State": True, "Owner": True, "Age": True, "Day": True, "Name": False, "Phone": False}
