"""Starts and ends one browser process: its executable, driver, contexts and temporary folder."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import shutil
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast
from weakref import WeakKeyDictionary

from playwright.async_api import Browser, BrowserContext, Error, Page, Playwright, async_playwright

from services.browser_pool.adapters.browser.memory import tree_mb
from services.browser_pool.adapters.browser.watch import SessionWatch
from services.browser_pool.adapters.guard.interception import (
    TargetIds,
    forbid_preloading,
    interceptor_of,
    is_proxied,
    target_ids,
)
from services.browser_pool.adapters.guard.socket_proxy import SocketProxy
from services.browser_pool.adapters.observe import engine
from services.browser_pool.adapters.observe.pending import count_timers
from services.browser_pool.adapters.protocol import run_unless_gone
from services.browser_pool.page.matching import first_line
from shared.aio import cancel_and_wait
from shared.child_process.parent import start_python
from shared.errors import Unavailable

log = logging.getLogger(__name__)

VIEWPORT_WIDTH_PX = 1280
VIEWPORT_HEIGHT_PX = 900
LAUNCH_BOUND_S = 30.0
CLOSE_BOUND_S = 3.0
ARGUMENTS = (
    "--disable-background-networking",
    "--no-default-browser-check",
    # WebRTC sends no UDP past the guard; pages do not get at it at all (preloading.js).
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
)

WITHOUT = ("--disable-ipc-flooding-protection",)
"""Arguments of Playwright that are left out: a page that writes its history thousands of times a second would hold up
all pages of the browser. Chromium lets 200 through in 10 s."""

NO_SANDBOX = "No usable sandbox!"
"""Chromium's own words."""
WITHOUT_SANDBOX = (
    f"{NO_SANDBOX} It is made of user namespaces, which this process may not create. A container gets them by "
    "deploy/browser_pool.seccomp.json; the kernel of its host must give them too"
)


@dataclass(frozen=True)
class WarmContext:
    """An unused context with its first page open, ready for a guard."""

    context: BrowserContext
    page: Page
    ids: TargetIds
    crashed: asyncio.Event = field(default_factory=asyncio.Event)


class BrowserProcess:
    """A browser with a driver of its own, which grows with the contexts and ends with it.

    ``leases`` counts all sessions it ever had, ``live`` the present ones.
    """

    def __init__(
        self, playwright: Playwright, process_dir: ProcessDir, sockets: SocketProxy, browser: Browser, pid: int
    ) -> None:
        self.browser = browser
        self.leases = self.live = 0
        self.spares: list[WarmContext] = []
        self._playwright, self._process_dir, self._sockets, self._pid = playwright, process_dir, sockets, pid
        self._gone = asyncio.Event()
        self.watch = SessionWatch(browser)
        self._watching = asyncio.create_task(self.watch.run())
        browser.on("disconnected", lambda _: self._gone.set())

    @property
    def dead(self) -> bool:
        return self._gone.is_set() or not self.browser.is_connected()

    @property
    def folder(self) -> Path:
        """Folder for files that this browser reads. It is removed with the browser."""
        return self._process_dir.folder

    async def new_context(self) -> WarmContext:
        """Return a new context. Raises Unavailable (``session_lost``) or Playwright's error when the browser dies
        meanwhile."""
        return await run_unless_gone(self._new_context(), self._gone)

    async def _new_context(self) -> WarmContext:
        context = await self.browser.new_context(
            viewport={"width": VIEWPORT_WIDTH_PX, "height": VIEWPORT_HEIGHT_PX},
            color_scheme="light",
            accept_downloads=True,
            # Requests of a service worker would bypass the guard.
            service_workers="block",
        )
        try:
            watch = await interceptor_of(self.browser)
            self._sockets.decide_by(watch.socket_refusal, watch.names.addresses)
            await count_timers(context)
            await forbid_preloading(context)
            page = await context.new_page()
            warm = WarmContext(context, page, await target_ids(page))
        except BaseException:
            if not self.dead:
                await close_quietly(context.close())
            raise
        warm.page.on("crash", lambda _: warm.crashed.set())
        return warm

    def take_spare(self) -> WarmContext | None:
        """Return a warm context, if there is one."""
        while self.spares:
            warm = self.spares.pop(0)
            if not warm.crashed.is_set() and not warm.page.is_closed():
                return warm
        return None

    async def memory_mb(self) -> float:
        """Return the memory of the browser and its pages."""
        return await asyncio.to_thread(tree_mb, self._pid)

    async def close(self) -> None:
        """End browser and driver, killing what does not end by itself. Idempotent."""
        if not self.dead:
            await close_quietly(self.browser.close())
        self._gone.set()
        await cancel_and_wait(self._watching)
        await close_quietly(self._playwright.stop())
        await self._sockets.close()
        await self._process_dir.clear()


