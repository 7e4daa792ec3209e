"""The type_secret action. Only the pool knows the value: it is typed, compared and forgotten."""

from __future__ import annotations

from playwright.async_api import Error, Frame
from playwright.async_api import TimeoutError as PlaywrightTimeout

from services.browser_pool.adapters.observe.engine import CountReply, ask
from services.browser_pool.adapters.observe.targets import ResolvedElement
from services.browser_pool.adapters.outcome import PerformOutcome, done, refuse
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.page import matching
from services.browser_pool.safety.redaction import HIDDEN
from shared.contracts.actions import TypeSecret
from shared.contracts.results import ValueSet


async def type_secret(session: PageSession, action: TypeSecret) -> PerformOutcome:
    vault, guard = session.vault, session.guard
    if vault is None or guard is None or action.secret not in vault.names:
        named = ", ".join(vault.names) if vault is not None and vault.names else "none"
        return refuse("no_such_secret", f"{action.secret!r} is no secret of this task; its secrets: {named}")
    found = await session.find(action.target, "edit")
    if isinstance(found, PerformOutcome):
        return found
    where = document_address(found.frame)
    if not guard.may_hold_secrets(where):
        why = "secrets are typed only into pages of allowed hosts, and only over https unless the host is a private one"
        return refuse(
            "policy_denied", f"the field is in a document of {where[:200]}: {why}", target=found.to_target_found()
        )
    if not found.now.editable:
        return refuse(
            "not_editable", f'{found.now.role} "{found.now.name}" is no text field', target=found.to_target_found()
        )
    value = await session.timed(vault.reveal(action.secret))
    if value is None:
        return refuse(
            "no_such_secret", f"this browser pool knows no secret {action.secret!r}", target=found.to_target_found()
        )
    return await _type_value(session, found, action.secret, value)


def document_address(frame: Frame) -> str:
    """Return the address of the document; one without an address belongs to its parent."""
    while frame.url.startswith(("about:", "")) and frame.url in ("", "about:blank", "about:srcdoc"):
        if frame.parent_frame is None:
            break
        frame = frame.parent_frame
    return frame.url


async def _type_value(session: PageSession, found: ResolvedElement, name: str, value: str) -> PerformOutcome:
    limit_s = session.limits.action_s
    # Marked as secret before it has a value: from here on it is never read out.
    await session.timed(ask(found.frame, CountReply, limit_s, "hideField", found.snapshot_id, found.n))
    await session.timed(found.locator.fill(value, timeout=limit_s * 1000))
    held = await _read_field(session, found)
    if held is not None and not matching.says_the_same(value, held):
        await session.timed(found.locator.press("Control+A", timeout=limit_s * 1000))
        await session.timed(found.locator.press_sequentially(value, timeout=limit_s * 1000))
        held = await _read_field(session, found)
    await session.settle()
    effect = ValueSet(value=HIDDEN)
    if held is None:
        return done(f"typed the secret {name!r}, and the page went on", effect=effect, target=found.to_target_found())
    if not matching.says_the_same(value, held):
        reply = f"after typing the secret {name!r}, the field holds something else"
        return refuse("effect_not_seen", reply, effect=effect, target=found.to_target_found())
    return done(f'typed the secret {name!r} into "{found.now.name}"', effect=effect, target=found.to_target_found())


async def _read_field(session: PageSession, found: ResolvedElement) -> str | None:
    """Return the field's value, for comparison only; None when it is gone."""
    try:
        if found.now.tag in ("input", "textarea"):
            return await session.timed(found.locator.input_value(timeout=1000))
        return await session.timed(found.locator.inner_text(timeout=1000))
    except PlaywrightTimeout:
        return None
    except Error as error:
        session.tabs.raise_if_lost(error)
        return None
