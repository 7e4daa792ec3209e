"""The summary of a re-performance, for people and scripts."""

from __future__ import annotations

from typing import Any

import pytest

from services.console.text.reperform_summary import (
    ReperformCounts,
    find_identity_doubt,
    sample_lines,
    summary_lines,
)
from shared.contracts.reperform import FAULTS, PageReperformed, SampleReperformed, ValueReperformed, Verdict
from shared.text.normal import one_line


def value(verdict: Verdict = "same", **more: Any) -> ValueReperformed:
    given = {"field": "owner", "state": "value", "recorded": "Ann", "recorded_value": "Ann", "found": "Ann",
             "found_value": "Ann"}  # fmt: skip
    return ValueReperformed(verdict=verdict, **{**given, **more})


def sample(*values: ValueReperformed, **more: Any) -> SampleReperformed:
    given = {"run_id": "run_1", "sample_id": "A-1", "status": "done", "identity": "proven"}
    return SampleReperformed(values=values, **{**given, **more})


def count(*samples: SampleReperformed) -> ReperformCounts:
    made = ReperformCounts()
    for one in samples:
        made.add(one)
    return made


@pytest.mark.parametrize(
    ("samples", "same"),
    [
        ([sample(value())], True),
        ([sample(value("same_in_observation"), value("read_by_model"), value("nothing_recorded"))], True),
        # a value that is done has a page, or nobody can tell where it is from
        ([sample(value(), value("not_stored"))], False),
        ([sample(value(), value("not_bound"))], False),
        ([sample(value()), sample(value("not_stored"), value("not_bound"), status="needs_review")], True),
        ([sample(value(), value("not_stored", state="not_present"))], True),
        # nothing is shown where nothing could be extracted
        ([sample(value("not_stored")), sample(value("not_bound"))], False),
        ([sample(value("nothing_recorded"), status="failed")], True),
        ([], True),
        *[([sample(value()), sample(value(fault))], False) for fault in sorted(FAULTS)],
        ([sample(value()), sample(problem="gone")], False),
        ([sample(value(), identity="mismatch")], False),
        ([sample(value(), identity="unproven")], False),
        ([sample(value(), identity="unproven", status="needs_review")], True),
        ([sample(value(), identity="proven_in_observation")], True),
    ],
)
def test_all_is_the_same_or_it_is_not(samples: list[SampleReperformed], same: bool):
    assert count(*samples).same is same


def test_a_done_value_without_a_page_is_listed_and_counted():
    one = sample(value(), value("not_stored", field="due"), value("not_bound", field="team"))
    assert [" ".join(line.split())[:9] for line in sample_lines(one, all_values=False)] == ['A-1 due "', 'team "Ann']
    assert "2 values of done samples without a page" in "\n".join(summary_lines("run_1", count(one), all_values=False))
    assert count(one).to_json_object()["done_without_page"] == 2


def test_a_text_that_is_not_seen_on_the_stored_page_is_listed_and_no_fault():
    one = sample(value(ink="seen", ink_found="seen"), value(ink="seen", ink_found="absent", message="why", field="due"))
    assert [" ".join(line.split()) for line in sample_lines(one, all_values=False)] == [
        'A-1 due "Ann" "Ann" same',
        "why",
    ]
    counts = count(one, sample(value(ink="seen"), value(ink="absent", ink_found="absent")))
    told = counts.to_json_object()
    assert (told["drawn_again"], told["drawn_otherwise"], counts.same) == (1, 1, True)
    assert "1 seen then, and NOT SEEN where the stored page" in "\n".join(
        summary_lines("run_1", counts, all_values=False)
    )


def test_only_what_stands_against_a_value_is_listed_unless_all_is_asked_for():
    one = sample(value(), value("differs", field="due", found="3 May", found_value="2026-05-03", message="why"))
    few = list(sample_lines(one, all_values=False))
    assert [" ".join(line.split()) for line in few] == ['A-1 due "Ann" "3 May" = 2026-05-03 DIFFERS', "why"]
    assert len(list(sample_lines(one, all_values=True))) == 3
    assert list(sample_lines(sample(value()), all_values=False)) == []


def test_whose_record_it_is_is_said():
    pages = (PageReperformed(filename="p", sha256="h", proof="mismatch", message="it shows B-2"),)
    wrong = sample(value(), identity="mismatch", pages=pages)
    assert find_identity_doubt(wrong) == "the stored page shows another record: it shows B-2"
    assert "it shows B-2" in next(sample_lines(wrong, all_values=False))
    unread = (PageReperformed(filename="p", sha256="h", message="p: SHA-256 is another"),)
    assert find_identity_doubt(sample(identity="unproven", pages=unread)).endswith("p: SHA-256 is another")


def test_what_nobody_could_read_and_long_names_are_told_in_full():
    long = "a" * 40
    told = list(sample_lines(sample(value("differs"), sample_id=long, problem="there is no result"), all_values=False))
    assert told[0] == long
    assert told[1].strip() == "no value could be extracted again: there is no result"


def test_the_counts_are_told_in_words_and_as_json():
    made = count(sample(value(), value("differs")), sample(value("read_by_model"), problem="gone"))
    told = "\n".join(summary_lines("run_1", made, all_values=False))
    for words in ("2 samples of run_1", "3 values", "1 the same in the stored page", "1 DIFFERENT", "NOTHING COULD BE",
                  "2 findings", "--all"):  # fmt: skip
        assert words in told
    assert made.to_json_object() == {
        "samples": 2, "values": {"same": 1, "differs": 1, "read_by_model": 1}, "not_done": 1, "record_proven": 2,
        "record_not_proven": 0, "done_without_page": 0, "drawn_again": 0, "drawn_otherwise": 0,
    }  # fmt: skip
    fine = "\n".join(summary_lines("run_1", count(sample(value())), all_values=True))
    assert "reads the same in the stored files" in fine
    assert "not that the site was right" in fine
    assert "--all" not in fine


def test_a_page_cannot_speak_to_the_terminal():
    assert one_line("red\x1b[31m\nand\x07 more") == "red�[31m and� more"
    [line] = sample_lines(sample(value("differs", found="\x1b]0;title\x07")), all_values=False)
    assert "\x1b" not in line
