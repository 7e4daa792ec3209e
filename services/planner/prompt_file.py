"""Files what a model was asked and has answered with the step that it decided, where the task asks for it."""

from __future__ import annotations

from services.planner.deps import PlannerDeps
from services.planner.own_files import file_own
from shared.contracts.planner import WorkSample
from shared.contracts.steps import FiledArtifact
from shared.evidence_format.files.json_files import encode_file
from shared.evidence_format.files.prompt import PromptFile
from shared.evidence_format.layout import prompt_name
from shared.zstd import pack_zstd


async def file_prompt(
    asked: PromptFile | None, step: int, work: WorkSample, deps: PlannerDeps
) -> tuple[FiledArtifact, ...]:
    """File a prompt with the step of this number; nothing without one, or without an object store."""
    if asked is None:
        return ()
    data = pack_zstd(encode_file(asked))
    return await file_own(data, prompt_name(step), "prompt", ".json.zst", work=work, deps=deps)
