"""The files that are stored of a page at one moment: its MHTML and its observation, each packed with zstd."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from services.browser_pool.files.mhtml import without_secrets
from services.browser_pool.page.model import Seen
from services.browser_pool.page.snapshot import elements_of, to_element
from services.browser_pool.ports import Capture, PageCapture
from shared.contracts.browser_pool import HIDDEN_VALUE, ElementFound
from shared.contracts.results import CaptureFacts
from shared.evidence_format.files.sample import StoredObservation
from shared.secrets.redaction import SHORT, redacted
from shared.zstd import pack_zstd

PAGE_SUFFIX, OBSERVATION_SUFFIX = ".mhtml.zst", ".observation.json.zst"
MEDIA_TYPE = "application/zstd"
MAX_URL = 2000
LEVEL = 3
_LETS_IN = re.compile(r"cookie|token|secret|session|api-?key|csrf|xsrf|authorization|(^|-)auth(-|$)", re.I)
UNSAFE = "the page itself is not kept: a secret stands in it, and could not be taken out"


@dataclass(frozen=True)
class PackedPage:
    """The packed files of a page. ``facts`` belong to every file of that moment, pictures among them."""

    facts: CaptureFacts | None = None
    captures: tuple[Capture, ...] = ()
    problems: tuple[str, ...] = ()


def pack_page(page: PageCapture, label: str, capture_id: str, browser: str, hidden: Iterable[str]) -> PackedPage:
    """Return the files of a page without any of the secrets; none when the page is known already."""
    hidden = frozenset(hidden)
    facts = CaptureFacts(
        capture_id=capture_id,
        url=page.raw.url[:MAX_URL],
        title=page.raw.title,
        http_status=page.raw.http_status,
        observation_sha256=page.sha256,
        browser=browser,
        viewport=page.viewport,
        captured_at=page.taken_at,
    )
    if page.known:
        return PackedPage(facts)
    headers = shown_headers(page.headers)
    stored = StoredObservation(capture=facts, headers=headers, elements=elements_of(page.raw.seen), lang=page.raw.lang)
    stored = redacted(stored, hidden)
    observation = _file("observation", label, msgspec.json.encode(stored), page)
    itself = None if page.file is None else without_secrets(page.file, hidden | _long(page.secrets))
    problems = (*page.problems, *([UNSAFE] if page.file is not None and itself is None else []))
    files = (observation,) if itself is None else (_file("page", label, itself, page), observation)
    return PackedPage(stored.capture, files, problems)


def _long(secrets: Iterable[str]) -> frozenset[str]:
    """Keep only the page's own secrets that are long enough not to match everywhere."""
    return frozenset(one for one in secrets if len(one) >= SHORT)


def _file(kind: str, label: str, data: bytes, page: PageCapture) -> Capture:
    small = pack_zstd(data, LEVEL)
    url = page.raw.url[:MAX_URL]
    if kind == "page":
        return Capture("page", label, MEDIA_TYPE, PAGE_SUFFIX, small, url)
    return Capture("observation", label, MEDIA_TYPE, OBSERVATION_SUFFIX, small, url)


def shown_headers(headers: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return the headers; values of those that could grant access are hidden."""
    return tuple((name, HIDDEN_VALUE if _LETS_IN.search(name) else value) for name, value in headers)


def found_elements(page: PageCapture) -> tuple[ElementFound, ...]:
    """Return the wanted refs with their elements, and on which pictures these are."""
    return tuple(_found(page, ref, seen) for ref, seen in page.found)


def _found(page: PageCapture, ref: int, seen: Seen | None) -> ElementFound:
    place = page.on_picture.get(ref)
    return ElementFound(
        ref=ref,
        element=None if seen is None else to_element(seen),
        ink=page.ink.get(ref),
        picture=None if place is None else place.sha256,
        on_picture=None if place is None else place.box,
    )
