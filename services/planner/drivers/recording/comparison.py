"""Compares a replay with its recording: values read again where they were, and each difference as a note.

Values that are on no page are carried over.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import msgspec

from services.planner.judge.reported_values import is_shown_in, unconfirmed_problems
from services.planner.judge.rows.reported import finder_cells, reported_rows, rows_absent
from services.planner.state.attempt_state import Entry, SampleView, is_unasked
from shared.contracts.actions import Done
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.results import ActionResult, Artifact, Effect, Navigated, Scrolled
from shared.contracts.steps import CellValue, FieldValue, Note, ObservationRef, RowValue, StepTaken
from shared.field_types import is_rows
from shared.pages.elements import cut_chars_in, cut_chars_of, description_of, text_of
from shared.pages.identity.identity import read_page
from shared.pages.locate.by_recording import find_under_label, unlabelled_like
from shared.pages.read.candidates import Candidate
from shared.pages.read.fields import FieldFound, field_value, value_source
from shared.text.normal import fold, quoted

QUOTED_DIFFERENCE_CHARS = 200


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
        difference(step, f"value of {value.field}", value_text(value), value_text(known[value.field]))
        for value in then
        if value.field in known and not _equal(value, known[value.field])
    ]


def _equal(one: FieldValue, other: FieldValue) -> bool:
    return one.state == other.state and (one.state != "value" or one.value == other.value)


def value_text(value: FieldValue) -> str:
    """Return the value as text."""
    if value.state == "value":
        return quoted(str(value.value if value.value is not None else value.shown), QUOTED_DIFFERENCE_CHARS)
    if value.state == "not_present":
        return f"not present ({quoted(value.shown or '', QUOTED_DIFFERENCE_CHARS)})"
    return "not found"


def _asked_for(result: ActionResult) -> list[Artifact]:
    """Stored pages are not part of a step's outcome."""
    return [artifact for artifact in result.artifacts if not is_unasked(artifact)]


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
    return "ok" if result.ok else f"{result.code} ({quoted(result.message, QUOTED_DIFFERENCE_CHARS)})"


def _effect(effect: Effect | None) -> str:
    """Return the comparable part of an effect. Addresses and scroll positions are compared by the next page."""
    if effect is None:
        return "none"
    kind = effect.__struct_config__.tag
    if isinstance(effect, Navigated | Scrolled):
        return str(kind)
    facts = {k: v for k, v in msgspec.to_builtins(effect).items() if k not in ("effect", "url", "tab")}
    notes = ", ".join(f"{key} {quoted(str(value), QUOTED_DIFFERENCE_CHARS)}" for key, value in facts.items())
    return f"{kind} {notes}".strip()


def _listed(texts: Iterable[str]) -> str:
    return ", ".join(quoted(text, QUOTED_DIFFERENCE_CHARS) for text in texts) or "none"


# --- the values of a recorded result, read again where they were


def recorded_values(log: Sequence[StepTaken]) -> tuple[FieldValue, ...]:
    """Return the values as they went into the result."""
    last = log[-1] if log else None
    return last.values if last is not None and isinstance(last.action, Done) else ()


def reread_step(value: CellValue, plan: Sequence[StepTaken]) -> int:
    """Return the step before which a value is read again: the first that was decided on its page."""
    seen = [(step.step, step.observation) for step in plan if step.observation is not None]
    source = value.source
    if source is not None:
        for fits in (
            [n for n, ref in seen if ref.snapshot_id == source.snapshot_id],
            [n for n, ref in seen if ref.sha256 == source.observation_sha256],
            [n for n, ref in reversed(seen) if ref.url == source.url],
        ):
            if fits:
                return fits[0]
    return plan[-1].step


def reread_value(value: FieldValue, view: SampleView, page: PageObserved) -> FieldValue:
    """Return the field as the page shows it now. An unchanged text keeps its value.

    What no page showed is carried over without its place: the files that it names are those of another run.
    """
    if value.origin != "page":
        return msgspec.structs.replace(value, source=None)
    if is_rows(view.spec.output_schema[value.field].type):
        return _without_rows(value, page)
    now = _by_label(value, view, page) or _by_rule(value, view, page) or _by_element(value, view, page)
    if now is None:
        return FieldValue(field=value.field, state="not_found")
    same = now.state == value.state and fold(now.shown or "") == fold(value.shown or "")
    return msgspec.structs.replace(value, source=now.source, cut_chars=now.cut_chars) if same else now


def reread_rows(
    value: FieldValue, plan: Sequence[StepTaken], step: int, view: SampleView, page: PageObserved
) -> FieldValue | None:
    """Return the rows of a field with those that were read on the page of this step, as it shows them now, beside those
    of the pages before it. None: none of them was read here."""
    due = [row for row in value.rows if _row_step(row, plan) == step]
    if not due:
        return None
    field = view.spec.output_schema[value.field]
    return reported_rows(value.field, field, [finder_cells(row) for row in due], None, replace(view, page=page)).value


def _without_rows(value: FieldValue, page: PageObserved) -> FieldValue:
    """Return a field of rows that had none, as the page says so now."""
    if value.state == "not_found":
        return value
    again = rows_absent(value.field, value.shown or "", page)
    return again if again.source is not None else FieldValue(field=value.field, state="not_found")


def _row_step(row: RowValue, plan: Sequence[StepTaken]) -> int:
    first = next((cell for cell in row.cells if cell.source is not None), row.cells[0])
    return reread_step(first, plan)


def lacks_a_cell(value: FieldValue) -> bool:
    """Return whether a row has a text that its page does not show."""
    return any(cell.state == "value" and cell.source is None for row in value.rows for cell in row.cells)


def _by_label(value: FieldValue, view: SampleView, page: PageObserved) -> FieldValue | None:
    """Return the value of the one element with this role under the recorded label."""
    found = None if value.source is None else find_under_label(value.source, page.elements)
    return None if found is None else _shown_by(found, value, view, page)


def _by_rule(value: FieldValue, view: SampleView, page: PageObserved) -> FieldValue | None:
    """Return the value under the labels of the task."""
    reading = read_page(view.spec, view.sample, page).readings[value.field]
    if not isinstance(reading, FieldFound):
        return None
    return field_value(value.field, view.spec.output_schema[value.field], reading, page)


def _by_element(value: FieldValue, view: SampleView, page: PageObserved) -> FieldValue | None:
    """Without a label: return the value of an element of the same kind that still shows it, else of the only one."""
    source, field = value.source, view.spec.output_schema[value.field]
    if value.state == "not_found":
        return None
    if source is None:
        stands = not unconfirmed_problems(value, field, view, None)
        return value if stands else None
    kind = unlabelled_like(source, page.elements)
    still = [e for e in kind if value.shown and is_shown_in(value.shown, field, text_of(e), title=e.title)]
    if still:
        return _shown_again(value, still[0], page)
    return _shown_by(kind[0], value, view, page) if len(kind) == 1 else None


def _shown_again(value: FieldValue, element: Element, page: PageObserved) -> FieldValue:
    """Return the recorded value with this element as its source."""
    cut_chars = cut_chars_in(value.shown or "", [element])
    return msgspec.structs.replace(value, source=value_source(element, page), cut_chars=cut_chars)


def _shown_by(element: Element, value: FieldValue, view: SampleView, page: PageObserved) -> FieldValue:
    field, text = view.spec.output_schema[value.field], text_of(element)
    if cut_chars_of(element) and not unconfirmed_problems(value, field, view, element.ref):
        return _shown_again(value, element, page)
    return field_value(value.field, field, FieldFound(Candidate(text, element, element.row)), page)
