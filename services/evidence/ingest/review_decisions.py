"""Files decisions of people who review a run, and closes the run anew once its review is signed off.

A decision is one file, written at once as a whole, sealed by itself and chained to the one before it. It does not open
the run: its evidence, its tables and its seal stay as they are until the review is signed off.
"""

from __future__ import annotations

import msgspec

from services.evidence.deps import EvidenceDeps
from services.evidence.reviews.drawing import drawables
from services.evidence.reviews.review_logs import evidence_of, items_to_decide, read_sample
from services.evidence.run_lock.change_locks import REVIEW, lock_name
from services.evidence.seal.run_seal import archive_sealed_round
from services.evidence.state.run_state import RunState
from services.evidence.state.settling import read_given_value
from shared.contracts.sessions.reviewing import (
    DecideReply,
    DecideReview,
    DecisionFiled,
    DecisionRefused,
    ReviewDecision,
    ReviewSignedOff,
    SignedDecision,
)
from shared.errors import Unsupported
from shared.evidence_format import layout
from shared.evidence_format.files.json_files import encode_file
from shared.evidence_format.files.manifest import Seal
from shared.evidence_format.files.review import ReviewFile, sealed_bytes
from shared.evidence_format.review.decisions import decision_bytes
from shared.evidence_format.review.review_log import ReviewLog, ReviewRefusal, target_key, target_words
from shared.evidence_format.review.sampling import is_drawn_so
from shared.evidence_format.signing import fingerprint_of, key_of
from shared.subjects import REVIEW_SIGNED_OFF
from shared.task.judgments import answers_of, find_answer

WITHOUT_BOUND = ("sign", "reopen")
"""What a review takes that has as many decisions as it may: it can always be brought to its end."""


async def take_decision(deps: EvidenceDeps, request: DecideReview) -> DecideReply:
    """File a decision, or refuse it with the reason. One that is filed already changes nothing."""
    if deps.publishes is None or deps.read_only:
        raise Unsupported("this service only reads evidence")
    run_id, signed = request.run_id, request.signed
    if not is_signed_so(signed):
        return _refused(run_id, ReviewRefusal.because("bad_signature", "signature", "it is not that of the decision"))
    state = await deps.ledger.find(run_id)
    unfit = _find_unfit(deps, state, run_id)
    if unfit is not None:
        return _refused(run_id, unfit)
    assert state is not None
    # It is another lock than that of the run, so that a review holds up no resume: what a decision is about is read at
    # that moment, and the run's files stay.
    filed = await deps.reviews.locks.run_alone(lock_name(REVIEW, run_id), lambda: _file_once(deps, state, signed))
    return _refused(run_id, filed) if isinstance(filed, ReviewRefusal) else await _answer(deps, state, *filed)


async def _file_once(
    deps: EvidenceDeps, state: RunState, signed: SignedDecision
) -> tuple[ReviewLog, int] | ReviewRefusal:
    """Return the review with the number of the decision in it."""
    log = await deps.reviews.log(state)
    number = log.filed_as(signed.decision, fingerprint_of(signed.public_key))
    if number is None:  # one that is filed is answered also while the run is closed with it
        refused = await _find_refusal(deps, state, log, signed)
        if refused is not None:
            return refused
        number = await _file(deps, state, log, signed)
    return log, number


def is_signed_so(signed: SignedDecision) -> bool:
    """Whether the signature is that of the decision by the key beside it."""
    key = key_of(signed.public_key)
    return key is not None and key.is_signed(decision_bytes(signed.decision), signed.signature)


def _find_unfit(deps: EvidenceDeps, state: RunState | None, run_id: str) -> ReviewRefusal | None:
    """Return why no run of that name is reviewed here."""
    if state is None:
        return ReviewRefusal.because("no_such_run", "run_id", layout.no_run(run_id, deps.store.location("")))
    if deps.signer is None:
        return ReviewRefusal.because(
            "not_sealed", "run_id", "runs are not sealed here, and only a sealed run is reviewed"
        )
    return None


