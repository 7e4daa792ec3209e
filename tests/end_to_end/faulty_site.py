"""A site on loopback with the faults of real sites."""

from __future__ import annotations

from tests.end_to_end.small_site import Answers, SmallSite
from tests.typed import expect

RECORD = (
    "<html><title>{id}</title><body><h1>{id}</h1>"
    "<dl><dt>Number</dt><dd>{id}</dd><dt>Owner</dt><dd>Ann</dd></dl>{more}</body></html>"
)
NEVER_QUIET = "<p id=c>0</p><script>let n = 0; setInterval(() => { c.textContent = ++n }, 20)</script>"
LOGIN = (
    "<html><title>Sign in</title><body><h1>Sign in</h1>"
    "<form><label>Password <input type=password></label></form></body></html>"
)


class FaultyAnswers(Answers):
    @property
    def site(self) -> FaultySite:
        return expect(self.server, FaultySite)

    def do_GET(self) -> None:
        hits = self.site.hits
        hits[self.path] = hits.get(self.path, 0) + 1
        _, kind, name = self.path.split("/")[:3] if self.path.count("/") > 1 else ("", "", "")
        pages = {
            "ok": (200, RECORD.format(id=name, more="")),
            "restless": (200, RECORD.format(id=name, more=NEVER_QUIET)),
            "other": (200, RECORD.format(id=name + "1", more="")),
            "gone": (404, "<h1>Nothing here</h1>"),
            "broken": (500, "<h1>Server error</h1>"),
            "login": (200, LOGIN),
        }
        if kind == "private":
            return self.answer("", status=302, location="/login/now")
        status, body = pages.get(kind, (404, ""))
        return self.answer(body, status=status)


class FaultySite(SmallSite):
    """Paths: `/ok/X`, `/restless/X`, `/other/X` (another record), `/gone/X` (404), `/broken/X` (500), `/private/X`.

    `/private/X` redirects to a login page. `hits` counts requests by path.
    """

    def __init__(self) -> None:
        super().__init__(FaultyAnswers)
        self.hits: dict[str, int] = {}

    def spec(self) -> dict:
        return {
            "task_id": "faulty",
            "goal": "Read number and owner.",
            "start_url": "{url}",
            "allowed_hosts": ["127.0.0.1"],
            "sample_id": "{number}",
            "input_schema": {"number": "string", "url": "string"},
            "output_schema": {"number": "string", "owner": "string | null"},
            "required_fields": ["number", "owner"],
            "required_artifacts": ["screenshot:record"],
            "identity": {"number": "{number}"},
        }

    def row(self, kind: str, name: str) -> dict[str, str]:
        return {"number": name, "url": f"{self.url}/{kind}/{name}"}
