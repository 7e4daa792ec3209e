"""`exhibit health`: for a container that asks whether the service in it is ready.

Asked every half minute, so it is started without the rest of the command line (`services/console/__main__.py`), and
asks the HTTP port of the process beside it: the bus would need a key, and answers for all instances at once.
"""

from __future__ import annotations

import http.client
import sys

import msgspec
from pydantic import ValidationError

from shared.health.readiness import CHECK_BOUND_S, HealthCondition, Readiness
from shared.settings import Settings

READY, NOT_READY, NO_PORT, NO_ANSWER = range(4)
ASK_BOUND_S = CHECK_BOUND_S + 3.0
EVERY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104  it is where one asks


def health() -> int:
    """Ask the service beside this command whether it is ready (EXHIBIT_HTTP_PORT), and say what is not."""
    return ask_health()


def ask_health() -> int:
    """Print what the service says of itself, one condition a line; return the exit code."""
    try:
        settings = Settings()
    except ValidationError as exc:
        names = ", ".join(".".join(map(str, error["loc"])) for error in exc.errors())
        return _said(f"these settings are not valid: {names}", NO_PORT)
    if not settings.http_port:
        return _said("EXHIBIT_HTTP_PORT is not set, so no service tells how it is", NO_PORT)
    host = EVERY_ADDRESS.get(settings.http_host, settings.http_host)
    try:
        found = ask_port(host, settings.http_port)
    except (OSError, http.client.HTTPException, msgspec.MsgspecError) as exc:
        return _said(f"no service answers at {host}:{settings.http_port} ({type(exc).__name__})", NO_ANSWER)
    sys.stdout.write("\n".join(map(_line, found.conditions)) + "\n")
    return READY if found.ready else NOT_READY


def ask_port(host: str, port: int) -> Readiness:
    connection = http.client.HTTPConnection(host, port, timeout=ASK_BOUND_S)
    try:
        connection.request("GET", "/ready")
        return msgspec.json.decode(connection.getresponse().read(), type=Readiness)
    finally:
        connection.close()


def _line(one: HealthCondition) -> str:
    return f"{'NOT' if one.told else 'ok '} {one.service}: {one.name}{f': {one.told}' if one.told else ''}"


def _said(text: str, code: int) -> int:
    sys.stderr.write(f"exhibit: {text}\n")
    return code
