"""Drift: the ways in which a practice site may look other than when it was learned. What it says stays the same.

A visitor turns drift on in the address, ``?drift=rename,reorder``; the answer sets a cookie, so that links, scripts
and frames of the site need not carry it, and neither does an address that somebody writes down. ``?drift=`` turns it
off again. Where neither says anything, the environment variable PRACTICE_DRIFT holds for the whole site.
Cookies know no ports: sites of one family share theirs, on whichever port they are.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Literal, Self, TypeVar, get_args

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

Switch = Literal["rename", "reorder", "wrap", "popup", "combobox", "iframe", "lookalike"]
KNOWN: tuple[Switch, ...] = get_args(Switch)
"""In this order: visible labels become synonyms; fields and columns stand in another order; more elements around
and other class names and ids; a dialog over the page when it is first opened; native selects become ARIA comboboxes;
the main content is inside a frame; records with similar ids and sections that show another record's values."""

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
        """From names with commas between; ValueError for a name that is none, and it lists those that are."""
        names = [name.strip() for name in text.split(",") if name.strip()]
        unknown = [name for name in names if name not in KNOWN]
        if unknown:
            raise ValueError(f"no such drift: {', '.join(unknown)}; there are {', '.join(KNOWN)}")
        return cls(switch for switch in KNOWN if switch in names)

    def has(self, switch: Switch) -> bool:
        return switch in self

    def label(self, label: str, synonyms: Mapping[str, str]) -> str:
        """The label, or under ``rename`` its synonym where it has one."""
        return synonyms.get(label, label) if self.has("rename") else label

    def ordered(self, items: Iterable[Item]) -> list[Item]:
        """The items, under ``reorder`` in another order, always the same."""
        known = list(items)
        return [*known[1::2], *known[::2]] if self.has("reorder") else known

    def name(self, names: str) -> str:
        """Class names or an id; other ones under ``wrap``, which :meth:`css` knows."""
        return " ".join(f"{name}{self.suffix}" for name in names.split()) if self.suffix else names

    @property
    def suffix(self) -> str:
        """What :meth:`name` puts after a name."""
        return _WRAPPED if self.has("wrap") else ""

    def css(self, css: str) -> str:
        """A style sheet for the names of :meth:`name`. Comments and values must hold no braces."""
        return _SELECTORS.sub(_renamed_selectors, css) if self.has("wrap") else css

    def __str__(self) -> str:
        return ",".join(switch for switch in KNOWN if switch in self)


def _renamed_selectors(match: re.Match[str]) -> str:
    return _NAME.sub(rf"\1\2{_WRAPPED}", match[0])


def drift_of(request: Request) -> Drift:
    """What this request asks for: its address, else its cookie, else the environment. ValueError as of
    :meth:`Drift.of`; behind :class:`DriftCookie` there is none."""
    asked = request.query_params.get("drift")
    if asked is None:
        asked = request.cookies.get(COOKIE)
        asked = None if asked is None else asked.replace(".", ",")
    return Drift.of(os.environ.get(VARIABLE, "") if asked is None else asked)


class DriftCookie:
    """Around a site: keeps in a cookie what an address asks for, and answers 400 to drift that does not exist.

    ValueError where PRACTICE_DRIFT names drift that does not exist: such a site does not start.
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
