"""The main job on real parts: a nats-server, all services, Chromium, the practice site."""

from __future__ import annotations

import csv
import email
import hashlib
import html
import json
from pathlib import Path

import msgspec
import pytest
import zstandard

from practice.tickets.data import ground_truth
from practice.tickets.demo import ABSENT, compare, demo_numbers, write_input
from shared.client import RunRejectedError
from shared.contracts.evidence import RunLoaded
from shared.evidence_format.files.sample import StoredObservation
from shared.host.services import run_embedded
from shared.text.names import RESERVED
from tests.typed import expect

ZSTD = b"\x28\xb5\x2f\xfd"
BEGINS = {"screenshot": b"\x89PNG", "page": ZSTD, "observation": ZSTD}


def rows_of(path: Path) -> dict[str, dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return {row["sample_id"]: row for row in csv.DictReader(file)}


async def test_sixty_tickets_come_back_right_with_their_evidence(settings, ticket_spec, tickets_url, tmp_path):
    samples = tmp_path / "tickets.csv"
    write_input(samples, tickets_url, ground_truth())
    async with run_embedded(settings) as client:
        accepted = await client.submit(ticket_spec, file=(samples.name, samples.read_bytes()))
        finished = await client.result(accepted.run_id)
        loaded = expect(await client.load(accepted.run_id), RunLoaded)

    assert {(o.status, o.reason): o.samples for o in finished.outcomes} == {
        ("done", ""): 58,
        ("failed", "not_found"): 2,
    }
    assert finished.llm_calls == 0
    assert compare(Path(finished.table), ground_truth()) == []
    assert [s.status for s in loaded.samples].count("done") == 58

    run = Path(finished.location)
    assert {p.name for p in run.iterdir() if p.is_dir()} - RESERVED == set(demo_numbers(ground_truth()))
    for number in demo_numbers(ground_truth()):
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
    return zstandard.ZstdDecompressor().decompress(path.read_bytes())


async def test_what_a_site_does_wrong_has_a_status_of_its_own(settings, faulty):
    kinds = ("ok", "restless", "other", "gone", "broken", "private")
    rows = [faulty.row(kind, f"{kind.upper()}-7") for kind in kinds]
    rows.append({"number": "AWAY-7", "url": "http://127.0.0.1:9/"})
    settings = settings.model_copy(update={"settle_bound_s": 1.0})
    async with run_embedded(settings) as client:
        accepted = await client.submit(faulty.spec(), rows=rows)
        finished = await client.result(accepted.run_id)
    found = {key: (row["status"], row["reason"]) for key, row in rows_of(Path(finished.table)).items()}
    assert found == {
        "OK-7": ("done", ""),
        "RESTLESS-7": ("done", ""),
        "OTHER-7": ("failed", "identity_mismatch"),
        "GONE-7": ("failed", "not_found"),
        "BROKEN-7": ("failed", "http_error"),
        "PRIVATE-7": ("auth_required", "login_required"),
        "AWAY-7": ("failed", "unreachable"),
    }


async def test_a_bad_request_is_answered_with_every_problem_and_starts_nothing(settings, ticket_spec):
    async with run_embedded(settings) as client:
        with pytest.raises(RunRejectedError) as caught:
            await client.submit(
                {**ticket_spec, "goal": 1, "colour": "red"},
                rows=[{"ticket_number": "TCK-1", "url": "x"}],
                planner="oracle",
            )
        where = {problem.where for problem in caught.value.problems}
        assert {"spec.goal", "spec.colour"} <= where
        with pytest.raises(RunRejectedError) as caught:
            await client.submit(ticket_spec, rows=[{"ticket_number": "A"}, {"ticket_number": "A"}])
    assert "url" in str(caught.value)
    assert not list(settings.evidence_dir.glob("run_*"))
