from __future__ import annotations

import re
from fnmatch import translate
from ipaddress import IPv4Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.browser_pool.safety.policy import fetch_patterns
from shared.hosts import Origin, parse_origin
from shared.network.host_policy import HostPolicy, document_refusal, part_refusal
from tests.cases import cases
from tests.typed import expect

SITE = HostPolicy(allowed=("tickets.example.com",))


@cases(
    "url",
    [
        "https://tickets.example.com/1", "http://tickets.example.com:8080/", "https://TICKETS.Example.com./1",
        "https://www.tickets.example.com/", "https://user:pass@tickets.example.com/",
    ],
)  # fmt: skip
def test_the_host_of_a_task_may_be_opened(url: str) -> None:
    assert document_refusal(url, ["93.184.216.34"], SITE) is None


@cases(
    "url",
    [
        "https://example.com/", "https://tickets.example.com.evil.net/", "https://tickets.example.com@evil.net/",
        "https://evil.net/#@tickets.example.com", "https://evil.net\\@tickets.example.com/",
        "https://tickets.example.com\t.evil.net/", "https://eviltickets.example.com/", "file:///etc/passwd",
        "data:text/html,x", "javascript:alert(1)", "blob:https://tickets.example.com/1",
        "view-source:https://tickets.example.com/", "chrome://settings", "about:config", "ftp://tickets.example.com/",
        "https:///nothing", "https://[::1", "",
    ],
)  # fmt: skip
def test_everything_else_is_refused(url: str) -> None:
    assert document_refusal(url, ["93.184.216.34"], SITE)


@cases(
    ("rule", "url", "fits"),
    [
        ("a.example:8443", "https://a.example:8443/", True),
        ("a.example:8443", "https://a.example/", False),
        ("a.example:443", "https://a.example/", True),
        ("a.example:443", "http://a.example/", False),
        ("a.example:80", "http://a.example:8080/", False),
        ("*.example.com", "https://a.b.example.com/", True),
        ("*.example.com", "https://example.com/", False),
        ("*.example.com", "https://badexample.com/", False),
        ("müller.example", "https://xn--mller-kva.example/", True),
        ("xn--mller-kva.example", "https://MÜLLER.example/", True),
        ("127.0.0.1", "http://0x7f.1:9/", True),
        ("[::1]:80", "http://[0:0::1]/", True),
        ("::1", "http://[::1]:99/", True),
        ("*.0.0.1", "http://127.0.0.1/", False),
    ],
)
def test_how_hosts_are_named(rule: str, url: str, fits: bool) -> None:
    assert (document_refusal(url, [], HostPolicy((rule,), (rule,))) is None) == fits


@cases(
    "host",
    [
        *(
            "localhost", "a.localhost", "LOCALHOST.", "127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1",
            "0",
        ),
        *("0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.0.1", "169.254.169.254", "100.64.0.1"),
        *("[::1]", "[::]", "[fe80::1]", "[fc00::1]", "[::ffff:10.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::a00:1]"),
        *("[2002:7f00:1::]", "[::127.0.0.1]", "224.0.0.1", "255.255.255.255", "127.0.0.1.", "user@10.0.0.1"),
    ],
)  # fmt: skip
def test_private_addresses_are_known_however_they_are_written(host: str) -> None:
    url = f"http://{host}:8000/"
    origin = expect(parse_origin(url), Origin)
    assert "private" in (part_refusal(url, [], HostPolicy()) or "")
    assert document_refusal(url, [], HostPolicy((origin.netloc,), ()))
    assert document_refusal(url, [], HostPolicy((origin.netloc,), (origin.netloc,))) is None


def test_a_refusal_names_the_hosts_that_may_be_opened() -> None:
    assert "(tickets.example.com)" in (document_refusal("https://example.com/", [], SITE) or "")
    assert "(none yet)" in (document_refusal("https://example.com/", [], HostPolicy()) or "")


