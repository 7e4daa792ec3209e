"""Every way by which a page can connect to something else, and a host of the private network that it must not reach."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from services.browser_pool.adapters.browser.chromium import Chromium
from services.browser_pool.ports import SessionTerms
from shared.contracts.actions import Goto
from tests.browser.conftest import SessionKeeper
from tests.browser.site import LOOPBACK, Site

BOUND_S = 60.0
TLS_HELLO, TLS, UDP = 0x16, "tls", "udp"

WAYS = {
    "fetch": "fetch(at('fetch')).catch(() => 0)",
    "keepalive": "fetch(at('keepalive'), {keepalive: true, method: 'POST', mode: 'no-cors'}).catch(() => 0)",
    "xhr": "const x = new XMLHttpRequest(); x.open('GET', at('xhr')); x.send()",
    "beacon": "navigator.sendBeacon(at('beacon'), 'x')",
    "eventsource": "new EventSource(at('eventsource'))",
    "image": "new Image().src = at('image')",
    "script": "add('script', {src: at('script')})",
    "style": "add('link', {rel: 'stylesheet', href: at('style')})",
    "import": "add('style', {textContent: `@import url(${at('import')})`})",
    "font": "add('style', {textContent: `@font-face {font-family: f; src: url(${at('font')})} body {font-family: f}`})",
    "frame": "add('iframe', {src: at('frame')})",
    "object": "add('object', {data: at('object')})",
    "embed": "add('embed', {src: at('embed')})",
    "video": "add('video', {src: at('video'), autoplay: true})",
    "preload": "add('link', {rel: 'preload', as: 'fetch', href: at('preload')})",
    "modulepreload": "add('link', {rel: 'modulepreload', href: at('modulepreload')})",
    "prefetch": "add('link', {rel: 'prefetch', href: at('prefetch')})",
    "prerender": "add('link', {rel: 'prerender', href: at('prerender')})",
    "preconnect": "add('link', {rel: 'preconnect', href: at('preconnect')})",
    "dns": "add('link', {rel: 'dns-prefetch', href: at('dns')})",
    "icon": "add('link', {rel: 'icon', href: at('icon')})",
    "manifest": "add('link', {rel: 'manifest', href: at('manifest')})",
    "ping": "add('a', {href: '#x', ping: at('ping'), textContent: 'ping'}).click()",
    "form": "add('iframe', {name: 'q'}); add('form', {action: at('form'), method: 'post', target: 'q'}).submit()",
    "report": "add('iframe', {src: '/reporting'})",
    "speculation": "add('script', {type: 'speculationrules', textContent: JSON.stringify("
    "{prefetch: [{source: 'list', urls: [at('speculation')], eagerness: 'immediate'}]})})",
    "worker": "work(`fetch('${at('worker')}').catch(() => 0)`)",
    "importscripts": "work(`importScripts('${at('importscripts')}')`)",
    "shared": "new SharedWorker(code(`fetch('${at('shared')}').catch(() => 0)`))",
    "serviceworker": "navigator.serviceWorker.register('/sw.js').catch(() => 0)",
    "ws": "new WebSocket(at('ws', 'ws'))",
    "wss": "new WebSocket(at('wss', 'wss'))",
    "wsworker": "work(`new WebSocket('${at('wsworker', 'ws')}')`)",
    "wsshared": "new SharedWorker(code(`new WebSocket('${at('wsshared', 'ws')}')`))",
    "wsstream": "new WebSocketStream(at('wsstream', 'ws')).opened.catch(() => 0)",
    "wsframe": "add('iframe', {srcdoc: `<script>new WebSocket('${at('wsframe', 'ws')}')<\\/script>`})",
    "transport": "new WebTransport(at('transport', 'https')).ready.catch(() => 0)",
    "stun": "rtc(RTCPeerConnection, `stun:${HOST}`)",
    "turn": "rtc(RTCPeerConnection, `turn:${HOST}?transport=tcp`)",
    "rtcframe": "rtc(add('iframe', {}).contentWindow.RTCPeerConnection, `stun:${HOST}`)",
    "rtcchild": "add('iframe', {srcdoc: `<script>(${rtc})(RTCPeerConnection, 'stun:${HOST}')<\\/script>`})",
}
"""How a page tries each. A worker's WebTransport is not among them: `test_safety_addresses.py` tries that."""
NEVER = {"prerender", "preconnect", "dns", "icon", "manifest"}
"""What this browser does not do for a page, whatever the host."""
REMOVED = {"speculation", "serviceworker", "transport", "stun", "turn", "rtcframe", "rtcchild"}
"""What no page has, whatever the host."""
PAGE = """<p>Page</p><script>
const HOST = '127.0.0.2:%(port)d';
const at = (way, scheme = 'http') => `${scheme}://${HOST}/${way}`;
const add = (tag, has) => document.body.appendChild(Object.assign(document.createElement(tag), has));
const code = text => URL.createObjectURL(new Blob([text]));
const work = text => new Worker(code(text));
async function rtc(Connection, server) {
  const one = new Connection({iceServers: [{urls: server, username: 'u', credential: 'p'}]});
  one.createDataChannel('x');
  await one.setLocalDescription(await one.createOffer());
}
const ways = {%(ways)s};
Promise.all(Object.values(ways).map(async way => way()).map(tried => tried.catch(() => 0)))
  .then(() => setTimeout(() => fetch('/tried'), 1000));
</script>"""


