from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from typing import Any

import pytest

from services.workflows.execution.in_process.threads import CodeThread, InterruptedCode
from services.workflows.ports import Limits
from tests.handlers.workflows.execution.worlds import PAST_LIMIT_S, World
from tests.loop_clock import LoopClock
from tests.waiting import until

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_it_says_that_it_protects_from_nothing(trusted: World):
    told = trusted.executor.protections
    assert (told.processes, told.network, told.files, told.system_calls) == (False, False, False, False)
    assert "use it for trusted code only" in told.missing[0]


async def test_code_that_runs_beyond_its_time_is_interrupted(trusted: World, clock: LoopClock):
    threads: list[threading.Thread] = []

    def begun(given: Mapping[str, Any]) -> None:
        threads.extend(one for one in threading.enumerate() if one.ident == given["ident"])
        clock.skip(PAST_LIMIT_S)

    trusted.answers["tools.thread"] = begun
    source = """
        import threading
        def run():
            tools.thread(ident=threading.get_ident())
            while True:
                try:
                    while True:
                        pass
                except Exception:
                    pass
    """
    failure = await trusted.failure(source, limits=Limits(time_s=20))
    assert failure.code == "timeout"
    (thread,) = threads
    await asyncio.to_thread(until, lambda: not thread.is_alive(), "the thread has ended")
    assert await trusted.value("def run():\n    return 1") == 1


async def test_a_thread_that_waits_for_the_host_is_interrupted(
    trusted: World, clock: LoopClock, monkeypatch: pytest.MonkeyPatch
):
    ended = threading.Event()
    monkeypatch.setattr(threading, "ended", ended, raising=False)
    source = (
        "import threading\ndef run():\n    try:\n        tools.forever()\n    finally:\n        threading.ended.set()"
    )
    running = asyncio.create_task(trusted.failure(source, limits=Limits(time_s=20)))
    await trusted.asked.wait()
    clock.skip(PAST_LIMIT_S)
    assert (await running).code == "timeout"
    assert await asyncio.to_thread(ended.wait, 60)


async def test_a_call_that_is_made_when_the_time_is_up_is_cancelled(
    trusted: World, clock: LoopClock, monkeypatch: pytest.MonkeyPatch
):
    given_up = threading.Event()

    def handed_over_late(*call: Any) -> Any:
        made = begin_call(*call)
        given_up.wait(60)
        return made

    begin_call = asyncio.run_coroutine_threadsafe
    monkeypatch.setattr(asyncio, "run_coroutine_threadsafe", handed_over_late)
    before = asyncio.all_tasks()
    running = asyncio.create_task(trusted.failure("def run():\n    tools.forever()", limits=Limits(time_s=20)))
    await trusted.asked.wait()
    (call,) = asyncio.all_tasks() - before - {running}
    clock.skip(PAST_LIMIT_S)
    assert (await running).code == "timeout"
    given_up.set()
    await asyncio.wait([call], timeout=60)
    assert call.cancelled()


async def test_output_goes_to_the_invocation_that_prints(trusted: World):
    source = "def run(number):\n    print(number)\n    tools.wait()\n    print(number)"
    trusted.answers["tools.wait"] = lambda _: None
    outcomes = await asyncio.gather(*(trusted.run(source, number=number) for number in range(20)))
    assert [(one.error, one.stdout) for one in outcomes] == [(None, f"{number}\n{number}\n") for number in range(20)]


async def test_a_task_that_was_left_behind_ends_with_the_invocation(trusted: World):
    trusted.answers["tools.late"] = lambda _: None
    source = """
        import asyncio
        async def forever():
            try:
                await asyncio.Event().wait()
            finally:
                tools.late()
        async def run():
            asyncio.ensure_future(forever())
            await asyncio.sleep(0)
            return "result"
    """
    assert await trusted.value(source) == "result"
    assert [call.method for call in trusted.calls] == ["late"]


async def test_a_loop_whose_closing_was_interrupted_is_closed_with_its_thread(monkeypatch: pytest.MonkeyPatch):
    loops: list[asyncio.AbstractEventLoop] = []
    close = asyncio.Runner.close

    def interrupted(runner: asyncio.Runner) -> None:
        loops.append(runner.get_loop())
        monkeypatch.setattr(asyncio.Runner, "close", close)
        raise InterruptedCode

    async def fail() -> None:
        raise ValueError

    monkeypatch.setattr(asyncio.Runner, "close", interrupted)
    thread = CodeThread(lambda _: False)
    thread.begin(lambda: thread.wait_for(fail()))
    await asyncio.to_thread(thread._thread.join, 60)
    assert [loop.is_closed() for loop in loops] == [True]
