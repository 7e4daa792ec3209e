"""Which requests of a page are rounds of a poll: asked again and again, so that no answer is the one to wait for.

A poll whose answers are held back until there is news looks like a slow answer that the page is to be drawn from. What
tells them apart is that it is asked for again once it has been answered, and what some say of themselves.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

HELD_S = 15.0
"""An answer that came so late, and is then asked for again, was held back."""
ROUNDS = 3
"""So many answers one after the other, each soon, and the next that is soon is one more."""
SOON_S = 1.5
STREAMS = re.compile(
    r"text/event-stream|multipart/x-mixed-replace|application/(?:x-ndjson|stream\+json|grpc-web)", re.I
)
"""Media types of answers that have no end."""
_DECLARED = re.compile(
    r"/(?:long-?poll(?:ing)?|comet|cometd|sockjs|sockjs-node|signalr|message-bus|xhr_streaming)(?:/|$)"
    r"|[?&](?:transport=(?:long)?polling|feed=(?:longpoll|continuous|eventsource))(?:&|$)",
    re.I,
)
"""Addresses of transports that carry messages over answers that are held back."""


@dataclass(frozen=True)
class Asked:
    """What a request asks for. ``form``: the same without the values of its parameters, which may count rounds; what is
    sent in a body counts in full, since one address may answer all questions."""

    words: str
    form: str
    declared: bool = False

    @classmethod
    def of(cls, method: str, url: str, body: bytes | None) -> Asked:
        sent = hashlib.sha256(body).hexdigest() if body else ""
        words = f"{method} {url} {sent}"
        declared = _DECLARED.search(url) is not None
        if method != "GET":
            return cls(words, words, declared)
        parts = urlsplit(url)
        names = sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True)})
        return cls(words, f"{method} {parts.scheme}://{parts.netloc}{parts.path}?{'&'.join(names)}", declared)


class Polls:
    """The polls of one document. ``known``: forms of those that other documents have shown to be polls; it is shared,
    and added to."""

    def __init__(self, known: set[str]) -> None:
        self._known = known
        self._answers = Counter[str]()
        self._longest_s: dict[str, float] = {}
        self._held: set[str] = set()

    def begin_document(self) -> None:
        self._answers.clear()
        self._longest_s.clear()
        self._held.clear()

    def note_asked(self, asked: Asked) -> float:
        """Return for how long a request that is made now counts as one round of many, in seconds; 0: it is none.

        Only what was answered before it was asked tells anything of it.
        """
        if asked.words in self._held:
            self._known.add(asked.form)
        if asked.declared or asked.form in self._known or asked.form in self._held:
            return math.inf
        if self._answers[asked.form] < ROUNDS:
            return 0.0
        return max(SOON_S, 2 * self._longest_s[asked.form])

    def note_answer(self, asked: Asked, took_s: float) -> None:
        """Count an answer that was no error: what has failed is asked for again to be answered at last."""
        self._answers[asked.form] += 1
        self._longest_s[asked.form] = max(took_s, self._longest_s.get(asked.form, 0.0))
        if took_s >= HELD_S:
            self._held |= {asked.words, asked.form}
