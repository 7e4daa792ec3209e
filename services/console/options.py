"""Command-line options that several commands share, and the settings that they change."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from services.console import exits
from services.console.run_location import HOW_TO_NAME_A_RUN
from services.console.terminal.plain_output import print_err
from shared.contracts.discovery import ReadAs
from shared.errors import PermanentError
from shared.s3.location import is_s3_url, parse_location

if TYPE_CHECKING:
    from shared.settings import Settings

Nats = Annotated[
    str | None, typer.Option("--nats", envvar="EXHIBIT_NATS_URL", help="Use the bus at this URL; else start one.")
]
Evidence = Annotated[str | None, typer.Option(help="Where evidence is stored: a folder, or s3://bucket/prefix.")]
Allow = Annotated[list[str] | None, typer.Option(help="Another host that may be opened: host, host:port or *.domain.")]
Secret = Annotated[list[str] | None, typer.Option(help="Name of a secret that may be typed with type_secret.")]
Profile = Annotated[str | None, typer.Option(help="Login state to begin with, as recorded with `exhibit login`.")]
AsJson = Annotated[bool, typer.Option("--json", help="JSON on standard output, for scripts.")]
Sheets = Annotated[
    list[str] | None,
    typer.Option("--sheet", help="Read this sheet of the workbook, also a hidden one. Repeat it for several."),
]
Encoding = Annotated[str | None, typer.Option("--encoding", help="How the text file is encoded, such as cp1252.")]
HiddenRows = Annotated[
    str | None, typer.Option("--hidden-rows", help="take or leave the rows that are hidden in the sheet.")
]
Discover = Annotated[
    Path | None, typer.Option("--discover", help="Find the samples by navigating: a spec of phase discovery.")
]
FilledWith = Annotated[
    list[str] | None, typer.Option("--with", help="NAME=VALUE that fills the discovery spec, such as org=acme.")
]
Concurrency = Annotated[int | None, typer.Option(min=1, max=256, help="Samples at a time.")]
RunOrZip = Annotated[str, typer.Argument(help=f"The run: its zip, {HOW_TO_NAME_A_RUN}.")]
EvidenceOfRun = Annotated[
    str | None,
    typer.Option(help="Where evidence is stored, a folder or s3://bucket/prefix: RUN is the id of a run in it."),
]
TrustedKey = Annotated[
    str | None,
    typer.Option(help="Whose key must have sealed it: a file (PEM), or its fingerprint. Without: your own key."),
]

TsaCertificate = Annotated[
    Path | None,
    typer.Option(
        "--tsa-certificate",
        help="Certificates (PEM) of the time-stamping authority, with its root. Without: EXHIBIT_TSA_CERTIFICATE.",
    ),
]


def read_as(sheets: list[str] | None, encoding: str | None, hidden_rows: str | None) -> ReadAs:
    """Return what the options say of how a file is read."""
    return ReadAs(sheets=tuple(sheets or ()), encoding=encoding or "", hidden_rows=hidden_rows or "")


def load_settings(nats: str | None = None, evidence: str | None = None) -> Settings:
    """Return the settings of the environment, overridden by the options. On an invalid value the command ends."""
    # Imported here: a command without settings starts without pydantic.
    from pydantic import ValidationError

    from shared.settings import Settings
    from shared.telemetry.logs import configure_logs

    overrides = {**({} if nats is None else {"nats_url": nats}), **_evidence_overrides(evidence)}
    try:
        settings = Settings()
    except ValidationError as exc:
        for error in exc.errors():
            print_err(f"exhibit: setting {'.'.join(map(str, error['loc']))}: {error['msg']}\n")
        raise typer.Exit(exits.BAD_INPUT) from None
    configure_logs(settings.log_level, settings.log_format)
    return settings.model_copy(update=overrides)


def _evidence_overrides(evidence: str | None) -> dict[str, Path | str | bool | None]:
    """Return the settings for --evidence. A folder takes precedence over a bucket of the environment."""
    if evidence is None:
        return {}
    if not is_s3_url(evidence):
        return {"evidence_dir": Path(evidence), "evidence_bucket": None, "evidence_named": True}
    try:
        return {"evidence_bucket": str(parse_location(evidence)), "evidence_named": True}
    except PermanentError as exc:
        print_err(f"exhibit: --evidence: {exc}\n")
        raise typer.Exit(exits.BAD_INPUT) from None
