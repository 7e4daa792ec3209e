"""The actor of the browser pool: sessions are leased and released, pages observed, acted on, captured and restored."""

from __future__ import annotations

import asyncio

from services.browser_pool import login_states
from services.browser_pool.artifacts import pack, restore_page, store_artifacts, store_captures, store_response
from services.browser_pool.deps import BrowserPoolDeps
from services.browser_pool.files.captures import found_elements
from services.browser_pool.login_hosts import with_hosts
from services.browser_pool.login_states import LoginState
from services.browser_pool.page.snapshot import compose
from services.browser_pool.ports import CaptureFailed, PageCapture, WantedRefs
from shared.bus.actor import Actor
from shared.contracts.browser.live import ACTING_GAP_S, MOST_WAIT_S, NothingNew, PageShown, WatchReply, WatchSample
from shared.contracts.browser.logins import (
    AccessChecked,
    CheckAccess,
    NothingToSave,
    ProfileSaved,
    SaveProfile,
    SaveReply,
)
from shared.contracts.browser.responses import FetchReply, FetchResponse
from shared.contracts.browser.stored_pages import RestorePage, RestoreReply
from shared.contracts.browser_pool import (
    ActOnPage,
    CapturePage,
    KeepSession,
    LeaseReply,
    LeaseSession,
    NoSessionFree,
    ObservePage,
    PageCaptured,
    PageObserved,
    ReleaseSession,
    SessionKept,
    SessionLeased,
    SessionReleased,
)
from shared.contracts.results import ActionResult
from shared.errors import PermanentError
from shared.secrets.redaction import redacted
from shared.secrets.store import unknown_secret
from shared.subjects import (
    ACT,
    CAPTURE,
    CHECK_ACCESS,
    FETCH_RESPONSE,
    HEARTBEAT,
    LEASE,
    OBSERVE,
    RELEASE,
    RESTORE,
    SAVE_PROFILE,
    WATCH_SAMPLE,
)

RETRY_AFTER_S = 0.02
IN_USE_RETRY_S = 1.0
"""Where a login state is in use by as many sessions as may be, which takes as long as a sample."""

actor: Actor[BrowserPoolDeps] = Actor("browser_pool")


@actor.answers(LEASE, deadline_s=60.0, gated=True)
async def lease(request: LeaseSession, deps: BrowserPoolDeps) -> LeaseReply:
    """Lease a session on a fresh, isolated context; refuse when the pool is full or the login state is paused.

    Raises PermanentError (``policy_denied``) where the login state or a secret is not for the hosts of the session:
    what they are for is written on this machine, and whoever asks cannot widen it.
    """
    login = None if request.auth_profile is None else await deps.logins.find(request.auth_profile)
    if login is not None:
        login_states.refuse_elsewhere(login, request.allowed_hosts)
    if request.secrets:
        for refused in await asyncio.to_thread(deps.secrets.refusals, request.secrets, request.allowed_hosts):
            raise PermanentError(refused, code="policy_denied")
    refusal = None if login is None else await login_states.pause_refusal(login, deps.records)
    if refusal is not None:
        return refusal
    session_id = deps.new_id()
    if login is not None and not await _count_use(login.name, session_id, request, deps):
        return NoSessionFree(retry_after_s=IN_USE_RETRY_S, auth_profile=login.name)
    try:
        held = await deps.sessions.lease(session_id, request, login)
    except BaseException:
        await _end_use(login, session_id, request.auth_concurrency, deps)
        raise
    if held is None:
        await _end_use(login, session_id, request.auth_concurrency, deps)
        return NoSessionFree(retry_after_s=RETRY_AFTER_S)
    return SessionLeased(session_id=session_id, instance_id=deps.instance_id, browser=deps.sessions.browser.name)


async def _count_use(name: str, session_id: str, request: LeaseSession, deps: BrowserPoolDeps) -> bool:
    """Count the session among those of its login state. Return False if there are as many as may be."""
    if not request.auth_concurrency:
        return True
    now = deps.utc_now().timestamp()
    most = request.auth_concurrency
    return await login_states.use(name, session_id, most, deps.records, now=now, hold_s=request.ttl_s)


async def _end_use(login: LoginState | None, session_id: str, most: int, deps: BrowserPoolDeps) -> None:
    if login is not None and most:
        await login_states.end_use(login.name, session_id, deps.records)


@actor.answers(HEARTBEAT)
async def heartbeat(request: KeepSession, deps: BrowserPoolDeps) -> SessionKept:
    """Renew the lease of a session: its heartbeat."""
    held = deps.sessions.renew(request.session_id)
    if held.login is not None and held.limited:
        now = deps.utc_now().timestamp()
        await login_states.use(held.login.name, request.session_id, 0, deps.records, now=now, hold_s=held.ttl_s)
    return SessionKept(session_id=request.session_id)


@actor.answers(CHECK_ACCESS)
async def check_access(request: CheckAccess, deps: BrowserPoolDeps) -> AccessChecked:
    """Return which login state or secrets a run would lack."""
    missing = await asyncio.to_thread(deps.secrets.missing, request.secrets)
    refused = await asyncio.to_thread(deps.secrets.refusals, request.secrets, request.hosts)
    problems = (*map(unknown_secret, missing), *refused)
    return AccessChecked(problems=await login_states.access_problems(request, deps.logins, problems))


