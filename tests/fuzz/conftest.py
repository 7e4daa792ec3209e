"""Fixtures of the fuzz tests."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

MEMORY = Path("/dev/shm")  # folders in it are made by mkdtemp, for this user alone


@pytest.fixture
def ram_path(tmp_path: Path) -> Iterator[Path]:
    """A folder whose files are in memory, where the system has one. Thousands of fsyncs take minutes on a slow disk."""
    folder = Path(tempfile.mkdtemp(dir=MEMORY)) if os.access(MEMORY, os.W_OK) else tmp_path
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
