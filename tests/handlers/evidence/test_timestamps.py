"""Seals get tokens of a time-stamping authority, here of `openssl ts`: asked for, stored, asked for again, checked."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
import zipfile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from services.console.cli import app
from services.evidence.__main__ import open_timestamps
from services.evidence.timestamps.asking import AsksAuthority, Timestamps, timestamped
from services.evidence.timestamps.tsa_client import TsaClient
from shared.contracts.evidence import RunFinished
from shared.errors import PermanentError, Unavailable
from shared.evidence_format.handover import PROGRAM
from shared.evidence_format.seals.timestamp import (
    MOST_TOKEN_BYTES,
    BadToken,
    TimestampAuthority,
    read_timestamp,
    timestamp_query,
)
from shared.evidence_format.sources.folder import FolderSource
from shared.evidence_format.verify.verify_run import RunCheck, check_run
from shared.settings import Settings
from tests.end_to_end.small_site import Answers, SmallSite
from tests.handlers.evidence.evidence_desk import KEY, Desk, closed, ended, sample, started
from tests.handlers.evidence.mortal import Disk, Fragile, Killed, on, unclosed
from tests.handlers.evidence.review_room import ReviewRoom, for_review
from tests.handlers.evidence.sealed_rounds import told
from tests.time_stamping import HOUR, POLICY, OpensslTsa
from tests.typed import expect
from tests.unit.shared.reviewing.review_people import ANN

SEAL = b"the bytes of a seal"
pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def tsa(tmp_path_factory: pytest.TempPathFactory) -> OpensslTsa:
    return OpensslTsa(tmp_path_factory.mktemp("tsa") / "one")


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> OpensslTsa:
    return OpensslTsa(tmp_path_factory.mktemp("tsa") / "stranger")


def stamping(
    desk: Desk, client: AsksAuthority, authority: TimestampAuthority | None = None, policy: str = ""
) -> Timestamps:
    """Have the seals of a desk stamped; what was known before is forgotten."""
    desk.deps.timestamps = Timestamps(desk.deps.store, client, authority, policy, first_pause_s=3600.0, longest_s=60.0)
    return desk.deps.timestamps


async def sealed(desk: Desk) -> RunFinished:
    await desk.begun(sample())
    return expect(await desk.tell(ended(sample())), RunFinished)


async def sealed_again(desk: Desk, base: int = 1) -> None:
    await desk.tell(started(base), closed(1, base), ended(sample(), attempt=base + 1))


def check(desk: Desk, of: OpensslTsa | None) -> RunCheck:
    return check_run(FolderSource(desk.root / "run_1"), KEY.public, authority=of.authority if of is not None else None)


def tokens(desk: Desk) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((desk.root / "run_1/seal.timestamps").glob("*"))}


class Down:
    """An authority that does not answer, or answers with what it is given."""

    def __init__(self, answer: bytes | None = None) -> None:
        self.answer, self.asked = answer, 0

    async def ask(self, query: bytes, /) -> bytes:
        self.asked += 1
        if self.answer is None:
            raise Unavailable("tsa.test cannot be reached", code="timestamp_failed")
        return self.answer


# --- a token


def test_a_token_of_openssl_says_when_and_by_whom(tsa: OpensslTsa):
    query = timestamp_query(SEAL)
    told = read_timestamp(tsa.reply(query.body), SEAL, tsa.authority, nonce=query.nonce, policy=POLICY)
    assert (told.by, told.policy, told.checked) == ("CN=tsa one", POLICY, True)
    assert told.at.utcoffset() is not None


def test_what_is_no_token_of_this_seal_is_refused(tsa: OpensslTsa, stranger: OpensslTsa):
    query = timestamp_query(SEAL)
    token = tsa.reply(query.body)
    forged = bytearray(token)
    forged[-5] ^= 1  # within the signature
    with pytest.raises(BadToken, match="other bytes"):
        read_timestamp(token, b"another seal", None)
    with pytest.raises(BadToken, match="nonce"):
        read_timestamp(token, SEAL, None, nonce=query.nonce + 1)
    with pytest.raises(BadToken, match=r"under the policy 1\.2\.3\.4\.1"):
        read_timestamp(token, SEAL, None, policy="1.2.3.4.2")
    with pytest.raises(BadToken, match="not signed by the authority"):
        read_timestamp(bytes(forged), SEAL, tsa.authority)
    with pytest.raises(BadToken, match="not signed by the authority"):
        read_timestamp(token, SEAL, stranger.authority)
    with pytest.raises(BadToken, match="more than"):
        read_timestamp(token + bytes(MOST_TOKEN_BYTES), SEAL, tsa.authority)
    with pytest.raises(BadToken, match="no timestamp token"):
        read_timestamp(token + b"\0", SEAL, tsa.authority)
    rejected = bytes.fromhex("30053003020102")
    with pytest.raises(BadToken, match="has not granted it"):
        read_timestamp(rejected, SEAL, tsa.authority)


def test_a_certificate_that_had_expired_when_it_signed_is_refused(tmp_path: Path):
    late = OpensslTsa(tmp_path / "late", begins=-3 * HOUR, ends=-2 * HOUR)
    token = late.reply(timestamp_query(SEAL).body)
    assert not read_timestamp(token, SEAL, None).checked
    with pytest.raises(BadToken, match="expired"):
        read_timestamp(token, SEAL, late.authority)


@pytest.mark.filterwarnings("ignore::cryptography.utils.CryptographyDeprecationWarning")
def test_no_damaged_token_is_taken_and_none_breaks_the_check(tsa: OpensslTsa):
    token = tsa.reply(timestamp_query(SEAL).body)
    right = read_timestamp(token, SEAL, tsa.authority)
    taken: list[int] = []
    for at in range(len(token)):
        with pytest.raises(BadToken):
            read_timestamp(token[:at], SEAL, None)
        changed = bytearray(token)
        changed[at] ^= 0x81
        try:
            if read_timestamp(bytes(changed), SEAL, tsa.authority) != right:
                taken.append(at)
        except BadToken:
            pass
    assert taken == [], "what is not signed says nothing of the time"


def test_certificates_without_a_root_are_refused_with_what_to_do(tsa: OpensslTsa):
    own = tsa.root.with_name("own.pem").read_bytes()
    with pytest.raises(PermanentError, match="holds no root certificate: add the one") as refused:
        TimestampAuthority.parse(own, "own.pem")
    assert refused.value.code == "invalid_settings"
    with pytest.raises(PermanentError, match="holds no certificates"):
        TimestampAuthority.parse(b"no certificate", "nothing.pem")


# --- a run


async def test_a_sealed_run_gets_a_token_beside_its_seal_and_nothing_that_is_sealed_changes(
    desk: Desk, tsa: OpensslTsa
):
    stamps = stamping(desk, tsa, tsa.authority)
    await sealed(desk)
    before = desk.files()
    assert check(desk, tsa).notes == [
        "no timestamp of the seal of round 1: only the sealing machine says when it was made"
    ]
    assert await stamps.ask_for_open()
    assert desk.files().keys() - before.keys() == {"run_1/seal.timestamps/1.tsr"}
    assert {name: data for name, data in desk.files().items() if name in before} == before
    assert tsa.openssl_verifies(tokens(desk)["1.tsr"], desk.root / "run_1/seal.json")
    checked = check(desk, tsa)
    assert (checked.problems, checked.stands) == ([], True)
    assert (checked.timestamps[1].by, checked.timestamps[1].checked) == ("CN=tsa one", True)
    asked = len(tsa.asked)
    assert await stamps.ask_for_open()
    assert len(tsa.asked) == asked


async def test_each_round_has_its_own_token_and_keeps_it(desk: Desk, tsa: OpensslTsa):
    stamps = stamping(desk, tsa, tsa.authority)
    await desk.begun(sample())
    await desk.tell(ended(sample(), status="failed", reason="x"))
    assert await stamps.ask_for_open()
    first = tokens(desk)["1.tsr"]
    await sealed_again(desk)
    assert await stamps.ask_for_open()
    assert list(tokens(desk)) == ["1.tsr", "2.tsr"]
    assert tokens(desk)["1.tsr"] == first
    checked = check(desk, tsa)
    assert (checked.problems, list(checked.timestamps)) == ([], [1, 2])
    assert "seal.timestamps" not in json.dumps(desk.json("manifest.json"))


async def test_the_seal_of_a_sign_off_gets_a_token(desk: Desk, tsa: OpensslTsa):
    stamps = stamping(desk, tsa, tsa.authority)
    await for_review(desk)
    assert await stamps.ask_for_open()
    room = ReviewRoom(desk)
    assert [await room.code(ANN, act) for act in ("accept", "sign")] == ["", ""]
    await room.close()
    assert await stamps.ask_for_open()
    checked = check(desk, tsa)
    assert (checked.problems, list(checked.timestamps)) == ([], [1, 2])


async def test_a_run_ends_as_always_without_an_authority_that_answers_and_gets_its_token_later(
    desk: Desk, tsa: OpensslTsa, caplog: pytest.LogCaptureFixture
):
    down = Down()
    stamps = stamping(desk, down)
    finished = await sealed(desk)
    assert (down.asked, bool(finished.manifest_sha256)) == (0, True), "the run was not kept waiting"
    assert not await stamps.ask_for_open()
    assert (tokens(desk), check(desk, None).stands) == ({}, True)
    assert "run_1: no timestamp; it is asked for again" in caplog.text
    stamps._client = tsa
    assert await stamps.ask_for_open()
    assert list(check(desk, tsa).timestamps) == [1]


@pytest.mark.parametrize("kind", ["rubbish", "of another query", "of another seal", "of a stranger", "other policy"])
async def test_a_wrong_answer_is_not_stored_and_is_asked_for_again(
    desk: Desk, tsa: OpensslTsa, stranger: OpensslTsa, caplog: pytest.LogCaptureFixture, kind: str
):
    await sealed(desk)
    seal = (desk.root / "run_1/seal.json").read_bytes()
    client: Any = {
        "rubbish": Down(b"<html>sign in</html>"),
        "of another query": Down(tsa.reply(timestamp_query(seal).body)),
        "of another seal": Down(tsa.reply(timestamp_query(SEAL).body)),
        "of a stranger": stranger,
        "other policy": tsa,
    }[kind]
    stamps = stamping(desk, client, tsa.authority, policy="1.2.3.4.2" if kind == "other policy" else "")
    await stamps.recall()
    assert not await stamps.ask_for_open()
    assert tokens(desk) == {}
    assert "run_1: the answer of the time-stamping authority was refused" in caplog.text
    stamps = stamping(desk, tsa, tsa.authority)
    await stamps.recall()
    assert await stamps.ask_for_open()
    assert check(desk, tsa).stands


async def test_a_process_that_is_killed_between_seal_and_token_leaves_it_to_the_next(desk: Desk, tsa: OpensslTsa):
    stamping(desk, Down())
    await sealed(desk)
    desk.restart()
    stamps = stamping(desk, tsa, tsa.authority)
    await stamps.recall()
    assert await stamps.ask_for_open()
    assert list(check(desk, tsa).timestamps) == [1]


@unclosed
async def test_killed_at_each_write_a_token_is_there_as_a_whole_or_not_at_all(tmp_path: Path, tsa: OpensslTsa):
    desk = Fragile(tmp_path / "evidence", products=())
    await sealed(desk)
    at, killed = 0, True
    while killed:
        at, killed = at + 1, False
        shutil.rmtree(desk.root / "run_1/seal.timestamps", ignore_errors=True)
        stamps = stamping(desk, tsa, tsa.authority)
        await stamps.recall()
        try:
            with on(Disk(at)):
                await stamps.ask_for_open()
        except Killed:
            killed = True
            desk.restart()
        stamps = stamping(desk, tsa, tsa.authority)
        await stamps.recall()
        assert await stamps.ask_for_open()
        assert [name for name in tokens(desk) if not name.startswith(".")] == ["1.tsr"]
        assert tsa.openssl_verifies(tokens(desk)["1.tsr"], desk.root / "run_1/seal.json")
    assert at > 2


async def test_a_seal_that_is_replaced_while_it_is_asked_for_gets_no_token_of_the_other(desk: Desk, tsa: OpensslTsa):
    class Slow:
        async def ask(self, query: bytes, /) -> bytes:
            if not desk.root.joinpath("run_1/rounds").exists():
                await sealed_again(desk)
            return tsa.reply(query)

    stamps = stamping(desk, Slow(), tsa.authority)
    await desk.begun(sample())
    await desk.tell(ended(sample(), status="failed", reason="x"))
    assert await stamps.ask_for_open()
    assert tokens(desk) == {}, "it was sealed anew meanwhile"
    assert await stamps.ask_for_open()
    checked = check(desk, tsa)
    assert (checked.problems, list(checked.timestamps)) == ([], [2])


async def test_beside_the_service_a_token_is_there_when_the_service_has_ended(desk: Desk, tsa: OpensslTsa):
    with tsa.served() as url:
        settings = Settings(tsa_url=url, tsa_certificate=tsa.root, tsa_policy=POLICY, tsa_timeout_s=60.0)
        desk.deps.timestamps = open_timestamps(settings, desk.deps.store)
        async with timestamped(desk.deps.timestamps):
            await sealed(desk)
    assert check(desk, tsa).timestamps[1].checked
    assert open_timestamps(Settings(), desk.deps.store) is None
    assert open_timestamps(Settings(tsa_url=url, evidence_read_only=True), desk.deps.store) is None


# --- a token is changed, exchanged or added


async def stamped(desk: Desk, tsa: OpensslTsa) -> Path:
    stamps = stamping(desk, tsa, tsa.authority)
    await sealed(desk)
    assert await stamps.ask_for_open()
    return desk.root / "run_1/seal.timestamps/1.tsr"


async def test_a_token_that_does_not_fit_is_a_problem(desk: Desk, tsa: OpensslTsa, stranger: OpensslTsa):
    token = await stamped(desk, tsa)
    right = token.read_bytes()
    wrong = {("seal.timestamps/1.tsr", "timestamp_wrong")}
    assert told(check(desk, stranger)) == wrong
    token.write_bytes(tsa.reply(timestamp_query(SEAL).body))
    assert told(check(desk, tsa)) == wrong
    assert told(check(desk, None)) == wrong, "that needs no certificate"
    forged = bytearray(right)
    forged[-5] ^= 1
    token.write_bytes(forged)
    assert told(check(desk, tsa)) == wrong
    token.write_bytes(b"")
    assert told(check(desk, None)) == wrong
    token.write_bytes(right)
    token.with_name("2.tsr").write_bytes(right)
    token.with_name("01.tsr").write_bytes(right)
    added = {("seal.timestamps/2.tsr", "added"), ("seal.timestamps/01.tsr", "added")}
    assert told(check(desk, tsa)) == added


def checked_plainly(run: Path) -> str:
    """Return what the program of VERIFY.txt says."""
    command = [sys.executable, "-c", PROGRAM]
    return subprocess.run(command, cwd=run, capture_output=True, text=True, check=True).stdout.strip()


async def test_verify_says_when_and_by_whom_and_an_export_takes_the_token_along(
    desk: Desk, tsa: OpensslTsa, tmp_path: Path
):
    await stamped(desk, tsa)
    own = {"EXHIBIT_STATE_DIR": str(tmp_path / "state"), "EXHIBIT_EVIDENCE_DIR": ""}
    key = ("--key", KEY.public.fingerprint)
    run = CliRunner(env=own)
    out = tmp_path / "run_1.zip"
    assert run.invoke(app, ["export", str(desk.root / "run_1"), "--out", str(out), *key]).exit_code == 0
    given = ("--tsa-certificate", str(tsa.root))
    shown = run.invoke(app, ["verify", str(out), *key, *given])
    assert shown.exit_code == 0, shown.output
    assert "UTC at the latest, as CN=tsa one says" in shown.output
    assert "not checked" not in shown.output
    assert "not checked: name the authority's certificates" in run.invoke(app, ["verify", str(out), *key]).output
    (said,) = json.loads(run.invoke(app, ["verify", str(out), *key, *given, "--json"]).output)["timestamps"]
    assert (said["round"], said["by"], said["checked"]) == (1, "CN=tsa one", True)
    with zipfile.ZipFile(out) as file:
        file.extractall(tmp_path / "unpacked")
    assert checked_plainly(tmp_path / "unpacked/run_1").endswith("; 0 are wrong")
    refused = run.invoke(app, ["verify", str(out), *key, "--tsa-certificate", str(tsa.root.with_name("own.pem"))])
    assert (refused.exit_code, "holds no root certificate" in refused.output) == (2, True)


async def test_without_the_extra_it_is_said_that_a_token_was_not_checked(
    desk: Desk, tsa: OpensslTsa, monkeypatch: pytest.MonkeyPatch
):
    await stamped(desk, tsa)
    monkeypatch.setitem(sys.modules, "rfc3161_client", None)
    checked = check(desk, None)
    assert (checked.stands, checked.timestamps) == (True, {})
    (note,) = checked.notes
    assert note.startswith("1 timestamps were not checked: a timestamp of a time-stamping authority needs packages")


# --- over HTTP


async def nowhere(host: str) -> tuple[str, ...]:
    return ()


class Hostile(Answers):
    silent = threading.Event()
    hits: list[str] = []

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.hits.append(self.path)
        if self.path == "/silent":
            self.silent.wait(60)
        elif self.path == "/moved":
            self.answer("", status=307, location="/elsewhere")
        elif self.path == "/huge":
            self.answer("x" * (MOST_TOKEN_BYTES + 1))
        else:
            self.answer("no", status=503)


@pytest.mark.parametrize(
    ("path", "told_of"),
    [("/silent", "did not answer within"), ("/moved", "answered 307"), ("/huge", "more than"), ("/no", "answered 503")],
)
async def test_an_authority_that_is_slow_or_hostile_is_left(path: str, told_of: str):
    Hostile.hits = []
    Hostile.silent.clear()
    with SmallSite(Hostile) as site:
        client = TsaClient(f"{site.url}{path}", nowhere, 0.5 if path == "/silent" else 60.0)
        try:
            with pytest.raises(Unavailable, match=told_of) as failed:
                await client.ask(b"query")
        finally:
            Hostile.silent.set()
    assert (failed.value.code, Hostile.hits) == ("timestamp_failed", [path])


async def test_an_authority_that_is_not_there_may_be_there_later(tsa: OpensslTsa):
    with tsa.served() as url:
        pass
    for address in (url, "http://gone.test/"):
        with pytest.raises(Unavailable, match="cannot be reached"):
            await TsaClient(address, nowhere, 60.0).ask(b"query")
