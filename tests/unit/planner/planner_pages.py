"""Hand-written pages and samples for the planner's tests, in the shape of the browser pool's messages."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from typing import Any

from msgspec import structs

from services.planner.state.attempt_state import Act, AttemptState, SampleView
from services.planner.state.step_parts import to_filed
from services.planner.state.transitions import after_step
from shared.contracts.actions import AnyAction, ByRef, Click, SaveProgress, Screenshot
from shared.contracts.base import Usage
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.discovery import Sample
from shared.contracts.results import ActionResult, Artifact, Box, CaptureFacts, Change, Viewport
from shared.contracts.steps import FieldValue, StepTaken
from shared.task.spec import TaskSpec
from tests.typed import expect

URL = "http://127.0.0.1:8000/tickets/TCK-1001"
MOMENTS = count(1)
NOW = datetime(2026, 3, 3, 12, 0, tzinfo=UTC)


def spec(**changes: Any) -> TaskSpec:
    """Return a ticket task: number, assignee and due date, one screenshot, identity by number."""
    written: dict[str, Any] = {
        "task_id": "tickets",
        "goal": "Read the ticket.",
        "start_url": "{url}",
        "output_schema": {
            "ticket_number": "string",
            "assignee": {"type": "string | null", "not_present": ["Unassigned"]},
            "due_date": {"type": "date | null", "labels": ["Due", "Due date"], "not_present": ["No due date", "-"]},
        },
        "required_fields": ["ticket_number", "assignee", "due_date"],
        "required_artifacts": ["screenshot:ticket"],
        "identity": {"ticket_number": "{ticket_number}"},
    }
    return TaskSpec.model_validate({**written, **changes})


def sample(**changes: Any) -> Sample:
    given: dict[str, Any] = {
        "sample_id": "TCK-1001",
        "key": "TCK-1001",
        "row": 1,
        "url": URL,
        "fields": {"ticket_number": "TCK-1001", "url": URL},
    }
    return Sample(**{**given, **changes})


def page(*elements: Element, **changes: Any) -> PageObserved:
    """Return a snapshot; elements get refs from 1 in their order."""
    numbered = tuple(_ref(element, ref) for ref, element in enumerate(elements, 1))
    text = "\n".join(f'[{e.ref}] [{e.role}] {e.header + ": " if e.header else ""}"{e.name}"' for e in numbered)
    given: dict[str, Any] = {
        "snapshot_id": "s1",
        "url": URL,
        "title": "Tickets",
        "http_status": 200,
        "elements": numbered,
        "text": text,
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "dom_confidence": 1.0,
        "total_elements": len(numbered),
        "left_out": 0,
        "scroll_y_px": 0.0,
        "scroll_max_y_px": 0.0,
        "settled": True,
        "idle": True,
        "browser_ms": 5.0,
    }
    return PageObserved(**{**given, **changes})


def _ref(element: Element, ref: int) -> Element:
    return Element(**{**{name: getattr(element, name) for name in Element.__struct_fields__}, "ref": ref})


def el(role: str, name: str = "", **rest: Any) -> Element:
    return Element(ref=0, role=role, name=name, **rest)


def heading(name: str, level: int = 1) -> Element:
    return el("heading", name, tag=f"h{level}", level=level)


def text(name: str, **rest: Any) -> Element:
    return el("text", name, tag="span", **rest)


def row(label: str, value: str) -> tuple[Element, ...]:
    """Return a dt with its dd."""
    return el("term", label, tag="dt"), el("definition", value, tag="dd", header=label)


def cell(header: str | None, value: str, number: int, column: int | None = None) -> Element:
    return el("cell", value, tag="td", header=header, row=number, column=column)


def box(x: float, y: float, width: float = 80, height: float = 20) -> Box:
    return Box(x=x, y=y, width=width, height=height)


def ticket(number: str = "TCK-1001", assignee: str = "Ann Lee", due: str = "Mar 3, 2026") -> tuple[Element, ...]:
    """Return the elements of a ticket page."""
    return (heading(f"{number}: Printer on fire"), *row("Assignee", assignee), *row("Due date", due))


def view(seen: PageObserved | None, state: AttemptState | None = None, **changes: Any) -> SampleView:
    """Return a view; ``spec`` and ``sample`` in ``changes`` replace the defaults."""
    return SampleView(changes.get("spec", spec()), changes.get("sample", sample()), state or AttemptState(), seen)


def done_result(**changes: Any) -> ActionResult:
    change = Change(url_before="about:blank", url_after=URL, http_status=200)
    return ActionResult(
        **{"ok": True, "code": "ok", "message": "done", "change": change, "browser_ms": 10.0, **changes}
    )


def shot(label: str = "ticket", suffix: str = ".png") -> ActionResult:
    return done_result(artifacts=(artifact(label, suffix),))


def artifact(label: str = "ticket", suffix: str = ".png", kind: Any = "screenshot") -> Artifact:
    return Artifact(
        kind=kind,
        label=label,
        media_type="image/png",
        suffix=suffix,
        size_bytes=3,
        sha256="ab" * 32,
        blob=f"blob-{label}",
        source_url=URL,
        captured_at=NOW,
    )


def kept_artifacts(label: str, shown: PageObserved, capture_id: str = "") -> tuple[Artifact, Artifact]:
    """Return a stored page and its observation; every call has another time and other hashes."""
    number = next(MOMENTS)
    facts = CaptureFacts(
        capture_id=capture_id or f"c{number}", url=shown.url, title=shown.title, http_status=shown.http_status,
        observation_sha256=shown.sha256, browser="scripted 1.0", viewport=Viewport(width_px=1280, height_px=900),
        captured_at=NOW,
    )  # fmt: skip
    page_file, observation = (
        structs.replace(artifact(label, kind=kind), sha256=f"{kind}-{number}", blob=f"{kind}-{number}", capture=facts)
        for kind in ("page", "observation")
    )
    return page_file, observation


def picture(label: str = "ticket") -> Screenshot:
    return Screenshot(label=label)


def clicked(action: object) -> int:
    """Return the ref that an action clicks; fail the test when it is another action."""
    return expect(expect(action, Click).target, ByRef).ref


# --- states, made by the transitions of the planner itself


def step(
    state: AttemptState, action: AnyAction | None, result: ActionResult | None = None, **changes: Any
) -> StepTaken:
    """Return the state after the sample's next step."""
    given: dict[str, Any] = {
        "run_id": "run_1",
        "sample_id": "TCK-1001",
        "attempt": 1,
        "step": state.steps + 1,
        "started_at": NOW,
        "ended_at": NOW,
        "observation": None,
        "decided_by": "model",
        "action": action,
        "result": result,
        "artifacts": to_filed(state, result),
        "looks": state.looks,
        "observe_tokens": state.max_tokens,
    }
    return StepTaken(**{**given, **changes})


