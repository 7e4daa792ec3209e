"""Tags of a run: words by which people find it again. They are no part of its evidence."""

from __future__ import annotations

from typing import Literal

from shared.contracts.base import Message
from shared.contracts.codes import OpenCode
from shared.contracts.discovery import Problem

TagCode = Literal["no_such_run", "not_valid"]
"""Why a change of tags was refused."""


class TagRun(Message, frozen=True, kw_only=True):
    """Request to change the tags of a run. A tag that is there already, and one to remove that is not there, is no
    error. ``by``: who asks, as the record of the tags is to say."""

    run_id: str
    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    by: str = ""


class RunTagged(Message, frozen=True, kw_only=True):
    """``tags``: all that the run has now, sorted."""

    run_id: str
    tags: tuple[str, ...]


class TagsRefused(Message, frozen=True, kw_only=True):
    """Nothing was changed; ``problems`` has all that is wrong with the request."""

    run_id: str
    code: OpenCode[TagCode]
    problems: tuple[Problem, ...]


TagReply = RunTagged | TagsRefused
