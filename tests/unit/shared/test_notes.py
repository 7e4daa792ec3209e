"""Notes: typed in the contracts, one sentence for people, and strings in the files of runs made before."""

from __future__ import annotations

import csv
import io

import msgspec

from shared.contracts.steps import Note, note_detail, note_text, plain_note
from shared.evidence_format.files.earlier_versions import note_texts, to_note, to_notes
from shared.evidence_format.verify.compare import row_problems
from tests.cases import cases
from tests.handlers.evidence.written_sample import facts_of

SENTENCES = [
    (plain_note("look twice"), "look twice"),
    (plain_note("'Bob' is not shown by the page", "owner"), "owner: 'Bob' is not shown by the page"),
    (Note(kind="differs", step=3, text="address: then /a, now /b"), "differs: step 3: address: then /a, now /b"),
    (
        Note(kind="differs", step=3, action="click", text="it could not be done again"),
        "differs: step 3 (click): it could not be done again",
    ),
    (Note(kind="not_as_read", field="owner", text="it is gone"), "not as it was read: owner: it is gone"),
    (Note(kind="not_kept", text="gone"), "the page was not kept: gone"),
]


@cases(("note", "sentence"), SENTENCES)
def test_a_note_is_one_sentence_for_people_and_an_object_in_files(note: Note, sentence: str):
    assert note_text(note) == sentence
    assert to_note(msgspec.to_builtins(note)) == note


@cases(("note", "sentence"), SENTENCES)
def test_a_sentence_of_an_older_run_keeps_its_kind_and_its_words(note: Note, sentence: str):
    old = to_note(sentence)
    assert (old.kind, note_text(old)) == (note.kind, sentence)
    if note.kind != "remark":
        assert note_detail(old) == note_detail(note)


def test_a_note_says_in_a_file_only_what_there_is_to_say():
    assert msgspec.to_builtins(plain_note("look")) == {"kind": "remark", "text": "look"}


@cases("written", [None, "look", {"kind": "remark"}])
def test_what_is_no_list_has_no_notes(written: object):
    assert to_notes(written) == ()


def test_what_is_no_note_in_a_list_that_was_changed_is_shown_as_it_is():
    assert note_texts(["a", {"kind": "odd", "text": "b"}, 7]) == ["a", '{"kind":"odd","text":"b"}', "7"]


@cases("notes", [["owner: gone", "look"], [plain_note("gone", "owner"), plain_note("look")]])
def test_a_table_is_checked_against_notes_of_both_forms(notes: list[object]):
    def table(cell: str) -> bytes:
        text = io.StringIO(newline="")
        csv.writer(text).writerows([["sample_id", "notes"], ["A-1", cell]])
        return text.getvalue().encode()

    facts = facts_of({"sample_id": "A-1"}, {"notes": msgspec.to_builtins(notes)})
    assert row_problems(table("owner: gone; look"), {"A-1"}, facts.task, lambda _: facts) == []
    [wrong] = row_problems(table("owner: gone"), {"A-1"}, facts.task, lambda _: facts)
    assert wrong.startswith("row A-1, column notes: ")
