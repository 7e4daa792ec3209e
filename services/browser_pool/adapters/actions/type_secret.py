"""Secrets into fields. The value is known to the pool alone: it is typed, compared and forgotten."""

from __future__ import annotations

from playwright.async_api import Error, Frame
from playwright.async_api import TimeoutError as PlaywrightTimeout

from services.browser_pool.adapters.observe.engine import Counted, ask
from services.browser_pool.adapters.observe.targets import Found
from services.browser_pool.adapters.outcome import Outcome, done, refuse
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.page import matching
from services.browser_pool.safety.redaction import HIDDEN
from shared.contracts.actions import TypeSecret
from shared.contracts.results import ValueSet


async def type_secret(session: PageSession, action: TypeSecret) -> Outcome:
    vault, guard = session.vault, session.guard
    if vault is None or guard is None or action.secret not in vault.names:
        named = ", ".join(vault.names) if vault is not None and vault.names else "none"
        return refuse("no_such_secret", f"{action.secret!r} is no secret of this task; its secrets: {named}")
    found = await session.find(action.target, "edit")
    if isinstance(found, Outcome):
        return found
    where = where_it_goes(found.frame)
    if not guard.may_hold_secrets(where):
        why = "secrets are typed only into pages of allowed hosts, and only over https unless the host is a private one"
        return refuse("policy_denied", f"the field is in a document of {where[:200]}: {why}", target=found.told())
    if not found.now.editable:
        return refuse("not_editable", f'{found.now.role} "{found.now.name}" is no text field', target=found.told())
    value = await session.timed(vault.reveal(action.secret))
    if value is None:
        return refuse("no_such_secret", f"this browser pool knows no secret {action.secret!r}", target=found.told())
    return await _typed(session, found, action.secret, value)


def where_it_goes(frame: Frame) -> str:
    """The address of the document; one without an address of its own belongs to the page around it."""
    while frame.url.startswith(("about:", "")) and frame.url in ("", "about:blank", "about:srcdoc"):
        if frame.parent_frame is None:
            break
        frame = frame.parent_frame
    return frame.url


async def _typed(session: PageSession, found: Found, name: str, value: str) -> Outcome:
    limit_s = session.limits.action_s
    # Known as secret before it holds anything: from now on it is never read out, whatever the page makes of it.
    await session.timed(ask(found.frame, Counted, limit_s, "hideField", found.snapshot_id, found.n))
    await session.timed(found.locator.fill(value, timeout=limit_s * 1000))
    held = await _held(session, found)
    if held is not None and not matching.says_the_same(value, held):
        await session.timed(found.locator.press("Control+A", timeout=limit_s * 1000))
        await session.timed(found.locator.press_sequentially(value, timeout=limit_s * 1000))
        held = await _held(session, found)
    await session.settle()
    effect = ValueSet(value=HIDDEN)
    if held is None:
        return done(f"typed the secret {name!r}, and the page went on", effect=effect, target=found.told())
    if not matching.says_the_same(value, held):
        told = f"after typing the secret {name!r}, the field holds something else"
        return refuse("effect_not_seen", told, effect=effect, target=found.told())
    return done(f'typed the secret {name!r} into "{found.now.name}"', effect=effect, target=found.told())


async def _held(session: PageSession, found: Found) -> str | None:
    """What the field holds, for comparison only; None where it is gone."""
    try:
        if found.now.tag in ("input", "textarea"):
            return await session.timed(found.locator.input_value(timeout=1000))
        return await session.timed(found.locator.inner_text(timeout=1000))
    except PlaywrightTimeout:
        return None
    except Error as error:
        session.tabs.raise_if_lost(error)
        return None
