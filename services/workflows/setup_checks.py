"""What the workflow library needs of its machine: processes that are confined, and files that it can read."""

from __future__ import annotations

from services.workflows.execution.parent.zygote_link import ZygoteFailedError
from services.workflows.execution.sandbox_executor import SandboxExecutor
from shared.settings import Settings
from shared.setup.check import SetupCheck, SetupFinding, fine, problem, warning


async def check_sandbox(settings: Settings) -> SetupFinding:
    """Start the process that forks the processes of workflows, and ask which layers of isolation it has."""
    executor = SandboxExecutor(max_processes=1, stock=1)
    try:
        await executor.start()
        protections = executor.protections
    except ZygoteFailedError as exc:
        return problem(f"no process for workflows can be started: {exc}", "See docs/sandbox.md.")
    finally:
        await executor.close()
    if not (protections.files and protections.network and protections.processes):
        return problem(
            f"workflow code is not confined: {'; '.join(protections.missing)}",
            "Run no workflow that you have not read. docs/sandbox.md says what the machine must have.",
        )
    if protections.missing:
        return warning(
            f"workflow code is confined, but has {'; '.join(protections.missing)}",
            "docs/sandbox.md says what each layer needs.",
        )
    return fine("workflow code is confined by all layers")


SETUP_CHECKS = (SetupCheck("sandbox", check_sandbox, 20.0),)
