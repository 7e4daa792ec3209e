"""Pure: what a step of the route takes away from a page: values, pictures, files, numbers of things."""

from __future__ import annotations

import re

from services.planner.deciders.rules.navigation import OPTIONAL_LOOKS, or_else, own_rows, several
from services.planner.deciders.rules.route_context import Onward, Scene
from services.planner.page.fields import Ambiguous, field_values, source_of
from services.planner.page.identity import PageRead, Proof
from services.planner.page.targets import distinct, pressable, section
from services.planner.page.text import humanised, is_header, is_heading, mentions
from services.planner.state.common_decisions import ALL_LOOKS, MAX_TRIES, look_again, look_at_more, scroll
from services.planner.state.sample_state import Act, Look, View
from shared.contracts.actions import Download, Screenshot
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.steps import FieldValue, plain_note
from shared.task.route import Address, Count, FetchAll, FetchFile, Headline, Read, TakePicture, words

UNPROVEN = Proof("unproven")
NO_FILES = re.compile(r"(?:no|none|nothing)\b", re.I)


def on_trail(view: View, read: PageRead) -> bool:
    """The page is the record's own, or one that its own page has led to and that shows no other's identity."""
    return read.proof.state == "proven" or (read.proof.state == "unproven" and view.state.proven)


# --- values


def read_here(scene: Scene, step: Read) -> Act | Look | Onward:
    view, page, read = scene.view, scene.page, scene.read
    if read.proof.state == "mismatch":
        return look_again(view, looks=2) or scene.fail("identity_mismatch", read.proof.wrong)
    readings = {name: read.readings[name] for name in dict.fromkeys((*step.read, *view.spec.identity))}
    values = field_values(view.spec, readings, page)
    absent = {v.field for v in values if v.state == "not_found" and v.field in step.read}
    doubtful = [name for name in step.read if isinstance(readings[name], Ambiguous)]
    needed = absent & {*view.spec.required_fields, *view.spec.identity}
    empty = any(v.state == "not_present" and not v.shown for v in values)
    if absent and (more := look_at_more(view, page)) is not None:
        return more
    looks = 2 if doubtful else ALL_LOOKS if needed else int(bool(absent or empty))
    later = look_again(view, looks=looks) or (scroll(view, page) if needed and not doubtful else None)
    if later is not None:
        return later
    if doubtful:
        return scene.fail("ambiguous", _doubts(doubtful, read))
    if not on_trail(view, read):
        return scene.lost("the page does not say whose record it is")
    notes = tuple(plain_note(f"not on {page.url}, where the route has it read", name) for name in sorted(absent))
    return Onward(tuple(v for v in values if v.state != "not_found"), notes)


def _doubts(names: list[str], read: PageRead) -> str:
    texts = {name: r.texts for name in names if isinstance(r := read.readings[name], Ambiguous)}
    told = "; ".join(f"{name}: {', '.join(map(repr, shown[:5]))}" for name, shown in texts.items())
    return f"more than one value on the page for {told}"


def take_address(scene: Scene, step: Address) -> Act | Look | Onward:
    """Where a link leads is a value of its own, whatever the link is called."""
    names = tuple(scene.text(word) for word in words(step.address))
    found = [e for e in pressable(scene.page, names, own=own_rows(scene)) if e.url]
    if scene.read.proof.state == "mismatch" or not on_trail(scene.view, scene.read):
        return look_again(scene.view, looks=2) or scene.lost("the page does not say whose record it is")
    if not found and step.optional:
        later = look_at_more(scene.view, scene.page) or look_again(scene.view, looks=OPTIONAL_LOOKS)
        return later or Onward((FieldValue(field=step.into, state="not_present", shown=""),))
    if not found:
        return scene.missing(f"link called {or_else(names)}")
    if len(found) > 1:
        return several(scene, f"link called {or_else(names)}", found)
    value = FieldValue(
        field=step.into, state="value", value=found[0].url, shown=found[0].url, source=source_of(found[0], scene.page)
    )
    return Onward((value,))


def take_headline(scene: Scene, step: Headline) -> Act | Look | Onward:
    heads = [e for e in scene.page.elements if is_heading(e) and e.level == 1 and not e.in_dialog]
    if scene.read.proof.state == "mismatch" or not on_trail(scene.view, scene.read):
        return look_again(scene.view, looks=2) or scene.lost("the page does not say whose record it is")
    if not heads:
        return scene.missing("heading of the first rank")
    if len({e.name for e in heads}) > 1:
        return several(scene, "heading of the first rank", heads)
    source = source_of(heads[0], scene.page)
    return Onward(
        (FieldValue(field=step.headline, state="value", value=heads[0].name, shown=heads[0].name, source=source),)
    )


