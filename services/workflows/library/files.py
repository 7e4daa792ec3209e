"""Takes the files of a folder into a library that is kept elsewhere."""

from __future__ import annotations

import logging
from pathlib import Path

from services.workflows.library.library import Library
from services.workflows.library.storage.library_folder import FILE, read_versions
from services.workflows.library.versions import errors_of, file_problems, hash_of
from shared.contracts.workflows.library import FileProblem, WorkflowRefused

log = logging.getLogger(__name__)


async def take_files(library: Library, folder: Path) -> tuple[FileProblem, ...]:
    """Create a workflow of each file, and return the files that are not taken, each with the reason. `Library.list`
    tells them too.

    A file that has changed since it was taken is a new version; one that is no workflow any more takes nothing away
    from those who share the library. A name that somebody else has is left as it is, so is a version that was deleted.
    """
    versions, problems = read_versions(folder)
    found = list(problems)
    for name, (source, files) in versions.items():
        if errors := errors_of(source, name, files):
            found += file_problems(f"{name}.py", errors)
            continue
        last = next(reversed(await library.history(name)), None)
        if last is not None and last.version.hash == hash_of(source, files):
            if last.kind == "created":
                continue
            if last.author != FILE:
                log.info("%s.py: %s has deleted this version; it is not taken again", name, last.author or "somebody")
                continue
        if last is not None and last.kind == "created" and last.version.author == FILE:
            await library.delete(name, author=FILE)
        reply = await library.create(name, source, author=FILE, files=files)
        if isinstance(reply, WorkflowRefused):
            found += file_problems(f"{name}.py", [one for one in reply.findings if one.severity == "error"])
    for problem in found:
        log.warning("%s:%s: %s; it is not loaded", problem.file, problem.line, problem.message)
    library.note_problems(found)
    return tuple(found)
