"""Pure: the decider that needs no model. Pages of labels and values, tables, forms; it knows no site.

Order: the page opens, what lies over it goes, the fields are read, the record is proven to be the
right one, and only then is anything captured.
"""

from __future__ import annotations

from dataclasses import replace

from services.planner.fields import Ambiguous, Found, Reading, field_values
from services.planner.gates import missing_artifacts
from services.planner.identity import PageRead, read_page
from services.planner.opening import after_evidence, by_rule, opening
from services.planner.page_text import asks_for_password, dismissal, is_input, label_form, says_not_found
from services.planner.sample_state import MAX_OBSERVE_TOKENS, Act, Decision, Look, View
from shared.contracts.actions import ByRef, Click, Download, Screenshot, Scroll
from shared.contracts.browser_pool import PageObserved
from shared.contracts.planner import Done, Fail, FieldValue

PAUSES_S = (0.3, 0.7, 1.5, 3.0)
"""Between looks at a page that may still be rendering."""
MAX_DISMISSALS = 3
MAX_SCROLLS = 3
MAX_TRIES = 2
SCROLL_PX = 4000


def decide(view: View) -> Decision:
    """The next action on the sample. It never waits, and ends in Done or Fail within a bounded number of steps."""
    first = opening(view)
    if first is not None or view.page is None:
        return first or by_rule(Fail(code="unreachable", note="there is no page to look at"))
    page, read = view.page, read_page(view.spec, view.sample, view.page)
    seen = field_values(view.spec, read.readings, page)
    decision = (
        _clear_the_view(view, page, read)
        or _no_such_record(view, page, read)
        or _look_on(view, page, read, seen)
        or _wrong_page(view, page, read, seen)
        or _capture(view, page, read)
        or _done(seen)
    )
    # What another record's page shows must never be remembered as this one's.
    return replace(decision, seen=seen if read.proof.state == "proven" else ())


# --- what lies over the page


def _clear_the_view(view: View, page: PageObserved, read: PageRead) -> Act | Look | None:
    """Sends a banner or a dialog away, unless the record itself is shown in it."""
    button = dismissal(page)
    clicks = sum(isinstance(entry.action, Click) for entry in view.state.history)
    if button is None or clicks >= MAX_DISMISSALS or _record_in_dialog(read):
        return None
    target = ByRef(ref=button.ref, snapshot_id=page.snapshot_id)
    return by_rule(Click(target=target, reason=f"{button.name!r} sends away what lies over the page."))


def _record_in_dialog(read: PageRead) -> bool:
    return any(isinstance(r, Found) and r.candidate.element.in_dialog for r in read.readings.values())


# --- is it there, and is all of it there yet


def _no_such_record(view: View, page: PageObserved, read: PageRead) -> Act | Look | None:
    """The page answers, says in words that there is no such record, and shows none."""
    words = says_not_found(page, tuple(view.spec.not_found_texts))
    if words is None or _shows_something(view, read):
        return None
    # Some pages say so for a moment, while the record is still on its way.
    return _look_again(view, looks=2) or after_evidence(view, Fail(code="not_found", note=f"the page says: {words}"))


def _shows_something(view: View, read: PageRead) -> bool:
    """The site's own words outweigh all but the record itself; general words, any value that stands there.
    Inputs do not count: they may be those of a search."""
    if read.proof.state == "proven" and view.spec.identity:
        return True
    if view.spec.identity and view.spec.not_found_texts:
        return False
    others = [reading for name, reading in read.readings.items() if name not in view.spec.identity]
    return any(isinstance(r, Ambiguous) or _found_in_text(r) for r in others)


def _found_in_text(reading: Reading) -> bool:
    return isinstance(reading, Found) and not is_input(reading.candidate.element)


