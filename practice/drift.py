"""Drift: how a practice site can differ from the one that was learned. Its data stay the same.

A visitor turns drift on in the address, ``?drift=rename,reorder``. The response sets a cookie, so links, scripts,
frames and stored addresses do not contain it. ``?drift=`` turns it off again. Without either, the environment variable
PRACTICE_DRIFT applies to the whole site. Cookies ignore ports: sites of one family share theirs, on whichever port they
are.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from itertools import combinations
from typing import Literal, Self, TypeVar, get_args

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

Switch = Literal["rename", "reorder", "wrap", "popup", "combobox", "iframe", "lookalike"]
KNOWN: tuple[Switch, ...] = get_args(Switch)
"""The switches, in the order of their effects below.

Visible labels become synonyms; fields and columns are reordered; extra elements, other class names and ids; a dialog
when a page is first opened; native selects become ARIA comboboxes; the main content is inside a frame; records with
similar ids, and sections that show another record's values.
"""

OTHER_MEANING: frozenset[Switch] = frozenset({"rename"})
"""Switches after which a person would not call it the same page.

The rule: it is the same page while each value stands beside the same words as before, and each control has the same
words. Order, layers and names in the markup, the kind of a control, a frame, a dialog that can be closed and additional
parts take nothing of that away. A label in other words has to be understood, and may mean something else.
"""

COOKIE = "practice_drift"
VARIABLE = "PRACTICE_DRIFT"
_WRAPPED = "-x7"
_SELECTORS = re.compile(r"[^{};]+(?=\{)")
_NAME = re.compile(r"([.#])([A-Za-z_][\w-]*)")
Item = TypeVar("Item")


class Drift(frozenset[Switch]):
    """The switches that are on."""

    @classmethod
    def of(cls, text: str) -> Self:
        """Parse names separated by commas. Raises ValueError for an unknown name; its message lists the known ones."""
        names = [name.strip() for name in text.split(",") if name.strip()]
        unknown = [name for name in names if name not in KNOWN]
        if unknown:
            raise ValueError(f"no such drift: {', '.join(unknown)}; there are {', '.join(KNOWN)}")
        return cls(switch for switch in KNOWN if switch in names)

    def has(self, switch: Switch) -> bool:
        return switch in self

    @property
    def is_same_page(self) -> bool:
        """Whether a person would call it the same page; see :data:`OTHER_MEANING`."""
        return not self & OTHER_MEANING

    def label(self, label: str, synonyms: Mapping[str, str]) -> str:
        """Return the label, or its synonym (if any) under ``rename``."""
        return synonyms.get(label, label) if self.has("rename") else label

    def ordered(self, items: Iterable[Item]) -> list[Item]:
        """Return the items; under ``reorder`` in another order, always the same."""
        known = list(items)
        return [*known[1::2], *known[::2]] if self.has("reorder") else known

    def name(self, names: str) -> str:
        """Return class names or an id; under ``wrap`` with the suffix that :meth:`css` adds too."""
        return " ".join(f"{name}{self.suffix}" for name in names.split()) if self.suffix else names

    @property
    def suffix(self) -> str:
        """The suffix that :meth:`name` adds to a name."""
        return _WRAPPED if self.has("wrap") else ""

    def css(self, css: str) -> str:
        """Return a style sheet for the names of :meth:`name`. Comments and values must not contain braces."""
        return _SELECTORS.sub(_renamed_selectors, css) if self.has("wrap") else css

    def __str__(self) -> str:
        return ",".join(switch for switch in KNOWN if switch in self)


def alone() -> tuple[Drift, ...]:
    """Return each switch alone."""
    return tuple(Drift((switch,)) for switch in KNOWN)


def pairs() -> tuple[Drift, ...]:
    """Return every pair of switches."""
    return tuple(Drift(pair) for pair in combinations(KNOWN, 2))


@contextmanager
def drifted(drift: Drift) -> Generator[None]:
    """Within the block, sites that this process serves have this drift for all visitors."""
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = str(drift)
    try:
        yield
    finally:
        os.environ.pop(VARIABLE)
        os.environ.update({} if before is None else {VARIABLE: before})


def _renamed_selectors(match: re.Match[str]) -> str:
    return _NAME.sub(rf"\1\2{_WRAPPED}", match[0])


def drift_of(request: Request) -> Drift:
    """Return the drift of a request: from its address, else its cookie, else the environment.

    Raises ValueError as :meth:`Drift.of` does; behind :class:`DriftCookie` that cannot happen.
    """
    asked = request.query_params.get("drift")
    if asked is None:
        asked = request.cookies.get(COOKIE)
        asked = None if asked is None else asked.replace(".", ",")
    return Drift.of(os.environ.get(VARIABLE, "") if asked is None else asked)


class DriftCookie:
    """Middleware that stores the requested drift in a cookie and answers 400 to unknown drift.

    Raises ValueError if PRACTICE_DRIFT names unknown drift: such a site does not start.
    """

    def __init__(self, app: ASGIApp) -> None:
        Drift.of(os.environ.get(VARIABLE, ""))
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        try:
            drift = drift_of(request)
        except ValueError as exc:
            await PlainTextResponse(f"{exc}\n", 400)(scope, receive, send)
            return
        keep = "drift" in request.query_params
        await self._app(scope, receive, _keeping(send, drift) if keep else send)


def _keeping(send: Send, drift: Drift) -> Send:
    value = ".".join(switch for switch in KNOWN if switch in drift)

    async def with_cookie(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).append("set-cookie", f"{COOKIE}={value}; Path=/; SameSite=Lax")
        await send(message)

    return with_cookie
