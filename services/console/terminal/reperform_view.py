"""How `exhibit reperform` prints its findings: for people as they come in, for scripts as one JSON object."""

from __future__ import annotations

import sys
from typing import Protocol

import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from services.console.terminal.plain_output import print_err
from services.console.text.reperform_summary import ReperformCounts, header_line, sample_lines, summary_lines
from shared.contracts.reperform import SampleReperformed

MAX_VALUES_LISTED_BY_DEFAULT = 60
"""Up to this number, every value is listed without --all."""
PROGRESS_LINES = 10
"""Number of progress lines when standard output is not a terminal."""


class ReperformView(Protocol):
    """Receives the samples in order; the last call is ``end`` or ``stopped``."""

    def add(self, sample: SampleReperformed) -> None: ...

    def print_partial(self, why: str) -> None:
        """Print the partial result and why it is partial."""
        ...

    def end(self) -> bool:
        """Print the result. Return whether all values are the same."""
        ...


class TextReperformView:
    """Prints findings as lines. Text of pages is plain text, never markup.

    Progress is a bar in a terminal, else lines on standard error; standard output has the findings only.
    """

    def __init__(self, run_id: str, samples: int, console: Console, *, all_values: bool) -> None:
        self._run_id, self._samples, self._all_values = run_id, samples, all_values
        self._count, self._console, self._header_printed = ReperformCounts(), console, False
        self._progress = _progress_bar(console) if console.is_terminal and samples > 1 else None
        self._progress_lines_printed = 0
        if self._progress is not None:
            self._task = self._progress.add_task("extracted again", total=samples)
            self._progress.start()

    def add(self, sample: SampleReperformed) -> None:
        self._count.add(sample)
        for line in sample_lines(sample, all_values=self._all_values):
            if not self._header_printed:
                self._print(header_line())
                self._header_printed = True
            self._print(line)
        self._advance()

    def _advance(self) -> None:
        if self._progress is not None:
            self._progress.advance(self._task)
        elif (
            not self._all_values
            and (part := PROGRESS_LINES * self._count.samples // self._samples) > self._progress_lines_printed
        ):
            self._progress_lines_printed = part
            print_err(f"{self._count.samples} of {self._samples} samples\n")

    def print_partial(self, why: str) -> None:
        self._close()
        result = summary_lines(self._run_id, self._count, all_values=self._all_values, of=self._samples, why=why)
        self._print("\n".join(["", *result] if self._header_printed else result))

    def end(self) -> bool:
        self._close()
        result = summary_lines(self._run_id, self._count, all_values=self._all_values)
        self._print("\n".join(["", *result] if self._header_printed else result))
        return self._count.same

    def _close(self) -> None:
        if self._progress is not None:
            self._progress.stop()

    def _print(self, line: str) -> None:
        self._console.print(Text(line), soft_wrap=True)


def _progress_bar(console: Console) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True)


class JsonReperformView:
    """Writes one JSON object, sample by sample. Its key ``stopped`` says why a result is partial."""

    def __init__(self, run_id: str, samples: int) -> None:
        self._count, self._samples = ReperformCounts(), samples
        sys.stdout.write(f'{{"run_id":{_json(run_id)},"samples":[')

    def add(self, sample: SampleReperformed) -> None:
        sys.stdout.write("," * (self._count.samples > 0) + _json(sample))
        self._count.add(sample)

    def print_partial(self, why: str) -> None:
        self._write(same=False, more=f',"stopped":{_json(why)},"asked_for":{self._samples}')

    def end(self) -> bool:
        self._write(same=self._count.same)
        return self._count.same

    def _write(self, *, same: bool, more: str = "") -> None:
        sys.stdout.write(f'],"counts":{_json(self._count.to_json_object())},"same":{_json(same)}{more}}}\n')


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
