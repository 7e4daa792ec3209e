"""`exhibit bus-config`: users, keys and rights of a bus for separate processes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from services.console import exits
from services.console.outcomes import CommandOutcome, CommandResult
from shared.bus.access.credentials import SERVICES, read_seed
from shared.bus.access.keys import new_seed
from shared.bus.access.private_files import write_private
from shared.errors import PermanentError

NATS_CONF = "nats.conf"


def bus_config(
    folder: Annotated[Path, typer.Argument(help="Where the files are written.")],
    new_keys: Annotated[
        bool, typer.Option("--new-keys", help="Make new keys for all users, in place of those there.")
    ] = False,
) -> CommandOutcome:
    """Write the configuration of a NATS server with a user for each service, for clients, reviewers and operators.

    Keys that are there already are kept. The seeds are secret: give each process its own, and nobody else any.
    """
    from shared.bus.access.server_config import USERS_CONF  # only here: the options are told without them
    from shared.bus.signing.seed_keys import SIGNERS

    with exits.bad_input(str(folder)):
        written = write_bus_config(folder, new_keys=new_keys)
    server = f"{folder / NATS_CONF} and {folder / USERS_CONF}"
    lines = (
        f"{server}: for the server",
        f"{folder / SERVICES}: one seed for each service, as EXHIBIT_NATS_SEED of its process",
        f"{folder / SIGNERS}: beside the seed of each service: the keys by which it knows the others",
        f"{folder / 'client.seed'}: for who requests runs and reads them",
        f"{folder / 'reviewer.seed'}: for who reviews what runs have brought",
        f"{folder / 'operator.seed'}: for who does things by hand",
        f"{written} of the seeds are new. They are secret, and only you can read them.",
    )
    return CommandResult(lines)


def write_bus_config(folder: Path, *, new_keys: bool = False) -> int:
    """Write all files; return how many seeds are new. Raises PermanentError when a file cannot be read or written."""
    from shared.bus.access.server_config import SERVER_CONF, USERS_CONF, users_config
    from shared.bus.signing.seed_keys import SIGNERS, signers_file
    from shared.host.bus_users import bus_users, rights_by_name

    try:
        for made in (folder, folder / SERVICES):
            made.mkdir(mode=0o700, parents=True, exist_ok=True)
        files = {
            user.name: (folder if user.actor is None else folder / SERVICES) / f"{user.name}.seed"
            for user in bus_users()
        }
        missing = [name for name, file in files.items() if new_keys or not file.exists()]
        for name in missing:
            write_private(files[name], f"{new_seed()}\n".encode())
        seeds = {name: read_seed(file) for name, file in files.items()}
        (folder / NATS_CONF).write_text(SERVER_CONF, encoding="utf-8")
        (folder / USERS_CONF).write_text(users_config(rights_by_name(seeds)), encoding="utf-8")
        _replace(folder / SIGNERS, signers_file(seeds))
    except OSError as exc:
        raise PermanentError(f"cannot be written: {exc.strerror}", code="cannot_write") from exc
    return len(missing)


def _replace(path: Path, data: bytes) -> None:
    """Write a file that everybody may read, at once as a whole: services read it while it is replaced."""
    write_private(path, data).chmod(0o644)
