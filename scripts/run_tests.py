"""``python -m scripts.run_tests [fast | long]``: run the checks and the tests side by side.

Without a word: what `make test` runs. ``fast``: the checks, and the tests that start no process. ``long``: what is
marked ``long``, and properties with many examples; without the checks. The output of the checks is shown only if one of
them fails, before the tests end; so the last lines are the summary of pytest. The exit code is that of pytest, or 1 if
only a check failed.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence

PYTEST = (sys.executable, "-m", "pytest", "--dist", "worksteal")
WITHOUT_PROCESSES = ("tests/unit", "tests/handlers", "tests/fuzz")
WAYS: dict[str, tuple[str, ...]] = {
    # Most tests wait for a browser, a server or a process: more workers than cores.
    "test": ("-n", "4"),
    "fast": ("-n", "2", "-m", "not long and not system", *WITHOUT_PROCESSES),
    "long": ("-n", "2", "-m", "long or hypothesis", "--hypothesis-profile", "many"),
}
"""What pytest is told, by the word of the command line."""


def run_tests(way: str, more: Sequence[str]) -> int:
    """Run the checks and the tests; return the exit code. ``more`` is passed on to pytest."""
    with tempfile.TemporaryFile("w+") as said:
        checks = None if way == "long" else subprocess.Popen(["make", "check"], stdout=said, stderr=subprocess.STDOUT)
        try:
            tested = subprocess.run([*PYTEST, *WAYS[way], *more], check=False).returncode
            checked = 0 if checks is None else checks.wait()
        finally:
            if checks is not None and checks.poll() is None:
                checks.terminate()
        if checked:
            said.seek(0)
            print(f"\nmake check failed ({checked}):\n{said.read()}", flush=True)
    return tested or int(checked != 0)


def main() -> int:
    way, more = (sys.argv[1], sys.argv[2:]) if sys.argv[1:2] and sys.argv[1] in WAYS else ("test", sys.argv[1:])
    try:
        return run_tests(way, more)
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
