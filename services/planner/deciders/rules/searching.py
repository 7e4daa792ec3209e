"""Pure: searching for a record and opening the one result that matches exactly. A near name is no match, two matches
are a question for a person, and both are only known once every page of results has been read.
"""

from __future__ import annotations

from dataclasses import dataclass

from services.planner.deciders.rules.navigation import came_through, filled, or_else, press_once, several
from services.planner.deciders.rules.results import Hit, ListMatches, matches_in
from services.planner.deciders.rules.route_context import Onward, Scene, row_with_gaps
from services.planner.page.paging import Control, turning_results
from services.planner.page.targets import controls, pressable, section
from services.planner.state.common_decisions import MAX_TRIES, after_evidence, look_again, look_at_more
from services.planner.state.sample_state import Act, Look
from shared.contracts.actions import Click, Fail, Goto, Press, TypeText
from shared.contracts.browser_pool import Element
from shared.task.route import Lookup, Pick, Search, Words
from shared.task.spec import fill
from shared.text.normal import quoted

TYPED, SENT, TURNED, OPENED = "type", "press", "turn", "open"
MAX_PAGES = 40


@dataclass(frozen=True)
class Wanted:
    """What is looked for in a list, and under which heading."""

    columns: dict[str, str]
    under: Words | None
    numbered: bool


def search(scene: Scene, step: Search) -> Act | Look | Onward:
    what = step.search
    if not scene.done(TYPED):
        return _type(scene, what)
    if not came_through(scene.entries(SENT)):
        return _send(scene, what)
    return Onward() if what.pick is None else _pick(scene, _wanted(scene, what.pick, what))


def pick(scene: Scene, step: Pick) -> Act | Look | Onward:
    return _pick(scene, _wanted(scene, step.pick, step))


def _wanted(scene: Scene, columns: dict[str, str], step: Lookup | Pick) -> Wanted:
    row = row_with_gaps(scene.view.spec, scene.view.sample)
    filled_in = {name: fill(template, row).strip() for name, template in columns.items()}
    return Wanted(filled_in, step.under, step.numbered)


# --- asking for it


def _type(scene: Scene, what: Lookup) -> Act | Look:
    names = filled(scene, what.into)
    field = _field(scene, names)
    if not isinstance(field, Element):
        return field
    tried = scene.entries(TYPED)
    if len(tried) >= MAX_TRIES:
        return scene.lost(f"nothing can be typed into {quoted(field.name)}: {tried[-1].message}")
    text = scene.text(what.text)
    return scene.act(TypeText(target=scene.ref(field), text=text), "what is looked for.", TYPED)


def _send(scene: Scene, what: Lookup) -> Act | Look | Onward:
    tried = scene.entries(SENT)
    if what.press is None:
        field = _field(scene, filled(scene, what.into))
        if tried:  # A list that is narrowed while one types has nothing to be sent.
            return Onward() if what.pick is None else _pick(scene, _wanted(scene, what.pick, what))
        if not isinstance(field, Element):
            return field
        return scene.act(Press(keys="Enter", target=scene.ref(field)), "the search is sent.", SENT)
    names = filled(scene, what.press)
    found = pressable(scene.page, names)
    if not found:
        return scene.missing(f"button called {or_else(names)}")
    if len(found) > 1:
        return several(scene, f"button called {or_else(names)}", found)
    return press_once(scene, found[0], "the search is sent.", SENT)


def _field(scene: Scene, names: tuple[str, ...]) -> Element | Act | Look:
    found = controls(scene.page, names)
    if not found:
        return scene.missing(f"search field called {or_else(names)}")
    return found[0] if len(found) == 1 else several(scene, f"search field called {or_else(names)}", found)


# --- reading what came


def _pick(scene: Scene, wanted: Wanted) -> Act | Look | Onward:
    if came_through(scene.entries(OPENED)):
        return Onward()
    more = look_at_more(scene.view, scene.page)
    if more is not None:
        return more
    names = filled(scene, wanted.under) if wanted.under is not None else ()
    part = section(scene.page, names) if names else scene.page.elements
    if part is None:
        return scene.missing(f"heading {or_else(names)} over the results")
    return _weigh(scene, wanted, matches_in(part, wanted.columns, numbered=wanted.numbered), part)


