"""The common suite of all evidence stores: the folder, and a bucket on two servers."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path
from uuid import uuid4

import pytest

from services.evidence.ports import Store
from shared.errors import PermanentError, PolicyDenied

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def spooled(store: Store, data: bytes) -> Path:
    path = store.spool / uuid4().hex
    path.write_bytes(data)
    return path


async def kept(store: Store, key: str, data: bytes) -> None:
    await store.store_captured(key, sha(data), spooled(store, data))


async def all_keys(store: Store, prefix: str) -> list[str]:
    """Return the keys of all files below ``prefix``."""
    below = await store.names(prefix)
    return [one for name in below for one in await all_keys(store, f"{prefix}/{name}") or [f"{prefix}/{name}"]]


class StoreSuite:
    """Subclasses provide a fixture ``store`` with an empty store."""

    async def test_what_was_written_last_is_read(self, store: Store):
        for data in (b"a long first version", b"\x89PNG", b""):
            await store.write("run_1/A-1/01_t.png", data)
            assert await store.read("run_1/A-1/01_t.png") == data

    async def test_lines_that_were_appended_are_there_in_their_order(self, store: Store):
        for number in range(1, 4):
            await store.append_line("run_1/A-1/_log/s.jsonl", b"%d\n" % number, f"run_1/A-1/_log/00{number}.json")
        read = [await store.read(f"run_1/A-1/_log/{name}") for name in await store.names("run_1/A-1/_log")]
        assert b"".join(data or b"" for data in read) == b"1\n2\n3\n"
        await store.remove("run_1/A-1/_log")
        assert await store.names("run_1/A-1") == []

    async def test_what_is_not_there_is_none_and_a_folder_is_no_file(self, store: Store):
        assert await store.read("run_1/nothing") is None
        assert await store.names("run_1") == []
        await store.write("run_1/A-1/x", b"")
        for key in ("run_1/nothing", "run_1/A-1"):
            async with store.local_file(key) as path:
                assert path is None

    async def test_large_things_are_whole(self, store: Store):
        data = bytes(range(256)) * 20_000
        await store.write("run_1/large", data)
        assert await store.read("run_1/large") == data

    async def test_names_are_those_directly_below_and_nothing_half_done(self, store: Store):
        for key in ("run_1/b", "run_1/a", "run_1/A-1/result.json", "run_2/c"):
            await store.write(key, b"")
        store.spool.joinpath("half-done").write_bytes(b"")
        assert await store.names("run_1") == ["A-1", "a", "b"]
        assert await store.names("") == ["run_1", "run_2"]

    async def test_a_name_may_be_anything_that_unicode_has(self, store: Store):
        keys = ["run_1/A-1/ä ö+%&?#.png", "run_1/A-1/名前 ☃.png", "run_1/A-1/e\u0301.png", "run_1/A-1/\u202eagrn.png"]
        for number, key in enumerate(keys):
            await kept(store, key, str(number).encode())
        assert [await store.read(key) for key in keys] == [b"0", b"1", b"2", b"3"]
        assert {f"run_1/A-1/{name}" for name in await store.names("run_1/A-1")} == set(keys)

    async def test_moving_keeps_the_bytes_and_what_an_earlier_try_moved_stays(self, store: Store):
        await store.write("run_1/A-1/x", b"1")
        for _ in range(2):
            await store.move("run_1/A-1/x", "run_1/A-1/attempt_1/x")
            assert await store.read("run_1/A-1/x") is None
            assert await store.read("run_1/A-1/attempt_1/x") == b"1"

    async def test_a_folder_of_which_all_was_moved_is_not_in_the_way(self, store: Store):
        await store.write("run_1/tables/t.parquet", b"1")
        await store.move("run_1/tables/t.parquet", "run_1/rounds/1/tables/t.parquet")
        await store.move("run_1/tables", "run_1/rounds/1/tables")
        assert await store.read("run_1/rounds/1/tables/t.parquet") == b"1"

    async def test_what_is_removed_is_gone_with_all_that_lies_directly_below_it(self, store: Store):
        for key in ("run_1/A-1/_log/000001.json", "run_1/A-1/_log/000002.json", "run_1/A-1/_logs"):
            await store.write(key, b"{}")
        for _ in range(2):  # removing what is not there is no error
            await store.remove("run_1/A-1/_log")
        assert await store.names("run_1/A-1") == ["_logs"]
        assert await store.read("run_1/A-1/_log/000001.json") is None

    @pytest.mark.parametrize("key", ["../x", "run_1/../../x", "/etc/exhibit-test"])
    async def test_no_key_leads_out(self, store: Store, key: str):
        with pytest.raises(PolicyDenied):
            await store.write(key, b"")
        with pytest.raises(PolicyDenied):
            await store.read(key)
        await store.write("run_1/x", b"")
        with pytest.raises(PolicyDenied):
            await store.move("run_1/x", key)
        for written in (
            store.write_file(key, spooled(store, b"")),
            store.store_captured(key, sha(b""), spooled(store, b"")),
        ):
            with pytest.raises(PolicyDenied):
                await written

    # --- captured bytes

    async def test_what_is_kept_is_read_and_its_file_is_used_up(self, store: Store):
        path = spooled(store, PNG)
        await store.store_captured("run_1/A-1/01.png", sha(PNG), path)
        assert await store.read("run_1/A-1/01.png") == PNG
        async with store.local_file("run_1/A-1/01.png") as local:
            assert local is not None
            assert local.read_bytes() == PNG
        assert not path.exists()
        assert await store.names("run_1/A-1") == ["01.png"]

    async def test_equal_bytes_of_a_run_take_room_once(self, store: Store, stored_bytes):
        data = PNG * 2_000
        await kept(store, "run_1/A-1/01.png", data)
        before = stored_bytes()
        for key in ("run_1/A-1/02.png", "run_1/A-2/01.png", "run_1/_discovery/x.png"):
            await kept(store, key, data)
            assert await store.read(key) == data
        assert before >= len(data)
        assert stored_bytes() - before < 2_000
        assert await all_keys(store, "run_1/objects") == [f"run_1/objects/{sha(data)[:2]}/{sha(data)}"]

    async def test_another_run_does_not_lean_on_this_one(self, store: Store):
        for run in ("run_1", "run_2"):
            await kept(store, f"{run}/A-1/01.png", PNG)
            assert await store.read(f"{run}/objects/{sha(PNG)[:2]}/{sha(PNG)}") == PNG

    @pytest.mark.parametrize("data", [PNG, b""])
    async def test_other_bytes_under_a_name_are_refused_and_the_same_are_no_error(self, store: Store, data: bytes):
        for _ in range(2):  # a process died between filing and acknowledging
            await kept(store, "run_1/A-1/01.png", data)
        with pytest.raises(PermanentError, match="never overwritten") as caught:
            await kept(store, "run_1/A-1/01.png", b"other")
        assert caught.value.code == "name_taken"
        assert await store.read("run_1/A-1/01.png") == data

    async def test_what_was_written_is_not_overwritten_by_captured_bytes(self, store: Store):
        await store.write("run_1/A-1/result.json", b"{}")
        with pytest.raises(PermanentError) as caught:
            await kept(store, "run_1/A-1/result.json", b"captured")
        assert caught.value.code == "name_taken"
        assert await store.read("run_1/A-1/result.json") == b"{}"

    async def test_of_two_writers_of_one_name_one_wins_and_the_other_is_told(self, store: Store):
        data = [f"writer {number}".encode() * 50 for number in range(6)]
        ended = await asyncio.gather(*(kept(store, "run_1/A-1/01.png", one) for one in data), return_exceptions=True)
        won = [one for one, error in zip(data, ended, strict=True) if error is None]
        assert [error.code for error in ended if isinstance(error, PermanentError)] == ["name_taken"] * 5
        assert [await store.read("run_1/A-1/01.png")] == won

    async def test_many_writers_of_equal_bytes_all_succeed(self, store: Store):
        keys = [f"run_1/A-{number}/01.png" for number in range(12)]
        await asyncio.gather(*(kept(store, key, PNG) for key in keys))
        assert [await store.read(key) for key in keys] == [PNG] * 12

    async def test_an_object_that_is_damaged_is_not_trusted(self, store: Store):
        await store.write(f"run_1/objects/{sha(PNG)[:2]}/{sha(PNG)}", PNG[:10])
        with pytest.raises(PermanentError, match="is damaged") as caught:
            await kept(store, "run_1/A-1/01.png", PNG)
        assert caught.value.code == "object_damaged"
        assert await store.read("run_1/A-1/01.png") is None

    async def test_a_name_that_was_put_aside_is_free_again(self, store: Store):
        await kept(store, "run_1/A-1/01.png", PNG)
        await store.move("run_1/A-1/01.png", "run_1/A-1/attempt_1/01.png")
        await kept(store, "run_1/A-1/01.png", b"of the second attempt")
        assert await store.read("run_1/A-1/01.png") == b"of the second attempt"
        assert await store.read("run_1/A-1/attempt_1/01.png") == PNG
        async with store.local_file("run_1/A-1/attempt_1/01.png") as local:
            assert local is not None
            assert local.read_bytes() == PNG

    async def test_a_hash_that_is_none_is_refused(self, store: Store):
        with pytest.raises(PolicyDenied):
            await store.store_captured("run_1/A-1/01.png", "../../x", spooled(store, PNG))

    # --- files

    async def test_a_large_file_is_whole(self, store: Store):
        data = bytes(range(256)) * 50_000
        await kept(store, "run_1/A-1/large.bin", data)
        await store.write_file("run_1/tables/large.bin", spooled(store, data))
        for key in ("run_1/A-1/large.bin", "run_1/tables/large.bin"):
            async with store.local_file(key) as local:
                assert local is not None
                with local.open("rb") as file:
                    assert hashlib.file_digest(file, "sha256").hexdigest() == sha(data)

    async def test_a_file_takes_the_place_of_what_was_there_and_is_used_up(self, store: Store):
        await store.write("run_1/tables/t.parquet", b"a first version")
        path = spooled(store, b"short")
        await store.write_file("run_1/tables/t.parquet", path)
        assert await store.read("run_1/tables/t.parquet") == b"short"
        assert not path.exists()

    async def test_securing_changes_nothing_of_it(self, store: Store):
        await kept(store, "run_1/A-1/01.png", PNG)
        await store.write("run_1/A-1/result.json", b"{}")
        for _ in range(2):
            await store.make_durable("run_1/A-1")
            await store.make_durable("run_1")
            await store.make_file_durable("run_1/A-1/result.json")
        await store.write("run_1/A-1/result.json", b'{"more": 1}')
        assert await store.read("run_1/A-1/01.png") == PNG
        assert await store.read("run_1/A-1/result.json") == b'{"more": 1}'
