"""Runs the asynchronous work of a command to its end, and has a signal end it in order."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

import typer

from services.console import exits

ResultT = TypeVar("ResultT")


def run_async(work: Coroutine[Any, Any, ResultT]) -> ResultT:
    """Run the work of a command. SIGINT and SIGTERM cancel it, so that browsers and servers are stopped in order; then
    typer.Exit is raised."""
    from shared.settings import Settings  # only here: a command that is asked for its options needs none of these
    from shared.struct_types import prepare_structs
    from shared.telemetry.exporting import export_telemetry

    prepare_structs()
    try:
        settings = Settings()
        scraped = settings.http_port is not None
        with export_telemetry("console", settings.trace_file, settings.otlp_endpoint, scraped=scraped):
            return asyncio.run(_run_cancellable(work))
    except asyncio.CancelledError:
        raise typer.Exit(exits.INTERRUPTED) from None


async def _run_cancellable(work: Coroutine[Any, Any, ResultT]) -> ResultT:
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    if threading.current_thread() is threading.main_thread():  # no other one gets signals
        for sign in (signal.SIGINT, signal.SIGTERM):
            with suppress(NotImplementedError):
                loop.add_signal_handler(sign, task.cancel)
    return await task