def acted(
    state: AttemptState, action: AnyAction | Act, result: ActionResult | None, message: str, remark: str = ""
) -> AttemptState:
    """Return the state after an action; a decision of a driver has its route mark and says who decided."""
    if isinstance(action, Act):
        given: dict[str, Any] = {"route": action.route, "decided_by": action.decided_by}
        return after_step(state, step(state, action.action, result, message=message, remark=remark, **given))
    return after_step(state, step(state, action, result, message=message, remark=remark))


def bounced(state: AttemptState, action: AnyAction, message: str, remark: str = "") -> AttemptState:
    """Return the state after a finish that the gates rejected."""
    return after_step(state, step(state, action, message=message, remark=remark, refused=True))


def misunderstood(state: AttemptState, message: str, remark: str = "") -> AttemptState:
    """Return the state after an unusable answer."""
    return after_step(state, step(state, None, message=message, remark=remark, refused=True))


def shown_record(state: AttemptState, proof: str) -> AttemptState:
    """Return the state after an observation that proves the identity; an empty proof changes nothing."""
    return state if proof == "unproven" else replace(state, proven=proof == "proven")


def kept(state: AttemptState, values: tuple[FieldValue, ...], unconfirmed: frozenset[str]) -> AttemptState:
    """Return the state after a model saved values."""
    action = SaveProgress(values={value.field: value.value for value in values})
    return after_step(state, step(state, action, values=values, unconfirmed=tuple(sorted(unconfirmed))))


def spent(state: AttemptState, usage: Usage) -> AttemptState:
    return after_step(state, step(state, picture(), usage=usage))
