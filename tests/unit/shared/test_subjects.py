from __future__ import annotations

from datetime import UTC, datetime
from typing import get_args

from shared import subjects
from shared.contracts.discovery import Sample
from shared.contracts.evidence import EvidenceBlocked
from shared.contracts.planner import WorkSample
from shared.streams import STREAMS, samples_of
from shared.subjects import EVENTS, EVIDENCE_BLOCKED, WORK_SAMPLE, Ask, RunEvent, Stored, message_id, subject_for


def all_subjects():
    return [value for value in vars(subjects).values() if isinstance(value, (Ask, Stored))]


def test_every_subject_has_the_one_form_and_names_attributes_of_its_message():
    for subject in all_subjects():
        prefix, version, kind, *rest = subject.pattern.split(".")
        assert (prefix, version, len(rest)) == ("exhibit", "v1", 3), subject.pattern
        message = subject.request if isinstance(subject, Ask) else subject.message
        assert kind == "ask" if isinstance(subject, Ask) else kind in ("cmd", "evt")
        assert set(subject.keys) <= set(message.__struct_fields__)
        if isinstance(subject, Stored):
            assert set(subject.identity) <= set(message.__struct_fields__)


def test_no_two_subjects_are_the_same_and_all_events_are_listed():
    patterns = [subject.pattern for subject in all_subjects()]
    assert len(patterns) == len(set(patterns))
    assert {s.pattern for s in EVENTS} == {p for p in patterns if ".evt." in p}


def test_whoever_watches_can_read_every_event():
    assert set(get_args(RunEvent)) == {subject.message for subject in EVENTS}


def test_a_work_item_travels_on_its_runs_queue():
    work = WorkSample(run_id="r", sample_id="s", sample=Sample(sample_id="s", key="s", row=1), attempt_base=4)
    assert subject_for(WORK_SAMPLE, work) == "exhibit.v1.cmd.planner.sample.work.r.s"
    assert message_id(WORK_SAMPLE, work) == "cmd.planner.sample.work/r/s/4/0"
    assert samples_of("r", 5).subjects == ("exhibit.v1.cmd.planner.sample.work.r.*",)
    assert samples_of("r", 5).max_ack_pending == 5


def test_streams_do_not_overlap():
    tops = [subject.removesuffix(".>") for stream in STREAMS for subject in stream.subjects]
    assert not any(a != b and b.startswith(a) for a in tops for b in tops)


def test_a_message_id_is_one_token():
    blocked = EvidenceBlocked(run_id="r", sample_id="s", message="", at=datetime(2026, 1, 2, 3, tzinfo=UTC))
    assert message_id(EVIDENCE_BLOCKED, blocked).startswith("evt.evidence.write.blocked/r/s/2026-01-02")
