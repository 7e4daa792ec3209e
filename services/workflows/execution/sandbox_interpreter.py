"""Pieces of code in one namespace, in one confined process that lives as long as the namespace."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

from services.workflows.execution.parent.child_link import ChildLink
from services.workflows.execution.parent.conversation import Conversation, NeverBeganError, wire_limits
from services.workflows.execution.parent.zygote_link import ZygoteFailedError
from services.workflows.ports import Host, Limits, Outcome
from shared.contracts.workflows.invocations import WorkflowFailure

NAMES_ARE_GONE = "the names that were defined before are gone"


class SandboxInterpreter:
    """The limits of memory and of files of the first piece hold until the next `reset`; later ones may be lower."""

    def __init__(
        self,
        take: Callable[[], Awaitable[ChildLink]],
        end: Callable[[ChildLink], None],
        folder_bytes: int,
    ) -> None:
        self._take, self._end, self._folder_bytes = take, end, folder_bytes
        self._link: ChildLink | None = None
        self._running = asyncio.Lock()

    async def run(self, code: str, host: Host, limits: Limits) -> Outcome:
        async with self._running:
            had_names = self._link is not None
            try:
                link = await self._ready(limits)
            except (ZygoteFailedError, OSError) as exc:
                error = WorkflowFailure(code="not_started", type="ChildProcessError", message=str(exc))
                return Outcome(error=error)
            conversation = Conversation("", link, host, limits, self._folder_bytes)
            try:
                outcome = await conversation.run({"kind": "run", "code": code, "limits": wire_limits(limits)})
            except NeverBeganError:
                text = "its process had ended"
                error = WorkflowFailure(code="killed", type="ProcessEnded", message=text)
                outcome = Outcome(error=error)
            finally:
                if not conversation.is_over:
                    self._forget()
            if outcome.error is not None and not conversation.is_over and had_names:
                error = outcome.error
                message = f"{error.message}; {NAMES_ARE_GONE}"
                told = WorkflowFailure(code=error.code, type=error.type, message=message, traceback=error.traceback)
                return replace(outcome, error=told)
            return outcome

    async def reset(self) -> None:
        async with self._running:
            self._forget()

    async def close(self) -> None:
        self._forget()

    async def _ready(self, limits: Limits) -> ChildLink:
        if self._link is None:
            self._link = await self._take()
            await self._link.send({"kind": "interpreter", "limits": wire_limits(limits)})
        return self._link

    def _forget(self) -> None:
        link, self._link = self._link, None
        if link is not None:
            self._end(link)
