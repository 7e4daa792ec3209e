"""The tags of a run: which there can be, and the file of them beside the runs, ``run.tags/RUN.json``. Pure.

No seal covers the file: tags are set and removed at any time, and say nothing of what was found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

import msgspec

from shared.contracts.base import Part
from shared.contracts.discovery import Problem
from shared.errors import PermanentError

MOST_TAGS, MOST_TAG_CHARS = 20, 40
MOST_CHANGED = 100
"""Tags in one request."""
_TAG = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{MOST_TAG_CHARS - 1}}}")
_SHOWN_CHARS = 60


class TagsFile(Part, frozen=True, kw_only=True):
    """``changed_by``: who has changed the tags last, as they have said; ``tags``: sorted."""

    run_id: str
    tags: tuple[str, ...]
    changed_by: str
    changed_at: datetime
    version: int = 1


def folded(tag: str) -> str:
    """Return a tag as it is kept: in lower case. What can be no tag is returned in lower case as well."""
    return tag.strip().lower()


def is_tag(text: str) -> bool:
    return _TAG.fullmatch(text) is not None


def changed_tags(
    there: Iterable[str], add: Sequence[str], remove: Sequence[str]
) -> tuple[tuple[str, ...], tuple[Problem, ...]]:
    """Return the tags after a change, sorted, and all that is wrong with it: where anything is, no tag changes."""
    there = tuple(sorted(there))
    if len(add) + len(remove) > MOST_CHANGED:
        message = f"{len(add) + len(remove)} tags in one request; {MOST_CHANGED} can be"
        return there, (Problem(where="tags", message=message),)
    said = [("add", text.strip()) for text in add] + [("remove", text.strip()) for text in remove]
    problems = [
        Problem(
            where=where,
            message=f"{text[:_SHOWN_CHARS]!r} is no tag: 1 to {MOST_TAG_CHARS} of the characters a-z, 0-9, '-', '_' "
            "and '.', beginning with a letter or a digit",
        )
        for where, text in said
        if not is_tag(text)
    ]
    adds, removes = (
        {folded(text) for one, text in said if one == where and is_tag(text)} for where in ("add", "remove")
    )
    problems += [
        Problem(where="add", message=f"{tag!r} is to be set and to be removed: say one of both")
        for tag in sorted(adds & removes)
    ]
    tags = tuple(sorted({*there, *adds} - removes))
    if len(tags) > MOST_TAGS:
        message = f"the run would have {len(tags)} tags; {MOST_TAGS} can be. Remove some"
        problems.append(Problem(where="add", message=message))
    return (there if problems else tags), tuple(problems)


def parse_tags_file(data: bytes, place: str) -> TagsFile:
    """``place``: where the file is, for people. Raises PermanentError (``object_damaged``)."""
    try:
        return msgspec.json.decode(data, type=TagsFile)
    except (msgspec.DecodeError, UnicodeDecodeError) as exc:
        raise PermanentError(
            f"{place} cannot be read, so these tags are not known: {exc}", code="object_damaged"
        ) from exc
