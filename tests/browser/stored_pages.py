"""Pages stored as the browser pool stores them, and forged ones; all texts of a page, read again from its files."""

from __future__ import annotations

import hashlib

from services.browser_pool.adapters.browser.chromium import PoolSession
from services.browser_pool.adapters.protocol import send
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.files.captures import found_elements, pack_page
from services.browser_pool.page.snapshot import compose
from services.browser_pool.ports import PageCapture, RestoredPage, RestoreRequest, WantedRefs
from services.planner.reperform.stored_page_view import parse_stored_observation, view_stored_page
from services.planner.reperform.verdicts import StoredFile, StoredPage, value_verdict
from shared.contracts.browser.stored_pages import Sought
from shared.contracts.browser_pool import Element
from shared.contracts.reperform import ValueReperformed
from shared.contracts.steps import FieldValue, ValueSource
from shared.pages.elements import is_input, text_of
from shared.task.spec import TaskSpec
from tests.unit.planner.planner_pages import sample

ALL_TOKENS = 100_000
READ = TaskSpec.model_validate(
    {"task_id": "t", "goal": "Read it.", "start_url": "{url}", "output_schema": {"v": "string"}}
)


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


async def read_all_again(session: PoolSession, fresh: PoolSession) -> list[tuple[Element, ValueReperformed]]:
    """Store the open page, open it again in ``fresh``, and return the verdict on each element's text as a value."""
    live = compose(await session.observe("s1", max_tokens=ALL_TOKENS), "s1")
    capture = await session.capture((), WantedRefs("s1", tuple(element.ref for element in live.elements)))
    assert isinstance(capture, PageCapture), capture
    packed = pack_page(capture, "page", "c1", "b", ()).captures
    files = {one.kind: one.data for one in packed if isinstance(one.data, bytes)}
    stored = {one.ref: one for one in found_elements(capture)}
    values: list[tuple[Element, FieldValue]] = []
    for element in live.elements:
        now = stored[element.ref].element
        assert now is not None, element
        source = ValueSource(
            snapshot_id="s1", observation_sha256="o", url=live.url, ref=element.ref, role=element.role,
            label=element.header or (element.name if is_input(element) else None), box=now.box, frame=now.frame,
            fingerprint=now.fingerprint, locators=now.locators, kept_ref=now.ref, page_sha256="p",
            observation_file_sha256="o", ink=stored[element.ref].ink,
        )  # fmt: skip
        shown = text_of(element)
        if shown:
            value = FieldValue(field="v", state="value", value=shown, shown=shown, source=source, read_by="rules")
            values.append((element, value))
    sources = [value.source for _, value in values if value.source is not None]
    sought = tuple(Sought(fingerprint=one.fingerprint, locators=one.locators) for one in sources)
    again = await fresh.restore(RestoreRequest(files["page"], "r1", max_tokens=ALL_TOKENS, sought=sought))
    assert isinstance(again, RestoredPage), again
    observed = parse_stored_observation(files["observation"], hashlib.sha256(files["observation"]).hexdigest())
    assert not isinstance(observed, str), observed
    both = StoredPage(
        StoredFile("p", "p", view_stored_page(READ, sample(), compose(again.raw, "r1")), ink=again.ink),
        StoredFile("o", "o", view_stored_page(READ, sample(), observed)),
    )
    return [(element, value_verdict(value, READ.output_schema["v"], both)) for element, value in values]
