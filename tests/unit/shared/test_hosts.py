"""Hosts as browsers parse them, host rules, and that all users of both agree."""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.hosts import (
    WRITTEN_RULE,
    Origin,
    browser_form,
    canonical_host,
    host_of,
    is_private,
    is_spec_rule,
    parse_host_rule,
    parse_origin,
    share_a_host,
    split_port,
)
from shared.network.host_policy import HostPolicy, document_refusal
from shared.pages.addresses import may_open
from tests.cases import cases
from tests.typed import expect, there
from tests.unit.planner.planner_pages import sample, spec


@given(st.integers(0, 2**32 - 1), st.sampled_from(["{}", "0x{:x}", "0{:o}"]))
def test_an_address_is_the_same_in_every_notation(number: int, notation: str) -> None:
    origin = expect(parse_origin(f"http://{notation.format(number)}/"), Origin)
    assert origin.host == str(IPv4Address(number))


@given(st.integers(0, 2**32 - 1))
def test_an_address_within_an_ipv6_address_counts(number: int) -> None:
    inner = IPv4Address(number)
    assert is_private(IPv6Address(f"::ffff:{inner}")) == is_private(inner)
    assert is_private(IPv6Address(int(IPv6Address("64:ff9b::")) + number)) == is_private(inner)


@cases(
    ("written", "host"),
    [
        ("MÜLLER.example.", "xn--mller-kva.example"),
        ("straße.example", "xn--strae-oqa.example"),
        ("例え。テスト", "xn--r8jz45g.xn--zckzah"),
        ("１２７.０.０.１", "127.0.0.1"),
        ("i❤.example", "xn--i-7iq.example"),
        ("foo_bar.müller.example", "foo_bar.xn--mller-kva.example"),
        ("[::FFFF:7f00:1]", "::ffff:7f00:1"),
        ("0", "0.0.0.0"),
        ("010.1", "8.0.0.1"),
        ("0x7f.1", "127.0.0.1"),
        ("1.255.65535", "1.255.255.255"),
        *(("1.2.65536", None), ("256.1", None), ("4294967295", "255.255.255.255"), ("4294967296", None)),
        *(("a.1", None), ("08.1", None), ("1.2.3.4.5", None), ("1.2.3.4.5.6", None)),
        *(("a\u2028b.example", None), ("a%62.example", None), ("[::1%eth0]", "::1"), ("[::x]", None), ("", None)),
    ],
)
def test_a_host_is_read_as_browsers_read_it(written: str, host: str | None) -> None:
    assert canonical_host(written) == host


@cases(
    "rule",
    [
        "a.example", "*.a.example:8443", "127.0.0.1", "[::1]:80", "localhost", "foo_bar", "müller.example",
        "*.müller.example:8",
    ],
)  # fmt: skip
def test_rules_that_a_task_spec_may_hold(rule: str) -> None:
    assert is_spec_rule(rule)


@cases(
    "rule",
    [
        "", "*", "a.example:", "a.example/x", "https://a.example", "::1", "*.127.0.0.1", "1.2.3.4.5", "a b",
        "a.example:99999", "a.example\n", "ü:ü", "user@a.example",
    ],
)  # fmt: skip
def test_rules_that_no_task_spec_may_hold(rule: str) -> None:
    assert not is_spec_rule(rule)


def test_what_a_task_spec_may_hold_is_what_its_schema_says_but_for_internationalised_names() -> None:
    assert re.match(WRITTEN_RULE, "müller.example") is None
    assert spec(allowed_hosts=["müller.example"]).allowed_hosts == ["müller.example"]
    with pytest.raises(ValueError, match="names no host that a browser can ask"):
        spec(allowed_hosts=["a.example/x"])


@cases(
    ("one", "other", "shared"),
    [
        ("a.example", "a.example", True), ("a.example", "b.example", False), ("a.example", "www.a.example", True),
        ("www.a.example", "a.example", True), ("a.example", "x.a.example", False), ("*", "a.example", True),
        ("a.example", "*", True), ("a.example:1", "a.example:1", True), ("a.example:1", "a.example:2", False),
        ("a.example:1", "a.example", True), ("a.example", "a.example:1", True), ("a.example:1", "*.example:2", False),
        ("*.example", "a.example", True), ("a.example", "*.example", True), ("*.a.example", "a.example", True),
        ("*.x.a.example", "a.example", False), ("*.a.example", "*.example", True), ("*.example", "*.a.example", True),
        ("*.a.example", "*.b.example", False), ("*.a.example", "*.aa.example", False), ("no host", "a.example", False),
        ("a.example", "a.example/x", False), ("127.0.0.1", "127.0.0.1:8000", True), ("*.a.example", "b.example", False),
    ],
)  # fmt: skip
def test_two_rules_share_a_host_where_both_name_one(one: str, other: str, shared: bool) -> None:
    assert share_a_host([one], [other]) is share_a_host([other], [one]) is shared
    assert share_a_host(["c.test", one], [other, "d.test"]) is shared
    assert not share_a_host([], [other])


