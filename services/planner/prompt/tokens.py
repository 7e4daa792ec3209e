"""Pure: how many tokens a text will be, before anybody has counted them, and what a prompt may hold of them.

A quarter of the characters is wrong by a factor of two for addresses and hashes, and of eight for scripts that are
not Latin. So letters, other ASCII characters and bytes beyond ASCII count apart; the weights were fitted to a
published Claude tokenizer (``tests/unit/planner/token_counts.json``). What the model's API says that the last prompt
was corrects the scale from the second call on.
"""

from __future__ import annotations

from dataclasses import dataclass

MAX_TOKENS = 24_000
"""A prompt with its tools and system blocks is never longer."""
PLANNED_TOKENS = 23_000
"""What is planned for: the last thousand is for what the reckoning may be wrong by."""
HISTORY_SHARE = 0.3
"""Of what the fixed parts leave."""
LEAST_PAGE_TOKENS = 1000
"""With less of the page than that nothing can be decided."""
ENVELOPE_TOKENS = 400
"""What the API itself adds to a prompt with tools."""

LETTERS_PER_TOKEN, SIGNS_PER_TOKEN, BYTES_PER_TOKEN = 3.6, 1.5, 2.0
FIRST_SCALE = 1.2
"""Until a count has come back: newer models cut text finer than the one the weights were fitted to."""
LEAST_SCALE, MOST_SCALE = 0.9, 1.8
"""The next page may be of another script than the one that was counted, so its count is not believed beyond this."""

_LETTERS = bytes(code for code in range(128) if chr(code).isalpha() or chr(code).isspace())


@dataclass(frozen=True)
class Ruler:
    """Measures parts of one prompt. What it says of two texts is what it says of both together."""

    scale: float = FIRST_SCALE

    def tokens(self, *texts: str) -> float:
        return self.scale * sum(map(weight, texts))

    def fits(self, text: str, tokens: float) -> bool:
        """Without measuring what is too long in any case."""
        return len(text) <= self._most_chars(tokens) and self.tokens(text) <= tokens

    def cut(self, text: str, tokens: float) -> str:
        """The longest beginning of ``text``, to within a hundredth, that is no longer than ``tokens``."""
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
    """Tokens by the weights alone."""
    data = text.encode("utf-8", "replace")
    beyond = len(data) - len(data.translate(None, _BEYOND))
    letters = len(data) - len(data.translate(None, _LETTERS))
    return letters / LETTERS_PER_TOKEN + (len(data) - letters - beyond) / SIGNS_PER_TOKEN + beyond / BYTES_PER_TOKEN


_BEYOND = bytes(range(128, 256))


def calibrated_ruler(counted: float) -> Ruler:
    """``counted``: tokens of the last prompt for each that it was reckoned to have by weight; 0: none was counted."""
    return Ruler(min(MOST_SCALE, max(LEAST_SCALE, counted))) if counted else Ruler()
