"""Host names of private addresses, including DNS rebinding."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from services.browser_pool.adapters.browser import launch
from services.browser_pool.adapters.browser.chromium import Chromium
from services.browser_pool.adapters.browser.login_files import LoginFolder
from services.browser_pool.ports import SessionTerms
from shared.contracts.actions import Goto
from shared.settings import Settings
from tests.browser.conftest import LIMITS
from tests.browser.site import LOOPBACK, Site

INSIDE = "inside.example"
"""A name that the browser resolves to this machine, and this machine does not know."""


@pytest_asyncio.fixture(loop_scope="session")
async def fooled(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Chromium]:
    """A browser that holds 127.0.0.1 for a public address, and finds 127.0.0.2 under the name above."""
    port = site.url.rpartition(":")[2]
    flags = (f"--host-resolver-rules=MAP {INSIDE} 127.0.0.1", f"--ip-address-space-overrides=127.0.0.1:{port}=public")
    monkeypatch.setattr(launch, "ARGUMENTS", (*launch.ARGUMENTS, *flags))
    browser = Chromium(chromium=Settings().chromium, logins=LoginFolder(tmp_path), limits=LIMITS)
    yield browser
    await browser.close()


async def test_the_address_that_was_really_connected_to_counts(fooled: Chromium, site: Site) -> None:
    port = site.url.rpartition(":")[2]
    page = f"http://{INSIDE}:{port}{site.add('/inside', '<h1>Payroll</h1>').removeprefix(site.url)}"
    session = await fooled.open_session(SessionTerms(allowed_hosts=(INSIDE,)))
    result = (await session.act(Goto(url=page))).result
    assert (result.ok, result.code) == (False, "policy_denied")
    assert "127.0.0.1" in result.message
    assert "Payroll" not in str(await session.observe("s1"))
    named = await fooled.open_session(SessionTerms(allowed_hosts=(INSIDE,), private_hosts=(INSIDE,)))
    assert (await named.act(Goto(url=page))).result.ok


PARTS = """<p>Page</p><script>
const u = 'http://{host}/';
const got = what => () => document.body.append('got ' + what);
const i = new Image(); i.onload = got('picture'); i.src = u + 'i.svg'; document.body.append(i);
const f = document.createElement('iframe'); f.src = u + 'frame'; document.body.append(f);
const s = document.createElement('script'); s.onload = got('script'); s.src = u + 's.js'; document.body.append(s);
fetch(u + 'open', {{mode: 'no-cors'}}).then(got('answer'), () => 0);
new WebSocket(u.replace('http', 'ws')).onopen = got('socket');
</script>"""


async def test_a_public_page_reaches_nothing_private_under_any_name(fooled: Chromium, site: Site) -> None:
    inner = Site()
    await inner.start()
    for path in ("/i.svg", "/frame", "/s.js", "/open", "/"):
        inner.add(path, "<svg xmlns='http://www.w3.org/2000/svg'/>", content_type="image/svg+xml")
    port = inner.url.rpartition(":")[2]
    session = await fooled.open_session(LOOPBACK)
    result = (await session.act(Goto(url=site.add("/outside", PARTS.format(host=f"{INSIDE}:{port}"))))).result
    assert result.ok
    page = str(await session.observe("s1"))
    assert "Page" in page
    assert "got" not in page
    assert not any(inner.asked_for(path).is_set() for path in ("/i.svg", "/frame", "/s.js", "/open", "/"))
    await fooled.close()  # with the connections that it has made before it was told whose they are
    await inner.stop()


async def test_a_login_state_with_storage_is_loaded(site: Site, tmp_path: Path) -> None:
    state = {"cookies": [], "origins": [{"origin": site.url, "localStorage": [{"name": "who", "value": "Ann"}]}]}
    (tmp_path / "ann.json").write_text(json.dumps(state), encoding="utf-8")
    browser = Chromium(chromium=Settings().chromium, logins=LoginFolder(tmp_path), limits=LIMITS)
    terms = SessionTerms(auth_profile="ann", allowed_hosts=("127.0.0.1",), private_hosts=("127.0.0.1",))
    session = await browser.open_session(terms)
    await session.act(Goto(url=site.add("/who", "<p></p><script>document.body.append(localStorage.who)</script>")))
    assert "Ann" in str(await session.observe("s1"))
    await browser.close()