async def start(chosen: Path | None, *, headed: bool = False) -> BrowserProcess:
    """Start a browser. Raises Unavailable (``no_browser``), with what to do, when none can be started."""
    try:
        return await _start(chosen, headed)
    except (Error, OSError) as error:
        raise Unavailable(f"no browser could be started: {first_line(str(error))}", code="no_browser") from error


async def _start(chosen: Path | None, headed: bool) -> BrowserProcess:
    process_dir = await ProcessDir.build()
    playwright = await _start_driver(process_dir)
    sockets: SocketProxy | None = None
    try:
        sockets = await SocketProxy.start()
        await engine.register(playwright)
        own = Path(playwright.chromium.executable_path)
        executable = await asyncio.to_thread(find_browser, chosen, own, shutil.which, headed=headed)
        # Behind a proxy of the machine's settings, that one decides where sockets go, as it does for all else.
        arguments = ARGUMENTS if is_proxied() else (*ARGUMENTS, *sockets.arguments)
        browser = await _launch(playwright, executable, headed, arguments)
        return BrowserProcess(playwright, process_dir, sockets, browser, await _pid_of(browser))
    except BaseException:
        await close_quietly(playwright.stop())
        if sockets is not None:
            await sockets.close()
        await process_dir.clear()
        raise


async def _start_driver(process_dir: ProcessDir) -> Playwright:
    """Start the driver in the folder, which is cleared where that fails or is cut off.

    A start that is cut off is not cancelled: half way it leaves errors that nobody awaits, and asyncio prints them. The
    driver is stopped as soon as it is up, and killed with its folder where that takes long.
    """
    starting: asyncio.Future[Playwright] | None = None
    try:
        async with process_dir.as_temporary_folder():
            starting = asyncio.ensure_future(_run_driver())
            return await asyncio.shield(starting)
    except BaseException:
        await asyncio.gather(process_dir.clear(), *([] if starting is None else [_stop_once_started(starting)]))
        raise


async def _run_driver() -> Playwright:
    """Raises Unavailable where the driver ends while it starts, as by a signal to the whole group of processes."""
    # Node warns on a timer that is overdue, as on a busy machine; nobody can do anything about it.
    os.environ.setdefault("NODE_NO_WARNINGS", "1")
    manager = async_playwright()
    try:
        playwright = await manager.start()
    except Error:
        raise
    except Exception as error:  # Playwright raises no class of its own here
        raise Unavailable(f"the driver of the browser did not start: {error}", code="no_browser") from error
    client = manager._client  # pyright: ignore[reportPrivateUsage]
    if client is not None:
        # Playwright itself awaits this only while it starts; a driver that ends later is told by each call.
        transport = cast("Any", client._transport)  # pyright: ignore
        transport.on_error_future.add_done_callback(_read_error)
        # A write to a driver that is gone fails here; asyncio before 3.11.5 prints it, although nobody has to await it.
        closing = getattr(transport._proc.stdin, "_protocol", None)
        if (closed := getattr(closing, "_stdin_closed", None)) is not None:
            closed.add_done_callback(_read_error)
    return playwright


def _read_error(ended: asyncio.Future[Any]) -> None:
    """Read the error, so that asyncio does not print it as one that nobody has read."""
    if not ended.cancelled():
        ended.exception()


async def _stop_once_started(starting: asyncio.Future[Playwright]) -> None:
    await asyncio.wait([starting], timeout=LAUNCH_BOUND_S)
    if starting.done() and not starting.cancelled() and starting.exception() is None:
        await close_quietly(starting.result().stop())


async def _launch(playwright: Playwright, executable: Path, headed: bool, arguments: tuple[str, ...]) -> Browser:
    try:
        browser = await playwright.chromium.launch(
            executable_path=executable,
            headless=not headed,
            # Chromium's sandbox does not work as root.
            chromium_sandbox=os.geteuid() != 0,
            args=arguments,
            ignore_default_args=list(WITHOUT),
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
            timeout=LAUNCH_BOUND_S * 1000,
        )
    except Error as error:
        told = WITHOUT_SANDBOX if NO_SANDBOX in error.message else first_line(error.message)
        raise Unavailable(f"{executable} did not start: {told}", code="no_browser") from error
    log.info("started %s %s", executable, browser.version)
    return browser


