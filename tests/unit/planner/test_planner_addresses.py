from __future__ import annotations

from services.planner.prompt.system_blocks import run_block
from shared.contracts.discovery import Sample
from shared.network.host_policy import HostPolicy, document_refusal
from shared.pages.addresses import is_on_visited_host, may_open
from shared.task.allowed_hosts import allowed_hosts, private_hosts
from tests.cases import cases
from tests.unit.planner.planner_pages import sample, spec


def row(url: str) -> Sample:
    return sample(url=url, fields={"url": url})


def test_without_hosts_the_start_url_decides() -> None:
    task = spec(start_url="https://tickets.example:8443/{key}")
    assert allowed_hosts(task, sample(key="7")) == ("tickets.example:8443",)
    assert private_hosts(task) == ("tickets.example:8443",)


def test_a_host_that_only_a_row_names_is_never_private() -> None:
    task = spec(start_url="{url}")
    assert allowed_hosts(task, row("http://10.0.0.1/x")) == ("10.0.0.1",)
    assert private_hosts(task) == ()
    assert private_hosts(spec(start_url="https://{region}.example/x")) == ()


def test_what_the_spec_says_goes_first() -> None:
    task = spec(start_url="{url}", allowed_hosts=["a.example", "10.0.0.1"])
    assert allowed_hosts(task, row("http://b.example/")) == ("a.example", "10.0.0.1")
    assert private_hosts(task) == ("a.example", "10.0.0.1")


@cases(
    ("url", "open_"),
    [
        ("https://a.example/x", True), ("https://www.a.example/", True), ("https://x.b.example/", True),
        ("https://b.example/", False), ("http://c.example:81/", True), ("http://c.example/", False),
        ("https://a.example.evil.net/", False), ("https://a.example@evil.net/", False), ("https://[::1", False),
    ],
)  # fmt: skip
def test_addresses_on_allowed_hosts_are_open(url: str, open_: bool) -> None:
    task = spec(allowed_hosts=["a.example", "*.b.example", "c.example:81"])
    assert may_open(url, task, sample()) == open_


@cases("rule", ["xn--mller-kva.example", "*.xn--mller-kva.example:8443"])
@cases("host", ["xn--mller-kva.example", "MÜLLER.example.", "mu\u0308ller.example"])
def test_an_internationalised_host_is_one_host_however_it_is_written(rule: str, host: str) -> None:
    url = f"https://{'shop.' if rule.startswith('*') else ''}{host}{':8443' if ':' in rule else ''}/1"
    assert may_open(url, spec(allowed_hosts=[rule]), sample())
    assert document_refusal(url, ["93.184.216.34"], HostPolicy((rule,))) is None


def test_the_names_of_secrets_are_told_where_there_are_any() -> None:
    assert "portal_password" in run_block(spec(secrets=["portal_password"]))
    assert "secret" not in run_block(spec()).lower()


@cases(
    ("url", "open_"),
    [
        ("https://MÜLLER.example/2", True), ("http://xn--mller-kva.example/a b", True),
        ("https://müller.example:8443/", False), ("https://other.example\\@müller.example/", False),
        ("ftp://müller.example/", False), ("about:blank", False),
    ],
)  # fmt: skip
def test_a_host_that_was_visited_is_known_however_it_is_written(url: str, open_: bool) -> None:
    assert is_on_visited_host(url, ["https://a.example/", "https://xn--mller-kva.example/1", "no address"]) == open_
