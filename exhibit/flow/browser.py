"""A browser session for a flow that runs on its own: on the bus in the settings, or on one in this process."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from exhibit.flow.live_thread import AnswersCalls
from exhibit.flow.workspace import FlowFolder
from shared.flows.live import LiveFlow
from shared.host.connections import ManualSessionTerms, open_pool_session
from shared.settings import Settings


@asynccontextmanager
async def open_live_browser(folder: FlowFolder) -> AsyncGenerator[AnswersCalls]:
    """Lease a session that may open the hosts of the flow's variables, and type the secrets that its code names."""
    hosts = folder.hosts()
    terms = ManualSessionTerms(url="", allow=hosts, secrets=folder.secrets())
    folder.captured.mkdir(parents=True, exist_ok=True)
    async with open_pool_session(Settings(), terms) as session:
        variables = folder.read_variables()
        yield LiveFlow(session.bus, session.lease, folder.read_files(), variables, folder=folder.captured)
