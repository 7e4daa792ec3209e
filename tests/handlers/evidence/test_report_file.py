"""report.html as a file: its content, reproducible bytes, and constant memory."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import tempfile
import tracemalloc
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from benchmarks.evidence_files import artifact_bytes
from benchmarks.evidence_world import World, files_of
from services.evidence.outputs.report_file import ReportFile
from shared.evidence_view.sample_facts import SampleFacts
from tests.handlers.evidence.report_blocks import block

Opens = Callable[[str], bytes | None]


def made(world: World, folder: Path, samples: Iterable[SampleFacts] | None = None, opens: Opens | None = None) -> str:
    """The text of the report of a world."""
    folder.mkdir()
    product = ReportFile(world.closing(), folder)
    try:
        for number, facts in enumerate(world.facts() if samples is None else samples, start=1):
            product.add(facts, opens or artifact_bytes(number).get)
        (file,) = product.finish()
        assert file.name == "report.html"
        return file.path.read_text(encoding="utf-8")
    finally:
        product.close()
        product.close()


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def details(page: str) -> list[dict[str, Any]]:
    """All samples as the page unpacks them."""
    chunks = re.findall(r'id="(d\d+)"', page)
    return [one for name in chunks for one in json.loads(zlib.decompress(base64.b64decode(block(page, name))))]


def test_each_sample_is_a_row_and_can_be_opened(tmp_path: Path) -> None:
    world = World(40)
    page = made(world, tmp_path / "report")
    rows = json.loads(block(page, "rows"))
    assert [row[0] for row in rows] == [f"TCK-{number:05d}" for number in world.numbers]
    opened = details(page)
    assert [one["id"] for one in opened] == [row[0] for row in rows]
    assert {file["name"] for file in opened[0]["files"]} == set(artifact_bytes(1))
    assert {file["sha"] for file in opened[0]["files"]} == {sha256(data) for data in artifact_bytes(1).values()}
    assert [step["n"] for step in opened[0]["steps"]] == [1, 2, 3, 4]


def test_the_head_says_how_the_population_ended(tmp_path: Path) -> None:
    page = made(World(100), tmp_path / "report")
    run = json.loads(block(page, "run"))
    groups: dict[str, int] = {}
    for one in run["outcomes"]:
        groups[one["group"]] = groups.get(one["group"], 0) + one["samples"]
    assert groups == {"done": 88, "review": 6, "failed": 5, "excepted": 1}
    assert run["samples"] == sum(groups.values())


def test_made_again_it_is_the_same_bytes(tmp_path: Path) -> None:
    assert made(World(20), tmp_path / "one") == made(World(20), tmp_path / "two")


def test_a_picture_that_is_not_the_one_captured_is_never_shown(tmp_path: Path) -> None:
    def another(name: str) -> bytes | None:
        return artifact_bytes(2).get(name)

    page = made(World(1), tmp_path / "report", opens=another)
    (sample,) = details(page)
    assert "small" not in sample
    assert sorted(sample["unshown"]) == ["01_ticket.png", "02_history.png"]


def changed(world: World, **result: Any) -> SampleFacts:
    """The first sample of a world with another result, and without steps."""
    files = files_of(1)
    assert files.result is not None
    whole = {**json.loads(files.result), **result}
    return world.closing().facts_of(replace(files, result=json.dumps(whole).encode(), log=None))


def test_pictures_that_are_gone_or_no_pictures_leave_the_rest_as_it_is(tmp_path: Path) -> None:
    world = World(1)
    page = made(world, tmp_path / "gone", world.facts(), lambda name: None)
    assert details(page)[0]["fields"]
    torn = b"\x89PNG\r\n\x1a\n torn"
    artifacts = [{**one, "sha256": sha256(torn)} for one in json.loads(files_of(1).result or b"")["artifacts"]]
    page = made(world, tmp_path / "torn", [changed(world, artifacts=artifacts)], lambda name: torn)
    assert len(details(page)[0]["unshown"]) == 2


def test_nothing_a_page_said_can_end_the_block_it_stands_in(tmp_path: Path) -> None:
    world, evil = World(1), "</script><script>alert(1)</script><!-- \u2028 ]]>"
    files = files_of(1)
    sample = {**json.loads(files.sample or b""), "key": evil}
    said = {"message": evil, "notes": [evil], "status": evil, "reason": evil}
    result = {**json.loads(files.result or b""), **said}
    files = replace(files, sample=json.dumps(sample).encode(), result=json.dumps(result).encode())
    page = made(world, tmp_path / "report", [world.closing().facts_of(files)])
    assert evil not in page
    assert page.count("<script") == page.count("</script>") == 7
    assert json.loads(block(page, "rows"))[0][1] == evil
    assert details(page)[0]["message"] == evil


def test_a_run_without_samples_has_a_report(tmp_path: Path) -> None:
    page = made(World(0), tmp_path / "report")
    assert json.loads(block(page, "rows")) == []
    assert json.loads(block(page, "run"))["samples"] == 0


def test_a_sample_without_a_result_is_told_as_such(tmp_path: Path) -> None:
    world = World(1)
    page = made(world, tmp_path / "report", [world.closing().facts_of(replace(files_of(1), result=None, log=None))])
    assert json.loads(block(page, "rows"))[0][3] == "no_result"


@pytest.mark.parametrize(("few", "many"), [(64, 128), pytest.param(96, 320, marks=pytest.mark.long)])
def test_memory_does_not_grow_with_the_samples(tmp_path: Path, few: int, many: int) -> None:
    def peak(samples: int) -> int:
        product = ReportFile(World(samples).closing(), Path(tempfile.mkdtemp(dir=tmp_path)))
        tracemalloc.start()
        for number, facts in enumerate(World(samples).facts(), start=1):
            product.add(facts, artifact_bytes(number).get)
        list(product.finish())
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        product.close()
        return most

    peak(12)  # what is read and made once
    assert peak(many) < 1.5 * peak(few)
