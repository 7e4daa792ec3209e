"""Tags of runs: kept beside the runs in a folder and in a bucket, in no seal, and seen at once in SQL and on pages."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
import pytest
import pytest_asyncio

from services.console.web.desk import Desk as WebDesk
from services.console.web.guard import Guard, WebSessions
from services.console.web.page_origin import PageOrigin
from services.console.web.people.audit_log import AuditEntry, audit_file
from services.console.web.static_files import static_files
from services.console.web.web_app import make_app
from services.evidence.handlers import actor
from services.evidence.store.folder_store import FolderStore
from services.evidence.store.run_tags import RunTags
from services.evidence.store.s3_store import S3Store
from shared.client import Client
from shared.client.run_sessions import RunSessions, TagsRefusedError
from shared.contracts.sessions.tagging import RunTagged, TagRun
from shared.errors import PermanentError, PolicyDenied
from shared.evidence_format import layout
from shared.evidence_format.files.tags import TagsFile
from shared.evidence_format.sources.folder import FolderSource
from shared.evidence_format.verify.verify_run import check_run
from shared.s3.bucket import S3Bucket
from shared.settings import Settings
from tests.handlers.evidence.evidence_desk import KEY
from tests.handlers.evidence.sql_room import NOW, Room, opened
from tests.memory_s3 import MemoryS3
from tests.raising import raises_code
from tests.unit.console.asked_pages import HOST, SentPage, ask_page


@pytest_asyncio.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    """``run_1`` is sealed, ``run_2`` at work; the service answers on the bus of the room."""
    async with opened(Settings(evidence_dir=tmp_path / "evidence", state_dir=tmp_path / "state"), KEY) as made:
        made.bus.host(actor, made.deps)
        yield made


async def test_tags_of_a_sealed_run_are_seen_at_once_and_change_no_file_of_it(room: Room):
    run = room.settings.evidence_dir / "run_1"
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    sessions, query = RunSessions(room.bus), "SELECT run_id, tags FROM runs ORDER BY 1"
    assert await room.rows(query) == [("run_1", []), ("run_2", [])]
    assert await sessions.tag("run_1", ["Q3", "sox"], by="ann") == ("q3", "sox")
    assert await sessions.tag("run_2", ["q3"]) == ("q3",)
    assert await room.rows(query) == [("run_1", ["q3", "sox"]), ("run_2", ["q3"])]
    assert await room.rows("SELECT run_id FROM runs WHERE list_contains(tags, 'sox')") == [("run_1",)]
    assert await sessions.tag("run_1", ["final"], ["q3", "never-set"], "bob") == ("final", "sox")
    assert await room.rows(query, "run_1") == [("run_1", ["final", "sox"])]
    loaded = await Client(room.bus).load("run_1")  # type: ignore[arg-type]
    assert loaded.tags == ("final", "sox")  # type: ignore[union-attr]
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before
    assert check_run(FolderSource(run), KEY.public).problems == []
    kept = msgspec.json.decode((run.parent / layout.tags_key("run_1")).read_bytes(), type=TagsFile)
    assert (kept.tags, kept.changed_by, kept.changed_at) == (("final", "sox"), "bob", NOW)


async def test_a_change_that_is_refused_changes_nothing_and_names_all_that_is_wrong(room: Room):
    sessions = RunSessions(room.bus)
    await sessions.tag("run_1", ["q3"])
    with pytest.raises(TagsRefusedError) as refused:
        await sessions.tag("run_1", ["new", "two words", "<b>"], ["é"])
    assert [one.where for one in refused.value.refused.problems] == ["add", "add", "remove"]
    assert await sessions.tag("run_1") == ("q3",)
    for run_id in ("run_7", "../run_1", layout.TAGS):
        with pytest.raises(TagsRefusedError) as refused:
            await sessions.tag(run_id, ["q3"])
        assert refused.value.refused.code == "no_such_run"


async def test_a_file_of_tags_that_cannot_be_read_is_said_and_not_written_over(room: Room):
    path = room.settings.evidence_dir / layout.tags_key("run_1")
    path.parent.mkdir()
    path.write_bytes(b'{"tags": "\xff')
    answered = await room.ask("SELECT tags FROM runs")
    assert [note for note in answered.notes if str(path) in note] != []
    with raises_code(PermanentError, "object_damaged"):
        await RunSessions(room.bus).tag("run_1", ["q3"])
    assert path.read_bytes() == b'{"tags": "\xff'


async def test_a_service_that_only_reads_changes_no_tag(tmp_path: Path):
    store = FolderStore(tmp_path)
    await store.write("run_1/run.json", b"{}")
    with pytest.raises(PolicyDenied):
        await RunTags(store, lambda: NOW, read_only=True).change(TagRun(run_id="run_1", add=("q3",)))


async def test_in_a_bucket_two_who_tag_at_once_lose_nothing(tmp_path: Path):
    store = S3Store(MemoryS3().bucket(f"s3://evidence-{uuid4().hex[:12]}/below"), tmp_path / "spool")
    store.check_usable()
    try:
        await store.write("run_1/run.json", b"{}")
        tags = RunTags(store, lambda: NOW, read_only=False)
        await asyncio.gather(*(tags.change(TagRun(run_id="run_1", add=(f"t{n}",))) for n in range(5)))
        now = await tags.change(TagRun(run_id="run_1", remove=("t0",)))
        assert now == RunTagged(run_id="run_1", tags=("t1", "t2", "t3", "t4"))
        assert await tags.of("run_1") == ("t1", "t2", "t3", "t4")
        assert await tags.of_all(["run_1", "run_2"]) == ({"run_1": ("t1", "t2", "t3", "t4")}, ())
        assert [name for name in await store.names("") if layout.is_safe(name)] == ["run_1"]
    finally:
        store.close()


class HeldUp:
    """A server that answers no write of a key before it may."""

    def __init__(self, bucket: S3Bucket, key: str, patch: pytest.MonkeyPatch) -> None:
        self.bucket, self.asked, self.may = bucket, threading.Event(), threading.Event()
        for call in ("swap", "write"):
            patch.setattr(bucket, call, self._held_up(getattr(bucket, call), key))

    def _held_up(self, call: Callable[..., Any], of: str) -> Callable[..., Any]:
        def held_up(key: str, *given: Any) -> Any:
            if key == of:
                self.asked.set()
                assert self.may.wait(60)
            return call(key, *given)

        return held_up


@pytest.fixture
def in_bucket(tmp_path: Path) -> Iterator[tuple[S3Bucket, S3Store]]:
    """Yield a bucket, and the store of evidence in it."""
    bucket = MemoryS3().bucket(f"s3://evidence-{uuid4().hex[:12]}/below")
    store = S3Store(bucket, tmp_path / "spool")
    store.check_usable()
    yield bucket, store
    store.close()


@pytest.mark.parametrize("key", [".held/run_1.tags", "run.tags/run_1.json"])
async def test_whoever_is_cancelled_at_a_change_leaves_no_lock(
    in_bucket: tuple[S3Bucket, S3Store], monkeypatch: pytest.MonkeyPatch, key: str
):
    bucket, store = in_bucket
    await store.write("run_1/run.json", b"{}")
    held, tags = HeldUp(bucket, key, monkeypatch), RunTags(store, lambda: NOW, read_only=False)
    change = asyncio.ensure_future(tags.change(TagRun(run_id="run_1", add=("q3",))))
    await asyncio.to_thread(held.asked.wait, 60)
    change.cancel()
    await asyncio.sleep(0)
    held.may.set()
    with pytest.raises(asyncio.CancelledError):
        await change
    assert [one.key for one in bucket.list_objects(".held")] == []


@pytest.mark.parametrize("times", [1, 2])
async def test_a_change_that_was_cancelled_while_it_was_written_is_not_lost(
    in_bucket: tuple[S3Bucket, S3Store], monkeypatch: pytest.MonkeyPatch, times: int
):
    bucket, store = in_bucket
    await store.write("run_1/run.json", b"{}")
    held = HeldUp(bucket, "run.tags/run_1.json", monkeypatch)
    tags = RunTags(store, lambda: NOW, read_only=False)
    first = asyncio.ensure_future(tags.change(TagRun(run_id="run_1", add=("q3",))))
    await asyncio.to_thread(held.asked.wait, 60)
    second = asyncio.ensure_future(tags.change(TagRun(run_id="run_1", add=("sox",))))
    for _ in range(times):
        first.cancel()
        await asyncio.sleep(0)
    for _ in range(50):  # a lock that was released is taken meanwhile
        await store.read("run_1/run.json")
    held.may.set()
    with pytest.raises(asyncio.CancelledError):
        await first
    assert await second == RunTagged(run_id="run_1", tags=("q3", "sox"))


async def test_a_change_of_one_run_waits_for_none_of_another(
    in_bucket: tuple[S3Bucket, S3Store], monkeypatch: pytest.MonkeyPatch
):
    bucket, store = in_bucket
    for run_id in ("run_1", "run_2"):
        await store.write(f"{run_id}/run.json", b"{}")
    held = HeldUp(bucket, "run.tags/run_1.json", monkeypatch)
    tags = RunTags(store, lambda: NOW, read_only=False)
    first = asyncio.ensure_future(tags.change(TagRun(run_id="run_1", add=("q3",))))
    await asyncio.to_thread(held.asked.wait, 60)
    async with asyncio.timeout(30):
        await tags.change(TagRun(run_id="run_2", add=("sox",)))
    held.may.set()
    assert (await first, await tags.of("run_2")) == (RunTagged(run_id="run_1", tags=("q3",)), ("sox",))


# --- pages


async def ask(room: Room, path: str, form: dict[str, str] | None = None) -> SentPage:
    sessions, client = WebSessions(), Client(room.bus)  # type: ignore[arg-type]
    desk = WebDesk(client, room.settings, "ann", static_files(), PageOrigin("http://p", (), room.settings))
    return await ask_page(Guard(make_app(desk), sessions, {HOST}), sessions, path, form)


async def test_a_tag_is_set_on_the_page_of_a_run_found_in_the_list_and_removed(room: Room):
    done = await ask(room, "/runs/run_1/tags", {"add": "Q3, sox"})
    assert (done.status, done.headers["location"]) == (303, "/runs/run_1")
    shown = await ask(room, "/runs/run_1")
    assert 'href="/?tag=q3"' in shown.text
    assert 'aria-label="Remove the tag sox"' in shown.text
    listed = await ask(room, "/?tag=SOX")
    assert ("/runs/run_1" in listed.text, "/runs/run_2" in listed.text) == (True, False)
    assert "Save this view" in listed.text
    await ask(room, "/runs/run_1/tags", {"remove": "sox"})
    none = await ask(room, "/?tag=sox")
    assert "No run fits" in none.text
    entries = [
        msgspec.json.decode(line, type=AuditEntry) for line in audit_file(room.settings).read_bytes().splitlines()
    ]
    acts = [(one.person, one.run, one.named, one.status) for one in entries if one.page == "tag_run" and one.status]
    assert acts == [("ann", "run_1", "+Q3 +sox", 303), ("ann", "run_1", "-sox", 303)]


async def test_hostile_text_is_no_tag_and_only_text_on_the_pages(room: Room):
    hostile = "<script>alert(1)</script>"
    refused = await ask(room, "/runs/run_1/tags", {"add": f"fine {hostile}"})
    assert (refused.status, hostile in refused.text, "is no tag" in refused.text) == (400, False, True)
    listed = await ask(room, f"/?tag={hostile}")
    assert (listed.status, hostile in listed.text, "No run fits" in listed.text) == (200, False, True)
    assert (await ask(room, "/runs/run_1/tags", {"add": " "})).status == 400
    assert (await ask(room, "/runs/run_9/tags", {"add": "q3"})).status == 404
    assert (await ask(room, "/runs/run_1/tags", {"add": "q3", "form_key": "another"})).status == 403
    assert await room.rows("SELECT tags FROM runs", "run_1") == [([],)]
