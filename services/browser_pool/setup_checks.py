"""What a browser pool needs of its machine: a browser that starts, memory for its pages, login states of its own."""

from __future__ import annotations

import json
import stat
import time
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from services.browser_pool.adapters.browser.fonts import without_font
from services.browser_pool.adapters.browser.launch import start
from services.browser_pool.adapters.browser.lifecycle import login_store
from services.browser_pool.adapters.browser.memory import free_mb
from shared.errors import ExhibitError
from shared.settings import Settings
from shared.setup.check import SetupCheck, SetupFinding, fine, in_thread, problem, warning, worst

SCRIPTS: Mapping[str, str] = {
    "a": "Latin", "Ω": "Greek", "Ж": "Cyrillic", "א": "Hebrew", "ع": "Arabic", "अ": "Devanagari", "ก": "Thai",
    "中": "Chinese", "あ": "Japanese", "한": "Korean",
}  # fmt: skip
"""Scripts by a character of each."""
SESSION_MB = 150
"""What one session takes, roughly."""
OTHERS = stat.S_IRWXG | stat.S_IRWXO


async def check_browser(settings: Settings) -> SetupFinding:
    """Start the browser, and open a page in it."""
    process = await start(settings.chromium)
    try:
        await process.new_context()
        return fine(f"Chromium {process.browser.version} starts and opens a page")
    finally:
        await process.close()


async def check_fonts(settings: Settings) -> SetupFinding:
    """Draw a character of each script in the browser. Where none starts, the check of the browser says why."""
    try:
        process = await start(settings.chromium)
    except ExhibitError:
        return warning("not looked at, for no browser starts", "Mend that first.")
    try:
        warm = await process.new_context()
        return fonts_finding(await without_font(warm.page, tuple(SCRIPTS)))
    finally:
        await process.close()


def fonts_finding(boxes: Collection[str]) -> SetupFinding:
    """Return what is told of the characters that are drawn as boxes."""
    drawn = ", ".join(name for one, name in SCRIPTS.items() if one not in boxes)
    missing = ", ".join(name for one, name in SCRIPTS.items() if one in boxes)
    if not missing:
        return fine(f"pictures show {drawn}")
    return warning(
        f"no font has {missing}: pictures show boxes there, while values are read all the same; their samples say so",
        "Where a site shows such text, install fonts for it, such as the packages fonts-noto-core and fonts-noto-cjk.",
    )


async def check_memory(settings: Settings) -> SetupFinding:
    free = await in_thread(free_mb)
    least = settings.min_free_memory_mb
    if free < least + SESSION_MB:
        return problem(
            f"{free:.0f} MB of memory are free, and no session is leased below {least} MB",
            "Free memory, or set EXHIBIT_MIN_FREE_MEMORY_MB.",
        )
    rooms = int((free - least) // SESSION_MB)
    if rooms < settings.browser_capacity:
        return warning(
            f"{free:.0f} MB of memory are free: enough for about {rooms} of {settings.browser_capacity} sessions",
            f"Set EXHIBIT_BROWSER_CAPACITY to {max(rooms, 1)}, or free memory.",
        )
    return fine(f"{free:.0f} MB of memory are free")


async def check_logins(settings: Settings) -> SetupFinding:
    """Read every login state: its mode, its form, and whether all of its cookies have expired."""
    store = login_store(settings)
    files = sorted(store.path("x").parent.glob("*.json"))
    findings: list[SetupFinding] = []
    for file in files:
        try:
            await store.find(file.stem)
        except ExhibitError as exc:
            findings.append(problem(str(exc), "Record it again with `exhibit login`."))
            continue
        findings.append(_login_finding(file, time.time()))
    names = ", ".join(file.stem for file in files)
    return worst(findings, f"login states: {names}" if names else "no login state is recorded")


def _login_finding(file: Path, now_s: float) -> SetupFinding:
    if stat.S_IMODE(file.stat().st_mode) & OTHERS:
        return problem(f"the login state {file.stem} can be read by others", f"chmod 0600 {file}")
    known: dict[str, Any] = json.loads(file.read_bytes())
    ends = [float(cookie.get("expires", -1)) for cookie in known["cookies"]]
    if ends and all(0 < end < now_s for end in ends):
        return warning(f"all cookies of the login state {file.stem} have expired", "Record it again: `exhibit login`.")
    return fine(file.stem)


SETUP_CHECKS = (
    SetupCheck("browser", check_browser, 40.0, "Look whether the machine is overloaded, or set EXHIBIT_CHROMIUM."),
    SetupCheck("fonts", check_fonts, 40.0, "Look whether the machine is overloaded, or set EXHIBIT_CHROMIUM."),
    SetupCheck("memory", check_memory),
    SetupCheck("login states", check_logins),
)
