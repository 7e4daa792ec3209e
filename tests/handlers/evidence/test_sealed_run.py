"""A sealed run verifies, and every change to it is detected, in a folder and in a zip."""

from __future__ import annotations

import asyncio
import csv
import hashlib
import io
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace
from typer.testing import CliRunner

from services.console.cli import app
from shared.contracts.actions import Judgment
from shared.contracts.steps import plain_note
from shared.evidence_format.files.json_files import encode_file
from shared.evidence_format.files.manifest import SEAL_FORMAT, Seal
from shared.evidence_format.handover import accepted_files, added_files
from shared.evidence_format.signing import SigningKey
from shared.evidence_format.sources.folder import FolderSource
from shared.evidence_format.sources.source import NoRun
from shared.evidence_format.sources.zip import ZipSource
from shared.evidence_format.verify.verify_run import RunCheck, check_run
from shared.text.names import DISCOVERY
from tests.handlers.evidence.evidence_desk import (
    KEY,
    NOW,
    SPEC,
    Desk,
    closed,
    ended,
    found,
    judging,
    sample,
    started,
    took,
)
from tests.handlers.evidence.sealed_rounds import rounds, told, worked
from tests.plain_chain import check_plainly, plainly

STRANGER = SigningKey(Ed25519PrivateKey.from_private_bytes(b"s" * 32))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in a folder that no test changes."""
    desk = Desk(tmp_path_factory.mktemp("whole") / "evidence")
    asyncio.run(rounds(desk))
    return desk.root / "run_1"


@pytest.fixture
def run(whole: Path, tmp_path: Path) -> Path:
    """A copy that a test may do with what it likes."""
    return Path(shutil.copytree(whole, tmp_path / "run_1"))


def check(folder: Path, key: Any = KEY, noted: str = "") -> RunCheck:
    return check_run(FolderSource(folder), key.public if key is not None else None, noted)


def files_of(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def named_in(folder: Path) -> list[str]:
    """Without the second names that captured bytes have below objects/."""
    return [name for name in files_of(folder) if not name.startswith("objects/")]


# --- what is whole


def test_a_run_of_two_rounds_is_whole(whole: Path):
    checked = check(whole)
    assert checked.problems == []
    assert checked.stands
    assert checked.files == len(named_in(whole)) - 2, "all but the manifest and the seal"
    assert checked.made is not None
    of = checked.made.population
    assert (of.found, of.attempted, of.done, of.review, of.failed, of.excepted) == (3, 3, 3, 0, 0, 0)


def test_what_the_first_round_sealed_is_kept_as_it_was(whole: Path):
    before = json.loads((whole / "rounds/1/manifest.json").read_text())
    assert before["population"]["failed"] == 1
    assert json.loads((whole / "manifest.json").read_text())["round"] == 2
    assert ",failed,not_found," in (whole / "rounds/1/combined.csv").read_text()
    assert ",failed," not in (whole / "combined.csv").read_text()
    assert check_run(FolderSource(whole / "rounds/1"), KEY.public).signed == "by_known_key"


async def test_a_later_attempt_after_the_seal_opens_a_round_of_its_own(desk: Desk):
    await desk.begun(sample())
    await desk.tell(ended(sample(), status="failed", reason="x"))
    desk.restart()
    await desk.tell(started(1), closed(1, 1), took(sample(), attempt=2))
    assert told(desk.check()) == {("", "not_sealed")}
    desk.restart()
    said = await desk.tell(ended(sample(), attempt=2))
    checked = desk.check(said.manifest_sha256)
    assert checked.stands
    assert checked.made is not None
    assert checked.made.round == 2


async def test_a_finished_run_that_lost_its_seal_is_not_sealed_anew_in_silence(desk: Desk):
    await desk.tell(started(), found(sample("A-1", 1)), found(sample("A-2", 2)), closed(2))
    await worked(desk, "A-1", 1)
    await worked(desk, "A-2", 2, status="failed", reason="not_found")
    run = desk.root / "run_1"
    for name in ("A-1/manifest.json", "manifest.json", "seal.json"):
        (run / name).unlink()
    result = (run / "A-1" / "result.json").read_text()
    (run / "A-1" / "result.json").write_text(result.replace("Ada", "Mallory"))
    desk.restart()
    await desk.tell(started(1), closed(2, 1))
    await worked(desk, "A-2", 2, attempt=2)
    checked = check(run)
    assert checked.notes == [
        "round 1 was begun on a finished run without its seal: its earlier state is not attested",
        "without a manifest until the run was sealed: A-1",
    ]


async def test_how_samples_were_found_is_sealed_too(desk: Desk):
    finder = replace(sample(DISCOVERY, 0), sample_id=DISCOVERY)
    begun = replace(started(discovery_spec={"phase": "discovery"}), discovering=True)
    await desk.tell(begun, took(finder), found(sample()))
    await desk.tell(ended(finder), closed(1), ended(sample()))
    folder = desk.root / "run_1"
    assert check(folder).problems == []
    flip(folder / DISCOVERY / "action_log.json")
    assert (f"{DISCOVERY}/action_log.json", "changed") in told(check(folder))


async def test_a_run_that_only_lists_is_sealed(desk: Desk):
    begun = started(spec={**SPEC, "phase": "discovery"})
    await desk.tell(begun, found(sample()), found(sample("A-2", 2)), closed(2))
    checked = desk.check()
    assert checked.stands
    assert checked.made is not None
    assert (checked.made.population.found, checked.made.population.attempted) == (2, 0)


async def test_an_artifact_that_was_not_what_was_captured_is_sealed_as_what_it_is(desk: Desk):
    one = sample()
    await desk.begun(one)
    first = await desk.capture(one, b"first", step=1)
    other = await desk.capture(one, b"other", step=2, filename="01_t.png")
    lies = await desk.capture(one, b"three", step=3, sha256="0" * 64)
    await desk.tell(took(one, first), took(one, other, step=2), took(one, lies, step=3), ended(one, first, other, lies))
    checked = desk.check()
    assert checked.problems == []
    assert checked.made is not None
    assert checked.made.population.failed == 1


# --- what is not


def flip(path: Path, at: int = -1, bit: int = 0) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1 << bit
    path.unlink()
    path.write_bytes(bytes(data))


def swap(one: Path, other: Path) -> None:
    aside = one.with_name("aside")
    one.rename(aside)
    other.rename(one)
    aside.rename(other)


@pytest.mark.parametrize(
    ("one", "other", "words", "rest"),
    [
        ("A-1/01_t.png", "A-3/01_t.png", "and A-3/01_t.png were exchanged", set()),
        ("A-1", "A-3", "and the folder A-3 were exchanged", {"round_lost"}),
        ("A-1/manifest.json", "A-3/manifest.json", "and A-3/manifest.json were exchanged", {"exchanged", "round_lost"}),
    ],
    ids=["files", "samples", "manifests"],
)
def test_what_was_exchanged_is_told_as_that(run: Path, one: str, other: str, words: str, rest: set[str]):
    swap(run / one, run / other)
    checked = check(run)
    assert [(p.path, p.message) for p in checked.problems if p.code == "exchanged"] == [(one, words)]
    assert {code for _, code in told(checked)} <= {"exchanged", *rest}, "no file of theirs is told on top of it"


@pytest.mark.parametrize(
    ("name", "is_another"),
    [
        *(
            (copy, False)
            for copy in ("run_1 (1)", "run_1(1)", "run_1 - Copy", "run_1_copy", "run_1.bak", "handed over")
        ),
        *((other, True) for other in ("run_2", "run_12", "run_1_2")),
    ],
)
def test_a_run_under_the_name_of_another_is_told_and_a_copy_of_it_is_the_run(run: Path, name: str, is_another: bool):
    checked = check(run.rename(run.with_name(name)))
    words = [f"this is called {name}, and the run in it is run_1"] if is_another else []
    assert [(problem.code, problem.message) for problem in checked.problems] == [("other_run", one) for one in words]
    assert checked.stands is not is_another


def test_a_population_that_is_no_table_any_more_is_told(run: Path):
    (run / "samples.csv").write_bytes(b'sample_id,row\n"' + b"x" * 200_000 + b'\r"')
    assert ("samples.csv", "changed") in told(check(run))


def test_the_manifest_of_another_run_or_attempt_is_told_as_that(run: Path):
    own = (run / "A-1/manifest.json").read_bytes()
    (run / "A-1/manifest.json").write_bytes(own.replace(b'"run_1"', b'"run_2"'))
    shutil.copyfile(run / "A-2/attempt_1/manifest.json", run / "A-2/manifest.json")
    words = {p.path: p.message for p in check(run).problems}
    assert "of another run, run_2" in words["A-1/manifest.json"]
    assert "another attempt or round (1)" in words["A-2/manifest.json"]


def test_a_seal_of_an_earlier_round_is_no_seal_of_this_one(run: Path):
    for name in ("manifest.json", "seal.json"):
        shutil.copyfile(run / f"rounds/1/{name}", run / name)
    checked = check(run)
    assert checked.signed == "by_known_key"
    assert not checked.stands
    assert ("combined.csv", "changed") in told(checked)


def test_a_run_that_was_taken_back_to_an_earlier_round_is_known_by_the_hash_that_was_noted(run: Path, tmp_path: Path):
    now = check(run).manifest_sha256
    assert check(run, noted=now.upper()).stands
    assert told(check(run, noted="0" * 64)) == {("manifest.json", "not_as_noted")}


def test_a_row_of_the_table_that_was_altered_is_named(run: Path):
    table = run / "combined.csv"
    text = table.read_text()
    line = next(line for line in text.splitlines() if line.startswith("A-3,"))
    table.write_text(text.replace(line, line.replace(",done,", ",failed,")))
    checked = check(run)
    assert {("combined.csv", "changed"), ("combined.csv", "row")} == told(checked)
    [row] = [p.message for p in checked.problems if p.code == "row"]
    assert "row A-3, column status" in row
    table.write_text(text.replace(line + "\n", ""))
    assert any("row A-3: is not there" in p.message for p in check(run).problems)


async def test_whichever_cell_of_a_row_was_altered_is_named_and_no_other(tabled: Desk):
    yes = Judgment(question="Late?", answer="yes", confidence=0.5, reasoning="due in May", decided_by="claude")
    await tabled.tell(judging(), found(sample("A-1", 1)), found(sample("A-2", 2)), closed(2))
    await worked(tabled, "A-1", 1, judgment=yes, notes=(plain_note("seen twice"), plain_note("=late")), flagged=True)
    await worked(tabled, "A-2", 2, judgment=yes)
    table = tabled.root / "run_1" / "combined.csv"
    header, first, second = csv.reader(io.StringIO(table.read_text()))
    said = {"status", "reason", "message", "flagged", "attempt", "llm_calls", "decided_by", "started_at", "notes"}
    said |= {"owner", "judgment", "judgment_confidence", "judgment_reasoning", "row", "sample_key", "finished_at"}
    said |= {"artifacts", "not_present", "not_found"}
    for column in sorted(said):
        forged = list(first)
        forged[header.index(column)] += "9"
        with table.open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([header, forged, second])
        rows = [p.message for p in check(table.parent).problems if p.code == "row"]
        assert len(rows) == 1, (column, rows)
        assert rows[0].startswith(f"row A-1, column {column}: ")


def test_a_stranger_who_seals_it_anew_is_told(run: Path):
    (run / "combined.csv").write_text("all is well")
    manifest = json.loads((run / "manifest.json").read_text())
    [entry] = [file for file in manifest["files"] if file["path"] == "combined.csv"]
    entry["sha256"] = hashlib.sha256(b"all is well").hexdigest()
    entry["size_bytes"] = len(b"all is well")
    written = encode_file(manifest)
    (run / "manifest.json").write_bytes(written)
    (run / "seal.json").write_bytes(encode_file(STRANGER.seal(written)))
    checked = check(run)
    assert checked.signed == "by_other_key"
    assert told(checked) == {("seal.json", "other_key")}
    unknown = check(run, None)
    assert unknown.whole
    assert not unknown.stands, "nobody has vouched for a stranger"


def resealed(run: Path, change: Callable[[dict[str, Any]], object]) -> RunCheck:
    """As if whoever holds the key had sealed it so."""
    manifest = json.loads((run / "manifest.json").read_text())
    change(manifest)
    (run / "manifest.json").write_bytes(encode_file(manifest))
    (run / "seal.json").write_bytes(encode_file(KEY.seal(encode_file(manifest))))
    return check(run)


def test_a_population_that_does_not_add_up_is_told_whoever_sealed_it(run: Path):
    checked = resealed(run, lambda m: m["population"].update(done=2))
    assert told(checked) == {("manifest.json", "inconsistent")}
    assert "2 done, its samples make 3" in checked.problems[0].message


def test_a_sample_that_was_left_out_is_told_whoever_sealed_it(run: Path):
    shutil.rmtree(run / "A-3")
    checked = resealed(run, lambda m: m["samples"].pop())
    words = " ".join(p.message for p in checked.problems)
    assert "does not end where it says" in words
    assert "3 samples were announced, 2 are in it" in words
    assert ("samples.csv", "inconsistent") in told(checked)


def test_a_chain_that_is_broken_is_told_whoever_sealed_it(run: Path):
    checked = resealed(run, lambda m: m["samples"][1].update(chain_sha256="0" * 64))
    assert [p.message for p in checked.problems] == ["the chain of its samples is broken at A-2"]


def test_every_problem_is_told_and_not_just_the_first(run: Path):
    flip(run / "A-1/01_t.png")
    (run / "A-2/result.json").unlink()
    (run / "A-3/extra").write_text("")
    (run / "samples.csv").rename(run / "sample.csv")
    assert told(check(run)) >= {
        ("A-1/01_t.png", "changed"),
        ("A-2/result.json", "missing"),
        ("A-3/extra", "added"),
        ("samples.csv", "renamed"),
    }


@pytest.mark.parametrize("name", ["A-1/01_t.png", "A-1", "manifest.json"])
def test_links_are_told_and_never_followed(run: Path, tmp_path: Path, name: str):
    (run / name).rename(tmp_path / "elsewhere")
    (run / name).symlink_to(tmp_path / "elsewhere")
    assert (name, "link") in told(check(run))


def test_a_pipe_holds_nobody_up(run: Path):
    os.mkfifo(run / "A-1/pipe")
    assert told(check(run)) == {("A-1/pipe", "no_file")}


def test_what_cannot_be_read_is_told(run: Path, monkeypatch: pytest.MonkeyPatch):
    """As root every file can be read, so the system is made to say no."""
    real = os.open

    def refuse(path: Any, *rest: Any, **more: Any) -> int:
        if str(path).endswith("A-1/01_t.png"):
            raise PermissionError(13, "Permission denied")
        return real(path, *rest, **more)

    monkeypatch.setattr(os, "open", refuse)
    [problem] = check(run).problems
    assert (problem.path, problem.code) == ("A-1/01_t.png", "unreadable")


async def test_a_run_at_work_is_not_sealed_and_says_so(desk: Desk):
    await desk.begun(sample())
    [problem] = desk.check().problems
    assert problem.code == "not_sealed"
    assert "still at work" in problem.message


def test_a_run_whose_seal_was_taken_away_says_so(run: Path):
    for name in ("seal.json", "manifest.json"):
        (run / name).unlink()
        assert not check(run).whole
    assert "or its seal and its manifest were removed" in check(run).problems[0].message


def test_a_folder_without_a_run_is_no_run(tmp_path: Path):
    with pytest.raises(NoRun):
        check(tmp_path)
    with pytest.raises(NoRun):
        check(tmp_path / "nothing")
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(NoRun):
        check(tmp_path)


@pytest.fixture
def linked(run: Path) -> list[Path]:
    """What lies below objects/."""
    return sorted(path for path in (run / "objects").rglob("*") if path.is_file())


def test_bytes_that_have_several_names_are_read_once(whole: Path):
    class Counting(FolderSource):
        opened: ClassVar[list[str]] = []

        def open(self, path: str) -> Any:
            self.opened.append(path)
            return super().open(path)

    assert check_run(Counting(whole), KEY.public).stands
    pictures = [path for path in Counting.opened if path.endswith(".png") or path.startswith("objects/")]
    assert len(pictures) == len({(whole / path).stat().st_ino for path in pictures}) == 4


def test_an_object_that_was_moved_or_stands_there_twice_is_told(run: Path, linked: list[Path]):
    stray = run / "objects/zz" / linked[0].name
    stray.parent.mkdir()
    shutil.copyfile(linked[0], stray)
    assert told(check(run)) == {(f"objects/zz/{stray.name}", "added")}
    linked[0].unlink()
    left = {(f"objects/{linked[0].parent.name}", "added")} if not any(linked[0].parent.iterdir()) else set()
    gone = (str(linked[0].relative_to(run)), "missing")
    assert told(check(run)) == {(f"objects/zz/{stray.name}", "added"), gone, *left}


def test_an_object_that_was_added_or_changed_is_told(run: Path, linked: list[Path]):
    data = linked[0].read_bytes()
    linked[0].unlink()
    linked[0].write_bytes(data + b"x")
    here = f"objects/00/{'0' * 64}"
    (run / here).parent.mkdir()
    (run / here).write_bytes(b"")
    assert told(check(run)) == {
        (str(linked[0].relative_to(run)), "changed"),
        (here, "changed"),
        (here, "added"),
    }


# --- handed over


def cli(*words: object, state: Path) -> tuple[int, str]:
    own = {"EXHIBIT_STATE_DIR": str(state), "EXHIBIT_EVIDENCE_DIR": ""}
    made = CliRunner().invoke(app, [str(word) for word in words], env=own)
    assert made.exception is None or isinstance(made.exception, SystemExit), made.exception
    return made.exit_code, made.output


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    (tmp_path / "auditor.pem").write_text(KEY.public.pem)
    return tmp_path / "auditor.pem"


@pytest.fixture(scope="module")
def exported(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exported")
    (folder / "auditor.pem").write_text(KEY.public.pem)
    given = ("export", whole, "--out", folder / "out.zip", "--key", folder / "auditor.pem")
    code, words = cli(*given, state=folder / "state")
    assert code == 0, words
    return folder / "out.zip"


@pytest.fixture
def packed(exported: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(exported, tmp_path / "out.zip"))


@pytest.mark.parametrize(
    ("key", "code", "word"),
    [("auditor.pem", 0, "OK:"), ("", 2, KEY.public.fingerprint), ("nothing.pem", 2, ""), ("out.zip", 2, "")],
    ids=["the public key alone", "no key", "no file", "no key in it"],
)
def test_a_zip_is_called_good_with_its_public_key_alone(
    packed: Path, key_file: Path, tmp_path: Path, key: str, code: int, word: str
):
    given = ("--key", key_file.with_name(key)) if key else ()
    ended, words = cli("verify", packed, *given, state=tmp_path / "state")
    assert (ended, word in words, "OK" in words) == (code, True, code == 0), words
    assert not (tmp_path / "state").exists(), "to verify makes no key"


def test_what_is_wrong_is_json_for_scripts(run: Path, key_file: Path, tmp_path: Path):
    flip(run / "A-1/01_t.png")
    code, words = cli("verify", run, "--key", key_file, "--json", state=tmp_path / "state")
    data = json.loads(words)
    assert (code, data["stands"], [p["path"] for p in data["problems"]]) == (1, False, ["A-1/01_t.png"])
    assert data["population"]["found"] == 3


def test_a_name_gives_a_terminal_no_orders(run: Path, key_file: Path, tmp_path: Path):
    (run / "A-1/\x1b[2Jx\n").write_text("")
    _, words = cli("verify", run, "--key", key_file, state=tmp_path / "state")
    assert "\x1b" not in words
    assert "A-1/\\x1b[2Jx\\n: was added" in words


def test_who_has_a_key_of_their_own_is_told_of_a_foreign_one_that_it_is_open_and_not_that_it_is_wrong(
    run: Path, key_file: Path, tmp_path: Path
):
    state = tmp_path / "state"
    _, words = cli("verify", run, "--key", key_file, state=state)
    assert f"the key that you gave in {key_file}" in words
    code, words = cli("key", state=state)
    assert (code, "exhibit key --new" in words, state.exists()) == (2, True, False), "to print makes nothing"
    assert cli("key", "--new", state=state)[0] == 0
    code, printed = cli("key", state=state)
    assert code == 0
    code, words = cli("verify", run, state=state)
    assert f"in {state / 'signing_key.pem'}" in words
    assert (code, "UNDECIDED" in words, "NOT what was sealed" in words) == (2, True, False)
    own_file = tmp_path / "own.pem"
    own_file.write_text(printed)
    code, words = cli("verify", run, "--key", own_file, state=state)
    assert (code, "another key than the one that you gave" in words) == (1, True)
    fingerprint = KEY.public.fingerprint
    for given in (fingerprint, ":".join(fingerprint[at : at + 2] for at in range(0, 64, 2)).upper()):
        code, words = cli("verify", run, "--key", given, state=state)
        assert (code, "OK: every file" in words) == (0, True)
    assert cli("verify", run, "--key", "0" * 64, state=state)[0] == 1


def test_a_changed_run_is_no_less_changed_where_its_key_is_not_known(run: Path, tmp_path: Path):
    assert cli("key", "--new", state=tmp_path / "state")[0] == 0
    (run / "A-1" / "result.json").write_bytes(b"{}")
    code, words = cli("verify", run, state=tmp_path / "state")
    assert (code, "NOT what was sealed" in words) == (1, True)


def test_an_empty_folder_was_added(run: Path, packed: Path, tmp_path: Path):
    (run / "A-1" / "extra").mkdir()
    (run / "other" / "below").mkdir(parents=True)
    assert told(check(run)) == {("A-1/extra", "added"), ("other/below", "added")}
    with zipfile.ZipFile(packed, "a") as file:
        for name in ("run_1/A-1/", "run_1/A-1/extra/", "run_1/other/", "run_1/other/below/"):
            file.writestr(name, b"")
    assert told(check_run(ZipSource(packed), KEY.public)) == {("A-1/extra", "added"), ("other/below", "added")}


def test_folders_without_end_and_names_that_are_no_text_are_told(run: Path, key_file: Path, tmp_path: Path):
    deep = run / "A-1" / "/".join("d" * 100)
    deep.mkdir(parents=True)
    Path(os.fsdecode(os.fsencode(run) + b"/bad\xff")).write_bytes(b"")
    found = told(check(run))
    assert {code for _, code in found} == {"too_deep", "added"}
    given = ("export", run, "--out", tmp_path / "b.zip", "--key", key_file, "--broken")
    code, words = cli(*given, state=tmp_path / "state")
    assert (code, "nothing was exported" in words, (tmp_path / "b.zip").exists()) == (1, True, False)


def test_exports_are_equal_and_their_folders_verify(run: Path, packed: Path, key_file: Path, tmp_path: Path):
    again = tmp_path / "again.zip"
    assert cli("export", packed, "--out", again, "--key", key_file, state=tmp_path / "s")[0] == 0
    assert again.read_bytes() == packed.read_bytes(), "of a folder, and of the zip of it"
    with zipfile.ZipFile(packed) as file:
        file.extractall(tmp_path / "unpacked")
    assert check(tmp_path / "unpacked/run_1").stands
    assert set(files_of(tmp_path / "unpacked/run_1")) == {*named_in(run), "VERIFY.txt", "public_key.pem"}
    flip(tmp_path / "unpacked/run_1/VERIFY.txt")
    assert told(check(tmp_path / "unpacked/run_1")) == {("VERIFY.txt", "changed")}


HANDED_OVER = (
    "a0742b42b9513266949c38ae397ff9dd8f9cbfd644e74f1041e9a60ad0abb54d",
    "b0f0a3f16317539211171c71709814e0f1ceceaceaf4601603e8c3d6eba1a1d6",
    "91d28a2feef735cc73fbfe17b6377f2d69dd5e45c40f10c3fa83ba4cec4f98d4",
)
"""Hashes of the current VERIFY.txt and of the earlier ones, for the seal of the test below."""


def test_what_is_handed_over_beside_a_run_stays_as_it_was_handed_over():
    """Where another text is wanted, this one has to stay known, or every run that was exported is called changed."""
    seal = Seal(format="f", algorithm="a", manifest_sha256="m", signature="s", public_key="pem\n", fingerprint="f" * 64)
    made = added_files("run_2026-03-01_101500", seal)
    assert made["public_key.pem"] == b"pem\n"
    assert hashlib.sha256(made["VERIFY.txt"]).hexdigest() == HANDED_OVER[0]
    accepted = accepted_files("run_2026-03-01_101500", seal)
    assert accepted["public_key.pem"] == (b"pem\n",)
    assert [hashlib.sha256(text).hexdigest() for text in accepted["VERIFY.txt"]] == list(HANDED_OVER)


def test_the_text_names_the_file_it_comes_from(packed: Path):
    with zipfile.ZipFile(packed) as file:
        text = file.read("run_1/VERIFY.txt").decode()
    root = Path(__file__).parents[3]
    (named,) = re.findall(r"it stands in (\S+\.py) of Exhibit", text)
    assert "How to check this evidence" in (root / named).read_text()


@pytest.mark.parametrize("source", [b"shared/evidence_format/handover.py", b"shared/sealed/handing_over.py"])
def test_an_export_made_with_an_earlier_text_verifies_as_before(packed: Path, source: bytes):
    def earlier(member: zipfile.ZipInfo, data: bytes) -> Iterator[tuple[Any, bytes]]:
        if member.filename.endswith("/VERIFY.txt"):
            data = data.replace(b"shared/evidence_format/handover.py", source)
            data = data.replace(b'startswith(("objects/", "seal.timestamps/"))', b'startswith("objects/")')
        yield member, data

    assert rewritten(packed, earlier).stands


def test_a_run_that_is_not_what_was_sealed_is_not_exported_without_a_word(run: Path, key_file: Path, tmp_path: Path):
    flip(run / "A-1/01_t.png")
    given = ("export", run, "--out", tmp_path / "b.zip", "--key", key_file)
    code, words = cli(*given, state=tmp_path / "state")
    assert (code, "nothing was exported" in words, (tmp_path / "b.zip").exists()) == (1, True, False)
    code, words = cli(*given, "--broken", state=tmp_path / "state")
    assert (code, "A-1/01_t.png" in words, (tmp_path / "b.zip").exists()) == (1, True, True)
    assert told(check_run(ZipSource(tmp_path / "b.zip"), KEY.public)) == {("A-1/01_t.png", "changed")}


def test_an_export_never_writes_over_anything_nor_into_the_evidence(run: Path, key_file: Path, tmp_path: Path):
    for out in (key_file, run / "x.zip", tmp_path / "no" / "x.zip"):
        code, _ = cli("export", run, "--out", out, "--key", key_file, state=tmp_path / "state")
        assert code == 2
    assert check(run).stands


def test_an_export_that_is_cut_off_leaves_nothing(run: Path, key_file: Path, tmp_path: Path, monkeypatch: Any):
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    out = tmp_path / "folder" / "x.zip"
    out.parent.mkdir()
    code, words = cli("export", run, "--out", out, "--key", key_file, state=tmp_path / "state")
    assert (code, "No space" in words) == (1, True)
    assert list(out.parent.iterdir()) == []


def rewritten(packed: Path, change: Callable[[zipfile.ZipInfo, bytes], Iterator[tuple[Any, bytes]]]) -> RunCheck:
    other = packed.with_name("rewritten.zip")
    with zipfile.ZipFile(packed) as old, zipfile.ZipFile(other, "w") as new:
        for member in old.infolist():
            for name, data in change(member, old.read(member)):
                new.writestr(name, data)
    medium = ZipSource(other)
    try:
        return check_run(medium, KEY.public)
    finally:
        medium.close()


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_what_a_zip_must_not_hold_is_told(packed: Path):
    def change(member: zipfile.ZipInfo, data: bytes) -> Iterator[tuple[Any, bytes]]:
        yield member, data
        if member.filename.endswith("A-1/01_t.png"):
            yield member.filename, b"another"
            yield "run_1/../../evil", b""
            yield "/etc/evil", b""
            yield "beside", b""
            link = zipfile.ZipInfo("run_1/A-1/link")
            link.create_system, link.external_attr = 3, 0o120777 << 16
            yield link, b"/etc/passwd"

    codes = {code for _, code in told(rewritten(packed, change))}
    assert codes >= {"zip_twice", "zip_name", "link", "added"}


def test_a_zip_of_other_bytes_is_told_file_by_file(packed: Path):
    def change(member: zipfile.ZipInfo, data: bytes) -> Iterator[tuple[Any, bytes]]:
        if member.filename.endswith("A-2/result.json"):
            return
        yield member, data.replace(b"picture of A-1", b"picture of B-1")

    assert told(rewritten(packed, change)) == {("A-1/01_t.png", "changed"), ("A-2/result.json", "missing")}


def zipped(run: Path, **how: Any) -> Path:
    """As somebody else would pack it: with what lies below objects/ too."""
    return Path(shutil.make_archive(str(run.with_name("by_hand")), "zip", run.parent, run.name, **how))


def test_objects_in_a_zip_are_checked_too(run: Path, linked: list[Path]):
    assert check_run(ZipSource(zipped(run)), KEY.public).stands
    (run / "objects/evil.html").write_text("")
    linked[0].unlink()
    linked[0].write_bytes(b"forged")
    changed = str(linked[0].relative_to(run))
    assert told(check_run(ZipSource(zipped(run)), KEY.public)) == {("objects/evil.html", "added"), (changed, "changed")}


def test_a_zip_in_which_other_programs_see_other_files_is_told(packed: Path):
    def change(member: zipfile.ZipInfo, data: bytes) -> Iterator[tuple[Any, bytes]]:
        if member.filename.endswith("A-1/result.json"):
            other = struct.pack("<BI", 1, zlib.crc32(member.filename.encode())) + b"run_1/A-2/result.json"
            member.extra = struct.pack("<HH", 0x7075, len(other)) + other
        yield member, data

    assert ("A-1/result.json", "zip_name") in told(rewritten(packed, change))


def test_bytes_between_the_files_of_a_zip_are_told(packed: Path):
    """A program that reads it from its beginning, as from a pipe, would find the forged file there."""
    data = packed.read_bytes()
    with zipfile.ZipFile(packed) as file:
        lists_at = file.start_dir
    name = b"run_1/A-1/result.json"
    forged = struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 0, 0, 33, zlib.crc32(b"{}"), 2, 2, len(name), 0) + name + b"{}"
    end = data.rindex(b"PK\5\6")
    moved = struct.pack("<I", lists_at + len(forged))
    packed.write_bytes(data[:lists_at] + forged + data[lists_at : end + 16] + moved + data[end + 20 :])
    assert told(check_run(ZipSource(packed), KEY.public)) == {("", "zip_hidden")}
    packed.write_bytes(b"<html>" + data)
    assert told(check_run(ZipSource(packed), KEY.public)) == {("", "zip_hidden")}
    for behind in (data + b"<html>", data[:-2] + struct.pack("<H", 6) + b"<html>"):
        packed.write_bytes(behind)
        assert [p.message[:12] for p in check_run(ZipSource(packed), KEY.public).problems] == ["6 bytes of i"]


def test_a_zip_that_was_written_to_a_pipe_is_whole(run: Path, tmp_path: Path):
    """Then each file is followed by how long it was."""

    class Pipe(io.RawIOBase):
        def __init__(self, file: Any) -> None:
            self.file = file

        def writable(self) -> bool:
            return True

        def write(self, data: Any) -> int:
            return int(self.file.write(data))

    with (tmp_path / "piped.zip").open("wb") as file, zipfile.ZipFile(Pipe(file), "w") as packed:
        for name in files_of(run):
            packed.write(run / name, f"run_1/{name}")
    assert check_run(ZipSource(tmp_path / "piped.zip"), KEY.public).stands


@pytest.mark.parametrize("share", [0.0, 0.3, 0.99])
def test_a_zip_that_was_cut_short_is_told(packed: Path, share: float):
    packed.write_bytes(packed.read_bytes()[: int(packed.stat().st_size * share)])
    assert told(check_run(ZipSource(packed), KEY.public)) == {("", "zip_damaged")}


# --- with other programs


@pytest.mark.system
def test_the_signature_is_verified_by_openssl(packed: Path, tmp_path: Path):
    with zipfile.ZipFile(packed) as file:
        file.extractall(tmp_path / "u")
    text = (tmp_path / "u/run_1/VERIFY.txt").read_text()
    commands = [
        line.strip() for line in text.splitlines() if line.startswith("    openssl") or line.startswith("    sed")
    ]
    assert len(commands) == 4
    said = [
        subprocess.run(
            ["/bin/sh", "-c", command.replace("/tmp/", f"{tmp_path}/")],
            cwd=tmp_path / "u/run_1",
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for command in commands
    ]
    assert said[0].split()[0] == KEY.public.fingerprint
    assert "Signature Verified Successfully" in said[2]
    assert said[3].strip().endswith("; 0 are wrong"), said[3]
    flip(tmp_path / "u/run_1/A-1/01_t.png")
    (tmp_path / "u/run_1/A-3/new").write_text("")
    after = subprocess.run(
        [sys.executable, tmp_path / "check.py"], cwd=tmp_path / "u/run_1", capture_output=True, text=True, check=True
    )
    assert after.stdout.splitlines()[:2] == ["CHANGED A-1/01_t.png", "ADDED A-3/new"]
    flip(tmp_path / "u/run_1/manifest.json")
    broken = subprocess.run(
        ["/bin/sh", "-c", commands[2].replace("/tmp/", f"{tmp_path}/")], cwd=tmp_path / "u/run_1", capture_output=True
    )
    assert broken.returncode != 0


def test_the_manifest_is_made_anew_by_plain_python(whole: Path):
    """What docs/adr/0010 says of the chain of samples and of the population, without a line of ours."""

    def hash_of(value: Any) -> str:
        return hashlib.sha256(plainly(value)).hexdigest()

    made = json.loads((whole / "manifest.json").read_text())
    head = hash_of({"run_id": made["run_id"], "round": made["round"]})
    for one in made["samples"]:
        folder = whole / one["sample_id"]
        assert hashlib.sha256((folder / "manifest.json").read_bytes()).hexdigest() == one["manifest_sha256"]
        own = {key: one[key] for key in ("row", "sample_id", "manifest_sha256")}
        head = hash_of({"previous": head, **own})
        assert head == one["chain_sha256"]
        for log in json.loads((folder / "manifest.json").read_text())["logs"]:
            entries = (folder / log["path"]).read_bytes()
            head_of_log = check_plainly(entries, made["run_id"], one["sample_id"], log["attempt"])
            assert head_of_log == log["head_sha256"]
    assert head == made["chain_sha256"]
    assert made["previous_sha256"] == hashlib.sha256((whole / "rounds/1/manifest.json").read_bytes()).hexdigest()
    assert made["sealed_at"] == NOW.isoformat().replace("+00:00", "Z")
    assert json.loads((whole / "seal.json").read_text())["format"] == SEAL_FORMAT
