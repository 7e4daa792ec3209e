"""Which acts of a build session may change the site: as its page tells, and as was seen on recorded rows. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shared.contracts.actions import BrowserAction, ByCss, ByRef, ByText
from shared.contracts.browser_pool import Element
from shared.contracts.steps import StepTaken
from shared.pages.effects.site_changes import action_only_looks
from shared.pages.elements import description_of
from shared.recordings.recording import Recording
from shared.text.normal import fold, quoted


def described_act(action: BrowserAction, elements: Sequence[Element]) -> str:
    """Return what is done, for people, such as `click on button "Save"`. ``elements``: of the page."""
    tag, element = str(action.__struct_config__.tag), _element_of(action, elements)
    if element is not None:
        return f"{tag} on {description_of(element)}"
    match getattr(action, "target", None):
        case ByText(text=text):
            return f"{tag} on {quoted(text)}"
        case ByCss(css=css):
            return f"{tag} on css={css}"
        case _:
            return tag


def may_change_site(action: BrowserAction, elements: Sequence[Element], samples: Iterable[Recording]) -> bool:
    """Return whether the action may change the site: a page does not tell that a field saves by itself, but what it
    sent when the same control was used on a row of ``samples`` does."""
    if not action_only_looks(action, elements):
        return True
    element = _element_of(action, elements)
    if element is None:
        return False
    used = (element.role, fold(element.name))
    return any(used == _control_of(step) for one in samples for step in one.steps if sent_by_itself(step))


def sent_by_itself(step: StepTaken) -> tuple[str, ...]:
    """Return what the page sent to its site at a step, and the site took; empty: nothing."""
    return () if step.result is None else step.result.change.answered_well


def _control_of(step: StepTaken) -> tuple[str, str] | None:
    target = None if step.result is None else step.result.target
    return None if target is None else (target.role, fold(target.name))


def _element_of(action: BrowserAction, elements: Sequence[Element]) -> Element | None:
    target = getattr(action, "target", None)
    return next((one for one in elements if isinstance(target, ByRef) and one.ref == target.ref), None)
