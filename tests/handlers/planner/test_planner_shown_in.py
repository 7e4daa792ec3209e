"""Identity by what stands without a label: titles, headings, tooltips, link addresses, and short forms of a hash."""

from __future__ import annotations

from typing import Any

import pytest

from shared.contracts.actions import Done
from shared.text.record_words import is_same_hash
from tests.handlers.planner.planner_bench import Bench
from tests.handlers.planner.scripted_decider import told
from tests.handlers.planner.scripted_pool import ScriptedPool
from tests.unit.planner.planner_pages import URL, el, heading, page, row, sample, spec, text

SHA = "8f3c2d17a0b94e55c1d2e3f4a5b6c7d8e9f00112"
OTHER = "8f3c2d27a0b94e55c1d2e3f4a5b6c7d8e9f00112"
HEX = "[0-9a-f]{7,40}"
PATCH = f"http://127.0.0.1:8000/{SHA}.patch"
AUTHOR = row("Author", "Ann Lee")


def commit_page(sha: str, where: str):
    """Return a commit's page that shows its hash in one place only."""
    places: dict[str, tuple[Any, str]] = {
        "title": (text("Changes"), f"Fix the crash · {sha} · lib"),
        "heading": (heading(f"Changeset {sha} in trunk", 2), "lib"),
        "tooltip": (text("3 years ago", title=sha), "lib"),
        "link": (el("link", "patch", tag="a", url=f"http://127.0.0.1:8000/{sha}.patch"), "lib"),
        "address": (el("link", "patch", tag="a", url=f"http://127.0.0.1:8000/{sha}.patch"), "lib"),
        "input": (el("textbox", "Copy", tag="input", value=sha), "lib"),
        "text": (text(f"{sha} (patch)"), "lib"),
    }
    element, title = places[where]
    return page(element, *AUTHOR, title=title)


def bench(shown, where: str, decider=None) -> Bench:
    pattern = "patch" if where == "address" else HEX
    task = spec(
        output_schema={"sha": {"type": "string", "shown_in": where, "pattern": pattern}, "author": "string"},
        required_fields=["author"],
        required_artifacts=["screenshot:commit"],
        identity={"sha": "{sha}"},
    )
    one = Bench(ScriptedPool({URL: [shown]}, with_pages=True), task=task.model_dump(mode="json", by_alias=True))
    if decider is not None:
        one.decider = decider
    return one


async def run(one: Bench, asked: str):
    given = sample(sample_id="c1", key="c1", fields={"sha": asked, "url": URL})
    return await one.run(sample_id="c1", sample=given)


PLACES = ("title", "heading", "tooltip", "link", "input", "text")


@pytest.mark.parametrize(
    ("where", "shown", "asked"),
    [*((where, SHA, SHA) for where in PLACES), ("text", SHA[:7], SHA), ("heading", SHA, SHA[:10])],
)
async def test_a_hash_without_a_label_proves_the_record(where, shown, asked):
    finished = await run(bench(commit_page(shown, where), where), asked)
    values = {value.field: value for value in finished.values}
    assert (finished.status, finished.reason) == ("done", "")
    assert (values["sha"].value, values["author"].value) == (shown, "Ann Lee")
    source = values["sha"].source
    assert source is not None
    assert source.observation_file_sha256


@pytest.mark.parametrize(
    ("where", "shown"), [*((where, OTHER) for where in PLACES), ("text", OTHER[:7]), ("title", OTHER[:7])]
)
async def test_another_hash_is_another_record(where, shown):
    finished = await run(bench(commit_page(shown, where), where), SHA)
    assert (finished.status, finished.reason) == ("failed", "identity_mismatch")
    assert finished.values == ()


@pytest.mark.parametrize(("sha", "status", "reason"), [(SHA, "done", ""), (OTHER, "failed", "identity_mismatch")])
async def test_the_exact_address_of_a_link_proves_the_record(sha, status, reason):
    finished = await run(bench(commit_page(sha, "address"), "address"), PATCH)
    assert (finished.status, finished.reason) == (status, reason)
    assert {value.value for value in finished.values if value.field == "sha"} == (
        {PATCH} if status == "done" else set()
    )


async def test_two_hashes_prove_nothing():
    shown = page(text(SHA), text(OTHER), *AUTHOR)
    finished = await run(bench(shown, "text"), SHA)
    assert (finished.status, finished.reason) == ("needs_review", "ambiguous_value")


@pytest.mark.parametrize(("shown", "status"), [(SHA[:7], "done"), (OTHER[:7], "failed")])
async def test_a_models_report_is_held_to_the_same(shown, status):
    done = Done(values={"sha": shown, "author": "Ann Lee"}, refs={"sha": 1, "author": 3})
    one = bench(commit_page(shown, "heading"), "heading", decider=told(done))
    one.task["required_artifacts"] = []
    finished = await run(one, SHA)
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
