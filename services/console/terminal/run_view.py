"""How a run looks in a terminal: a live view while it runs, and a summary at its end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.markup import escape
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from services.console.terminal.plain_output import print_err
from services.console.text.tally import (
    Tally,
    Trouble,
    driver_lines,
    headline,
    reconciliation_line,
    settling_line,
    to_words,
    workflow_offer,
)
from shared.contracts.codes import REASONS
from shared.contracts.evidence import RunFinished
from shared.contracts.outages import pause_line
from shared.evidence_format.population import population_advice, population_headline
from shared.evidence_format.reading_words import reading_lines
from shared.statuses import STATUSES, colour_of, urgency_of
from shared.task.spec import placeholders
from shared.text.normal import tidy

MAX_ACTIVE = 8
MAX_TROUBLES = 4
LISTED_TROUBLES, LISTED_IDS = 20, 10
REFRESH_PER_S = 8


class RunView(Protocol):
    """Shows a tally each time it changes."""

    def show(self, tally: Tally) -> None: ...
    def close(self) -> None: ...


class LiveRunView:
    """Redraws in place, for a terminal."""

    def __init__(self, console: Console, title: str, clock_s: Callable[[], float]) -> None:
        self._title, self._clock_s, self._started_s = title, clock_s, clock_s()
        self._tally: Tally | None = None
        self._live = Live(
            console=console, refresh_per_second=REFRESH_PER_S, get_renderable=self._render, transient=True
        )
        self._live.start()

    def show(self, tally: Tally) -> None:
        self._tally = tally

    def close(self) -> None:
        self._live.stop()

    def _render(self) -> RenderableType:
        if self._tally is None:
            return Text("starting ...", style="dim")
        return live_view(self._tally, self._title, self._clock_s() - self._started_s)


class Warnings:
    """Prints to standard error why evidence is blocked and what the run is paused for, once per reason."""

    def __init__(self) -> None:
        self._blocked = self._paused = ""

    def show(self, tally: Tally) -> None:
        if tally.blocked and tally.blocked != self._blocked:
            print_err(f"exhibit: evidence is waiting: {tally.blocked}\n")
        if tally.paused != self._paused:
            print_err(f"exhibit: the run is paused: {tally.paused}\n" if tally.paused else "exhibit: the run goes on\n")
        self._blocked, self._paused = tally.blocked, tally.paused


class LineRunView:
    """Prints one line per tenth of the run, for a file or a pipe."""

    def __init__(self, console: Console) -> None:
        self._console, self._printed_tenths, self._warning = console, -1, Warnings()
        self._found = 0

    def show(self, tally: Tally) -> None:
        self._warning.show(tally)
        if tally.discovering and tally.found >= 2 * max(self._found, 5):
            self._found = tally.found
            self._console.print(f"{tally.found} samples found so far", style="dim", highlight=False)
        if tally.expected and (tenth := 10 * tally.ended // tally.expected) > self._printed_tenths:
            self._printed_tenths = tenth
            self._console.print(f"{tally.ended} of {tally.expected} samples", style="dim", highlight=False)

    def close(self) -> None: ...


class SilentRunView:
    """Prints nothing but warnings, for scripts that read JSON."""

    def __init__(self) -> None:
        self._warning = Warnings()

    def show(self, tally: Tally) -> None:
        self._warning.show(tally)

    def close(self) -> None: ...


def live_view(tally: Tally, title: str, elapsed_s: float) -> RenderableType:
    """Return the live view of a running run."""
    parts: list[RenderableType] = [_bar(tally, elapsed_s), _counts(tally)]
    if tally.discovering:
        parts.append(Text(f"{tally.found} found so far, the search continues", style="cyan"))
    if tally.active:
        parts.append(_active(tally))
    if tally.troubles:
        parts.append(_troubles(tally))
    if tally.paused:
        parts.append(Text(f"paused: {tally.paused}", style="bold yellow"))
    if tally.blocked:
        parts.append(Text(f"evidence is waiting: {tally.blocked}", style="bold red"))
    return Panel(Group(*parts), title=f"[bold]{escape(title)}[/]", subtitle=f"[dim]{tally.run_id}[/]", padding=(1, 2))


def _bar(tally: Tally, elapsed_s: float) -> RenderableType:
    total, finished = tally.expected or max(tally.found, 1), tally.ended
    rate = finished / elapsed_s if elapsed_s > 0 else 0.0
    left = f"{(total - finished) / rate:.0f} s left" if rate and finished < total else ""
    grid = Table.grid(padding=(0, 2), expand=True)
    grid.add_column(ratio=1)
    grid.add_column(justify="right", no_wrap=True)
    grid.add_row(
        ProgressBar(total=total, completed=finished, complete_style="cyan", finished_style="green"),
        f"[bold]{finished}[/]/{total}   [dim]{rate:.1f}/s   {elapsed_s:.0f} s   {left}[/]",
    )
    return grid


def _counts(tally: Tally) -> RenderableType:
    shown = [status for status in STATUSES if tally.counts[status] or status == "done"]
    parts = [f"[{colour_of(status)}]{tally.counts[status]} {to_words(status)}[/]" for status in shown]
    calls = f"{tally.usage.llm_calls} model calls" + (f", ${tally.usage.cost_usd:.3f}" if tally.usage.cost_usd else "")
    return Text.from_markup("\n" + "   ".join([*parts, f"[dim]{tally.steps} steps, {calls}[/]"]))


def _active(tally: Tally) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    for item in list(tally.active.values())[:MAX_ACTIVE]:
        again = f" (attempt {item.attempt})" if item.attempt > tally.attempt_base + 1 else ""
        table.add_row(
            Text(item.sample_id, style="bold"), Text(f"step {item.step}{again}", style="dim"), _one_line(item.last)
        )
    return Group(Text(""), table)


def _troubles(tally: Tally) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    for trouble in tally.troubles[-MAX_TROUBLES:]:
        outcome = to_words(trouble.status) + (f" ({to_words(trouble.reason)})" if trouble.reason else "")
        table.add_row(_who(trouble), outcome, _one_line(trouble.message))
    return Group(Text(""), table)


def _who(trouble: Trouble) -> Text:
    ids = trouble.sample_ids
    return Text(ids[0] if len(ids) == 1 else f"{len(ids)} samples", style=colour_of(trouble.status))


def _one_line(text: str) -> Text:
    return Text(tidy(text), overflow="ellipsis", no_wrap=True)


def run_summary(finished: RunFinished, tally: Tally, here: Path) -> RenderableType:
    """Return the summary: outcomes, failures, and where the evidence is, relative to the folder ``here``."""
    table = Table(
        title="Outcome", title_justify="left", title_style="bold", box=None, padding=(0, 2), show_header=False
    )
    for outcome in sorted(finished.outcomes, key=lambda o: urgency_of(o.status)):
        table.add_row(
            Text(to_words(outcome.status), style=colour_of(outcome.status)),
            Text(to_words(outcome.reason)),
            str(outcome.samples),
        )
    took_s = (finished.finished_at - finished.started_at).total_seconds()
    facts = Table.grid(padding=(0, 2))
    facts.add_row("Evidence", Text(_relative_to(here, finished.location)))
    if finished.table:
        facts.add_row("Table", Text(_relative_to(here, finished.table)))
    if finished.report:
        facts.add_row("Report", Text(_relative_to(here, finished.report)))
    for failure in finished.not_made:
        facts.add_row("Not made", Text(failure, style="bold red"))
    if finished.manifest_sha256:
        facts.add_row("Sealed", finished.manifest_sha256)
        facts.add_row("By key", f"{finished.signed_by[:16]}; note both, exhibit verify names them")
    facts.add_row("Took", f"{took_s:.1f} s, {finished.samples / took_s:.1f} samples/s" if took_s > 0 else "0 s")
    for reading in tally.readings:
        facts.add_row("Read", Text("; ".join(reading_lines(reading))))
    if not finished.population_complete or finished.population_note or finished.population_counted is not None:
        colour = "" if finished.population_complete else f"bold {colour_of('needs_review')}"
        facts.add_row("Samples", Text(_population(finished), style=colour))
    for pause in finished.pauses:
        facts.add_row("Paused", Text(pause_line(pause)))
    if finished.reconciliation is not None:
        facts.add_row("Register", Text(reconciliation_line(finished.reconciliation)))
    if finished.flagged:
        facts.add_row(
            "Flagged",
            f"{finished.flagged} of the samples are for a person to read: their message and notes, in the report",
        )
    facts.add_row("Model", f"{finished.llm_calls} calls, ${finished.cost_usd:.4f}")
    for line in _advice(tally, finished):
        facts.add_row("To do", Text(line))
    if tally.settling is not None:
        facts.add_row("To settle", Text(settling_line(tally.settling)))
    for line in driver_lines(finished):
        facts.add_row("Drivers", Text(line))
    if tally.long_ways and not tally.saves_workflow:
        facts.add_row("Workflow", workflow_offer(tally.long_ways))
    parts: list[RenderableType] = [table, Text("")]
    if tally.troubles:
        parts += [_all_troubles(tally), Text("")]
    return Group(*parts, facts, Text(""), Text(headline(finished.outcomes, finished.samples), style="bold"))


def _advice(tally: Tally, finished: RunFinished) -> list[str]:
    """Return what to change where it is we who have to, such as in the spec; each reason once. Some reasons are found
    only when a run ends, in all of its results."""
    reasons = dict.fromkeys(trouble.reason for trouble in sorted(tally.troubles, key=lambda one: -len(one.sample_ids)))
    reasons |= dict.fromkeys(outcome.reason for outcome in finished.outcomes)
    advice = {str(code): facts.advice for code, facts in REASONS.items() if facts.fault == "us" or facts.mended_by_us}
    told = [f"{to_words(reason)}: {advice[reason]}" for reason in reasons if reason in advice]
    return [*told, "Start a new run with a spec that has changed: a resumed run keeps its own."] if told else []


def _population(finished: RunFinished) -> str:
    """Return the note on the population; of one that was counted or is not complete how many were found."""
    counted = finished.population_counted is not None
    parts = [population_headline(finished)] if counted or not finished.population_complete else []
    parts += [part.rstrip(".") for part in (finished.population_note, population_advice(finished)) if part]
    return f"{'. '.join(part[:1].upper() + part[1:] for part in parts)}."


def _relative_to(here: Path, path: str) -> str:
    """Return ``path`` relative to ``here`` when it is inside of it."""
    return str(Path(path).relative_to(here)) if Path(path).is_relative_to(here) else path


def _all_troubles(tally: Tally) -> RenderableType:
    """Return what is not done, each reason once, the most frequent first. These are lines and no table, since a table
    would cut the ids, by which samples are found."""
    ordered = sorted(tally.troubles, key=lambda trouble: -len(trouble.sample_ids))
    lines = [line for trouble in ordered[:LISTED_TROUBLES] for line in _trouble_lines(trouble)]
    left = sum(len(trouble.sample_ids) for trouble in ordered[LISTED_TROUBLES:])
    return Group(*lines, *([Text(f"  and {left} more samples, in the table", style="dim")] if left else []))


def _trouble_lines(trouble: Trouble) -> list[Text]:
    said = Text.assemble("  ", _who(trouble), "  ", to_words(trouble.reason), "  ", trouble.message)
    if len(trouble.sample_ids) == 1:
        return [said]
    more = len(trouble.sample_ids) - LISTED_IDS
    ids = ", ".join(trouble.sample_ids[:LISTED_IDS]) + (f" and {more} more, in the table" if more > 0 else "")
    columns = [
        f"      {{{name}}}: of each, what its row has there" for name in dict.fromkeys(placeholders(trouble.message))
    ]
    return [said, *(Text(line, style="dim") for line in (*columns, f"      {ids}"))]
