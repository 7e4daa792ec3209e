"""The main job on real parts: a nats-server, all services, Chromium, the practice site."""

from __future__ import annotations

import email
import hashlib
import html
import json
from pathlib import Path

import msgspec

from practice.comparing import rows_of
from practice.tickets.demo import ABSENT, compare, demo_numbers
from shared.client import Client
from shared.contracts.evidence import RunFinished, RunLoaded
from shared.evidence_format.files.sample import StoredObservation
from shared.text.names import RESERVED
from shared.zstd import unpack_zstd
from tests.end_to_end.faulty_site import FaultySite
from tests.end_to_end.finished_runs import outcomes_of, run
from tests.end_to_end.tickets import SOME
from tests.typed import expect

ZSTD = b"\x28\xb5\x2f\xfd"
BEGINS = {"screenshot": b"\x89PNG", "page": ZSTD, "observation": ZSTD}


async def test_tickets_come_back_right_with_their_evidence(client: Client, tickets_run: RunFinished):
    assert outcomes_of(tickets_run) == {("done", ""): len(SOME), ("failed", "not_found"): len(ABSENT)}
    assert tickets_run.llm_calls == 0
    assert compare(Path(tickets_run.table), SOME) == []
    loaded = expect(await client.load(tickets_run.run_id), RunLoaded)
    assert [one.status for one in loaded.samples].count("done") == len(SOME)
    run = Path(tickets_run.location)
    assert {p.name for p in run.iterdir() if p.is_dir()} - RESERVED == set(demo_numbers(SOME))
    for number in demo_numbers(SOME):
        check_folder(run / number, number)


def check_folder(folder: Path, number: str) -> None:
    result = json.loads((folder / "result.json").read_text())
    log = json.loads((folder / "action_log.json").read_text())
    assert result["sample_id"] == number
    assert [entry["step"] for entry in log] == list(range(1, len(log) + 1))
    assert all(entry["thinking"] for entry in log)
    assert result["artifacts"], number
    for artifact in result["artifacts"]:
        data = (folder / artifact["filename"]).read_bytes()
        assert data.startswith(BEGINS[artifact["kind"]])
        assert hashlib.sha256(data).hexdigest() == artifact["sha256"]
        assert result["started_at"] <= artifact["timestamp"] <= result["finished_at"]
    if number in ABSENT:
        assert (result["status"], result["reason"], result["fault"]) == ("failed", "not_found", "record")
    else:
        assert result["fields"]["ticket_number"] == {
            **result["fields"]["ticket_number"],
            "state": "value",
            "value": number,
        }
        assert result["fields"]["ticket_number"]["source"]["url"].endswith(f"/tickets/{number}")
        check_sources(folder, result)


def check_sources(folder: Path, result: dict) -> None:
    """Every value leads to the page that shows it, to what was read of it there, and to the picture it is on."""
    by_hash = {one["sha256"]: one for one in result["artifacts"]}
    assert [one["filename"] for one in result["artifacts"]] == [
        "01_ticket.mhtml.zst",
        "01_ticket.observation.json.zst",
        "01_ticket.png",
    ]
    stored = {name: unpacked(folder / name) for name in ("01_ticket.mhtml.zst", "01_ticket.observation.json.zst")}
    observation = msgspec.json.decode(stored["01_ticket.observation.json.zst"], type=StoredObservation)
    assert (observation.capture.http_status, observation.capture.viewport.width_px) == (200, 1280)
    assert dict(observation.headers)["content-type"].startswith("text/html")
    parts = [part.get_payload(decode=True) for part in email.message_from_bytes(stored["01_ticket.mhtml.zst"]).walk()]
    text = b"".join(part for part in parts if isinstance(part, bytes)).decode()
    for name, field in result["fields"].items():
        source = field["source"]
        assert by_hash[source["page_sha256"]]["kind"] == "page"
        assert by_hash[source["observation_file_sha256"]]["kind"] == "observation"
        assert by_hash[source["screenshot_sha256"]]["kind"] == "screenshot", name
        assert source["observation_sha256"] == observation.capture.observation_sha256
        assert field["read_by"] == "rules"
        element = observation.elements[source["kept_ref"] - 1]
        assert element.ref == source["kept_ref"]
        assert element.fingerprint == source["fingerprint"]
        assert (field["shown"] or "") in (element.value or element.name)
        assert html.escape(field["shown"] or "", quote=False) in text
        assert any(one["matches"] == 1 for one in source["locators"])


def unpacked(path: Path) -> bytes:
    return unpack_zstd(path.read_bytes(), 10**8)


async def test_what_a_site_does_wrong_has_a_status_of_its_own(client: Client, faulty: FaultySite):
    kinds = ("restless", "other", "gone", "broken", "private")
    rows = [faulty.row(kind, f"{kind.upper()}-7") for kind in kinds]
    rows.append({"number": "AWAY-7", "url": "http://127.0.0.1:9/"})
    finished = await run(client, faulty.spec(), rows)
    assert {row["sample_id"]: (row["status"], row["reason"]) for row in rows_of(Path(finished.table))} == {
        "RESTLESS-7": ("done", ""),
        "OTHER-7": ("failed", "identity_mismatch"),
        "GONE-7": ("failed", "not_found"),
        "BROKEN-7": ("failed", "http_error"),
        "PRIVATE-7": ("auth_required", "login_required"),
        "AWAY-7": ("failed", "unreachable"),
    }
