"""The process of the browser that a session runs in."""

from __future__ import annotations

from services.browser_pool.adapters.session import PageSession


async def pid_of(session: PageSession) -> int:
    """Return the process id of the browser that the session runs in."""
    cdp = await session.tabs.browser.new_browser_cdp_session()
    processes = (await cdp.send("SystemInfo.getProcessInfo"))["processInfo"]
    return next(process["id"] for process in processes if process["type"] == "browser")
