"""The tasks of tests/real/kits by hand-written Playwright, with selectors of each kit: a peer of `make bench-hands`."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Literal

from playwright.async_api import Error, Page, async_playwright

from services.browser_pool.adapters.browser.launch import find_browser
from shared.settings import Settings
from tests.real.kits.trials import Step, Trial

WAIT_MS = 5000.0
Bare = Callable[[Page, Step], Awaitable[object]]


async def bare_ms(tasks: Sequence[Trial], url: str) -> dict[str, float]:
    """Return the milliseconds of each task that ended as wanted, by its title, without the opening of its page."""
    taken: dict[str, float] = {}
    async with async_playwright() as playwright:
        args = ["--no-sandbox"] if os.geteuid() == 0 else []
        executable = find_browser(Settings().chromium, Path(playwright.chromium.executable_path), shutil.which)
        browser = await playwright.chromium.launch(executable_path=executable, args=args)
        page = await browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(WAIT_MS)
        for task in tasks:
            await page.goto(f"{url}/kits/{task.kit}.html")
            try:
                began_s = time.perf_counter()
                for step in task.steps:
                    await _act(page, task.kit, step)
                spent_ms = (time.perf_counter() - began_s) * 1000
                await page.evaluate("atRest(200, 2000)")
                held = (await page.evaluate("probe()"))[task.key]
            except Error as error:
                held, spent_ms = str(error).splitlines()[0], 0.0
            if held == task.wanted:
                taken[task.title] = spent_ms
            else:
                print(f"  bare {task.title}: {held!r}", file=sys.stderr, flush=True)
        await browser.close()
    return taken


async def _act(page: Page, kit: str, step: Step) -> None:
    own = OWN.get((kit, step.verb, step.name)) or OWN.get((kit, step.verb, ""))
    await (own or USUAL[step.verb])(page, step)


async def _type(page: Page, step: Step) -> None:
    if "slider" in step.roles:
        return await _slide(page, step)
    return await page.get_by_label(step.name, exact=True).fill(step.argument)


async def _type_and_leave(page: Page, step: Step) -> None:
    await _type(page, step)
    await page.keyboard.press("Tab")


async def _slide(page: Page, step: Step) -> None:
    slider = page.get_by_role("slider", name=step.name).nth(step.nth)
    await slider.focus()
    for _ in range(int(step.argument) - int(await slider.get_attribute("aria-valuenow") or await slider.input_value())):
        await page.keyboard.press("ArrowRight")


async def _drag(page: Page, step: Step) -> None:
    box = await page.get_by_role("slider", name=step.name).bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x + float(step.argument), y, steps=4)
    await page.mouse.up()


async def _click(page: Page, step: Step) -> None:
    role = step.roles[0] if step.roles else ""
    found = page.get_by_role(role, name=step.name) if role else page.get_by_text(step.name, exact=True)  # type: ignore[arg-type]
    await found.first.click()


async def _pick(page: Page, step: Step) -> None:
    await page.get_by_label(step.name, exact=True).click()
    await page.get_by_role("option", name=step.argument, exact=True).click()


async def _search_and_pick(page: Page, step: Step) -> None:
    await page.get_by_label(step.name, exact=True).fill(step.argument)
    await page.get_by_role("option", name=step.argument, exact=True).click()


async def _pick_radio(page: Page, step: Step) -> None:
    await page.get_by_text(step.argument, exact=True).click()


async def _walk_menu(page: Page, step: Step) -> None:
    *menus, last = step.argument.split(" > ")
    await page.get_by_role("button", name=step.name).click()
    for menu in menus:
        await page.get_by_role("menuitem", name=menu).hover()
    await page.get_by_role("menuitem", name=last).click()


# --- Ant Design


async def _pick_antd(page: Page, step: Step) -> None:
    await page.get_by_label(step.name, exact=True).click()
    await page.locator(f".ant-select-item-option[title='{step.argument}']:visible").click()


async def _pick_antd_far(page: Page, step: Step) -> None:
    await page.get_by_label(step.name, exact=True).click()
    at = (int(step.argument.removeprefix("City ")) - 3) * 32
    await page.locator(".rc-virtual-list-holder:visible").evaluate("(list, top) => { list.scrollTop = top }", at)
    await page.locator(f".ant-select-item-option[title='{step.argument}']").click()


async def _pick_antd_typed(page: Page, step: Step) -> None:
    await page.get_by_label(step.name, exact=True).press_sequentially(step.argument[:6])
    await page.locator(f".ant-select-item-option[title='{step.argument}']").click()


async def _pick_antd_path(page: Page, step: Step) -> None:
    await page.get_by_label(step.name, exact=True).click()
    for part in step.argument.split(" > "):
        await page.locator(f".ant-cascader-menu-item[title='{part}']").click()


async def _pick_antd_tree(page: Page, step: Step) -> None:
    await page.get_by_label(step.name, exact=True).click()
    await page.locator(f".ant-select-tree-node-content-wrapper[title='{step.argument}']").click()


async def _date_antd(page: Page, step: Step) -> None:
    field = page.get_by_label(step.name, exact=True)
    await field.click()
    await field.fill(step.argument.replace("T", " "))
    await field.press("Enter")


async def _click_antd(page: Page, step: Step) -> None:
    places = {"4": ".ant-pagination-item-4", "Alerts": "#alerts"}
    await page.locator(places[step.name]).click()


async def _rate_antd(page: Page, step: Step) -> None:
    await page.locator(".ant-rate-star").nth(step.nth).click()


# --- Vuetify


async def _pick_vuetify_far(page: Page, step: Step) -> None:
    await page.get_by_role("combobox", name=step.name).click(force=True)
    option = page.get_by_role("option", name=step.argument, exact=True)
    await page.locator(".v-overlay--active .v-list").hover()
    while not await option.count():
        await page.mouse.wheel(0, 2000)
    await option.click()


async def _pick_vuetify(page: Page, step: Step) -> None:
    await page.get_by_role("combobox", name=step.name).click(force=True)
    await page.get_by_role("option", name=step.argument, exact=True).click()
    await page.keyboard.press("Escape")


async def _date_vuetify(page: Page, step: Step) -> None:
    year, month, day = step.argument.split("-")
    field = page.get_by_label(step.name, exact=True)
    await field.fill(f"{month}/{day}/{year}")
    await field.press("Enter")


async def _page_vuetify(page: Page, step: Step) -> None:
    await page.get_by_label(step.name).click()


async def _pick_vuetify_item(page: Page, step: Step) -> None:
    await page.get_by_role("button", name=step.name).click()
    await page.locator(".v-list-item-title", has_text=step.argument).click()


# --- React Aria


async def _pick_aria(page: Page, step: Step) -> None:
    await page.get_by_role("button", name=step.name).click()
    await page.get_by_role("option", name=step.argument, exact=True).click()


async def _pick_aria_far(page: Page, step: Step) -> None:
    await page.get_by_role("button", name=step.name).click()
    at = (int(step.argument.removeprefix("City ")) - 2) * 28
    await page.get_by_role("listbox", name=step.name).evaluate("(list, top) => { list.scrollTop = top }", at)
    await page.get_by_role("option", name=step.argument, exact=True).click()


async def _pick_aria_typed(page: Page, step: Step) -> None:
    await page.get_by_role("combobox", name=step.name).press_sequentially(step.argument[:6])
    await page.get_by_role("option", name=step.argument, exact=True).click()


async def _type_aria(page: Page, step: Step) -> None:
    if ", " in step.name:  # a part of a date
        await page.get_by_role("spinbutton", name=step.name).press_sequentially(step.argument)
        return
    field = page.get_by_label(step.name, exact=True).and_(page.locator("input,textarea"))
    await field.fill(step.argument)
    if step.name == "Copies":
        await field.press("Tab")


async def _click_aria(page: Page, step: Step) -> None:
    role: Literal["button", "row"] = "row" if step.name == "Banana" else "button"
    await page.get_by_role(role, name=step.name).click()


USUAL: dict[str, Bare] = {"type": _type, "click": _click, "pick": _pick, "drag_by": _drag}
OWN: dict[tuple[str, str, str], Bare] = {
    ("antd", "pick", ""): _pick_antd,
    ("antd", "pick", "City"): _pick_antd_far,
    ("antd", "pick", "Customer"): _pick_antd_typed,
    ("antd", "pick", "Place"): _pick_antd_path,
    ("antd", "pick", "Unit"): _pick_antd_tree,
    ("antd", "pick", "Size"): _pick_radio,
    ("antd", "pick", "Actions"): _walk_menu,
    ("antd", "set_date", ""): _date_antd,
    ("antd", "type", "Volume"): _slide,
    ("antd", "click", "star"): _rate_antd,
    ("antd", "click", "4"): _click_antd,
    ("antd", "click", "Alerts"): _click_antd,
    ("vuetify", "pick", ""): _pick_vuetify,
    ("vuetify", "pick", "City"): _search_and_pick,
    ("vuetify", "pick", "Port"): _pick_vuetify_far,
    ("vuetify", "pick", "Size"): _pick_radio,
    ("vuetify", "pick", "Actions"): _pick_vuetify_item,
    ("vuetify", "set_date", ""): _date_vuetify,
    ("vuetify", "type", "Copies"): _type_and_leave,
    ("vuetify", "click", "Go to page 3"): _page_vuetify,
    ("aria", "pick", ""): _pick_aria,
    ("aria", "pick", "City"): _pick_aria_far,
    ("aria", "pick", "Customer"): _pick_aria_typed,
    ("aria", "pick", "Size"): _pick_radio,
    ("aria", "pick", "Actions"): _walk_menu,
    ("aria", "type", "Volume"): _slide,
    ("aria", "click", "Remove urgent"): _click_aria,
    ("aria", "click", "Banana"): _click_aria,
    ("aria", "type", ""): _type_aria,
}
"""What a kit needs instead of the usual way, for one widget or for all (no name)."""
