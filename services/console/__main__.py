"""The entry point of `exhibit` and of `python -m services.console`."""

from __future__ import annotations

import sys


def main() -> None:
    if sys.argv[1:] == ["health"]:
        # Containers ask every half minute: the rest of the command line would take most of a second of each.
        from services.console.commands.health.command import ask_health

        sys.exit(ask_health())
    try:
        # Imported here: Ctrl-C while the program is loaded, which takes a second, leaves no traceback.
        from services.console.cli import app
        from services.console.terminal.patient_output import wait_for_readers

        wait_for_readers()
        app()
    except KeyboardInterrupt:
        sys.exit(130)  # `exits.INTERRUPTED`, which may not be loaded yet


if __name__ == "__main__":
    main()
