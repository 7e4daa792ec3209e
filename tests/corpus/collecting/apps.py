"""Third-party apps with the truth of their databases: records and lists with both tasks, and pages that they link
to."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.corpus.collecting.practice import Collected, pages_of
from tests.corpus.collecting.recording import Recording, a_visitor, walk
from tests.corpus.stored import AskedPage, Group, Response
from tests.real.apps.app import CARES, RealApp, as_text, read_spec, real_app
from tests.real.apps.environment import APPS

RECORDS = 8
HOST = "127.0.0.1:47200"
MOST_BYTES = 60_000
"""A larger script is left out: the pages are stored as their server sends them, and these need none."""


async def collect(name: str) -> Collected:
    with tempfile.TemporaryDirectory(prefix="exhibit-corpus-") as folder:
        async with real_app(name, Path(folder)) as app, a_visitor() as page:
            recording = Recording({urlsplit(app.url).netloc: HOST})
            records = _records(app)
            starts = [*records, *app.truth.missing.values(), app.truth.list_path]
            await walk(page, [app.url + path for path in starts], recording, most=len(starts) + 14)
    written = [f"{kind}{care}" for kind in ("", "list_") for care in CARES]
    specs = {one: read_spec(name, one) for one in written if (APPS / name / f"{one}.json").exists()}
    tasks: dict[str, dict[str, Any]] = {
        key: {**one, "start_url": "{url}", "allowed_hosts": ["127.0.0.1"]} for key, one in specs.items()
    }
    return Group(pages_of(recording, _asked(app, tasks)), tasks), _slim(recording.responses)


def _records(app: RealApp) -> dict[str, str]:
    """Return paths and names of the first records, and of some that have no value for a field."""
    all_records = app.truth.records.items()
    first = [(one.path, name) for name, one in all_records][: RECORDS - 3]
    lacking = [(one.path, name) for name, one in all_records if None in one.values.values()][:3]
    return dict([*first, *lacking])


def _asked(app: RealApp, specs: dict[str, dict[str, Any]]) -> dict[str, list[AskedPage]]:
    key = next(name for name in specs["careful"]["input_schema"] if name != "url")
    found: dict[str, list[AskedPage]] = {}
    missing = {path: name for name, path in app.truth.missing.items()}
    for path, name in {**_records(app), **missing}.items():
        url = f"http://{HOST}{path}"
        record = app.truth.records.get(name)
        values = {} if record is None else {field: as_text(value) or None for field, value in record.values.items()}
        found[url] = [
            AskedPage(f"{care} {name}", url, care, {key: name, "url": url}, values, refused=record is None,
                      kind=care if record is not None and care == "careful" else "")
            for care in CARES if care in specs
        ]  # fmt: skip
    at = f"http://{HOST}{app.truth.list_path}"
    lists = [AskedPage(f"list {care}", at, f"list_{care}", {"url": at}) for care in CARES if f"list_{care}" in specs]
    return {**found, **({at: lists} if lists else {})}


def _slim(responses: dict[str, Response]) -> dict[str, Response]:
    return {
        url: one
        for url, one in responses.items()
        if not (len(one.body) > MOST_BYTES and "javascript" in one.media_type) and "font" not in one.media_type
    }
