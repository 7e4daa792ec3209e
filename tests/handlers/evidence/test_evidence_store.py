"""The folder store: the common suite, links that lead out, and a disk that is really full."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from services.evidence.ports import Store
from services.evidence.store import disk
from services.evidence.store.folder_store import FolderStore
from shared.errors import PolicyDenied, Unavailable
from tests.handlers.evidence.store_suite import PNG, StoreSuite, kept


class TestFolderStore(StoreSuite):
    @pytest.fixture
    def store(self, tmp_path: Path) -> FolderStore:
        return FolderStore(tmp_path / "evidence")

    @pytest.fixture
    def stored_bytes(self, tmp_path: Path) -> Callable[[], int]:
        return lambda: disk_bytes(tmp_path / "evidence")


class TestFolderStoreWithoutLinks(TestFolderStore):
    """On a file system that knows no hard links."""

    @pytest.fixture(autouse=True)
    def no_links(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(self: Path, target: Path) -> None:
            if self.exists():
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
            raise OSError(errno.EPERM, os.strerror(errno.EPERM))

        monkeypatch.setattr(Path, "hardlink_to", refuse)

    async def test_equal_bytes_of_a_run_take_room_once(self, store: Store, stored_bytes: Callable[[], int]):
        """Here they cannot: each name is a copy."""
        await kept(store, "run_1/A-1/01.png", PNG)
        await kept(store, "run_1/A-2/01.png", PNG)
        assert stored_bytes() == 3 * len(PNG)


def disk_bytes(folder: Path) -> int:
    """Files with several names count once."""
    files = {path.stat().st_ino: path.stat().st_size for path in folder.rglob("*") if path.is_file()}
    return sum(files.values())


async def test_a_link_inside_does_not_lead_out(tmp_path):
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / "run_1").symlink_to(tmp_path)
    with pytest.raises(PolicyDenied):
        await FolderStore(tmp_path / "evidence").write("run_1/x", b"")


async def test_the_folder_of_a_run_is_open_to_its_owner_alone(tmp_path):
    store = FolderStore(tmp_path / "evidence")
    await store.write("run_1/A-1/result.json", b"{}")
    modes = [stat.S_IMODE((tmp_path / "evidence" / one).stat().st_mode) for one in ("run_1", "run_1/A-1")]
    assert modes == [0o700, 0o700]


@pytest.mark.parametrize(
    ("number", "code"), [(errno.ENOSPC, "disk_full"), (errno.EDQUOT, "disk_full"), (errno.EIO, None)]
)
async def test_a_write_that_fails_leaves_what_was_there_and_says_so(tmp_path, monkeypatch, number, code):
    told: list[tuple[str, str]] = []

    async def on_blocked(key: str, why: str) -> None:
        told.append((key, why))

    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    store = FolderStore(tmp_path, on_blocked)
    await store.write("run_1/A-1/x", b"before")
    monkeypatch.setattr(disk.os, "fdopen", fail)
    with pytest.raises(Unavailable, match="6 bytes" if code else str(tmp_path)) as caught:
        await store.write("run_1/A-1/x", b"after!")
    assert code is None or caught.value.code == code
    assert [key for key, _ in told] == ["run_1/A-1/x"]
    assert await store.read("run_1/A-1/x") == b"before"
    assert [path.name for path in (tmp_path / "run_1" / "A-1").iterdir()] == ["x"]


@pytest.mark.system
def test_on_a_full_disk_nothing_is_lost_and_it_goes_on_when_there_is_room(tmp_path):
    """A file system of 256 KiB of its own, in a mount namespace that ends with the process."""
    script = textwrap.dedent("""
        import asyncio, hashlib, sys
        from pathlib import Path
        from services.evidence.store.folder_store import FolderStore
        from shared.errors import Unavailable

        async def main():
            root = Path(sys.argv[1])
            (root / "ballast").write_bytes(b"x" * 200_000)
            store = FolderStore(root)
            try:
                await store.write("run_1/A-1/01_t.png", b"y" * 150_000)
            except Unavailable as exc:
                print(exc.code, sorted(p.name for p in (root / "run_1/A-1").iterdir()))
            data = b"z" * 150_000
            try:
                async with store.spooled_file("run_1/A-1/02.png") as file:
                    file.write(data)
                    file.finish()
            except Unavailable as exc:
                print(exc.code, await store.names("run_1/A-1"))
            (root / "ballast").unlink()
            await store.write("run_1/A-1/01_t.png", b"y" * 50_000)
            async with store.spooled_file("run_1/A-1/02.png") as file:
                file.write(data)
                sha256 = file.finish()
                await store.store_captured("run_1/A-1/02.png", sha256, file.path)
            print(len(await store.read("run_1/A-1/01_t.png")), len(await store.read("run_1/A-1/02.png")))
            async with store.spooled_file("run_1/t.bin") as file:
                file.write(b"small")
                file.finish()
                (root / "ballast").write_bytes(b"x" * 40_000)
                await store.write_file("run_1/t.bin", file.path)  # a file that is there already needs no more room
            print(await store.read("run_1/t.bin"))
            store.close()
            print(sorted(p.name for p in root.iterdir()))

        asyncio.run(main())
    """)
    mount = f'mount -t tmpfs -o size=256k none "{tmp_path}" && exec "$0" -c "$1" "{tmp_path}"'
    command = ["unshare", "-m", "sh", "-c", mount, sys.executable, script]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except FileNotFoundError:
        pytest.skip("no unshare on this machine")
    if "denied" in ended.stderr or "not permitted" in ended.stderr:
        pytest.skip("this user may not mount a file system")
    assert ended.stdout.splitlines() == [
        "disk_full []",
        "disk_full []",
        "50000 150000",
        "b'small'",
        "['ballast', 'run_1']",
    ], ended.stderr
