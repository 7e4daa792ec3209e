"""`exhibit compare`: what has changed from one finished run of a task to the next. Needs no bus, browser or service."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from services.console import exits
from services.console.commands.compare.comparison_lines import comparison_lines
from services.console.commands.compare.comparison_page import comparison_page
from services.console.commands.compare.comparison_table import comparison_csv
from services.console.options import AsJson, EvidenceOfRun, load_settings
from services.console.outcomes import CommandOutcome, CommandResult, ErrorLine
from services.console.run_location import HOW_TO_NAME_A_RUN, find_run
from services.console.text.seal_words import SIGNATURE_TEXTS
from shared.comparing.read_run import RunSeal, StoredRun, in_threads
from shared.comparing.run_comparison import RunComparison, compare_runs, in_turn
from shared.comparing.sides import NotComparable
from shared.evidence_format.signing import load_known_key
from shared.evidence_format.sources.opening import open_source
from shared.evidence_format.sources.source import NoRun, Unreadable
from shared.settings import Settings
from shared.text.normal import printable


def compare(
    run_a: Annotated[str, typer.Argument(help=f"The earlier run: its zip, {HOW_TO_NAME_A_RUN}.")],
    run_b: Annotated[str, typer.Argument(help="The later run, named in the same ways.")],
    csv: Annotated[Path | None, typer.Option("--csv", help="A new file for all of it, as a table.")] = None,
    report: Annotated[Path | None, typer.Option("--report", help="A new file for all of it, as a page.")] = None,
    evidence: EvidenceOfRun = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Compare two finished runs of a task: samples that are new, gone or changed, with both values and what shows
    them."""
    settings = load_settings(None, evidence)
    with exits.bad_input("run"):
        places = find_run(settings, run_a), find_run(settings, run_b)
    for option, out in (("--csv", csv), ("--report", report)):
        if out is not None and (problem := _find_out_problem(out, places)):
            raise exits.refused(option, problem)
    try:
        compared, seals = _compare(settings, places)
    except (NoRun, NotComparable, Unreadable) as exc:
        refused = f"cannot compare: {printable(str(exc))}"
        return CommandResult([ErrorLine(f"exhibit: {refused}")], {"refused": refused}, exits.BAD_INPUT)
    sealed = {name: _seal_words(seal) for name, seal in seals.items()}
    if csv is not None:
        csv.write_text(comparison_csv(compared), encoding="utf-8", newline="")
    if report is not None:
        report.write_text(comparison_page(compared, sealed), encoding="utf-8")
    told = {"same": compared.same, "seals": seals, "comparison": compared}
    return CommandResult(comparison_lines(compared, sealed), told, exits.OK if compared.same else exits.NOT_ALL_DONE)


def _compare(settings: Settings, places: tuple[Path | str, Path | str]) -> tuple[RunComparison, dict[str, RunSeal]]:
    key = load_known_key(settings)
    with open_source(settings, places[0]) as one, open_source(settings, places[1]) as other:
        a, b = StoredRun(one, key), StoredRun(other, key)
        remote = [source for source, place in ((one, places[0]), (other, places[1])) if isinstance(place, str)]
        # Files of this machine are read faster than threads take turns.
        in_order = in_threads(remote[0]) if remote else in_turn
        return compare_runs(a, b, in_order), {"a": a.seal, "b": b.seal}


def _seal_words(seal: RunSeal) -> str:
    if seal.signed == "no":
        return "NOT SEALED, so that nothing proves that its files are as the run has left them"
    return f"sealed, {SIGNATURE_TEXTS[seal.signed]}: {seal.fingerprint}"


def _find_out_problem(out: Path, places: tuple[Path | str, ...]) -> str:
    """Return why nothing can be written there; empty if it can."""
    if out.exists():
        return f"{out} is there already: name another file, or remove it"
    if not out.absolute().parent.is_dir():
        return f"there is no folder {out.parent}"
    inside = (place for place in places if isinstance(place, Path) and out.resolve().is_relative_to(place.resolve()))
    return f"{out} is inside of the evidence itself: name another place" if any(inside) else ""
