"""Messages about the library: create, list, get, search, delete, history."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from shared.contracts.base import Message, Part
from shared.contracts.workflows.samples import SampleSet
from shared.contracts.workflows.sources import Parameter, SourceFinding


class WorkflowVersion(Part, frozen=True, kw_only=True):
    """One version of a workflow, as the library lists it.

    ``hash``: SHA-256 of the source in UTF-8, in hex; of a version with files, of the source and all files (see
    `shared.workflow_source.files.hash_of_version`). ``takes_more``: ``run`` has ``**keywords``. ``author``: the user,
    the program or the model that wrote it. ``source_run``: the run that it was learned from.
    """

    name: str
    hash: str
    description: str
    parameters: tuple[Parameter, ...] = ()
    takes_more: bool = False
    is_async: bool = False
    author: str = ""
    created_at: datetime
    source_run: str | None = None
    files: tuple[str, ...] = ()
    """Names of the text files that belong to it, such as ``workspace/locators.json``."""
    samples: str = ""
    """SHA-256 of the set of its recorded samples, in hex; empty: none are kept with it. No part of ``hash``."""
    accepted_losses: tuple[str, ...] = ()
    """Of a flow: fields that were read before and are not any more, as whoever published it has accepted."""
    is_flow: bool | None = None
    """Whether it is a flow; None: the version was recorded before this was told, and its files say so."""


class HistoryEntry(Part, frozen=True, kw_only=True):
    """One change of a name: a version was created, or the name was deleted (a tombstone).

    ``version``: what was created, or what was current until it was deleted. ``author``: who made the change.
    """

    kind: Literal["created", "deleted"]
    version: WorkflowVersion
    author: str = ""
    at: datetime


class WorkflowHistory(Part, frozen=True, kw_only=True):
    """Every change of one name, oldest first. Nothing is ever removed from it."""

    entries: tuple[HistoryEntry, ...] = ()


class FileProblem(Part, frozen=True, kw_only=True):
    """A file of the library that is not loaded. ``line``: from 1; 0 for the whole file."""

    file: str
    line: int
    message: str


class CreateWorkflow(Message, frozen=True, kw_only=True):
    """Request to create a workflow. An empty ``description``: that of the source's docstring.

    ``files``: text files that it reads at run time, by their path relative to its folder. ``replace``: the hash of the
    current version, which this one replaces; empty: the name must be free. ``samples``: recorded samples that are kept
    with it; the bytes of each are in the INPUTS bucket, or in the library already. ``accepted_losses``: as in
    :class:`WorkflowVersion`."""

    name: str
    source: str
    description: str = ""
    author: str = ""
    source_run: str | None = None
    files: dict[str, str] = {}
    replace: str = ""
    samples: SampleSet | None = None
    accepted_losses: tuple[str, ...] = ()


class WorkflowCreated(Message, frozen=True, kw_only=True):
    """The workflow can be found and invoked. ``findings``: warnings and advice about its source."""

    workflow: WorkflowVersion
    findings: tuple[SourceFinding, ...] = ()


class WorkflowRefused(Message, frozen=True, kw_only=True):
    """Nothing was created. ``findings``: all of them; at least one is an error."""

    findings: tuple[SourceFinding, ...]


CreateReply = WorkflowCreated | WorkflowRefused


class ListWorkflows(Message, frozen=True, kw_only=True):
    """Request for a page of the workflows, by name. ``skip``: how many come before the page."""

    skip: int = 0


class WorkflowsListed(Message, frozen=True, kw_only=True):
    workflows: tuple[WorkflowVersion, ...]
    total: int
    problems: tuple[FileProblem, ...] = ()
    """Files of the library that are not loaded."""
    set_aside: dict[str, str] = {}
    """Names of flows on this page that are not chosen by themselves any more, each with the reason, for people."""


class GetWorkflow(Message, frozen=True, kw_only=True):
    """Request for a workflow with its source. ``hash``: an old version, by its hash or the first 8 characters of it."""

    name: str
    hash: str = ""


class WorkflowShown(Message, frozen=True, kw_only=True):
    workflow: WorkflowVersion
    source: str
    is_current: bool
    files: dict[str, str] = {}
    set_aside: str = ""
    """Of a flow: why it is not chosen by itself any more, for people; empty: it is."""


class WorkflowUnknown(Message, frozen=True, kw_only=True):
    """There is no such workflow, or no such version of it. ``similar``: names that look like it."""

    name: str
    message: str
    similar: tuple[str, ...] = ()


GetReply = WorkflowShown | WorkflowUnknown


class LoadSamples(Message, frozen=True, kw_only=True):
    """Request for the recorded samples of a version. ``hash``: as in :class:`GetWorkflow`. ``told_only``: which they
    are; their bytes are not lent."""

    name: str
    hash: str = ""
    told_only: bool = False


class SamplesLoaded(Message, frozen=True, kw_only=True):
    """``samples``: None: none are kept with this version. The bytes of each are in the ANSWERS bucket; the caller
    removes them. A ``blob`` that is empty: they were not asked for."""

    workflow: WorkflowVersion
    samples: SampleSet | None


SamplesReply = SamplesLoaded | WorkflowUnknown


class SearchWorkflows(Message, frozen=True, kw_only=True):
    """Request for the workflows that do what ``query`` says. ``threshold``: the least score; None: the library's."""

    query: str
    limit: int = 10
    threshold: float | None = None


class WorkflowHit(Part, frozen=True, kw_only=True):
    """``score``: 0.7 times the similarity of the description, 0.3 times that of the code; at most 1."""

    workflow: WorkflowVersion
    score: float


class WorkflowsFound(Message, frozen=True, kw_only=True):
    """Hits, best first. Empty when nothing reaches the threshold."""

    hits: tuple[WorkflowHit, ...]


class DeleteWorkflow(Message, frozen=True, kw_only=True):
    name: str
    author: str = ""


class WorkflowDeleted(Message, frozen=True, kw_only=True):
    """``existed``: whether there was one. Its versions stay in the history."""

    existed: bool


class LoadHistory(Message, frozen=True, kw_only=True):
    name: str


class HistoryLoaded(Message, frozen=True, kw_only=True):
    """Every change of the name, oldest first; empty when there never was such a workflow."""

    entries: tuple[HistoryEntry, ...]
