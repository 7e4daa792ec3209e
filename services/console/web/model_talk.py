"""The page of what the model was asked of a sample and what it answered, step by step, as far as it is kept."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from services.console.web.desk import NO_RUN, desk_of, page
from services.console.web.stored_samples import read_one, read_sample
from shared.client.run_client import LOAD_BOUND_S
from shared.contracts.base import Usage, add_usage, total_tokens
from shared.contracts.evidence import LoadRun, RunUnknown
from shared.evidence_format.facts import TaskFacts
from shared.evidence_format.files.prompt import parse_prompt_file
from shared.evidence_format.log_codec import LogEntry
from shared.evidence_format.step_words import action_words
from shared.subjects import LOAD_RUN


@dataclass(frozen=True)
class ModelStep:
    """A step that a model has decided. ``told``: what it was told beside the page. ``words``: what it said of itself,
    each with its name. ``follows``: it is a further call of the answer before it."""

    number: int
    model: str
    act: str
    why: str
    did: str
    refused: bool
    follows: bool
    told: tuple[str, ...]
    words: tuple[tuple[str, str], ...]
    picture: tuple[str, str] | None
    usage: Usage
    prompt: str = ""
    """The file that has what it was asked, word for word; empty: that was not kept."""
    sha256: str = ""
    """Of that file, as it was filed."""

    @property
    def tokens(self) -> int:
        return total_tokens(self.usage)


async def show_model(request: Request) -> Response:
    """Show what is kept of the model's part in a sample."""
    desk, run_id, sample_id = desk_of(request), request.path_params["run"], request.path_params["sample"]
    loaded = await desk.client.bus.ask(LOAD_RUN, LoadRun(run_id=run_id, count_only=True), timeout_s=LOAD_BOUND_S)
    if isinstance(loaded, RunUnknown):
        raise HTTPException(404, NO_RUN)
    task = TaskFacts.of(loaded.record.spec)
    stored = await asyncio.to_thread(read_sample, desk.settings, run_id, sample_id, task)
    if stored is None:
        raise HTTPException(404, "There is no such sample in the run, or its files are not on this machine.")
    steps = model_steps(stored.facts.log)
    asked = request.query_params.get("step", "")
    if asked:
        step = next((one for one in steps if str(one.number) == asked and one.prompt), None)
        if step is None:
            raise HTTPException(404, "What was asked at this step is not kept.")
        data = await asyncio.to_thread(read_one, desk.settings, run_id, sample_id, step.prompt) or b""
        return page(
            request, "prompt.html", run_id=run_id, task_id=task.task_id or run_id, sample_id=sample_id,
            key=stored.facts.key or sample_id, step=step, prompt=(prompt := parse_prompt_file(data)),
            calls=[(one.name, json.dumps(one.arguments, ensure_ascii=False)) for one in prompt.calls] if prompt else (),
            changed=hashlib.sha256(data).hexdigest() != step.sha256, steps=[one for one in steps if one.prompt],
        )  # fmt: skip
    used = Usage()
    for one in steps:
        used = add_usage(used, one.usage)
    return page(
        request, "model.html", run_id=run_id, task_id=task.task_id or run_id, sample_id=sample_id,
        key=stored.facts.key or sample_id, steps=steps, used=used, tokens=total_tokens(used),
        of_all=len(stored.facts.log), kept=any(one.prompt for one in steps),
    )  # fmt: skip


def model_steps(log: Iterable[LogEntry]) -> list[ModelStep]:
    """Return the steps that a model has decided, or was asked in."""
    found: list[ModelStep] = []
    answered = False
    for entry in log:
        step = entry.step
        answered = step.usage.llm_calls > 0 or (answered and step.call > 1)
        if not answered:
            continue
        outcome, said, seen = step.result, step.reflection, step.vision
        words = [] if said is None else [
            ("Of the step before", said.evaluation_previous_step),
            ("To remember", said.memory_update),
            ("Next", said.next_goal),
        ]  # fmt: skip
        kept = next((one for one in step.artifacts if one.artifact.kind == "prompt"), None)
        found.append(
            ModelStep(
                number=step.step,
                model=step.decided_by,
                act=action_words(entry.action, entry.params, outcome.target if outcome is not None else None),
                why=entry.reason,
                did=entry.outcome_text,
                refused=step.refused,
                follows=step.call > 1,
                told=(*step.notices, *([step.remark] if step.remark else [])),
                words=tuple((name, text) for name, text in words if text),
                picture=None if seen is None else (seen.answered_by, seen.answer or ""),
                usage=step.usage,
                prompt=kept.filename if kept is not None else "",
                sha256=kept.artifact.sha256 if kept is not None else "",
            )
        )
    return found
