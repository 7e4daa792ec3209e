"""A browser pool's session on the pages of the kits."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from services.browser_pool.adapters.browser.chromium import Chromium
from services.browser_pool.adapters.browser.login_files import LoginFolder
from services.browser_pool.adapters.session import SessionLimits
from shared.settings import Settings
from tests.browser.site import LOOPBACK
from tests.real.kits.checked import CheckedHand
from tests.real.kits.site import kits_site
from tests.real.kits.trials import Trier

LIMITS = SessionLimits(action_s=10.0, navigation_s=30.0, rest_s=5.0, download_bytes=50_000)


@asynccontextmanager
async def trier(folder: Path, kits: Sequence[str]) -> AsyncGenerator[Trier]:
    """Yield who tries the trials of these kits."""
    browser = Chromium(chromium=Settings().chromium, logins=LoginFolder(folder / "auth"), limits=LIMITS)
    try:
        async with kits_site(kits) as site:
            session = await browser.open_session(LOOPBACK)
            yield Trier(CheckedHand(session), site.url)
    finally:
        await browser.close()
