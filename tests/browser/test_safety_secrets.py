"""Secrets are typed only into their sites, and never appear in results."""

from __future__ import annotations

from collections.abc import AsyncIterator

import msgspec
import pytest_asyncio
from pyotp.totp import TOTP

from services.browser_pool.adapters.browser.chromium import Chromium
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.page.snapshot import compose
from services.browser_pool.ports import SessionTerms
from shared.contracts.actions import BrowserAction, ByCss, Click, Extract, Goto, Screenshot, TypeSecret
from shared.contracts.results import ActionResult
from shared.secrets.redaction import redacted
from tests.browser.conftest import PASSWORD, SEED
from tests.browser.site import Site


@pytest_asyncio.fixture(loop_scope="session")
async def secretive(secret_chromium: Chromium) -> AsyncIterator[PageSession]:
    hosts = ("127.0.0.1", "localhost")
    terms = SessionTerms(allowed_hosts=hosts[:1], private_hosts=hosts, secrets=("portal", "mirror", "code", "lost"))
    leased = await secret_chromium.open_session(terms)
    yield leased
    await leased.close()


async def done(session: PageSession, action: BrowserAction) -> ActionResult:
    """As the pool's actor answers it."""
    return redacted((await session.act(action)).result, session.hidden)


async def leaves(session: PageSession, *results: ActionResult) -> str:
    """Every byte of what is told of the page and of these results."""
    page = redacted(compose(await session.observe("s1"), "s1"), session.hidden)
    return msgspec.json.encode([page, *results]).decode()


def into(css: str, secret: str = "portal") -> TypeSecret:
    return TypeSecret(target=ByCss(css=css), secret=secret)


ECHO = """<title>Log in</title><input id=p type=password><button id=t onclick="p.type='text'">Show</button>
<p id=o>nothing yet</p><input id=copy><div id=parts></div>
<button id=e onclick="o.textContent='You typed '+p.value; copy.value=p.value; document.title=p.value;
 parts.innerHTML='<b>'+p.value.slice(0,9)+'</b><i>'+p.value.slice(9)+'</i>';
 history.replaceState(0,'','?p='+encodeURIComponent(p.value));
 p.setAttribute('aria-label',p.value); alert(p.value)">Echo</button><script>
 const [p, o, copy, parts] = ['p', 'o', 'copy', 'parts'].map((id) => document.getElementById(id));
 </script>"""


async def test_a_secret_is_typed_and_never_told(secretive: PageSession, site: Site) -> None:
    await done(secretive, Goto(url=site.add("/echo", ECHO)))
    typed = await done(secretive, into("#p"))
    assert typed.ok, typed.message
    assert await secretive.page.input_value("#p") == PASSWORD
    results = [typed]
    for css in ("#t", "#e"):
        results.append(await done(secretive, Click(target=ByCss(css=css))))
    results += [await done(secretive, Extract(target=ByCss(css=css))) for css in ("#p", "#o", "#copy")]
    told = await leaves(secretive, *results)
    assert "You typed (hidden)" in told
    for piece in (PASSWORD, "battery", "correct%20horse", "correct horse"):
        assert piece not in told


async def test_no_picture_shows_a_secret(secretive: PageSession, site: Site) -> None:
    pictures: list[bytes] = []
    for name in ("portal", "mirror"):
        await done(secretive, Goto(url=site.add("/echo", ECHO)))
        assert (await done(secretive, into("#p", name))).ok
        for css in ("#t", "#e"):
            await done(secretive, Click(target=ByCss(css=css)))
        await secretive.page.mouse.move(600, 600)
        # The boxes that stand for it are as wide as it was; how wide that is must not tell the pictures apart here.
        await secretive.page.add_style_tag(content="* {font-family: monospace !important}")
        pictures.append((await secretive.act(Screenshot(label="page"))).captures[0].data)  # type: ignore[arg-type]
        assert "You typed" in await secretive.page.inner_text("#o")
    assert pictures[0] == pictures[1]


async def test_a_frame_of_another_host_gets_no_secret(secretive: PageSession, site: Site) -> None:
    site.add("/theirs", "<input id=q>")
    page = site.add(
        "/frames",
        f"<iframe src='http://localhost:{site.port}/theirs'></iframe><iframe srcdoc='<input id=own>'></iframe>",
    )
    await done(secretive, Goto(url=page))
    result = await done(secretive, into("#q"))
    assert (result.ok, result.code) == (False, "policy_denied")
    assert (await done(secretive, into("#own"))).ok


async def test_a_secret_that_is_not_there_is_refused(secretive: PageSession, site: Site) -> None:
    await done(secretive, Goto(url=site.add("/login", "<input id=p>")))
    for name in ("lost", "other"):
        result = await done(secretive, into("#p", name))
        assert (result.ok, result.code, name in result.message) == (False, "no_such_secret", True)


async def test_a_code_of_this_moment_is_typed(secretive: PageSession, site: Site) -> None:
    await done(secretive, Goto(url=site.add("/code", "<input id=p>")))
    assert (await done(secretive, into("#p", "code"))).ok
    typed = await secretive.page.input_value("#p")
    assert TOTP(SEED).verify(typed, valid_window=1)
    assert typed not in await leaves(secretive)


async def test_a_secret_that_is_bound_to_a_host_is_typed_there_and_nowhere_else(
    secret_chromium: Chromium, site: Site
) -> None:
    """Whatever the lease names."""
    hosts = ("127.0.0.1", "localhost")
    session = await secret_chromium.open_session(
        SessionTerms(allowed_hosts=hosts, private_hosts=hosts, secrets=("pin",))
    )
    url = site.add("/form", "<input id=p type=password oninput=\"fetch('/typed-at-' + location.hostname)\">")
    await done(session, Goto(url=url))
    foreign = await done(session, into("#p", "pin"))
    assert (foreign.ok, foreign.code, "for localhost only" in foreign.message) == (False, "policy_denied", True)
    await done(session, Goto(url=url.replace("127.0.0.1", "localhost")))
    assert (await done(session, into("#p", "pin"))).ok
    await site.asked_for("/typed-at-localhost").wait()
    assert not site.asked_for("/typed-at-127.0.0.1").is_set()
    await session.close()
