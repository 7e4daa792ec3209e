"""How the review of a run stands: a fold over its filed decisions, and which decision is taken next.

open -> in review (the first decision) -> signed off (all who must sign have signed) -> reopened with a reason, which is
in review again, in another round. What somebody has decided stands over rounds, until he decides otherwise or
withdraws it, or the evidence changes; signatures are of one round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from shared.contracts.discovery import Problem
from shared.contracts.sessions.reviewing import (
    SETTLING_ACTS,
    Draw,
    ItemStanding,
    LookedAt,
    ReviewCode,
    ReviewDecision,
    ReviewRole,
    ReviewSignature,
    ReviewState,
    ReviewTarget,
    TargetKind,
)
from shared.evidence_format.files.review import ReviewFile, chain_start
from shared.evidence_format.review.decisions import decision_hash, person_start
from shared.evidence_format.review.items import DecidableItem
from shared.evidence_format.review.policy import ReviewPolicy

TargetKey = tuple[TargetKind, str, str, str]
STANDING_ACTS = SETTLING_ACTS | {"withdraw"}
"""What changes how a person stands on something."""
MAY: dict[ReviewRole, frozenset[str]] = {
    "preparer": frozenset({"comment"}),
    "reviewer": frozenset({*STANDING_ACTS, "comment", "draw", "sign", "reopen"}),
    "approver": frozenset({*STANDING_ACTS, "comment", "draw", "sign", "reopen"}),
}
NEEDS_REASON = frozenset({"correct", "reject", "not_applicable", "comment", "reopen"})
WITHOUT_TARGET = frozenset({"sign", "reopen", "draw"})
MOST_NAME, MOST_TEXT = 60, 10_000
NAMED_ITEMS = 5
"""Items that a refusal names; of more it gives the number."""


@dataclass(frozen=True)
class ReviewRefusal:
    code: ReviewCode
    problems: tuple[Problem, ...]

    @classmethod
    def because(cls, code: ReviewCode, where: str, message: str) -> ReviewRefusal:
        return cls(code, (Problem(where=where, message=message),))


@dataclass(frozen=True)
class StandingDecision:
    """The last decision of a person on a target."""

    number: int
    decision: ReviewDecision
    looked_at: LookedAt

    @property
    def outcome(self) -> tuple[str, str]:
        """What has to be equal for two people to agree."""
        return self.decision.act, self.decision.value


@dataclass
class PersonChain:
    """``key``: the fingerprint of the key that the person has used. ``hashes``: of the person's decisions, in order."""

    key: str
    hashes: list[str]
    numbers: list[int]


def target_key(target: ReviewTarget) -> TargetKey:
    return target.kind, target.sample_id, target.field, target.key


def target_of(key: TargetKey) -> ReviewTarget:
    """Return the target that has this key."""
    kind, sample_id, field, of_kind = key
    return ReviewTarget(kind=kind, sample_id=sample_id, field=field, key=of_kind)


def target_words(target: ReviewTarget) -> str:
    """Return what a decision is about, as people write it: ``TCK-1001.owner``."""
    of_sample = {"value": f"{target.sample_id}.{target.field}", "judgment": f"{target.sample_id} judgment"}
    rest = {"population": "the population", "difference": f"difference {target.key}"}
    return of_sample.get(target.kind) or rest.get(target.kind) or target.sample_id