@cases(
    ("netloc", "host", "port"),
    [
        ("a.example", "a.example", None), ("a.example:80", "a.example", 80), ("a.example:", "a.example", None),
        ("[::1]", "[::1]", None), ("[::1]:80", "[::1]", 80), ("::1", "::1", None), ("a:b", "a:b", None),
        ("::", "::", None), ("[::1:]", "[::1:]", None), ("a.example:\u0661", "a.example:\u0661", None),
    ],
)  # fmt: skip
def test_a_port_is_what_stands_behind_a_host(netloc: str, host: str, port: int | None) -> None:
    assert split_port(netloc) == (host, port)


def test_ports_end_at_65535() -> None:
    assert parse_host_rule("a.example:65535") is not None
    assert isinstance(parse_origin("http://a.example:65535/"), Origin)
    assert parse_host_rule("a.example:65536") is None
    assert isinstance(parse_origin("http://a.example:65536/"), str)


@cases(
    ("address", "private"),
    [
        ("2002:5db8:d822::1", True), ("2001:0:53aa:64c::1", True),  # tunnels
        ("::8.8.8.8", False), ("::10.0.0.1", True), ("::2", True), ("::ffff", True), ("::1:0", True),
        ("2606:2800:220:1::1", False), ("ff02::1", True),
    ],
)  # fmt: skip
def test_which_ipv6_addresses_are_private(address: str, private: bool) -> None:
    assert is_private(IPv6Address(address)) is private


@cases(
    ("url", "host"),
    [
        ("https://Me:pw@A.example:8/x", "a.example:8"),
        ("about:blank", ""),
        ("https://[::1", ""),
        ("//a.example", "a.example"),
    ],
)
def test_the_host_of_an_address_is_told_without_a_user(url: str, host: str) -> None:
    assert host_of(url) == host


def test_an_address_that_is_typed_is_read_as_browsers_read_it() -> None:
    assert browser_form(" https:\\\\evil.example\\@a.exa\tmple/x y ") == "https://evil.example/@a.example/x%20y"


# --- one rule, whoever asks

NAMES = st.sampled_from(
    [
        "a.example", "www.a.example", "x.a.example", "A.Example.", "müller.example", "xn--mller-kva.example",
        "straße.example", "strasse.example", "127.0.0.1", "0x7f.1", "[::1]", "[0::1]", "localhost", "１２７.０.０.１",
        "x.müller.example",
    ]
)  # fmt: skip
PORTS = st.sampled_from(["", ":80", ":443", ":8443"])
RULES = (
    st.tuples(st.sampled_from(["", "*."]), NAMES, PORTS)
    .map("".join)
    .filter(lambda rule: parse_host_rule(rule) is not None)
)


@given(
    st.sampled_from(["http", "https", "ftp"]),
    NAMES,
    PORTS,
    st.lists(RULES.filter(is_spec_rule), min_size=1, max_size=3),
)
def test_the_planner_may_open_what_the_browser_pool_opens(scheme: str, name: str, port: str, rules: list[str]) -> None:
    url = f"{scheme}://{name}{port}/1"
    opened = document_refusal(url, [], HostPolicy(tuple(rules), tuple(rules))) is None
    assert may_open(url, spec(allowed_hosts=rules), sample()) == opened


@given(RULES)
def test_a_rule_is_the_same_in_its_canonical_form(rule: str) -> None:
    parsed = there(parse_host_rule(rule))
    host = f"[{parsed.host}]" if ":" in parsed.host else parsed.host
    written = ("*." if parsed.below else "") + host + ("" if parsed.port is None else f":{parsed.port}")
    assert parse_host_rule(written) == parsed


def test_rules_of_two_ports_share_no_host() -> None:
    for one, other in (("a.example:80", "a.example:8080"), ("a.example:8080", "a.example:80")):
        assert not share_a_host([one], [other])
        assert share_a_host([one], [one])
        assert share_a_host([one], ["a.example"])
