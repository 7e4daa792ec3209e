"""What a signature of an event holds for, and what it does not hold for."""

from __future__ import annotations

from base64 import b64encode

import pytest

from shared.bus.signing.service_keys import KeysInMemory
from shared.bus.signing.signatures import NOBODY, PURPOSE, SIGNATURE, EventSigner, is_believed, require_signature
from shared.errors import NotSigned
from shared.subjects import RUN_REJECTED, STEP_TAKEN
from tests.cases import cases
from tests.typed import there

KEYS = KeysInMemory()
WHERE, DATA = f"{STEP_TAKEN.pattern}.run_1.A-1", b'{"step":1}'


def planner() -> EventSigner:
    return there(KEYS.signer_of("planner"))


def refusal(header: str, where: str = WHERE, data: bytes = DATA) -> str:
    try:
        require_signature(KEYS, STEP_TAKEN, where, data, {SIGNATURE: header})
    except NotSigned as exc:
        return exc.why
    return ""


def test_a_signature_holds_for_its_bytes_on_its_subject_alone():
    header = planner().header(WHERE, DATA)
    assert refusal(header) == ""
    assert refusal(header, where=f"{STEP_TAKEN.pattern}.run_1.A-2") == "bad_signature"
    assert refusal(header, where=f"{STEP_TAKEN.pattern}.run_2.A-1") == "bad_signature"
    assert refusal(header, data=DATA + b" ") == "bad_signature"
    assert refusal(header, data=b'{"step":2}') == "bad_signature"


@cases("cut", [1, len(WHERE) - 1])
def test_where_the_subject_ends_is_signed_as_well(cut: int):
    header = planner().header(WHERE[:cut], WHERE[cut:].encode() + DATA)
    assert refusal(header) == "bad_signature"


def test_what_the_key_has_signed_for_another_purpose_is_no_signature():
    """Without its first line the same text is none of an event."""
    text = f"{WHERE}\n".encode() + DATA
    key = planner()._key
    assert refusal(f"{planner().public}.{b64encode(key.sign(text)).decode()}") == "bad_signature"
    assert refusal(f"{planner().public}.{b64encode(key.sign(PURPOSE + text)).decode()}") == ""


def test_the_signature_of_one_key_is_not_that_of_another():
    _, _, signature = planner().header(WHERE, DATA).partition(".")
    other = there(KEYS.signer_of("evidence"))
    assert refusal(f"{other.public}.{signature}") == "bad_signature"
    assert refusal(f"{planner().public.upper()}.{signature}") == "unknown_signer"
    assert refusal(other.header(WHERE, DATA)) == "other_signer"


def test_who_has_no_keys_believes_nobody_and_what_nobody_signs_needs_no_signature():
    with pytest.raises(NotSigned, match="bus-config") as caught:
        require_signature(NOBODY, STEP_TAKEN, WHERE, DATA, {SIGNATURE: planner().header(WHERE, DATA)})
    assert caught.value.why == caught.value.code == "unknown_signer"
    require_signature(NOBODY, RUN_REJECTED, f"{RUN_REJECTED.pattern}.run_1", DATA, {})


def test_who_reads_what_others_handle_believes_signed_events_of_known_kinds_alone():
    signed = {SIGNATURE: planner().header(WHERE, DATA)}
    assert is_believed(KEYS, WHERE, DATA, signed)
    assert not is_believed(KEYS, WHERE, DATA, {})
    assert not is_believed(NOBODY, WHERE, DATA, signed)
    unknown = f"{STEP_TAKEN.pattern}_of_others.run_1.A-1"
    assert not is_believed(KEYS, unknown, DATA, {SIGNATURE: planner().header(unknown, DATA)})
    assert not is_believed(KEYS, f"{RUN_REJECTED.pattern}.run_1", b"no message", {})
