"""The type_text and type_secret actions: type into fields and read the value back.

Only the pool knows the value of a secret: it is typed, compared and forgotten.
"""

from __future__ import annotations

from dataclasses import replace

from playwright.async_api import Error, Frame, Locator
from playwright.async_api import TimeoutError as PlaywrightTimeout

from services.browser_pool.adapters.actions.effects import has_navigated, state_before
from services.browser_pool.adapters.actions.number_keys import read_range, set_number
from services.browser_pool.adapters.actions.pointer.hit_test import reach
from services.browser_pool.adapters.implementations import performs
from services.browser_pool.adapters.observe.engine import CountReply, DocumentState, StaleElement, ask
from services.browser_pool.adapters.observe.targets import ResolvedElement
from services.browser_pool.adapters.outcome import PerformOutcome, done, refuse
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.page import matching
from shared.contracts.actions import TypeSecret, TypeText
from shared.contracts.browser_pool import HIDDEN_VALUE
from shared.contracts.results import Effect, Navigated, ValueSet
from shared.secrets.store import unknown_secret

FIELD = "action-field"
WRITTEN = frozenset({"", "text", "search", "tel", "url", "email", "password"})
"""Input types that accept single letters; others take a value whole."""
LONGEST_BY_KEYS = 500
"""A longer text is not retried key by key."""


@performs(TypeText)
async def type_text(session: PageSession, action: TypeText) -> PerformOutcome:
    return await type_into(session, action, action.text, hidden=False)


async def type_into(session: PageSession, action: TypeText, text: str, *, hidden: bool) -> PerformOutcome:
    """Type ``text`` and read it back. ``hidden``: the message contains neither text nor value."""
    found = await session.find(action.target, "edit")
    if isinstance(found, PerformOutcome):
        return found
    if not found.now.editable:
        range_ = await read_range(session, found)
        if range_.found and not found.now.offers:
            return await set_number(session, found, text, at_once=range_.own)
    field = await _field(session, found)
    if isinstance(field, PerformOutcome):
        return field
    hidden = hidden or found.now.secret
    before = await state_before(session, found)
    field_value = await _type(session, found, field, text)
    if field_value is not None and found.now.role == "spinbutton" and not matching.says_the_same(text, field_value):
        return await set_number(session, found, text, at_once=False)
    await session.wait_for_rest()
    if field_value is not None and found.now.numeric and not found.now.offers:
        await _leave_and_return(session, field)
    if field_value is not None and not isinstance(
        await session.run_timed(found.again(session.limits.action_s)), StaleElement
    ):
        # A page may revert what was typed.
        field_value = await _read_back(session, found, field)
    return _outcome(session, found, before, text, field_value, hidden=hidden)


async def _field(session: PageSession, found: ResolvedElement) -> Locator | PerformOutcome:
    """Return the element itself, or the only field within it."""
    if found.now.editable or (found.now.type == "color" and found.now.tag == "input" and not found.now.disabled):
        return found.locator
    own = found.now.tag in ("input", "textarea")
    if not own and not found.now.disabled:
        work = ask(found.frame, CountReply, session.limits.action_s, "part", found.snapshot_id, found.n, FIELD, "edit")
        if (await session.run_timed(work)).count == 1:
            return _inner_field(found)
    why = "disabled or read-only" if found.now.disabled or own else "no text field"
    return refuse("not_editable", f'{found.now.role} "{found.now.name}" is {why}', target=found.to_target_found())


def _inner_field(found: ResolvedElement) -> Locator:
    return replace(found, snapshot_id=FIELD, n=0).locator


