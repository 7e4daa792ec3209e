"""Compile the flows of examples/flows again from the samples that lie beside them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from shared.flows.compiling.compiler import CompiledFlow, compile_flow
from shared.flows.files import SOURCE_FILE, write_files
from shared.flows.workspace import read_sample_set
from shared.task.spec import check_spec

FOLDER = Path(__file__).parents[1] / "examples/flows"


def compile_example(folder: Path) -> CompiledFlow:
    """Return the flow of the folder, compiled anew from the samples that it was compiled from.

    Raises ValueError where the folder lacks them.
    """
    found = read_sample_set(folder)
    if found is None:
        raise ValueError(f"{folder} has no samples/samples.json")
    told, samples = found
    spec, problems = check_spec(told.spec)
    if spec is None:
        raise ValueError(f"{folder}: {problems}")
    compiled_from = {one.sample_id for one in told.samples if one.use == "compiled_from"}
    return compile_flow(spec, [one for one in samples if one.sample_id in compiled_from])


def files_of(flow: CompiledFlow) -> dict[str, str]:
    """Return the texts of a flow by their paths."""
    return {SOURCE_FILE: flow.source, **write_files(flow.files)}


def folders() -> Iterator[Path]:
    """Yield the folders of the examples."""
    yield from sorted(path.parent.parent for path in FOLDER.glob(f"*/{SOURCE_FILE}"))


if __name__ == "__main__":
    for each in folders():
        for name, text in files_of(compile_example(each)).items():
            (each / name).write_text(text, encoding="utf-8")
