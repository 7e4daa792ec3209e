"""Icons of third-party packages, drawn by the real browser as status icons, and read without a model.

The state of an icon follows from its name only, by the same rules for every package.
"""

from __future__ import annotations

import io
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.async_api import async_playwright

from scripts.fetch_packages import packages
from services.browser_pool.adapters.browser.launch import find_browser
from services.vision.icons.pixels import PixelGrid
from services.vision.icons.verdict import IconReading, read_icon

FOLDERS = {
    "octicons": ("@primer/octicons", "build/svg"),
    "bootstrap": ("bootstrap-icons", "icons"),
    "tabler": ("@tabler/icons", "icons/outline"),
    "tabler filled": ("@tabler/icons", "icons/filled"),
    "mdi": ("@mdi/svg", "svg"),
}
PALETTES = {
    "octicons": ("#1a7f37", "#cf222e", "#bf8700", "#6e7781", "#bc4c00", "#0969da"),
    "bootstrap": ("#198754", "#dc3545", "#ffc107", "#6c757d", "#fd7e14", "#0d6efd"),
    "tabler": ("#2fb344", "#d63939", "#f59f00", "#868e96", "#f76707", "#206bc4"),
    "tabler filled": ("#3fb950", "#f85149", "#d29922", "#8b949e", "#db6d28", "#58a6ff"),
    "mdi": ("#4caf50", "#f44336", "#ffa000", "#9e9e9e", "#ff9800", "#2196f3"),
}
"""Green, red, amber, grey, orange, blue: the status colours of each package's users."""
GREEN, RED, AMBER, GREY, ORANGE, BLUE = range(6)
GROUNDS = {"white": "#ffffff", "light grey": "#f6f8fa", "dark": "#0d1117"}
SIZES_PX = (16, 20, 24, 32)
GAP_PX = 8
COLUMNS = 60

_PLAIN = {"circle", "fill", "filled", "outline", "square", "box", "octagon", "lg", "bold", "thick"}
_MARKS = {"check": "check", "check2": "check", "x": "cross", "close": "cross", "minus": "dash", "dash": "dash"}


@dataclass(frozen=True)
class Icon:
    """One icon. ``kind`` is derived from its name; ``wanted`` is the state that a person reads in it, in ``colour``."""

    package: str
    name: str
    svg: str
    kind: str
    wanted: str
    colour: str


@dataclass(frozen=True)
class Tile:
    icon: Icon
    size_px: int
    ground: str
    pad_px: int


@dataclass(frozen=True)
class Read:
    tile: Tile
    reading: IconReading

    @property
    def verdict(self) -> str:
        if self.reading.state is None:
            return "refused"
        return "right" if self.reading.state == self.tile.icon.wanted else "WRONG"


_NAMES = {
    ("dot", "pending", AMBER): "dot dot-fill circle-fill circle circle-filled circle-medium circle-outline",
    ("skip", "neutral", GREY): "skip skip-fill slash-circle slash-circle-fill circle-slash ban cancel no-entry "
    "no-entry-fill ban-fill block-helper",
    ("triangle", "warning", ORANGE): "exclamation-triangle exclamation-triangle-fill alert-triangle alert alert-fill "
    "alert-outline",
    ("clock", "pending", AMBER): "clock clock-fill clock-outline",
    ("spinner", "pending", BLUE): "loader-2 loader-3",
}
_KINDS = {name: kind for kind, names in _NAMES.items() for name in names.split()}
_MARKED = {"check": ("pass", GREEN), "cross": ("fail", RED), "dash": ("neutral", GREY)}


def kind_of(name: str) -> tuple[str, str, int] | None:
    """Return kind, state and colour of a status name; None for any other name."""
    core = [word for word in name.split("-") if word not in _PLAIN]
    if len(core) == 1 and core[0] in _MARKS:
        mark = _MARKS[core[0]]
        return mark, *_MARKED[mark]
    return _KINDS.get(name)


def _unsized(package: str, stem: str) -> str:
    """Return the name without a size: Octicons have one drawing per size."""
    return re.sub(r"-(?:12|16|24|48|96)$", "", stem) if package == "octicons" else stem


def status_icons() -> list[Icon]:
    found: list[Icon] = []
    for package, files in _files():
        for file in files:
            kind = kind_of(_unsized(package, file.stem))
            if kind is not None:
                colour = PALETTES[package][kind[2]]
                found.append(Icon(package, file.stem, file.read_text("utf-8"), kind[0], kind[1], colour))
    return found