async def _type(session: PageSession, found: ResolvedElement, field: Locator, text: str) -> str | None:
    """Type and read back. What offers options while one types gets every letter by its key, as from a person; other
    fields only where they do not take the text at once."""
    by_keys = len(text) <= LONGEST_BY_KEYS
    if found.now.offers and by_keys:
        await _dismiss_overlays(session, found)
        value = await _type_by_keys(session, found, field, text)
        if value is None or matching.says_the_same(text, value):
            return value
    value = await _type_at_once(session, found, field, text)
    if value is not None and by_keys and not matching.says_the_same(text, value):
        value = await _type_by_keys(session, found, field, text)
    return value


async def _type_at_once(session: PageSession, found: ResolvedElement, field: Locator, text: str) -> str | None:
    """Set all but the last letter, and type that with its key: many pages listen to keys only."""
    timeout_ms = session.limits.action_s * 1000
    letters = found.now.tag != "input" or found.now.type in WRITTEN
    split = len(text) if not letters or not text or text[-1] in "\r\n\t" else len(text) - 1
    await _dismiss_overlays(session, found)
    await session.run_timed(field.fill(text[:split], timeout=timeout_ms))
    if text[split:]:
        await session.run_timed(field.press_sequentially(text[split:], timeout=timeout_ms))
    return await _read_back(session, found, field)


async def _leave_and_return(session: PageSession, field: Locator) -> None:
    """Take the focus from a field and give it back: many take a number, or keep it in its limits, only when left."""
    timeout_ms = session.limits.action_s * 1000
    try:
        await session.run_timed(field.blur(timeout=timeout_ms))
        await session.wait_for_rest()
        await session.run_timed(field.focus(timeout=timeout_ms))
        await session.wait_for_rest()
    except Error as error:  # it is gone, and that is told by the caller
        session.tabs.raise_if_lost(error)


async def _dismiss_overlays(session: PageSession, found: ResolvedElement) -> None:
    """Close overlays as a person would have to, although a covered field can be filled."""
    await reach(session, found, patience_s=0.0)


async def _type_by_keys(session: PageSession, found: ResolvedElement, field: Locator, text: str) -> str | None:
    """Type letter by letter, for fields that rewrite their value while typing."""
    if found.now.tag == "input" and found.now.type not in WRITTEN:
        return await _read_back(session, found, field)
    try:
        written = text.rstrip("\r\n") if found.now.tag == "input" else text
        await replace_by_keys(session, field, written)
    except PlaywrightTimeout:
        return await _read_back(session, found, field)
    return await _read_back(session, found, field)


async def replace_by_keys(session: PageSession, field: Locator, text: str) -> None:
    """Clear a field and type letter by letter. An empty field is not cleared: in some the key removes a choice."""
    timeout_ms = session.limits.action_s * 1000
    await session.run_timed(field.focus(timeout=timeout_ms))
    if await held_text(session, field):
        await session.run_timed(field.press("Control+A", timeout=timeout_ms))
        await session.run_timed(field.press("Backspace", timeout=timeout_ms))
        if await held_text(session, field):
            await session.run_timed(field.fill("", timeout=timeout_ms))
    await session.run_timed(field.press_sequentially(text, timeout=timeout_ms))


async def held_text(session: PageSession, field: Locator) -> str:
    """Return what a field holds. It is compared only: it may be secret."""
    script = "el => 'value' in el ? el.value : el.innerText"
    return str(await session.run_timed(field.evaluate(script, timeout=session.limits.action_s * 1000))).strip("\n")


def _outcome(
    session: PageSession,
    found: ResolvedElement,
    before: DocumentState,
    text: str,
    value: str | None,
    *,
    hidden: bool,
) -> PerformOutcome:
    target = found.to_target_found()
    if value is None:
        if has_navigated(before, session.rest.state):
            effect: Effect = Navigated(url=session.page.url, http_status=session.network.fresh_status)
            return done("typed, and the page went on", effect=effect, target=target)
        return refuse("effect_not_seen", "the field went away before it could be read back", target=target)
    effect = ValueSet(value=HIDDEN_VALUE if hidden else value)
    if not matching.says_the_same(text, value):
        said = "something else" if hidden else f'"{value}"'
        return refuse("effect_not_seen", f"after typing, the field holds {said}", effect=effect, target=target)
    return done(f'typed into "{found.now.name}"', effect=effect, target=target)