def _weigh(scene: Scene, wanted: Wanted, here: ListMatches, part: tuple[Element, ...]) -> Act | Look:
    if here.lacking:
        lacking = ", ".join(map(quoted, here.lacking))
        return scene.fail("off_route", f"the list has no column {lacking}, so nobody in it can be told apart by that")
    if not here.hits and (later := look_again(scene.view, looks=1 if here.items else 3)) is not None:
        return later
    before, where = _so_far(scene)
    fresh = tuple(hit for hit in here.hits if not before or hit.key != where)
    if before + len(fresh) > 1:
        return _cannot_tell(scene, wanted, before, where, fresh)
    following = _next_page(scene, part)
    if following is not None and len(scene.entries(TURNED)) < MAX_PAGES:
        return _turn(scene, following, before + len(fresh), fresh[0].key if fresh else where)
    if following is not None:
        return scene.fail("off_route", f"the results have more than {MAX_PAGES} pages")
    if fresh:
        return _open(scene, fresh[0])
    return _open_again(scene, where, here) if before else _nobody(scene, wanted, here)


def _so_far(scene: Scene) -> tuple[int, str]:
    """How many were found on the pages before this one, and where the one is; noted when the page was turned."""
    turned = scene.entries(TURNED)
    mark = turned[-1].route if turned else None
    return (mark.found, mark.at) if mark is not None else (0, "")


def _next_page(scene: Scene, part: tuple[Element, ...]) -> Control | None:
    """What turns the page; nothing where turning it has come to nothing."""
    if scene.entries(TURNED) and not came_through(scene.entries(TURNED)[-1:]):
        return None
    return turning_results(scene.page, part)


def _turn(scene: Scene, control: Control, found: int, where: str) -> Act:
    """A button that adds to the list leaves what was found in sight, so nothing of it is carried over."""
    if not found or control.kind == "more":
        found, where = 0, ""
    so_far = f"matches so far: {found}, at {where.replace(' ', '_')}" if found else "matches so far: 0"
    why = f"the next page of results; {so_far}"
    return scene.act(Click(target=scene.ref(control.element)), why, TURNED, found=found, at=where)


def _open(scene: Scene, hit: Hit) -> Act | Look:
    if hit.link is None:
        return scene.fail("off_route", f"it cannot be told what opens {quoted(hit.told)}")
    return press_once(scene, hit.link, f"{quoted(hit.told)} is the one result that matches.", OPENED)


def _open_again(scene: Scene, where: str, here: ListMatches) -> Act | Look:
    """The one that matched on an earlier page; without an address it can only be opened where this page repeats it."""
    repeated = next((hit for hit in here.hits if hit.key == where), None)
    if repeated is not None and (repeated.link is None or not repeated.link.url):
        return _open(scene, repeated)
    if not where.startswith(("http://", "https://")):
        return scene.fail(
            "off_route", f"the one result that matches ({where}) is on an earlier page without an address"
        )
    if len(scene.entries(OPENED)) >= MAX_TRIES:
        return scene.fail("unreachable", f"{where} could not be opened: {scene.entries(OPENED)[-1].message}")
    return scene.act(Goto(url=where), "the one result that matches, on an earlier page.", OPENED)


def _nobody(scene: Scene, wanted: Wanted, here: ListMatches) -> Act:
    """Not found, with a picture, and with how many were looked through."""
    asked = ", ".join(f"{name} {quoted(value)}" for name, value in wanted.columns.items())
    pages = len(scene.entries(TURNED)) + 1
    note = f"none of the results is exactly {asked} ({here.items} on the last of {pages} pages)"
    return after_evidence(scene.view, Fail(code="not_found", note=note))


def _cannot_tell(scene: Scene, wanted: Wanted, before: int, where: str, fresh: tuple[Hit, ...]) -> Act | Look:
    later = look_again(scene.view, looks=1)
    asked = ", ".join(f"{name} {quoted(value)}" for name, value in wanted.columns.items())
    known = [f"on an earlier page: {where}"] if before else []
    told = "; ".join([*known, *(f"{quoted(hit.told)} ({hit.key})" for hit in fresh[:6])])
    return later or scene.fail("ambiguous_record", f"{before + len(fresh)} results are exactly {asked}: {told}")
