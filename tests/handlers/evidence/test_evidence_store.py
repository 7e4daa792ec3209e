"""The folder store: the common suite, links that lead out, and a disk that is full in earnest."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from store_suite import StoreSuite

from services.evidence.adapters import folder_store
from services.evidence.adapters.folder_store import FolderStore
from shared.errors import PolicyDenied, Unavailable


class TestFolderStore(StoreSuite):
    @pytest.fixture
    def store(self, tmp_path: Path) -> FolderStore:
        return FolderStore(tmp_path / "evidence")


async def test_a_link_inside_does_not_lead_out(tmp_path):
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / "run_1").symlink_to(tmp_path)
    with pytest.raises(PolicyDenied):
        await FolderStore(tmp_path / "evidence").write("run_1/x", b"")


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
    monkeypatch.setattr(folder_store.os, "fdopen", fail)
    with pytest.raises(Unavailable, match="6 bytes" if code else str(tmp_path)) as caught:
        await store.write("run_1/A-1/x", b"after!")
    assert code is None or caught.value.code == code
    assert [key for key, _ in told] == ["run_1/A-1/x"]
    assert await store.read("run_1/A-1/x") == b"before"
    assert [path.name for path in (tmp_path / "run_1" / "A-1").iterdir()] == ["x"]


def test_on_a_full_disk_nothing_is_lost_and_it_goes_on_when_there_is_room(tmp_path):
    """A file system of 256 KiB of its own, in a mount namespace that ends with the process."""
    script = textwrap.dedent("""
        import asyncio, sys
        from pathlib import Path
        from services.evidence.adapters.folder_store import FolderStore
        from shared.errors import Unavailable

        async def main():
            root = Path(sys.argv[1])
            (root / "ballast").write_bytes(b"x" * 200_000)
            store = FolderStore(root)
            try:
                await store.write("run_1/A-1/01_t.png", b"y" * 150_000)
            except Unavailable as exc:
                print(exc.code, sorted(p.name for p in (root / "run_1/A-1").iterdir()))
            (root / "ballast").unlink()
            await store.write("run_1/A-1/01_t.png", b"y" * 150_000)
            print(len(await store.read("run_1/A-1/01_t.png")))

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
    assert ended.stdout.splitlines() == ["disk_full []", "150000"], ended.stderr
