"""When a question about a picture is asked, about which picture, and what. One field per question."""

from __future__ import annotations

from services.planner.state.attempt_state import Act, SampleView
from services.planner.state.limits import is_last_step, page_signature
from shared.contracts.actions import AskPicture, ByRef, Screenshot, ScreenshotElement
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.planner import BY_RULE
from shared.contracts.results import ActionResult, TargetFound
from shared.contracts.vision import AskVision, VisionAnswered
from shared.field_types import is_rows
from shared.pages.elements import is_icon, is_unsure, words_of_name
from shared.pages.identity.identity import identity_proof, read_page
from shared.pages.read.fields import FieldMissing, Reading
from shared.task.output_field import OutputField
from shared.text.normal import quoted, tidy

MAX_PER_PAGE, MAX_PER_SAMPLE = 2, 6
LABEL = "vision"
NEAR_ELEMENTS = 3


def due_question(view: SampleView, *, asks_model: bool) -> Act | None:
    """Return a question that a rule asks, or None: about the icon that is a missing field's value.

    If a model is there to read it, also about the visible part of a page whose structure does not show the field.
    """
    page, state = view.page, view.state
    if page is None or view.spec.vision == "off" or is_last_step(view):
        return None
    asked = [entry for entry in state.history if isinstance(entry.action, AskPicture)]
    failed = bool(asked) and state.last is asked[-1] and not asked[-1].ok
    if failed or len(asked) >= MAX_PER_SAMPLE or state.vision_asked.get(page_signature(page), 0) >= MAX_PER_PAGE:
        return None
    names = {entry.action.field for entry in asked if isinstance(entry.action, AskPicture) and entry.url == page.url}
    readings = read_page(view.spec, view.sample, page).readings
    for name in (name for name in unread_fields(view) if name not in names):
        reading = readings[name]
        icon = _icon_of(view, page, reading)
        untold = isinstance(reading, FieldMissing) and asks_model and _unsure(page, view.spec.output_schema[name])
        if icon is not None or untold:
            return _picture_question(view, name, icon)
    return None


def _picture_question(view: SampleView, name: str, icon: Element | None) -> Act:
    about = question(name, view.spec.output_schema[name])
    target = ByRef(ref=icon.ref, snapshot_id=view.page.snapshot_id) if icon is not None and view.page else None
    reason = f"The structure of the page does not tell {name}, so a picture of it is asked."
    return Act(AskPicture(question=about, field=name, target=target, reason=reason), BY_RULE)


def _icon_of(view: SampleView, page: PageObserved, reading: Reading) -> Element | None:
    """Return the one picture without a text that is in the place of the field's value, on a page of this record."""
    if view.spec.identity and identity_proof(view.spec, view.sample, page).state != "proven":
        return None
    icons = reading.icons if isinstance(reading, FieldMissing) else ()
    return icons[0] if len(icons) == 1 else None


def unread_fields(view: SampleView) -> tuple[str, ...]:
    """Return the fields without a reading, required ones first. No picture is asked for rows."""
    required = [name for name in view.spec.output_schema if name in view.spec.required_fields]
    others = [name for name in view.spec.output_schema if name not in required]
    known = {name for name, value in view.state.seen.items() if value.state != "not_found"}
    known |= {name for name, field in view.spec.output_schema.items() if is_rows(field.type)}
    return tuple(name for name in (*required, *others) if name not in known and name not in view.spec.identity)


def question(name: str, field: OutputField) -> str:
    """Return the question for one field, in the words of the task."""
    about = f" ({field.description.strip()})" if field.description.strip() else ""
    return f'What does the picture show as "{words_of_name(name)}"{about}? Answer with the {field.type} only.'


def screenshot_action(view: SampleView, action: AskPicture) -> Screenshot | ScreenshotElement:
    """Return the picture to take: of the target, else of the visible part of the page."""
    number = sum(isinstance(entry.action, AskPicture) for entry in view.state.history) + 1
    label = f"{LABEL}_{number}"
    if action.target is None:
        return Screenshot(label=label, full_page=False, reason=action.reason)
    return ScreenshotElement(target=action.target, label=label, reason=action.reason)


def vision_question(view: SampleView, action: AskPicture, result: ActionResult) -> AskVision:
    """Return the question about the picture that was taken."""
    picture = result.artifacts[0]
    field = view.spec.output_schema.get(action.field)
    return AskVision(
        run_id=view.run_id,
        sample_id=view.sample.sample_id,
        question=action.question,
        field=action.field or None,
        answer_type=field.type if field is not None else "string",
        choices=tuple(field.values) if field is not None else (),
        hints=_hints(view, action, result.target),
        blob=picture.blob,
        sha256=picture.sha256,
        size_bytes=picture.size_bytes,
        media_type=picture.media_type,
    )


def answer_text(answered: VisionAnswered) -> str:
    """Return the answer as a driver sees it, with its confidence and its reader."""
    if answered.answer is None:
        return f"It cannot be told from the picture: {tidy(answered.reasoning)[:300]}"
    return (
        f"The picture says {quoted(answered.answer, 300)} (confidence {answered.confidence:.2f}, "
        f"read by {answered.answered_by}): {tidy(answered.reasoning)[:300]}"
    )


def _unsure(page: PageObserved, field: OutputField) -> bool:
    """Return whether the page may show the field as a picture. A list of icons counts only for derived fields."""
    if page.triggers == ("icons",):
        return field.derived
    return is_unsure(page)


def _hints(view: SampleView, action: AskPicture, found: TargetFound | None) -> tuple[str, ...]:
    """Return what the page says about the target and right beside it."""
    own = (found.name,) if found is not None and found.name else ()
    page = view.page
    if page is None or not isinstance(action.target, ByRef):
        return own
    ref = action.target.ref
    meant = next((e for e in page.elements if e.ref == ref), None)
    near = (e for e in page.elements if 0 < abs(e.ref - ref) <= NEAR_ELEMENTS or e.ref == ref)
    if meant is not None and is_icon(meant):  # the text of another row says nothing about this icon
        near = (e for e in near if _on_one_line(meant, e))
    return tuple(dict.fromkeys((*own, *(tidy(e.name)[:200] for e in near if e.name.strip()))))


def _on_one_line(one: Element, other: Element) -> bool:
    if one.box is None or other.box is None:
        return one.row is not None and one.row == other.row
    middle_px = one.box.y + one.box.height / 2
    return other.box.y <= middle_px <= other.box.y + other.box.height
