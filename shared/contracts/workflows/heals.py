"""Heals: how a flow found an element or a value on a page that has changed since the flow was made."""

from __future__ import annotations

from typing import Literal

from shared.contracts.base import Part
from shared.contracts.codes import OpenCode

HealRung = Literal["popup", "agreeing", "narrowed", "moved", "planner"]
"""What of the ladder has helped. ``popup``: something that lay over the page was dismissed. ``agreeing``: other
selectors or rules, which agree. ``narrowed``: of several that are like it, the one at the place of the examples.
``moved``: what goes by order alone leads to something else that is told by its own label or name, and was left out.
``planner``: a step that a planner decided on."""


HealedKind = Literal["element", "field", "proof", "popup"]
"""``proof``: a field by which a page proved whose record it shows."""


class HealWay(Part, frozen=True, kw_only=True):
    """One way to find something. ``key``: the selector, or the hash of the rule, as
    `shared.flows.changed.records.rule_key`. ``text``: for people."""

    key: str
    text: str


class Heal(Part, frozen=True, kw_only=True, omit_defaults=True):
    """One heal. ``subject``: the key of the element's entry in the locators, or the field. ``lost``: ways that find
    nothing, or several elements, now. ``moved``: ways that lead to something else now. ``matched``: ways that lead to
    what was used.

    ``others``: elements like it that were not meant, such as of the same name in other rows. ``observation_sha256``: of
    the page on which it was found."""

    kind: HealedKind
    subject: str
    rung: OpenCode[HealRung]
    lost: tuple[HealWay, ...] = ()
    moved: tuple[HealWay, ...] = ()
    matched: tuple[HealWay, ...] = ()
    others: int = 0
    role: str = ""
    name_now: str = ""
    fingerprint: str = ""
    """A recorded one; empty: the element has none in the flow."""
    fingerprint_now: str = ""
    url: str = ""
    observation_sha256: str = ""
