"""A site whose tickets are for those who have signed in."""

from __future__ import annotations

from urllib.parse import parse_qs

from tests.end_to_end.owner_tasks import SIGN_IN_FORM
from tests.end_to_end.small_site import Answers, SmallSite
from tests.typed import expect

PASSWORD = "right"


class Desk(SmallSite):
    """``served`` lists the tickets that were shown, ``walls`` those that were answered with the form."""

    def __init__(self) -> None:
        super().__init__(DeskAnswers)
        self.valid: set[str] = set()
        self.served: list[str] = []
        self.walls: list[str] = []
        self.expires_after = 10**6


class DeskAnswers(Answers):
    @property
    def site(self) -> Desk:
        return expect(self.server, Desk)

    def do_GET(self) -> None:
        who = self.headers.get("cookie", "").partition("who=")[2].partition(";")[0]
        number = self.path.rsplit("/", 1)[-1]
        if who not in self.site.valid or len(self.site.served) >= self.site.expires_after:
            self.site.walls += [number] if self.path.startswith("/tickets/") else []
            return self.page(SIGN_IN_FORM)
        self.site.served += [number] if self.path.startswith("/tickets/") else []
        if self.path == "/missing":
            return self.send_error(404)
        return self.page(f"<h1>Ticket {number}</h1><dl><dt>Number</dt><dd>{number}</dd><dt>Owner</dt><dd>Ann</dd></dl>")

    def do_POST(self) -> None:
        form = parse_qs(self.rfile.read(int(self.headers["content-length"])).decode())
        if form.get("password") != [PASSWORD]:
            return self.page(SIGN_IN_FORM)
        token = f"token{len(self.site.valid)}"
        self.site.valid = {token}
        self.site.expires_after = 10**6
        return self.page("<h1>Welcome</h1>", set_cookie=f"who={token}; Path=/; HttpOnly")

    def page(self, html: str, set_cookie: str = "") -> None:
        body = f"<!doctype html><title>Desk</title>{html}"
        if set_cookie:
            self.answer(body, set_cookie=set_cookie)
        else:
            self.answer(body)
