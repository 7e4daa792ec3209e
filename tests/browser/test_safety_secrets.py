"""Secrets are typed only into their sites, and never appear in results."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import msgspec
import pytest
import pytest_asyncio
from pyotp.totp import TOTP

from services.browser_pool.adapters.browser.chromium import Chromium
from services.browser_pool.adapters.browser.login_files import LoginFolder
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.page.snapshot import compose
from services.browser_pool.ports import SessionTerms
from shared.contracts.actions import BrowserAction, ByCss, Click, Extract, Goto, Screenshot, TypeSecret
from shared.contracts.results import ActionResult
from shared.errors import PermanentError
from shared.secrets.redaction import redacted
from shared.secrets.store import SecretStore, Vault, codes_of
from shared.settings import Settings
from tests.browser.conftest import LIMITS
from tests.browser.site import Site

PASSWORD = "correct horse & battery"
SEED = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
Open = Callable[[str], Awaitable[PageSession]]


@pytest_asyncio.fixture(loop_scope="session")
async def open_with(tmp_path: Path) -> AsyncIterator[Open]:
    """A session whose secret has this value."""
    browsers: list[Chromium] = []

    async def opened(value: str) -> PageSession:
        known = SecretStore(None, {"EXHIBIT_SECRET_PORTAL": value, "EXHIBIT_SECRET_CODE": json.dumps({"totp": SEED})})
        browser = Chromium(chromium=Settings().chromium, logins=LoginFolder(tmp_path), limits=LIMITS, secrets=known)
        browsers.append(browser)
        private = ("127.0.0.1", "localhost")
        return await browser.open_session(
            SessionTerms(allowed_hosts=("127.0.0.1",), private_hosts=private, secrets=("portal", "code", "lost"))
        )

    yield opened
    for browser in browsers:
        await browser.close()


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


async def test_a_secret_is_typed_and_never_told(open_with: Open, site: Site) -> None:
    session = await open_with(PASSWORD)
    await done(session, Goto(url=site.add("/echo", ECHO)))
    typed = await done(session, into("#p"))
    assert typed.ok, typed.message
    assert await session.page.input_value("#p") == PASSWORD
    results = [typed]
    for css in ("#t", "#e"):
        results.append(await done(session, Click(target=ByCss(css=css))))
    results += [await done(session, Extract(target=ByCss(css=css))) for css in ("#p", "#o", "#copy")]
    told = await leaves(session, *results)
    assert "You typed (hidden)" in told
    for piece in (PASSWORD, "battery", "correct%20horse", "correct horse"):
        assert piece not in told


async def test_no_picture_shows_a_secret(open_with: Open, site: Site) -> None:
    pictures: list[bytes] = []
    for value in ("correct horse & battery", "torrecc eshor & yrettab"):
        session = await open_with(value)
        await done(session, Goto(url=site.add("/echo", ECHO)))
        assert (await done(session, into("#p"))).ok
        for css in ("#t", "#e"):
            await done(session, Click(target=ByCss(css=css)))
        await session.page.mouse.move(600, 600)
        # The boxes that stand for it are as wide as it was; how wide that is must not tell the pictures apart here.
        await session.page.add_style_tag(content="* {font-family: monospace !important}")
        pictures.append((await session.act(Screenshot(label="page"))).captures[0].data)  # type: ignore[arg-type]
        assert "You typed" in await session.page.inner_text("#o")
    assert pictures[0] == pictures[1]


async def test_a_frame_of_another_host_gets_no_secret(open_with: Open, site: Site) -> None:
    session = await open_with(PASSWORD)
    port = site.url.rpartition(":")[2]
    site.add("/theirs", "<input id=q>")
    page = site.add(
        "/frames", f"<iframe src='http://localhost:{port}/theirs'></iframe><iframe srcdoc='<input id=own>'></iframe>"
    )
    await done(session, Goto(url=page))
    result = await done(session, into("#q"))
    assert (result.ok, result.code) == (False, "policy_denied")
    assert (await done(session, into("#own"))).ok


@pytest.mark.parametrize("name", ["lost", "other"])
async def test_a_secret_that_is_not_there_is_refused(open_with: Open, site: Site, name: str) -> None:
    session = await open_with(PASSWORD)
    await done(session, Goto(url=site.add("/login", "<input id=p>")))
    result = await done(session, into("#p", name))
    assert (result.ok, result.code) == (False, "no_such_secret")
    assert name in result.message


async def test_a_code_of_this_moment_is_typed(open_with: Open, site: Site) -> None:
    session = await open_with(PASSWORD)
    await done(session, Goto(url=site.add("/code", "<input id=p>")))
    assert (await done(session, into("#p", "code"))).ok
    typed = await session.page.input_value("#p")
    assert TOTP(SEED).verify(typed, valid_window=1)
    assert typed not in await leaves(session)


async def test_no_code_is_typed_twice_or_shortly_before_it_runs_out() -> None:
    now = 1_000_020.0  # where a code begins
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        nonlocal now
        waits.append(seconds)
        now += seconds

    store = SecretStore(None, {"EXHIBIT_SECRET_CODE": json.dumps({"totp": SEED})})
    vault = Vault(store, ("code",), now=lambda: now, sleep=sleep)
    first = await vault.reveal("code")
    assert (first, waits) == (TOTP(SEED).at(1_000_020), [])
    assert await vault.reveal("code") == TOTP(SEED).at(1_000_050)
    now = 1_000_108.0
    assert await vault.reveal("code") == TOTP(SEED).at(1_000_110)
    assert [round(one) for one in waits] == [30, 2]


def test_secrets_are_found_in_the_environment_and_in_a_file_for_ones_own_eyes(tmp_path: Path) -> None:
    path = tmp_path / "secrets.json"
    path.write_text(
        json.dumps({"portal": "in the file", "code": {"totp": " ".join(SEED[at : at + 4] for at in range(0, 32, 4))}}),
        encoding="utf-8",
    )
    path.chmod(0o600)
    store = SecretStore(path, {"EXHIBIT_SECRET_OTHER": "in the environment"})
    found = [store.find(name) for name in ("portal", "other", "code")]
    assert [(one.value.replace(" ", "") if one.totp else one.value, one.totp) for one in found if one] == [
        ("in the file", False),
        ("in the environment", False),
        (SEED, True),
    ]
    assert store.missing(("portal", "nowhere")) == ("nowhere",)
    path.chmod(0o640)
    with pytest.raises(PermanentError, match="chmod 600"):
        store.find("portal")


@pytest.mark.parametrize("written", ["[1]", "hunter2 {", '{"portal": {"totp": "hunter2!"}}', '{"portal": 5}'])
def test_a_file_that_cannot_be_used_is_not_quoted(tmp_path: Path, written: str) -> None:
    path = tmp_path / "secrets.json"
    path.write_text(written, encoding="utf-8")
    path.chmod(0o600)
    with pytest.raises(PermanentError) as caught:
        SecretStore(path, {}).find("portal")
    assert "hunter2" not in str(caught.value)


def test_a_short_seed_gives_the_codes_that_others_give_for_it() -> None:
    # RFC 6238 allows any length; these two codes are of the example seed of Google's key URI format.
    assert [codes_of("jbsw y3dp ehpk 3pxp").at(at) for at in (0, 30)] == ["282760", "996554"]
