"""The spool: files of a dead process are removed, those of a living one stay, and none remain at the end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from services.evidence.store.folder_store import FolderStore
from services.evidence.store.spool import Spool

HOLDS = """
import sys
from pathlib import Path

import pytest
from services.evidence.store.spool import Spool
spool = Spool(Path(sys.argv[1]))
spool.new_file().write_bytes(b"half")
print(spool.folder.name, flush=True)
sys.stdin.read()
"""


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()] if folder.exists() else []


@pytest.mark.system
def test_what_a_living_process_uses_stays_and_what_a_killed_one_left_goes(tmp_path):
    root = tmp_path / ".spool"
    command = [sys.executable, "-c", HOLDS, str(root)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        theirs = process.stdout.readline().strip()
        ours = Spool(root)
        ours.clear_leftovers()
        assert ours.folder.is_dir()
        assert names(root / theirs) != []
    finally:
        process.kill()
        process.communicate()
    assert names(root / theirs) != []
    FolderStore(tmp_path).check_usable()  # as the service does when it starts
    assert names(root) == [ours.folder.name]
    ours.close()
    assert not root.exists()


def test_it_can_be_used_again_after_it_was_closed(tmp_path):
    spool = Spool(tmp_path / ".spool")
    first = spool.folder
    spool.close()
    spool.close()
    assert spool.folder.is_dir()
    assert spool.folder != first
    spool.close()
    assert names(tmp_path) == []
