"""What buttons are called that close what lies over a page. Only whole names count: a longer name does more."""

from __future__ import annotations

REFUSING = (
    "reject all", "reject", "decline all", "decline", "refuse", "deny", "disagree", "only necessary",
    "necessary only", "only essential", "essential only", "use necessary cookies only", "reject all cookies",
    "reject cookies", "decline cookies", "reject optional cookies", "continue without accepting",
)  # fmt: skip
"""Refusing is always safe."""
CLOSING = (
    "no thanks", "no, thanks", "not now", "maybe later", "later", "skip", "dismiss", "close", "×", "✕", "✖", "x",
    "close dialog", "close banner", "close modal", "close this dialog",
)  # fmt: skip
CANCELLING = ("cancel",)
"""It may give up something that was begun."""
NOTING = ("got it", "ok", "okay", "i understand", "understood")
"""It may confirm a question."""
AGREEING = ("accept", "accept all", "accept cookies", "accept all cookies", "agree", "i agree", "i accept", "allow all")
