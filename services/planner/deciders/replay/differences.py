"""Differences from the recording, one note each, with the state then and now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from services.planner.page.refind import description_of
from services.planner.state.attempt_state import Entry, is_page
from shared.contracts.browser_pool import PageObserved
from shared.contracts.results import ActionResult, Artifact, Effect, Navigated, Scrolled
from shared.contracts.steps import FieldValue, Note, ObservationRef, StepTaken
from shared.text.normal import quoted

CHARS = 200


def difference(step: int, what: str, then: object, now: object) -> Note:
    """Return a note about one difference."""
    return Note(kind="differs", step=step, text=f"{what}: then {then}, now {now}")


def outcome_differences(recorded: StepTaken, entry: Entry) -> list[Note]:
    """Compare the outcome of a step. Where it led to is compared by the page of the next step."""
    then, now, step = recorded.result, entry.result, recorded.step
    if then is None or now is None:
        return []
    notes: list[Note] = []
    if then.ok != now.ok:
        notes.append(difference(step, "outcome", _outcome(then), _outcome(now)))
    if then.target is not None and now.target is not None and description_of(then.target) != description_of(now.target):
        notes.append(difference(step, "element", description_of(then.target), description_of(now.target)))
    if then.ok and now.ok and _effect(then.effect) != _effect(now.effect):
        notes.append(difference(step, "effect", _effect(then.effect), _effect(now.effect)))
    if then.change.dialogs != now.change.dialogs:
        notes.append(difference(step, "dialogs", _listed(then.change.dialogs), _listed(now.change.dialogs)))
    return [*notes, *_artifacts(step, _asked_for(then), _asked_for(now))]


def page_differences(step: int, then: ObservationRef, page: PageObserved, *, content: bool) -> list[Note]:
    """Compare address, status and, if `content`, the content of the page that a step is decided on."""
    notes: list[Note] = []
    if then.url != page.url:
        notes.append(difference(step, "address", then.url, page.url))
    if then.http_status != page.http_status:
        notes.append(difference(step, "HTTP status", then.http_status, page.http_status))
    if content and then.sha256 != page.sha256:
        notes.append(difference(step, "content of the page", then.sha256[:12], page.sha256[:12]))
    return notes


def value_differences(step: int, then: Iterable[FieldValue], now: Iterable[FieldValue]) -> list[Note]:
    """Compare the values in the result then and now, by field."""
    known = {value.field: value for value in now}
    return [
        difference(step, f"value of {one.field}", value_text(one), value_text(known[one.field]))
        for one in then
        if one.field in known and not _equal(one, known[one.field])
    ]


def _equal(one: FieldValue, other: FieldValue) -> bool:
    return one.state == other.state and (one.state != "value" or one.value == other.value)


def value_text(value: FieldValue) -> str:
    """Return the value as text."""
    if value.state == "value":
        return quoted(str(value.value if value.value is not None else value.shown), CHARS)
    if value.state == "not_present":
        return f"not present ({quoted(value.shown or '', CHARS)})"
    return "not found"


def _asked_for(result: ActionResult) -> list[Artifact]:
    """Stored pages are not part of a step's outcome."""
    return [one for one in result.artifacts if not is_page(one)]


def _artifacts(step: int, then: Sequence[Artifact], now: Sequence[Artifact]) -> list[Note]:
    """Compare downloads. Pictures of a page are never equal to the last pixel."""
    if len(then) != len(now):
        return [difference(step, "files", len(then), len(now))]
    pairs = [(a, b) for a, b in zip(then, now, strict=True) if "download" in (a.kind, b.kind)]
    return [
        difference(
            step, f"file {quoted(a.original_name or a.label)}", f"SHA-256 {a.sha256[:12]}", f"SHA-256 {b.sha256[:12]}"
        )
        for a, b in pairs
        if a.sha256 != b.sha256
    ]


def _outcome(result: ActionResult) -> str:
    return "ok" if result.ok else f"{result.code} ({quoted(result.message, CHARS)})"


def _effect(effect: Effect | None) -> str:
    """Return the comparable part of an effect. Addresses and scroll positions are compared by the next page."""
    if effect is None:
        return "none"
    kind = effect.__struct_config__.tag
    if isinstance(effect, Navigated | Scrolled):
        return str(kind)
    facts = {k: v for k, v in msgspec.to_builtins(effect).items() if k not in ("effect", "url", "tab")}
    notes = ", ".join(f"{key} {quoted(str(value), CHARS)}" for key, value in facts.items())
    return f"{kind} {notes}".strip()


def _listed(texts: Iterable[str]) -> str:
    return ", ".join(quoted(text, CHARS) for text in texts) or "none"
