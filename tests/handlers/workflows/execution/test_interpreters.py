"""Pieces of code in one namespace, by both executors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from textwrap import dedent
from typing import Any

import pytest
import pytest_asyncio

from services.workflows.ports import Interpreter, Limits, Outcome
from shared.contracts.workflows.invocations import WorkflowFailure
from tests.handlers.workflows.execution.worlds import LIMITS, PAST_LIMIT_S, World, WorldHost
from tests.loop_clock import LoopClock

pytestmark = pytest.mark.asyncio(loop_scope="session")


class Pieces:
    def __init__(self, world: World, interpreter: Interpreter) -> None:
        self.world, self.interpreter = world, interpreter

    async def run(self, code: str, limits: Limits = LIMITS) -> Outcome:
        return await self.interpreter.run(dedent(code), WorldHost(self.world), limits)

    async def failure(self, code: str, limits: Limits = LIMITS) -> WorkflowFailure:
        outcome = await self.run(code, limits)
        assert outcome.error is not None, outcome
        return outcome.error

    async def value(self, code: str) -> Any:
        outcome = await self.run(code)
        assert outcome.error is None, outcome.error
        return outcome.value


@pytest_asyncio.fixture(loop_scope="session")
async def pieces(world: World) -> AsyncGenerator[Pieces]:
    interpreter = await world.executor.open_interpreter()
    yield Pieces(world, interpreter)
    await interpreter.close()


async def test_names_live_on_and_the_last_expression_is_the_value(pieces: Pieces):
    assert await pieces.value("import math\ncount = 2") is None
    assert await pieces.value("count += 1\ncount * math.floor(2.5)") == 6
    assert await pieces.value("def double(number):\n    return number * 2") is None
    assert await pieces.value("double(count)") == 6
    assert await pieces.value("for _ in range(2): pass") is None
    assert await pieces.value("") is None


async def test_a_piece_may_await(pieces: Pieces):
    pieces.world.add("greet", "def run(name='World'):\n    return f'Hello, {name}!'")
    assert await pieces.value("import asyncio\nawait asyncio.sleep(0, 'slept')") == "slept"
    assert await pieces.value("await workflows.invoke('greet')") == "Hello, World!"
    assert await pieces.value("workflows.invoke('greet', name='you')") == "Hello, you!"
    assert await pieces.value("text = await workflows.invoke('greet')\ntext.upper()") == "HELLO, WORLD!"
    assert await pieces.value("async def other():\n    return 1\nasyncio.run(other())") == 1


async def test_tasks_of_a_piece_are_there_in_the_next(pieces: Pieces):
    await pieces.value(
        """
        import asyncio
        async def later():
            await asyncio.sleep(0)
            return "late"
        task = asyncio.ensure_future(later())
        await asyncio.sleep(0)
        """
    )
    assert await pieces.value("await task") == "late"


async def test_an_error_keeps_the_names_and_shows_the_lines_of_all_pieces(pieces: Pieces):
    await pieces.value("kept = 1\ndef fail():\n    raise ValueError('no')")
    outcome = await pieces.run("print('so far')\nfail()")
    assert outcome.error is not None
    assert (outcome.error.code, outcome.error.message, outcome.error.chain) == ("raised", "no", ())
    assert "    fail()\n" in outcome.error.traceback
    assert "    raise ValueError('no')\n" in outcome.error.traceback
    assert outcome.stdout == "so far\n"
    assert await pieces.value("kept") == 1


async def test_what_does_not_parse_runs_not_at_all(pieces: Pieces):
    assert (await pieces.failure("early = 1\nelse")).type == "SyntaxError"
    assert await pieces.value("'early' in globals()") is False


async def test_a_last_expression_that_is_no_json_is_said_and_the_names_are_kept(pieces: Pieces):
    error = await pieces.failure("found = {1}\nfound")
    assert (error.code, error.message) == ("bad_value", "the last expression is a set; return JSON values")
    assert await pieces.value("sorted(found)") == [1]


async def test_reset_forgets(pieces: Pieces):
    await pieces.value("kept = 1")
    await pieces.interpreter.reset()
    assert await pieces.value("'kept' in globals()") is False
    assert await pieces.value("tools is not None") is True


async def test_after_its_time_is_over_the_names_are_gone_and_it_says_so(pieces: Pieces, clock: LoopClock):
    await pieces.value("kept = 1")
    pieces.world.answers["tools.wait"] = lambda _: clock.skip(PAST_LIMIT_S)
    outcome = await pieces.run("print('begun')\ntools.wait()\nwhile True: pass", Limits(time_s=20))
    assert outcome.error is not None
    assert outcome.error.code == "timeout"
    assert outcome.error.message == "it did not end within 20 s; the names that were defined before are gone"
    assert outcome.stdout == "begun\n"
    assert await pieces.value("'kept' in globals()") is False


async def test_pieces_run_one_after_the_other(pieces: Pieces):
    await pieces.value("count = 0")
    await asyncio.gather(*(pieces.value("count += 1") for _ in range(5)))
    assert await pieces.value("count") == 5


@pytest.mark.system
async def test_a_process_that_ends_is_replaced(sandbox: World):
    pieces = Pieces(sandbox, await sandbox.executor.open_interpreter())
    await pieces.value("kept = 1")
    error = await pieces.failure("import os\nos._exit(0)")
    assert error.code == "killed"
    assert "the names that were defined before are gone" in error.message
    assert await pieces.value("'kept' in globals()") is False
    await pieces.interpreter.close()


@pytest.mark.system
async def test_memory_that_it_ran_out_of_is_said(sandbox: World):
    pieces = Pieces(sandbox, await sandbox.executor.open_interpreter())
    assert (await pieces.failure("bytearray(10**9)", Limits(time_s=20, memory_bytes=200 * 1024**2))).code == "memory"
    await pieces.interpreter.close()
