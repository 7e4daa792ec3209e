"""Which samples of a run a flow is compiled from: as few as show every field, every kind of page, and every absence.

Pure and deterministic: of choices that are equally good the one counts whose samples came first in the run.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby

from shared.extraction.field_rules import FieldRules
from shared.extraction.synthesis import MIN_EXAMPLES
from shared.field_types import is_rows, nullable
from shared.flows.compiling.recorded_calls import calls_of
from shared.recordings.recording import Recording, rows_by_page
from shared.task.output_field import OutputField
from shared.task.spec import TaskSpec
from shared.text.normal import fold

MIN_SAMPLES = 2
MOST_FOR_FIELDS = 8
"""Samples that are taken so that every field is shown."""
MOST_FOR_KINDS = 5
"""Samples up to which further ones are taken only because they went another way over the pages."""
MOST_TRIED = 5_000
"""Choices that are tried to find a smaller one."""

Demand = tuple[str, ...]
"""What the chosen samples together are to show, such as a field. Each sample shows facts of it."""


@dataclass(frozen=True)
class FieldSupport:
    """On how many samples a field stands. ``shown``: samples of which a stored page shows a value of it; ``without``:
    samples that were done without one. ``values``: how many different ones are shown. ``may_lack``: the task allows a
    record without it."""

    field: str
    shown: tuple[str, ...]
    without: tuple[str, ...]
    of: int
    may_lack: bool
    values: int = 0

    @property
    def is_unvaried(self) -> bool:
        """Whether several samples show it, all of them one value, and none is without: what else had it by chance is
        not told apart from it."""
        return self.values == 1 and len(self.shown) >= MIN_EXAMPLES and not self.without

    @property
    def asks_for(self) -> str:
        """The row that is missing, for people; empty: none is."""
        if not self.shown:
            return "no sample teaches it; add rows that have it"
        if len(self.shown) < MIN_EXAMPLES:
            return "learned from one sample; add a row that has it"
        if self.is_unvaried:
            return f"all {len(self.shown)} samples have one value of it; add a row that has another one"
        return "add a row without it, if there are such" if self.may_lack and not self.without else ""


def field_support(spec: TaskSpec, samples: Sequence[Recording]) -> tuple[FieldSupport, ...]:
    """Return for each field of the task that pages show on which samples it stands."""
    found: list[FieldSupport] = []
    for name, field in spec.output_schema.items():
        if field.derived:
            continue
        shown = tuple(one.sample_id for one in samples if shows_value(one, name))
        without = tuple(one.sample_id for one in samples if absence_of(one, name))
        may_lack = nullable(field.type) or name not in spec.required_fields
        values = {_value_of(one, name, field) for one in samples if one.sample_id in shown}
        found.append(FieldSupport(name, shown, without, len(samples), may_lack, len(values)))
    return tuple(found)


def _value_of(sample: Recording, name: str, field: OutputField) -> Hashable:
    """Return what tells the value of a field that the sample shows from others; of rows, how many there are."""
    value = next(one for one in sample.values if one.field == name and one.state == "value")
    return fold(value.shown or "") if not is_rows(field.type) else len(value.rows)


def shows_value(sample: Recording, field: str) -> bool:
    """Return whether a stored page shows a value of the field."""
    return bool(_places_of(sample, field))


def absence_of(sample: Recording, field: str) -> str:
    """Return how the sample was done without a value: ``not_present`` (a page says that there is none) or
    ``not_found``; empty: it has one, pages show several, or its result does not say."""
    value = next((one for one in sample.values if one.field == field), None)
    return "" if value is None or value.state == "value" or value.candidates else value.state


def may_be_lacking(sample: Recording, field: str, rules: FieldRules) -> bool:
    """Return whether the sample was done without a field of which nothing tells that it is left out: no page has words
    for that, nor does its part of the page without such a value."""
    absence = absence_of(sample, field)
    if absence != "not_present":
        return absence == "not_found"
    value = next(one for one in sample.values if one.field == field)
    return value.source is None and not value.shown and rules.left_out is None


def _places_of(sample: Recording, field: str) -> tuple[tuple[str, str], ...]:
    """Return role and label of what shows the field on a stored page; empty: none is stored that does."""
    value = next((one for one in sample.values if one.field == field and one.state == "value"), None)
    if value is None:
        return ()
    sources = [one.source for one in rows_by_page(value)] if value.rows else [value.source]
    return tuple((one.role, one.label or "") for one in sources[:1] if one is not None and sample.stored_page(one))


# --- what the chosen samples are to show


@dataclass(frozen=True)
class _Demands:
    """``needed``: of each demand, how many different facts. ``shown``: for each sample its fact of each demand."""

    needed: Mapping[Demand, int]
    shown: Sequence[Mapping[Demand, Hashable]]

    @staticmethod
    def of(shown: Sequence[Mapping[Demand, Hashable]], most: Mapping[str, int]) -> _Demands:
        facts: dict[Demand, set[Hashable]] = defaultdict(set)
        for one in shown:
            for demand, fact in one.items():
                facts[demand].add(fact)
        return _Demands({demand: min(len(known), most[demand[0]]) for demand, known in facts.items()}, shown)

    def met_by(self, chosen: Sequence[int]) -> int:
        """Return how much of what is demanded these samples show."""
        facts: dict[Demand, set[Hashable]] = defaultdict(set)
        for at in chosen:
            for demand, fact in self.shown[at].items():
                facts[demand].add(fact)
        return sum(min(len(known), self.needed[demand]) for demand, known in facts.items())

    @property
    def all(self) -> int:
        return sum(self.needed.values())


_FOR_FIELDS = {"samples": MIN_SAMPLES, "shown": MIN_EXAMPLES, "value": 2, "place": MIN_EXAMPLES, "absent": 1, "row": 2}
"""Kinds of demands, and how many different facts each needs: a field by two samples, with two values, two in each of
its places, one absence of each kind; two texts of each column, for one that never differs accepts no other text."""


def _facts_for_fields(spec: TaskSpec, sample: Recording) -> Iterator[tuple[Demand, Hashable]]:
    yield ("samples",), sample.sample_id
    for name, field in spec.output_schema.items():
        if field.derived:
            continue
        places = _places_of(sample, name)
        if places:
            yield ("shown", name), sample.sample_id
            yield ("value", name), _value_of(sample, name, field)
        for role, label in places:
            yield ("place", name, role, fold(label)), sample.sample_id
        if absence := absence_of(sample, name):
            yield ("absent", name, absence), True
    for column in spec.input_schema:
        if column in sample.row:
            yield ("row", column), fold(sample.row[column])


def way_of(sample: Recording) -> tuple[str, ...]:
    """Return the way of a sample over its pages: its calls, repeated ones as one."""
    calls, _ = calls_of(sample, 0)
    steps = [f"{type(one.call).__name__} {'' if one.target is None else one.target.role}" for one in calls]
    return tuple(step for step, _ in groupby(steps))


# --- the choice


def choose_samples(spec: TaskSpec, samples: Sequence[Recording]) -> list[Recording]:
    """Return the samples to compile from, in the order of the run. One at least is left to check the flow with, where
    there are more than two."""
    most = min(len(samples), max(MIN_SAMPLES, len(samples) - 1), MOST_FOR_FIELDS)
    fields = _Demands.of([dict(_facts_for_fields(spec, one)) for one in samples], _FOR_FIELDS)
    chosen = _smaller(_greedy([], fields, most), fields, len(samples))
    kinds = _Demands.of([{("way", *way_of(one)): True} for one in samples], {"way": 1})
    chosen = _greedy(chosen, kinds, min(most, max(MOST_FOR_KINDS, len(chosen))))
    return [samples[at] for at in sorted(chosen)]


def _greedy(chosen: Sequence[int], demands: _Demands, most: int) -> list[int]:
    """Return the choice with the samples that show most of what is lacking, one after the other."""
    found = list(chosen)
    met = demands.met_by(found)
    while met < demands.all and len(found) < most:
        left = [at for at in range(len(demands.shown)) if at not in found]
        best = max(left, key=lambda at: (demands.met_by([*found, at]), -at), default=None)
        if best is None or demands.met_by([*found, best]) == met:
            break
        found.append(best)
        met = demands.met_by(found)
    return found


def _smaller(chosen: list[int], demands: _Demands, count: int) -> list[int]:
    """Return the smallest choice that shows as much, the first one of its size, where few enough are to be tried."""
    met, tried = demands.met_by(chosen), 0
    for size in range(min(MIN_SAMPLES, len(chosen)), len(chosen) + 1):
        tried += math.comb(count, size)
        if tried > MOST_TRIED:
            return chosen
        found = next((one for one in combinations(range(count), size) if demands.met_by(one) == met), None)
        if found is not None:
            return list(found)
    return chosen