class ReviewLog:
    """See the module. Files are added in their order (`add`); `find_refusal` decides what is taken next."""

    def __init__(self, run_id: str, policy: ReviewPolicy) -> None:
        self.run_id, self.policy = run_id, policy
        self.round = 1
        self.state: ReviewState = "open"
        self.filed: list[ReviewFile] = []
        self._head = chain_start(run_id)
        self.people: dict[str, PersonChain] = {}
        self.standing: dict[TargetKey, dict[str, StandingDecision]] = {}
        self.comments: dict[TargetKey, list[StandingDecision]] = {}
        self.signatures: dict[str, ReviewSignature] = {}
        self.draw: Draw | None = None
        self.signed_off_at: datetime | None = None
        self.signed_off_number = 0
        self.reopened = ""

    # --- the fold

    @property
    def head(self) -> str:
        """What the next file is chained to."""
        return self._head

    def add(self, file: ReviewFile, key: str) -> None:
        """Take a filed decision into account. ``key``: the fingerprint of the key that signed it."""
        said = file.signed.decision
        self.filed.append(file)
        self._head = file.sha256
        own = self.people.setdefault(said.by, PersonChain(key, [], []))
        own.hashes.append(decision_hash(said))
        own.numbers.append(file.number)
        if self.state == "open":
            self.state = "in_review"
        if said.act == "sign":
            role = self.policy.role_of(said.by) or "reviewer"
            self.signatures[said.by] = ReviewSignature(by=said.by, role=role, at=said.at, key=key, number=file.number)
            if not self.missing():
                self.state, self.signed_off_at, self.signed_off_number = "signed_off", said.at, file.number
        elif said.act == "reopen":
            self.round, self.state, self.reopened = self.round + 1, "in_review", said.reason
            self.signatures, self.signed_off_at = {}, None
        elif said.act == "draw":
            self.draw = said.draw
            self.signatures = {}
        for one in said.targets:
            standing = StandingDecision(file.number, said, one.looked_at)
            if said.act == "comment":
                self.comments.setdefault(target_key(one.target), []).append(standing)
            elif said.act in SETTLING_ACTS:
                self.standing.setdefault(target_key(one.target), {})[said.by] = standing
            elif said.act == "withdraw":
                self.standing.get(target_key(one.target), {}).pop(said.by, None)
        if said.act in STANDING_ACTS and self.state != "signed_off":
            self.signatures.pop(said.by, None)  # who decides anew has not signed that

    def next_of(self, by: str) -> tuple[int, str]:
        """Return number and previous hash of the next decision of a person."""
        own = self.people.get(by)
        return (len(own.hashes) + 1, own.hashes[-1]) if own is not None else (1, person_start(self.run_id, by))

    def filed_as(self, decision: ReviewDecision, key: str) -> int | None:
        """Return the number under which just this decision by this key is filed; None if it is not."""
        own = self.people.get(decision.by)
        if own is None or own.key != key or not 1 <= decision.number <= len(own.hashes):
            return None
        same = own.hashes[decision.number - 1] == decision_hash(decision)
        return own.numbers[decision.number - 1] if same else None

    # --- who has signed

    def missing(self) -> tuple[str, ...]:
        """Return who has still to sign, for people; empty once all have."""
        signed = [one for one in self.signatures.values() if one.role == "reviewer"]
        left = self.policy.reviewers - len(signed)
        waits = [f"{left} of {self.policy.reviewers} reviewers"] if left > 0 else []
        approved = any(one.role == "approver" for one in self.signatures.values())
        if self.policy.approvers and not approved:
            waits.append(f"an approver ({', '.join(self.policy.approvers)})")
        return tuple(waits)

    # --- how an item stands

    def fresh(self, target: ReviewTarget, now: LookedAt) -> dict[str, StandingDecision]:
        """Return the last decision of each person on a target, of those whose evidence is as it was."""
        return {by: one for by, one in self.standing.get(target_key(target), {}).items() if one.looked_at == now}

    def has_decided(self, by: str, item: DecidableItem) -> bool:
        """Whether a person has decided an item: itself, or each of its parts."""
        if by in self.fresh(item.target, item.looked_at):
            return True
        return bool(item.parts) and all(by in self.fresh(part.target, part.looked_at) for part in item.parts)

    def outcome(self, target: ReviewTarget, now: LookedAt) -> StandingDecision | None:
        """Return the decision that counts: the approver's, or that in which all agree; None where there is none."""
        fresh = self.fresh(target, now)
        approved = [one for by, one in fresh.items() if self.policy.role_of(by) == "approver"]
        if approved:
            return max(approved, key=lambda one: one.number)
        agreed = {one.outcome for one in fresh.values()}
        return max(fresh.values(), key=lambda one: one.number) if len(agreed) == 1 else None

    def standing_of(self, item: DecidableItem) -> ItemStanding:
        """Return how an item stands. It is decided once as many have decided as must sign, or an approver has."""
        own = self._standing_of_one(item)
        if own != "open" or not item.parts:
            return own
        parts = {self._standing_of_one(part) for part in item.parts}
        for worst in ("disagreed", "stale", "open"):
            if worst in parts:
                return worst
        return "decided"

    def _standing_of_one(self, item: DecidableItem) -> ItemStanding:
        fresh = self.fresh(item.target, item.looked_at)
        if not fresh:
            return "stale" if self.standing.get(target_key(item.target)) else "open"
        if self.outcome(item.target, item.looked_at) is None:
            return "disagreed"
        enough = len(fresh) >= self.policy.reviewers
        return "decided" if enough or any(self.policy.role_of(by) == "approver" for by in fresh) else "open"

    def sees(self, asker: str, author: str, target: ReviewTarget, now: LookedAt) -> bool:
        """Whether somebody is shown the decision of another: a reviewer only on what he has decided himself, on the
        evidence as it is ``now``.

        ``asker``: empty for somebody who has not proven who he is.
        """
        if self.state == "signed_off" or (asker and asker == author):
            return True
        role = self.policy.role_of(asker) if asker else ""
        if role in ("approver", "preparer"):
            return True
        return role == "reviewer" and (not self.policy.people or asker in self.fresh(target, now))

    def standing_for(self, asker: str, item: DecidableItem) -> ItemStanding:
        """Return how an item stands for somebody. Where he is not shown all that was decided of it and of its parts,
        only what he has done himself: anything else would tell him of the others."""
        every = (item, *item.parts)
        if all(self.sees(asker, by, one.target, one.looked_at) for one in every for by in self._people_on(one)):
            return self.standing_of(item)
        if asker and self.has_decided(asker, item):
            return "decided"
        return "stale" if asker and asker in self._people_on(item) else "open"

    def _people_on(self, item: DecidableItem) -> Iterable[str]:
        return self.standing.get(target_key(item.target), {})

    # --- what is taken

    def find_refusal(
        self,
        decision: ReviewDecision,
        key: str,
        looked_at: Callable[[ReviewTarget], LookedAt | None],
        items: Callable[[], Iterable[DecidableItem]],
    ) -> ReviewRefusal | None:
        """Return why a decision is not filed as the next one; None if it is. Its signature by ``key`` was checked.

        Args:
            looked_at: returns the evidence of a target as it is now, None if the run has no such target.
            items: returns all that must be decided; it is called for a signature only.
        """
        found = self.find_misfit(decision, key)
        if found is None:
            found = self._shape_problem(decision) or self._evidence_problem(decision, looked_at)
        if found is None and decision.act == "sign":
            found = self._signing_problem(decision.by, list(items()))
        return found

    def find_misfit(self, decision: ReviewDecision, key: str) -> ReviewRefusal | None:
        """Return why a decision cannot be the next one, whatever it is about: its person, its order, its round."""
        return self._person_problem(decision, key) or self._order_problem(decision) or self._state_problem(decision)

    def _person_problem(self, decision: ReviewDecision, key: str) -> ReviewRefusal | None:
        by, refused = decision.by, ReviewRefusal.because
        if decision.run_id != self.run_id:
            return refused("other_run", "run_id", f"it was signed for {decision.run_id}")
        if not by.strip():
            return refused("not_valid", "by", "it is empty: say who decides")
        role = self.policy.role_of(by)
        if not role:
            named = ", ".join(one.name for one in self.policy.people)
            return refused("unknown_person", "by", f"the task names who reviews, and {by} is none of them: {named}")
        known = self.policy.person(by)
        bound = known.key if known is not None else self.people[by].key if by in self.people else ""
        if bound and bound != key:
            return refused("other_key", "by", f"{by} signs with the key {bound}, and this is {key}")
        others = {one.key: one.name for one in self.policy.people} | {
            own.key: name for name, own in self.people.items()
        }
        if others.get(key, by) != by:
            return refused("other_key", "by", f"this is the key of {others[key]}, and one key is one person")
        if decision.act not in MAY[role]:
            if role == "preparer":
                told = f"{by} has prepared the run, and who prepares does not review: four eyes"
                return refused("own_work", "by", told)
            return refused("not_allowed", "act", f"{by} is {role}, and may not {decision.act}")
        return None

    def _order_problem(self, decision: ReviewDecision) -> ReviewRefusal | None:
        number, previous = self.next_of(decision.by)
        if decision.number < number:
            message = f"another decision of {decision.by} is filed as his number {decision.number}"
            return ReviewRefusal.because("number_taken", "number", message)
        if (decision.number, decision.previous_sha256) != (number, previous):
            message = f"the next decision of {decision.by} has number {number} and follows from {previous}"
            return ReviewRefusal.because("out_of_order", "number", message)
        return None

    def _state_problem(self, decision: ReviewDecision) -> ReviewRefusal | None:
        if decision.act == "reopen" and self.state != "signed_off":
            return ReviewRefusal.because(
                "not_signed_off", "act", "the review is not signed off: there is nothing to reopen"
            )
        if decision.act not in ("reopen", "comment") and self.state == "signed_off":
            message = "the review is signed off: reopen it with a reason first"
            return ReviewRefusal.because("signed_off", "act", message)
        if decision.round != self.round:
            message = f"it was signed for round {decision.round} of the review, and this is round {self.round}"
            return ReviewRefusal.because("other_round", "round", message)
        return None

    def _shape_problem(self, decision: ReviewDecision) -> ReviewRefusal | None:
        problems = tuple(_shape_problems(decision))
        return ReviewRefusal("not_valid", problems) if problems else None

    def _evidence_problem(
        self, decision: ReviewDecision, looked_at: Callable[[ReviewTarget], LookedAt | None]
    ) -> ReviewRefusal | None:
        for one in decision.targets:
            now, words = looked_at(one.target), target_words(one.target)
            if now is None:
                return ReviewRefusal.because("no_such_target", words, f"the run {self.run_id} has no such thing")
            if now != one.looked_at:
                message = "the evidence is not what was looked at: look at it again, and decide on what is there now"
                return ReviewRefusal.because("stale", words, message)
            if decision.act == "withdraw" and decision.by not in self.standing.get(target_key(one.target), {}):
                message = f"{decision.by} has decided nothing of it that could be withdrawn"
                return ReviewRefusal.because("not_valid", words, message)
        return None

    def _signing_problem(self, by: str, items: Sequence[DecidableItem]) -> ReviewRefusal | None:
        if self.policy.role_of(by) == "approver":
            waits = [one for one in self.missing() if not one.startswith("an approver")]
            if waits:
                return ReviewRefusal.because("undecided", "sign", f"an approver signs last; still to sign: {waits[0]}")
            return self._unsettled(items)
        left = [target_words(item.target) for item in items if not self.has_decided(by, item)]
        if left:
            return ReviewRefusal.because("undecided", "sign", f"{by} has not decided {_named(left)}")
        last = len([one for one in self.signatures.values() if one.by != by]) + 1 >= self.policy.reviewers
        return self._unsettled(items) if last and not self.policy.approvers else None

    def _unsettled(self, items: Sequence[DecidableItem]) -> ReviewRefusal | None:
        for standing, told in (
            ("disagreed", "is decided in different ways"),
            ("stale", "was changed"),
            ("open", "is open"),
        ):
            found = [target_words(item.target) for item in items if self.standing_of(item) == standing]
            if found:
                code: ReviewCode = "disagreed" if standing == "disagreed" else "undecided"
                return ReviewRefusal.because(code, "sign", f"{told}: {_named(found)}")
        return None


