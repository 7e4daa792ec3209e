"""Compares two finished runs of one task: samples by their keys, fields by their types. Pure; a port reads samples.

What is not known is told as not known: it is neither a change nor the same. So are samples that a run lacks whose
population may not be complete.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

from shared.comparing.sides import (
    FIELD_STATES,
    KNOWN,
    EndedSide,
    FieldSide,
    NotComparable,
    PopulationSide,
    RunHead,
    RunSide,
    SampleSide,
    same_type,
)
from shared.contracts.base import Part
from shared.reconciling.values import compare_values
from shared.task.output_field import OutputField
from shared.text.normal import plain, quoted

ComparedVerdict = Literal["changed", "gone", "maybe_gone", "new", "maybe_new", "unclear", "same"]
COMPARED_VERDICTS: Mapping[ComparedVerdict, str] = {
    "changed": "in both runs, and at least one value or the judgment is another one",
    "gone": "in A, and not in B, whose population is complete",
    "maybe_gone": "in A, and not in B, whose population may not be complete: it may only not have been found",
    "new": "in B, and not in A, whose population is complete",
    "maybe_new": "in B, and not in A, whose population may not be complete: it may only not have been found",
    "unclear": "in both runs, and something of it is not known in one of them",
    "same": "in both runs, with the same values and the same judgment",
}
"""What each verdict says of a sample. First what a person has to look at."""
PartVerdict = Literal["changed", "unclear", "same"]
IN_A, IN_B = "in A", "in B"
JUDGMENT = "judgment"
"""What the judgment is called among the fields."""
NAMED = 5
"""Keys that a message names; of more it gives the number."""
MapInOrder = Callable[[Sequence[Any], Callable[[Any], Any]], Iterator[Any]]
"""Calls a function for each item, several at a time where it can, and yields what they return in the order of the
items."""


class FieldComparison(Part, frozen=True, kw_only=True, gc=False):
    """A field, or the judgment, that is not known to be the same. ``why``: for people."""

    name: str
    verdict: PartVerdict
    why: str = ""
    a: FieldSide | None
    b: FieldSide | None


class SampleComparison(Part, frozen=True, kw_only=True, gc=False):
    """A key, and its sample in each run; None where the run has none. ``fields``: those that are not the same."""

    verdict: ComparedVerdict
    key: str
    a: EndedSide | None = None
    b: EndedSide | None = None
    fields: tuple[FieldComparison, ...] = ()
    judgment: FieldComparison | None = None


class PartCount(Part, frozen=True, kw_only=True, gc=False):
    """In how many samples of both runs a field, or the judgment, is what."""

    name: str
    changed: int = 0
    unclear: int = 0
    same: int = 0


class FieldLeftOut(Part, frozen=True, kw_only=True, gc=False):
    """A field that was not compared, and why."""

    name: str
    why: str


class ComparedRun(Part, frozen=True, kw_only=True):
    run_id: str
    population: PopulationSide


class RunComparison(Part, frozen=True, kw_only=True):
    """``counts``: samples by verdict. ``samples``: all of them, by verdict and then in the order of A, and of B."""

    task_id: str
    a: ComparedRun
    b: ComparedRun
    counts: dict[str, int]
    fields: tuple[PartCount, ...]
    judgments: PartCount | None
    left_out: tuple[FieldLeftOut, ...]
    samples: tuple[SampleComparison, ...]

    @property
    def same(self) -> bool:
        """Whether all is known, and nothing has changed: both populations are complete, and every field was
        compared."""
        complete = self.a.population.complete and self.b.population.complete
        return complete and not self.left_out and not any(self.counts[one] for one in self.counts if one != "same")


def in_turn(items: Sequence[Any], work: Callable[[Any], Any]) -> Iterator[Any]:
    """Call a function for one item after the other."""
    return map(work, items)


def compare_runs(a: RunSide, b: RunSide, in_order: MapInOrder = in_turn) -> RunComparison:
    """Compare two finished runs.

    Each sample is read once or twice, and dropped once it is compared, so that memory grows with keys and differences
    only.

    Raises:
        NotComparable: they are of other tasks, samples have no keys by which they could be joined, or a run is not
            what was sealed.
    """
    compared, left_out = _fields_of(a.head, b.head)
    joined = _Joined(a, b, compared, in_order)
    samples = sorted(joined.samples(), key=lambda one: _ORDER[one.verdict])
    counts = Counter(one.verdict for one in samples)
    judged = _asks_the_same(a.head, b.head)
    met = sum(one.a is not None and one.b is not None for one in samples)
    fields = Counter((part.name, part.verdict) for one in samples for part in one.fields)
    judgments = Counter((one.judgment.name, one.judgment.verdict) for one in samples if one.judgment is not None)
    return RunComparison(
        task_id=a.head.task_id,
        a=ComparedRun(run_id=a.head.run_id, population=joined.a.population),
        b=ComparedRun(run_id=b.head.run_id, population=joined.b.population),
        counts={verdict: counts[verdict] for verdict in COMPARED_VERDICTS},
        fields=tuple(_count(name, fields, met) for name in compared),
        judgments=_count(JUDGMENT, judgments, met) if judged else None,
        left_out=tuple(left_out),
        samples=tuple(samples),
    )


_ORDER = {verdict: place for place, verdict in enumerate(COMPARED_VERDICTS)}


def _fields_of(a: RunHead, b: RunHead) -> tuple[dict[str, OutputField], list[FieldLeftOut]]:
    """Return the fields that are compared, as B describes them, and the others. Raises NotComparable."""
    if a.task_id != b.task_id:
        raise NotComparable(
            f"{a.run_id} is of the task {quoted(a.task_id)} and {b.run_id} of {quoted(b.task_id)}: runs of one task "
            "are compared"
        )
    if a.naming != b.naming:
        raise NotComparable(
            f"the samples of {a.run_id} are named by {quoted(a.naming)} and those of {b.run_id} by {quoted(b.naming)}, "
            "so that equal keys need not be equal records"
        )
    left_out = [
        FieldLeftOut(name=name, why=f"how the task describes it cannot be read {where}")
        for head, where in ((a, IN_A), (b, IN_B))
        for name in head.unknown_fields
    ]
    left = {one.name for one in left_out}
    compared: dict[str, OutputField] = {}
    for name in dict.fromkeys((*a.fields, *b.fields)):
        if name in left:
            continue
        one, other = a.fields.get(name), b.fields.get(name)
        if one is None or other is None:
            left_out.append(FieldLeftOut(name=name, why=f"the task has it only {IN_A if other is None else IN_B}"))
        elif not same_type(one, other):
            left_out.append(FieldLeftOut(name=name, why=f"it is {one.type} {IN_A} and {other.type} {IN_B}"))
        else:
            compared[name] = other
    if a.judged != b.judged:
        where = IN_A if a.judged else IN_B
        left_out.append(FieldLeftOut(name=JUDGMENT, why=f"the task asks for it only {where}"))
    elif a.judged and not _asks_the_same(a, b):
        left_out.append(FieldLeftOut(name=JUDGMENT, why=f"the question is {quoted(a.question)} {IN_A}, and not {IN_B}"))
    if left_out and not compared:
        raise NotComparable(f"{a.run_id} and {b.run_id} have no field in common that could be compared")
    return compared, left_out


def _asks_the_same(a: RunHead, b: RunHead) -> bool:
    """Whether both tasks ask for a judgment, by the same question."""
    return a.judged and b.judged and plain(a.question) == plain(b.question)


class _Half:
    """What is known of the samples of one run while they are joined. ``alone``: those whose partner is not known."""

    def __init__(self, run: RunSide, *, by_row: bool) -> None:
        self.run, self._by_row = run, by_row
        self.alone: list[EndedSide] = []
        self._ids: dict[str, str] = {}
        self._twice: dict[str, None] = {}
        self._without = 0

    def add(self, end: EndedSide, *, alone: bool) -> None:
        """Take a sample into account. Raises NotComparable if its key says nothing of its record."""
        if alone:
            self.alone.append(end)
        if not end.key:
            self._without += 1
        elif not self._by_row and end.key == f"row-{end.row:04d}":
            raise NotComparable(
                f"the samples of {self.run.head.run_id} are named by their rows ({end.key}), which say nothing of the "
                'record: let the task name them by a column, such as "sample_id": "{ticket_number}"'
            )
        elif self._ids.setdefault(end.key, end.sample_id) != end.sample_id:
            self._twice[end.key] = None

    def check(self) -> None:
        """Raise NotComparable if a key is there twice."""
        if self._twice:
            keys = [*self._twice]
            named = ", ".join(map(quoted, keys[:NAMED])) + (f" and {len(keys) - NAMED} more" if keys[NAMED:] else "")
            raise NotComparable(f"keys of {self.run.head.run_id} are there more than once: {named}")

    @property
    def population(self) -> PopulationSide:
        """The population; with a sample that has no key it is not complete, as that one may be any record."""
        told = self.run.head.population
        if not self._without:
            return told
        note = f"{self._without} without a key, because their files are damaged"
        notes = "; ".join(filter(None, (told.note, note)))
        return PopulationSide(samples=told.samples, complete=False, headline=told.headline, note=notes)


class _Joined:
    """Joins samples by their keys. Most have the same id in both runs, and are read and compared at once; of the others
    the keys are read first."""

    def __init__(self, a: RunSide, b: RunSide, fields: Mapping[str, OutputField], in_order: MapInOrder) -> None:
        by_row = a.head.input_sha256 != "" and a.head.input_sha256 == b.head.input_sha256
        self.a, self.b = _Half(a, by_row=by_row), _Half(b, by_row=by_row)
        self._fields, self._in_order = fields, in_order
        self._judged = _asks_the_same(a.head, b.head)

    def samples(self) -> Iterator[SampleComparison]:
        """Yield every key once. Raises NotComparable."""
        yield from self._of_equal_ids()
        pairs = self._pairs()
        yield from self._in_order(pairs, self._compare)
        met_a, met_b = {one for one, _ in pairs}, {other for _, other in pairs}
        known_a, known_b = self.a.population.complete, self.b.population.complete
        for end in self.a.alone:
            if end.sample_id not in met_a:
                yield SampleComparison(verdict="gone" if known_b and end.key else "maybe_gone", key=end.key, a=end)
        for end in self.b.alone:
            if end.sample_id not in met_b:
                yield SampleComparison(verdict="new" if known_a and end.key else "maybe_new", key=end.key, b=end)

    def _of_equal_ids(self) -> Iterator[SampleComparison]:
        ids_a, ids_b = self.a.run.ids, self.b.run.ids
        in_both = {*ids_a} & {*ids_b}
        for met in self._in_order([one for one in ids_a if one in in_both], self._meet):
            self.a.add(met.a, alone=met.compared is None)
            self.b.add(met.b, alone=met.compared is None)
            if met.compared is not None:
                yield met.compared
        for half in (self.a, self.b):
            rest = [one for one in half.run.ids if one not in in_both]
            for end in self._in_order(rest, lambda sample_id, run=half.run: run.load(sample_id).end):
                half.add(end, alone=True)
            half.check()

    def _pairs(self) -> list[tuple[str, str]]:
        """Return the ids of samples that have one key, and other ids."""
        in_b = {end.key: end.sample_id for end in self.b.alone if end.key}
        return [(end.sample_id, in_b[end.key]) for end in self.a.alone if end.key in in_b]

    def _meet(self, sample_id: str) -> _Met:
        a, b = self.a.run.load(sample_id), self.b.run.load(sample_id)
        equal = a.end.key != "" and a.end.key == b.end.key
        return _Met(a=a.end, b=b.end, compared=self._compare_sides(a, b) if equal else None)

    def _compare(self, ids: tuple[str, str]) -> SampleComparison:
        return self._compare_sides(self.a.run.load(ids[0]), self.b.run.load(ids[1]))

    def _compare_sides(self, a: SampleSide, b: SampleSide) -> SampleComparison:
        return compare_samples(a, b, self._fields, judged=self._judged)


class _Met(Part, frozen=True, kw_only=True, gc=False):
    """Samples of both runs under one id. ``compared``: None where their keys are not the same."""

    a: EndedSide
    b: EndedSide
    compared: SampleComparison | None


def compare_samples(
    a: SampleSide, b: SampleSide, fields: Mapping[str, OutputField], *, judged: bool
) -> SampleComparison:
    """Compare two samples of one key. ``judged``: whether their judgments are compared, too."""
    found = [one for name, field in fields.items() if (one := _compare_part(name, field, a, b)) is not None]
    judgment = _compare_judgments(a.judgment, b.judgment) if judged else None
    verdicts = {one.verdict for one in (*found, judgment) if one is not None}
    known = a.certain and b.certain and not verdicts
    return SampleComparison(
        verdict="changed" if "changed" in verdicts else "same" if known else "unclear",
        key=a.end.key,
        a=a.end,
        b=b.end,
        fields=tuple(found),
        judgment=judgment,
    )


def _compare_part(name: str, field: OutputField, a: SampleSide, b: SampleSide) -> FieldComparison | None:
    """Return how a field differs; None if it is the same."""
    (state_a, value_a), (state_b, value_b) = a.known(name), b.known(name)
    if state_a in KNOWN and state_b in KNOWN:
        if state_a == state_b == "none":
            return None
        verdict, why = ("differs", "")
        if state_a == state_b:
            verdict, why = compare_values(field, value_a, value_b, (IN_A, IN_B))
        if verdict == "other_form":
            return None
        changed: PartVerdict = "changed" if verdict == "differs" else "unclear"
        return FieldComparison(name=name, verdict=changed, why=why, a=a.field(name), b=b.field(name))
    one, other = a.field(name), b.field(name)
    return FieldComparison(name=name, verdict="unclear", why=_why_unclear(one, other), a=one, b=other)


def _compare_judgments(a: FieldSide | None, b: FieldSide | None) -> FieldComparison | None:
    """Return how the judgment differs; None if it is the same."""
    if a is not None and b is not None and a.state == b.state == "value":
        if plain(str(a.value)) == plain(str(b.value)):
            return None
        return FieldComparison(name=JUDGMENT, verdict="changed", a=a, b=b)
    return FieldComparison(name=JUDGMENT, verdict="unclear", why=_why_unclear(a, b), a=a, b=b)


def _why_unclear(a: FieldSide | None, b: FieldSide | None) -> str:
    told = [
        f"{where}: {FIELD_STATES['not_read'] if side is None else FIELD_STATES[side.state]}"
        for side, where in ((a, IN_A), (b, IN_B))
        if side is None or side.state not in KNOWN
    ]
    return "; ".join(told)


def _count(name: str, parts: Mapping[tuple[str, str], int], met: int) -> PartCount:
    changed, unclear = (parts.get((name, verdict), 0) for verdict in ("changed", "unclear"))
    return PartCount(name=name, changed=changed, unclear=unclear, same=met - changed - unclear)
