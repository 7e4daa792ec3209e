"""`exhibit explain`: the story of one sample, from the files of the evidence. Needs no bus, browser or service."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from services.console import exits
from services.console.commands.explain.sample_files import read_story
from services.console.options import AsJson, EvidenceOfRun, RunOrZip, load_settings
from services.console.outcomes import CommandOutcome, CommandResult
from services.console.run_location import find_run
from services.console.text.sample_story import SampleStory
from services.console.text.story_lines import story_lines
from shared.errors import PermanentError
from shared.evidence_format.refused_events import read_refused
from shared.evidence_format.sources.opening import open_source
from shared.evidence_format.sources.source import NoRun
from shared.settings import Settings

WIDTH = 100
"""Where the output is no terminal."""


def explain(
    run: RunOrZip,
    sample: Annotated[str, typer.Argument(help="The sample: its id, or its key in the input.")],
    all_of_it: Annotated[bool, typer.Option("--all", help="Every step and value, with reasons; nothing cut.")] = False,
    evidence: EvidenceOfRun = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Tell why a sample ended as it did: the row, who decided, the steps, what was read where, and what to do."""
    settings = load_settings(None, evidence)
    with exits.bad_input("run"):
        story = _read(settings, run, sample)
    width = shutil.get_terminal_size((WIDTH, 0)).columns if sys.stdout.isatty() else WIDTH
    return CommandResult(story_lines(story, max(width, 40), all_of_it=all_of_it), story)


def _read(settings: Settings, run: str, sample: str) -> SampleStory:
    place = find_run(settings, run)
    is_zip = isinstance(place, Path) and place.is_file()
    try:
        with open_source(settings, place) as source:
            try:
                refused = [] if is_zip else read_refused(settings, place)
            except PermanentError:  # a folder without its run.json is told of below
                refused = []
            return read_story(source, sample, refused)
    except NoRun as exc:
        raise exits.refused("run", str(exc)) from exc
