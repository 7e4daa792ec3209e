"""Steps of the route that collect something: values, pictures, files, numbers of things."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urljoin

from services.planner.drivers.rules.navigation import (
    OPTIONAL_LOOKS,
    ambiguous_targets,
    filled_address,
    outcome_doubts,
    own_rows,
    quoted_choice,
)
from services.planner.drivers.rules.route_context import NextStep, RouteContext, is_on_trail
from services.planner.state.attempt_state import Act, Entry, ObserveAgain, invalid_words, is_invalid
from services.planner.state.common_decisions import ALL_LOOKS, MAX_TRIES, observe_later, observe_more, scroll_down
from shared.contracts.actions import Download, Goto, Screenshot
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.steps import FieldValue, plain_note
from shared.pages.elements import ICON_NAME, headings_of_level, is_header, is_heading, words_of_name
from shared.pages.identity.identity import Proof, read_in_part
from shared.pages.identity.scope import find_section
from shared.pages.loading import find_loading_sign
from shared.pages.locate.by_name import distinct_targets, find_pressable
from shared.pages.read.candidates import texts_in
from shared.pages.read.fields import FieldAmbiguous, Reading, field_values, told_open, value_source
from shared.task.route import Address, Count, FetchAll, FetchFile, Headline, Read, TakePicture, words
from shared.text.record_words import find_mention

UNPROVEN = Proof("unproven")
NO_FILES = re.compile(r"(?:no|none|nothing)\b", re.I)


# --- values


def read_step(context: RouteContext, step: Read) -> Act | ObserveAgain | NextStep:
    """Read the fields that the step names."""
    view, page, read = context.view, context.page, context.read
    if read.proof.state == "mismatch":
        return observe_later(view, looks=2) or context.fail("identity_mismatch", read.proof.wrong)
    if doubt := outcome_doubts(context):
        later = observe_later(view, looks=2)
        return later or context.fail("unknown_outcome", f"the page does not tell of what was sent: {doubt}")
    found = _readings(context, step)
    if not isinstance(found, Mapping):
        return found
    readings = {name: found[name] for name in dict.fromkeys((*step.read, *view.spec.identity))}
    values = field_values(view.spec, readings, page)
    absent = {v.field for v in values if v.state == "not_found" and not v.candidates and v.field in step.read}
    doubtful = [name for name in step.read if isinstance(readings[name], FieldAmbiguous)]
    needed = absent & {*view.spec.required_fields, *view.spec.identity}
    empty = any(v.state == "not_present" and not v.shown for v in values)
    if absent and (more := observe_more(view, page)) is not None:
        return more
    sign = find_loading_sign(page) if absent or empty else ""
    looks = 2 if doubtful else ALL_LOOKS if needed or sign else int(bool(absent or empty))
    later = observe_later(view, looks=looks) or (scroll_down(view, page) if needed and not doubtful else None)
    if later is not None:
        return later
    proven = read.proof.state == "proven" or view.state.proven
    if doubtful and (not proven or set(doubtful) & set(view.spec.identity)):
        return context.fail("ambiguous", _doubts(doubtful, readings))
    if sign:
        return context.fail("still_loading", f"{page.url} {sign}")
    if not is_on_trail(view, read):
        return context.off_route("the page does not say whose record it is")
    notes = tuple(plain_note(f"not on {page.url}, where the route has it read", name) for name in sorted(absent))
    return NextStep(tuple(v for v in values if v.state != "not_found" or v.candidates), notes)


def _readings(context: RouteContext, step: Read) -> Mapping[str, Reading] | Act | ObserveAgain:
    """Return the readings of the page, those of the step in its part of the page."""
    if step.under is None:
        return context.read.readings
    names = tuple(context.filled_text(word) for word in words(step.under))
    part = find_section(context.page, names)
    if part is None:
        return context.missing_element(f"single part called {quoted_choice(names)}")
    view = context.view
    inside = read_in_part(view.spec, view.sample, context.page, frozenset(step.read), part)
    return {**context.read.readings, **inside}


def _doubts(names: list[str], readings: Mapping[str, Reading]) -> str:
    texts = {name: r.texts for name in names if isinstance(r := readings[name], FieldAmbiguous)}
    message = "; ".join(f"{name}: {told_open(shown)}" for name, shown in texts.items())
    return f"more than one value on the page for {message}"


def take_address(context: RouteContext, step: Address) -> Act | ObserveAgain | NextStep:
    """Read where a link leads as a value, whatever its text."""
    names = tuple(context.filled_text(word) for word in words(step.address))
    found = [e for e in find_pressable(context.page, names, own=own_rows(context)) if e.url]
    if context.read.proof.state == "mismatch" or not is_on_trail(context.view, context.read):
        return observe_later(context.view, looks=2) or context.off_route("the page does not say whose record it is")
    if not found and step.optional:
        later = observe_more(context.view, context.page) or observe_later(context.view, looks=OPTIONAL_LOOKS)
        return later or NextStep((FieldValue(field=step.into, state="not_present", shown=""),))
    if not found:
        return context.missing_element(f"link called {quoted_choice(names)}")
    if len(found) > 1:
        return ambiguous_targets(context, f"link called {quoted_choice(names)}", found)
    value = FieldValue(
        field=step.into,
        state="value",
        value=found[0].url,
        shown=found[0].url,
        source=value_source(found[0], context.page),
    )
    return NextStep((value,))


def take_headline(context: RouteContext, step: Headline) -> Act | ObserveAgain | NextStep:
    """Read the one heading of a level as a value, without its badges."""
    heads = headings_of_level(context.page.elements, step.level)
    proof = context.read.proof
    if proof.state == "mismatch":
        return observe_later(context.view, looks=2) or context.fail("identity_mismatch", proof.wrong)
    if not is_on_trail(context.view, context.read):
        return observe_later(context.view, looks=2) or context.off_route("the page does not say whose record it is")
    sought = f"heading of level {step.level}"
    if not heads:
        return context.missing_element(sought)
    texts = [candidate for head in heads for candidate in texts_in(head)]
    if len({candidate.shown for candidate in texts}) != 1:
        return ambiguous_targets(context, sought, heads)
    head = texts[0]
    value = FieldValue(
        field=step.headline,
        state="value",
        value=head.shown,
        shown=head.shown,
        source=value_source(head.element, context.page),
        cut_chars=head.cut_chars,
    )
    return NextStep((value,))


# --- pictures and files


def take_picture(context: RouteContext, step: TakePicture) -> Act | ObserveAgain | NextStep:
    """Take a screenshot."""
    if context.is_done():
        return NextStep()
    if len(context.entries()) >= MAX_TRIES:
        message = f"the picture {step.screenshot} could not be taken: {context.entries()[-1].message}"
        return NextStep(notes=(plain_note(message),))
    return context.act(Screenshot(label=step.screenshot), "the picture that belongs here.")


def fetch_file(context: RouteContext, step: FetchFile) -> Act | ObserveAgain | NextStep:
    """Download one file."""
    if step.open is not None:
        return _fetch_by_address(context, step.open)
    if has_brought_file(context.entries()):
        return NextStep()
    names = tuple(context.filled_text(word) for word in words(step.press)) or (words_of_name(step.download),)
    what = f"file called {quoted_choice(names)}"
    found = find_pressable(context.page, names)
    if step.under is not None:
        headings = tuple(context.filled_text(word) for word in words(step.under))
        part = _section(context, headings)
        if isinstance(part, Act | ObserveAgain):
            return part
        refs = {element.ref for element in part}
        found = [element for element in found if element.ref in refs] or _only_unnamed(part)
        what = f"{what} under {quoted_choice(headings)}"
    tried = context.entries()
    if not found and not tried:
        return context.missing_element(what)
    if len(found) > 1:
        return ambiguous_targets(context, what, found)
    if not found or len(tried) >= MAX_TRIES:  # what was pressed may have led to another page
        return _invalid_file(context, tried) or context.off_route(f"the {what} does not come down: {tried[-1].message}")
    return context.act(Download(target=context.ref(found[0]), label=step.download), "the file that is asked for.")


def _fetch_by_address(context: RouteContext, address: str) -> Act | ObserveAgain | NextStep:
    """Open the address of a file, to keep the file."""
    tried = context.entries()
    if any(map(_has_valid, tried)):
        return NextStep()
    url = urljoin(context.page.url, filled_address(context, address))
    invalid = _invalid_file(context, tried) if len(tried) >= MAX_TRIES else None
    if invalid is not None:
        return invalid
    if any(entry.ok and not entry.brought for entry in tried):
        return context.off_route(f"{url} is a page, and no file came down")
    if len(tried) >= MAX_TRIES:
        return context.fail("unreachable", f"the file at {url} does not come down: {tried[-1].message}")
    return context.act(Goto(url=url, keep=True), "the file that is asked for.")


def has_brought_file(entries: tuple[Entry, ...]) -> bool:
    """Return whether one of the actions has succeeded, and what it has brought is what it is called."""
    return any(entry.ok and (_has_valid(entry) or not any(map(is_invalid, entry.brought))) for entry in entries)


def _has_valid(entry: Entry) -> bool:
    return any(one.kind == "download" and not is_invalid(one) for one in entry.brought)


def _invalid_file(context: RouteContext, tried: tuple[Entry, ...]) -> Act | None:
    """Fail because the file that came is not what it is called; None where none came."""
    files = [one for entry in tried for one in entry.brought if is_invalid(one)]
    return context.fail("invalid_file", invalid_words(files[-1])) if files else None


def _only_unnamed(part: tuple[Element, ...]) -> list[Element]:
    """Return what is left to press for the file: what says that it downloads, else the one button without a name."""
    buttons = [e for e in part if e.role in ("link", "button") and (not e.name or ICON_NAME.fullmatch(e.name))]
    saying = [e for e in part if e.role in ("link", "button") and find_mention(e.name, "download") is not None]
    return distinct_targets(saying or buttons)


def fetch_all(context: RouteContext, step: FetchAll) -> Act | ObserveAgain | NextStep:
    """Download all files of a section in order. Each is marked by its number, so that none is fetched twice."""
    names = tuple(context.filled_text(word) for word in words(step.under)) or (words_of_name(step.download_all),)
    part = _section(context, names)
    if isinstance(part, Act | ObserveAgain):
        return part
    links = files_in(part)
    if not links and not _says_none(part):
        return context.missing_element(f"file under {quoted_choice(names)}", looks=2)
    for number, link in enumerate(links, start=1):
        tried = context.entries(str(number))
        if has_brought_file(tried):
            continue
        if len(tried) >= MAX_TRIES:
            invalid = _invalid_file(context, tried)
            if invalid is not None:
                return invalid
            return context.off_route(f"file {number} of {len(links)} does not come down: {tried[-1].message}")
        label = step.download_all if len(links) == 1 else f"{step.download_all}_{number}"
        return context.act(
            Download(target=context.ref(link), label=label), f"file {number} of {len(links)}.", part=str(number)
        )
    return NextStep(() if step.count is None else (count_value(step.count, len(links), names, context.page),))


# --- how many there are


def count(context: RouteContext, step: Count) -> Act | ObserveAgain | NextStep:
    """Count the things under a heading."""
    names = tuple(context.filled_text(word) for word in words(step.count))
    part = _section(context, names)
    if isinstance(part, Act | ObserveAgain):
        return part
    number = things_in(part)
    if not number and not _says_none(part):
        return context.missing_element(f"row or link under {quoted_choice(names)}", looks=2)
    return NextStep((count_value(step.into, number, names, context.page),))


def count_value(field: str, number: int, names: tuple[str, ...], page: PageObserved) -> FieldValue:
    """Return a count as a value; its source is the heading."""
    head = next(e for e in page.elements if _is_head(e, names))
    return FieldValue(
        field=field, state="value", value=number, shown=str(number), source=value_source(head, page), origin="derived"
    )


def things_in(part: tuple[Element, ...]) -> int:
    """Return the number of table rows without headers; without a table, of items with links."""
    rows = {e.row for e in part if e.row is not None and not is_header(e)}
    return len(rows) or len(files_in(part))


def files_in(part: tuple[Element, ...]) -> list[Element]:
    """Return the elements to download: those that say so, else every link."""
    saying = [e for e in part if e.role in ("link", "button") and find_mention(e.name, "download") is not None]
    return distinct_targets(saying or [e for e in part if e.role == "link"])


def _section(context: RouteContext, names: tuple[str, ...]) -> tuple[Element, ...] | Act | ObserveAgain:
    more = observe_more(context.view, context.page)
    if more is not None:
        return more
    part = find_section(context.page, names)
    return part if part is not None else context.missing_element(f"single heading {quoted_choice(names)}")


def _says_none(part: tuple[Element, ...]) -> bool:
    return any(NO_FILES.match(e.name) is not None for e in part if e.role not in ("link", "button"))


def _is_head(element: Element, names: tuple[str, ...]) -> bool:
    heads = is_heading(element) or element.role in ("term", "caption")
    return heads and any(find_mention(element.name, name) is not None for name in names)
