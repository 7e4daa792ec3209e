"""`exhibit seals` chains all seals of a folder and only ever adds to the list; `exhibit verify --seals` compares."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from typer.testing import CliRunner

from services.console.cli import app
from shared.contracts.discovery import RunStarted
from shared.evidence_format.files.json_files import encode_file
from shared.evidence_format.seals.transparency import BadList, SealList
from shared.evidence_format.signing import SigningKey
from shared.evidence_format.sources.folder import FolderSource
from shared.evidence_format.verify.verify_run import check_run
from tests.handlers.evidence.evidence_desk import KEY, Desk, closed, ended, found, sample, started
from tests.handlers.evidence.sealed_rounds import told
from tests.plain_chain import plainly

STRANGER = SigningKey(Ed25519PrivateKey.from_private_bytes(b"s" * 32))


def of_run(run_id: str, message: Any) -> Any:
    if isinstance(message, RunStarted):
        message = msgspec.structs.replace(message, record=msgspec.structs.replace(message.record, run_id=run_id))
    return msgspec.structs.replace(message, run_id=run_id)


async def seal_round(desk: Desk, run_id: str, base: int = 0) -> None:
    """File a round of a run whose only sample fails, so that there may be another."""
    begin = [started(base), *([] if base else [found(sample())]), closed(1, base)]
    failed = ended(sample(), attempt=base + 1, status="failed", reason="x")
    for message in (*begin, failed):
        await desk.tell(of_run(run_id, message))


@pytest.fixture
def listing(tmp_path: Path) -> Path:
    return tmp_path / "seals.jsonl"


def cli(desk: Desk, *words: object) -> tuple[int, str]:
    own = {"EXHIBIT_STATE_DIR": str(desk.root.parent / "state"), "EXHIBIT_EVIDENCE_DIR": str(desk.root)}
    made = CliRunner().invoke(app, [str(word) for word in words], env=own)
    assert made.exception is None or isinstance(made.exception, SystemExit), made.exception
    return made.exit_code, made.output


def grown(desk: Desk, listing: Path, code: int = 0) -> list[tuple[str, int]]:
    """Add what is new; return run and round of each line."""
    got, words = cli(desk, "seals", "--out", listing)
    assert got == code, words
    return [(one.run_id, one.round) for one in SealList.parse(listing.read_bytes()).seals]


def compared(desk: Desk, listing: Path, run_id: str = "run_1") -> set[tuple[str, str]]:
    listed = SealList.parse(listing.read_bytes())
    return told(check_run(FolderSource(desk.root / run_id), None, listed=listed))


async def test_what_is_new_comes_at_the_end_and_what_was_written_stays(desk: Desk, listing: Path):
    await seal_round(desk, "run_1")
    await seal_round(desk, "run_2")
    assert grown(desk, listing) == [("run_1", 1), ("run_2", 1)]
    first = listing.read_bytes()
    assert grown(desk, listing) == [("run_1", 1), ("run_2", 1)]
    assert listing.read_bytes() == first
    await seal_round(desk, "run_1", base=1)
    assert grown(desk, listing) == [("run_1", 1), ("run_2", 1), ("run_1", 2)]
    assert listing.read_bytes().startswith(first)
    for run_id in ("run_1", "run_2"):
        key = ("--key", KEY.public.fingerprint)
        code, words = cli(desk, "verify", run_id, *key, "--seals", listing)
        assert code == 0, words


async def test_the_chain_is_followed_by_plain_python(desk: Desk, listing: Path):
    """What docs/adr/0041 says of the list, without a line of ours."""
    await seal_round(desk, "run_1")
    await seal_round(desk, "run_1", base=1)
    grown(desk, listing)
    head = hashlib.sha256(plainly({"format": "exhibit-seals/1"})).hexdigest()
    for number, line in enumerate(listing.read_text().splitlines(), 1):
        entry = json.loads(line)
        said = entry.pop("sha256")
        assert (entry["number"], entry["previous_sha256"]) == (number, head)
        head = hashlib.sha256(plainly(entry)).hexdigest()
        assert head == said
        folder = desk.root / "run_1" / ("rounds/1" if number == 1 else "")
        assert entry["seal_sha256"] == hashlib.sha256((folder / "seal.json").read_bytes()).hexdigest()
    assert cli(desk, "seals")[1] == listing.read_text(), "without --out it is written to standard output"


async def test_a_list_that_was_changed_is_refused_and_not_added_to(desk: Desk, listing: Path):
    for run_id in ("run_1", "run_2", "run_3"):
        await seal_round(desk, run_id)
    grown(desk, listing)
    lines = listing.read_bytes().splitlines(keepends=True)
    bad = {
        "changed": [lines[0].replace(b"run_1", b"run_9"), *lines[1:]],
        "removed": [lines[0], lines[2]],
        "removed at the beginning": lines[1:],
        "exchanged": [lines[1], lines[0], lines[2]],
        "twice": [*lines, lines[2]],
        "cut off": [*lines[:2], lines[2][:-9]],
        "no list": [b"Dear auditor\n"],
    }
    for kind, written in bad.items():
        with pytest.raises(BadList):
            SealList.parse(b"".join(written))
        listing.write_bytes(b"".join(written))
        for words in (("seals", "--out", listing), ("verify", "run_1", "--seals", listing)):
            code, said = cli(desk, *words)
            assert (code, "is not as it was written" in said) == (2, True), kind
        assert listing.read_bytes() == b"".join(written), kind


async def test_a_run_that_was_taken_back_to_an_earlier_round_is_told(desk: Desk, listing: Path):
    await seal_round(desk, "run_1")
    earlier = desk.root.parent / "earlier/run_1"
    shutil.copytree(desk.root / "run_1", earlier)
    await seal_round(desk, "run_1", base=1)
    grown(desk, listing)
    assert compared(desk, listing) == set()
    shutil.rmtree(desk.root / "run_1")
    shutil.copytree(earlier, desk.root / "run_1")
    assert told(desk.check()) == set(), "nothing in what is left shows it"
    assert compared(desk, listing) == {("seal.json", "not_as_listed")}
    assert grown(desk, listing, code=1) == [("run_1", 1), ("run_1", 2)]


async def test_a_run_that_was_sealed_anew_or_is_not_listed_is_told(desk: Desk, listing: Path):
    await seal_round(desk, "run_1")
    grown(desk, listing)
    manifest = (desk.root / "run_1/manifest.json").read_bytes()
    (desk.root / "run_1/seal.json").write_bytes(encode_file(STRANGER.seal(manifest)))
    assert compared(desk, listing) == {("seal.json", "not_as_listed")}
    code, words = cli(desk, "seals", "--out", listing)
    assert (code, "line 1: the seal of round 1 of run_1 is another one now" in words) == (1, True)
    await seal_round(desk, "run_2")
    assert compared(desk, listing, "run_2") == {("seal.json", "not_as_listed")}


async def test_a_run_that_is_gone_is_told_and_the_others_are_added(desk: Desk, listing: Path):
    await seal_round(desk, "run_1")
    grown(desk, listing)
    shutil.rmtree(desk.root / "run_1")
    await seal_round(desk, "run_2")
    code, words = cli(desk, "seals", "--out", listing)
    assert (code, "line 1: the seal of round 1 of run_1 is not there any more" in words) == (1, True)
    assert grown(desk, listing, code=1) == [("run_1", 1), ("run_2", 1)]


async def test_a_run_at_work_again_is_still_listed_by_its_earlier_round(desk: Desk, listing: Path):
    await seal_round(desk, "run_1")
    grown(desk, listing)
    await desk.tell(of_run("run_1", started(1)))
    assert grown(desk, listing) == [("run_1", 1)]


async def test_a_place_that_is_not_there_is_said(desk: Desk, listing: Path):
    code, words = cli(desk, "seals", "--evidence", desk.root / "nowhere", "--out", listing)
    assert (code, "there is no folder" in words, listing.exists()) == (2, True, False)
