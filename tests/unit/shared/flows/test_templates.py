"""Literals of recorded steps as templates."""

from __future__ import annotations

from collections.abc import Mapping

from shared.flows.compiling.templates import common_name, common_template
from tests.cases import cases

Rows = tuple[Mapping[str, str], ...]
ROWS = ({"number": "CS-1042", "project": "Harbour"}, {"number": "CS-1043", "project": "Orchard Hill"})


@cases(
    ("texts", "template"),
    [
        (("/s?q=CS-1042%20Harbour", "/s?q=CS-1043%20Orchard%20Hill"), "/s?q={number}%20{project}"),
        (("/s?q=CS-1042%3AHarbour", "/s?q=CS-1043%3AOrchard%20Hill"), "/s?q={number}%3A{project}"),
        (("/XHarbour/CS-1042", "/XOrchard%20Hill/CS-1043"), None),
        (("/HarbourX/CS-1042", "/Orchard%20HillX/CS-1043"), None),
    ],
)
def test_values_are_found_after_escapes_of_an_address_and_not_in_words(texts: tuple[str, str], template: str | None):
    assert common_template(texts, ROWS, in_address=True) == template


HOST = "http://10.0.0.1:8941"


@cases(
    ("paths", "template"),
    [
        (("/detail?pk=1", "/detail?pk=5"), "/detail?pk={id}"),
        (("/tickets/1/", "/tickets/5/"), "/tickets/{id}/"),
        (("/detail?pk=1&page=1", "/detail?pk=5&page=1"), "/detail?pk={id}&page=1"),
        (("/a1", "/a5"), None),
        (("/1", "/1"), "/1"),
    ],
)
def test_a_short_number_is_found_in_an_address(paths: tuple[str, str], template: str | None):
    wanted = None if template is None else HOST + template
    assert common_template([HOST + one for one in paths], ({"id": "1"}, {"id": "5"}), in_address=True) == wanted


def test_a_number_of_a_record_is_not_found_in_a_host_or_a_port():
    texts, rows = (f"{HOST}/t/8941", f"{HOST}/t/10"), ({"id": "8941"}, {"id": "10"})
    assert common_template(texts, rows, in_address=True) == f"{HOST}/t/{{id}}"


def test_a_name_of_a_record_is_found_in_a_host():
    texts = ("https://acme.example.org/", "https://ajax.example.org/")
    assert (
        common_template(texts, ({"name": "acme"}, {"name": "ajax"}), in_address=True) == "https://{name}.example.org/"
    )


def test_one_character_that_does_not_vary_is_no_variable():
    rows = ({"id": "A-1", "level": "2"}, {"id": "A-2", "level": "2"})
    texts = [f"{HOST}/api/v/2/t/{row['id']}" for row in rows]
    assert common_template(texts, rows, in_address=True) == f"{HOST}/api/v/2/t/{{id}}"
    assert common_template(texts[:1], rows[:1], in_address=True) == f"{HOST}/api/v/2/t/{{id}}"


@cases(
    ("names", "rows", "template"),
    [
        (("Svc-007", "Svc-008"), ({"id": "SVC-007"}, {"id": "SVC-008"}), "{id}"),
        (("Svc-007",), ({"id": "SVC-007"},), "{id}"),
        (("OPEN SVC-7 NOW", "OPEN SVC-8 NOW"), ({"id": "svc-7"}, {"id": "svc-8"}), "OPEN {id} NOW"),
        (("Harbour", "Orchard"), ({"site": "HARBOUR"}, {"site": "ORCHARD"}), "{site}"),
        # Not known of one sample: it may be the site's own word.
        (("Open",), ({"state": "open"},), "Open"),
        (("Open", "Open"), ({"state": "open"}, {"state": "closed"}), "Open"),
        # A value that stands there as it is, is taken before one in another case.
        (("a-1 of A-1", "a-2 of A-2"), ({"id": "A-1", "key": "a-1"}, {"id": "A-2", "key": "a-2"}), "{key} of {id}"),
        (("Svc-007", "Svc-9"), ({"id": "SVC-007"}, {"id": "SVC-008"}), None),
    ],
)
def test_a_name_may_be_a_value_in_another_case(names: tuple[str, ...], rows: Rows, template: str | None):
    assert common_name(names, rows) == template


def test_what_is_typed_or_opened_is_the_value_in_its_own_case():
    assert common_template(("Svc-007", "Svc-008"), ({"id": "SVC-007"}, {"id": "SVC-008"})) is None