async def _read_back(session: PageSession, found: ResolvedElement, field: Locator) -> str | None:
    """Return the field's value. A secret is compared here and goes no further."""
    timeout_s = session.limits.action_s
    try:
        if found.now.tag in ("input", "textarea"):
            return await session.run_timed(field.input_value(timeout=timeout_s * 1000))
        if not found.now.editable:
            script = "el => 'value' in el ? el.value : el.innerText"
            return str(await session.run_timed(field.evaluate(script, timeout=timeout_s * 1000)))
    except PlaywrightTimeout:
        return None
    except Error as error:
        session.tabs.raise_if_lost(error)
        return None
    after = await session.run_timed(found.again(timeout_s))
    return None if isinstance(after, StaleElement) else after.text


# --- secrets


@performs(TypeSecret)
async def type_secret(session: PageSession, action: TypeSecret) -> PerformOutcome:
    vault, guard = session.vault, session.guard
    if vault is None or guard is None or action.secret not in vault.names:
        named = ", ".join(vault.names) if vault is not None and vault.names else "none"
        return refuse("no_such_secret", f"{action.secret!r} is no secret of this task; its secrets: {named}")
    found = await session.find(action.target, "edit")
    if isinstance(found, PerformOutcome):
        return found
    where = document_address(found.frame)
    elsewhere = await session.run_timed(vault.refusal_at(action.secret, where))
    if elsewhere:
        told = f"the field is in a document of {where[:200]}: {elsewhere}"
        return refuse("policy_denied", told, target=found.to_target_found())
    if not await session.run_timed(guard.may_hold_secrets(where)):
        why = "secrets are typed only into pages of allowed hosts, and only over https unless the host is a private one"
        return refuse(
            "policy_denied", f"the field is in a document of {where[:200]}: {why}", target=found.to_target_found()
        )
    if not found.now.editable:
        return refuse(
            "not_editable", f'{found.now.role} "{found.now.name}" is no text field', target=found.to_target_found()
        )
    value = await session.run_timed(vault.reveal(action.secret))
    if value is None:
        return refuse("no_such_secret", unknown_secret(action.secret), target=found.to_target_found())
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
    await session.run_timed(ask(found.frame, CountReply, limit_s, "hideField", found.snapshot_id, found.n))
    await session.run_timed(found.locator.fill(value, timeout=limit_s * 1000))
    field_value = await _read_secret_field(session, found)
    if field_value is not None and not matching.says_the_same(value, field_value):
        await session.run_timed(found.locator.press("Control+A", timeout=limit_s * 1000))
        await session.run_timed(found.locator.press_sequentially(value, timeout=limit_s * 1000))
        field_value = await _read_secret_field(session, found)
    await session.wait_for_rest()
    effect = ValueSet(value=HIDDEN_VALUE)
    if field_value is None:
        return done(f"typed the secret {name!r}, and the page went on", effect=effect, target=found.to_target_found())
    if not matching.says_the_same(value, field_value):
        reply = f"after typing the secret {name!r}, the field holds something else"
        return refuse("effect_not_seen", reply, effect=effect, target=found.to_target_found())
    return done(f'typed the secret {name!r} into "{found.now.name}"', effect=effect, target=found.to_target_found())


async def _read_secret_field(session: PageSession, found: ResolvedElement) -> str | None:
    """Return the field's value, for comparison only; None when it is gone."""
    try:
        if found.now.tag in ("input", "textarea"):
            return await session.run_timed(found.locator.input_value(timeout=1000))
        return await session.run_timed(found.locator.inner_text(timeout=1000))
    except PlaywrightTimeout:
        return None
    except Error as error:
        session.tabs.raise_if_lost(error)
        return None
