"""Checks of a set-up: what is found, whether it will do, and what to do where it will not.

A service that needs something of the machine names its checks as ``SETUP_CHECKS`` in its ``__main__``. They run side by
side, each within its time, and change nothing.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, TypeVar

from shared.contracts.base import Part
from shared.errors import ExhibitError
from shared.settings import Settings

CheckState = Literal["ok", "warning", "problem"]
ResultT = TypeVar("ResultT")


class SetupFinding(Part, frozen=True, kw_only=True):
    """What a check has found. ``mend``: what to do about it; empty where nothing is to be done."""

    state: CheckState
    found: str
    mend: str = ""


class CheckResult(Part, frozen=True, kw_only=True):
    """A finding with the name of its check."""

    name: str
    state: CheckState
    found: str
    mend: str
    took_ms: int


@dataclass(frozen=True)
class SetupCheck:
    """``late``: what to do where it does not end within its time."""

    name: str
    run: Callable[[Settings], Awaitable[SetupFinding]]
    bound_s: float = 10.0
    late: str = "Look at what it asks, and run exhibit doctor again."


def fine(found: str) -> SetupFinding:
    return SetupFinding(state="ok", found=found)


def warning(found: str, mend: str) -> SetupFinding:
    return SetupFinding(state="warning", found=found, mend=mend)


def problem(found: str, mend: str) -> SetupFinding:
    return SetupFinding(state="problem", found=found, mend=mend)


def worst(findings: Sequence[SetupFinding], all_fine: str) -> SetupFinding:
    """Return one finding for several: the texts of the worst of them, or ``all_fine``."""
    for state in ("problem", "warning"):
        bad = [one for one in findings if one.state == state]
        if bad:
            mends = dict.fromkeys(one.mend for one in bad)
            return SetupFinding(state=state, found="; ".join(one.found for one in bad), mend=" ".join(mends))
    return fine(all_fine)


async def run_checks(checks: Sequence[SetupCheck], settings: Settings) -> list[CheckResult]:
    """Run the checks at the same time; return what they found, in their order."""
    return list(await asyncio.gather(*(_run(check, settings) for check in checks)))


async def _run(check: SetupCheck, settings: Settings) -> CheckResult:
    begun_s = time.perf_counter()
    try:
        async with asyncio.timeout(check.bound_s):
            finding = await check.run(settings)
    except TimeoutError:
        finding = problem(f"no end within {check.bound_s:g} s", check.late)
    except ExhibitError as exc:
        finding = problem(str(exc), "Do what it says.")
    except Exception as exc:  # noqa: BLE001  one check that fails must not hide what the others found
        finding = problem(f"the check itself failed: {type(exc).__name__}: {exc}", "Report it as an error of Exhibit.")
    took_ms = round((time.perf_counter() - begun_s) * 1000)
    return CheckResult(name=check.name, state=finding.state, found=finding.found, mend=finding.mend, took_ms=took_ms)


async def in_thread(work: Callable[[], ResultT]) -> ResultT:
    """Return what ``work`` returns. Unlike one of a pool, a thread that hangs does not keep the process from ending."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[ResultT] = loop.create_future()

    def finish(result: ResultT | None, error: BaseException | None) -> None:
        if done.done():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(result)  # pyright: ignore[reportArgumentType]

    def run() -> None:
        result, error = None, None
        try:
            result = work()
        except BaseException as exc:  # noqa: BLE001  it is raised where it is waited for
            error = exc
        with suppress(RuntimeError):  # nobody waits any more
            loop.call_soon_threadsafe(finish, result, error)

    threading.Thread(target=run, daemon=True, name="setup-check").start()
    return await done
