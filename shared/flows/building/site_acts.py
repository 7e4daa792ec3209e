"""Which acts of a build session may change the site: as its page tells, and as was seen on recorded rows. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace as replace_part

from shared.actions.table import facts_of_action
from shared.contracts.actions import BrowserAction, ByCss, ByRef, ByText, Click, DoubleClick, Hover, Press, Scroll, Wait
from shared.contracts.browser_pool import Element
from shared.contracts.results import ActionResult, TargetFound
from shared.contracts.steps import StepTaken
from shared.pages.effects.site_changes import action_only_looks, says_it_searches
from shared.pages.elements import description_of
from shared.recordings.recording import Recording
from shared.text.normal import fold, quoted

PRESSES = (Click, DoubleClick, Press)


def acts_on_found(
    action: BrowserAction, found: TargetFound | None, elements: Sequence[Element]
) -> tuple[BrowserAction, ...]:
    """Return the action as it is on each element that its target may be, by number, so that these are judged.

    Args:
        action: whose target is told by a selector or by its text.
        found: what the browser finds by that now.
        elements: of the page. Several may be like what was found, such as the links of a list.

    The action itself comes back where no element of the page is like it: nothing is known of what it hits.
    """
    if found is None or not found.fingerprint:
        return (action,)
    same = (found.fingerprint, found.role, found.name, found.frame)
    alike = [one for one in elements if (one.fingerprint, one.role, one.name, one.frame) == same]
    on_each = (replace_part(action, **{"target": ByRef(ref=one.ref, snapshot_id="")}) for one in alike)
    return tuple(on_each) or (action,)


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
    sent when the same control was used on a row of ``samples`` does. An element that is none of the page's may be any
    of those controls."""
    if not action_only_looks(action, elements):
        return True
    reads = facts_of_action(action).effect == "reads_only"
    if reads or isinstance(action, Wait | Scroll | Hover) or getattr(action, "target", None) is None:
        return False
    element = _element_of(action, elements)
    used = None if element is None else (element.role, fold(element.name))
    sent = (_control_of(step) for one in samples for step in one.steps if sent_by_itself(step))
    return any(used is None or used == control for control in sent)


def sent_by_itself(step: StepTaken) -> tuple[str, ...]:
    """Return what the page sent to its site at a step, and the site took; empty: nothing.

    A press in a search form of method POST, which loads a document, has sent what was asked for."""
    if step.result is None or (isinstance(step.action, PRESSES) and _searches(step.result)):
        return ()
    return step.result.change.taken_requests


def _searches(result: ActionResult) -> bool:
    """Return whether the page of an answer came of a press that is called a search."""
    target = result.target
    called = target is not None and (target.role == "searchbox" or says_it_searches(target.name))
    return called and result.change.http_status is not None


def _control_of(step: StepTaken) -> tuple[str, str] | None:
    target = None if step.result is None else step.result.target
    return None if target is None else (target.role, fold(target.name))


def _element_of(action: BrowserAction, elements: Sequence[Element]) -> Element | None:
    target = getattr(action, "target", None)
    return next((one for one in elements if isinstance(target, ByRef) and one.ref == target.ref), None)
