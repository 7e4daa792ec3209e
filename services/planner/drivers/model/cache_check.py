"""`exhibit doctor --ask-model`: whether the model reads from its cache what the requests of a run have in common.

What is cached, and from which length on, is the model's affair; so it is asked. Two requests with the tools and the
instructions of a run: the second must have read from the cache.
"""

from __future__ import annotations

from services.planner.drivers.model.model_driver import system_blocks
from services.planner.prompt.assembly import Prompt, tools_json
from services.planner.prompt.system_blocks import run_block, sample_block
from services.planner.prompt.tools import tools_for
from services.planner.state.attempt_state import AttemptState, SampleView
from shared.contracts.base import Usage
from shared.contracts.discovery import Sample
from shared.models.client import open_model
from shared.settings import Settings
from shared.setup.check import SetupCheck, SetupFinding, fine, problem
from shared.task.spec import check_spec

HOW = "exhibit doctor --ask-model asks the model twice, for a few cents"
MAX_OUTPUT_TOKENS = 300
BOUND_S = 180.0
SPEC = {
    "task_id": "doctor",
    "goal": "Nothing is to be done.",
    "input_schema": {"number": "string"},
    "output_schema": {"status": "string", "owner": "string | null", "due_date": "date | null"},
}


async def check_cache_reads(settings: Settings) -> SetupFinding:
    """Ask the model twice, if that is wanted and there is a key; else say that it was not checked."""
    if not settings.ask_model:
        return fine(f"whether the model reads its cache was not checked: {HOW}")
    if not settings.anthropic_api_key:
        return fine("whether the model reads its cache was not checked: there is no key for models")
    first, second = await _asked_twice(settings)
    cents = 100 * (first.cost_usd + second.cost_usd)
    told = f"{second.cache_read_tokens} tokens of the second of two requests came from the cache of {settings.model}"
    if second.cache_read_tokens > 0:
        return fine(f"{told}; both cost {cents:.2f} cents")
    sent = first.input_tokens + first.cache_write_tokens + first.cache_read_tokens
    return problem(
        f"{told}, though {sent} tokens were sent that are marked for it; both cost {cents:.2f} cents",
        "Each step of a run pays its whole prompt: use a model, or an address of its API, that keeps such a cache.",
    )


async def _asked_twice(settings: Settings) -> tuple[Usage, Usage]:
    """Return what two requests have used that differ in their last part only, as those of two steps do."""
    prompt = _prompt()
    model = open_model(settings, "main", max_output_tokens=MAX_OUTPUT_TOKENS)
    try:
        used = [
            (await model.ask(system_blocks(prompt), f"{prompt.user} This is request {number}.", prompt.tools)).usage
            for number in (1, 2)
        ]
    finally:
        await model.aclose()
    return used[0], used[1]


def _prompt() -> Prompt:
    spec, problems = check_spec(SPEC)
    assert spec is not None, problems
    view = SampleView(spec, Sample(sample_id="doctor", key="1", row=1, fields={"number": "1"}), AttemptState(), None)
    tools = tools_for(spec)
    asked = "There is no page. Call fail with the code other."
    return Prompt(tools, tools_json(tools), run_block(spec), sample_block(view), asked, 0.0)


SETUP_CHECKS = (
    SetupCheck("model cache", check_cache_reads, BOUND_S, "Look whether the model's API can be reached from here."),
)
