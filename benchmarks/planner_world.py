"""A planner without a browser or a model.

Pages of a given size, a pool that shows them, and a Messages endpoint whose answers follow from its input. The
planner's real loop and driver run in it.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from services.planner.prompt.tokens import weight
from shared.bus.actor import Actor
from shared.contracts.actions import Extract, Goto, Screenshot
from shared.contracts.browser_pool import (
    ActOnPage,
    CapturePage,
    Element,
    ElementFound,
    KeepSession,
    LeaseReply,
    LeaseSession,
    ObservePage,
    PageCaptured,
    PageObserved,
    ReleaseSession,
    SessionKept,
    SessionLeased,
    SessionReleased,
)
from shared.contracts.discovery import Sample
from shared.contracts.results import ActionResult, Artifact, Change, Navigated, TextRead
from shared.subjects import ACT, CAPTURE, HEARTBEAT, LEASE, OBSERVE, RELEASE
from shared.task.spec import TaskSpec

HOST = "http://tickets.example"
NOW = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
TRUE_SCALE = 1.1
"""Ratio of the endpoint's token count to the weights, as with a real tokenizer; the planner must learn it."""
LONG = "Take a picture of the long page."


def task(**changes: Any) -> TaskSpec:
    written: dict[str, Any] = {
        "task_id": "tickets",
        "goal": "Read the ticket and take a picture of it.",
        "start_url": "{url}",
        "output_schema": {
            "ticket_number": {"type": "string", "labels": ["Ticket"]},
            "assignee": {"type": "string | null", "not_present": ["Unassigned"]},
            "due_date": {"type": "date | null", "labels": ["Due date"], "not_present": ["-"]},
        },
        "required_fields": ["ticket_number", "assignee", "due_date"],
        "required_artifacts": ["screenshot:ticket"],
        "identity": {"ticket_number": "{ticket_number}"},
    }
    return TaskSpec.model_validate({**written, **changes})


def sample(number: int) -> Sample:
    key = f"TCK-{number}"
    url = f"{HOST}/tickets/{key}"
    return Sample(sample_id=key, key=key, row=number, url=url, fields={"ticket_number": key, "url": url})


def page(url: str, elements: int) -> PageObserved:
    """Return a ticket page, filled up with links."""
    key = url.rsplit("/", 1)[-1]
    shown = [("term", "Ticket", None), ("definition", key, "Ticket"), ("term", "Assignee", None),
             ("definition", f"Ann {key[4:]}", "Assignee"), ("term", "Due date", None),
             ("definition", "Mar 3, 2026", "Due date")]  # fmt: skip
    listed = [Element(ref=n, role=role, name=name, header=header) for n, (role, name, header) in enumerate(shown, 1)]
    listed += [_link(ref) for ref in range(len(listed) + 1, elements + 1)]
    text = "\n".join(f'[{e.ref}] [{e.role}] {e.header + ": " if e.header else ""}"{e.name}"' for e in listed)
    return PageObserved(
        snapshot_id="s1", url=url, title=f"{key} · Tickets", http_status=200, elements=tuple(listed), text=text,
        sha256=hashlib.sha256(text.encode()).hexdigest(), dom_confidence=1.0, total_elements=len(listed), left_out=0,
        scroll_y_px=0.0, scroll_max_y_px=0.0, settled=True, browser_ms=1.0,
    )  # fmt: skip


def _link(ref: int) -> Element:
    return Element(ref=ref, role="link", name=f"Commit {hashlib.sha1(str(ref).encode()).hexdigest()[:12]}")


# --- the pool


@dataclass
class World:
    elements: int
    at: str = "about:blank"
    acts: int = 0


pool: Actor[World] = Actor("browser_pool")


@pool.answers(LEASE)
async def lease(request: LeaseSession, deps: World) -> LeaseReply:
    return SessionLeased(session_id=request.sample_id, instance_id="w", browser="none")


@pool.answers(HEARTBEAT)
async def heartbeat(request: KeepSession, deps: World) -> SessionKept:
    return SessionKept(session_id=request.session_id)


@pool.answers(RELEASE)
async def release(request: ReleaseSession, deps: World) -> SessionReleased:
    return SessionReleased(session_id=request.session_id)


@pool.answers(OBSERVE)
async def observe(request: ObservePage, deps: World) -> PageObserved:
    return page(deps.at, deps.elements)


