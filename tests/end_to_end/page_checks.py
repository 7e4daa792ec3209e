"""What a page of the console owes to whoever reads it small, by keyboard, or without motion."""

from __future__ import annotations

from playwright.async_api import Page, TimeoutError

MOST_STOPS = 150
_SETTLED = """() => document.readyState === "complete" && !document.querySelector(":not(:defined)")
    && [...document.querySelectorAll("sample-grid")].every((one) => one.querySelector(".grid-cell"))"""
_COMMON = r"""
    const said = (one) => `${one.localName} ${one.getAttribute("class") ?? ""} ${one.textContent.trim().slice(0, 40)}`;
    const seen = (one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest("svg, .unseen, .skip");
"""
_CUT_OFF = r"""() => {COMMON
    const found = [], whole = document.documentElement.scrollWidth, range = document.createRange();
    const outer = ({ parentElement: at }) => (at === document.body ? [] : [at, ...outer(at)]);
    const clips = (one) => getComputedStyle(one).overflowX !== "visible";
    if (whole > innerWidth) found.push(`the page is ${whole} px wide`);
    for (const one of [...document.body.querySelectorAll("*")].filter(seen)) {
        const { left, right, width, height } = one.getBoundingClientRect(), style = getComputedStyle(one);
        if (width < 2 || height < 2) continue;
        if ((right > innerWidth + 1 || left < -1) && !outer(one).some(clips)) found.push(`outside: ${said(one)}`);
        const hides = /hidden|clip/.test(style.overflowX) && style.textOverflow !== "ellipsis";
        const texts = [...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
        if ((hides || one.localName === "button") && texts && one.scrollWidth > one.clientWidth + 2)
            found.push(`cut off: ${said(one)}`);
    }
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let at = texts.nextNode(); at; at = texts.nextNode()) {
        if (!seen(at.parentElement) || at.parentElement.closest("pre, code")) continue;
        for (const { 0: word, index } of at.data.matchAll(/(?<![^\s(])[A-Za-z]{2,12}(?=[,.;:)]?(\s|$))/g)) {
            range.setStart(at, index);
            range.setEnd(at, index + word.length);
            const lines = new Set([...range.getClientRects()].map((one) => Math.round(one.top)));
            if (lines.size > 1) found.push(`broken: ${word} of ${said(at.parentElement)}`);
        }
    }
    return found;
}"""
_MOVES = r"""() => {COMMON
    const lasts = (text) => text.split(",").some((one) => parseFloat(one) > 0.01);
    const moving = document.getAnimations().filter((one) => one.playState === "running");
    const would = [...document.querySelectorAll("*")].filter((one) => {
        const style = getComputedStyle(one);
        return lasts(style.transitionDuration) || lasts(style.animationDuration);
    });
    return [...moving.map((one) => one.effect.target), ...would].map((one) => `moves: ${said(one)}`);
}"""
_STOPS = r"""() => {
    const kinds = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']";
    const all = [...document.querySelectorAll(kinds)], groups = new Set();
    window.reached = new Set();
    document.body.tabIndex = -1;
    document.body.focus();  // Tab begins at the top, also where the address names a part of the page
    document.body.removeAttribute("tabindex");
    window.stops = all.filter((one) => {
        if (!one.checkVisibility({ visibilityProperty: true }) || one.disabled || one.tabIndex < 0) return false;
        if (one.type !== "radio") return true;
        const group = all.filter((other) => other.type === "radio" && other.name === one.name);
        const first = group.find((other) => other.checked) ?? group[0];
        return one === first;
    });
}"""
_STOP = r"""() => {COMMON
    const one = document.activeElement;
    if (!one || one === document.body) return null;
    window.reached.add(one);
    const editor = one.shadowRoot?.querySelector(".cm-editor");
    const outlined = [one, editor, one.shadowRoot?.activeElement]
        .some((at) => at && getComputedStyle(at).outlineStyle !== "none");
    const drawn = [...one.querySelectorAll("rect")].some((at) => getComputedStyle(at).stroke !== "none");
    return outlined || drawn ? "" : `shows no focus: ${said(one)}`;
}"""
_LEFT = r"""() => {COMMON
    return window.stops.filter((one) => one.isConnected && !window.reached.has(one))
        .map((one) => `not reached: ${said(one)} ${one.name ?? ""}`);
}"""


async def settled(page: Page) -> None:
    """Wait until all elements of the page are there."""
    await page.wait_for_function(_SETTLED)


async def cut_off(page: Page) -> list[str]:
    """Return what is outside of the page at its width now, words that are cut off, and short ones that are broken."""
    return await page.evaluate(_CUT_OFF.replace("COMMON", _COMMON))


async def motion_of(page: Page) -> list[str]:
    """Return what moves, or would when it changes."""
    return await page.evaluate(_MOVES.replace("COMMON", _COMMON))


async def out_of_reach(page: Page) -> list[str]:
    """Press Tab from the top of the page to its end; return what is not reached, or shows no focus."""
    await page.evaluate(_STOPS)
    for _ in range(MOST_STOPS):
        await page.keyboard.press("Tab")
        told = await page.evaluate(_STOP.replace("COMMON", _COMMON))
        if told is None:
            return await page.evaluate(_LEFT.replace("COMMON", _COMMON))
        if told and not await _shows_focus(page):
            return [told]
    return [f"Tab is pressed {MOST_STOPS} times, and the page has no end"]


async def _shows_focus(page: Page) -> bool:
    """Whether the focus is shown, if not at once."""
    try:
        await page.wait_for_function(f"() => ({_STOP.replace('COMMON', _COMMON)})() === ''")
    except TimeoutError:
        return False
    return True
