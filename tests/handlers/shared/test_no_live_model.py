"""No test reaches a live model, whatever key the machine it runs on has."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from shared.errors import Unavailable
from shared.models.client import ModelClient
from shared.settings import Settings

ROOT = Path(__file__).parents[3]
KEYS = "from shared.settings import Settings as S; s = S(); print(s.anthropic_api_key, s.anthropic_base_url)"
ELSEWHERE = "192.0.2.1"  # RFC 5737: an address that is nobody's


async def test_a_model_without_an_endpoint_of_its_own_is_not_reached():
    model = ModelClient(api_key="k", base_url=None, model="m", max_output_tokens=1, max_retries=0)
    with pytest.raises(Unavailable) as caught:
        await model.ask([], "?", [])
    await model.aclose()
    assert (caught.value.code, "127.0.0.1" in str(caught.value)) == ("model_unreachable", True)


async def test_another_machine_is_not_connected_to():
    with pytest.raises(RuntimeError, match="only this machine"):
        await asyncio.open_connection(ELSEWHERE, 443)


@pytest.mark.system
def test_the_key_of_this_machine_is_no_key_here_and_of_no_use_to_processes_that_tests_start(tmp_path, monkeypatch):
    assert Settings().anthropic_api_key is None
    (tmp_path / ".env").write_text("ANTHROPIC_API_KEY=k\nANTHROPIC_BASE_URL=https://api.example\n")
    monkeypatch.chdir(tmp_path)
    assert Settings().anthropic_api_key is None
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    told = subprocess.run([sys.executable, "-c", KEYS], capture_output=True, text=True, env=env, check=True).stdout
    assert told.split() == ["**********", "http://127.0.0.1:9"]