@actor.answers(SAVE_PROFILE, deadline_s=60.0)
async def save_profile(request: SaveProfile, deps: BrowserPoolDeps) -> SaveReply:
    """Record the login state of a session in its file. Cookies and storage never leave this process otherwise."""
    async with deps.sessions.using(request.session_id) as held:
        state = with_hosts(await held.session.login_state(), held.allowed_hosts)
    cookies, origins = len(state["cookies"]), len(state["origins"])
    if not cookies and not origins:
        return NothingToSave(auth_profile=request.auth_profile)
    path = await deps.logins.save(request.auth_profile, state)
    hosts = tuple(state["hosts"])
    return ProfileSaved(auth_profile=request.auth_profile, path=path, cookies=cookies, origins=origins, hosts=hosts)


@actor.answers(OBSERVE, deadline_s=60.0)
async def observe(request: ObservePage, deps: BrowserPoolDeps) -> PageObserved:
    """Return the elements of the page within the token budget of the request."""
    snapshot_id = deps.new_id()
    async with deps.sessions.using(request.session_id) as held:
        raw = await held.session.observe(
            snapshot_id,
            keywords=request.keywords,
            max_tokens=request.max_tokens,
            locators=request.locators,
            since=request.since,
        )
    return redacted(compose(raw, snapshot_id, images=request.images), held.session.hidden)


@actor.answers(ACT, deadline_s=150.0)
async def act(request: ActOnPage, deps: BrowserPoolDeps) -> ActionResult:
    """Perform one action and return its result; a failed action is a result too."""
    async with deps.sessions.using(request.session_id) as held:
        named = request.named if held.guarded else None
        acted = await held.session.act(
            request.action, step_picture=request.step_picture, named=named, once=request.once
        )
    return redacted(await store_captures(acted, held, deps), held.session.hidden)


@actor.answers(RESTORE, deadline_s=60.0)
async def restore(request: RestorePage, deps: BrowserPoolDeps) -> RestoreReply:
    """Open a stored page and return what it shows."""
    async with deps.sessions.using(request.session_id) as held:
        return await restore_page(request, held.session, deps)


@actor.answers(CAPTURE, deadline_s=60.0)
async def capture(request: CapturePage, deps: BrowserPoolDeps) -> PageCaptured:
    """Store the page as it is now, and locate elements of an earlier snapshot in it."""
    async with deps.sessions.using(request.session_id) as held:
        wanted = WantedRefs(request.snapshot_id, request.refs, request.pictures)
        page = await held.session.capture(request.known, wanted)
        pictured = request.step_picture and isinstance(page, PageCapture) and not page.known
        picture = await held.session.take_step_picture() if pictured else None
        hidden, spent_ms = held.session.hidden, held.session.spent_ms
    if isinstance(page, CaptureFailed):
        return redacted(PageCaptured(observation_sha256="", problems=(page.problem,)), hidden)
    files = await pack(page, request.label, held, deps)
    captures = (*files.captures, *page.pictures, *(() if picture is None else (picture,)))
    answer = PageCaptured(
        observation_sha256=page.sha256,
        artifacts=await store_artifacts(captures, held, deps, files.facts),
        found=found_elements(page),
        problems=files.problems,
        browser_ms=spent_ms,
    )
    return redacted(answer, hidden)


@actor.answers(WATCH_SAMPLE, deadline_s=MOST_WAIT_S + 15.0, paced=1)
async def watch(request: WatchSample, deps: BrowserPoolDeps) -> WatchReply:
    """Return what the page of a sample looks like. The session's lock is not needed: an action is seen as it is done.

    Raises RateLimited where as many look as may.
    """
    session_id, held = deps.sessions.of_sample(request.run_id, request.sample_id)
    with deps.viewers.one_more(session_id, request.by):
        wait_s = min(max(request.wait_s, 0.0), MOST_WAIT_S)
        shown = await held.session.watch(request.after, wait_s, max(request.gap_s, ACTING_GAP_S))
    if isinstance(shown, str):
        return NothingNew(session_id=session_id, why=shown)
    return PageShown(
        session_id=session_id,
        number=shown.number,
        picture=shown.picture,
        width=shown.width,
        height=shown.height,
        scroll_x=shown.scroll_x,
        scroll_y=shown.scroll_y,
        url=shown.url,
        taken_at=shown.taken_at,
        covered=shown.covered,
    )


@actor.answers(FETCH_RESPONSE, deadline_s=150.0)
async def fetch_response(request: FetchResponse, deps: BrowserPoolDeps) -> FetchReply:
    """Ask an API under the rules of the session, and store its response."""
    async with deps.sessions.using(request.session_id) as held:
        return redacted(await store_response(request, held, deps), held.session.hidden)


@actor.answers(RELEASE, deadline_s=30.0)
async def release(request: ReleaseSession, deps: BrowserPoolDeps) -> SessionReleased:
    """Close a session; releasing an ended one is no error. A login wall pauses the session's login state."""
    held = await deps.sessions.end(request.session_id)
    if held is not None and held.limited:
        await _end_use(held.login, request.session_id, 1, deps)
    if request.login_wall and held is not None and held.login is not None:
        await login_states.pause(held.login, request.login_wall, deps.utc_now(), deps.records)
    return SessionReleased(session_id=request.session_id)
