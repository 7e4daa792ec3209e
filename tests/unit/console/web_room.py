"""The console over the handlers of evidence, with a run that has values for review."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from typing import Any, cast

from services.console.web.desk import Desk as WebDesk
from services.console.web.guard import CSRF, Guard, WebSessions
from services.console.web.new_run.drafts import Drafts
from services.console.web.page_origin import PageOrigin
from services.console.web.static_files import static_files
from services.console.web.web_app import make_app
from services.evidence.handlers import actor
from shared.client import Client
from shared.client.person_keys import load_person_key
from shared.contracts.sessions.reviewing import ReviewSignedOff
from shared.evidence_format.files.review import ReviewFile, parse_review
from shared.settings import Settings
from tests.handlers.evidence.evidence_desk import Desk
from tests.handlers.evidence.review_room import with_open_values
from tests.unit.console.asked_pages import HOST, SentPage, ask_page

REVIEW = "/runs/run_1/review"


@dataclass
class Room:
    """A run of A-1 and A-2, of which nobody knows the owner, and A-3 done; the console over it, whose user is
    ``person``."""

    desk: Desk
    settings: Settings
    person: str = "ann"
    opens_writer: Any = None
    behind_proxy: bool = False
    sessions: WebSessions = field(default_factory=WebSessions)
    drafts: Drafts = field(default_factory=Drafts)

    def app(self) -> Guard:
        self.desk.deps.now = lambda: datetime.now(UTC)  # clock: who asks proves that it is just now
        self.desk.bus.host(actor, self.desk.deps)
        client = Client(cast("Any", self.desk.bus))
        web = WebDesk(
            client,
            self.settings,
            self.person,
            static_files(),
            PageOrigin("http://p", (), self.settings),
            self.opens_writer,
            behind_proxy=self.behind_proxy,
        )
        return Guard(make_app(web, self.drafts), self.sessions, {HOST})

    async def begin(self, **record: Any) -> None:
        spec = {"output_schema": {"number": "string", "owner": "string | null"}, **record.pop("spec", {})}
        await with_open_values(self.desk, spec=spec, **{"requested_by": "dan", **record})

    async def ask(self, path: str, form: dict[str, str] | None = None, **headers: str) -> SentPage:
        return await ask_page(self.app(), self.sessions, path, form, **headers)

    async def form(self, path: str, act: str = "") -> dict[str, str]:
        """Return what the first form of a page that decides sends; ``act``: the one that does this."""
        shown = await self.ask(path)
        assert shown.status == 200, shown.text
        form = re.search(rf'<form method="post" action="[^"]*{act}".*?</form>', shown.text, re.DOTALL)
        assert form is not None, shown.text
        hidden = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', form[0])
        return {name: unescape(value) for name, value in hidden if name != CSRF}

    async def act(self, act: str, path: str = REVIEW, **given: str) -> SentPage:
        return await self.ask(f"{REVIEW}/{act}", {**await self.form(path), **given})

    async def sign(self) -> None:
        """Sign, as the last one who has to; the run is closed with it, as the service does."""
        signing = asyncio.create_task(self.ask(f"{REVIEW}/sign", {}))
        async with asyncio.timeout(60):
            while not self.desk.bus.events(ReviewSignedOff):
                assert not signing.done(), signing.result().text
                await asyncio.sleep(0)
            await self.desk.tell(self.desk.bus.events(ReviewSignedOff)[-1])
            assert (await signing).headers["location"] == REVIEW

    def filed(self) -> list[ReviewFile]:
        found = sorted((self.desk.root / "run_1/review.rounds").rglob("*.json"))
        return [parse_review(path.read_bytes()) for path in found]

    def make_key(self, name: str) -> str:
        """Make the key of a person; return its fingerprint."""
        return load_person_key(name, self.settings).public.fingerprint


def make_room(folder: Path) -> Room:
    """Return a room whose person, ann, has a key."""
    settings = Settings(evidence_dir=folder / "evidence", state_dir=folder / "state", nats_url=None)
    room = Room(Desk(folder / "evidence", products=()), settings)
    room.make_key("ann")
    return room
