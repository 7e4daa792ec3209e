"""Whether a page names another record of the asked kind: in its headings, its title, its link to itself, its address.

The kind of an id is its shape (`TCK-1001`: any `TCK-` and digits; a hash: hex digits). Of plain numbers it is the
word in front of them (`Order 1002`), or their place in the address that the task opens. Names have no kind.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote, urldefrag

from shared.contracts.browser_pool import Element, PageObserved
from shared.pages.elements import id_pattern, words_of_name
from shared.pages.lists.lists import NOISE
from shared.task.spec import PLACEHOLDER, TaskSpec
from shared.text.normal import fold
from shared.text.record_words import find_mention, is_hash, is_same_id

MAX_HEADING_CHARS = 300
MAX_URL_CHARS = 2000
LEAST_HASH_CHARS = 7
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.I)
_GENERIC = frozenset(
    {"id", "ids", "key", "no", "nr", "num", "number", "name", "ref", "reference", "code", "title", "url"}
)
"""Words of field names that name no kind of record."""
_BEFORE_NUMBER = r"(?:\s*(?:#|№|no\.?|nr\.?|number|id)?\s*:?\s*#?)"
_LEADING = re.compile(r"[\[(#\s]*")


@dataclass(frozen=True)
class IdKind:
    """How an id of the asked kind is found in a text. The first group of `pattern` is the id."""

    asked: str
    pattern: re.Pattern[str]
    is_number: bool

    def ids_in(self, text: str) -> list[str]:
        """Return the ids of this kind in the text, in order."""
        return [match[1] for match in self.pattern.finditer(text[:MAX_URL_CHARS])]

    def begins(self, text: str) -> bool:
        """Return whether the text begins with an id of this kind."""
        return self.pattern.match(_LEADING.sub("", text[:MAX_HEADING_CHARS], count=1)) is not None

    def is_asked(self, written: str) -> bool:
        """Return whether this is the asked id. A short hash is the beginning of the long one."""
        return is_same_id(written, self.asked)


@dataclass(frozen=True)
class NamedRecord:
    """An id of the asked kind that a page shows as its own. `element` is None for the address and the title."""

    shown: str
    where: Literal["heading", "title", "link", "address"]
    is_asked: bool
    element: Element | None = None
    begins: bool = False
    """The text begins with the id, as that of a record's own page does."""
    is_main: bool = False
    """A heading of the highest rank on the page."""


@dataclass(frozen=True)
class NamedRecords:
    """What a page names as its own record, for one identity field."""

    heading: NamedRecord | None = None
    title: NamedRecord | None = None
    link: NamedRecord | None = None
    address: NamedRecord | None = None
    is_number: bool = False
    has_alike: bool = False
    """Headings or the title have another number of as many digits, and not the asked one."""

    def other_than_asked(self, *, labelled: bool) -> NamedRecord | None:
        """Return what names another record; None if nothing does, or if something names the asked one.

        `labelled`: the asked id stands under its label, which may be that of a related record. Then only what begins
        with another id outweighs it.
        """
        if labelled:
            if self.heading is not None and self.heading.is_main and self.heading.begins:
                return None if self.heading.is_asked else self.heading
            firm = [one for one in (self.heading, self.title) if one is not None]
            firm += [self.address] if self.address is not None and not self.is_number else []
            if any(one.is_asked for one in (*firm, *([self.address] if self.address is not None else []))):
                return None
            return next((one for one in firm if one.begins), None)
        if self.heading is not None and self.heading.is_main:
            return None if self.heading.is_asked else self.heading
        found = [one for one in (self.heading, self.title, self.link, self.address) if one is not None]
        return None if any(one.is_asked for one in found) else next(iter(found), None)

    @property
    def is_confirmed(self) -> bool:
        """Return whether the heading begins with its id, or title or address name the asked record too."""
        others = (self.title, self.address)
        begins = self.heading is not None and self.heading.begins
        return begins or any(one is not None and one.is_asked for one in others)

    @property
    def disagrees(self) -> bool:
        """Return whether the page names another record, so that a mention of the asked one proves nothing."""
        if self.address is not None and self.address.is_asked:
            heading, title = self.heading, self.title
            by_heading = heading is not None and heading.is_main and not heading.is_asked
            return by_heading or (heading is None and title is not None and title.begins and not title.is_asked)
        found = (self.heading, self.title, self.link, self.address)
        return self.has_alike or any(one is not None and not one.is_asked for one in found)


def records_named(field: str, value: str, spec: TaskSpec, page: PageObserved, heads: Sequence[Element]) -> NamedRecords:
    """Return what the page names as its own record. `heads`: the headings that count."""
    kind = id_kind(field, value, spec)
    if kind is None:
        return NamedRecords()
    return NamedRecords(
        record_of_headings(kind, heads),
        record_of_title(kind, page),
        record_of_own_links(kind, page),
        record_of_address(kind, field, page, spec),
        kind.is_number,
        kind.is_number and _has_alike(value.strip(), [page.title, *(e.name for e in heads)]),
    )


