"""Generated pages of a record: each field is read right, or goes to a person; never another text."""

from __future__ import annotations

import pytest
from hypothesis import given

from services.browser_pool.adapters.session import PageSession
from services.planner.page.fields import FieldFound
from services.planner.page.identity import read_page
from shared.contracts.browser_pool import PageObserved
from shared.task.typed_values import typed_value
from shared.text.normal import Normal
from tests.browser.generated_pages import examples, observed
from tests.browser.generated_records import Page, record_pages
from tests.unit.planner.planner_pages import sample, spec

pytestmark = pytest.mark.asyncio(loop_scope="session")
TASK = spec(
    output_schema={
        "ticket_number": "string",
        "status": "string | null",
        "owner": "string | null",
        "due": {"type": "date | null", "labels": ["Due date"]},
        "points": "number | null",
    },
    required_fields=["ticket_number"],
    required_artifacts=[],
)


def read(page: PageObserved) -> dict[str, str | None]:
    """The text of each field that would stand in the result; None where it would go to a person or is not read."""
    found = read_page(TASK, sample(), page)
    assert found.proof.state == "proven", found.proof
    shown: dict[str, str | None] = {}
    for name, reading in found.readings.items():
        if name in TASK.identity:
            continue
        candidate = reading.candidate if isinstance(reading, FieldFound) else None
        field = TASK.output_schema[name]
        is_value = candidate is not None and (
            candidate.shown == "" or isinstance(typed_value(field, candidate.shown, title=candidate.title), Normal)
        )
        shown[name] = candidate.shown if candidate is not None and is_value else None
    return shown


@examples(200)
@given(made=record_pages())
async def test_a_field_is_right_or_goes_to_a_person(session: PageSession, made: Page) -> None:
    await session.page.set_content(made.html)
    page = await observed(session, "record")
    wrong = {name: shown for name, shown in read(page).items() if shown is not None and shown != made.values[name]}
    assert not wrong, page.text


@examples(120)
@given(made=record_pages(certain=True))
async def test_what_is_certain_is_read(session: PageSession, made: Page) -> None:
    await session.page.set_content(made.html)
    page = await observed(session, "record")
    assert read(page) == made.values, page.text
