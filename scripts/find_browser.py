"""Print the browser that would be used; exit with 1 when there is none, or it does not start."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from services.browser_pool.adapters.browser.launch import find_browser
from shared.errors import ExhibitError, Unavailable
from shared.settings import Settings


def main() -> None:
    with sync_playwright() as playwright:
        playwrights_own = Path(playwright.chromium.executable_path)
    try:
        path = find_browser(Settings().chromium, playwrights_own, shutil.which)
        _must_start(path)
    except ExhibitError as exc:
        if "--quiet" not in sys.argv:
            print(exc, file=sys.stderr)
        raise SystemExit(1) from exc
    if "--quiet" not in sys.argv:
        print(path)


def _must_start(path: Path) -> None:
    """Start it once: a browser may exist without its system libraries."""
    ended = subprocess.run([path, "--version", "--no-sandbox"], capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise Unavailable(f"{path} does not start: {ended.stderr.strip()[:500]}", code="no_browser")


if __name__ == "__main__":
    main()
