"""Which fields of a flow the address of their page tells: those that the site has named, and none that the row has."""

from __future__ import annotations

from shared.extraction.addresses import AddressPart
from shared.flows.compiling.compiler import compile_flow
from tests.cases import cases
from tests.unit.shared.flows.recorded_world import Recorder, element, samples_of, spec_of

NUMBERS = ("LR-D5DA286D", "LR-4BABE1CA")


def address_of(rows: list[dict[str, str]], address: str = "http://site/requests/{}") -> AddressPart | None:
    recorders = [Recorder(number, row) for number, row in zip(NUMBERS, rows, strict=True)]
    for one, number in zip(recorders, NUMBERS, strict=True):
        page = (element(1, "term", "Number"), element(2, "definition", number, header="Number"))
        one.open(f"http://site/{one.row['name']}", *page)
        one.screenshot("request")
        one.read("number", 2, url=address.format(number))
    spec = spec_of(
        input_schema={"name": "string"},
        start_url="http://site/{name}",
        output_schema={"number": {"type": "string", "labels": ["Number"]}},
    )
    return compile_flow(spec, samples_of(recorders)).files.fields.fields["number"].address


def test_a_number_that_the_site_has_given_is_told_by_the_address():
    assert address_of([{"name": "ann"}, {"name": "bo"}]) == AddressPart(step=1)
    assert address_of([{"name": "ann"}, {"name": "bo"}], "http://site/result?of={}") == AddressPart(query="of")
    assert address_of([{"name": "ann"}, {"name": "bo"}], "http://site/requests") is None


@cases("cell", ["{}", "http://site/requests/{}", " {} (urgent)"])
def test_a_number_that_the_row_has_is_not(cell: str):
    """The address was opened because of the row: it would prove any page that mentions the number. So it is with a
    column that the task does not name."""
    assert (
        address_of([{"name": name, "what": cell.format(one)} for name, one in zip("ab", NUMBERS, strict=True)]) is None
    )
