"""The hash chain, verified independently of this program: with json and hashlib only."""

from __future__ import annotations

import json
import math
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from shared.evidence_format import chain
from tests.cases import cases
from tests.plain_chain import check_plainly, plainly

WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([1e16, 1e-5, 1e22, 0.0001, -0.0, 1.0, 5e-324, 1.7e308])
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner)
    ),
    max_leaves=12,
)


@given(JSON)
def test_canonical_json_is_that_of_plain_python(value: Any):
    assert chain.canonical_json(value) == plainly(json.loads(msgspec.json.encode(value)))


def test_what_json_cannot_say_is_hashed_as_it_is_written():
    assert chain.canonical_json({"a": math.nan}) == b'{"a":null}'


def a_log(entries: list[dict[str, Any]]) -> tuple[bytes, str]:
    head, log = chain.log_start("r", "s", 2), []
    for entry in entries:
        log.append(chain.with_hashes(entry, head))
        head = log[-1]["sha256"]
    return msgspec.json.format(msgspec.json.encode(log), indent=2), head


@given(st.lists(st.dictionaries(st.text("abc", max_size=3), JSON, max_size=3), max_size=4))
def test_a_log_is_checked_by_plain_python_and_by_us(entries: list[dict[str, Any]]):
    log, head = a_log(entries)
    assert check_plainly(log, "r", "s", 2) == head
    assert chain.follow_chain(chain.parse_exactly(log), chain.log_start("r", "s", 2)) == (head, None)


ENTRIES = [{"step": 1, "cost": 1e-05}, {"step": 2, "words": "\u2028 \U0001f600"}, {"step": 3, "params": {}}]


def altered(how: Any) -> tuple[str, int | None]:
    log = json.loads(a_log(ENTRIES)[0])
    how(log)
    return chain.follow_chain(chain.parse_exactly(json.dumps(log).encode()), chain.log_start("r", "s", 2))


@cases(
    ("how", "first"),
    [
        (lambda log: log[1].update(words="x"), 2),
        (lambda log: log.pop(0), 1),
        (lambda log: log.pop(1), 2),
        (lambda log: log.reverse(), 1),
        (lambda log: log.insert(1, {"step": 9}), 2),
        (lambda log: log[0].pop("sha256"), 1),
        (lambda log: log.insert(0, "no step"), 1),
        (lambda log: log.append({**log[2], "step": 4}), 4),
    ],
)
def test_the_first_step_that_does_not_fit_is_told(how: Any, first: int):
    assert altered(how)[1] == first


def test_a_log_of_another_sample_does_not_fit():
    log, _ = a_log(ENTRIES)
    assert chain.follow_chain(chain.parse_exactly(log), chain.log_start("r", "t", 2))[1] == 1


def test_a_log_that_was_cut_has_another_head():
    log = json.loads(a_log(ENTRIES)[0])
    head, first = chain.follow_chain(chain.parse_exactly(json.dumps(log[:2]).encode()), chain.log_start("r", "s", 2))
    assert first is None
    assert head != a_log(ENTRIES)[1]
