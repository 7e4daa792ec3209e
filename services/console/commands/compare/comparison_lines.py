"""What `exhibit compare` says to people: counts first, then what has changed, as much of it as is read. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from shared.comparing.run_comparison import (
    ComparedRun,
    ComparedVerdict,
    FieldComparison,
    PartCount,
    RunComparison,
    SampleComparison,
)
from shared.comparing.sides import FieldSide
from shared.contracts.base import Part
from shared.task.typed_values import as_shown
from shared.text.normal import QUOTED_CHARS, printable, quoted

MOST_SAMPLES, MOST_PARTS = 40, 12
"""Samples, and parts of one sample, that are told; of the rest the number is."""
VERDICT_WORDS: Mapping[ComparedVerdict, str] = {
    "changed": "changed",
    "gone": "gone",
    "maybe_gone": "gone or not found",
    "new": "new",
    "maybe_new": "new or not found before",
    "unclear": "not known",
    "same": "the same",
}


class SideWords(Part, frozen=True, kw_only=True):
    """What is told of one side of a field. ``files``: page and picture, and what shows a correction."""

    value: str
    files: tuple[str, ...]


def comparison_lines(compared: RunComparison, seals: Mapping[str, str]) -> list[str]:
    """Return the lines. ``seals``: how ``a`` and ``b`` are sealed, in words."""
    told = [
        f"task {compared.task_id}",
        *_run_lines("A", compared.a, seals["a"]),
        *_run_lines("B", compared.b, seals["b"]),
        f"  samples     {counts_text(compared)}",
        *(f"  {label:<11} {count_text(one)}" for label, one in parts_that_differ(compared)),
        *(f"  not compared  {one.name}: {one.why}" for one in compared.left_out),
    ]
    listed = [one for one in compared.samples if one.verdict != "same"]
    for one in listed[:MOST_SAMPLES]:
        told += ["", *_sample_lines(one)]
    if len(listed) > MOST_SAMPLES:
        told += ["", f"and {len(listed) - MOST_SAMPLES} more samples; --json, --csv and --report have all of them"]
    told += ["", outcome_text(compared)]
    return [printable(line) for line in told]


def outcome_text(compared: RunComparison) -> str:
    """Return what the comparison comes to, in one sentence."""
    if compared.same:
        return "THE SAME: every sample of both runs, in every field"
    changes = sum(compared.counts[one] for one in ("changed", "gone", "new"))
    if changes:
        return f"CHANGED: {_samples(changes)} changed, gone or new"
    return "NOT KNOWN: nothing is known to have changed, and not all is known"


def counts_text(compared: RunComparison) -> str:
    """Return how many samples are what; those that are there, the same always."""
    words = [f"{compared.counts['same']} the same"]
    words += [
        f"{compared.counts[one]} {VERDICT_WORDS[one]}"
        for one in VERDICT_WORDS
        if one != "same" and compared.counts[one]
    ]
    return ", ".join(words)


def parts_that_differ(compared: RunComparison) -> Iterator[tuple[str, PartCount]]:
    """Yield the fields, and the judgment, that are not the same in all samples."""
    yield from (("field", one) for one in compared.fields if one.changed or one.unclear)
    judged = compared.judgments
    if judged is not None and (judged.changed or judged.unclear):
        yield "judgment", judged


def count_text(one: PartCount) -> str:
    words = [f"{one.changed} changed"] if one.changed else []
    words += [f"{one.unclear} not known"] if one.unclear else []
    return f"{one.name}: {', '.join([*words, f'{one.same} the same'])}"


def population_text(run: ComparedRun) -> str:
    """Return how many samples a run has, and whether they are all."""
    told = run.population
    note = f" ({told.note})" if told.note else ""
    partial = "" if told.complete or told.headline.startswith("Incomplete") else " (not all is known)"
    return f"{_samples(told.samples)}; {told.headline}{partial}{note}"


def end_text(sample: SampleComparison) -> str:
    """Return how the sample ended in both runs."""
    ends = [
        "not there" if end is None else f"{end.status or 'no result'}{f' ({end.reason})' if end.reason else ''}"
        for end in (sample.a, sample.b)
    ]
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} -> {ends[1]}"


DECISION_WORDS = {"accept": "accepted", "correct": "corrected", "reject": "rejected", "not_applicable": "decided"}


def side_words(side: FieldSide | None, most: int = QUOTED_CHARS) -> SideWords:
    """Return what is told of a side; what the run has read is told beside what people have made of it. ``most``:
    letters of a value."""
    if side is None:
        return SideWords(value="not read", files=())
    value = quoted(as_shown(side.value), most) if side.state == "value" else side.state.replace("_", " ")
    read = "nothing" if side.read is None else quoted(as_shown(side.read), most)
    if side.decision:
        act = DECISION_WORDS.get(side.decision, side.decision)
        value += f", {act} by {', '.join(side.decided_by)}; the run has read {read}"
    elif side.state == "for_review":
        value += f", the run has read {read}"
    return SideWords(value=value, files=tuple(filter(None, (side.page, side.picture, side.where))))


def _run_lines(name: str, run: ComparedRun, seal: str) -> Iterator[str]:
    yield f"  {name}           {run.run_id}: {population_text(run)}"
    yield f"              {seal}"


def _sample_lines(sample: SampleComparison) -> Iterator[str]:
    yield f"{VERDICT_WORDS.get(sample.verdict, sample.verdict)}: {sample.key or _id_of(sample)} [{end_text(sample)}]"
    parts = parts_of(sample)
    for part in parts[:MOST_PARTS]:
        why = f" ({part.why})" if part.why else ""
        yield f"  {part.name}: {'changed' if part.verdict == 'changed' else 'not known'}{why}"
        for name, side in (("A", part.a), ("B", part.b)):
            words = side_words(side)
            files = f"  {', '.join(words.files)}" if words.files else ""
            yield f"    {name}  {words.value}{files}"
    if len(parts) > MOST_PARTS:
        yield f"  and {len(parts) - MOST_PARTS} more fields"


def parts_of(sample: SampleComparison) -> Sequence[FieldComparison]:
    """Return the fields that are not the same, what has changed first, then the judgment."""
    fields = sorted(sample.fields, key=lambda one: one.verdict != "changed")
    return [*fields, *([sample.judgment] if sample.judgment is not None else [])]


def _id_of(sample: SampleComparison) -> str:
    end = sample.a or sample.b
    return f"{end.sample_id}, which has no key" if end is not None else ""


def _samples(count: int) -> str:
    return "1 sample" if count == 1 else f"{count} samples"
