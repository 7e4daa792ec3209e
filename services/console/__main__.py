"""The entry point of `exhibit` and of `python -m services.console`."""

from __future__ import annotations

import sys


def main() -> None:
    try:
        # Imported here: Ctrl-C while the program is loaded leaves no traceback.
        from services.console.cli import app
        from services.console.terminal.lossless_stdout import lose_nothing

        lose_nothing()
        app()
    except KeyboardInterrupt:
        sys.exit(130)  # `exits.INTERRUPTED`, which may not be loaded yet


if __name__ == "__main__":
    main()
