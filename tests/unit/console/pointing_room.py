"""The console of bob over pages of a site that a scripted pool shows: to point at records and at lists."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from services.console.web.desk import Desk
from services.console.web.guard import Guard, WebSessions
from services.console.web.logins.open_logins import OpenLogins
from services.console.web.new_run.drafts import Drafts
from services.console.web.page_origin import PageOrigin
from services.console.web.pointing.kept_drafts import SpecDrafts
from services.console.web.static_files import static_files
from services.console.web.web_app import make_app
from services.planner.handlers import actor as planner
from shared.client import Client
from shared.contracts.browser_pool import PageObserved
from shared.settings import Settings
from shared.streams import ARTIFACTS
from tests.handlers.planner.planner_bench import Bench
from tests.handlers.planner.scripted_pool import ScriptedPool
from tests.unit.console.asked_pages import HOST, SentPage, ask_page
from tests.unit.planner.planner_pages import box, heading, page, row

HOSTILE = "</bdi><script>alert(1)</script>\u202e{{7*7}}"
SHOWN = "&lt;/bdi&gt;&lt;script&gt;alert(1)&lt;/script&gt;"
STATIC = static_files()
URL = "http://site/records/R-17"


def record(number: str = "R-17", owner: str = "Ann Lee", due: str = "03/04/2026", **changes: Any) -> PageObserved:
    parts = (heading("Pump leaks"), *row("Number", number), *row("Owner", owner), *row("Due", due))
    placed = [replace(one, box=box(10, 40 * at)) for at, one in enumerate(parts)]
    return page(*placed, **changes)


@dataclass
class PointingRoom:
    """The console of bob over one page of a site."""

    folder: Path
    site: dict[str, list[PageObserved]]
    bus: Any = None
    web: WebSessions = field(default_factory=WebSessions)
    drafts: Drafts = field(default_factory=Drafts)
    specs: SpecDrafts = field(default_factory=SpecDrafts)
    logins: OpenLogins = field(default_factory=OpenLogins)
    at: str = ""
    person: str = "bob"
    away: bool = False
    """The bus is away, and whoever asks it all the same fails."""

    def __post_init__(self) -> None:
        self.pool = ScriptedPool(self.site, with_pages=True)
        bench = Bench(self.pool)
        self.bus = bench.bus
        self.bus.host(planner, bench.deps)

    async def ask(self, path: str, form: dict[str, str] | None = None) -> SentPage:
        settings = Settings(evidence_dir=self.folder, state_dir=self.folder, nats_url=None)
        client = Client(None if self.away else self.bus)  # type: ignore[arg-type]
        origin = PageOrigin("http://p", (), settings)
        desk = Desk(client, settings, self.person, STATIC, origin, connected=lambda _: not self.away)
        app = make_app(desk, self.drafts, open_logins=self.logins)
        app.state.spec_drafts = self.specs
        return await ask_page(Guard(app, self.web, {HOST}), self.web, path, form)

    async def open(self, url: str = URL) -> SentPage:
        await self.bus.put(ARTIFACTS, "blob-page", b"PNG")
        sent = await self.ask("/specs", {"url": url, "profile": ""})
        self.at = sent.headers.get("location", "")
        return sent

    def ref(self, shown: str) -> str:
        [draft] = self.specs.newest()
        return str(next(one.ref for one in draft.look.page.elements if one.name == shown))

    async def do(self, act: str, **fields: str) -> SentPage:
        """Send a form of the page as it is now."""
        [draft] = self.specs.newest()
        if act in ("settle", "rule", "none", "absent", "learn") and draft.trial is not None:
            fields = {"tried": draft.trial.trial_id, **fields}
        sent = await self.ask(f"{self.at}/{act}", fields)
        return await self.ask(sent.headers["location"].partition("#")[0]) if sent.status == 303 else sent

    async def do_list(self, act: str, **fields: str) -> SentPage:
        """Send a form of the page of a list."""
        sent = await self.ask(f"{self.at}/list/{act}", fields)
        return await self.ask(sent.headers["location"].partition("#")[0]) if sent.status == 303 else sent

    async def take(self, shown: str, name: str, kind: str = "string", **more: str) -> SentPage:
        return await self.do("field", ref=self.ref(shown), shown=shown, name=name, type=kind, **more)