async def _find_refusal(
    deps: EvidenceDeps, state: RunState, log: ReviewLog, signed: SignedDecision
) -> ReviewRefusal | None:
    said, run_id = signed.decision, state.record.run_id
    if state.current_summary is None:
        return ReviewRefusal.because("run_at_work", "run_id", f"{run_id} is not finished: review it when it is")
    if len(log.filed) >= deps.most_decisions and said.act not in WITHOUT_BOUND:
        message = f"{run_id} has {len(log.filed)} decisions, as many as EXHIBIT_REVIEW_MAX_DECISIONS allows: it can be"
        return ReviewRefusal.because("review_full", "act", f"{message} signed, and reopened")
    seen = await evidence_of(deps.store, state, [one.target for one in said.targets])
    items = await items_to_decide(deps.store, state, log) if said.act == "sign" else []
    key = fingerprint_of(signed.public_key)
    refused = log.find_refusal(said, key, lambda target: seen.get(target_key(target)), lambda: items)
    if refused is None and said.act == "correct":
        refused = await _find_wrong_correction(deps, state, said)
    if refused is None and said.draw is not None:
        samples = await drawables(deps.store, state, said.draw.by)
        if isinstance(samples, str) or not is_drawn_so(said.draw, samples):
            told = samples if isinstance(samples, str) else "its seed draws other samples of this run"
            refused = ReviewRefusal.because("not_valid", "draw", told)
    return refused


async def _find_wrong_correction(deps: EvidenceDeps, state: RunState, said: ReviewDecision) -> ReviewRefusal | None:
    """Return why a corrected value is none of its field, or does not stand where it is said to."""
    spec = state.record.spec
    for one in said.targets:
        target, words = one.target, target_words(one.target)
        if target.kind == "judgment":
            answers = answers_of(spec.get("judgment_output_schema"))
            if find_answer(answers, said.value) is None:
                return ReviewRefusal.because("not_valid", "value", f"the answers are {' | '.join(answers)}")
            continue
        read = read_given_value(spec, target.field, said.value, said.by)
        if isinstance(read, str):
            return ReviewRefusal.because("not_valid", words, read)
        if said.where is not None:
            sample = await read_sample(deps.store, state.record.run_id, target.sample_id)
            file = sample.file(said.where.file) if sample is not None else None
            if file is None or file.sha256 != said.where.sha256:
                told = f"{target.sample_id} has no such file of that hash: {said.where.file}"
                return ReviewRefusal.because("not_valid", "where", told)
    return None


async def _file(deps: EvidenceDeps, state: RunState, log: ReviewLog, signed: SignedDecision) -> int:
    """Write the decision; return its number."""
    assert deps.signer is not None
    run_id, number = state.record.run_id, len(log.filed) + 1
    sealed = await deps.store.read(layout.run_key(run_id, layout.SEAL))
    round_ = log.round + 1 if signed.decision.act == "reopen" else log.round
    file = ReviewFile(
        run_id=run_id,
        round=round_,
        number=number,
        manifest_sha256=msgspec.json.decode(sealed, type=Seal).manifest_sha256 if sealed is not None else "",
        previous_sha256=log.head,
        filed_at=deps.now(),
        signed=signed,
    )
    file = msgspec.structs.replace(file, seal=deps.signer.seal(sealed_bytes(file)))
    path = layout.run_key(run_id, layout.review_path(round_, number))
    await deps.store.write(path, encode_file(file))
    await deps.store.make_file_durable(path)
    log.add(file, fingerprint_of(signed.public_key))
    return number


async def _answer(deps: EvidenceDeps, state: RunState, log: ReviewLog, number: int) -> DecisionFiled:
    """Return the receipt. A review that is signed off and not closed yet is queued to be closed, also after a crash."""
    run_id, file = state.record.run_id, log.filed[number - 1]
    closed = state.reviewed >= number and state.current_summary is not None
    closed = closed and await deps.store.read(layout.run_key(run_id, layout.SEAL)) is not None  # written last
    if log.state == "signed_off" and state.reviewed < log.signed_off_number:
        assert deps.publishes is not None
        event = ReviewSignedOff(run_id=run_id, round=log.round, number=log.signed_off_number)
        await deps.publishes.publish(REVIEW_SIGNED_OFF, event)
    return DecisionFiled(run_id=run_id, number=number, sha256=file.sha256, state=log.state, sealed=closed)


def _refused(run_id: str, refusal: ReviewRefusal) -> DecisionRefused:
    return DecisionRefused(run_id=run_id, code=refusal.code, problems=refusal.problems)


async def close_review(deps: EvidenceDeps, state: RunState, message: ReviewSignedOff) -> None:
    """Put aside what was sealed, so that the run is closed with the review. Idempotent, and nothing at all if the
    review is not signed off with that decision, or was closed with it."""
    if state.reviewed >= message.number or not state.is_complete:
        return
    log = await deps.reviews.log(state)
    if log.state != "signed_off" or log.signed_off_number != message.number:
        return
    await archive_sealed_round(deps, state)
    state.reviewed = message.number
    await deps.ledger.save_finished(state, None)
