"""Values extracted again from a stored page: found or not, equal or not."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from typing import Any

import msgspec
from msgspec.structs import replace

from services.planner.reperform.stored_page_view import (
    Extraction,
    extract_value,
    parse_stored_observation,
    view_stored_page,
)
from services.planner.reperform.verdicts import StoredFile, StoredPage, identity_verdict, page_verdict, value_verdict
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.reperform import FAULTS, PageReperformed, ValueReperformed, Verdict
from shared.contracts.results import Ink, InkState, Locator
from shared.contracts.steps import FieldValue, ValueSource
from shared.pages.locate.by_recording import find_source, find_source_in_observation
from shared.pages.locate.findings import Ambiguous, Found, Located
from shared.task.output_field import OutputField
from shared.task.spec import TaskSpec
from shared.zstd import pack_zstd
from tests.cases import cases
from tests.typed import expect
from tests.unit.planner.planner_pages import box, cell, el, heading, page, row, sample, spec, text, ticket


def by(kind: Any, value: str, matches: int = 1) -> Locator:
    return Locator(kind=kind, value=value, matches=matches)


def source(**changes: Any) -> ValueSource:
    given = {"snapshot_id": "s0", "observation_sha256": "o", "url": "http://x", "ref": 9, "role": "definition",
             "label": "Assignee", "box": None, "frame": "main", "fingerprint": "f1", "locators": (by("css", "#a"),),
             "page_sha256": "p", "observation_file_sha256": "of"}  # fmt: skip
    return ValueSource(**{**given, **changes})


def dd(name: str = "Ann Lee", fingerprint: str = "f1", css: str = "#a", **rest: Any) -> Element:
    given = {"tag": "dd", "header": "Assignee", "fingerprint": fingerprint, "locators": (by("css", css),), **rest}
    return el("definition", name, **given)


def asked(field: dict[str, Any] | str) -> TaskSpec:
    return spec(output_schema={"ticket_number": "string", "assignee": field}, required_fields=["assignee"])


def shows(*elements: Element) -> PageObserved:
    return page(heading("TCK-1001: Printer on fire"), *elements)


# --- the element


def refs(found: Located) -> object:
    if isinstance(found, Found):
        return found.element.ref, found.found_by, found.unchanged
    return "ambiguous" if isinstance(found, Ambiguous) else "not_found"


@cases(
    ("elements", "expected"),
    [
        ((dd(), dd("Bob", "f2", "#b")), (1, ("fingerprint", "css"), True)),
        # a hidden element is not stored, so its path leads to another one, or to none
        ((dd("Bob", "f2", "#a"), dd(css="#c")), (2, ("fingerprint",), True)),
        ((dd(css="#c"), dd("Bob", "f2", "#b")), (1, ("fingerprint",), True)),
        # other words: only its place is left
        ((dd("Bob", "f2"), text("x")), (1, ("css",), False)),
        ((dd("Bob", "f2", header="Reviewer"), text("x")), "not_found"),
        # alike to the letter: the path, the label, the place
        ((dd(css="#b"), dd()), (2, ("fingerprint", "css"), True)),
        ((dd(css="#b", header="Reviewer"), dd(css="#c")), (2, ("fingerprint", "label"), True)),
        ((dd(css="#b", box=box(0, 0)), dd(css="#c", box=box(5, 80))), (2, ("fingerprint", "box"), True)),
        ((dd(css="#b"), dd(css="#c")), "ambiguous"),
        ((dd(frame="http://other"),), "not_found"),
        ((), "not_found"),
        # what led to one then and leads to several now leads nowhere
        ((dd("Bob", "f2", locators=(by("css", "#a", 2),)), text("x")), "not_found"),
    ],
)
def test_a_recorded_element_is_found_alone_or_not_at_all(elements: tuple[Element, ...], expected: object):
    assert refs(find_source(source(box=box(5.5, 80)), page(*elements).elements)) == expected


def test_locators_that_lead_to_different_elements_lead_nowhere():
    wanted = source(locators=(by("id", "#a"), by("testid", "[data-testid=a]")))
    first, second = dd("Bob", "f2"), dd("Cid", "f3")
    moved = page(
        replace(first, locators=(by("id", "#a"),)), replace(second, locators=(by("testid", "[data-testid=a]"),))
    )
    assert refs(find_source(wanted, moved.elements)) == "ambiguous"
    together = page(replace(first, locators=wanted.locators), second)
    assert refs(find_source(wanted, together.elements)) == (1, ("id", "testid"), False)


def test_an_id_finds_what_bears_another_label_now():
    wanted = source(locators=(by("id", "#a"), by("css", "#a")))
    now = dd("Bob", "f2", header="Reviewer", locators=wanted.locators)
    assert refs(find_source(wanted, page(now).elements)) == (1, ("id", "css"), False)


def test_an_observation_knows_elements_by_their_number():
    there = page(dd("Ann", "f0"), dd(), dd("Bob", "f2"))
    assert refs(find_source_in_observation(source(kept_ref=3), there.elements)) == (3, ("number",), False)
    assert refs(find_source_in_observation(source(kept_ref=2), there.elements)) == (2, ("number",), True)
    assert refs(find_source_in_observation(source(), there.elements)) == (2, ("fingerprint",), True)
    assert refs(find_source_in_observation(source(kept_ref=7, fingerprint="f9"), there.elements)) == "not_found"


# --- what it says


def said_of(now: Element, recorded: str, value: Any, field: dict[str, Any] | str = "string", **more: Any) -> Extraction:
    task = asked(field)
    seen = view_stored_page(task, sample(), shows(now, *more.pop("beside", ())))
    stored = FieldValue(
        field="assignee", state=more.pop("state", "value"), value=value, shown=recorded, source=source(**more)
    )
    found = Found(seen.page.elements[1], ("css",), more.get("fingerprint", "f1") == now.fingerprint)
    return extract_value(stored, task.output_schema["assignee"], seen, found)


LINK = el("link", "LED-7", tag="a", url="http://x/browse/7", fingerprint="f1")
OTHER_LINK = replace(LINK, name="LED-8", fingerprint="f2")


@cases(
    ("now", "recorded", "value", "field", "said", "shown", "read"),
    [
        (dd(), "Ann Lee", "Ann Lee", "string", "same", "Ann Lee", "Ann Lee"),
        (dd("  Ann\n Lee"), "Ann Lee", "Ann Lee", "string", "same", "Ann Lee", "Ann Lee"),
        (dd("ann lee", "f2"), "Ann Lee", "Ann Lee", "string", "differs", "ann lee", "ann lee"),
        # what the gates accept of an element that has not changed: other capitals, a part, a list, another form
        (dd("ann lee"), "Ann Lee", "Ann Lee", "string", "same", "Ann Lee", "Ann Lee"),
        (dd("case-2026-17"), "2026", "2026", "string", "same", "2026", "2026"),
        (dd("case-2026-18", "f2"), "2026", "2026", "string", "differs", "case-2026-18", "case-2026-18"),
        (dd("Smith, J and Doe, A"), "Smith, J, Doe, A", ["Smith, J", "Doe, A"], "array", "same",
         "Smith, J, Doe, A", ["Smith, J", "Doe, A"]),
        (dd("12 of 40 seats"), "12", 12, "number", "same", "12", 12),
        (dd("12 of 40 seats"), "13", 13, "number", "differs", "12 of 40 seats", None),
        (dd("3 years ago", title="10 March 2023"), "10 March 2023", "2023-03-10", "date", "same",
         "10 March 2023", "2023-03-10"),
        (dd("Bob", "f2"), "Ann Lee", "Ann Lee", "string", "differs", "Bob", "Bob"),
        (dd("Mar 3, 2026"), "Mar 3, 2026", "2026-03-03", "date", "same", "Mar 3, 2026", "2026-03-03"),
        (dd("Mar 3, 2026"), "Mar 3, 2026", "2026-03-04", "date", "differs", "Mar 3, 2026", "2026-03-03"),
        (dd("$1,234.50"), "$1,234.50", "1234.50", "decimal", "same", "$1,234.50", "1234.50"),
        (dd("1,234"), "1,234", 1234, "number", "same", "1,234", 1234),
        (dd("yes"), "yes", True, "boolean", "same", "yes", True),
        (dd("1"), "1", True, "number", "differs", "1", 1),
        (dd("soon"), "soon", "2026-03-03", "date", "differs", "soon", None),
        # a piece counts only of an element that has not changed
        (dd("Ann Lee, since May"), "Ann Lee", "Ann Lee", "string", "same", "Ann Lee", "Ann Lee"),
        (dd("not Ann Lee", "f2"), "Ann Lee", "Ann Lee", "string", "differs", "not Ann Lee", "not Ann Lee"),
        (text("Assignee: Ann Lee", fingerprint="f1"), "Ann Lee", "Ann Lee", "string", "same", "Ann Lee", "Ann Lee"),
        (text("Assignee: Bob", fingerprint="f2"), "Ann Lee", "Ann Lee", "string", "differs", "Bob", "Bob"),
        # where a link leads
        (LINK, "http://x/browse/7", "http://x/browse/7", "string", "same", "http://x/browse/7", "http://x/browse/7"),
        (LINK, "http://x/browse/8", "http://x/browse/8", "string", "differs", "http://x/browse/7", "http://x/browse/7"),
        (LINK, "LED-7", "LED-7", "string", "same", "LED-7", "LED-7"),
        (OTHER_LINK, "http://x/browse/7", "http://x/browse/7", "string", "differs", "LED-8", "LED-8"),
    ],
)  # fmt: skip
def test_text_and_value_are_compared(
    now: Element, recorded: str, value: Any, field: str, said: str, shown: str, read: Any
):
    told = said_of(now, recorded, value, field)
    assert (told.outcome, told.shown, told.value) == (said, shown, read)


def test_an_enum_never_stands_in_a_piece():
    field = {"type": "enum", "values": ["passed", "failed"]}
    assert said_of(dd("passed"), "passed", "passed", field).outcome == "same"
    assert said_of(dd("not passed yet"), "passed", "passed", field).outcome == "differs"


def test_what_competes_only_without_scripts_does_not_change_what_an_element_says():
    field = {"type": "enum", "values": ["worn", "lost"], "labels": ["Assignee"]}
    rival = el("img", "Assignee: lost", tag="img", fingerprint="f7")
    told = said_of(text("Assignee: worn", fingerprint="f1"), "worn", "worn", field, beside=(rival,))
    assert (told.outcome, told.shown) == ("same", "worn")
    told = said_of(text("Assignee: worn", fingerprint="f1"), "lost", "lost", field, beside=(rival,))
    assert (told.outcome, told.shown) == ("differs", "worn")


def test_the_title_and_the_other_dates_of_the_page_are_read_as_they_were():
    titled = dd("3 days ago", title="2026-11-18T09:00Z")
    assert said_of(titled, "3 days ago", "2026-11-18", "date").outcome == "same"
    beside = row("Closed", "25/12/24")
    settled = said_of(dd("03/10/24"), "03/10/24", "2024-10-03", "date", beside=beside, date_order="dmy")
    assert (settled.outcome, settled.message) == ("same", "")
    told = said_of(dd("03/10/24"), "03/10/24", "2024-10-03", "date", date_order="dmy")
    assert told.outcome == "same"
    assert "recorded order" in told.message
    assert said_of(dd("03/10/24"), "03/10/24", "2024-10-03", "date").outcome == "differs"


def test_the_language_that_settled_a_month_is_read_as_it_was():
    shown, value = "3 listopada 2024", "2024-11-03"
    settled = said_of(dd(shown), shown, value, "date", beside=row("Closed", "4 sierpnia 2024"), date_language="pl")
    assert (settled.outcome, settled.message) == ("same", "")
    told = said_of(dd(shown), shown, value, "date", date_language="pl")
    assert told.outcome == "same"
    assert "recorded language" in told.message
    assert said_of(dd(shown), shown, value, "date").outcome == "differs"


def test_words_for_nothing_are_compared_as_words():
    field = {"type": "string | null", "not_present": ["Unassigned"]}
    assert said_of(dd("Unassigned"), "Unassigned", None, field, state="not_present").outcome == "same"
    told = said_of(dd("Ann Lee", "f2"), "Unassigned", None, field, state="not_present")
    assert (told.outcome, told.shown, told.value) == ("differs", "Ann Lee", None)


def test_nothing_beside_a_label_is_the_label_without_a_value():
    field = {"type": "string | null", "labels": ["Owner"]}
    label = el("term", "Owner", tag="dt", fingerprint="f1", locators=(by("css", "#a"),))
    assert said_of(label, "", None, field, state="not_present", role="term").outcome == "same"
    assert (
        said_of(replace(label, fingerprint="f2"), "", None, "string | null", state="not_present").outcome == "differs"
    )
    filled = said_of(label, "", None, field, state="not_present", beside=(dd(header="Owner", fingerprint="f3"),))
    assert filled.outcome == "differs"


# --- both witnesses

FIELD = OutputField(type="string")
VALUE = FieldValue(
    field="assignee", state="value", value="Ann Lee", shown="Ann Lee", source=source(kept_ref=2), read_by="rules"
)
SAME, OTHER, GONE = dd(), dd("Bob", "f2"), text("nothing")
HEAD = heading("of nothing")
INPUT = el("textbox", "Assignee", value="Ann Lee", tag="input", fingerprint="f1", locators=(by("css", "#a"),))
EMPTY = replace(INPUT, value="")


def kept(element: Element | None, name: str, lack: Verdict = "not_stored") -> StoredFile:
    if element is None:
        return StoredFile(name, "h", None, lack, f"why not {name}")
    there = shows() if element is HEAD else shows(element)
    return StoredFile(name, "h", view_stored_page(spec(), sample(), there))


@cases(
    ("now", "observed", "verdict", "words"),
    [
        (SAME, SAME, "same", ""),
        (SAME, None, "same", "why not o"),
        (SAME, HEAD, "same", "in the stored observation: no element"),
        (SAME, OTHER, "differs", "the stored observation shows 'Bob'"),
        (OTHER, SAME, "differs", "the stored observation agrees with the record"),
        (OTHER, OTHER, "differs", "the stored observation shows 'Bob'"),
        (GONE, SAME, "not_found", "the stored observation agrees with the record"),
        (EMPTY, INPUT, "same_in_observation", "typed into a form"),
        (EMPTY, EMPTY, "differs", "the stored observation shows ''"),
        (INPUT, INPUT, "same", ""),
        (None, SAME, "same_in_observation", "why not p"),
        (None, OTHER, "not_stored", "why not p"),
        (None, None, "not_stored", "why not p"),
    ],
)
def test_the_page_convinces_and_the_observation_stands_in_only_where_it_cannot_know(
    now: Element | None, observed: Element | None, verdict: Verdict, words: str
):
    told = value_verdict(VALUE, FIELD, StoredPage(kept(now, "p"), kept(observed, "o")))
    assert told.verdict == verdict
    assert words in told.message
    assert (told.page, told.recorded, told.recorded_value, told.read_by) == ("p", "Ann Lee", "Ann Lee", "rules")


@cases(
    ("now", "drawn", "found", "otherwise"),
    [
        (SAME, "seen", "seen", False),
        (SAME, "absent", "absent", True),
        # it was not looked at
        (SAME, None, None, False),
        # another text says nothing of the recorded one
        (OTHER, "absent", None, False),
    ],
)
def test_the_stored_page_is_looked_at_as_it_is_drawn_now(
    now: Element, drawn: InkState | None, found: InkState | None, otherwise: bool
):
    value = replace(VALUE, source=source(kept_ref=2, ink=Ink(state="seen")))
    ink = {} if drawn is None else {2: Ink(state=drawn)}
    told = value_verdict(value, FIELD, StoredPage(dataclasses.replace(kept(now, "p"), ink=ink), kept(SAME, "o")))
    assert (told.ink, told.ink_found, told.is_drawn_otherwise) == ("seen", found, otherwise)
    assert ("in a picture of the stored page its ink is absent" in told.message) is otherwise
    assert told.verdict == ("same" if now is SAME else "differs")


def test_boxes_in_a_picture_of_the_stored_page_are_said_to_come_of_a_missing_font():
    value = replace(VALUE, source=source(kept_ref=2, ink=Ink(state="seen")))
    boxes = {2: Ink(state="absent", glyphless=2)}
    told = value_verdict(value, FIELD, StoredPage(dataclasses.replace(kept(SAME, "p"), ink=boxes), kept(SAME, "o")))
    assert told.is_drawn_otherwise
    assert "boxes stand in place of 2 of its characters: this browser has no font for them" in told.message


COMBO = {"role": "combobox", "box": box(10, 100), "kept_ref": 2}
LIST = el("combobox", "Assignee", value="Ann Lee", tag="div", fingerprint="f1", box=box(10, 100))


@cases(
    ("now", "verdict", "words"),
    [
        # without scripts the list is only its text, at its place
        (text("Ann Lee", box=box(12, 102)), "same", ""),
        (el("option", "Ann Lee", states=("selected",), box=box(12, 102)), "same", ""),
        (el("option", "Ann Lee", box=box(12, 102)), "same_in_observation", "typed into a form"),
        (text("nothing"), "same_in_observation", "typed into a form"),
    ],
)
def test_a_list_that_scripts_draw_is_found_by_its_words_at_its_place(now: Element, verdict: Verdict, words: str):
    value = replace(VALUE, source=source(**COMBO))
    told = value_verdict(value, FIELD, StoredPage(kept(now, "p"), kept(LIST, "o")))
    assert (told.verdict, told.found_by) == (verdict, ("text", "box") if verdict == "same" else ())
    assert words in told.message
    other = replace(LIST, value="Bob")
    assert value_verdict(value, FIELD, StoredPage(kept(now, "p"), kept(other, "o"))).verdict in FAULTS


def test_of_equal_elements_the_observation_says_which():
    value = replace(VALUE, source=source(kept_ref=2, locators=()))
    twins = shows(dd(css="#b"), dd(css="#c"))
    page_file = StoredFile("p", "h", view_stored_page(spec(), sample(), twins))
    told = value_verdict(value, FIELD, StoredPage(page_file, kept(SAME, "o")))
    assert told.verdict == "same_in_observation"
    assert "2 elements are the same to the letter; its words are on the stored page" in told.message
    assert value_verdict(value, FIELD, StoredPage(page_file, kept(None, "o"))).verdict == "ambiguous"


@cases(
    ("page_lack", "observation_lack", "verdict"),
    [("altered", None, "altered"), ("unreadable", None, "unreadable"), (None, "altered", "altered")],
)
def test_a_file_that_is_not_what_was_stored_proves_nothing(
    page_lack: Verdict | None, observation_lack: Verdict | None, verdict: Verdict
):
    first = kept(None, "p", page_lack) if page_lack else kept(SAME, "p")
    second = kept(None, "o", observation_lack) if observation_lack else kept(SAME, "o")
    told = value_verdict(VALUE, FIELD, StoredPage(first, second))
    assert told.verdict == verdict
    assert told.verdict in FAULTS
    assert f"why not {'p' if page_lack else 'o'}" in told.message


def test_what_a_model_made_and_what_was_not_found_is_said_and_not_claimed():
    nothing = StoredPage(StoredFile(), StoredFile())
    derived = replace(VALUE, origin="derived", read_by="claude-x")
    seen = replace(derived, origin="vision", source=source(screenshot_sha256="abc" * 10))
    told = [value_verdict(one, FIELD, nothing) for one in (derived, seen)]
    assert [one.verdict for one in told] == ["read_by_model", "read_by_model"]
    assert told[0].message == "worked out from what pages show by claude-x"
    assert told[1].message == "read from a picture by claude-x, picture abcabcabcabc"
    missing = value_verdict(FieldValue(field="assignee", state="not_found"), FIELD, nothing)
    assert (missing.verdict, missing.message) == ("nothing_recorded", "")
    unbound = value_verdict(replace(VALUE, source=None), FIELD, nothing)
    assert unbound.verdict == "not_bound"


# --- whose record it is


def test_a_stored_page_proves_the_record_or_shows_another():
    right, wrong = page(*ticket()), page(*ticket(number="TCK-2002"))
    told = [
        page_verdict(StoredPage(StoredFile("p", "h", view_stored_page(spec(), sample(), one)), StoredFile()))
        for one in (right, wrong)
    ]
    assert [one.proof for one in told] == ["proven", "mismatch"]
    assert "TCK-2002" in told[1].message


def proofs(*pairs: tuple[Any, Any]) -> list[PageReperformed]:
    return [PageReperformed(filename="p", sha256="h", proof=proof, observed=seen) for proof, seen in pairs]


@cases(
    ("pages", "identity"),
    [
        (proofs(("proven", "proven"), ("unproven", "unproven")), "proven"),
        (proofs(("proven", "proven"), ("mismatch", "proven")), "mismatch"),
        (proofs(("unproven", "proven")), "proven_in_observation"),
        (proofs(("unread", "unread")), "unproven"),
        ([], "not_stored"),
    ],
)
def test_one_page_that_proves_it_is_enough_and_one_that_shows_another_too(pages: list[PageReperformed], identity: str):
    assert identity_verdict(pages) == identity


@cases(
    ("verdict", "recorded", "identity"),
    [
        ("same", "tck-1001", "proven"),
        ("same_in_observation", "TCK-1001", "proven_in_observation"),
        ("differs", "TCK-1001", "unproven"),
        ("same", "TCK-2002", "unproven"),
    ],
)
def test_an_identity_that_was_read_again_proves_the_record(verdict: Verdict, recorded: str, identity: str):
    number = ValueReperformed(field="ticket_number", verdict=verdict, state="value", recorded=recorded)
    pages = proofs(("unproven", "unproven"))
    assert identity_verdict(pages, (number,), {"ticket_number": "TCK-1001"}) == identity
    assert identity_verdict(proofs(("mismatch", "proven")), (number,), {"ticket_number": "TCK-1001"}) == "mismatch"


def test_a_number_in_a_form_that_the_stored_page_lost_is_no_other_record():
    field = el("textbox", "Ticket number", value="TCK-1001", tag="input")
    there, lost = page(field), page(replace(field, value="TCK-0000"))
    told = page_verdict(
        StoredPage(*(StoredFile("p", "h", view_stored_page(spec(), sample(), one)) for one in (lost, there)))
    )
    assert (told.proof, told.observed, told.message) == ("unproven", "proven", "")
    both = page_verdict(StoredPage(*(StoredFile("p", "h", view_stored_page(spec(), sample(), lost)) for _ in range(2))))
    assert both.proof == "mismatch"


def test_cells_that_the_rules_joined_are_joined_again():
    task = asked("string")
    first = replace(cell("Assignee", "Ann", 1), fingerprint="f1", locators=(by("css", "#a"),))
    both = shows(first, cell("Assignee", "Lee", 1))
    stored = replace(VALUE, shown="Ann Lee", source=source(role="cell"))
    witness = StoredFile("p", "h", view_stored_page(task, sample(), both))
    assert value_verdict(stored, FIELD, StoredPage(witness, witness)).verdict == "same"


# --- a stored observation


def packed_observation(**changes: Any) -> bytes:
    facts = {"capture_id": "c1", "url": "http://x/1", "title": "T", "http_status": 200, "observation_sha256": "o",
             "browser": "chromium 1", "viewport": {"width_px": 1280, "height_px": 900},
             "captured_at": "2026-03-03T12:00:00Z"}  # fmt: skip
    told = {"capture": facts, "headers": [["date", "x"]], "elements": msgspec.to_builtins(page(*ticket()).elements)}
    return pack_zstd(json.dumps({**told, **changes}).encode())


def test_a_stored_observation_is_the_page_that_was_observed():
    data = packed_observation()
    there = expect(parse_stored_observation(data, hashlib.sha256(data).hexdigest()), PageObserved)
    assert (there.url, there.title, there.http_status, there.sha256) == ("http://x/1", "T", 200, "o")
    assert there.elements == page(*ticket()).elements


@cases(
    ("data", "words"),
    [
        (b"no zstd", "cannot be read"),
        (pack_zstd(b"{}"), "cannot be read"),
        (packed_observation(elements=[{"ref": "x"}]), "cannot be read"),
        (pack_zstd(b" " * 2_000_000), "more than 1000000 bytes"),
    ],
)
def test_what_is_no_observation_is_said(data: bytes, words: str):
    told = expect(parse_stored_observation(data, hashlib.sha256(data).hexdigest(), most_bytes=1_000_000), str)
    assert words in told
    assert parse_stored_observation(data, "0" * 64) == "its SHA-256 is not the recorded one"
