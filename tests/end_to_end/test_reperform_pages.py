"""Re-performance on pages that are hard to store: frames, shadow roots, tables, forms, dates, numbers."""

from __future__ import annotations

from typing import Any

from shared.client import Client
from shared.contracts.reperform import Reperform, SampleReperformed
from shared.subjects import REPERFORM
from tests.browser.site import Site
from tests.end_to_end.finished_runs import outcomes_of, run

FRAMED = "<dl><dt>{label}</dt><dd>{value}</dd></dl>"
RECORD = """<!doctype html><meta charset=utf-8><title>Case C-1</title><h1>Case C-1</h1>
<div hidden><p>one</p></div><div hidden><p>two</p></div>
<div><dl><dt>Number</dt><dd>C-1</dd></dl></div>
<table><tr hidden><th scope=row>Old state</th><td>Open</td></tr><tr><th scope=row>State</th><td>Open</td></tr>
<tr><th scope=row>Phase</th><td>Open</td></tr><tr><th scope=row>Amount</th><td>$1,234.50</td></tr>
<tr><th scope=row>Items</th><td>1,234</td></tr><tr><th scope=row>Opened</th><td>03/10/24</td></tr>
<tr><th scope=row>Closed</th><td>25/12/24</td></tr>
<tr><th scope=row>Updated</th><td><time datetime="2026-11-18T09:00Z">3 days ago</time></td></tr>
<tr><th scope=row>Lead</th><td><b>Ana</b> <i>Ruiz Öz</i></td></tr></table>
<noscript><p>Number: C-9</p></noscript>
<iframe src="/owner"></iframe><iframe name=side src="/team#here"></iframe>
<open-box></open-box><closed-box></closed-box>
<form><label>Note <input name=note value="as written"></label><label>Agreed <input type=checkbox name=agreed></label>
<label>Kind <select name=kind><option>Small<option>Large</select></label>
<label>Untouched <input value="stays"></label></form>
<p>Story: LONG</p>
<script>
for (const [mode, label, value] of [['open', 'Region', 'North'], ['closed', 'Zone', 'Blue']])
  customElements.define(`${mode}-box`, class extends HTMLElement { constructor() { super();
    this.attachShadow({mode}).innerHTML = `<dl><dt>${label}</dt><dd>${value}</dd></dl>`; } });
document.forms[0].note.value = 'as typed'; document.forms[0].agreed.checked = true;
document.forms[0].kind.value = 'Large';
</script>""".replace("LONG", "a long way to go " * 90)
NULL = "string | null"
FIELDS: dict[str, Any] = {
    "number": "string", "state": NULL, "phase": NULL, "amount": "decimal | null", "items": "number | null",
    "opened": "date | null", "updated": "date | null", "lead": NULL, "owner": NULL, "team": NULL,
    "region": NULL, "zone": NULL, "note": NULL, "agreed": "boolean | null", "kind": NULL, "untouched": NULL,
    "story": NULL,
}  # fmt: skip
TYPED = {"note", "agreed", "kind"}
SPEC = {
    "task_id": "cases",
    "goal": "Read the case.",
    "start_url": "{url}",
    "allowed_hosts": ["127.0.0.1"],
    "output_schema": FIELDS,
    "required_fields": ["number"],
    "identity": {"number": "{number}"},
}


async def test_what_a_page_is_made_of_does_not_matter(client: Client):
    site = Site()
    await site.start()
    site.add("/owner", FRAMED.format(label="Owner", value="Ann Lee"))
    site.add("/team", FRAMED.format(label="Team", value="Red"))
    url = site.add("/record", RECORD)
    finished = await run(client, SPEC, [{"number": "C-1", "url": url}])
    await site.stop()
    assert outcomes_of(finished) == {("done", ""): 1}
    request = Reperform(run_id=finished.run_id, sample_id="C-1")
    told: SampleReperformed = await client.bus.ask(REPERFORM, request, timeout_s=60)
    assert (told.status, told.identity) == ("done", "proven")
    found = {value.field: value for value in told.values}
    apart = {name: (value.verdict, value.message) for name, value in found.items() if value.verdict != "same"}
    assert apart == dict.fromkeys(TYPED, ("same_in_observation", "what is typed into a form is not in a stored page"))
    read = {name: value.found_value for name, value in found.items() if name not in TYPED}
    assert {name: text for name, text in read.items() if name != "story"} == {
        "number": "C-1", "state": "Open", "phase": "Open", "amount": "1234.50", "items": 1234, "opened": "2024-10-03",
        "updated": "2026-11-18", "lead": "Ana Ruiz Öz", "owner": "Ann Lee", "team": "Red",
        "region": "North", "zone": "Blue", "untouched": "stays",
    }  # fmt: skip
    assert found["opened"].found == "03/10/24"
    note = found["note"]
    assert (note.recorded, note.found, note.observation) == ("as typed", "as written", "same")
    assert found["agreed"].recorded_value is True
