"""Takes the files of a folder into a library that is kept elsewhere."""

from __future__ import annotations

import logging
from pathlib import Path

from services.workflows.library.library import Library
from services.workflows.library.storage.folder import FILE, read_files
from shared.contracts.workflows.library import FileProblem, WorkflowRefused, WorkflowShown

log = logging.getLogger(__name__)


async def take_files(library: Library, folder: Path) -> tuple[FileProblem, ...]:
    """Create a workflow of each file, and return the files that are not taken, each with the reason.

    A file that has changed since it was taken is a new version. A name that somebody else has is left as it is.
    """
    sources, problems = read_files(folder)
    found = list(problems)
    for name, source in sources.items():
        current = await library.get(name)
        if isinstance(current, WorkflowShown):
            if current.source == source:
                continue
            if current.workflow.author == FILE:
                await library.delete(name, author=FILE)
        reply = await library.create(name, source, author=FILE)
        if isinstance(reply, WorkflowRefused):
            found += [
                FileProblem(file=f"{name}.py", line=one.line, message=f"{one.message}. {one.remedy}")
                for one in reply.findings
                if one.severity == "error"
            ]
    for problem in found:
        log.warning("%s:%s: %s; it is not loaded", problem.file, problem.line, problem.message)
    return tuple(found)