def other_icons(every: int) -> list[Icon]:
    """Return every ``every``-th icon that is no status, in green, red and grey by turns."""
    found: list[Icon] = []
    for package, files in _files():
        others = [file for file in files if kind_of(_unsized(package, file.stem)) is None]
        for at, file in enumerate(others[::every]):
            colour = PALETTES[package][(GREEN, RED, GREY, AMBER)[at % 4]]
            found.append(Icon(package, file.stem, file.read_text("utf-8"), "other", "", colour))
    return found


def _files() -> Iterator[tuple[str, list[Path]]]:
    folders = packages("icons")
    for package, (name, inside) in FOLDERS.items():
        yield package, sorted((folders[name] / "package" / inside).glob("*.svg"))


def tiles_of(icons: Iterable[Icon], sizes_px: Iterable[int] = SIZES_PX) -> list[Tile]:
    """Return each icon at each size on each ground; alternately cropped tightly and with a margin."""
    grounds = list(GROUNDS)
    return [
        Tile(icon, size, ground, (at % 3) * 2)
        for icon in icons
        for size in sizes_px
        for at, ground in enumerate(grounds)
    ]


async def read_all(tiles: list[Tile]) -> list[Read]:
    sheet = await photographed(tiles)
    return [Read(tile, read_icon(_cut(sheet, at, tile), ())) for at, tile in enumerate(tiles)]


async def photographed(tiles: list[Tile]) -> Image.Image:
    async with async_playwright() as playwright:
        program = find_browser(None, Path(playwright.chromium.executable_path), shutil.which)
        browser = await playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        rows = -(-len(tiles) // COLUMNS)
        page = await browser.new_page(viewport={"width": COLUMNS * _pitch(tiles), "height": rows * _pitch(tiles)})
        await page.set_content(_page(tiles))
        taken = await page.screenshot()
        await browser.close()
    return Image.open(io.BytesIO(taken)).convert("RGB")


def _pitch(tiles: list[Tile]) -> int:
    return max(tile.size_px for tile in tiles) + GAP_PX


def _page(tiles: list[Tile]) -> str:
    pitch = _pitch(tiles)
    drawn = [_drawn(tile, at % COLUMNS * pitch, at // COLUMNS * pitch, pitch) for at, tile in enumerate(tiles)]
    return f"<style>body{{margin:0}}div{{position:absolute}}svg{{display:block}}</style>{''.join(drawn)}"


def _drawn(tile: Tile, left: int, top: int, pitch: int) -> str:
    opening, _, rest = tile.icon.svg.partition(">")
    opening = re.sub(r'\s(?:width|height|id|class)="[^"]*"', "", opening)
    if "fill=" not in opening:
        opening += ' fill="currentColor"'
    box = f"left:{left}px;top:{top}px;width:{pitch}px;height:{pitch}px;background:{GROUNDS[tile.ground]}"
    size = f'width="{tile.size_px}" height="{tile.size_px}"'
    inner = f"left:{GAP_PX // 2}px;top:{GAP_PX // 2}px;color:{tile.icon.colour}"
    return f'<div style="{box}"><div style="{inner}">{opening} {size}>{rest}</div></div>'


def _cut(sheet: Image.Image, at: int, tile: Tile) -> PixelGrid:
    pitch = sheet.width // COLUMNS
    left, top = at % COLUMNS * pitch + GAP_PX // 2, at // COLUMNS * pitch + GAP_PX // 2
    pad, size = tile.pad_px, tile.size_px
    cut = sheet.crop((left - pad, top - pad, left + size + pad, top + size + pad))
    return PixelGrid(cut.width, cut.height, cut.tobytes())


def table(reads: Iterable[Read]) -> str:
    every = list(reads)
    lines = [f"{'package':<14} {'kind':<9} {'right':>6} {'refused':>8} {'WRONG':>6}  answered"]
    for package, kind in dict.fromkeys((one.tile.icon.package, one.tile.icon.kind) for one in every):
        lines.append(
            _row(package, kind, (r for r in every if (r.tile.icon.package, r.tile.icon.kind) == (package, kind)))
        )
    for kind in dict.fromkeys(one.tile.icon.kind for one in every):
        lines.append(_row("all", kind, (r for r in every if r.tile.icon.kind == kind)))
    return "\n".join([*lines, _row("all", "all", every)])


def _row(package: str, kind: str, reads: Iterable[Read]) -> str:
    counts = Counter(one.verdict for one in reads)
    right, refused, wrong = (counts[name] for name in ("right", "refused", "WRONG"))
    answered = (right + wrong) / max(1, right + wrong + refused)
    return f"{package:<14} {kind:<9} {right:>6} {refused:>8} {wrong:>6}  {answered:.1%}"
