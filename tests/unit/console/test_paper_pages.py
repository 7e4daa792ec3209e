"""The page on which a run is handed over, over the handlers of evidence: what its downloads are, and what its check
finds. Both are the commands themselves, in processes of their own."""

from __future__ import annotations

import asyncio
import io
import tempfile
import zipfile
from pathlib import Path

import pytest
from openpyxl import load_workbook

from services.console.web.papers.own_command import ask_command
from shared.errors import Unavailable
from shared.evidence_format.sources.opening import open_source
from shared.evidence_format.verify.verify_run import check_run
from shared.settings import Settings
from tests.handlers.evidence.evidence_desk import started
from tests.unit.console.asked_pages import ask_page
from tests.unit.console.web_room import Room, make_room

pytestmark = pytest.mark.system
PAPERS, SEAL, EXPORT = "/runs/run_1/papers", "/runs/run_1/seal", "/runs/run_1/export"


@pytest.fixture
async def room(tmp_path: Path) -> Room:
    return make_room(tmp_path)


@pytest.fixture
def made_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where files are made that are sent."""
    folder = tmp_path / "made"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


async def test_the_evidence_is_sent_as_it_was_sealed_and_nothing_of_it_stays(room: Room, made_in: Path, tmp_path: Path):
    await room.begin()
    page = await room.ask(PAPERS)
    assert f'href="{EXPORT}/zip"' in page.text
    sent = await room.ask(f"{EXPORT}/zip")
    assert (sent.status, sent.headers["content-disposition"]) == (200, 'attachment; filename="run_1.zip"')
    received = tmp_path / "run_1.zip"
    received.write_bytes(sent.data)
    with open_source(room.settings, received) as medium:
        assert check_run(medium, None).problems == []
    assert list(made_in.iterdir()) == []


async def test_a_workpaper_is_sent_with_the_evidence_that_its_links_lead_to(room: Room, made_in: Path):
    await room.begin()
    sent = [await room.ask(f"{EXPORT}/workpaper") for _ in range(2)]
    assert sent[0].data == sent[1].data
    packed = zipfile.ZipFile(io.BytesIO(sent[0].data))
    book = load_workbook(io.BytesIO(packed.read("run_1_workpaper.xlsx")))
    links = {
        str(cell.hyperlink.target).partition("#")[0]
        for sheet in book.worksheets
        for row in sheet.iter_rows()
        for cell in row
        if cell.hyperlink is not None and cell.hyperlink.target
    }
    assert any(link.startswith("run_1/") for link in links)
    assert links <= set(packed.namelist())
    assert list(made_in.iterdir()) == []


async def test_the_check_has_the_words_of_the_command_and_what_was_changed_is_named_and_not_sent(room: Room):
    await room.begin()
    whole = await room.ask(SEAL)
    assert "every file is what was sealed" in whole.text
    result = room.desk.root / "run_1/A-1/result.json"
    result.write_bytes(result.read_bytes() + b"\n")
    changed = await room.ask(SEAL)
    assert "<strong>NOT what was sealed:</strong> 1 problem" in changed.text
    assert "A-1/result.json" in changed.text
    refused = await room.ask(f"{EXPORT}/oscal")
    assert (refused.status, "not what was sealed" in refused.text) == (409, True)


async def test_one_run_is_read_as_a_whole_at_a_time(room: Room):
    await room.begin()
    app = room.app()
    answers = await asyncio.gather(*(ask_page(app, room.sessions, path) for path in (SEAL, f"{EXPORT}/zip")))
    assert sorted(one.status for one in answers) == [200, 409]


@pytest.mark.parametrize("path", [PAPERS, SEAL, f"{EXPORT}/zip"])
async def test_what_is_at_work_or_not_there_is_not_handed_over(room: Room, path: str):
    assert (await room.ask(path)).status == 404
    await room.desk.tell(started())
    assert (await room.ask(path)).status == 409
    assert (await room.ask(path.replace("run_1", "..%2Frun_1"))).status == 404


async def test_a_run_is_not_sent_as_what_it_cannot_be(room: Room):
    await room.begin()
    assert (await room.ask(f"{EXPORT}/exe")).status == 404


async def test_a_command_that_takes_too_long_is_ended_and_one_that_writes_too_much_says_so(room: Room, tmp_path: Path):
    await room.begin()
    settings = Settings(evidence_dir=room.settings.evidence_dir, state_dir=room.settings.state_dir)
    run = str(settings.evidence_dir.resolve() / "run_1")
    with pytest.raises(Unavailable, match="longer"):
        await ask_command(settings, "verify", run, "--json", bound_s=0.0, most_bytes=1000)
    out = tmp_path / "run.zip"
    asked = ("export", run, "--out", str(out), "--json")
    answer = await ask_command(settings, *asked, bound_s=60.0, most_bytes=1000)
    assert (answer.exit_code, "too large" in answer.errors, out.exists()) == (1, True, False)
