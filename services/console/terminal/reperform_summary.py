"""Pure: what extracting a run again came to: the lines a person reads, and the counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from shared.contracts.reperform import FAULTS, PageReperformed, SampleReperformed, ValueReperformed, Verdict
from shared.text.normal import tidy
from shared.text.terminal import printable

CHARS = 34
WIDTHS = (18, 20, CHARS, CHARS)
IN_WORDS: dict[Verdict, str] = {
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
TOLD: dict[Verdict, str] = {
    "same": "the same in the stored page",
    "same_in_observation": "the same in the stored observation alone",
    "differs": "DIFFERENT",
    "not_found": "NOT FOUND in the stored page",
    "ambiguous": "AMBIGUOUS in the stored page",
    "altered": "with a stored file that was ALTERED",
    "unreadable": "whose stored page CANNOT BE OPENED",
    "not_stored": "whose page is not stored, so not extracted again",
    "not_bound": "bound to no element of a page, so not extracted again",
    "read_by_model": "worked out or read from a picture by a model, not extracted again",
    "nothing_recorded": "not found then, so nothing to find again",
}


@dataclass
class Count:
    """What has come in so far. Memory does not grow with the samples."""

    samples: int = 0
    values: Counter[Verdict] = field(default_factory=Counter[Verdict])
    stopped: int = 0
    """Samples of which nothing could be done."""
    proven: int = 0
    """Samples whose record the stored pages, or their observations, prove."""
    unproven: int = 0
    """Samples that were done and whose stored pages do not prove the record any more."""

    def add(self, sample: SampleReperformed) -> None:
        self.samples += 1
        self.stopped += bool(sample.problem)
        self.unproven += bool(doubt_of(sample))
        self.proven += sample.identity in ("proven", "proven_in_observation")
        self.values.update(value.verdict for value in sample.values)

    @property
    def faults(self) -> int:
        return self.stopped + self.unproven + sum(self.values[verdict] for verdict in FAULTS)

    @property
    def extracted(self) -> int:
        return self.values["same"] + self.values["same_in_observation"]

    @property
    def same(self) -> bool:
        """All that can be extracted again is the same. Where nothing at all can be, nothing is shown by that."""
        left_out = self.values["not_stored"] + self.values["not_bound"]
        return not self.faults and (self.extracted > 0 or not left_out)

    def told(self) -> dict[str, Any]:
        counts = {verdict: self.values[verdict] for verdict in IN_WORDS if self.values[verdict]}
        records = {"record_proven": self.proven, "record_not_proven": self.unproven}
        return {"samples": self.samples, "values": counts, "not_done": self.stopped, **records}


def doubt_of(sample: SampleReperformed) -> str:
    """What speaks against whose record it is; empty where nothing does, and of a sample that was not done."""
    if sample.status != "done":
        return ""
    if sample.identity == "mismatch":
        wrong = next((page.message for page in sample.pages if page.proof == "mismatch"), "")
        return f"the stored page shows another record{': ' + wrong if wrong else ''}"
    if sample.identity == "unproven":
        return f"no stored page proves the record{_unread(sample.pages)}"
    return ""


def _unread(pages: tuple[PageReperformed, ...]) -> str:
    lacking = [page.message for page in pages if page.proof == "unread" and page.message]
    return f": {lacking[0]}" if lacking else ""


def head() -> str:
    return _row("SAMPLE", "FIELD", "RECORDED", "FOUND AGAIN", "VERDICT")


def lines(sample: SampleReperformed, *, all_values: bool) -> Iterator[str]:
    """A line a value, and one below it where there is more to say; only what stands against something unless
    ``all_values``."""
    said = [f"no value could be extracted again: {sample.problem}"] if sample.problem else []
    said += [doubt for doubt in (doubt_of(sample),) if doubt]
    name = sample.sample_id
    if len(name) > WIDTHS[0] and (said or _listed(sample, all_values)):
        yield plainly(name)
        name = ""
    for told in said:
        yield _row(name, told)
        name = ""
    for value in _listed(sample, all_values):
        yield _row(name, value.field, _recorded(value), _found(value), IN_WORDS[value.verdict])
        name = ""
        if value.message:
            yield f"{' ' * WIDTHS[0]}  {' ' * WIDTHS[1]}  {plainly(value.message)}"


def _listed(sample: SampleReperformed, all_values: bool) -> list[ValueReperformed]:
    return [value for value in sample.values if all_values or value.verdict in FAULTS]


def summary(run_id: str, count: Count, *, all_values: bool, of: int = 0, why: str = "") -> list[str]:
    """The counts, what they mean, and how to see the rest. ``of`` and ``why``: how many samples were to be extracted
    again, and why it stopped before that."""
    total = sum(count.values.values())
    proven = f", {count.proven} with stored pages that prove the record" if count.proven else ""
    said = [f"STOPPED after {count.samples} of {_many(of, 'sample')}: {plainly(why)}"] if why else []
    said += [f"{_many(count.samples, 'sample')} of {run_id}{proven}; {_many(total, 'value')}:"]
    said += [f"  {count.values[one]:>6} {TOLD[one]}" for one in TOLD if count.values[one]]
    if count.stopped:
        said.append(f"  {_many(count.stopped, 'sample')} of which NOTHING COULD BE EXTRACTED")
    if count.unproven:
        said.append(f"  {_many(count.unproven, 'sample')} whose stored page DOES NOT PROVE THE RECORD")
    said.append(f"So far: {_verdict(count)} Of the other samples this says nothing." if why else _verdict(count))
    if not all_values and total > sum(count.values[one] for one in FAULTS):
        said.append("Only what stands against a value is listed; --all lists every value, --json tells all of it.")
    return said


def _verdict(count: Count) -> str:
    if count.faults:
        return f"{_many(count.faults, 'finding')}: the table does not say what the stored pages say."
    if not count.extracted:
        return "Nothing could be extracted again, so nothing is shown by this."
    return "Every value that can be extracted again is what the stored pages say."


def _recorded(value: ValueReperformed) -> str:
    if value.state == "not_found":
        return "(not found)"
    if value.state == "not_present" and not value.recorded:
        return "(nothing there)"
    return _said(value.recorded, value.recorded_value)


def _found(value: ValueReperformed) -> str:
    if value.found is None:
        return "" if value.verdict != "same_in_observation" else "(in the observation)"
    return _said(value.found, value.found_value)


def _said(shown: str | None, read: Any) -> str:
    """The text, and what it reads as where that is not the text itself."""
    text = "" if shown is None else shown
    plain = "" if read is None else str(read)
    if not plain or plain == tidy(text):
        return f'"{text}"'
    return f'"{text}" = {plain}' if text else plain


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _row(*cells: str) -> str:
    padded = [_cut(plainly(cell), width).ljust(width) for cell, width in zip(cells[:-1], WIDTHS, strict=False)]
    return "  ".join([*padded, plainly(cells[-1])]).rstrip()


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


def plainly(text: str) -> str:
    """On one line, and nothing in it that a terminal would obey: pages have a say in it."""
    return printable(tidy(text), "\N{REPLACEMENT CHARACTER}")