# --- pictures and files


def take_picture(scene: Scene, step: TakePicture) -> Act | Look | Onward:
    if scene.done():
        return Onward()
    if len(scene.entries()) >= MAX_TRIES:
        told = f"the picture {step.screenshot} could not be taken: {scene.entries()[-1].message}"
        return Onward(notes=(plain_note(told),))
    return scene.act(Screenshot(label=step.screenshot), "the picture that belongs here.")


def fetch_file(scene: Scene, step: FetchFile) -> Act | Look | Onward:
    if scene.done():
        return Onward()
    names = tuple(scene.text(word) for word in words(step.press)) or (humanised(step.download),)
    what = f"file called {or_else(names)}"
    found = pressable(scene.page, names)
    if not found:
        return scene.missing(what)
    if len(found) > 1:
        return several(scene, what, found)
    if len(scene.entries()) >= MAX_TRIES:
        return scene.lost(f"the {what} does not come down: {scene.entries()[-1].message}")
    return scene.act(Download(target=scene.ref(found[0]), label=step.download), "the file that is asked for.")


def fetch_all(scene: Scene, step: FetchAll) -> Act | Look | Onward:
    """One after another in their order; each is named by its place, so that none is fetched twice."""
    names = tuple(scene.text(word) for word in words(step.under)) or (humanised(step.download_all),)
    part = _section(scene, names)
    if isinstance(part, Act | Look):
        return part
    links = files_in(part)
    if not links and not _says_none(part):
        return scene.missing(f"file under {or_else(names)}", looks=2)
    for number, link in enumerate(links, start=1):
        tried = scene.entries(str(number))
        if any(entry.ok for entry in tried):
            continue
        if len(tried) >= MAX_TRIES:
            return scene.lost(f"file {number} of {len(links)} does not come down: {tried[-1].message}")
        label = step.download_all if len(links) == 1 else f"{step.download_all}_{number}"
        return scene.act(
            Download(target=scene.ref(link), label=label), f"file {number} of {len(links)}.", part=str(number)
        )
    return Onward(() if step.count is None else (counted(step.count, len(links), names, scene.page),))


# --- how many there are


def count(scene: Scene, step: Count) -> Act | Look | Onward:
    names = tuple(scene.text(word) for word in words(step.count))
    part = _section(scene, names)
    if isinstance(part, Act | Look):
        return part
    number = things_in(part)
    if not number and not _says_none(part):
        return scene.missing(f"row or link under {or_else(names)}", looks=2)
    return Onward((counted(step.into, number, names, scene.page),))


def counted(field: str, number: int, names: tuple[str, ...], page: PageObserved) -> FieldValue:
    """A number of things seen; its place is the heading they stand under."""
    head = next(e for e in page.elements if _is_head(e, names))
    return FieldValue(
        field=field, state="value", value=number, shown=str(number), source=source_of(head, page), origin="derived"
    )


def things_in(part: tuple[Element, ...]) -> int:
    """Rows of a table, without those of headers; where there is none, items that links stand for."""
    rows = {e.row for e in part if e.row is not None and not is_header(e)}
    return len(rows) or len(files_in(part))


def files_in(part: tuple[Element, ...]) -> list[Element]:
    """What is there to be downloaded: all that says so, else every link."""
    saying = [e for e in part if e.role in ("link", "button") and mentions(e.name, "download") is not None]
    return distinct(saying or [e for e in part if e.role == "link"])


def _section(scene: Scene, names: tuple[str, ...]) -> tuple[Element, ...] | Act | Look:
    more = look_at_more(scene.view, scene.page)
    if more is not None:
        return more
    part = section(scene.page, names)
    return part if part is not None else scene.missing(f"single heading {or_else(names)}")


def _says_none(part: tuple[Element, ...]) -> bool:
    return any(NO_FILES.match(e.name) is not None for e in part if e.role not in ("link", "button"))


def _is_head(element: Element, names: tuple[str, ...]) -> bool:
    heads = is_heading(element) or element.role in ("term", "caption")
    return heads and any(mentions(element.name, name) is not None for name in names)
