"""`exhibit workflows run`: invoke a workflow; its arguments and its value are JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from services.console import exits
from services.console.commands.workflows.arguments import Library, NameAndVersion, parse_arguments
from services.console.commands.workflows.library import library_settings, open_library
from services.console.event_loop import run_async
from services.console.options import Evidence, Nats, load_settings
from services.console.outcomes import CommandOutcome, CommandResult, ErrorLine
from shared.client.workflow_calls import invoke_workflow
from shared.contracts.workflows.invocations import WorkflowRan
from shared.errors import RunRejectedError
from shared.text.normal import printable

SERVICES = ("evidence", "workflows")
"""What an invocation needs: artifacts, and the library. With tools that are declared, it may need a browser too."""


def run(
    name: NameAndVersion,
    arguments: Annotated[str, typer.Argument(help="Arguments as a JSON object; - reads standard input.")] = "{}",
    arg: Annotated[
        list[str] | None, typer.Option(help="One argument as name=value; the value is JSON, else a text.")
    ] = None,
    timeout_s: Annotated[float, typer.Option("--timeout", min=0.1, max=600, help="Seconds it may take.")] = 60.0,
    library: Library = None,
    tools: Annotated[Path | None, typer.Option(help="Folder with the declarations of tools. Without: tools.")] = None,
    evidence: Evidence = None,
    nats: Nats = None,
) -> CommandOutcome:
    """Run a workflow in a sandbox. Its value goes to standard output as JSON."""
    given, problems = parse_arguments(sys.stdin.read() if arguments == "-" else arguments, arg or ())
    if problems:
        raise RunRejectedError(problems)
    settings = library_settings(nats, library)
    if tools is not None:
        settings = settings.model_copy(update={"tools_dir": tools})
    if evidence is not None:
        kept = load_settings(nats, evidence)
        settings = settings.model_copy(
            update={"evidence_dir": kept.evidence_dir, "evidence_bucket": kept.evidence_bucket}
        )

    async def work() -> WorkflowRan:
        has_tools = any(settings.tools_dir.glob("*.y*ml"))
        async with open_library(settings, (*SERVICES, "browser_pool") if has_tools else SERVICES) as asks:
            return await invoke_workflow(asks, name, given, timeout_s=timeout_s)

    ran = run_async(work())
    printed = [ErrorLine(printable(ran.stdout.removesuffix("\n"), keep="\n\t"))] if ran.stdout else []
    if ran.error is not None:
        where = " -> ".join(ran.error.chain)
        text = ran.error.traceback or f"{ran.error.type}: {ran.error.message}\n"
        failed = (f"exhibit: {where or name} failed ({ran.error.code})", printable(text.rstrip(), keep="\n\t"))
        return CommandResult([*printed, *map(ErrorLine, failed)], exit_code=exits.NOT_ALL_DONE)
    return CommandResult([*printed, json.dumps(ran.value, ensure_ascii=False, indent=1)])
