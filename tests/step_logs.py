"""Steps by way of the step log, as bytes and back."""

from __future__ import annotations

from shared.contracts.steps import StepTaken
from shared.evidence_format.log_codec import encode_log, entry_of, parse_log, step_of


def logged(step: StepTaken) -> StepTaken:
    """Return the step as it is read from action_log.json."""
    [entry] = parse_log(encode_log([entry_of(step)]))
    return step_of(entry, step.run_id, step.sample_id)
