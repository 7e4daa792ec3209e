"""Performs the calls of one flow in one leased browser session, over the bus: for flows that run outside of a run."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from shared.actions.table import changes_page, facts_of_call
from shared.bus.ports import Asks, Blobs
from shared.contracts.actions import BrowserAction, Wait
from shared.contracts.browser_pool import ActOnPage, ObservePage, PageObserved, SessionLeased
from shared.contracts.error_codes import may_have_fired
from shared.contracts.results import ActionResult, Artifact
from shared.contracts.workflows.flows import FlowAnswer, FlowCall, ReadFields, SetOutput
from shared.evidence_format.layout import artifact_filename
from shared.flows.answering import FlowContext, Perform, readings_of
from shared.flows.asked import asked_in, named_so_far, with_searched
from shared.flows.files import FlowFiles
from shared.flows.identifiers import to_identifier
from shared.flows.reading import LocatedReading
from shared.flows.turns import Answered, PerformAction, TurnStep, begin_call, next_step
from shared.streams import ARTIFACTS
from shared.subjects import ACT, OBSERVE
from shared.task.typed_values import as_shown

OBSERVE_TIMEOUT_S = 60.0
ACT_TIMEOUT_S = 120.0
OBSERVE_TOKENS = 96_000
"""All of a page: an element that was left out could not be told from one that is missing."""


class LiveBus(Asks, Blobs, Protocol):
    """The bus: requests, and the files that come of them."""


@dataclass(frozen=True)
class LiveStep:
    """An action of a flow, with what came of it."""

    action: BrowserAction
    result: ActionResult

    @property
    def may_have_fired(self) -> bool:
        return self.result.ok or may_have_fired(self.result.code)


class LiveFlow:
    """Answers the calls of one flow, one after the other.

    ``page_is_open``: the session has opened an address before. ``outputs``: what it has set. ``captured``: pictures and
    files, in order; with ``folder`` they are written there, and ``files`` has their names.
    """

    def __init__(
        self,
        asks: LiveBus,
        session: SessionLeased,
        files: FlowFiles,
        variables: Mapping[str, object],
        *,
        folder: Path | None = None,
        page_is_open: bool = False,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._bus, self._session, self._folder, self._sleep = asks, session, folder, sleep
        texts = {to_identifier(name): as_shown(value) for name, value in variables.items()}
        self._context = FlowContext(files, texts)
        self._asking = tuple(text for text in texts.values() if text.strip())
        self._steps: list[LiveStep] = []
        self._page: PageObserved | None = None
        self._opened = page_is_open
        self.outputs: dict[str, Any] = {}
        self.captured: list[Artifact] = []
        self.files: list[str] = []

    @property
    def page(self) -> PageObserved | None:
        """The page as it was observed last; None after an action that may have changed it."""
        return self._page

    def readings(self, call: ReadFields) -> tuple[LocatedReading, ...]:
        """Return what the page that was observed last shows of the fields, as the answer to the call tells it."""
        return () if self._page is None else readings_of(call, self._page, self._context)

    async def answer(self, call: FlowCall) -> FlowAnswer:
        """Perform the call and return its answer. Errors of the browser pool itself are raised."""
        if isinstance(call, SetOutput):
            self.outputs[call.key] = call.value
        step: TurnStep = begin_call(call, self._context)
        while not isinstance(step, Answered):
            if isinstance(step, PerformAction):
                step = next_step(step.turn, await self._act(step.perform))
                continue
            if step.after_s > 0:
                await self._sleep(step.after_s)
                self._page = None
            step = next_step(step.turn, await self._observed(call))
        self._context = step.context
        return step.answer

    async def _observed(self, call: FlowCall) -> PageObserved | None:
        """Return the page as it is now; None before the first address was opened."""
        if not facts_of_call(call).needs_page or not self._opened:
            return None
        if self._page is None or not self._page.idle:
            request = ObservePage(
                session_id=self._session.session_id,
                instance_id=self._session.instance_id,
                max_tokens=OBSERVE_TOKENS,
                locators=True,
            )
            self._page = await self._bus.ask(OBSERVE, request, timeout_s=OBSERVE_TIMEOUT_S)
        ids = named_so_far(call, self._context.named)
        return with_searched(self._page, asked_in(self._asking, ids, self._steps))

    async def _act(self, decided: Perform) -> ActionResult:
        action = decided.action
        request = ActOnPage(
            session_id=self._session.session_id,
            instance_id=self._session.instance_id,
            action=action,
            once=decided.irreversible,
        )
        timeout_s = ACT_TIMEOUT_S + (action.timeout_s if isinstance(action, Wait) else 0.0)
        result = await self._bus.ask(ACT, request, timeout_s=timeout_s)
        self._opened = True
        self._steps.append(LiveStep(action, result))
        if changes_page(action):
            self._page = None
        for artifact in result.artifacts:
            await self._keep(artifact)
        return result

    async def _keep(self, artifact: Artifact) -> None:
        """Write a captured file to the folder. The bus needs its bytes no longer."""
        self.captured.append(artifact)
        if self._folder is not None:
            number = sum(one.kind not in ("page", "observation") for one in self.captured)
            name = artifact_filename(number, artifact)
            data = await self._bus.get(ARTIFACTS, artifact.blob)
            await asyncio.to_thread(_write, self._folder / name, data)
            self.files.append(name)
        await self._bus.remove(ARTIFACTS, artifact.blob)


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
