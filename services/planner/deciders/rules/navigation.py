"""Pure: links, tabs, addresses, and back."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote, urljoin

from services.planner.deciders.rules.route_context import Onward, Scene, row_with_gaps
from services.planner.page.identity import expected
from services.planner.page.targets import Rows, pressable, rows_of, tabs
from services.planner.state.common_decisions import MAX_TRIES, look_again, look_at_more, scroll
from services.planner.state.sample_state import Act, Entry, Look
from shared.contracts.actions import Back, Click, Goto
from shared.contracts.browser_pool import Element
from shared.contracts.results import NotSeen
from shared.contracts.steps import FieldValue, plain_note
from shared.task.route import Follow, GoBack, Open, ShowTab, Step, Words, fields_of, words
from shared.task.spec import PLACEHOLDER
from shared.text.normal import quoted

OPTIONAL_LOOKS = 2
"""At a page on which a link that may not be there is not (yet) to be seen."""


def follow(scene: Scene, step: Follow) -> Act | Look | Onward:
    if came_through(scene.entries()):
        return Onward()
    names = filled(scene, step.follow)
    found = pressable(scene.page, names, own=own_rows(scene))
    what = f"link or button called {or_else(names)}"
    if not found and step.optional:
        return _left_out(scene, what)
    if not found:
        return scroll_on(scene) or scene.missing(what)
    if len(found) > 1:
        return look_at_more(scene.view, scene.page) or several(scene, what, found)
    return press_once(scene, found[0], f"{quoted(found[0].name)} leads on.")


def show_tab(scene: Scene, step: ShowTab) -> Act | Look | Onward:
    if came_through(scene.entries()):
        return Onward()
    names = filled(scene, step.tab)
    found = tabs(scene.page, names)
    what = f"tab called {or_else(names)}"
    if not found:
        return scene.missing(what)
    if len(found) > 1:
        return several(scene, what, found)
    if {"selected", "current"} & set(found[0].states):
        return Onward()
    return press_once(scene, found[0], f"{quoted(found[0].name)} shows that part of the page.")


def open_address(scene: Scene, step: Open) -> Act | Look | Onward:
    if scene.done():
        return Onward()
    url = urljoin(scene.page.url, _address(scene, step.open))
    if len(scene.entries()) >= MAX_TRIES:
        return scene.fail("unreachable", _last_words(scene, f"{url} could not be opened"))
    return scene.act(Goto(url=url), "the route goes on there.")


def go_back(scene: Scene, step: GoBack) -> Act | Look | Onward:
    if scene.done():
        return Onward()
    if len(scene.entries()) >= MAX_TRIES:
        return scene.lost(_last_words(scene, "there is no way back"))
    return scene.act(Back(), "back to the page before.")


# --- what several kinds of step share


def came_through(entries: tuple[Entry, ...]) -> bool:
    """A press that nothing came of has led nowhere."""
    return any(e.ok and not (e.result is not None and isinstance(e.result.effect, NotSeen)) for e in entries)


def press_once(scene: Scene, element: Element, why: str, part: str = "") -> Act | Look:
    """A click, and where nothing came of it, the link's address; then it is given up."""
    tried = scene.entries(part or None)
    if "disabled" in element.states:
        return look_again(scene.view) or scene.lost(f"{quoted(element.name)} is disabled")
    if not tried:
        return scene.act(Click(target=scene.ref(element)), why, part)
    if len(tried) < MAX_TRIES:
        action = Goto(url=element.url) if element.role == "link" and element.url else Click(target=scene.ref(element))
        return scene.act(action, f"{why} The first try came to nothing.", part)
    return scene.lost(_last_words(scene, f"nothing comes of pressing {quoted(element.name)}"))


def filled(scene: Scene, written: Words) -> tuple[str, ...]:
    return tuple(scene.text(word) for word in words(written))


def own_rows(scene: Scene) -> Rows:
    """The rows of a table that show this record's own identity."""
    return rows_of(scene.page, expected(scene.view.spec, scene.view.sample).values())


def or_else(names: tuple[str, ...]) -> str:
    return " or ".join(quoted(name) for name in names)


def several(scene: Scene, what: str, found: list[Element]) -> Act | Look:
    names = ", ".join(f"{quoted(e.name)}{f' ({e.url})' if e.url else ''}" for e in found[:5])
    later = look_again(scene.view, looks=1)
    return later or scene.fail("ambiguous_target", f"there is more than one {what}: {names}")


def scroll_on(scene: Scene) -> Act | Look | None:
    """Links that come as one scrolls, once looking again has not brought them."""
    if look_at_more(scene.view, scene.page) is not None or look_again(scene.view) is not None:
        return None
    return scroll(scene.view, scene.page)


def _left_out(scene: Scene, what: str) -> Look | Onward:
    later = look_at_more(scene.view, scene.page) or look_again(scene.view, looks=OPTIONAL_LOOKS)
    if later is not None:
        return later
    route = scene.view.spec.route
    end = branch_end(route, scene.at)
    fields = dict.fromkeys(name for step in route[scene.at + 1 : end] for name in fields_of(step))
    seen = tuple(FieldValue(field=name, state="not_present", shown="") for name in fields)
    note = f"step {scene.at + 1} of the route is left out: {scene.page.url} has no {what}"
    return Onward(seen, (plain_note(note),), end - scene.at - 1)


def branch_end(route: Sequence[Step], at: int) -> int:
    """Where the route goes on without what hangs on the optional step ``at``: at the next ``open``, or after the
    ``back`` that would come back from there."""
    deep = 1
    for number in range(at + 1, len(route)):
        step = route[number]
        if isinstance(step, Open):
            return number
        deep += isinstance(step, Follow)
        deep -= isinstance(step, GoBack)
        if deep == 0:
            return number + 1
    return len(route)


def _address(scene: Scene, template: str) -> str:
    row = row_with_gaps(scene.view.spec, scene.view.sample)
    return PLACEHOLDER.sub(
        lambda m: row[m[1]].strip() if m[1] == "url" else quote(row[m[1]].strip(), safe=""), template
    )


def _last_words(scene: Scene, otherwise: str) -> str:
    last = scene.entries()[-1] if scene.entries() else None
    return f"{otherwise}: {last.message}" if last is not None and last.message else otherwise
