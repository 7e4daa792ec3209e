"""Output that is longer than its pipe, which standard error shares and a child made non-blocking."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shared_pipe import SharedPipe

pytestmark = pytest.mark.system

KEYS = 3000
"""Each unknown key is a problem, so the answer is some hundred KiB."""


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "spec.json"
    path.write_text(json.dumps({f"unknown_{n}": n for n in range(KEYS)}))
    return path


def validate(spec: Path, pipe: SharedPipe) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "services.console", "validate", str(spec), "--json"]
    return pipe.start(command, dict(os.environ))


def test_nothing_is_lost_when_the_reader_is_slow_and_the_pipe_does_not_block(spec: Path) -> None:
    with SharedPipe(blocks=False) as pipe:
        process = validate(spec, pipe)
        pipe.wait_until_full()
        told = json.loads(pipe.read())
    assert process.wait() == 2
    assert {f"spec.unknown_{n}" for n in range(KEYS)} <= {problem["where"] for problem in told["problems"]}


def test_a_reader_that_goes_away_ends_the_command(spec: Path) -> None:
    with SharedPipe(blocks=False) as pipe:
        process = validate(spec, pipe)
        pipe.wait_until_full()
    assert process.wait(timeout=60) != 0
