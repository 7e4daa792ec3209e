"""The commands that need no bus: verify, export, key."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from services.console.commands.export import Export, export_run
from services.console.commands.key import show_key
from services.console.commands.verify import HELP, Verify, verify_run
from services.console.run_location import WAYS
from shared.settings import Settings

MakeSettings = Callable[[str | None, str | None], Settings]
Run = Annotated[str, typer.Argument(help=f"The run: its zip, {WAYS}.")]
Key = Annotated[
    Path | None, typer.Option(help="Public key (PEM) of who must have sealed it. Without: the key of this machine.")
]
Evidence = Annotated[
    str | None,
    typer.Option(help="Where evidence is kept, a folder or s3://bucket/prefix: RUN is the id of a run in it."),
]
AsJson = Annotated[bool, typer.Option("--json", help="JSON on standard output, for scripts.")]


def register(app: typer.Typer, settings: MakeSettings) -> None:
    @app.command(epilog=HELP)
    def verify(
        run: Run,
        key: Key = None,
        manifest: Annotated[str, typer.Option(help="The hash that the run's manifest was noted to have.")] = "",
        evidence: Evidence = None,
        as_json: AsJson = False,
    ) -> None:
        """Check that a run is what was sealed: every byte, nothing missing, nothing added. Names all that is wrong."""
        raise typer.Exit(verify_run(settings(None, evidence), Verify(run, key, manifest, as_json)))

    @app.command(epilog=HELP)
    def export(
        run: Run,
        out: Annotated[Path | None, typer.Option(help="The zip; else RUN.zip in this folder.")] = None,
        key: Key = None,
        broken: Annotated[bool, typer.Option("--broken", help="Also where it is not what was sealed.")] = False,
        evidence: Evidence = None,
        as_json: AsJson = False,
    ) -> None:
        """Make one zip of a run, to be handed over; it is checked on the way."""
        raise typer.Exit(export_run(settings(None, evidence), Export(run, out, key, broken, as_json)))

    @app.command()
    def key(as_json: AsJson = False) -> None:
        """Print the public key that seals runs here, and its fingerprint; made on first use."""
        raise typer.Exit(show_key(settings(None, None), as_json=as_json))