@pool.answers(CAPTURE)
async def capture(request: CapturePage, deps: World) -> PageCaptured:
    shown = {one.ref: one for one in page(deps.at, deps.elements).elements}
    found = tuple(ElementFound(ref=ref, element=shown.get(ref)) for ref in request.refs)
    return PageCaptured(observation_sha256=page(deps.at, deps.elements).sha256, found=found, browser_ms=1.0)


@pool.answers(ACT)
async def act(request: ActOnPage, deps: World) -> ActionResult:
    deps.acts += 1
    action, before = request.action, deps.at
    if isinstance(action, Goto):
        deps.at = action.url
        return _done(before, action.url, effect=Navigated(url=action.url, http_status=200))
    if isinstance(action, Extract):
        return _done(before, before, effect=TextRead(text=f"{deps.acts}: " + "what the element says " * 80))
    if isinstance(action, Screenshot):
        return _done(before, before, artifacts=(_picture(action.label, before),))
    return _done(before, before)


def _done(before: str, after: str, **rest: Any) -> ActionResult:
    change = Change(url_before=before, url_after=after, http_status=200 if before != after else None)
    return ActionResult(ok=True, code="ok", message="done", change=change, browser_ms=1.0, **rest)


def _picture(label: str, url: str) -> Artifact:
    return Artifact(
        kind="screenshot", label=label, media_type="image/png", suffix=".png", size_bytes=3, sha256="ab" * 32,
        blob=f"b-{label}", source_url=url, captured_at=NOW,
    )  # fmt: skip


# --- the model


@dataclass(frozen=True)
class Asked:
    """One request: hashes of its cached parts, and its length."""

    run_prefix: str
    sample_prefix: str
    tokens: int
    chars: int


@dataclass
class Model:
    """A scripted model. ``answer`` returns the tool call for a request."""

    answer: Callable[[dict[str, Any]], tuple[str, dict[str, Any]]]
    url: str = ""
    asked: list[Asked] = field(default_factory=list[Asked])


def reads_the_ticket(request: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return a tool call: a screenshot first, then the values of the page."""
    prompt = request["messages"][0]["content"]
    if "still missing: screenshot:ticket" in prompt:
        return "screenshot", {"reason": "The right ticket is shown.", "label": "ticket"}
    shown = {
        label: (int(ref), name) for ref, label, name in re.findall(r'\[(\d+)\] \[definition\] (.+?): "(.*?)"', prompt)
    }
    names = {"ticket_number": "Ticket", "assignee": "Assignee", "due_date": "Due date"}
    return "done", {
        "reason": "All fields are shown and the picture is taken.",
        "values": {name: shown[label][1] for name, label in names.items()},
        "refs": {name: shown[label][0] for name, label in names.items()},
    }


def reads_on(request: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return tool calls of a long sample."""
    return "extract", {"reason": "The text is cut off, so all of it is read.", "target": "7"}


@asynccontextmanager
async def serving(model: Model) -> AsyncGenerator[Model]:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = re.search(r"content-length: (\d+)", head)
        request = json.loads(await reader.readexactly(int(length[1]) if length else 0))
        body = json.dumps(_reply(model, request)).encode()
        head_ = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n"
        writer.write(f"{head_}connection: close\r\n\r\n".encode() + body)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0, limit=2**22)
    model.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield model


def _reply(model: Model, request: dict[str, Any]) -> dict[str, Any]:
    asked = measured(request)
    model.asked.append(asked)
    name, arguments = model.answer(request)
    content = [{"type": "tool_use", "id": "t", "name": name, "input": arguments}]
    return {
        "id": "m", "type": "message", "role": "assistant", "model": request["model"], "content": content,
        "stop_reason": "tool_use", "stop_sequence": None,
        "usage": {"input_tokens": asked.tokens, "output_tokens": 50},
    }  # fmt: skip


def measured(request: dict[str, Any]) -> Asked:
    tools = json.dumps(request["tools"], ensure_ascii=False)
    blocks = [block["text"] for block in request["system"]]
    parts = [tools, *blocks, request["messages"][0]["content"]]
    return Asked(
        run_prefix=hashlib.sha256((tools + blocks[0]).encode()).hexdigest(),
        sample_prefix=hashlib.sha256(blocks[-1].encode()).hexdigest(),
        tokens=round(TRUE_SCALE * sum(map(weight, parts))),
        chars=sum(map(len, parts)),
    )