def _look_on(view: View, page: PageObserved, read: PageRead, seen: tuple[FieldValue, ...]) -> Act | Look | None:
    """More of the page, or the same page a little later, for as long as something needed is not there."""
    needed = set(view.spec.required_fields) | set(view.spec.identity)
    missing = [v.field for v in seen if v.state == "not_found"]
    unsure = any(isinstance(r, Ambiguous) for r in read.readings.values()) or read.proof.state == "mismatch"
    if missing and page.left_out and view.state.max_tokens < MAX_OBSERVE_TOKENS:
        return Look(0.0, view.state.max_tokens * 4)
    if needed & set(missing):
        return _look_again(view, looks=2 if asks_for_password(page) else len(PAUSES_S)) or _scroll(view, page)
    # An empty value may be one that has not come yet, so it is looked at twice.
    empty = any(v.state == "not_present" and not v.shown for v in seen)
    return _look_again(view, looks=2) if unsure else _look_again(view, looks=1) if missing or empty else None


def _look_again(view: View, *, looks: int) -> Look | None:
    done = view.state.looks
    return Look(PAUSES_S[done], view.state.max_tokens) if done < min(looks, len(PAUSES_S)) else None


def _scroll(view: View, page: PageObserved) -> Act | Look | None:
    scrolls = sum(isinstance(entry.action, Scroll) for entry in view.state.history)
    if page.scroll_y_px >= page.scroll_max_y_px or scrolls >= MAX_SCROLLS:
        return None
    return by_rule(
        Scroll(direction="down", amount_px=SCROLL_PX, reason="Fields are missing and the page goes on below.")
    )


# --- pages that do not show the record


def _wrong_page(view: View, page: PageObserved, read: PageRead, seen: tuple[FieldValue, ...]) -> Act | Look | None:
    needed = set(view.spec.required_fields) | set(view.spec.identity)
    missing = needed & {v.field for v in seen if v.state == "not_found"}
    if read.proof.state == "mismatch":
        return after_evidence(view, Fail(code="identity_mismatch", note=read.proof.wrong))
    if missing and asks_for_password(page) and read.proof.state != "proven":
        return after_evidence(view, Fail(code="auth_required", note=f"{page.url} asks for a password"))
    doubtful = {name: r.texts for name, r in read.readings.items() if isinstance(r, Ambiguous)}
    if doubtful:
        told = "; ".join(f"{name}: {', '.join(map(repr, texts[:5]))}" for name, texts in doubtful.items())
        return after_evidence(view, Fail(code="ambiguous", note=f"more than one value on the page for {told}"))
    return None


# --- evidence, and the end


def _capture(view: View, page: PageObserved, read: PageRead) -> Act | Look | None:
    """The next artifact that is still missing, once the record is proven to be the right one."""
    if read.proof.state != "proven":
        return None
    for wanted in missing_artifacts(view):
        kind, _, label = wanted.partition(":")
        action = _screenshot(view, label) if kind == "screenshot" else _download(page, label)
        if action is not None and _tries(view, action) < MAX_TRIES:
            return by_rule(action)
    return None


def _screenshot(view: View, label: str) -> Screenshot:
    return Screenshot(label=label or view.spec.task_id or "page", reason="The task asks for a picture of the record.")


def _download(page: PageObserved, label: str) -> Download | None:
    """The one link or button that is called like the file."""
    name = label_form(label.replace("_", " ")) or "download"
    links = [e for e in page.elements if e.role in ("link", "button") and not e.in_dialog]
    fitting = [e for e in links if label_form(e.name) == name] or [e for e in links if name in label_form(e.name)]
    if len(fitting) != 1:
        return None
    target = ByRef(ref=fitting[0].ref, snapshot_id=page.snapshot_id)
    return Download(target=target, label=label or "download", reason="The task asks for this file.")


def _tries(view: View, action: Screenshot | Download) -> int:
    return sum(isinstance(e.action, type(action)) and e.action.label == action.label for e in view.state.history)


def _done(seen: tuple[FieldValue, ...]) -> Act | Look:
    return by_rule(
        Done(
            values={v.field: v.value for v in seen if v.state == "value"},
            not_present={v.field: v.shown or "" for v in seen if v.state == "not_present"},
            refs={v.field: v.source.ref for v in seen if v.source is not None},
            reason="Every field the page shows has been read.",
        )
    )
