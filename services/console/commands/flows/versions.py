"""`exhibit flows history|diff|rollback`: the versions of a flow, what differs between them, and an old one again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from services.console import exits
from services.console.commands.workflows.arguments import Author, Library, author_or_user
from services.console.commands.workflows.library import ask_library
from services.console.options import AsJson, Nats
from services.console.outcomes import CommandOutcome, CommandResult
from services.console.terminal.workflows_view import history_table
from shared.client.workflow_calls import get_workflow, load_history
from shared.contracts.workflows.library import WorkflowShown, WorkflowUnknown
from shared.flows.healing.proposals import diff_of
from shared.flows.healing.publishing import LibrarySamples, roll_back
from shared.flows.healing.versions import hash_before, texts_of
from shared.text.normal import printable

if TYPE_CHECKING:
    from shared.bus.nats_bus import Bus

FlowName = Annotated[str, typer.Argument(help="Name of a flow in the library.")]


def history(name: FlowName, library: Library = None, nats: Nats = None, as_json: AsJson = False) -> CommandOutcome:
    """List every version of a flow: who published it, when, and from which run."""
    entries = ask_library(nats, library, lambda bus: load_history(bus, name))
    if not entries:
        raise exits.refused(name, "there never was a flow of this name")
    return CommandResult([history_table(entries)], {"entries": entries})


def diff(
    name: FlowName,
    old: Annotated[str, typer.Argument(help="Hash of a version. Without: the one before the current one.")] = "",
    new: Annotated[str, typer.Argument(help="Hash of another version. Without: the current one.")] = "",
    library: Library = None,
    nats: Nats = None,
) -> CommandOutcome:
    """Print what differs between two versions: source, selectors, rules."""

    async def compare(bus: Bus) -> str:
        after = await _version(bus, name, new)
        before = await _version(bus, name, old or await _hash_before(bus, name, after.workflow.hash))
        return diff_of(texts_of(before), texts_of(after))

    differs = ask_library(nats, library, compare)
    return CommandResult([printable(differs, keep="\n") if differs else "They are the same."])


def rollback(
    name: FlowName,
    hash: Annotated[str, typer.Argument(help="Hash of the version that is to be used again.")],
    author: Author = "",
    library: Library = None,
    nats: Nats = None,
) -> CommandOutcome:
    """Publish an old version again, with its samples. Runs that begin later use it."""

    async def publish(bus: Bus) -> str:
        try:
            _, kept = await LibrarySamples(bus)(name, hash)
            return await roll_back(bus, name, hash, author=author_or_user(author), samples=kept)
        except ValueError as exc:
            raise exits.refused(name, str(exc)) from exc

    return CommandResult([f"{name} is version {ask_library(nats, library, publish)[:12]} again."])


async def _version(bus: Bus, name: str, hash: str) -> WorkflowShown:
    shown = await get_workflow(bus, f"{name}@{hash}" if hash else name)
    if isinstance(shown, WorkflowUnknown):
        raise exits.refused(name, shown.message)
    return shown


async def _hash_before(bus: Bus, name: str, hash: str) -> str:
    before = hash_before(await load_history(bus, name), hash)
    if not before:
        raise exits.refused(name, f"there is no version before {hash[:12]}")
    return before
