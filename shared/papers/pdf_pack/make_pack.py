"""Makes the PDF pack of a run: tagged (PDF/UA-1), with the same bytes for the same evidence and the same fonts."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportMissingImports=false
# pyright: reportUnknownArgumentType=false
# typst has types of its own, which are not read while the extra is not installed.

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC
from pathlib import Path
from shutil import copyfile
from typing import Any

import msgspec

from shared.evidence_format import chain
from shared.extras import need_extra
from shared.papers.paper import Paper, PaperSample
from shared.papers.pdf_pack.glyphs import GlyphSet, NoFont, glyphs_of, plain_glyphs, read_cmap
from shared.papers.pdf_pack.pack_data import PackData, SamplePictures, ShownCrop
from shared.papers.pictures.crops import plan_crops
from shared.papers.pictures.cut_pictures import cut_picture, picture_width

TEMPLATE = Path(__file__).with_name("pack.typ")
FONTS = Path(__file__).with_name("fonts")
FIRST_FAMILY, FIRST_FONT = "Noto Sans", "NotoSans-Regular.ttf"
FONT_SUFFIXES = (".ttf", ".otf", ".ttc", ".otc")
MOST_FONTS = 100
MOST_SAMPLES = 2_000
"""Setting the pages takes a megabyte of memory for each sample."""
STANDARD = "ua-1"
_THREADS = 4


class PackRefused(Exception):
    """There is no PDF pack of this run; the message says why, and what to do."""


@dataclass(frozen=True)
class Pack:
    """``data``: of the PDF. ``lacking``: how many characters stand as their codes."""

    data: bytes
    lacking: int


@dataclass(frozen=True)
class _Fonts:
    """``families``: in the order in which they are asked for a character. ``loaded``: what the typesetter has of them,
    and of no other: neither of the system nor of its own."""

    files: Sequence[Path]
    families: Sequence[str]
    loaded: Any


def make_pack(paper: Paper, read: Callable[[str], bytes | None], fonts: Path | None = None) -> Pack:
    """Return the PDF pack of a run.

    Args:
        read: returns a file of the run by its path, from any thread; None without it.
        fonts: a folder with further fonts, for scripts that those of Exhibit do not have.

    Raises:
        NoFont: the folder cannot be read, or a font in it.
        PackRefused: the run is too large, or its pages cannot be set.
        PermanentError: the extra is not installed (``not_installed``).
    """
    need_extra("papers")
    if len(paper.samples) > MOST_SAMPLES:
        message = (
            f"a PDF pack has a page for each of at most {MOST_SAMPLES:,} samples, and the run has "
            f"{len(paper.samples):,}: take the workpaper"
        )
        raise PackRefused(message)
    chosen = _fonts_of(fonts)
    with tempfile.TemporaryDirectory(prefix="exhibit-pack-") as scratch:
        folder = Path(scratch)
        copyfile(TEMPLATE, folder / "pack.typ")
        pictures = list(_pictures(paper, read, folder))

        def pack(glyphs: GlyphSet) -> Pack:
            making = PackData(paper, glyphs)
            pages = [making.sample(one, shown) for one, shown in zip(paper.samples, pictures, strict=True)]
            data = making.data(pages, chosen.families, _hashes_of(chosen.files))
            (folder / "data.json").write_bytes(msgspec.json.encode(data))
            return Pack(_typeset(folder, paper, chosen), len(glyphs.lacking))

        try:
            return pack(glyphs_of(chosen.files))
        except PackRefused as refused:
            if fonts is not None:
                raise PackRefused(
                    f"{refused} (leave out the folder {fonts}, or name one with other fonts)"
                ) from refused
            # The typesetter gives no code for why. What differs the second time is which characters are shown: if that
            # can be set, a text was the reason, and the paper is not lost for it.
            try:
                return pack(plain_glyphs(FONTS / FIRST_FONT))
            except PackRefused:
                raise refused from None


def _typeset(folder: Path, paper: Paper, fonts: _Fonts) -> bytes:
    import typst  # only here: an extra

    at = int(paper.last_change.astimezone(UTC).timestamp())
    try:
        typesetter: Any = typst.Compiler(str(folder / "pack.typ"), root=str(folder), font_paths=fonts.loaded)
        made: Any = typesetter.compile(format="pdf", pdf_standards=[STANDARD], timestamp=at)
    except typst.TypstError as exc:
        raise PackRefused(f"the pages cannot be set: {str(exc)[:500]}") from exc
    return bytes(made)


# --- pictures


def _pictures(paper: Paper, read: Callable[[str], bytes | None], folder: Path) -> Iterator[SamplePictures]:
    """Yield the pictures of each sample, cut in threads; the files are in the folder."""
    width = picture_width(len(paper.samples))

    def cut(numbered: tuple[int, PaperSample]) -> SamplePictures:
        number, sample = numbered
        plan = plan_crops(sample, enumerate(sample.values, 1))
        shown: list[ShownCrop] = []
        unshown: list[str] = []
        for at, crop in enumerate(plan.crops):
            data = read(crop.path)
            whole = data is not None and chain.sha256(data) == crop.sha256
            made = cut_picture(data, crop, width) if data is not None and whole else None
            if made is None:
                unshown.append(crop.path)
                continue
            name = f"{number:06d}_{at}.jpg"
            (folder / name).write_bytes(made.data)
            shown.append(ShownCrop(replace(crop, bottom=made.bottom), name, made.width_px, made.height_px))
        return SamplePictures(plan, shown, unshown)

    with ThreadPoolExecutor(_THREADS) as pool:
        yield from pool.map(cut, enumerate(paper.samples, 1))


# --- fonts


def _fonts_of(folder: Path | None) -> _Fonts:
    """Return the fonts of Exhibit, and those of a folder."""
    import typst  # only here: an extra

    own = sorted(FONTS.glob("*.ttf"))
    given = _font_files(folder) if folder is not None else []
    for path in given:
        read_cmap(path)
    paths = [str(FONTS), *([str(folder)] if folder is not None else [])]
    loaded: Any = typst.Fonts(include_system_fonts=False, include_embedded_fonts=False, font_paths=paths)
    names = sorted({str(one.family) for one in loaded.fonts()} - {FIRST_FAMILY})
    return _Fonts([*own, *given], [FIRST_FAMILY, *names], loaded)


def _font_files(folder: Path) -> list[Path]:
    try:
        files = sorted(one for one in folder.rglob("*") if one.suffix.lower() in FONT_SUFFIXES and one.is_file())
    except OSError as exc:
        raise NoFont(f"the folder {folder} cannot be read: {exc.strerror or exc}") from exc
    if not files:
        raise NoFont(f"the folder {folder} has no fonts ({', '.join(FONT_SUFFIXES)})")
    if len(files) > MOST_FONTS:
        raise NoFont(f"the folder {folder} has {len(files)} fonts, more than {MOST_FONTS}: name one with those needed")
    return files


def _hashes_of(files: Sequence[Path]) -> list[tuple[str, str]]:
    return [(one.name, chain.sha256(one.read_bytes())) for one in files]