def test_a_name_is_as_private_as_any_of_its_addresses() -> None:
    url = "https://tickets.example.com/"
    assert "10.0.0.5" in (document_refusal(url, ["93.184.216.34", "10.0.0.5"], SITE) or "")
    assert document_refusal(url, ["fe80::1%eth0"], SITE)
    assert document_refusal(url, ["10.0.0.5"], HostPolicy(SITE.allowed, SITE.allowed)) is None


def test_parts_of_pages_may_come_from_any_public_host() -> None:
    for url in ("https://cdn.example.net/x.js", "data:image/png,x", "blob:https://a.example/1", "about:srcdoc"):
        assert part_refusal(url, ["93.184.216.34"], SITE) is None


@given(st.text(max_size=40))
def test_whatever_is_written_is_read_or_refused(text: str) -> None:
    for url in (text, f"http://{text}/", f"https://good.example{text}"):
        refusal = document_refusal(url, [], HostPolicy(("good.example",)))
        origin = parse_origin(url)
        rule = origin.rule if isinstance(origin, Origin) else None
        assert (
            refusal is not None
            or url == "about:blank"
            or rule in ("good.example:443", "www.good.example:443")
            or (rule is not None and re.fullmatch(r"(www\.)?good\.example:\d+", rule))
        )


def asked(url: str, passing: list[str]) -> bool:
    globs = [one["urlPattern"].replace("[", "\x01").replace("]", "\x02") for one in fetch_patterns(passing)[2:]]
    return any(re.match(translate(glob), url.replace("[", "\x01").replace("]", "\x02")) for glob in globs)


HOSTS = st.one_of(
    st.integers(0, 2**32 - 1).map(lambda one: str(IPv4Address(one))),
    st.integers(2**24 * 127, 2**24 * 127 + 300).map(lambda one: str(IPv4Address(one))),
    st.sampled_from(["localhost", "a.localhost", "[::1]", "[fe80::2]", "10.0.0.12", "10.0.0.1", "192.168.1.1"]),
)
PORTS = st.sampled_from(["", ":80", ":443", ":8080", ":8081", ":808"])


@given(HOSTS, PORTS, st.lists(st.tuples(HOSTS, PORTS).map("".join), max_size=3))
def test_no_private_address_passes_unasked_but_those_that_are_named(host: str, port: str, passing: list[str]) -> None:
    port = "" if port == ":80" else port  # browsers leave it away
    url = f"http://{host}{port}/x"
    needed = part_refusal(url, [], HostPolicy((), tuple(passing))) is not None
    assert asked(url, passing) or not needed


@given(HOSTS, PORTS)
def test_what_is_named_passes_unasked(host: str, port: str) -> None:
    port = "" if port == ":80" else port
    if "." not in host or host.startswith(("127.", "10.", "192.168.")):
        assert not asked(f"http://{host}{port}/x?y=http://10.0.0.1/", [f"{host}{port or ':80'}"])


def test_without_named_hosts_nothing_is_opened() -> None:
    assert "none yet" in (document_refusal("https://tickets.example.com/", [], HostPolicy()) or "")


@pytest.mark.parametrize("url", ["ws://[::1", "WSS://a b/", "http://[::1"])
def test_what_asks_a_host_that_cannot_be_read_is_refused(url: str) -> None:
    assert part_refusal(url, [], HostPolicy())


@pytest.mark.parametrize("host", ["169.254.169.254", "192.168.0.1", "100.64.0.1", "172.31.0.1", "0.0.0.0", "224.0.0.1"])
def test_every_range_of_private_addresses_is_asked_about(host: str) -> None:
    assert asked(f"http://{host}/latest/meta-data", [])
    assert not asked("http://93.184.216.34/", [])


@pytest.mark.parametrize("port", [":80", ":8443"])
def test_a_private_host_that_is_named_with_a_port_passes_at_that_port_only(port: str) -> None:
    here = "" if port == ":80" else port
    assert not asked(f"http://10.0.0.1{here}/x", [f"10.0.0.1{port}"])
    for other in ("", ":8080", ":84430", ":844"):
        assert asked(f"http://10.0.0.1{other}/x", [f"10.0.0.1{port}"]) is (other != here)
