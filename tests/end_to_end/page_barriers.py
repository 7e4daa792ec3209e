"""What axe-core finds on a page that keeps people from using it: contrast, names, order, roles."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from playwright.async_api import Page

AXE = Path(__file__).parents[1] / "fixtures/axe/axe.min.js"
AXE_SHA256 = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"
_RUN = """async () => {
    const found = await axe.run(document, { resultTypes: ["violations"] });
    return found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target.join(" ")).join(", ")}`);
}"""


@cache
def _axe() -> str:
    data = AXE.read_bytes()
    assert hashlib.sha256(data).hexdigest() == AXE_SHA256
    return data.decode()


async def barriers_of(page: Page) -> list[str]:
    """Return each rule that the page breaks, with the elements that do."""
    await page.evaluate(_axe())
    return await page.evaluate(_RUN)
