"""The pages of task_specs/README.md are read as it says, with the part of a spec that stands beside them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from shared.contracts.browser_pool import PageObserved
from shared.evidence_format.facts import TaskFacts
from shared.evidence_format.table.columns import columns_of
from shared.pages.identity.identity import read_page
from shared.pages.listing.list_reader import read_list
from shared.pages.lists.paging import next_page_control
from shared.pages.read.fields import FieldFound
from shared.task.spec import TaskSpec, check_spec
from tests.browser.conftest import Look
from tests.unit.planner.planner_pages import sample

README = (Path(__file__).parents[2] / "task_specs" / "README.md").read_text(encoding="utf-8")
_EXAMPLE = re.compile(
    r"^\*\*(?P<name>[^*]+)\.\*\*.*?```html\n(?P<page>.*?)```.*?```json\n(?P<spec>.*?)```.*?```text\n(?P<told>.*?)```",
    re.M | re.S,
)
EXAMPLES = {found["name"]: found for found in _EXAMPLE.finditer(README)}


def example(name: str, **more: Any) -> tuple[str, TaskSpec, list[str]]:
    """Return page, spec and what the page says of it. ``more``: takes the place of keys of the spec."""
    found = EXAMPLES[name]
    written = {"task_id": "t", "goal": "g", "output_schema": {"number": "string"}, **json.loads(found["spec"]), **more}
    spec, problems = check_spec(written)
    assert spec is not None, problems
    return found["page"], spec, found["told"].splitlines()


def shown(spec: TaskSpec, page: PageObserved, name: str) -> str | None:
    read = read_page(spec, sample(fields={}), page).readings[name]
    return read.candidate.shown if isinstance(read, FieldFound) else None


async def test_every_example_is_here() -> None:
    assert list(EXAMPLES) == [
        "A list",
        "A part of a page",
        "A value without a label",
        "A value within a word",
        "A text that people write",
        "The next page",
        "Keys",
        "Reserved names",
    ]


async def test_a_list(look: Look) -> None:
    page, spec, told = example("A list")
    read = read_list(spec, await look(page))
    assert read.doubt == ""
    assert [f"{item['number']} {item['title']} {urlsplit(item['url']).path}" for item in read.items] == told
    _, open_spec, _ = example("A list", list={"link": "Title", "columns": {"number": "Id"}})
    assert read_list(open_spec, await look(page)).doubt


async def test_a_part_of_a_page(look: Look) -> None:
    page, spec, told = example("A part of a page")
    assert f"technician: {shown(spec, await look(page), 'technician')}" == told[0]
    _, open_spec, _ = example("A part of a page", output_schema={"technician": {"type": "string", "labels": ["Name"]}})
    assert shown(open_spec, await look(page), "technician") is None


async def test_a_value_without_a_label(look: Look) -> None:
    page, spec, told = example("A value without a label")
    seen = await look(page)
    assert [f"{name}: {shown(spec, seen, name)}" for name in spec.output_schema] == told


async def test_a_value_within_a_word(look: Look) -> None:
    page, spec, told = example("A value within a word")
    seen = await look(page)
    assert f"version: {shown(spec, seen, 'version')}" == told[0]
    field = spec.output_schema["version"].model_dump(exclude_defaults=True)
    _, open_spec, _ = example("A value within a word", output_schema={"version": {**field, "preceded_by": None}})
    assert shown(open_spec, seen, "version") is None


async def test_a_text_that_people_write(look: Look) -> None:
    page, spec, told = example("A text that people write")
    assert f"license: {shown(spec, await look(page), 'license')}" == told[0]
    bare = page.replace("<li>License: ISC</li>", "<li>Size: 3 kB</li>")
    assert shown(spec, await look(bare), "license") is None
    _, open_spec, _ = example("A text that people write", output_schema={"license": "string"})
    assert shown(open_spec, await look(page), "license") is None
    assert shown(open_spec, await look(bare), "license") == "proprietary until 2030."


async def test_the_next_page(look: Look) -> None:
    page, spec, told = example("The next page")
    seen = await look(page)
    last = max(element.ref for element in seen.elements if element.name == "Two")
    assert next_page_control(seen, last) is None
    words = [spec.pagination] if isinstance(spec.pagination, str) else []
    control = next_page_control(seen, last, called=words)
    assert control is not None
    assert (control.element.url or "").endswith(told[0])


async def test_keys(look: Look) -> None:
    page, spec, told = example("Keys")
    for line in told:
        proof, _, number = line.partition(": ")
        seen = await look(page.replace("5512", number))
        row = sample(sample_id="5512", key="5512", url=None, fields={"order": "5512"})
        assert read_page(spec, row, seen).proof.state == proof


async def test_reserved_names(look: Look) -> None:
    page, spec, told = example("Reserved names")
    seen = await look(page)
    *fields, columns = told
    assert [f"{name}: {shown(spec, seen, name)}" for name in spec.output_schema] == fields
    made = [
        column.name
        for column in columns_of(TaskFacts.of({"output_schema": dict.fromkeys(spec.output_schema, "string")}))
    ]
    assert set(columns.removeprefix("columns: ").split(", ")) <= set(made)
    assert check_spec({"task_id": "t", "goal": "g", "output_schema": {"sample_id": "string"}})[0] is None
