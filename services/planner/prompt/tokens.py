"""Estimates how many tokens a text has, and sets the limits of a prompt.

A quarter of the characters is wrong by a factor of two for addresses and hashes, and of eight for scripts other than
Latin. So letters, other ASCII characters and bytes beyond ASCII are weighted apart. The weights were fitted to a
published Claude tokenizer (`tests/unit/planner/token_counts.json`). The usage that the API reports corrects the scale
from the second call on.
"""

from __future__ import annotations

from dataclasses import dataclass

MAX_TOKENS = 24_000
"""The most a prompt has, with its tools and system blocks."""
PLANNED_TOKENS = 23_000
"""The planned length; the rest covers errors of the estimate."""
HISTORY_SHARE = 0.3
"""Share of the history in what the fixed parts leave."""
LEAST_PAGE_TOKENS = 1000
"""With less of the page nothing can be decided."""
ENVELOPE_TOKENS = 400
"""What the API itself adds to a prompt with tools."""

LETTERS_PER_TOKEN, SIGNS_PER_TOKEN, BYTES_PER_TOKEN = 3.6, 1.5, 2.0
FIRST_SCALE = 1.2
"""Before the first count: newer models cut text finer than the tokenizer that the weights were fitted to."""
LEAST_SCALE, MOST_SCALE = 0.9, 1.8
"""Bounds of the corrected scale, because the next page may be of another script than the counted one."""

_LETTERS = bytes(code for code in range(128) if chr(code).isalpha() or chr(code).isspace())


@dataclass(frozen=True)
class Ruler:
    """Estimates tokens of the parts of one prompt. Estimates add up."""

    scale: float = FIRST_SCALE

    def tokens(self, *texts: str) -> float:
        """Return the estimated tokens of the texts."""
        return self.scale * sum(map(weight, texts))

    def fits(self, text: str, tokens: float) -> bool:
        """Return whether the text has at most this many tokens. A text that is too long in any case is not
        measured."""
        return len(text) <= self._most_chars(tokens) and self.tokens(text) <= tokens

    def cut(self, text: str, tokens: float) -> str:
        """Return the longest beginning of the text, to within a hundredth, with at most this many tokens."""
        if self.fits(text, tokens):
            return text
        low, high = 0, min(len(text), self._most_chars(tokens))
        while high - low > max(1, len(text) // 200):
            middle = (low + high) // 2
            low, high = (middle, high) if self.tokens(text[:middle]) <= tokens else (low, middle)
        return text[:low]

    def _most_chars(self, tokens: float) -> int:
        return max(0, int(tokens / self.scale * LETTERS_PER_TOKEN) + 1)


def weight(text: str) -> float:
    """Return the tokens by the weights alone."""
    data = text.encode("utf-8", "replace")
    beyond = len(data) - len(data.translate(None, _BEYOND))
    letters = len(data) - len(data.translate(None, _LETTERS))
    return letters / LETTERS_PER_TOKEN + (len(data) - letters - beyond) / SIGNS_PER_TOKEN + beyond / BYTES_PER_TOKEN


_BEYOND = bytes(range(128, 256))


def calibrated_ruler(counted: float) -> Ruler:
    """Return a ruler. `counted`: counted per estimated tokens of the last prompt; 0: not known."""
    return Ruler(min(MOST_SCALE, max(LEAST_SCALE, counted))) if counted else Ruler()
