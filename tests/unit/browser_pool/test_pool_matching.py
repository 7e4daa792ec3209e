from __future__ import annotations

from decimal import Decimal

from services.browser_pool.page.matching import (
    fingerprint,
    navigation_code,
    number_in,
    pick_option,
    refused_address,
    says_the_same,
    search_text,
)
from tests.cases import cases

OPTIONS = (("Low", "1", False), ("High", "2", False), ("high", "3", False), ("2", "x", False))


@cases(("wanted", "index"), [("Low", 0), ("low", 0), ("High", 1), ("HIGH", None), ("2", 3), ("3", 2), ("none", None)])
def test_one_option_or_none(wanted: str, index: int | None) -> None:
    assert pick_option(OPTIONS, wanted) == index


@cases(
    ("text", "number"),
    [("0.125", "0.125"), ("-3", "-3"), ("70 %", "70"), ("$ 7", "7"), ("1,234.50", "1234.5"), ("1e3", "1000")],
)
def test_what_number_a_text_is(text: str, number: str) -> None:
    assert number_in(text) == Decimal(number)


@cases("text", ["", "Medium", "-", "NaN", "Infinity", "7 of 9"])
def test_what_is_no_number(text: str) -> None:
    assert number_in(text) is None


@cases(("option", "typed"), [("Paris, France", "Paris"), ("Norway", "Norway"), ("A, B", "A, B"), (" x; y ", "x; y")])
def test_an_option_is_searched_up_to_what_ends_a_value(option: str, typed: str) -> None:
    assert search_text(option) == typed


@cases(
    ("typed", "read", "same"),
    [
        ("a b", "a b", True), ("5551234", "(555) 12-34", True), ("abc", "ABC", True), ("abc", "", False),
        ("abc", "abcd", False), ("", "", True), ("", "left", False), ("--", "", False),
    ],
)  # fmt: skip
def test_what_a_field_may_make_of_what_was_typed(typed: str, read: str, same: bool) -> None:
    assert says_the_same(typed, read) is same


@cases("url", ["file:///x", "ftp://a.test", "about:blank", "//a.test", "http://", "http://[", "", "x"])
def test_addresses_that_are_not_opened(url: str) -> None:
    assert refused_address(url)


@cases("url", ["http://a.test", "HTTPS://a.test:8080/x?y=1#z"])
def test_addresses_that_are(url: str) -> None:
    assert refused_address(url) is None


@cases(
    ("said", "code"),
    [
        ("Page.goto: net::ERR_NAME_NOT_RESOLVED at http://x/", "unreachable"),
        ("net::ERR_CONNECTION_REFUSED", "unreachable"),
        ("net::ERR_CERT_AUTHORITY_INVALID", "unreachable"),
        ("net::ERR_CONNECTION_TIMED_OUT", "timeout"),
        ("net::ERR_ABORTED", "failed"),
        ("anything else", "failed"),
    ],
)
def test_codes_of_navigations_that_failed(said: str, code: str) -> None:
    assert navigation_code(said) == code


def test_a_fingerprint_depends_on_every_part_and_on_where_one_ends() -> None:
    base = ["a", "link", "Next", "", "html>body>a"]
    others = [[*base[:n], base[n] + "x", *base[n + 1 :]] for n in range(5)]
    prints = {fingerprint(*parts) for parts in (base, *others)}
    assert len(prints) == 6
    assert fingerprint("a", "b", "", "", "") != fingerprint("ab", "", "", "", "")
    assert all(len(one) == 16 for one in prints)
