"""`exhibit compare` on real runs of an earlier version, and on what was done to copies of them."""

from __future__ import annotations

import csv
import io
import json
import shutil
import zipfile
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from services.console.cli import app

EARLIER_RUNS = Path(__file__).parents[2] / "fixtures/earlier_runs"
RESUMED, REPLAYED, JUDGED = (str(EARLIER_RUNS / f"{name}.zip") for name in ("resumed", "replayed", "judged"))


@pytest.fixture(autouse=True)
def _no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXHIBIT_STATE_DIR", str(tmp_path / "state"))


def compared(*words: Any) -> tuple[int, str]:
    ended = CliRunner().invoke(app, ["compare", *map(str, words)])
    return ended.exit_code, ended.output


@pytest.fixture
def sealed(tmp_path: Path) -> Path:
    """The run `resumed` in a folder."""
    with zipfile.ZipFile(RESUMED) as file:
        file.extractall(tmp_path / "runs")
    (found,) = (tmp_path / "runs").iterdir()
    return found


@pytest.fixture
def unsealed(sealed: Path) -> Path:
    """The same without its seal, so that its files can be changed."""
    (sealed / "seal.json").unlink()
    return sealed


def set_owner(run: Path, sample: str, owner: str) -> None:
    path = run / sample / "result.json"
    told = json.loads(path.read_text())
    told["fields"]["owner"]["value"] = owner
    path.write_text(json.dumps(told))


def test_a_run_and_its_replay_after_a_value_of_the_site_had_changed():
    code, out = compared(RESUMED, REPLAYED)
    assert code == 1
    assert "samples     2 the same, 1 not known" in out
    assert "not known: A-1 [done -> needs_review (replay_differs)]" in out
    assert "A  'Anna Ruiz'  A-1/01_asset.mhtml.zst, A-1/01_asset.png" in out
    assert "B  for review, the run has read 'Zoe Park'  A-1/01_asset.mhtml.zst, A-1/01_asset.png" in out
    assert "signed by a key that is not known here" in out


def test_a_run_is_the_same_as_its_copy_in_a_folder(sealed: Path):
    code, out = compared(RESUMED, sealed, "--json")
    told = json.loads(out)
    assert (code, told["same"], told["comparison"]["counts"]["same"]) == (0, True, 3)
    assert told["seals"]["a"]["fingerprint"] == told["seals"]["b"]["fingerprint"] != ""


def test_what_is_changed_gone_and_new_is_counted_and_told_and_nothing_is_written_to_the_evidence(unsealed: Path):
    set_owner(unsealed, "A-1", "Zoe Park")
    shutil.copytree(unsealed / "A-3", unsealed / "A-9")
    result = unsealed / "A-9/result.json"
    result.write_text(result.read_text().replace('"key": "A-3"', '"key": "A-9"'))
    shutil.rmtree(unsealed / "A-2")
    before = {path: path.stat().st_mtime_ns for path in (unsealed, *unsealed.rglob("*"))}
    code, out = compared(RESUMED, unsealed)
    assert code == 1
    assert "samples     1 the same, 1 changed, 1 gone, 1 new" in out
    assert "field       owner: 1 changed, 1 the same" in out
    assert "CHANGED: 3 samples changed, gone or new" in out
    assert "NOT SEALED" in out
    assert {path: path.stat().st_mtime_ns for path in (unsealed, *unsealed.rglob("*"))} == before


def test_a_run_that_is_not_what_was_sealed_is_refused(sealed: Path):
    set_owner(sealed, "A-1", "Zoe Park")
    code, out = compared(RESUMED, sealed)
    assert (code, "A-1/result.json: was changed since it was sealed" in out) == (2, True)
    assert "refused" in json.loads(compared(RESUMED, sealed, "--json")[1])


@pytest.mark.parametrize("path", ["run.json", "manifest.json", "seal.json", "A-1/manifest.json"])
def test_every_file_that_is_read_is_checked_by_the_seal(sealed: Path, path: str):
    file = sealed / path
    file.write_bytes(file.read_bytes() + b"\n")
    assert compared(RESUMED, sealed)[0] == 2


def test_a_result_that_is_gone_from_a_sealed_run_is_told(sealed: Path):
    (sealed / "A-1/result.json").unlink()
    assert compared(RESUMED, sealed)[0] == 2


def test_what_cannot_be_compared_is_refused_with_the_reason(unsealed: Path, tmp_path: Path):
    code, out = compared(RESUMED, JUDGED)
    assert (code, "runs of one task are compared" in out) == (2, True)
    assert compared(RESUMED, tmp_path / "nothing")[0] == 2
    assert compared(RESUMED, EARLIER_RUNS)[0] == 2
    run = json.loads((unsealed / "run.json").read_text())
    (unsealed / "run.json").write_text(json.dumps({**run, "finished": None}))
    code, out = compared(RESUMED, unsealed)
    assert (code, "is not finished" in out) == (2, True)


def test_files_are_new_and_lie_outside_of_the_evidence(sealed: Path, tmp_path: Path):
    (tmp_path / "there.csv").write_text("mine")
    for option in ("--csv", "--report"):
        for path in (tmp_path / "there.csv", sealed / "new.csv", tmp_path / "no folder" / "new.csv"):
            assert compared(RESUMED, sealed, option, path)[0] == 2
    assert (tmp_path / "there.csv").read_text() == "mine"
    assert not (sealed / "new.csv").exists()


class SeenPage(HTMLParser):
    """The elements of a page, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.loads: list[Any] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[Any]) -> None:
        self.tags.add(tag)
        self.loads += [one for one in attrs if one[0] in ("src", "href", "style") or one[0].startswith("on")]

    def handle_data(self, data: str) -> None:
        self.text += data


HOSTILE = '=HYPERLINK("http://x")<script>alert(1)</script><img src=x onerror=a()>\x1b[31m\u202ered'


def test_hostile_values_are_only_text_in_lines_table_and_page(unsealed: Path, tmp_path: Path):
    set_owner(unsealed, "A-1", HOSTILE)
    table, page = tmp_path / "all.csv", tmp_path / "all.html"
    code, out = compared(RESUMED, unsealed, "--csv", table, "--report", page)
    assert code == 1
    assert "\x1b" not in out
    assert "\u202e" not in out
    seen = SeenPage(page.read_text(encoding="utf-8"))
    assert seen.tags.isdisjoint({"script", "img", "a", "link", "iframe"})
    assert seen.loads == []
    assert "<script>alert(1)</script>" in seen.text
    assert "\u202e" not in seen.text
    assert "default-src 'none'" in page.read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(table.read_text(encoding="utf-8"), newline="")))
    assert [(row["verdict"], row["key"], row["field"]) for row in rows] == [
        ("changed", "A-1", "owner"),
        ("same", "A-2", ""),
        ("same", "A-3", ""),
    ]
    assert (rows[0]["value_a"], rows[0]["value_b"]) == ("Anna Ruiz", f"'{HOSTILE}")


def test_what_is_told_is_bounded_and_the_rest_is_told_by_number(unsealed: Path):
    for number in range(60):
        copy = Path(shutil.copytree(unsealed / "A-3", unsealed / f"B-{number}"))
        result = copy / "result.json"
        result.write_text(result.read_text().replace('"key": "A-3"', f'"key": "B-{number}"'))
    out = compared(RESUMED, unsealed)[1]
    assert out.count("new: B-") == 40
    assert "and 20 more samples" in out
