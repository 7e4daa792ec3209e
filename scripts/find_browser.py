"""Prints the browser that would be driven, or exits with 1 where there is none."""

from __future__ import annotations

import sys

from services.browser_pool.adapters.chromium import find_browser
from shared.errors import ExhibitError
from shared.settings import Settings


def main() -> None:
    try:
        path = find_browser(Settings())
    except ExhibitError as exc:
        if "--quiet" not in sys.argv:
            print(exc, file=sys.stderr)
        raise SystemExit(1) from exc
    if "--quiet" not in sys.argv:
        print(path)


if __name__ == "__main__":
    main()
