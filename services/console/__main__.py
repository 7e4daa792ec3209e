"""The entry point of `exhibit` and of `python -m services.console`."""

from __future__ import annotations

from services.console.cli import app


def main() -> None:
    app()


if __name__ == "__main__":
    main()
