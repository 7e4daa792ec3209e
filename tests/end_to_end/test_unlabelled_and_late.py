"""Whole runs of records whose id stands under no label, and of pages that load only at the second try."""

from __future__ import annotations

from typing import Any

from shared.contracts.reperform import Reperform, SampleReperformed
from shared.host.services import run_embedded
from shared.settings import Settings
from shared.subjects import REPERFORM
from tests.browser.site import Site
from tests.end_to_end.small_site import Answers, SmallSite

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


async def test_a_commit_is_proven_by_its_hash_wherever_that_stands(settings: Settings):
    site = Site()
    await site.start()
    right = site.add("/c/1", COMMIT.format(short=SHA[:7], sha=SHA))
    wrong = site.add("/c/2", COMMIT.format(short=OTHER[:7], sha=OTHER))
    rows = [{"sample_id": "right", "sha": SHA, "url": right}, {"sample_id": "wrong", "sha": SHA, "url": wrong}]
    async with run_embedded(settings) as client:
        accepted = await client.submit(SPEC, rows=rows)
        finished = await client.result(accepted.run_id)
        await site.stop()
        ended = sorted((one.status, one.reason, one.samples) for one in finished.outcomes)
        request = Reperform(run_id=accepted.run_id, sample_id="right")
        told: SampleReperformed = await client.bus.ask(REPERFORM, request, timeout_s=60)
    assert ended == [("done", "", 1), ("failed", "identity_mismatch", 1)]
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


class LateSite(Answers):
    """The first visit to a record shows that it loads, for good."""

    visits = 0

    def do_GET(self) -> None:
        type(self).visits += self.path.startswith("/record")
        owner = "<p role=status>Loading…</p>" if self.visits == 1 else "<dl><dt>Owner</dt><dd>Ann Lee</dd></dl>"
        self.answer(f"<title>Case C-1</title><h1>Case C-1</h1>{owner}")


async def test_a_page_that_loads_at_the_second_try_is_done(settings: Settings):
    spec = {
        "task_id": "cases",
        "goal": "Read the case.",
        "start_url": "{url}",
        "allowed_hosts": ["127.0.0.1"],
        "output_schema": {"number": "string", "owner": "string | null"},
        "required_fields": ["number"],
        "identity": {"number": "{number}"},
    }
    with SmallSite(LateSite) as site:
        async with run_embedded(settings) as client:
            accepted = await client.submit(spec, rows=[{"number": "C-1", "url": f"{site.url}/record"}])
            finished = await client.result(accepted.run_id)
    assert [(one.status, one.reason) for one in finished.outcomes] == [("done", "")]
    assert LateSite.visits == 2
