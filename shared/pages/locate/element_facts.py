"""What a flow knows of an element that it acts on."""

from __future__ import annotations

from shared.contracts.base import Part

EffectTag = str
"""The tag of an effect, such as ``navigated``; see `shared.contracts.results.Effect`."""


class ElementFacts(Part, frozen=True, kw_only=True, omit_defaults=True):
    """An element that a flow acts on, as all recorded samples know it.

    ``selectors``: other selectors that were unique on every sample, best first; ``{name}`` in them, and in the key of
    this entry, is the variable of that identifier. ``effects``: what acting on it had as effect in the samples.
    ``over_page``: it closes what lies over the page, and is looked for there only.
    """

    role: str
    selectors: tuple[str, ...] = ()
    effects: tuple[EffectTag, ...] = ()
    fingerprints: tuple[str, ...] = ()
    over_page: bool = False
