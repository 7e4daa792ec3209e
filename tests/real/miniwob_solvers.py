"""Solvers of MiniWoB's tasks, with observations and typed actions only.

One solver per family of tasks. The instructions are read from the page.
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Awaitable, Callable

from shared.contracts.actions import ByText, Click, Extract, PickOption, Wait
from shared.contracts.browser_pool import Element
from shared.contracts.results import TextRead
from tests.real.miniwob_pictures import bisect_angle, circle_center, click_color, click_shades, count_sides
from tests.real.miniwob_shapes import click_shape, count_shape
from tests.real.player import Player, Stuck, squeezed

SPREAD_S = 1.2
"""Time for a pie menu to unfold, in seconds."""
SUBMENU_S = SUGGESTED_S = 0.6
"""Delay of submenus and suggestions after the last mouse or key event."""

Solver = Callable[[Player], Awaitable[None]]

# What a person knows of words.
_ALIKE = """big large huge enormous gigantic; small tiny little mini petite; red scarlet crimson vermillion;
happy cheerful joyful gleeful delighted; sad unhappy sorrowful miserable tragic; angry mad furious irritated;
evil wicked immoral sinful corrupt depraved; wrong incorrect mistaken erroneous; real genuine actual;
strange odd peculiar unusual weird; stop cease halt end finish; scared terrified panicked fearful frightened afraid;
quiet calm peaceful serene mild; old aged archaic; love like adore favor; kill murder assassinate;
keep retain preserve sustain maintain; hide conceal camouflage; hate despise loathe detest dislike;
funny humorous amusing comical laughable; fat fleshy plump chubby; stupid dumb dull unwise;
delicious savory delectable appetizing; cut slice carve chop; brave courageous fearless;
begin start initiate launch; answer reply response; television televisions TV TVs; house home houses homes;
fire flame fires flames; pig pork swine; rabbit rabbits bunny bunnies;
car cars automobile automobiles vehicle vehicles; water"""
_SENSES = [set(group.split()) for group in _ALIKE.split(";")]


def asked(p: Player) -> str:
    """Return the instruction of the page: its first text."""
    texts = p.all("text")
    if not texts:
        raise Stuck("the page asks for nothing")
    return squeezed(texts[0].name)


def quoted(p: Player) -> str:
    found = re.search(r'"(.+)"', asked(p))
    if not found:
        raise Stuck(f"nothing is quoted in {asked(p)!r}")
    return found[1]


async def submit(p: Player) -> None:
    await p.click(p.one("button", name="Submit"))


async def click_test(p: Player) -> None:
    await p.click(p.one("button"))


async def click_buttons_in_turn(p: Player) -> None:
    for name in re.findall(r"button (\w+)", asked(p)):
        await p.click(p.one("button", name=name))


async def button_delay(p: Player) -> None:
    seconds = float(re.findall(r"wait (\d+) seconds", asked(p))[0])
    first, second = (p.one("button", name=name) for name in re.findall(r"button (\w+)", asked(p)))
    # From the order for the first click to the order for the second: what is lost on the way is lost twice.
    began_s = time.monotonic()
    await p.hand.act(Click(target=p.at(first)))
    target = ByText(text="nothing of the kind")
    await p.hand.act(Wait(target=target, timeout_s=max(0.05, seconds - (time.monotonic() - began_s))))
    await p.click(second)


async def click_button(p: Player) -> None:
    await p.click(p.all("button", name=lambda name: name == quoted(p))[0])


async def click_link(p: Player) -> None:
    await p.click(_link(p, quoted(p)) or _stuck(f"no link {quoted(p)!r}"))


def _link(p: Player, text: str) -> Element | None:
    found = p.all("button", "link", name=text) or p.all(name=text, where=lambda one: "clickable" in one.states)
    return found[0] if found else None


def _stuck(why: str) -> Element:
    raise Stuck(why)


async def click_link_behind(p: Player) -> None:
    """Click a link in one of several tabs or sections, of which one is open at a time."""
    wanted = quoted(p)
    for name in [one.name for one in p.all("tab")]:
        if (link := _link(p, wanted)) is not None:
            await p.click(link)
            return
        await p.click(p.one("tab", name=name))
    await p.click(_link(p, wanted) or _stuck(f"no link {wanted!r} behind any tab"))


async def click_tab(p: Player) -> None:
    await p.click(p.one("tab", name=asked(p).removeprefix("Click on ").removesuffix(".")))


async def click_collapsible(p: Player) -> None:
    await p.click(p.all("tab", name=lambda name: name.startswith("Section"))[0])
    await submit(p)


async def click_checkboxes(p: Player) -> None:
    wanted = re.sub(r"^Select | and click Submit\.$", "", asked(p))
    for name in [] if wanted == "nothing" else wanted.split(", "):
        await p.click(p.one("checkbox", name=name))
    await submit(p)


async def click_checkboxes_soft(p: Player) -> None:
    words = re.sub(r"^Select words similar to | and click Submit\.$", "", asked(p)).split(", ")
    for word in words:
        alike = next(sense for sense in _SENSES if word in sense)
        await p.click(p.one("checkbox", name=lambda name, alike=alike: squeezed(name) in alike))
    await submit(p)


async def click_option(p: Player) -> None:
    await p.click(p.one("radio", name=re.sub(r"^Select | and click Submit\.$", "", asked(p))))
    await submit(p)


async def choose_list(p: Player) -> None:
    option = re.sub(r"^Select | from the list and click Submit\.$", "", asked(p))
    await p.select(p.one("combobox", "listbox"), option)
    await submit(p)


async def click_scroll_list(p: Player) -> None:
    options = re.sub(r"^Select | from the scroll list and click Submit\.$", "", asked(p)).split(", ")
    for option in options:
        await p.act(PickOption(target=p.at(p.one("listbox", "combobox")), option=option))
    await submit(p)


async def choose_date(p: Player) -> None:
    await p.set_date(p.one("textbox"), _iso(asked(p)))
    await submit(p)


def _iso(text: str) -> str:
    month, day, year = re.findall(r"(\d\d)/(\d\d)/(\d{4})", text)[0]
    return f"{year}-{month}-{day}"


async def click_dialog(p: Player) -> None:
    wanted = quoted(p)
    await p.click(p.one("button", name="Close" if wanted == "x" else wanted, where=lambda one: one.in_dialog))


async def click_menu(p: Player) -> None:
    *parents, leaf = asked(p).removeprefix("Select ").split(">")
    for name in parents:
        await p.hover(p.one("menuitem", name=name))
        await _a_while(p, SUBMENU_S)
    await p.click(p.one("menuitem", name=leaf))


async def click_menu_2(p: Player) -> None:
    labelled, icons = re.findall(r'labeled "(.+)"', asked(p)), p.all("img")
    if not labelled and not icons:
        raise Stuck("which icon is meant is not told")
    wanted = _letters(labelled[0] if labelled else _MEANINGS.get(_letters(icons[0].name), icons[0].name))
    await p.click(p.one("button", name="Menu"))
    for name in [one.name for one in p.all("menuitem")]:
        if p.all("menuitem", name=lambda shown: _letters(shown) == wanted):
            break
        with contextlib.suppress(Stuck):  # one that is disabled opens nothing
            await p.hover(p.one("menuitem", name=name))
        await _a_while(p, SUBMENU_S)
    await p.click(p.one("menuitem", name=lambda shown: _letters(shown) == wanted))


# What a person knows of icons that are not called what they do.
_MEANINGS = {"disk": "save", "seekstart": "prev", "seekend": "next"}


def _letters(text: str) -> str:
    return re.sub(r"[^a-z]", "", text.lower().removeprefix("icon "))


async def _a_while(p: Player, seconds: float) -> None:
    """Wait by waiting for something that never appears, then observe again."""
    await p.hand.act(Wait(target=ByText(text="nothing of the kind"), timeout_s=seconds))
    await p.look()


async def click_pie(p: Player) -> None:
    wanted = quoted(p)
    await p.click(p.one(name=lambda name: _drawn_letter(name) == "+"))
    await _a_while(p, SPREAD_S)
    found = p.all(name=lambda name: _drawn_letter(name) == wanted)
    await p.click(found[-1] if found else _stuck(f"no slice {wanted!r}"))


def _drawn_letter(name: str) -> str:
    """Return the letter without the colour in its name."""
    return squeezed(name).split(", ")[0]


async def click_widget(p: Player) -> None:
    kind = quoted(p)
    tags = {"text": ("input", "textbox"), "textarea": ("textarea", "textbox")}
    tag, role = tags.get(kind, ("", kind))
    await p.click(p.all(role, where=lambda one: not tag or one.tag == tag)[0])


async def copy_paste(p: Player) -> None:
    areas = p.all("textbox", where=lambda one: one.tag == "textarea")
    which = re.search(r"(\d)(?:st|nd|rd) text area", asked(p))
    read = await p.act(Extract(target=p.at(areas[int(which[1]) - 1 if which else 0])))
    assert isinstance(read.effect, TextRead)
    await p.type(p.one("textbox", where=lambda one: one.tag == "input"), read.effect.text)
    await submit(p)


async def buy_ticket(p: Player) -> None:
    await p.click(_ticket(p, "Book for", re.findall(r"with the (.+)\.", asked(p))[0]))


def _ticket(p: Player, button: str, wanted: str) -> Element:
    """Return the wanted offer; each has a duration and a price on its button."""
    lengths = [int(h) * 60 + int(m) for one in p.elements for h, m in re.findall(r"^(\d+)h (\d+)m$", one.name)]
    buttons = p.all("button", name=lambda name: name.startswith(button))
    prices = [int(one.name.split("$")[1]) for one in buttons]
    if len(lengths) != len(buttons) or not buttons:
        raise Stuck(f"{len(lengths)} durations stand beside {len(buttons)} prices")
    values = lengths if re.search(r"duration|shortest", wanted) else prices
    best = max if re.search(r"longest|most", wanted) else min
    return buttons[values.index(best(values))]


async def book_flight(p: Player) -> None:
    kind, origin, destination = re.findall(r"Book the (\w+) .*from: (.+) to: (.+) on", asked(p))[0]
    date = _iso(asked(p))
    await _suggested(p, "From:", origin)
    await _suggested(p, "To:", destination)
    await p.set_date(p.one("textbox", where=lambda one: "readonly" in one.states), date)
    await p.click(p.one("button", name="Search"))
    await p.click(_ticket(p, "Book flight for", kind))


async def _suggested(p: Player, field: str, text: str) -> None:
    """Choose the first suggestion that contains the wanted text."""
    await p.type(p.one("textbox", "combobox", name=field), text)
    await _a_while(p, SUGGESTED_S)
    offered = p.all("menuitem", "option", "button", "link", name=lambda name: text in name)
    await p.click(offered[0] if offered else _stuck(f"nothing is suggested for {text!r}"))


async def ascending_numbers(p: Player) -> None:
    """Click ascending numbers. They are hidden after the first click, so positions are remembered."""
    places = {name: p.one(name=str(name)).box for name in range(1, 6)}
    await p.click(p.one(name="1"))
    for number in range(2, 6):
        box = places[number]
        assert box is not None
        x, y = box.x + box.width / 2, box.y + box.height / 2
        hidden = p.all(where=lambda one, x=x, y=y: _holds(one, x, y) and one.role in ("button", "image", "img"))
        await p.click(hidden[-1] if hidden else _stuck("the covered numbers are not in the observation"))


def _holds(one: Element, x: float, y: float) -> bool:
    box = one.box
    return (
        box is not None
        and box.width < 40
        and abs(box.x + box.width / 2 - x) < 14
        and abs(box.y + box.height / 2 - y) < 14
    )


def _untold(why: str) -> Solver:
    async def solver(p: Player) -> None:
        raise Stuck(why)

    return solver


SOLVERS: dict[str, Solver] = {
    "ascending-numbers": ascending_numbers,
    "bisect-angle": bisect_angle,
    "book-flight": book_flight,
    "button-delay": button_delay,
    "buy-ticket": buy_ticket,
    "chase-circle": _untold("the circle moves on while one looks: a picture of it is always late"),
    "choose-date": choose_date,
    "choose-list": choose_list,
    "circle-center": circle_center,
    "click-button-sequence": click_buttons_in_turn,
    "click-button": click_button,
    "click-checkboxes-soft": click_checkboxes_soft,
    "click-checkboxes": click_checkboxes,
    "click-collapsible-2": click_link_behind,
    "click-collapsible": click_collapsible,
    "click-color": click_color,
    "click-dialog": click_dialog,
    "click-link": click_link,
    "click-menu-2": click_menu_2,
    "click-menu": click_menu,
    "click-option": click_option,
    "click-pie": click_pie,
    "click-scroll-list": click_scroll_list,
    "click-shades": click_shades,
    "click-shape": click_shape,
    "click-tab-2": click_link_behind,
    "click-tab": click_tab,
    "click-test-2": click_buttons_in_turn,
    "click-test-transfer": click_buttons_in_turn,
    "click-test": click_test,
    "click-widget": click_widget,
    "copy-paste": copy_paste,
    "count-shape": count_shape,
    "count-sides": count_sides,
}


def solver_for(task: str) -> Solver:
    """Return the solver with the longest matching family name; variants differ in size or delay only."""
    family = max((name for name in SOLVERS if task.startswith(name)), key=len, default=None)
    if family is None:
        raise KeyError(f"no solver for {task}")
    return SOLVERS[family]
