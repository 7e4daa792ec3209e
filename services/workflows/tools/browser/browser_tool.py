"""``tools.browser``: actions and observations over the bus, in one session for each invocation."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from services.workflows.ports import Artifacts, HostCallError, ToolContext, ToolFacts
from services.workflows.tools.browser.browser_recipes import ACTIONS, OWN_FORMS, action_forms, action_of
from services.workflows.tools.browser.invocation_session import BrowserBus, InvocationSession
from services.workflows.tools.declared.call_forms import found_form, tool_facts
from services.workflows.tools.declared.declarations import BrowserDeclaration
from services.workflows.tools.outputs import bytes_value
from shared.contracts.browser_pool import ActOnPage, CapturePage, LeaseSession, ObservePage, PageCaptured, PageObserved
from shared.contracts.results import ActionResult, Artifact, TextRead
from shared.contracts.workflows.invocations import BrowserAccess, JsonValue
from shared.errors import ExhibitError
from shared.evidence_format.library import MAX_ARTIFACT_BYTES, sha256_of
from shared.network.host_access import host_access
from shared.streams import ARTIFACTS
from shared.subjects import ACT, CAPTURE, OBSERVE

log = logging.getLogger(__name__)

MAX_TOKENS = 50_000
_LOST = frozenset({"session_lost", "instance_gone", "no_responders"})


class BrowserTool:
    """See :class:`services.workflows.ports.Tool`."""

    def __init__(self, declaration: BrowserDeclaration, bus: BrowserBus | None) -> None:
        self._declaration, self._bus = declaration, bus
        self._forms = {**action_forms(), **OWN_FORMS}
        self._held: dict[str, InvocationSession] = {}

    @property
    def facts(self) -> ToolFacts:
        return tool_facts(self._declaration.name, "browser", self._declaration.description, self._forms)

    async def call(self, recipe: str, arguments: Mapping[str, JsonValue], context: ToolContext) -> JsonValue:
        form = found_form(self._declaration.name, self._forms, recipe)
        values = form.bind(arguments)
        bus = self._bus
        if bus is None:
            raise HostCallError("RuntimeError", f"{form.title}(): there is no bus here, so no browser can be used")
        held = self._held_by(context, bus)
        async with held.lock:
            try:
                if recipe == "read_file":
                    return await self._read(form.title, held, values["file"])
                if recipe == "save_file":
                    return await self._save(form.title, held, values, context.artifacts)
                return await self._ask(recipe, form.title, values, held)
            except ExhibitError as exc:
                if exc.code in _LOST:
                    await held.drop_lost()
                raise failure_of(form.title, exc) from exc
            except ValueError as exc:
                raise HostCallError("ValueError", f"{form.title}(): {exc}") from exc

    async def session(self, context: ToolContext) -> BrowserAccess:
        """Return the session of an invocation, which is leased when it is used first. Raises HostCallError."""
        if self._bus is None:
            raise HostCallError("RuntimeError", "there is no bus here, so no browser can be used")
        return await self._held_by(context, self._bus).access()

    async def release(self, context: ToolContext) -> None:
        held = self._held.pop(context.invocation_id, None)
        if held is None:
            return
        if context.captured is not None:
            context.captured.extend(held.files.values())
            held.files.clear()
        await self._end(held)

    async def close(self) -> None:
        held, self._held = list(self._held.values()), {}
        await asyncio.gather(*(self._end(one) for one in held))

    async def _end(self, held: InvocationSession) -> None:
        """Bytes that cannot be removed now expire on the bus."""
        await held.release()
        for artifact in held.files.values():
            try:
                await held.bus.remove(ARTIFACTS, artifact.blob)
            except ExhibitError as exc:
                log.info("a captured file was not removed from the bus: %s", exc)

    def _held_by(self, context: ToolContext, bus: BrowserBus) -> InvocationSession:
        held = self._held.get(context.invocation_id)
        if held is None:
            request = self._lease_request(context)
            held = InvocationSession(context, bus, request, self._declaration.wait_for_session_s)
            self._held[context.invocation_id] = held
        return held

    def _lease_request(self, context: ToolContext) -> LeaseSession | None:
        """Return what a session may do; None where no host is declared: a pool would take that for the first one."""
        declaration = self._declaration
        if not declaration.hosts:
            return None
        access = host_access(declaration.hosts, declaration.private_hosts)
        return LeaseSession(
            run_id=context.run_id or f"workflow-{context.invocation_id or 'code'}",
            sample_id=context.sample_id or "workflow",
            auth_profile=declaration.auth_profile,
            allowed_hosts=access.allowed,
            private_hosts=access.private,
            secrets=tuple(declaration.secrets),
        )

    async def _ask(self, recipe: str, title: str, values: Mapping[str, Any], held: InvocationSession) -> JsonValue:
        timeout_s = self._declaration.limits.timeout_s
        action = action_of(recipe, values, held.snapshot_id) if recipe in ACTIONS else None
        access = await held.access()
        session_id, instance_id = access.session_id, access.instance_id
        if action is not None:
            act = ActOnPage(session_id=session_id, instance_id=instance_id, action=action)
            result = await held.bus.ask(ACT, act, timeout_s=timeout_s)
            held.files |= {one.sha256: one for one in result.artifacts}
            return action_value(title, result)
        if recipe == "observe":
            observe = ObservePage(
                session_id=session_id,
                instance_id=instance_id,
                keywords=tuple(map(str, values["keywords"])),
                max_tokens=min(max(values["max_tokens"], 1), MAX_TOKENS),
            )
            page = await held.bus.ask(OBSERVE, observe, timeout_s=timeout_s)
            held.snapshot_id = page.snapshot_id
            return page_value(page)
        capture = CapturePage(session_id=session_id, instance_id=instance_id, label=values["label"])
        captured = await held.bus.ask(CAPTURE, capture, timeout_s=timeout_s)
        held.files |= {one.sha256: one for one in captured.artifacts}
        return capture_value(captured)

    # --- captured files

    async def _bytes(self, title: str, held: InvocationSession, file: str) -> tuple[Artifact, bytes]:
        artifact = held.files.get(file)
        if artifact is None:
            raise HostCallError("LookupError", f"{title}(): nothing was captured under {file[:80]!r}")
        if artifact.size_bytes > MAX_ARTIFACT_BYTES:
            raise failure(title, "too_large", f"the file has {artifact.size_bytes} bytes")
        data = await held.bus.get(ARTIFACTS, artifact.blob)
        if sha256_of(data) != artifact.sha256:
            raise failure(title, "blob_damaged", "the bytes on the bus are not those that were captured")
        return artifact, data

    async def _read(self, title: str, held: InvocationSession, file: str) -> JsonValue:
        artifact, data = await self._bytes(title, held, file)
        limit = self._declaration.limits.output_bytes
        if len(data) > limit:
            message = f"the file has {len(data)} bytes, and at most {limit} are read; save_file() saves it as it is"
            raise failure(title, "too_large", message)
        return {**bytes_value(data), "media_type": artifact.media_type}

    async def _save(
        self, title: str, held: InvocationSession, values: Mapping[str, Any], artifacts: Artifacts | None
    ) -> JsonValue:
        if artifacts is None:
            raise HostCallError("RuntimeError", f"{title}(): there is no place for artifacts here")
        artifact, data = await self._bytes(title, held, values["file"])
        entry = await artifacts.save(
            values["name"],
            data,
            media_type=artifact.media_type,
            description=values["description"] or f"{artifact.kind} of {artifact.source_url}",
            saved_by="tools.browser",
        )
        return msgspec.to_builtins(entry)


# --- what comes back from the browser pool, as values of workflow code

_ERROR_TYPES = {
    "policy_denied": "PermissionError",
    "timeout": "TimeoutError",
    "deadline_exceeded": "TimeoutError",
    "unreachable": "ConnectionError",
    "no_responders": "ConnectionError",
    "bus_lost": "ConnectionError",
    "no_session": "ConnectionError",
    "instance_gone": "ConnectionError",
    "session_lost": "ConnectionError",
    "unavailable": "ConnectionError",
    "not_found": "LookupError",
    "ambiguous": "LookupError",
    "stale_ref": "LookupError",
    "no_such_option": "LookupError",
    "no_such_tab": "LookupError",
    "no_such_secret": "LookupError",
}
"""By the codes of actions and errors; others are a RuntimeError."""
_PAGE_FIELDS = ("snapshot_id", "url", "title", "http_status", "text", "elements", "left_out", "settled", "dialog")


def failure(title: str, code: str, message: str) -> HostCallError:
    """Return the error of a call, with the code of the pool."""
    return HostCallError(_ERROR_TYPES.get(code, "RuntimeError"), f"{title}(): {code}: {message}")


def failure_of(title: str, exc: ExhibitError) -> HostCallError:
    return failure(title, exc.code, str(exc))


def action_value(title: str, result: ActionResult) -> JsonValue:
    """Return what an action did. Raises HostCallError for one that failed."""
    if not result.ok:
        raise failure(title, result.code, result.message)
    change = result.change
    value: dict[str, JsonValue] = {
        "message": result.message,
        "url": change.url_after,
        "title": change.title,
        "http_status": change.http_status,
        "effect": msgspec.to_builtins(result.effect),
        "appeared": list(change.appeared),
        "dialogs": list(change.dialogs),
        "denied": list(change.denied),
        "new_tabs": change.new_tabs,
        "files": file_values(result.artifacts),
    }
    return {**value, "text": result.effect.text} if isinstance(result.effect, TextRead) else value


def page_value(page: PageObserved) -> JsonValue:
    """Return what a page shows. ``elements`` leave out what is as usual."""
    own = msgspec.to_builtins({name: getattr(page, name) for name in _PAGE_FIELDS})
    return {**own, "tabs": msgspec.to_builtins(page.tabs)}


def capture_value(captured: PageCaptured) -> JsonValue:
    return {"files": file_values(captured.artifacts), "problems": list(captured.problems)}


def file_values(artifacts: Iterable[Artifact]) -> list[JsonValue]:
    """Return the facts of captured files. ``file`` is what read_file and save_file take."""
    return [
        {
            "file": one.sha256,
            "kind": one.kind,
            "label": one.label,
            "media_type": one.media_type,
            "suffix": one.suffix,
            "size_bytes": one.size_bytes,
            "source_url": one.source_url,
            "original_name": one.original_name,
            "text_preview": one.text_preview,
        }
        for one in artifacts
    ]
