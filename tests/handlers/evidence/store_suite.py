"""What every store of evidence must do; a folder passes it, and so must whatever comes next."""

from __future__ import annotations

import pytest

from services.evidence.deps import Store
from shared.errors import PolicyDenied


class StoreSuite:
    """Inherit it, and give a fixture ``store`` with an empty one."""

    async def test_what_was_written_is_read(self, store: Store):
        await store.write("run_1/A-1/01_t.png", b"\x89PNG")
        assert await store.read("run_1/A-1/01_t.png") == b"\x89PNG"

    async def test_what_is_not_there_is_none(self, store: Store):
        assert await store.read("run_1/nothing") is None
        assert await store.names("run_1") == []

    async def test_a_second_write_takes_the_place_of_the_first(self, store: Store):
        await store.write("run_1/x", b"a long first version")
        await store.write("run_1/x", b"short")
        assert await store.read("run_1/x") == b"short"

    async def test_large_things_are_whole(self, store: Store):
        data = bytes(range(256)) * 20_000
        await store.write("run_1/large", data)
        assert await store.read("run_1/large") == data

    async def test_names_are_those_directly_below_and_nothing_half_done(self, store: Store):
        for key in ("run_1/b", "run_1/a", "run_1/A-1/result.json", "run_2/c"):
            await store.write(key, b"")
        assert await store.names("run_1") == ["A-1", "a", "b"]

    async def test_moving_keeps_the_bytes(self, store: Store):
        await store.write("run_1/A-1/x", b"1")
        await store.move("run_1/A-1/x", "run_1/A-1/attempt_1/x")
        assert await store.read("run_1/A-1/x") is None
        assert await store.read("run_1/A-1/attempt_1/x") == b"1"

    async def test_moving_what_an_earlier_try_moved_is_no_error(self, store: Store):
        await store.write("run_1/A-1/attempt_1/x", b"1")
        await store.move("run_1/A-1/x", "run_1/A-1/attempt_1/x")
        assert await store.read("run_1/A-1/attempt_1/x") == b"1"

    @pytest.mark.parametrize("key", ["../x", "run_1/../../x", "/etc/exhibit-test"])
    async def test_no_key_leads_out(self, store: Store, key: str):
        with pytest.raises(PolicyDenied):
            await store.write(key, b"")
        with pytest.raises(PolicyDenied):
            await store.read(key)
        await store.write("run_1/x", b"")
        with pytest.raises(PolicyDenied):
            await store.move("run_1/x", key)
