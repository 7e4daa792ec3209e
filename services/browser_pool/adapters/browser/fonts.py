"""Which characters this machine has no font for: pictures of a page show boxes in their place."""

from __future__ import annotations

from collections.abc import Sequence

from playwright.async_api import Page

from services.browser_pool.adapters.observe.engine import source_of

_FAMILY = "{ fontStyle: 'normal', fontWeight: '400', fontFamily: 'sans-serif' }"
_WITHOUT = f"""(texts) => {{
  {source_of("glyphs.js")}
  const glyphs = glyphsOf(document);
  return texts.map((text) => glyphs(text, {_FAMILY}) > 0);
}}"""


async def without_font(page: Page, texts: Sequence[str]) -> tuple[str, ...]:
    """Return those of the characters that are drawn as a box. ``page``: of no site."""
    boxes: list[bool] = await page.evaluate(_WITHOUT, list(texts))
    return tuple(text for text, box in zip(texts, boxes, strict=True) if box)
