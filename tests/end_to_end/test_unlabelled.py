"""A whole run of records whose id stands under no label."""

from __future__ import annotations

from typing import Any

from shared.client import Client
from shared.contracts.reperform import Reperform, SampleReperformed
from shared.subjects import REPERFORM
from tests.browser.site import Site
from tests.end_to_end.finished_runs import outcomes_of, run

SHA, OTHER = "8f3c2d17a0b94e55c1d2e3f4a5b6c7d8e9f00112", "1b3c2d17a0b94e55c1d2e3f4a5b6c7d8e9f00112"
COMMIT = """<!doctype html><title>Fix the crash - {short} - lib</title><h2>Changeset {short} in trunk</h2>
<p>By <b>Ann Lee</b>, <span title="2023-01-02 10:00">3 years ago</span></p><p>Files: 3 changed</p>
<input aria-label=Copy value="{sha}">
<p><a href="/{sha}.patch">{short} (patch)</a> <a href="/help">how to send</a></p>"""
HEX = "[0-9a-f]{7,40}"


def field(where: str, pattern: str) -> dict[str, str]:
    return {"type": "string", "shown_in": where, "pattern": pattern}


SPEC: dict[str, Any] = {
    "task_id": "commits",
    "goal": "Read the commit.",
    "start_url": "{url}",
    "allowed_hosts": ["127.0.0.1"],
    "output_schema": {
        "commit": field("title", HEX),
        "changeset": field("heading", HEX),
        "written": field("tooltip", r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}"),
        "full": field("input", HEX),
        "patch": field("address", rf"{HEX} \(patch\)"),
        "changed": field("text", r"\d+ changed"),
    },
    "required_fields": ["commit", "changeset", "written", "full", "patch", "changed"],
    "required_artifacts": ["screenshot:commit"],
    "identity": {"commit": "{sha}", "full": "{sha}"},
}


async def test_a_commit_is_proven_by_its_hash_wherever_that_stands(client: Client):
    site = Site()
    await site.start()
    right = site.add("/c/1", COMMIT.format(short=SHA[:7], sha=SHA))
    wrong = site.add("/c/2", COMMIT.format(short=OTHER[:7], sha=OTHER))
    rows = [{"sample_id": "right", "sha": SHA, "url": right}, {"sample_id": "wrong", "sha": SHA, "url": wrong}]
    finished = await run(client, SPEC, rows)
    await site.stop()
    assert outcomes_of(finished) == {("done", ""): 1, ("failed", "identity_mismatch"): 1}
    request = Reperform(run_id=finished.run_id, sample_id="right")
    told: SampleReperformed = await client.bus.ask(REPERFORM, request, timeout_s=60)
    assert told.status == "done"
    assert {value.field: (value.recorded_value, value.verdict) for value in told.values} == {
        "commit": (SHA[:7], "same"),
        "changeset": (SHA[:7], "same"),
        "written": ("2023-01-02 10:00", "same"),
        "full": (SHA, "same"),
        "patch": (f"{site.url}/{SHA}.patch", "same"),
        "changed": ("3 changed", "same"),
    }
    assert told.identity == "proven"