class Inner:
    """A host of the private network that notes every way by which it was reached."""

    def __init__(self) -> None:
        self.reached: set[str] = set()
        self.connections = 0
        """Those too that say nothing, as a preconnect does."""
        self.changed = asyncio.Event()

    async def start(self) -> None:
        self.server = await asyncio.start_server(self._connected, "127.0.0.2", 0)
        self.port: int = self.server.sockets[0].getsockname()[1]
        inner = self

        class Packets(asyncio.DatagramProtocol):
            def datagram_received(self, data: bytes, addr: object) -> None:
                inner._note(UDP)

        self.packets, _ = await asyncio.get_running_loop().create_datagram_endpoint(
            Packets, local_addr=("127.0.0.2", self.port)
        )

    def stop(self) -> None:
        self.server.close()
        self.packets.close()

    async def wait_for(self, ways: set[str]) -> None:
        try:
            async with asyncio.timeout(BOUND_S):
                while not ways <= self.reached:
                    self.changed.clear()
                    await self.changed.wait()
        except TimeoutError:
            pytest.fail(f"not reached by {sorted(ways - self.reached)}")

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        line = await reader.readline()
        self._note(TLS if line[:1] == bytes((TLS_HELLO,)) else line.decode("latin-1").partition("/")[2].split(" ")[0])
        writer.write(b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n")
        writer.close()

    def _note(self, way: str) -> None:
        self.reached.add(way)
        self.changed.set()


@pytest_asyncio.fixture(loop_scope="session")
async def inner(keeper: SessionKeeper) -> AsyncIterator[Inner]:
    await keeper.close()  # a socket is refused where one session of the browser may not open it
    inner = Inner()
    await inner.start()
    yield inner
    inner.stop()


def page_of(site: Site, inner: Inner) -> str:
    report = f"img-src 'none'; report-uri http://127.0.0.2:{inner.port}/report"
    site.add("/reporting", "<img src=x>", headers={"content-security-policy": report})
    worker = f"self.onactivate = fetch('http://127.0.0.2:{inner.port}/serviceworker')"
    site.add("/sw.js", worker, content_type="text/javascript")
    ways = ", ".join(f"{name}: () => {{ {way} }}" for name, way in WAYS.items())
    return site.add("/ways-out", PAGE % {"port": inner.port, "ways": ways})


async def test_a_page_reaches_no_other_private_host_by_any_way(chromium: Chromium, site: Site, inner: Inner):
    session = await chromium.open_session(LOOPBACK)
    site.asked_for("/tried").clear()
    assert (await session.act(Goto(url=page_of(site, inner)))).result.ok
    await site.asked_for("/tried").wait()
    await session.close()
    assert (inner.reached, inner.connections) == (set(), 0)


async def test_a_host_that_the_spec_names_is_reached_by_all_but_those_that_no_page_has(
    chromium: Chromium, site: Site, inner: Inner
):
    """Which shows that the ways are ways."""
    named = ("127.0.0.1", "127.0.0.2")
    session = await chromium.open_session(SessionTerms(allowed_hosts=named, private_hosts=named))
    assert (await session.act(Goto(url=page_of(site, inner)))).result.ok
    expected = WAYS.keys() - NEVER - REMOVED - {"wss"} | {TLS}
    await inner.wait_for(expected)
    await session.close()
    assert inner.reached - {"preconnect", ""} == expected


async def test_a_socket_is_refused_where_one_session_of_the_browser_may_not_open_it(
    chromium: Chromium, site: Site, inner: Inner
):
    """Nothing tells which session asks."""
    named = ("127.0.0.1", "127.0.0.2")
    other = await chromium.open_session(LOOPBACK)
    session = await chromium.open_session(SessionTerms(allowed_hosts=named, private_hosts=named))
    html = f"<p></p><script>new WebSocket('ws://127.0.0.2:{inner.port}/ws').onerror = () => fetch('/tried')</script>"
    site.asked_for("/tried").clear()
    assert (await session.act(Goto(url=site.add("/socket", html)))).result.ok
    await site.asked_for("/tried").wait()
    await session.close()
    await other.close()
    assert inner.reached == set()
