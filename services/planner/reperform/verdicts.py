"""Verdicts of a re-performed sample, from the stored page and the stored observation.

The page decides; the observation, written when the page was stored, is compared too. It decides alone only for what no
stored page holds: pages that were not stored, values in forms, and which element it was where scripts make the elements
(a list beside a hidden field, equal buttons): then the words of the value must stand on the stored page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as replace_fields

from msgspec.structs import replace

from services.planner.reperform.stored_page_view import Extraction, StoredPageView, extract_value
from shared.contracts.reperform import Identity, PageReperformed, ValueReperformed, Verdict
from shared.contracts.results import Ink, InkState
from shared.contracts.steps import FieldValue
from shared.pages.elements import INPUT_ROLES, PRESSED_ROLES, is_input, text_of, title_element
from shared.pages.locate.by_recording import find_source, find_source_in_observation, find_words_at_place
from shared.pages.read.fields import FieldFound
from shared.task.output_field import OutputField
from shared.text.normal import quoted
from shared.text.record_words import find_mention, is_same_id

MADE_BY_SCRIPTS = INPUT_ROLES | PRESSED_ROLES
"""Roles whose elements are often drawn by scripts, so that a stored page shows others in their place."""


@dataclass(frozen=True)
class StoredFile:
    """A file of a stored page. `witness`: what it shows; otherwise `lack` and `why` say why it shows nothing. `ink`:
    what a picture of it shows of the text of elements, by ref."""

    filename: str = ""
    sha256: str = ""
    witness: StoredPageView | None = None
    lack: Verdict = "not_stored"
    why: str = ""
    ink: Mapping[int, Ink] = field(default_factory=dict[int, Ink])


@dataclass(frozen=True)
class StoredPage:
    """A page that values come from: its file and its observation."""

    page: StoredFile
    observation: StoredFile


def value_verdict(value: FieldValue, field: OutputField, kept: StoredPage) -> ValueReperformed:
    """Return the verdict on one value."""
    plain = _recorded(value)
    if value.state == "not_found":
        return _with(plain, "nothing_recorded", "")
    if value.origin not in ("page", "api"):
        return _with(plain, "read_by_model", _by_model(value))
    if value.origin == "api" and value.response is None:
        return _with(plain, "not_bound", "it is bound to no stored response")
    source = value.source
    if source is None:
        return _with(plain, "not_bound", "it is bound to no element of a page")
    page = _asked(value, field, kept.page, again=True)
    observed = _asked(value, field, kept.observation, again=False)
    verdict = ValueReperformed(
        field=value.field,
        verdict=_verdict(page, observed, kept),
        state=value.state,
        recorded=value.shown,
        recorded_value=value.value,
        found=page.shown if page is not None else None,
        found_value=page.value if page is not None else None,
        found_by=page.found_by if page is not None else (),
        page=kept.page.filename,
        page_sha256=kept.page.sha256,
        observation=observed.outcome if observed is not None else kept.observation.lack,
        read_by=value.read_by,
        ink=source.ink.state if source.ink is not None else None,
        ink_found=_ink_found(page, kept.page),
    )
    message = _message(verdict.verdict, page, observed, kept)
    if verdict.is_drawn_otherwise:
        drawn = f"its text was seen then; in a picture of the stored page {_drawn_now(page, kept.page)}"
        message = "; ".join(one for one in (message, drawn) if one)
    return _with(verdict, verdict.verdict, message)


def _ink_found(page: Extraction | None, kept: StoredFile) -> InkState | None:
    """Return what a picture of the stored page shows of the element; None unless that has the recorded text."""
    ink = _ink_now(page, kept)
    return ink.state if ink is not None else None


def _drawn_now(page: Extraction | None, kept: StoredFile) -> str:
    ink = _ink_now(page, kept)
    if ink is not None and ink.glyphless:
        return f"boxes stand in place of {ink.glyphless} of its characters: this browser has no font for them"
    return f"its ink is {ink.state if ink is not None else 'not known'}"


def _ink_now(page: Extraction | None, kept: StoredFile) -> Ink | None:
    return kept.ink.get(page.ref) if page is not None and page.outcome == "same" else None


def _asked(value: FieldValue, field: OutputField, kept: StoredFile, *, again: bool) -> Extraction | None:
    if kept.witness is None or value.source is None:
        return None
    page = kept.witness.page
    source, elements = value.source, (title_element(page), *page.elements)
    if not again:
        return extract_value(value, field, kept.witness, find_source_in_observation(source, elements))
    read = extract_value(value, field, kept.witness, find_source(source, elements))
    if read.outcome == "same" or (read.outcome == "differs" and source.role not in MADE_BY_SCRIPTS):
        return read
    there = find_words_at_place(source, value.shown or "", elements)
    at_place = None if there is None else extract_value(value, field, kept.witness, there)
    if at_place is not None and at_place.outcome == "same":
        return at_place
    # Of a value that is nothing, the label is what the page shows.
    words = value.shown or source.label or ""
    shown = find_mention(" ".join(text_of(element) for element in elements), words) is not None
    return replace_fields(read, form=read.form or source.role in INPUT_ROLES, shown_elsewhere=shown)


def _verdict(page: Extraction | None, observed: Extraction | None, kept: StoredPage) -> Verdict:
    if "altered" in (kept.page.lack if page is None else "", kept.observation.lack if observed is None else ""):
        return "altered"
    observes = observed is not None and observed.outcome == "same"
    if page is None:
        return "same_in_observation" if observes and kept.page.lack == "not_stored" else kept.page.lack
    if page.outcome == "same":
        return "differs" if observed is not None and observed.outcome == "differs" else "same"
    if observes and (page.form or (page.outcome in ("not_found", "ambiguous") and page.shown_elsewhere)):
        return "same_in_observation"
    return page.outcome


def _message(verdict: Verdict, page: Extraction | None, observed: Extraction | None, kept: StoredPage) -> str:
    """Return what a person should know, one sentence per fact."""
    parts = [page.message if page is not None else kept.page.why]
    if observed is None:
        parts.append(kept.observation.why)
    elif verdict == "same_in_observation" and page is not None:
        words = "its words are on the stored page, and the stored observation says where they stood"
        parts = ["what is typed into a form is not in a stored page"] if page.form else [*parts, words]
    elif verdict != "same" and observed.shown is not None:
        agrees = "agrees with the record" if observed.outcome == "same" else f"shows {quoted(observed.shown)}"
        parts.append(f"the stored observation {agrees}")
    elif verdict == "same" and observed.outcome in ("not_found", "ambiguous"):
        parts.append(f"in the stored observation: {observed.message}")
    return "; ".join(dict.fromkeys(one for one in parts if one))


def _recorded(value: FieldValue) -> ValueReperformed:
    return ValueReperformed(
        field=value.field,
        verdict="not_stored",
        state=value.state,
        recorded=value.shown,
        recorded_value=value.value,
        read_by=value.read_by,
    )


def _with(verdict_reply: ValueReperformed, verdict: Verdict, message: str) -> ValueReperformed:
    return replace(verdict_reply, verdict=verdict, message=message)


_NOT_READ = {"vision": "read from a picture", "person": "given by a person"}


def _by_model(value: FieldValue) -> str:
    how = _NOT_READ.get(value.origin, "worked out from what pages show")
    picture = value.source.screenshot_sha256 if value.source is not None else ""
    by = f" by {value.read_by}" if value.read_by else " by a model"
    return f"{how}{by}" + (f", picture {picture[:12]}" if picture else "")


# --- the sample


def page_verdict(kept: StoredPage) -> PageReperformed:
    """Return what the stored page and its observation prove about the record."""
    page, observation = kept.page.witness, kept.observation.witness
    seen = page or observation
    lost = page is not None and observation is not None and _lost_its_id(page, observation)
    return PageReperformed(
        filename=kept.page.filename or kept.observation.filename,
        sha256=kept.page.sha256,
        url=seen.page.url if seen is not None else "",
        proof="unread" if page is None else "unproven" if lost else page.proof.state,
        observed=observation.proof.state if observation is not None else "unread",
        message="; ".join(filter(None, (kept.page.why, page.proof.wrong if page is not None and not lost else ""))),
    )


def _lost_its_id(page: StoredPageView, observation: StoredPageView) -> bool:
    """Return whether the stored page shows another id only because a form field lost what stood in it."""
    if page.proof.state != "mismatch" or observation.proof.state != "proven":
        return False
    readings = [page.read.readings.get(name) for name in page.identity]
    return all(isinstance(one, FieldFound) and is_input(one.candidate.element) for one in readings)


def identity_verdict(
    pages: Sequence[PageReperformed],
    values: Sequence[ValueReperformed] = (),
    wanted: Mapping[str, str] | None = None,
) -> Identity:
    """Return whether the stored files prove the record. One page with another record is enough against it.

    `wanted`: what each identity field must show. Its own values prove the record too if they were found again.
    """
    if any(page.proof == "mismatch" for page in pages):
        return "mismatch"
    again = {value.field: value.verdict for value in values if _shows_wanted(value, wanted or {})}
    by_values = bool(wanted) and set(again) == set(wanted or {})
    if any(page.proof == "proven" for page in pages) or (by_values and set(again.values()) == {"same"}):
        return "proven"
    if by_values or any(page.observed == "proven" for page in pages):
        return "proven_in_observation"
    return "unproven" if pages else "not_stored"


def _shows_wanted(value: ValueReperformed, wanted: Mapping[str, str]) -> bool:
    found = value.verdict in ("same", "same_in_observation")
    return found and value.field in wanted and is_same_id(value.recorded or "", wanted[value.field])
