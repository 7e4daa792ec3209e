"""Identity by what stands without a label: titles, headings, tooltips, link addresses, and short forms of a hash."""

from __future__ import annotations

from typing import Any

import pytest

from shared.contracts.actions import Done
from shared.pages.identity.identity import identity_proof
from shared.task.spec import TaskSpec
from shared.text.record_words import is_same_hash
from tests.handlers.planner.planner_bench import Bench, bench_of
from tests.handlers.planner.scripted_driver import told
from tests.unit.planner.planner_pages import URL, el, heading, page, row, sample, spec, text

SHA = "8f3c2d17a0b94e55c1d2e3f4a5b6c7d8e9f00112"
OTHER = "8f3c2d27a0b94e55c1d2e3f4a5b6c7d8e9f00112"
PATCH, OTHER_PATCH = (f"http://127.0.0.1:8000/{sha}.patch" for sha in (SHA, OTHER))
AUTHOR = row("Author", "Ann Lee")


def commit_page(sha: str, where: str):
    """Return a commit's page that shows its hash in one place only."""
    link = el("link", "patch", tag="a", url=f"http://127.0.0.1:8000/{sha}.patch")
    places: dict[str, tuple[Any, str]] = {
        "title": (text("Changes"), f"Fix the crash · {sha} · lib"),
        "heading": (heading(f"Changeset {sha} in trunk", 2), "lib"),
        "tooltip": (text("3 years ago", title=sha), "lib"),
        "link": (link, "lib"),
        "address": (link, "lib"),
        "input": (el("textbox", "Copy", tag="input", value=sha), "lib"),
        "text": (text(f"{sha} (patch)"), "lib"),
    }
    element, title = places[where]
    return page(element, *AUTHOR, title=title)


def task_of(where: str) -> dict[str, Any]:
    pattern = "patch" if where == "address" else "[0-9a-f]{7,40}"
    return {
        "output_schema": {"sha": {"type": "string", "shown_in": where, "pattern": pattern}, "author": "string"},
        "required_fields": ["author"],
        "required_artifacts": [],
        "identity": {"sha": "{sha}"},
    }


def commit(asked: str):
    return sample(sample_id="c1", key="c1", fields={"sha": asked, "url": URL})


async def run(one: Bench, asked: str = SHA):
    return await one.run(sample_id="c1", sample=commit(asked))


PLACES = ("title", "heading", "tooltip", "link", "input", "text")


@pytest.mark.parametrize(
    ("where", "shown", "asked", "proof"),
    [
        *((where, SHA, SHA, "proven") for where in PLACES),
        *((where, OTHER, SHA, "mismatch") for where in PLACES),
        ("text", SHA[:7], SHA, "proven"),
        ("heading", SHA, SHA[:10], "proven"),
        ("text", OTHER[:7], SHA, "mismatch"),
        ("title", OTHER[:7], SHA, "mismatch"),
        ("address", SHA, PATCH, "proven"),
        ("address", SHA, OTHER_PATCH, "mismatch"),
    ],
)
def test_what_stands_in_the_named_place_tells_the_record(where: str, shown: str, asked: str, proof: str):
    task: TaskSpec = spec(**task_of(where))
    assert identity_proof(task, commit(asked), commit_page(shown, where)).state == proof


async def test_a_sample_that_is_known_by_such_a_place_is_done_with_its_source():
    finished = await run(bench_of(commit_page(SHA[:7], "text"), **task_of("text")))
    values = {value.field: value for value in finished.values}
    assert (finished.status, values["sha"].value, values["author"].value) == ("done", SHA[:7], "Ann Lee")
    source = values["sha"].source
    assert source is not None
    assert source.observation_file_sha256


@pytest.mark.parametrize(
    ("shown", "end"),
    [
        (commit_page(OTHER, "text"), ("failed", "identity_mismatch")),
        (page(text(SHA), text(OTHER), *AUTHOR), ("needs_review", "ambiguous_value")),
    ],
    ids=["another hash", "two hashes"],
)
async def test_another_hash_or_two_are_not_done(shown: Any, end: tuple[str, str]):
    finished = await run(bench_of(shown, **task_of("text")))
    assert (finished.status, finished.reason) == end
    assert not any(value.field == "sha" and value.state == "value" for value in finished.values)


@pytest.mark.parametrize(("shown", "status"), [(SHA[:7], "done"), (OTHER[:7], "failed")])
async def test_a_models_report_is_held_to_the_same(shown: str, status: str):
    done = Done(values={"sha": shown, "author": "Ann Lee"}, refs={"sha": 1, "author": 3})
    finished = await run(bench_of(commit_page(shown, "heading"), driver=told(done), **task_of("heading")))
    assert (finished.status, finished.reason) == (status, "" if status == "done" else "identity_mismatch")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (SHA, SHA[:7], True),
        (SHA[:7], SHA.upper(), True),
        (SHA, SHA[:6], False),
        (SHA, OTHER[:7], False),
        (SHA, SHA[1:9], False),
        ("12345678ab", "1234567", False),
        ("1234567" + "8ab" * 11, "1234567", True),
        ("1234567890", "1234567", False),
        ("deadbeef", "deadbee", False),
    ],
)
def test_a_short_hash_is_the_beginning_of_a_long_one(one, other, same):
    assert is_same_hash(one, other) is same
