"""Classes of structs are prepared before threads decode them."""

from __future__ import annotations

import subprocess
import sys

import pytest

AT_ONCE = """
import sys, threading
from datetime import UTC, datetime
sys.setswitchinterval(1e-6)
import msgspec
from shared.contracts.actions import Goto
from shared.contracts.results import ActionResult, Change, Navigated
from shared.contracts.steps import StepTaken
from shared.struct_types import prepare_structs
if sys.argv[1] == "prepared":
    prepare_structs()
together = threading.Barrier(6)
now = datetime.now(UTC)
result = ActionResult(ok=True, code="ok", message="", change=Change(url_before="", url_after=""),
                      effect=Navigated(url="http://site/", http_status=200))
written = msgspec.json.encode(StepTaken(
    run_id="run_1", sample_id="A-1", attempt=1, step=1, started_at=now, ended_at=now, observation=None,
    decided_by="rules", action=Goto(url="http://site/", reason=""), result=result))
def decode():
    together.wait()
    msgspec.json.decode(written, type=StepTaken)
threads = [threading.Thread(target=decode) for _ in range(6)]
for one in threads: one.start()
for one in threads: one.join()
"""


@pytest.mark.system
def test_threads_that_decode_a_class_for_the_first_time_at_once_do_not_end_the_process():
    ended = subprocess.run([sys.executable, "-c", AT_ONCE, "prepared"], capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")
