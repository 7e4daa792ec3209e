"""Which browser to drive."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from shared.errors import Unavailable

COMMANDS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
SHELL_NAMES = ("chrome-headless-shell", "headless_shell")


def find_browser(chosen: Path | None, playwrights_own: Path, which: Callable[[str], str | None]) -> Path:
    """The executable to start; Unavailable, saying what to install, when there is none."""
    if chosen is not None:
        if chosen.is_file():
            return chosen
        raise Unavailable(f"EXHIBIT_CHROMIUM is {chosen}, and no such file exists", code="no_browser")
    for own in (headless_shell_beside(playwrights_own), playwrights_own):
        if own is not None and own.is_file():
            return own
    for command in COMMANDS:
        path = which(command)
        if path:
            return Path(path)
    raise Unavailable(
        "no browser was found. Install one: `playwright install chromium-headless-shell`, or your system's "
        "package (Debian: `apt-get install chromium-headless-shell`), or set EXHIBIT_CHROMIUM to its path",
        code="no_browser",
    )


def headless_shell_beside(chromium: Path) -> Path | None:
    """Playwright's headless shell, three times faster with fresh contexts; it is installed apart from its Chromium.

    ``.../chromium-1255/chrome-linux/chrome`` has it in ``.../chromium_headless_shell-1255/*/``.
    """
    for folder in chromium.parents:
        if folder.name.startswith("chromium-"):
            shells = folder.with_name(folder.name.replace("chromium-", "chromium_headless_shell-", 1))
            found = (path for name in SHELL_NAMES for path in sorted(shells.glob(f"*/{name}*")) if path.is_file())
            return next(found, None)
    return None
