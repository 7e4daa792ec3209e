"""Which samples a flow is compiled from: as few as show every field, every way over the pages, and every absence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shared.contracts.browser_pool import Element
from shared.contracts.steps import FieldValue
from shared.flows.compiling.compiler import compile_flow
from shared.flows.compiling.sample_choice import choose_samples, field_support
from shared.recordings.recording import Recording
from shared.task.spec import TaskSpec
from tests.unit.shared.flows.recorded_world import Recorder, element, spec_of

TICKETS = {"assignee": "string | null", "due": "date | null"}
BOOKS = {"title": "string", "series": "string"}


def sample(
    number: int, fields: Mapping[str, str | None], *, says_none: bool = False, clicks: bool = False
) -> Recording:
    """Return what rules record of a page with a term for each field; ``says_none``: a missing one has a dash."""
    one = Recorder(f"S-{number}", {"number": str(number)})
    page: list[Element] = []
    for name, value in fields.items():
        if value is not None or says_none:
            label = name.capitalize()
            page += [element(len(page) + 1, "term", label)]
            page += [element(len(page) + 1, "definition", value or "—", header=label)]
    more = element(90, "button", "More")
    one.open(f"http://site/{number}", more, *(() if clicks else page))
    if clicks:
        one.click(90, *page)
    for name, value in fields.items():
        if value is not None:
            one.read(name, next(at.ref for at in page if at.header == name.capitalize()))
        else:
            one.values.append(FieldValue(field=name, state="not_present" if says_none else "not_found"))
    return one.sample


def task(schema: Mapping[str, str], required: Sequence[str] = ()) -> TaskSpec:
    return spec_of(
        output_schema=dict(schema),
        required_fields=list(required),
        input_schema={"number": "string"},
        start_url="http://site/{number}",
    )


def names(samples: Sequence[Recording]) -> list[str]:
    return [one.sample_id for one in samples]


def tickets(dues: Sequence[str | None]) -> list[Recording]:
    people = ("Ann Lee", "Bo Maier", "Cy Stone", "Di Vale", "Ed Wood", "Flo Ray", "Gus Hill")
    return [sample(at, {"assignee": people[at], "due": due}, says_none=True) for at, due in enumerate(dues)]


def books(series: Sequence[str | None]) -> list[Recording]:
    return [sample(at, {"title": f"Book {chr(65 + at)}", "series": one}) for at, one in enumerate(series)]


def test_a_field_is_shown_by_two_samples_where_two_have_it_and_one_lacks_it():
    spec = task(TICKETS)
    chosen = choose_samples(spec, tickets(["2026-03-01", None, None, "2026-04-02", "2026-05-03"]))
    assert names(chosen) == ["S-0", "S-1", "S-3"]
    flow = compile_flow(spec, chosen)
    assert (flow.with_model, set(flow.files.fields.fields)) == ((), {"assignee", "due"})


def test_of_choices_that_show_as_much_that_of_the_first_samples_counts():
    every = tickets(["2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04"])
    assert names(choose_samples(task(TICKETS), every)) == ["S-0", "S-1"]


def test_two_samples_with_one_value_do_not_tell_a_field():
    every = tickets(["2026-03-01", "2026-03-01", "2026-03-01", "2026-03-04"])
    assert names(choose_samples(task(TICKETS), every)) == ["S-0", "S-3"]


def test_the_one_sample_that_has_a_field_is_taken_and_the_field_is_learned_from_it():
    spec = task(BOOKS)
    every = books([None, None, None, None, "The Sea", None, None])
    chosen = choose_samples(spec, every)
    assert names(chosen) == ["S-0", "S-4"]
    flow = compile_flow(spec, chosen)
    assert (flow.with_model, flow.files.fields.optional) == ((), ("series",))
    assert set(flow.files.fields.fields) == {"title", "series"}


def test_a_required_field_is_none_that_a_record_may_lack():
    every = books(["The Hill", None, "The Sea"])
    flow = compile_flow(task(BOOKS, ["title", "series"]), choose_samples(task(BOOKS), every))
    assert flow.files.fields.optional == ()


def test_each_way_over_the_pages_is_shown():
    fields = {"assignee": "Ann Lee"}
    every = [sample(at, {"assignee": f"Person {chr(65 + at)}"}, clicks=at == 3) for at in range(5)]
    assert names(choose_samples(task({"assignee": "string"}), every)) == ["S-0", "S-1", "S-3"]
    assert names(choose_samples(task({"assignee": "string"}), [sample(7, fields), sample(8, fields)])) == ["S-7", "S-8"]


def test_one_sample_is_left_to_check_the_flow_with():
    every = tickets(["2026-03-01", None, "2026-04-02"])
    assert len(choose_samples(task(TICKETS), every)) == 2


def test_it_is_told_on_how_many_samples_a_field_stands_and_which_row_is_missing():
    schema = {
        "title": "string",
        "series": "string",
        "isbn": "string",
        "due": "date | null",
        "shelf": "string",
        "kind": "string",
    }
    every = [
        sample(
            0, {"title": "Book A", "series": "The Sea", "isbn": None, "due": "2026-03-01", "shelf": "A1", "kind": "Sea"}
        ),
        sample(1, {"title": "Book B", "series": None, "isbn": None, "due": "2026-03-02", "shelf": "A1", "kind": "Sea"}),
        sample(2, {"title": "Book C", "series": None, "isbn": None, "due": "2026-03-02", "shelf": "a1", "kind": None}),
    ]
    told = {one.field: one for one in field_support(task(schema, ["title", "due", "shelf"]), every)}
    assert {name: (len(one.shown), one.of) for name, one in told.items()} == {
        "title": (3, 3),
        "series": (1, 3),
        "isbn": (0, 3),
        "due": (3, 3),
        "shelf": (3, 3),
        "kind": (2, 3),
    }
    assert told["title"].asks_for == ""
    assert told["series"].asks_for == "learned from one sample; add a row that has it"
    assert told["isbn"].asks_for == "no sample teaches it; add rows that have it"
    assert told["due"].asks_for == "add a row without it, if there are such"
    assert told["shelf"].asks_for == "all 3 samples have one value of it; add a row that has another one"
    assert [name for name, one in told.items() if one.is_unvaried] == ["shelf"]
