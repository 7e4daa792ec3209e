"""What workflow code may rely on, whichever executor runs it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from services.workflows.ports import HostCallError, Limits
from tests.handlers.workflows.execution.worlds import PAST_LIMIT_S, World, raises
from tests.loop_clock import LoopClock

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_value_and_what_was_printed(world: World):
    outcome = await world.run(
        """
        def run(name="World"):
            print("greeting", name)
            return {"text": f"Hello, {name}!", "pair": (1, 2.5), "nothing": None}
        """
    )
    assert outcome.is_ok
    assert outcome.value == {"text": "Hello, World!", "pair": [1, 2.5], "nothing": None}
    assert outcome.stdout == "greeting World\n"


async def test_an_async_workflow_may_await_calls_or_not(world: World):
    world.answers["tools.curl.get"] = lambda given: given["url"]
    world.add("double", "def run(number):\n    return number * 2")
    value = await world.value(
        """
        import asyncio

        async def run():
            await asyncio.sleep(0)
            plain = tools.curl.get(url="a")
            awaited = await tools.curl.get(url="b")
            return [plain, awaited, await workflows.invoke("double", number=4), workflows.invoke("double", number=5)]
        """
    )
    assert value == ["a", "b", 8, 10]


async def test_a_sync_workflow_may_run_an_event_loop(world: World):
    world.add("slow", "import asyncio\nasync def run():\n    await asyncio.sleep(0)\n    return 'slept'")
    value = await world.value(
        """
        import asyncio

        async def both():
            return [await workflows.invoke("slow"), workflows.invoke("slow")]

        def run():
            return asyncio.run(both())
        """
    )
    assert value == ["slept", "slept"]


async def test_calls_reach_the_host_as_they_were_made(world: World):
    for name in ("tools.list", "tools.fetch", "workflows.search", "workflows.create", "artifacts.save"):
        world.answers[name] = lambda given: sorted(given)
    world.answers["artifacts.load"] = lambda _: {"kind": "bytes", "base64": "AAE="}
    await world.value(
        """
        def run():
            tools.list()
            tools.fetch(url="u", name="n")
            workflows.search("fetch json", limit=3)
            workflows.create(name="one", source="def run(): pass")
            artifacts.save("a.bin", b"\\x00\\x01")
            assert artifacts.load("a.bin") == b"\\x00\\x01"
        """
    )
    assert [(call.namespace, call.method, dict(call.arguments)) for call in world.calls] == [
        ("tools", "list", {}),
        ("tools", "fetch", {"url": "u", "name": "n"}),
        ("workflows", "search", {"query": "fetch json", "limit": 3}),
        ("workflows", "create", {"name": "one", "source": "def run(): pass", "description": ""}),
        (
            "artifacts",
            "save",
            {"name": "a.bin", "data": {"kind": "bytes", "base64": "AAE="}, "description": "", "media_type": None},
        ),
        ("artifacts", "load", {"name": "a.bin"}),
    ]


async def test_the_name_of_the_workflow_takes_no_name_from_its_parameters(world: World):
    world.add("echo", "def run(name, workflow_name, self):\n    return [name, workflow_name, self]")
    value = await world.value(
        "def run():\n    return workflows.invoke('echo@0123abcd', name='a', workflow_name='b', self='c')"
    )
    assert value == ["a", "b", "c"]
    assert world.calls[0].arguments["hash"] == "0123abcd"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "sample() missing 1 required positional argument: 'url'"),
        ({"url": "u", "depth": 1}, "sample() got an unexpected keyword argument 'depth'"),
    ],
)
async def test_wrong_arguments_give_pythons_own_error_with_the_workflows_name(
    world: World, arguments: dict[str, Any], message: str
):
    failure = await world.failure("def run(url, timeout=30):\n    pass", **arguments)
    assert (failure.code, failure.type, failure.message) == ("raised", "TypeError", message)


async def test_a_traceback_shows_the_workflows_own_lines_only(world: World):
    failure = await world.failure(
        """
        import json

        def parse(text):
            return json.loads(text)

        def run():
            try:
                return parse("{")
            except ValueError as exc:
                raise RuntimeError("not JSON") from exc
        """
    )
    assert (failure.code, failure.type, failure.message) == ("raised", "RuntimeError", "not JSON")
    assert 'File "sample.py", line 5, in parse' in failure.traceback
    assert "return json.loads(text)" in failure.traceback
    assert 'File "sample.py", line 11, in run' in failure.traceback
    assert "The above exception was the direct cause" in failure.traceback
    assert "/" not in failure.traceback
    assert failure.chain == ("sample",)


async def test_a_line_after_an_await_has_its_own_number(world: World):
    failure = await world.failure(
        """
        async def run():
            value = await (
                tools.nothing()
                if False
                else 1
            )
            return value / 0
        """
    )
    assert "line 8, in run\n    return value / 0" in failure.traceback


async def test_what_does_not_parse_says_where(world: World):
    failure = await world.failure("text = '\ud800'\ndef run():\n    return 1")
    assert failure.type == "SyntaxError"
    failure = await world.failure("def run(:\n    pass")
    assert failure.type == "SyntaxError"
    assert 'File "sample.py", line 1' in failure.traceback


async def test_a_failed_call_raises_the_built_in_exception_of_its_type(world: World):
    world.answers["tools.fetch"] = raises(HostCallError("ValueError", "no host"))
    world.answers["tools.parse"] = raises(HostCallError("JSONDecodeError", "line 1"))
    world.answers["tools.decode"] = raises(HostCallError("UnicodeDecodeError", "bad byte"))
    world.answers["tools.stop"] = raises(HostCallError("SystemExit", "bye"))
    value = await world.value(
        """
        def told(call):
            try:
                call()
            except Exception as exc:
                return [isinstance(exc, RuntimeError), type(exc).__name__, str(exc)]

        def run():
            return [told(tools.fetch), told(tools.parse), told(tools.decode), told(tools.stop)]
        """
    )
    assert value == [
        [False, "ValueError", "no host"],
        [True, "WorkflowError", "JSONDecodeError: line 1"],
        [True, "WorkflowError", "UnicodeDecodeError: bad byte"],
        [True, "WorkflowError", "SystemExit: bye"],
    ]


async def test_a_failed_workflow_is_seen_through_all_that_invoked_it(world: World):
    world.add("inner", "def run(of):\n    return 1 / of")
    world.add("middle", "def run():\n    return workflows.invoke('inner', of=0)")
    failure = await world.failure("def run():\n    return workflows.invoke('middle')")
    assert (failure.code, failure.type, failure.message) == ("raised", "ZeroDivisionError", "division by zero")
    assert failure.chain == ("sample", "middle", "inner")
    assert 'File "inner.py", line 2, in run\n    return 1 / of' in failure.traceback
    assert "In middle > inner:" in failure.traceback


async def test_a_value_that_is_no_json_is_refused_with_its_path(world: World):
    failure = await world.failure("def run():\n    return {'rows': [1, {'at': float('nan')}]}")
    assert failure.code == "bad_value"
    assert failure.message == "run() returned the number nan at ['rows'][1]['at']; return JSON values"


async def test_values_beyond_the_limit_are_refused(world: World):
    limits = Limits(time_s=20, value_bytes=1000)
    failure = await world.failure("def run():\n    return 'x' * 999", limits=limits)
    assert failure.code == "bad_value"
    assert "1,001 bytes of JSON, and the limit is 1,000" in failure.message
    failure = await world.failure("def run(text):\n    return 1", text="x" * 2000, limits=limits)
    assert failure.code == "bad_value"
    failure = await world.failure("def run():\n    tools.fetch(url='x' * 2000)", limits=limits)
    assert (failure.code, failure.type) == ("raised", "ValueError")
    world.answers["tools.fetch"] = lambda _: "x" * 2000
    failure = await world.failure("def run():\n    tools.fetch()", limits=limits)
    assert (failure.type, failure.message) == (
        "ValueError",
        "tools.fetch() answered 2,002 bytes of JSON, and the limit is 1,000",
    )


async def test_an_argument_of_a_call_that_is_no_json_is_refused_with_its_path(world: World):
    failure = await world.failure("def run():\n    tools.fetch(headers={'a': {1}})")
    assert (failure.type, failure.message) == (
        "TypeError",
        "tools.fetch() got a set at ['headers']['a']; pass JSON values",
    )
    assert world.calls == []


async def test_what_was_printed_before_the_time_was_over_is_kept(world: World, clock: LoopClock):
    world.answers["tools.wait"] = lambda _: clock.skip(PAST_LIMIT_S)
    source = "def run():\n    print('begun')\n    tools.wait()\n    while True: pass"
    outcome = await world.run(source, limits=Limits(time_s=20))
    assert outcome.error is not None
    assert (outcome.error.code, outcome.error.message) == ("timeout", "it did not end within 20 s")
    assert outcome.stdout == "begun\n"


async def test_time_is_also_over_while_the_host_is_asked(world: World, clock: LoopClock):
    running = asyncio.create_task(world.failure("def run():\n    tools.forever()", limits=Limits(time_s=20)))
    await world.asked.wait()
    clock.skip(PAST_LIMIT_S)
    assert (await running).code == "timeout"


async def test_output_beyond_the_limit_is_dropped_and_a_last_line_says_so(world: World):
    outcome = await world.run(
        "def run():\n    for number in range(1000):\n        print('0123456789')\n    return 1",
        limits=Limits(time_s=20, output_chars=25),
    )
    assert outcome.value == 1
    assert outcome.stdout == "0123456789\n0123456789\n012\n[output beyond 25 characters was dropped]\n"


async def test_each_invocation_has_a_fresh_namespace(world: World):
    source = "seen = []\ndef run():\n    seen.append(1)\n    return len(seen)"
    assert [await world.value(source) for _ in range(3)] == [1, 1, 1]


async def test_leaving_by_sys_exit_is_a_failure(world: World):
    failure = await world.failure("import sys\ndef run():\n    sys.exit('enough')")
    assert (failure.code, failure.type, failure.message) == ("raised", "SystemExit", "enough")


async def test_a_fault_of_the_host_is_told_without_its_details(world: World):
    world.answers["tools.fetch"] = raises(ZeroDivisionError("secret"))
    failure = await world.failure("def run():\n    tools.fetch()")
    assert failure.type == "RuntimeError"
    assert "secret" not in failure.message + failure.traceback


async def test_many_run_side_by_side_and_none_is_lost(world: World):
    world.add("plus", "def run(number):\n    return number + 1")
    source = "def run(number):\n    return workflows.invoke('plus', number=number)"
    values = await asyncio.gather(*(world.value(source, number=number) for number in range(20)))
    assert values == [number + 1 for number in range(20)]


async def test_what_is_cancelled_ends(world: World):
    task = asyncio.create_task(world.run("def run():\n    tools.forever()"))
    await world.asked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await world.value("def run():\n    return 1") == 1
