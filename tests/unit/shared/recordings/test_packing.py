"""The recorded samples of a flow as a set: packed, limited, in a folder; and hostile ones."""

from __future__ import annotations

import subprocess
import sys

import pytest

from shared.flows.workspace import SET_FILE, read_sample_set, sample_file, write_workspace
from shared.recordings.packing import (
    checked_recording,
    pack_recording,
    pack_recordings,
    unpack_recording,
    within_limits,
)
from shared.recordings.recording import Recording
from shared.zstd import pack_zstd
from tests.cases import cases
from tests.typed import there

SPEC = {"task_id": "a_task", "goal": "Read it.", "output_schema": {"status": "string"}}


AT_ONCE = """
import sys, threading
sys.setswitchinterval(1e-6)
from shared.recordings.packing import pack_recording, unpack_recording
from shared.recordings.recording import Recording
together, packed = threading.Barrier(6), sys.stdin.buffer.read()
def unpack():
    together.wait()
    unpack_recording(packed)
threads = [threading.Thread(target=unpack) for _ in range(6)]
for one in threads: one.start()
for one in threads: one.join()
"""
"""Nothing was unpacked in this process before."""


def recorded(*sample_ids: str) -> list[Recording]:
    return [Recording("run_1", one, {"sample_id": one}, ()) for one in sample_ids]


def test_those_that_a_flow_was_compiled_from_are_kept_first():
    whole = pack_recordings(SPEC, recorded("R1", "R2", "R3", "R4"), ["R4"])
    kept = within_limits(whole, most=2)
    assert [(one.sample_id, one.use) for one in kept.samples.samples] == [("R1", "held_out"), ("R4", "compiled_from")]
    assert kept.left_out == ("R2", "R3")
    assert kept.data.keys() == {one.sha256 for one in kept.samples.samples}
    largest = max(one.size_bytes for one in whole.samples.samples)
    assert within_limits(whole, largest=largest).left_out == ()
    assert within_limits(whole, most_bytes=largest - 1).samples.samples == ()


@cases("data", [b"", b"no data", pack_zstd(b"{}"), pack_zstd(b"[" * 50_000)])
def test_what_is_no_sample_is_a_value_error(data: bytes):
    with pytest.raises(ValueError, match="no recorded sample"):
        unpack_recording(data)


@pytest.mark.system
def test_threads_that_unpack_the_first_ones_at_once_do_not_end_the_process():
    ended = subprocess.run(
        [sys.executable, "-c", AT_ONCE], input=pack_recording(*recorded("R1")), capture_output=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_a_folder_says_which_samples_it_was_compiled_from(tmp_path):
    samples = recorded("R1", "../R2", "R3")
    write_workspace(tmp_path, "", {}, samples=pack_recordings(SPEC, samples, ["R1", "../R2"]))
    found = there(read_sample_set(tmp_path))
    told, read = found
    assert [one.use for one in told.samples] == ["compiled_from", "compiled_from", "held_out"]
    assert (told.spec, read) == (SPEC, samples)
    (tmp_path / "samples" / sample_file("R3")).write_bytes(b"other")
    with pytest.raises(ValueError, match="'R3' are not those"):
        read_sample_set(tmp_path)


def test_a_folder_without_a_set_says_nothing_and_a_broken_one_is_told(tmp_path):
    assert read_sample_set(tmp_path) is None
    (tmp_path / "samples").mkdir()
    (tmp_path / "samples" / SET_FILE).write_text('{"spec": {}, "samples": [{"sample_id": 1}]}')
    with pytest.raises(ValueError, match=r"samples\.json"):
        read_sample_set(tmp_path)


def test_a_sample_of_another_id_is_not_taken():
    given = pack_recordings(SPEC, recorded("R1", "R2"), [])
    first, second = given.samples.samples
    with pytest.raises(ValueError, match="not those that were kept"):
        checked_recording(first, given.data[second.sha256])
