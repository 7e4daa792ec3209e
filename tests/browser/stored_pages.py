"""Pages stored as the browser pool stores them, and forged ones."""

from __future__ import annotations

from services.browser_pool.adapters.protocol import send
from services.browser_pool.adapters.session import PageSession


async def mhtml_of(session: PageSession) -> str:
    """Return the current page as MHTML."""
    protocol = await session.tabs.context.new_cdp_session(session.page)
    told = await send(protocol, "Page.captureSnapshot", format="mhtml")
    await protocol.detach()
    return str(told["data"])


def written(html: str, *, at: str = "http://shop.example/", frames: dict[str, str] | None = None) -> str:
    """Return hand-written MHTML; ``frames`` maps a content id to the HTML of a part."""
    parts = [("main", at, html), *((name, f"{at}{name}", text) for name, text in (frames or {}).items())]
    told = "".join(
        f"\r\n--cut\r\nContent-Type: text/html\r\nContent-ID: <{name}>\r\nContent-Transfer-Encoding: binary\r\n"
        f"Content-Location: {where}\r\n\r\n{text}"
        for name, where, text in parts
    )
    return (
        f"From: <Saved by Blink>\r\nSnapshot-Content-Location: {at}\r\nSubject: x\r\nMIME-Version: 1.0\r\n"
        f'Content-Type: multipart/related;\r\n\ttype="text/html";\r\n\tboundary="cut"\r\n\r\n{told}\r\n--cut--\r\n'
    )