def id_kind(field: str, value: str, spec: TaskSpec) -> IdKind | None:
    """Return the kind of the id that an identity field must show; None if ids of its kind cannot be told from words."""
    value = value.strip()
    if value.isdecimal():
        kinds = "|".join(sorted(map(re.escape, _kind_words(field, spec)), key=len, reverse=True))
        pattern = re.compile(rf"(?<!\w)(?:{kinds}){_BEFORE_NUMBER}(\d{{1,18}})(?![\w-])", re.I) if kinds else None
        return IdKind(value, pattern or re.compile(r"(?!)()"), True)
    if is_hash(value) or _UUID.fullmatch(value):
        shape = (
            _UUID.pattern
            if _UUID.fullmatch(value)
            else rf"(?=[0-9a-f]*\d)(?=[0-9]*[a-f])[0-9a-f]{{{LEAST_HASH_CHARS},64}}"
        )
        return IdKind(value, re.compile(rf"(?<![\w-])({shape})(?![\w-])", re.I), False)
    shape = id_pattern(value)
    return None if shape is None else IdKind(value, re.compile(f"({shape.pattern})", re.I), False)


def record_of_headings(kind: IdKind, heads: Sequence[Element]) -> NamedRecord | None:
    """Return the record that the headings of the highest rank with an id name; None if they name several."""
    own_area = [e for e in heads if e.area not in NOISE]
    ranks = sorted({_rank(e) for e in own_area})
    for rank in ranks:
        named = [(ids[0], e) for e in own_area if _rank(e) == rank and (ids := kind.ids_in(e.name[:MAX_HEADING_CHARS]))]
        if not named:
            continue
        own = next(((shown, e) for shown, e in named if kind.is_asked(shown)), None)
        if own is None and len({fold(shown) for shown, _ in named}) > 1:
            return None
        shown, element = own or named[0]
        begins, is_main = kind.begins(element.name), rank == ranks[0]
        return NamedRecord(shown, "heading", own is not None, element, begins, is_main)
    return None


def record_of_title(kind: IdKind, page: PageObserved) -> NamedRecord | None:
    """Return the record that the title of the page names first."""
    ids = kind.ids_in(page.title[:MAX_HEADING_CHARS])
    return NamedRecord(ids[0], "title", kind.is_asked(ids[0]), begins=kind.begins(page.title)) if ids else None


def record_of_own_links(kind: IdKind, page: PageObserved) -> NamedRecord | None:
    """Return the record that links of the page to itself name; None if they name several."""
    here = urldefrag(page.url)[0]
    links = [e for e in page.elements if e.role == "link" and e.url and urldefrag(e.url)[0] == here]
    named = [(ids[0], e) for e in links if len(ids := kind.ids_in(e.name[:MAX_HEADING_CHARS])) == 1]
    if not named or len({fold(shown) for shown, _ in named}) > 1:
        return None
    shown, element = named[0]
    return NamedRecord(shown, "link", kind.is_asked(shown), element)


def record_of_address(kind: IdKind, field: str, page: PageObserved, spec: TaskSpec) -> NamedRecord | None:
    """Return the record that the address names: where `start_url` has the id, else by an id with letters and digits."""
    written = _at_template(field, page.url[:MAX_URL_CHARS], spec)
    if written is not None:
        plain = re.match(r"\d{1,18}(?![^\W_])", written) if kind.is_number else None
        ids = [plain[0]] if plain is not None else kind.ids_in(written)
        return NamedRecord(ids[0], "address", kind.is_asked(ids[0]), begins=True) if ids else None
    if kind.is_number or is_hash(kind.asked):
        return None
    ids = kind.ids_in(unquote(page.url[:MAX_URL_CHARS]))
    own = next((one for one in ids if kind.is_asked(one)), None)
    return NamedRecord(own or ids[-1], "address", own is not None, begins=True) if ids else None


def _has_alike(value: str, texts: Sequence[str]) -> bool:
    alike = re.compile(rf"(?<![\w-])\d{{{len(value)}}}(?![\w-])")
    found = [text for text in texts if alike.search(text) is not None]
    return bool(found) and not any(find_mention(text, value) for text in texts)


def _rank(heading: Element) -> int:
    return heading.level or 2


def _kind_words(field: str, spec: TaskSpec) -> frozenset[str]:
    """Return the words in front of a number of the asked kind: those of the field's labels, and of the address."""
    written = [words_of_name(field), *(spec.output_schema[field].labels if field in spec.output_schema else ())]
    parts = PLACEHOLDER.split(spec.start_url)
    wanted = set(PLACEHOLDER.findall(spec.identity.get(field, "")))
    for before, column in zip(parts[::2], parts[1::2], strict=False):
        found = re.search(r"([A-Za-z]{3,40})[^A-Za-z]{0,3}$", before)
        if column in wanted and found is not None:
            written.append(found[1])
    words = (fold(word) for text in written for word in re.findall(r"[^\W\d_]{2,40}", text))
    return frozenset(_singular(word) for word in words) - _GENERIC


def _singular(word: str) -> str:
    """Return the word for one record, because a number behind the word for many is another number."""
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _at_template(field: str, url: str, spec: TaskSpec) -> str | None:
    """Return what the address has where `start_url` has the identity's column; None if it is another address."""
    wanted = set(PLACEHOLDER.findall(spec.identity.get(field, "")))
    parts = PLACEHOLDER.split(spec.start_url)
    columns = parts[1::2]
    if not parts[0] or not wanted & set(columns):
        return None
    pattern = re.escape(parts[0])
    for column, following in zip(columns, parts[2::2], strict=True):
        if column in wanted:
            break
        pattern += rf"[^/?&#]{{1,300}}{re.escape(following)}"
    found = re.match(rf"{pattern}([^/?&#]{{1,300}})", url, re.I)
    return None if found is None else unquote(found[1])
