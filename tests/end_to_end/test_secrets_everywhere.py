"""A declared secret is typed and echoed by the page in many encodings, and is in no byte that is written."""

from __future__ import annotations

import base64
import gzip
import html
import io
import json
import quopri
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import duckdb
import msgspec
import pytest
import xlsxwriter

from shared.client import connect
from shared.contracts.operator import DecisionGiven
from shared.evidence_format.sources.opening import open_source
from shared.evidence_format.verify.verify_run import check_run
from shared.host.nats_server import nats_server
from shared.host.services import run_services
from shared.settings import Settings
from shared.subjects import DECIDE
from shared.telemetry.exporting import export_telemetry
from shared.zstd import pack_zstd
from tests.end_to_end.secret_search import forms, found_below, found_in
from tests.end_to_end.small_site import Answers, SmallSite
from tests.handlers.planner.messages_server import endpoint, tool_call
from tests.typed import expect

SECRET = 'correct "horse" & battery/staple+ü'


# --- the search itself: what cannot fail is worth nothing


def zipped(data: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("inner/x.bin", data)
    return buffer.getvalue()


def workbook(data: bytes) -> bytes:
    buffer = io.BytesIO()
    with xlsxwriter.Workbook(buffer, {"in_memory": True}) as book:
        book.add_worksheet().write_string(0, 0, data.decode("utf-8", "replace").replace("\0", "0"))
    return buffer.getvalue()


def parquet(data: bytes) -> bytes:
    with duckdb.connect() as db:
        db.execute("CREATE TABLE t (v VARCHAR)")
        db.execute("INSERT INTO t VALUES (?)", [data.decode("utf-8", "replace")])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "t.parquet"
            db.execute(f"COPY t TO '{path}' (FORMAT parquet, COMPRESSION zstd)")
            return path.read_bytes()


def mhtml(encoding: str, write: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    head = (
        "From: <Saved by Blink>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n--b\r\n"
        f"Content-Type: text/html\r\nContent-Transfer-Encoding: {encoding}\r\nContent-Location: http://x/\r\n\r\n"
    )
    return lambda data: head.encode() + write(b"<p>" + data + b"</p>") + b"\r\n--b--\r\n"


PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "plain": lambda data: b"before " + data + b" after",
    "zst": pack_zstd,
    "zip": zipped,
    "xlsx": workbook,
    "parquet": parquet,
    "mhtml, quoted-printable": mhtml("quoted-printable", quopri.encodestring),
    "mhtml, base64": mhtml("base64", base64.encodebytes),
    "mhtml in zst in zip": lambda data: zipped(pack_zstd(mhtml("base64", base64.encodebytes)(data))),
    "zst in the middle of a stream's block": lambda data: b"\x00\x16header" + pack_zstd(data) + b"trailer\x01\x02",
    "gzip": gzip.compress,
    "base64 of gzip in a page": lambda data: b"<b>" + base64.b64encode(gzip.compress(b"x" * 90 + data)) + b"</b>",
}  # fmt: skip
TEXT = SECRET.encode()
WRITINGS: dict[str, bytes] = {
    "raw": TEXT,
    "URL": quote(SECRET, safe="").encode(),
    "HTML": html.escape(SECRET).encode(),
    "JSON": json.dumps(SECRET).encode(),
    "hex": TEXT.hex().upper().encode(),
    **{f"base64 behind {n}": base64.b64encode(b"x" * n + TEXT + b"more") for n in range(3)},
    "UTF-16": SECRET.encode("utf-16-le"),
    "UTF-16 BE": SECRET.encode("utf-16-be"),
    "quoted-printable": quopri.encodestring(
        b"a long line that is folded in the middle of what it says: " + TEXT + b"."
    ),
}
BINARY, CELLS = {"UTF-16", "UTF-16 BE"}, {"xlsx", "parquet"}
PLANTED = [(one, other) for one in WRITINGS for other in PACKINGS if not (one in BINARY and other in CELLS)]
"""A cell is text."""


@pytest.mark.parametrize("packing", PACKINGS)
def test_the_search_finds_what_is_planted_and_nothing_where_nothing_is(packing: str):
    written = [writing for writing, other in PLANTED if other == packing]
    assert [one for one in written if not found_in(PACKINGS[packing](WRITINGS[one]), SECRET)] == []
    assert found_in(PACKINGS[packing](b"correct horse and (hidden)"), SECRET) == []


def test_the_search_looks_at_every_file_and_at_its_name(tmp_path: Path):
    (tmp_path / "run" / "T-1").mkdir(parents=True)
    (tmp_path / "run" / "T-1" / "harmless.json").write_bytes(b"{}")
    assert found_below(tmp_path, SECRET) == []
    (tmp_path / "run" / "T-1" / quote(SECRET, safe="")).write_bytes(b"{}")
    (tmp_path / "run" / "page.zst").write_bytes(pack_zstd(TEXT))
    hits = found_below(tmp_path, SECRET)
    assert hits[0].startswith("the name ")
    assert "run/page.zst > zstd at 0: raw" in hits


def test_no_form_is_so_short_that_anything_would_match():
    assert min(map(len, forms(SECRET).values())) > 20


# --- the whole system


class Echo(SmallSite):
    """Signs in with a GET, so that the secret is in the address too, and shows it back in every way it can."""

    def __init__(self) -> None:
        super().__init__(EchoAnswers)
        self.got: list[str] = []


class EchoAnswers(Answers):
    @property
    def site(self) -> Echo:
        return expect(self.server, Echo)

    def do_GET(self) -> None:
        given = parse_qs(urlsplit(self.path).query).get("password", [""])[0]
        if given:
            self.site.got.append(given)
        if given:
            self.answer(shown(given), x_echo=quote(given))
        else:
            self.answer(FORM)


FORM = """<!doctype html><title>Sign in</title><h1>Ticket T-1</h1><form><label>Password
<input name="password" type="password"></label><button>Sign in</button></form>"""


def shown(secret: str) -> str:
    escaped, coded = html.escape(secret), base64.b64encode(secret.encode()).decode()
    return f"""<!doctype html><title>Hello {escaped}</title><h1>Ticket T-1</h1><dl><dt>Number</dt><dd>T-1</dd>
<dt>Owner</dt><dd>Ann {escaped}</dd></dl><p title="{escaped}">{escaped}</p><a href="/?q={quote(secret)}">back</a>
<input value="{escaped}"><p hidden>{escaped}</p><p>{coded}</p><!-- {escaped} -->
<script>console.log({json.dumps(secret)})</script><style>p::before {{ content: {json.dumps(secret)} }}</style>"""


@pytest.fixture
def echo() -> Iterator[Echo]:
    with Echo() as site:
        yield site


def spec(url: str) -> dict[str, Any]:
    return {
        "task_id": "echo",
        "goal": "the owner of the ticket, behind a sign-in",
        "start_url": f"{url}/",
        "input_schema": {"number": "string"},
        "sample_id": "{number}",
        "output_schema": {"number": "string", "owner": "string | null"},
        "identity": {"number": "{number}"},
        "secrets": ["portal"],
    }


def decided(question: dict[str, Any]) -> dict[str, Any]:
    """Signs in, takes a picture, and says what it sees."""
    if "Sign in" in question["title"]:
        if not any("type_secret" in line for line in question["history"]):
            return {"action": "type_secret", "target": "css=[name=password]", "secret": "portal", "reason": "sign in"}
        return {"action": "click", "target": "css=button", "reason": "sign in"}
    if not any("screenshot" in line for line in question["history"]):
        return {"action": "screenshot", "label": "ticket", "reason": "evidence"}
    return {"action": "done", "values": {"number": "T-1", "owner": "Ann"}, "reason": "read"}


async def test_a_typed_secret_is_in_no_byte_that_is_written(
    tmp_path: Path, echo: Echo, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("EXHIBIT_SECRET_PORTAL", SECRET)
    settings = Settings(
        evidence_dir=tmp_path / "evidence", state_dir=tmp_path / "state", nats_url=None, planner="operator"
    )
    asked: list[dict[str, Any]] = []

    async def answer(message: Any) -> None:
        question = json.loads(message.data)
        asked.append(question)
        await message.respond(msgspec.json.encode(DecisionGiven(action=decided(question), decided_by="test")))

    with export_telemetry("test", tmp_path / "trace.jsonl"):
        async with nats_server(tmp_path / "streams") as url, run_services(settings, url), connect(url) as client:
            await client.bus.nc.subscribe(DECIDE.pattern, queue="operators", cb=answer)
            accepted = await client.submit(spec(echo.url), rows=[{"number": "T-1"}])
            finished = await client.result(accepted.run_id)
    assert echo.got, "the secret was typed and sent"
    assert set(echo.got) == {SECRET}
    folder = Path(finished.location)
    assert {path.name for path in folder.iterdir()} >= {"combined.csv", "combined.xlsx", "report.html", "seal.json"}
    assert any(path.name.endswith(".mhtml.zst") for path in folder.rglob("*")), "pages were kept"
    seen = found_below(tmp_path, "Ticket T-1")
    for container in (".mhtml.zst > zstd at 0 > part ", ".json.zst > zstd at 0", "streams/"):
        assert any(container in place for place in seen), f"what the page shows is found in {container}"
    for container in ("combined.xlsx > xl/", "combined.parquet > parquet", "report.html"):
        assert any(container in place for place in found_below(folder, "T-1")), f"and in {container}"
    assert found_below(tmp_path, SECRET) == []
    assert found_in(json.dumps(asked).encode(), SECRET) == [], "nobody who decides is told"
    out, err = capfd.readouterr()
    assert found_in((out + err).encode(), SECRET) == []


async def test_a_typed_secret_is_in_no_prompt_that_is_kept(tmp_path: Path, echo: Echo, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EXHIBIT_SECRET_PORTAL", SECRET)
    said = [
        tool_call("type_secret", {"target": "2", "secret": "portal", "reason": "sign in"}),
        tool_call("click", {"target": "3", "reason": "sign in"}),
        tool_call("fail", {"reason": "that is enough", "code": "other"}),
    ]
    async with endpoint(*said) as model:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "key")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", model.url)
        settings = Settings(evidence_dir=tmp_path / "evidence", state_dir=tmp_path / "state", nats_url=None)
        async with nats_server(tmp_path / "streams") as url, run_services(settings, url), connect(url) as client:
            task = {**spec(echo.url), "keep_prompts": True, "memory": "off", "vision": "off"}
            accepted = await client.submit(task, rows=[{"number": "T-1"}], planner="anthropic", mode="agent")
            finished = await client.result(accepted.run_id)
    assert set(echo.got) == {SECRET}
    folder = Path(finished.location, "T-1")
    asked = sorted(path.name for path in folder.glob("prompt_*.json.zst"))
    assert asked == [f"prompt_{step:03}.json.zst" for step in (2, 3, 4)]
    assert any("prompt_004.json.zst > zstd" in place for place in found_below(folder, "(hidden)")), "the page is in it"
    assert found_below(tmp_path, SECRET) == []
    with open_source(settings, Path(finished.location)) as source:
        checked = check_run(source, None)
    assert [problem.message for problem in checked.problems] == []
    (folder / asked[0]).unlink()
    with open_source(settings, Path(finished.location)) as source:
        assert any(asked[0] in problem.path for problem in check_run(source, None).problems), "it is sealed"
