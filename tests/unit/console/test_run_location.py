"""A run is named by its id, its location or as the last one; every command resolves names alike."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import SecretStr
from typer.testing import CliRunner

from services.console.cli import app
from services.console.run_location import find_run, locate_run, locate_runs, remember_run
from shared.errors import PermanentError
from shared.evidence_format.sources.opening import open_source
from shared.settings import Settings
from shared.testing.settings import isolated_settings


def settings(folder: Path, **more: object) -> Settings:
    return isolated_settings(nats_url=None, evidence_dir=folder).model_copy(update=more)


def begun(folder: Path, *run_ids: str) -> None:
    for run_id in run_ids:
        (folder / run_id).mkdir(parents=True)
        (folder / run_id / "run.json").write_text("{}")


# --- an id


def test_an_id_stays_as_it_is(tmp_path: Path):
    begun(tmp_path, "run_1")
    given = settings(tmp_path)
    assert locate_run(given, "run_1") == (given, "run_1")
    assert find_run(given, "run_1") == tmp_path / "run_1"


def test_an_id_is_of_the_place_that_evidence_is_kept_in_before_anything_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    begun(tmp_path, "run_1", "run_2")
    begun(tmp_path / "evidence", "run_1")
    monkeypatch.chdir(tmp_path)
    given = settings(tmp_path / "evidence")
    assert locate_run(given, "run_1") == (given, "run_1")
    assert find_run(given, "run_1") == tmp_path / "evidence" / "run_1"
    assert find_run(given, "run_2") == Path("run_2")
    in_bucket = settings(tmp_path / "evidence", evidence_bucket="s3://kept/2026/")
    assert find_run(in_bucket, "run_1") == "s3://kept/2026/run_1"
    assert (locate_run(in_bucket, "run_1")[0].evidence_place, locate_run(in_bucket, "./run_1")[0].evidence_place) == (
        "s3://kept/2026",
        str(tmp_path),
    )


def test_the_folder_one_stands_in_is_no_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    begun(tmp_path / "evidence", "run_1")
    monkeypatch.chdir(tmp_path / "evidence" / "run_1")
    assert find_run(settings(tmp_path / "evidence"), ".") == Path()
    assert locate_run(settings(tmp_path), ".")[1] == "run_1"


# --- the last one


def test_the_last_is_the_one_asked_for_last(tmp_path: Path):
    begun(tmp_path, "run_2026-11-21_093506", "run_2026-11-21_212420", "run_2025-12-31_235959")
    (tmp_path / "run_9_of_no_kind").mkdir()
    assert locate_run(settings(tmp_path), "last")[1] == "run_2026-11-21_212420"


def test_of_runs_of_one_second_the_highest_number_is_the_last(tmp_path: Path):
    begun(tmp_path, "run_2026-11-21_093506", "run_2026-11-21_093506_2", "run_2026-11-21_093506_10")
    assert locate_run(settings(tmp_path), "last")[1] == "run_2026-11-21_093506_10"


def test_the_last_in_a_folder_is_checked_whatever_bus_there_is(tmp_path: Path):
    begun(tmp_path, "run_1")
    assert find_run(settings(tmp_path, nats_url="nats://127.0.0.1:1"), "last") == tmp_path / "run_1"


def test_elsewhere_a_run_has_to_be_named(tmp_path: Path):
    begun(tmp_path, "run_1")
    with pytest.raises(PermanentError, match="name a run"):
        locate_run(settings(tmp_path, nats_url="nats://127.0.0.1:1"), "last")


def test_a_bucket_whose_last_run_cannot_be_found_out_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("AWS_ACCESS_KEY_ID", "EXHIBIT_S3_ACCESS_KEY", "EXHIBIT_NATS_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EXHIBIT_EVIDENCE_BUCKET", "s3://kept")
    for command in COMMANDS[:-1]:
        ended = CliRunner().invoke(app, [command, "last", *(["select 1"] if command == "sql" else [])])
        # For verify and export 1 says that the evidence was changed, and 2 that this cannot be told.
        code = 2 if command in ("verify", "export") else 3
        told = (ended.exit_code, "EXHIBIT_S3_ACCESS_KEY" in ended.output, "Traceback" in ended.output)
        assert told == (code, True, False), (command, ended.output)


# --- where it lies


def test_a_folder_says_both_where_and_which(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    begun(tmp_path / "handed" / "over", "run_1")
    monkeypatch.chdir(tmp_path)
    found, run_id = locate_run(settings(tmp_path / "evidence", evidence_bucket="s3://other"), "handed/over/run_1/")
    assert (found.evidence_dir, found.evidence_bucket, run_id) == (tmp_path / "handed" / "over", None, "run_1")


def test_a_folder_is_named_from_the_root_as_well(tmp_path: Path):
    begun(tmp_path / "handed", "run_1")
    for evidence in (tmp_path / "evidence", tmp_path / "handed"):
        found, run_id = locate_run(settings(evidence), str(tmp_path / "handed" / "run_1"))
        assert (found.evidence_dir, run_id) == (tmp_path / "handed", "run_1")


def test_a_place_in_a_bucket_says_both_too(tmp_path: Path):
    found, run_id = locate_run(settings(tmp_path), "s3://audits/2026/run_1/")
    assert (found.evidence_bucket, run_id) == ("s3://audits/2026", "run_1")
    for no_run in ("s3://audits", "s3://Audits/run_1"):
        with pytest.raises(PermanentError):
            locate_run(settings(tmp_path), no_run)


def test_what_is_handed_over_is_opened_where_it_lies(tmp_path: Path):
    begun(tmp_path, "run_1")
    (tmp_path / "run_1.zip").write_bytes(b"PK")
    given = settings(tmp_path, s3_access_key=SecretStr("a"), s3_secret_key=SecretStr("s"))
    for named, place in {
        str(tmp_path / "run_1"): str(tmp_path / "run_1"),
        str(tmp_path / "run_1.zip"): str(tmp_path / "run_1.zip"),
        "s3://kept/2026/run_1": "s3://kept/2026/run_1",
    }.items():
        with open_source(given, find_run(given, named)) as medium:
            assert medium.place == place


def test_services_read_no_zip_and_no_folder_without_a_run(tmp_path: Path):
    (tmp_path / "run_1.zip").write_bytes(b"PK")
    with pytest.raises(PermanentError, match="unpack it"):
        locate_run(settings(tmp_path), str(tmp_path / "run_1.zip"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(PermanentError, match=r"no run in .*empty: it has no run\.json"):
        locate_run(settings(tmp_path), "empty")


def test_services_elsewhere_are_asked_by_an_id_and_by_nothing_else(tmp_path: Path):
    begun(tmp_path / "handed", "run_1")
    there = settings(tmp_path, nats_url="nats://127.0.0.1:1")
    assert locate_run(there, "run_1") == (there, "run_1")
    for named in (str(tmp_path / "handed" / "run_1"), "s3://kept/run_1"):
        with pytest.raises(PermanentError, match="by its id"):
            locate_run(there, named)


def test_runs_that_are_asked_about_together_lie_in_one_place(tmp_path: Path):
    for folder in ("one", "other"):
        begun(tmp_path / folder, "run_1", "run_2")
    one = settings(tmp_path / "one")
    assert locate_runs(one, []) == (one, [])
    assert locate_runs(one, ["run_1", str(tmp_path / "one" / "run_2")]) == (one, ["run_1", "run_2"])
    with pytest.raises(PermanentError, match="different places"):
        locate_runs(one, ["run_1", str(tmp_path / "other" / "run_2")])


# --- what is not there, in the words of every command


COMMANDS = ("verify", "export", "reperform", "replay", "sql", "run --resume")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("named", "words"),
    [
        ("run_9", "there is no run 'run_9' in {here}/evidence, and neither a folder nor a zip of that name here"),
        ("other/run_9", "there is no run 'other/run_9': there is neither a folder nor a zip of that name"),
        ("s3://Not_A_Bucket/run_9", "'s3://Not_A_Bucket/run_9' names no bucket"),
    ],
)
def test_a_run_that_is_not_there_is_said_in_the_same_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, named: str, words: str
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EXHIBIT_NATS_URL", raising=False)
    arguments = [*command.split(), named, *(["select 1"] if command == "sql" else [])]
    ended = CliRunner().invoke(app, arguments)
    assert (ended.exit_code, words.format(here=tmp_path) in ended.output) == (2, True), ended.output
    assert list(tmp_path.iterdir()) == [], "nothing was started"


@pytest.mark.parametrize("command", COMMANDS[:-1])
def test_where_there_is_no_last_run_that_is_said_in_the_same_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EXHIBIT_NATS_URL", raising=False)
    ended = CliRunner().invoke(app, [command, "last", *(["select 1"] if command == "sql" else [])])
    assert (ended.exit_code, f"there is no run in {tmp_path}/evidence" in ended.output) == (2, True), ended.output


def test_a_script_is_told_so_as_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EXHIBIT_NATS_URL", raising=False)
    refused = json.loads(CliRunner().invoke(app, ["verify", "run_9", "--json"]).output)
    assert (refused["stands"], "there is no run 'run_9'" in refused["refused"]) == (False, True)
    problems = json.loads(CliRunner().invoke(app, ["replay", "run_9", "--json"]).output)["problems"]
    assert [problem["where"] for problem in problems] == ["RUN"]


# --- the last run, wherever its evidence was put


def test_the_last_run_is_found_without_naming_the_place_that_it_was_put_in(tmp_path: Path):
    begun(tmp_path / "evidence", "run_2026-03-01_101500")
    begun(tmp_path / "elsewhere", "run_2026-03-02_101500", "run_2026-03-01_090000")
    own = settings(tmp_path / "evidence", state_dir=tmp_path / "state")
    there = settings(tmp_path / "elsewhere", state_dir=tmp_path / "state", evidence_named=True)
    assert str(find_run(own, "last")).rpartition("/")[2] == "run_2026-03-01_101500"
    remember_run(there, "run_2026-03-02_101500")
    assert find_run(own, "last") == tmp_path / "elsewhere" / "run_2026-03-02_101500"
    located, run_id = locate_run(own, "last")
    assert (located.evidence_dir, run_id) == (tmp_path / "elsewhere", "run_2026-03-02_101500")
    begun(tmp_path / "evidence", "run_2026-03-03_101500")
    assert str(find_run(own, "last")).rpartition("/")[2] == "run_2026-03-03_101500"


def test_a_place_that_is_named_is_the_only_one_that_is_looked_at(tmp_path: Path):
    begun(tmp_path / "a", "run_2026-03-01_101500")
    begun(tmp_path / "b", "run_2026-03-02_101500")
    state = tmp_path / "state"
    remember_run(settings(tmp_path / "b", state_dir=state), "run_2026-03-02_101500")
    assert find_run(settings(tmp_path / "a", state_dir=state, evidence_named=True), "last") == (
        tmp_path / "a" / "run_2026-03-01_101500"
    )
    (tmp_path / "b" / "run_2026-03-02_101500" / "run.json").unlink()
    with pytest.raises(PermanentError, match="there is no run"):
        find_run(settings(tmp_path / "c", state_dir=state), "last")


@pytest.mark.parametrize("written", ["", "[]", "{}", '{"location": 7}'])
def test_a_note_of_the_last_run_that_cannot_be_read_is_none(tmp_path: Path, written: str):
    begun(tmp_path / "a", "run_2026-03-01_101500")
    (tmp_path / "last_run.json").write_text(written)
    assert find_run(settings(tmp_path / "a", state_dir=tmp_path), "last") == tmp_path / "a" / "run_2026-03-01_101500"
