"""HTTP servers as tools: requests, answers, hostile arguments and hostile servers, on a server on loopback."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Iterator

import pytest

from tests.handlers.workflows.http_world import HttpWorld, http_world
from tests.handlers.workflows.tool_bench import ToolBench, call, refusal

SECRET = "tr4cker-t0ken&x"


@pytest.fixture
def world() -> Iterator[HttpWorld]:
    with http_world() as world:
        yield world


@pytest.fixture
def elsewhere() -> Iterator[HttpWorld]:
    with http_world() as world:
        yield world


@pytest.fixture
def tracker(bench: ToolBench, world: HttpWorld) -> ToolBench:
    bench.secrets["tracker_token"] = SECRET
    bench.write(
        "tracker.yaml",
        f"""
        kind: http
        description: The tracker.
        base_url: {world.base}/api/
        headers:
          Authorization: Bearer {{secret:tracker_token}}
          X-Why: "{{why}}"
        parameters:
          id: {{}}
          text: {{}}
          tags: {{type: array, required: false}}
          limit: {{type: integer, default: 10}}
          why: {{required: false}}
        recipes:
          ticket: {{path: "/tickets/{{id}}"}}
          search: {{path: /tickets, query: {{q: "{{text}}", tag: "{{tags}}", limit: "{{limit}}"}}}}
          comment:
            method: POST
            path: /tickets/{{id}}/comments
            body: {{text: "{{text}}", tags: "{{tags}}", limit: "{{limit}}", by: "us: {{text}}"}}
        """,
    )
    return bench


# --- requests


async def test_values_are_escaped_in_paths_and_in_queries(tracker, world):
    toolbox = tracker.open()
    assert (await call(toolbox, "tracker.ticket", id="a/b?c#d &é"))["path"] == "/api/tickets/a%2Fb%3Fc%23d%20%26%C3%A9"
    answer = await call(toolbox, "tracker.search", text="a&b=c #", tags=["x", "y&z"])
    assert answer["path"] == "/api/tickets?q=a%26b%3Dc%20%23&tag=x&tag=y%26z&limit=10"
    assert world.asked[0].headers["Authorization"] == f"Bearer {SECRET}"
    assert "X-Why" not in world.asked[0].headers


async def test_a_body_is_json_and_its_values_keep_their_types(tracker, world):
    await call(tracker.open(), "tracker.comment", id="7", text='"}, {"x', limit=3)
    (asked,) = world.asked
    assert (asked.method, asked.path) == ("POST", "/api/tickets/7/comments")
    assert asked.headers["Content-Type"] == "application/json"
    assert asked.body.decode() == '{"text":"\\"}, {\\"x","limit":3,"by":"us: \\"}, {\\"x"}'


@pytest.mark.parametrize("part", ["..", ".", "../admin", "x/../../admin", "..\\admin", ""])
async def test_a_value_cannot_leave_its_place_in_a_path(tracker, world, part):
    told = await refusal(tracker.open(), "tracker.ticket", id=part)
    assert told.startswith("ValueError: tracker.ticket(): argument 'id' cannot be part of a path")
    assert world.asked == []


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "a\nb", "a\0b", "é"])
async def test_a_value_cannot_add_a_header(tracker, world, value):
    told = await refusal(tracker.open(), "tracker.ticket", id="1", why=value)
    assert told == (
        "ValueError: tracker.ticket(): the value of the header X-Why has characters that headers cannot have"
    )
    assert world.asked == []


async def test_a_server_with_recipes_only_has_no_plain_call(tracker):
    assert await refusal(tracker.open(), "tracker") == (
        "TypeError: tracker() cannot be called; its recipes are comment, search, ticket"
    )


async def test_a_secret_that_is_not_set_is_named_and_nothing_is_asked(tracker, world):
    tracker.secrets.clear()
    told = await refusal(tracker.open(), "tracker.ticket", id="1")
    assert told.startswith("LookupError: tracker.ticket: the secret 'tracker_token' is not set: set EXHIBIT_SECRET_TR")
    assert world.asked == []


# --- answers


async def test_an_error_status_is_an_error_with_the_beginning_of_the_answer(tracker, world):
    world.answers["/api/tickets/9"] = (404, {}, b"no such\n ticket " + b"x" * 5000)
    told = await refusal(tracker.open(), "tracker.ticket", id="9")
    assert told.startswith(
        f"RuntimeError: tracker.ticket(): {world.base}/api/tickets/9 answered 404 Not Found: no such ticket xxx"
    )
    assert len(told) < 500


async def test_a_secret_that_comes_back_is_hidden_wherever_it_stands(tracker, world):
    world.answers["/api/tickets/1"] = (200, {}, f'{{"{SECRET}": ["a {SECRET} b", 1]}}'.encode())
    toolbox = tracker.open()
    assert await call(toolbox, "tracker.ticket", id="1") == {"(hidden)": ["a (hidden) b", 1]}
    world.answers["/api/tickets/1"] = (500, {}, f"bad token {SECRET}".encode())
    assert (await refusal(toolbox, "tracker.ticket", id="1")).endswith("Internal Server Error: bad token (hidden)")
    world.answers["/api/tickets/1"] = (200, {}, f"<{SECRET}>".encode())
    assert (await refusal(toolbox, "tracker.ticket", id="1")).endswith(": <(hidden)>")


def declare_fetch(bench: ToolBench, hosts: str, more: str = "") -> None:
    lines = ["kind: http", "description: Gets an address.", "path: '{url}'", "parameters: {url: {format: url}}"]
    bench.write("fetch.yaml", "\n".join([*lines, f"hosts: {hosts}", more]))


async def test_bytes_text_and_the_whole_response_are_other_forms_of_an_answer(bench, world):
    world.answers["/x"] = (200, {"Content-Type": "text/plain; charset=latin-1", "X-A": "b"}, b"caf\xe9")
    declare_fetch(bench, "[127.0.0.1]", "output: text")
    assert await call(bench.open(), "fetch", url=f"{world.base}/x") == "café"
    declare_fetch(bench, "[127.0.0.1]", "output: bytes")
    value = await call(bench.open(), "fetch", url=f"{world.base}/x")
    assert base64.b64decode(value["base64"]) == b"caf\xe9"
    declare_fetch(bench, "[127.0.0.1]", "output: response")
    value = await call(bench.open(), "fetch", url=f"{world.base}/x#part")
    assert (value["status"], value["body"], value["headers"]["x-a"]) == (200, "café", "b")
    world.answers["/x"] = (404, {}, b"gone")
    assert (await call(bench.open(), "fetch", url=f"{world.base}/x"))["status"] == 404


async def test_an_empty_answer_is_no_value(tracker, world):
    world.answers["/api/tickets/1"] = (200, {}, b"")
    assert await call(tracker.open(), "tracker.ticket", id="1") is None


# --- hosts


@pytest.mark.parametrize(
    ("hosts", "url", "told"),
    [
        ("[good.example]", "http://127.0.0.1:{port}/", "is none of the hosts that the tool may reach (good.example)"),
        ("['*']", "http://127.0.0.1:{port}/", "127.0.0.1:{port} is a private address"),
        ("['*']", "http://localhost:{port}/", "localhost:{port} is a private address (127.0.0.1)"),
        ("[rebound.example]", "http://rebound.example:{port}/", "is a private address (127.0.0.1)"),
        ("['*.rebound.example']", "http://a.rebound.example:{port}/", "is a private address (127.0.0.1)"),
        ("['*']", "http://user:pw@127.0.0.1:{port}/", "an address with a user name"),
        ("['127.0.0.1:1']", "http://127.0.0.1:{port}/", "is none of the hosts"),
        ("['*']", "file:///etc/passwd", "file: addresses are not opened"),
        ("['*']", "good.example", "is not an address"),
    ],
)
async def test_only_hosts_that_are_named_are_asked(bench, world, hosts, url, told):
    async def resolve(host: str) -> tuple[str, ...]:
        return ("127.0.0.1",)

    declare_fetch(bench, hosts)
    message = await refusal(bench.open(resolve=resolve), "fetch", url=url.format(port=world.port))
    assert message.startswith("PermissionError: fetch(): ")
    assert told.format(port=world.port) in message
    assert world.asked == []


async def test_the_address_that_was_checked_is_the_one_that_is_asked(bench, world):
    """A name server that answers otherwise the second time changes nothing."""
    answers = iter([("127.0.0.1",), ("10.0.0.1",)])

    async def resolve(host: str) -> tuple[str, ...]:
        return next(answers)

    declare_fetch(bench, "[inside.example]", "private_hosts: [inside.example]")
    value = await call(bench.open(resolve=resolve), "fetch", url=f"http://inside.example:{world.port}/a")
    assert value["path"] == "/a"
    assert world.asked[0].headers["Host"] == f"inside.example:{world.port}"


async def test_an_unknown_name_and_a_closed_port_are_told(bench):
    async def resolve(host: str) -> tuple[str, ...]:
        return ()

    declare_fetch(bench, "[gone.example, '127.0.0.1:9']")
    toolbox = bench.open(resolve=resolve)
    told = await refusal(toolbox, "fetch", url="http://gone.example/")
    assert told == "ConnectionError: fetch(): the name gone.example is not known"
    assert (await refusal(toolbox, "fetch", url="http://127.0.0.1:9/")).startswith("ConnectionError: fetch(): ")


async def test_no_proxy_of_the_environment_is_used(bench, world, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    declare_fetch(bench, "[127.0.0.1]")
    assert (await call(bench.open(), "fetch", url=f"{world.base}/a"))["path"] == "/a"


# --- redirects


@pytest.mark.parametrize("target", ["http://169.254.169.254/latest", "http://evil.example/", "file:///etc/passwd"])
async def test_a_redirect_to_a_host_that_is_not_named_is_not_followed(tracker, world, target):
    world.answers["/api/tickets/1"] = (302, {"Location": target}, b"")
    told = await refusal(tracker.open(), "tracker.ticket", id="1")
    assert told.startswith("PermissionError: tracker.ticket(): ")
    assert len(world.asked) == 1


async def test_redirects_are_followed_within_bounds(tracker, world):
    world.answers["/api/tickets/1"] = (302, {"Location": "/api/tickets/2"}, b"")
    assert (await call(tracker.open(), "tracker.ticket", id="1"))["path"] == "/api/tickets/2"
    world.answers["/api/tickets/2"] = (302, {"Location": "/api/tickets/2"}, b"")
    told = await refusal(tracker.open(), "tracker.ticket", id="2")
    assert told == "ConnectionError: tracker.ticket(): more than 5 redirects"


async def test_a_redirect_takes_no_secret_to_another_host(tracker, world, elsewhere):
    path = tracker.folder / "tracker.yaml"
    path.write_text(path.read_text() + f"\nhosts: ['127.0.0.1:{world.port}', '127.0.0.1:{elsewhere.port}']\n")
    world.answers["/api/tickets/1"] = (302, {"Location": f"{elsewhere.base}/x"}, b"")
    await call(tracker.open(), "tracker.ticket", id="1", why="because")
    assert "Authorization" not in elsewhere.asked[0].headers
    assert elsewhere.asked[0].headers["X-Why"] == "because"


@pytest.mark.parametrize(("status", "method"), [(303, "GET"), (302, "GET"), (307, "POST"), (308, "POST")])
async def test_a_redirect_after_a_post_keeps_or_drops_the_body_as_its_status_says(tracker, world, status, method):
    world.answers["/api/tickets/1/comments"] = (status, {"Location": "/done"}, b"")
    value = await call(tracker.open(), "tracker.comment", id="1", text="t")
    assert (value["method"], value["path"], bool(value["body"])) == (method, "/done", method == "POST")


async def test_a_body_with_a_secret_does_not_follow_to_another_host(bench, world, elsewhere):
    bench.secrets["key"] = SECRET
    bench.write(
        "post.yaml",
        f"""
        kind: http
        description: d
        base_url: {world.base}
        hosts: [127.0.0.1]
        method: POST
        path: /a
        body: {{key: "{{secret:key}}"}}
        """,
    )
    world.answers["/a"] = (307, {"Location": f"{elsewhere.base}/x"}, b"")
    told = await refusal(bench.open(), "post")
    assert told.startswith("PermissionError: post(): the redirect to ")
    assert elsewhere.asked == []


# --- limits


@pytest.mark.parametrize(
    ("path", "headers", "body"),
    [
        ("/flood", {}, b""),
        ("/says-so", {}, b"x" * 200_000),
        ("/unfolds", {"Content-Encoding": "gzip"}, gzip.compress(b"x" * 10_000_000)),
    ],
)
async def test_an_answer_that_is_too_large_is_cut_off(bench, world, path, headers, body):
    world.answers[path] = (200, headers, body)
    declare_fetch(bench, "[127.0.0.1]", "limits: {output_bytes: 100000}")
    told = await refusal(bench.open(), "fetch", url=f"{world.base}{path}")
    assert told == "RuntimeError: fetch(): the answer has more than 100000 bytes"


async def test_a_body_that_drips_is_cut_off(bench, world):
    declare_fetch(bench, "[127.0.0.1]", "limits: {timeout_s: 0.5}")
    told = await refusal(bench.open(), "fetch", url=f"{world.base}/slow")
    assert told == "TimeoutError: fetch(): took longer than 0.5 s"


async def test_cookies_of_one_call_are_not_sent_with_the_next(tracker, world):
    world.answers["/api/tickets/1"] = (200, {"Set-Cookie": "session=1; Path=/"}, b"{}")
    toolbox = tracker.open()
    await call(toolbox, "tracker.ticket", id="1")
    await call(toolbox, "tracker.ticket", id="1")
    assert "Cookie" not in world.asked[1].headers
