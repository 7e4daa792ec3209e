"""Hosts as browsers parse them, host rules, and that all users of both agree."""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.planner.page.addresses import may_open
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
)
from shared.network.host_policy import HostPolicy, document_refusal
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
        ("a\u2028b.example", None),
        ("a%62.example", None),
        ("1.2.3.4.5", None),
        ("", None),
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
