"""The findings of a re-performance as lines, and their counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from shared.contracts.reperform import FAULTS, PageReperformed, SampleReperformed, ValueReperformed, Verdict
from shared.text.normal import one_line, tidy

VALUE_WIDTH = 34
WIDTHS = (18, 20, VALUE_WIDTH, VALUE_WIDTH)
VERDICT_LABELS: dict[Verdict, str] = {
    "same": "same",
    "same_in_observation": "same (observation)",
    "differs": "DIFFERS",
    "not_found": "NOT FOUND",
    "ambiguous": "AMBIGUOUS",
    "altered": "ALTERED",
    "unreadable": "UNREADABLE",
    "not_stored": "not stored",
    "not_bound": "not bound",
    "read_by_model": "read by a model",
    "nothing_recorded": "-",
}
VERDICT_SENTENCES: dict[Verdict, str] = {
    "same": "the same in the stored page",
    "same_in_observation": "the same in the stored observation alone (forms, and what scripts draw)",
    "differs": "DIFFERENT",
    "not_found": "NOT FOUND in the stored page",
    "ambiguous": "AMBIGUOUS in the stored page",
    "altered": "with a stored file that was ALTERED",
    "unreadable": "whose stored page CANNOT BE OPENED",
    "not_stored": "whose page is not stored, so not extracted again",
    "not_bound": "bound to no element of a page, so not extracted again",
    "read_by_model": "worked out by a model or read from a picture, not extracted again",
    "nothing_recorded": "not found then, so nothing to find again",
}


@dataclass
class ReperformCounts:
    """Counts of the samples so far; memory does not grow with their number."""

    samples: int = 0
    values: Counter[Verdict] = field(default_factory=Counter[Verdict])
    stopped: int = 0
    """Samples from which nothing could be extracted."""
    proven: int = 0
    """Samples whose stored pages, or observations, prove which record they show."""
    unproven: int = 0
    """Done samples whose stored pages do not prove the record."""

    without_page: int = 0
    """Values of done samples that no stored page shows."""
    drawn_again: int = 0
    """Values whose text was seen then, and is seen where the stored page is drawn again."""
    drawn_otherwise: int = 0
    """Values whose text was seen then, and is not seen so now: for a person to look at."""

    def add(self, sample: SampleReperformed) -> None:
        self.samples += 1
        self.stopped += bool(sample.problem)
        self.unproven += bool(find_identity_doubt(sample))
        self.proven += sample.identity in ("proven", "proven_in_observation")
        self.without_page += sum(lacks_page(sample, value) for value in sample.values)
        self.values.update(value.verdict for value in sample.values)
        self.drawn_again += sum(value.ink == value.ink_found == "seen" for value in sample.values)
        self.drawn_otherwise += sum(value.is_drawn_otherwise for value in sample.values)

    @property
    def faults(self) -> int:
        return self.stopped + self.unproven + self.without_page + sum(self.values[verdict] for verdict in FAULTS)

    @property
    def extracted(self) -> int:
        return self.values["same"] + self.values["same_in_observation"]

    @property
    def same(self) -> bool:
        """Whether all that can be extracted again is the same; False when nothing can be extracted."""
        left_out = self.values["not_stored"] + self.values["not_bound"]
        return not self.faults and (self.extracted > 0 or not left_out)

    def to_json_object(self) -> dict[str, Any]:
        counts = {verdict: self.values[verdict] for verdict in VERDICT_LABELS if self.values[verdict]}
        records = {"record_proven": self.proven, "record_not_proven": self.unproven}
        records |= {"done_without_page": self.without_page}
        records |= {"drawn_again": self.drawn_again, "drawn_otherwise": self.drawn_otherwise}
        return {"samples": self.samples, "values": counts, "not_done": self.stopped, **records}


def lacks_page(sample: SampleReperformed, value: ValueReperformed) -> bool:
    """Whether a value of a done sample was read from a page, and no stored page shows it: it is only a claim."""
    return sample.status == "done" and value.state == "value" and value.verdict in ("not_stored", "not_bound")


def find_identity_doubt(sample: SampleReperformed) -> str:
    """Return why the stored pages do not prove the record; empty when they do, or when the sample is not done."""
    if sample.status != "done":
        return ""
    if sample.identity == "mismatch":
        wrong = next((page.message for page in sample.pages if page.proof == "mismatch"), "")
        return f"the stored page shows another record{': ' + wrong if wrong else ''}"
    if sample.identity == "unproven":
        return f"no stored page proves the record{_unread_page(sample.pages)}"
    return ""


def _unread_page(pages: tuple[PageReperformed, ...]) -> str:
    lacking = [page.message for page in pages if page.proof == "unread" and page.message]
    return f": {lacking[0]}" if lacking else ""


def header_line() -> str:
    return _columns_line("SAMPLE", "FIELD", "RECORDED", "FOUND AGAIN", "VERDICT")


def sample_lines(sample: SampleReperformed, *, all_values: bool) -> Iterator[str]:
    """Yield one line per value, and one below it for its message; without ``all_values`` only findings."""
    problems = [f"no value could be extracted again: {sample.problem}"] if sample.problem else []
    problems += [doubt for doubt in (find_identity_doubt(sample),) if doubt]
    name = sample.sample_id
    if len(name) > WIDTHS[0] and (problems or _listed_values(sample, all_values)):
        yield one_line(name)
        name = ""
    for problem in problems:
        yield _columns_line(name, problem)
        name = ""
    for value in _listed_values(sample, all_values):
        yield _columns_line(name, value.field, _recorded_text(value), _found_text(value), VERDICT_LABELS[value.verdict])
        name = ""
        if value.message:
            yield f"{' ' * WIDTHS[0]}  {' ' * WIDTHS[1]}  {one_line(value.message)}"


def _listed_values(sample: SampleReperformed, all_values: bool) -> list[ValueReperformed]:
    return [
        value
        for value in sample.values
        if all_values or value.verdict in FAULTS or value.is_drawn_otherwise or lacks_page(sample, value)
    ]


def summary_lines(run_id: str, count: ReperformCounts, *, all_values: bool, of: int = 0, why: str = "") -> list[str]:
    """Return the counts, the conclusion, and how to list the rest.

    For a partial result, ``of`` is the number of samples asked for and ``why`` the reason.
    """
    total = sum(count.values.values())
    proven = f", {count.proven} with stored pages that prove the record" if count.proven else ""
    result = [f"STOPPED after {count.samples} of {_counted(of, 'sample')}: {one_line(why)}"] if why else []
    result += [f"{_counted(count.samples, 'sample')} of {run_id}{proven}; {_counted(total, 'value')}:"]
    result += [
        f"  {count.values[verdict]:>6} {text}" for verdict, text in VERDICT_SENTENCES.items() if count.values[verdict]
    ]
    if count.drawn_again:
        result.append(f"  {count.drawn_again:>6} seen then, and seen where the stored page is drawn again")
    if count.drawn_otherwise:
        result.append(
            f"  {count.drawn_otherwise:>6} seen then, and NOT SEEN where the stored page is drawn again: look at them"
        )
    if count.stopped:
        result.append(f"  {_counted(count.stopped, 'sample')} of which NOTHING COULD BE EXTRACTED")
    if count.without_page:
        result.append(f"  {_counted(count.without_page, 'value')} of done samples without a page: they are NOT PROVEN")
    if count.unproven:
        result.append(f"  {_counted(count.unproven, 'sample')} whose stored page DOES NOT PROVE THE RECORD")
    result.append(
        f"So far: {_conclusion(count)} Of the other samples this says nothing." if why else _conclusion(count)
    )
    if not all_values and total > sum(count.values[verdict] for verdict in FAULTS):
        result.append("Only what stands against a value is listed; --all lists every value, --json tells all of it.")
    return result


def _conclusion(count: ReperformCounts) -> str:
    if count.faults:
        return f"{_counted(count.faults, 'finding')}: what the table says was not read again from the stored pages."
    if not count.extracted:
        return "Nothing could be extracted again, so nothing is shown by this."
    return (
        "Every value that can be extracted again reads the same in the stored files. That shows that the reading can "
        "be repeated, not that the site was right, nor that it was the right value to read."
    )


def _recorded_text(value: ValueReperformed) -> str:
    if value.state == "not_found":
        return "(not found)"
    if value.state == "not_present" and not value.recorded:
        return "(nothing there)"
    return _value_text(value.recorded, value.recorded_value)


def _found_text(value: ValueReperformed) -> str:
    if value.found is None:
        return "" if value.verdict != "same_in_observation" else "(in the observation)"
    return _value_text(value.found, value.found_value)


def _value_text(shown: str | None, read: Any) -> str:
    """Return the text, and the typed value when it differs from the text."""
    text = "" if shown is None else shown
    plain = "" if read is None else str(read)
    if not plain or plain == tidy(text):
        return f'"{text}"'
    return f'"{text}" = {plain}' if text else plain


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _columns_line(*cells: str) -> str:
    padded = [_cut(one_line(cell), width).ljust(width) for cell, width in zip(cells[:-1], WIDTHS, strict=False)]
    return "  ".join([*padded, one_line(cells[-1])]).rstrip()


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"
