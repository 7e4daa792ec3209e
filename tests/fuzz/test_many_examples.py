"""The other tests of this folder with more examples."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent


@pytest.mark.long
@pytest.mark.system
@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("test_*.py") if path != Path(__file__)))
def test_with_many_examples(name: str):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", str(FOLDER / name)]
    ran = subprocess.run(command, env={**os.environ, "FUZZ_EXAMPLES": "100"}, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout[-5000:]