async def _pid_of(browser: Browser) -> int:
    cdp = await browser.new_browser_cdp_session()
    answer = cast("Any", await cdp.send("SystemInfo.getProcessInfo"))  # pyright: ignore[reportUnknownMemberType]
    await cdp.detach()
    return next(process["id"] for process in answer["processInfo"] if process["type"] == "browser")


async def close_quietly(closing: Awaitable[object]) -> None:
    """Await a closing call within its time limit, ignoring errors of what is dead already."""
    with contextlib.suppress(Error, TimeoutError):
        async with asyncio.timeout(CLOSE_BOUND_S):
            await closing


# --- the executable

WITH_WINDOW = ("chromium", "chromium-browser", "google-chrome")
COMMANDS = ("chromium-headless-shell", *WITH_WINDOW)
SHELL_NAMES = ("chrome-headless-shell", "headless_shell")


def find_browser(
    chosen: Path | None, playwrights_own: Path, which: Callable[[str], str | None], *, headed: bool = False
) -> Path:
    """Return the executable. Raises Unavailable, with what to install, when there is none.

    ``headed``: with a window, which a headless shell cannot open.
    """
    if chosen is not None:
        if chosen.is_file():
            return chosen
        raise Unavailable(f"EXHIBIT_CHROMIUM is {chosen}, and no such file exists", code="no_browser")
    for own in (None if headed else headless_shell_beside(playwrights_own), playwrights_own):
        if own is not None and own.is_file():
            return own
    for command in WITH_WINDOW if headed else COMMANDS:
        path = which(command)
        if path:
            return Path(path)
    kind, name = ("browser with a window", "chromium") if headed else ("browser", "chromium-headless-shell")
    raise Unavailable(
        f"no {kind} was found. Install one: `playwright install {name}`, or your system's "
        f"package (Debian: `apt-get install {name}`), or set EXHIBIT_CHROMIUM to its path",
        code="no_browser",
    )


def headless_shell_beside(chromium: Path) -> Path | None:
    """Return Playwright's headless shell, which makes fresh contexts three times faster.

    For ``.../chromium-1255/chrome-linux/chrome`` it is in ``.../chromium_headless_shell-1255/*/``.
    """
    for folder in chromium.parents:
        if folder.name.startswith("chromium-"):
            shells = folder.with_name(folder.name.replace("chromium-", "chromium_headless_shell-", 1))
            found = (path for name in SHELL_NAMES for path in sorted(shells.glob(f"*/{name}*")) if path.is_file())
            return next(found, None)
    return None


# --- the folder of a browser process, cleared whatever ends this process

CLEAR_BOUND_S = 20.0
REAPER = Path(__file__).with_name("reaper.py")


class ProcessDir:
    """A folder, and a reaper process that clears it and kills every process started in it."""

    def __init__(self, folder: Path, reaper: asyncio.subprocess.Process) -> None:
        self.folder, self._reaper = folder, reaper

    @classmethod
    async def build(cls) -> ProcessDir:
        folder = Path(tempfile.mkdtemp(prefix="exhibit-browser-"))
        reaper = await start_python(str(REAPER), str(folder), stdout=asyncio.subprocess.DEVNULL)
        return cls(folder, reaper)

    @asynccontextmanager
    async def as_temporary_folder(self) -> AsyncGenerator[None]:
        """Assign everything that is started within this block to the folder.

        Playwright passes our environment on to its driver, so TMPDIR is changed for that time.
        """
        async with _environment_lock():
            tempfile.gettempdir()  # fixes our own temporary folder before TMPDIR changes
            before = os.environ.get("TMPDIR")
            os.environ["TMPDIR"] = str(self.folder)
            try:
                yield
            finally:
                if before is None:
                    del os.environ["TMPDIR"]
                else:
                    os.environ["TMPDIR"] = before

    async def clear(self) -> None:
        """End what still runs and remove the folder. Idempotent."""
        if self._reaper.stdin is not None:
            self._reaper.stdin.close()
        try:
            async with asyncio.timeout(CLEAR_BOUND_S):
                await self._reaper.wait()
        except TimeoutError:
            log.warning("%s could not be cleared within %g s", self.folder, CLEAR_BOUND_S)


_locks: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()


def _environment_lock() -> asyncio.Lock:
    """Return the lock around the environment: two drivers that start at once would share it."""
    return _locks.setdefault(asyncio.get_running_loop(), asyncio.Lock())
