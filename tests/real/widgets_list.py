"""The tested widgets, and how each is set: one or two actions, as a model would choose them."""

from __future__ import annotations

from shared.contracts.actions import ByText, Wait
from shared.contracts.browser_pool import Element
from tests.real.player import Player, Stuck
from tests.real.widgets_play import Widget

PICKED_FROM = ("textbox", "combobox", "searchbox", "listbox")
CLICKED = ("button", "tab", "checkbox", "radio", "switch", "menuitem", "summary", "DisclosureTriangle", "link")


def _pick(field: str, *options: str):
    async def play(p: Player) -> None:
        for option in options:
            await p.pick(_field_called(p, field), option)

    return play


def _field_called(p: Player, name: str) -> Element:
    """Return the field of that name, else the first one after that text."""
    if named := p.all(*PICKED_FROM, name=name):
        return named[-1]
    label = p.one("text", name=name)
    behind = [one for one in p.elements if one.ref > label.ref]
    # What has a name of its own is not named by that text.
    if not behind or behind[0].role not in PICKED_FROM:
        raise Stuck(f"no field is named {name!r}, and none follows that text")
    return behind[0]


def _date(field: str, date: str):
    async def play(p: Player) -> None:
        await p.set_date(_field_called(p, field), date)

    return play


def _type(field: str, text: str):
    async def play(p: Player) -> None:
        await p.type(p.one("textbox", "spinbutton", name=field), text)

    return play


def _click(*names: str):
    async def play(p: Player) -> None:
        for name in names:
            await p.click(_named(p, name))

    return play


def _named(p: Player, name: str) -> Element:
    """Return the control of that name; the first one if it is reported twice (a tab and its link)."""
    found = p.all(*CLICKED, name=name)
    if not found or any(not _touch(found[0], one) for one in found):
        raise Stuck(f"{len(found)} controls are named {name!r}")
    return found[0]


def _touch(one: Element, other: Element) -> bool:
    a, b = one.box, other.box
    if a is None or b is None:
        return False
    return abs(a.x - b.x) < max(a.width, b.width) and abs(a.y - b.y) < max(a.height, b.height)


def _keys(slider: str, key: str, times: int):
    async def play(p: Player) -> None:
        for _ in range(times):
            await p.press(key, p.one("slider", name=slider))

    return play


def _drag(slider: str, right_px: float):
    async def play(p: Player) -> None:
        await p.drag_by(p.one("slider", name=slider), right_px=right_px)

    return play


async def _export_as_table(p: Player) -> None:
    await p.hover(p.one("menuitem", name="Export"))
    await p.act(Wait(target=ByText(text="As table"), timeout_s=20.0))
    await p.click(p.one("menuitem", name="As table"))


async def _new_user(p: Player) -> None:
    await p.click(_named(p, "Create new user"))
    await p.type(p.one("textbox", name="Name"), "Zoë Lindqvist")
    await p.click(_named(p, "Create"))


async def _new_file_name(p: Player) -> None:
    await p.click(_named(p, "Rename"))
    await p.type(p.one("textbox", name="New name"), "2026 audit.csv")
    await p.click(_named(p, "Save"))


async def _keyword(p: Player) -> None:
    await p.type(p.one("combobox", "textbox", name="Keywords"), "seal")
    await p.press("Enter")


def _jquery(name: str, key: str, wanted: object, play: object) -> Widget:
    return Widget("jQuery UI", name, "jquery_ui", key, wanted, play)  # type: ignore[arg-type]


def _shoelace(name: str, key: str, wanted: object, play: object) -> Widget:
    return Widget("Shoelace", name, "shoelace", key, wanted, play)  # type: ignore[arg-type]


def _field(library: str, name: str, key: str, wanted: object, play: object) -> Widget:
    return Widget(library, name, "fields", key, wanted, play)  # type: ignore[arg-type]


WIDGETS = (
    _jquery("date picker", "date", "2027-02-28", _date("Delivery date", "2027-02-28")),
    _jquery("date picker with years", "birth", "1961-04-12", _date("Date of birth", "1961-04-12")),
    _jquery("autocomplete", "city", "Bergen", _pick("City", "Bergen")),
    _jquery("autocomplete of a server", "customer", "Acme Tools", _pick("Customer", "Acme Tools")),
    _jquery("selectmenu", "speed", "Faster", _pick("Speed", "Faster")),
    _jquery("spinner", "copies", 12, _type("Copies", "12")),
    _jquery("slider by keys", "volume", 33, _keys("Volume", "ArrowRight", 3)),
    _jquery("slider by dragging", "volume", 80, _drag("Volume", 150)),
    _jquery("menu", "menu", "New", _click("New")),
    _jquery("submenu", "menu", "As table", _export_as_table),
    _jquery("dialog", "user", "Zoë Lindqvist", _new_user),
    _jquery("tabs", "tab", 1, _click("Invoices")),
    _jquery("tab of a server", "tab", 2, _click("Archive")),
    _jquery("accordion", "section", 1, _click("Payment")),
    _jquery("radio button", "air", True, _click("Air")),
    _jquery("checkbox button", "insured", True, _click("Insured")),
    _shoelace("input", "name", "Łukasz Nowak", _type("Name", "Łukasz Nowak")),
    _shoelace("date", "date", "2027-02-28", _date("Delivery date", "2027-02-28")),
    _shoelace("textarea", "note", "two\nlines", _type("Note", "two\nlines")),
    _shoelace("select", "speed", "fast", _pick("Speed", "Fast")),
    _shoelace("select of several", "colours", ["red", "blue"], _pick("Colours", "Red", "Blue")),
    _shoelace("slider by keys", "volume", 33, _keys("Volume", "ArrowRight", 3)),
    _shoelace("checkbox", "terms", True, _click("I accept the terms")),
    _shoelace("switch", "alerts", True, _click("Alerts")),
    _shoelace("radio group", "size", "l", _click("Large")),
    _shoelace("menu", "menu", "archive", _click("Actions", "Archive")),
    _shoelace("dialog", "file", "2026 audit.csv", _new_file_name),
    _shoelace("tabs", "tab", "invoices", _click("Invoices")),
    _shoelace("details", "more", True, _click("More about it")),
    _field("flatpickr", "date picker", "date", "2027-02-28", _date("Delivery date", "2027-02-28")),
    _field("flatpickr", "date and time", "meeting", "2026-12-24 14:30", _date("Meeting", "2026-12-24T14:30")),
    _field("flatpickr", "date shown in words", "shown", "2025-05-01", _date("Shown in words", "2025-05-01")),
    _field("Choices", "select", "country", "no", _pick("Country", "Norway")),
    _field("Choices", "select of several", "tags", ["urgent", "export"], _pick("Tags", "urgent", "export")),
    _field("Tom Select", "select", "owner", "lina", _pick("Owner", "Lina Berg")),
    _field("Tom Select", "options of a server", "customer", "18", _pick("Customer", "Acme Tools")),
    _field("Tom Select", "free words", "keywords", "seal", _keyword),
)
