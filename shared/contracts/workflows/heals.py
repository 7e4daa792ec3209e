"""Heals: how a flow found an element or a value on a page that has changed since the flow was made."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from shared.contracts.base import Message, Part
from shared.contracts.codes import OpenCode
from shared.contracts.workflows.flow_uses import FlowEnding

HealRung = Literal["popup", "agreeing", "narrowed", "moved", "task", "effect", "planner"]
"""What of the ladder has helped. ``popup``: something that lay over the page was dismissed. ``agreeing``: other
selectors or rules, which agree. ``narrowed``: of several that are like it, the one at the place of the examples.
``moved``: what goes by order alone leads to something else that is told by its own label or name, and was left out.
``task``: the labels of the task, on the page of the record; no other rule finds the value. ``effect``: what a click
shows is a page of its own now, or was one. ``planner``: a step that a
planner decided on."""


Witness = Literal[
    "label", "name", "id", "place", "shape", "title", "heading", "fingerprint", "effect", "record", "model"
]
"""What speaks for something that was found in another way. ``label``: the field's own, also a telling word beside the
value. ``name``: of the element itself. ``id``: a mark in the markup. ``place``: order, path, group or part of the page.
``shape``: the form that every example's value has. ``title``, ``heading``: of the page, with the text of the row.
``effect``: what acting on it showed. ``record``: the page proves the record. ``model``: a planner has said so."""
HealMode = Literal["off", "recorded", "planner"]
"""What a flow may do on a page that has changed. ``recorded``: all rungs but the last. ``planner``: all of them."""
HEAL_MODES: tuple[HealMode, ...] = ("off", "recorded", "planner")

HealedKind = Literal["element", "field", "proof", "popup"]
"""``proof``: a field by which a page proved whose record it shows."""


class Postcondition(Part, frozen=True, kw_only=True, omit_defaults=True):
    """What must hold after a step that a planner has chosen. It is in the step log before the step is taken.

    ``effects``: tags of the effects of which the step must have one; empty: any. ``shows``: a text that the page shows
    afterwards and does not show before; empty: none is asked for."""

    effects: tuple[str, ...] = ()
    shows: str = ""


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
    the page on which it was found. ``found``: new ways that lead to it alone, and ``expects``: what had to hold after
    the step; both of a step that a planner chose. ``line``: of the flow's source, of the call that something lay over
    the page for; 0 for other kinds, and in records of earlier versions. ``witnesses``: what speaks for what was used;
    none of popups, and in records of earlier versions."""

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
    found: tuple[HealWay, ...] = ()
    expects: Postcondition | None = None
    line: int = 0
    witnesses: tuple[OpenCode[Witness], ...] = ()


# --- a flow that is healed while runs use it

LEAST_HEALED = 5
"""Samples, one after the other, that must have found something in another way before a new version is proposed."""
MAX_REFUSED = 3


class FlowFinished(Message, frozen=True, kw_only=True):
    """Report how a sample ended in which a flow began, and what the flow found in another way than recorded.

    ``hash``: of the version that it used. Nothing is lost with a report: steps have their heals too."""

    run_id: str
    sample_id: str
    name: str
    hash: str
    heals: tuple[Heal, ...] = ()
    ending: FlowEnding = "done"


class FlowNoted(Message, frozen=True, kw_only=True):
    """The report was taken."""


class HealedSample(Part, frozen=True, kw_only=True):
    """A sample that used the version. ``heals`` is empty where it found all as recorded."""

    run_id: str
    sample_id: str
    heals: tuple[Heal, ...] = ()


class FlowHealing(Part, frozen=True, kw_only=True):
    """How far the healing of one version of a flow has come.

    ``samples``: the last ones that used it, the latest last. ``healing``: a worker proposes and checks a version, since
    ``since``. ``healed``: ``next_hash`` is the version that takes its place. ``refused``: too often no version came of
    it, for this ``reason``."""

    state: Literal["watching", "healing", "healed", "refused"] = "watching"
    samples: tuple[HealedSample, ...] = ()
    since: datetime | None = None
    tries: int = 0
    next_hash: str = ""
    reason: str = ""


# --- elements that only a planner could find


class ChosenElement(Part, frozen=True, kw_only=True):
    """The element that a planner has chosen for a step of a flow. ``selectors``: that lead to it alone, with variables
    of the flow as ``{name}``. ``decided_by``: the model. ``reason``: for people."""

    role: str
    selectors: tuple[str, ...]
    expects: Postcondition
    decided_by: str
    reason: str = ""


class ElementChoice(Message, frozen=True, kw_only=True):
    """What is known of an element that the pages of one version of a flow have no more, for all samples that use it.

    ``asking``: a worker asks a planner, since ``since``. ``chosen``: others use ``chosen`` without asking. ``none``:
    there is no such element, or what was chosen has missed its postcondition; ``reason`` is for people."""

    state: Literal["asking", "chosen", "none"]
    since: datetime
    chosen: ChosenElement | None = None
    reason: str = ""
