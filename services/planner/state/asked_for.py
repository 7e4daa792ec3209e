"""What a sample has asked its site for by a value of its row. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.state.attempt_state import Entry, SampleView
from shared.contracts.browser_pool import PageObserved
from shared.contracts.discovery import Sample
from shared.flows.asked import SiteAsked, asked_in, is_press_in_place, with_searched
from shared.task.row_values import expected_identity, template_values
from shared.task.spec import TaskSpec


def site_asked(view: SampleView) -> SiteAsked | None:
    """Return what the site was asked for last by a value of the sample's row; None: nothing was."""
    return _asked(view.spec, view.sample, view.state.history)


def as_answer(page: PageObserved, spec: TaskSpec, sample: Sample, entries: Sequence[Entry]) -> PageObserved:
    """Return the page with what was searched for, where it is the answer to that."""
    return with_searched(page, _asked(spec, sample, entries))


def _asked(spec: TaskSpec, sample: Sample, entries: Sequence[Entry]) -> SiteAsked | None:
    row = tuple(dict.fromkeys(value for value in template_values(sample).values() if value.strip()))
    named = (*expected_identity(spec, sample).values(), sample.key)
    made = [one for one in entries if not is_press_in_place(one)]
    return asked_in(row, tuple(dict.fromkeys(value for value in named if value.strip())), made)
