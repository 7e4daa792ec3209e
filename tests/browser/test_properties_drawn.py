"""On pages made at random, a value is what a person sees, or goes to a person; what is harmless is read."""

from __future__ import annotations

import pytest

from services.browser_pool.adapters.browser.chromium import PoolSession
from services.browser_pool.ports import PageCapture, WantedRefs
from shared.contracts.browser_pool import PageObserved
from shared.pages.read.fields import FieldFound, read_fields
from shared.task.spec import TaskSpec
from shared.text.normal import plain, without_footnote
from tests.browser.conftest import Look
from tests.browser.drawn_pages import LABELS, DrawnPage, made_page
from tests.typed import expect

SPEC = TaskSpec.model_validate(
    {
        "task_id": "drawn",
        "goal": "Read the record.",
        "start_url": "{url}",
        "output_schema": {label.lower(): {"type": "string", "labels": [label]} for label in LABELS},
        "required_fields": ["owner"],
    }
)
LEAST_READ = 0.97


async def read_values(look: Look, session: PoolSession, page: DrawnPage) -> dict[str, str]:
    """Return the values that are certain and seen, by their labels."""
    observed: PageObserved = await look(page.html)
    found = {
        label: one.candidate
        for label in page.values
        if isinstance(one := read_fields(SPEC, observed)[label.lower()], FieldFound) and one.candidate.shown
    }
    refs = tuple({one.element.ref for one in found.values()})
    kept = expect(await session.capture((), WantedRefs(observed.snapshot_id, refs)), PageCapture)
    return {
        label: one.shown
        for label, one in found.items()
        if one.element.ref not in kept.ink or kept.ink[one.element.ref].said in ("seen", "glyphless")
    }


@pytest.mark.parametrize("pages", [24, pytest.param(204, marks=pytest.mark.long)])
async def test_nothing_is_read_but_what_a_person_sees(look: Look, session: PoolSession, pages: int) -> None:
    wrong: list[str] = []
    harmless = read = 0
    for seed in range(pages):
        page = made_page(seed)
        values = await read_values(look, session, page)
        for label, made in page.values.items():
            harmless += made.harmless
            if label not in values:
                continue
            right = plain(without_footnote(values[label])) == plain(made.truth)
            read += made.harmless and right
            if not right:
                wrong.append(f"seed {seed}, {label}: {values[label]!r} for {made.truth!r} of {made.html}")
    assert wrong == []
    assert read >= LEAST_READ * harmless, f"{read} of {harmless} were read"