def _shape_problems(decision: ReviewDecision) -> Iterator[Problem]:
    for name, text, most in (("by", decision.by, MOST_NAME), ("reason", decision.reason, MOST_TEXT)):
        if len(text) > most:
            yield Problem(where=name, message=f"it has more than {most} characters")
    act, aimless = decision.act, decision.act in WITHOUT_TARGET
    if aimless and decision.targets:
        yield Problem(where="targets", message=f"{act} is about the whole review: leave the targets out")
    if not aimless and not decision.targets:
        yield Problem(where="targets", message="name what is decided")
    keys = [target_key(one.target) for one in decision.targets]
    if len(set(keys)) != len(keys):
        yield Problem(where="targets", message="one of them stands there twice")
    if act in NEEDS_REASON and not decision.reason.strip():
        yield Problem(where="reason", message="it is empty: whoever reads the decision must see why")
    if act == "correct":
        if any(one.target.kind not in ("value", "judgment") for one in decision.targets):
            yield Problem(
                where="targets", message="only a value or a judgment is corrected; reject what is wrong otherwise"
            )
        if len(decision.targets) > 1 and decision.where is not None:
            yield Problem(where="where", message="one place shows one value: correct one at a time")
    elif decision.value or decision.where is not None:
        yield Problem(where="value", message=f"a value is given to correct, not to {act}")
    if (act == "draw") != (decision.draw is not None):
        yield Problem(where="draw", message="what was drawn belongs to draw, and to nothing else")


def _named(words: Sequence[str]) -> str:
    more = f" and {len(words) - NAMED_ITEMS} more" if len(words) > NAMED_ITEMS else ""
    return ", ".join(words[:NAMED_ITEMS]) + more
