"""Performs the calls of a flow that is invoked and not run by turns: in the browser session of the invocation."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from services.workflows.ports import FlowCallSite, HostCallError, ToolContext
from shared.contracts.browser_pool import SessionLeased
from shared.contracts.workflows.flows import FlowAnswer
from shared.contracts.workflows.invocations import BrowserAccess, JsonValue
from shared.flows.files import parse_files
from shared.flows.live import LiveBus, LiveFlow

OpenSession = Callable[[ToolContext], Awaitable[BrowserAccess]]
"""Returns the session of an invocation, which is leased once. Raises HostCallError where none may be."""


class LiveFlowCalls:
    """See :class:`services.workflows.ports.FlowCalls`. The session is that of `tools.browser`, with its hosts."""

    def __init__(
        self,
        bus: LiveBus,
        open_session: OpenSession,
        context: ToolContext,
        files: Mapping[str, str],
        arguments: Mapping[str, JsonValue],
    ) -> None:
        self._bus, self._open_session, self._context = bus, open_session, context
        self._files, self._arguments = files, arguments
        self._live: LiveFlow | None = None

    async def perform(self, moment: FlowCallSite) -> FlowAnswer:
        if self._live is None:
            try:
                files = parse_files(self._files)
            except ValueError as exc:
                raise HostCallError("ValueError", f"the files of {moment.name} are damaged: {exc}") from exc
            access = await self._open_session(self._context)
            session = SessionLeased(session_id=access.session_id, instance_id=access.instance_id, browser="")
            self._live = LiveFlow(self._bus, session, files, self._arguments)
        return await self._live.answer(moment.call)


class LiveFlows:
    """Opens what performs the calls of one flow."""

    def __init__(self, bus: LiveBus, open_session: OpenSession) -> None:
        self._bus, self._open_session = bus, open_session

    def calls(
        self, context: ToolContext, files: Mapping[str, str], arguments: Mapping[str, JsonValue]
    ) -> LiveFlowCalls:
        return LiveFlowCalls(self._bus, self._open_session, context, files, arguments)
