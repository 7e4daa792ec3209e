"""How extracting a run again looks: for people as it goes on, for scripts as one object."""

from __future__ import annotations

import sys
from typing import Protocol

import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from services.console.terminal.reperform_summary import Count, head, lines, summary
from shared.contracts.reperform import SampleReperformed

FEW_VALUES = 60
"""Up to so many are all listed."""
PARTS = 10
"""Where nobody watches, so many lines say how far it is."""


class ReperformScreen(Protocol):
    """Told sample by sample, in their order. Either ``end`` or ``stopped`` is the last."""

    def add(self, sample: SampleReperformed) -> None: ...

    def stopped(self, why: str) -> None:
        """It cannot go on: what there is until here, and that it is not all."""
        ...

    def end(self) -> bool:
        """Whether all is the same."""
        ...


class WordsScreen:
    """What pages say is shown as text, never as markup. In a terminal a bar says how far it is, else lines on standard
    error do: standard output has the findings alone."""

    def __init__(self, run_id: str, samples: int, console: Console, *, all_values: bool) -> None:
        self._run_id, self._samples, self._all_values = run_id, samples, all_values
        self._count, self._console, self._headed = Count(), console, False
        self._progress = _bar(console) if console.is_terminal and samples > 1 else None
        self._told_parts = 0
        if self._progress is not None:
            self._task = self._progress.add_task("extracted again", total=samples)
            self._progress.start()

    def add(self, sample: SampleReperformed) -> None:
        self._count.add(sample)
        for line in lines(sample, all_values=self._all_values):
            if not self._headed:
                self._say(head())
                self._headed = True
            self._say(line)
        self._advance()

    def _advance(self) -> None:
        if self._progress is not None:
            self._progress.advance(self._task)
        elif not self._all_values and (part := PARTS * self._count.samples // self._samples) > self._told_parts:
            self._told_parts = part
            sys.stderr.write(f"{self._count.samples} of {self._samples} samples\n")

    def stopped(self, why: str) -> None:
        self._close()
        said = summary(self._run_id, self._count, all_values=self._all_values, of=self._samples, why=why)
        self._say("\n".join(["", *said] if self._headed else said))

    def end(self) -> bool:
        self._close()
        said = summary(self._run_id, self._count, all_values=self._all_values)
        self._say("\n".join(["", *said] if self._headed else said))
        return self._count.same

    def _close(self) -> None:
        if self._progress is not None:
            self._progress.stop()

    def _say(self, line: str) -> None:
        self._console.print(Text(line), soft_wrap=True)


def _bar(console: Console) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True)


class JsonScreen:
    """For scripts: one object, written as it grows. ``stopped`` is in it where it could not go on, and says why."""

    def __init__(self, run_id: str, samples: int) -> None:
        self._count, self._samples = Count(), samples
        sys.stdout.write(f'{{"run_id":{_json(run_id)},"samples":[')

    def add(self, sample: SampleReperformed) -> None:
        sys.stdout.write("," * (self._count.samples > 0) + _json(sample))
        self._count.add(sample)

    def stopped(self, why: str) -> None:
        self._write(same=False, more=f',"stopped":{_json(why)},"asked_for":{self._samples}')

    def end(self) -> bool:
        self._write(same=self._count.same)
        return self._count.same

    def _write(self, *, same: bool, more: str = "") -> None:
        sys.stdout.write(f'],"counts":{_json(self._count.told())},"same":{_json(same)}{more}}}\n')


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
