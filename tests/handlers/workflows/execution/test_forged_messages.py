"""Workflow code that writes to its connection to the service itself."""

from __future__ import annotations

import asyncio
import json

import pytest

from services.workflows.ports import Limits
from tests.handlers.workflows.execution.worlds import PAST_LIMIT_S, World
from tests.loop_clock import LoopClock
from tests.waiting import until

pytestmark = [pytest.mark.system, pytest.mark.asyncio(loop_scope="session")]

FORGE = """
import json, os, struct, time
def send(data):
    if not isinstance(data, bytes):
        data = json.dumps(data).encode()
    data = struct.pack(">I", len(data)) + data
    while data:
        data = data[os.write(3, data):]
def wait():
    while True:
        time.sleep(1)
"""


async def forged(world: World, *lines: str, limits: Limits | None = None) -> str:
    """Return the message of the failure that a workflow of these lines, which then waits, comes to."""
    body = "\n    ".join((*lines, "wait()"))
    failure = await world.failure(f"{FORGE}\ndef run():\n    {body}", limits=limits or Limits(time_s=20))
    assert failure.code == "refused", failure
    return failure.message


@pytest.mark.parametrize(
    "message",
    [
        "b'no JSON'",
        "b'\\x80\\x04\\x95'",
        "b'[1]'",
        "b'NaN'",
        'b\'{"kind": "done", "value": NaN}\'',
        'b\'{"kind": "done", "value": 1e999}\'',
        'b\'{"kind": "done", "value": \' + b"9" * 5000 + b"}"',
        'b\'{"kind": "done", "value": \' + b"[" * 100000 + b"]" * 100000 + b"}"',
        'b\'{"kind": "done", "value": "\\\\ud800"}\'',
        "b''",
        "{'kind': 'unknown'}",
        "{'kind': 'began'}",
        "{'kind': ['done']}",
        "{'kind': 'out', 'text': 1}",
        "{'kind': 'call', 'namespace': 'os', 'method': 'system', 'arguments': {}}",
        "{'kind': 'call', 'namespace': 'tools', 'method': 'x', 'arguments': [1]}",
        "{'kind': 'call', 'namespace': 'tools', 'method': None, 'arguments': {}}",
        "{'kind': 'call', 'namespace': 'tools'}",
    ],
)
async def test_a_message_of_no_known_form_ends_the_workflow(sandbox: World, message: str):
    assert "it wrote to its connection to the service" in await forged(sandbox, f"send({message})")
    assert sandbox.calls == []


async def test_a_pickle_is_never_loaded(sandbox: World):
    source = "import pickle, os\nclass Evil:\n    def __reduce__(self):\n        return os.system, ('true',)\n"
    failure = await sandbox.failure(source + "def run():\n    return Evil()")
    assert failure.code == "bad_value"
    failure = await sandbox.failure(source + "def run():\n    tools.fetch(of=pickle.dumps(Evil()))")
    assert failure.type == "TypeError"


async def test_sizes_are_bounded(sandbox: World):
    limits = Limits(time_s=20, value_bytes=1000, file_bytes=100_000)
    told = [
        await forged(sandbox, "os.write(3, struct.pack('>I', 2**31))", limits=limits),
        await forged(sandbox, "send({'kind': 'done', 'value': 'x' * 2000})", limits=limits),
        await forged(
            sandbox,
            "send({'kind': 'call', 'namespace': 'tools', 'method': 'x', 'arguments': {'a': 'x' * 9000}})",
            limits=limits,
        ),
    ]
    assert told == [
        "it wrote to its connection to the service: a message of 2,147,483,648 bytes",
        "it wrote to its connection to the service: a value that is too large",
        "it wrote to its connection to the service: a call that is too large",
    ]
    assert sandbox.calls == []


async def test_a_large_message_of_many_small_values_is_not_read(sandbox: World):
    line = "send(b'{\"kind\": \"call\", \"arguments\": [' + b'[],' * 3_000_000 + b'1]}')"
    assert "bytes in small pieces" in await forged(sandbox, line)


@pytest.mark.parametrize("text", ["x" * 1000, ""])
async def test_a_flood_of_output_ends_the_workflow(sandbox: World, text: str):
    lines = ("while True:", f"    send({{'kind': 'out', 'text': {text!r}}})")
    limits = Limits(time_s=60, output_chars=1000)
    assert "more output than there may be" in await forged(sandbox, *lines, limits=limits)


async def test_a_forged_result_is_its_own_and_no_more(sandbox: World):
    lines = "for value in ('forged', 2):\n        send(dict(kind='done', value=value))\n    wait()"
    source = f"{FORGE}\ndef run():\n    {lines}"
    values = await asyncio.gather(sandbox.value(source), sandbox.value("def run():\n    return 'own'"))
    assert values == ["forged", "own"]
    await asyncio.to_thread(until, lambda: sandbox.running == 0, "the process has ended")


async def test_a_forged_failure_says_no_more_than_a_workflow_may(sandbox: World):
    failure = {"kind": "failed", "code": "timeout", "type": ["x"], "message": "m" * 10**5, "traceback": 1, "call": 7}
    source = f"{FORGE}\ndef run():\n    send(json.loads({json.dumps(failure)!r}))\n    wait()"
    told = await sandbox.failure(source)
    assert (told.code, told.type, told.chain) == ("raised", "['x']", ("sample",))
    assert len(told.message) == 40_000


async def test_replaced_parts_of_its_own_side_change_nothing_for_others(sandbox: World):
    source = """
import sys
def run():
    for name, module in list(sys.modules.items()):
        if name.startswith("services."):
            for attribute in list(vars(module)):
                if callable(getattr(module, attribute)):
                    setattr(module, attribute, None)
    return 1
"""
    outcome = await sandbox.run(source)
    assert outcome.error is None or outcome.error.code in {"raised", "killed", "bad_value"}
    assert await sandbox.value("def run():\n    return 'fine'") == "fine"


async def test_one_that_closes_its_connection_is_ended(sandbox: World):
    failure = await sandbox.failure(f"{FORGE}\ndef run():\n    os.close(3)\n    wait()")
    assert (failure.code, failure.message) == ("killed", "it closed its connection to the service and ran on")
    await asyncio.to_thread(until, lambda: sandbox.running == 0, "the process has ended")


async def test_half_a_message_is_waited_for_until_its_time_is_over(sandbox: World):
    failure = await sandbox.failure(
        f"{FORGE}\ndef run():\n    os.write(3, b'\\0\\0')\n    wait()", limits=Limits(time_s=0.2)
    )
    assert failure.code == "timeout"


@pytest.mark.parametrize("answer", [None, "x" * 600_000], ids=["small", "large"])
async def test_a_flood_of_calls_whose_answers_it_does_not_read_holds_up_nobody(
    sandbox: World, clock: LoopClock, answer: str | None
):
    sandbox.answers["tools.much"] = lambda _: answer
    flood = "send({'kind': 'call', 'namespace': 'tools', 'method': 'much', 'arguments': {}})"
    source = f"{FORGE}\ndef run():\n    while True:\n        {flood}"
    flooding = asyncio.create_task(sandbox.run(source, limits=Limits(time_s=20)))
    await sandbox.asked.wait()
    assert await sandbox.value("def run():\n    return 1") == 1
    clock.skip(PAST_LIMIT_S)
    outcome = await flooding
    assert outcome.error is not None
    assert outcome.error.code == "timeout"
