"""``python -m scripts.run_tests [fast | long] [PYTEST ARGUMENT ...]``: run the checks and the tests side by side.

Without a word: what `make test` runs. ``fast``: the checks, and the tests that start no process. ``long``: what is
marked ``long``, and the properties with many examples; without the checks. The output of the checks is shown only if
one of them fails; otherwise the last lines are the summary of pytest. The exit code is that of pytest, or 1 if only a
check failed.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence

PYTEST = (sys.executable, "-m", "pytest", "--dist", "worksteal")
ARGUMENTS = {
    # Most tests wait for a browser, a server or a process: more workers than cores.
    "test": ("-n", "4"),
    "fast": ("-n", "2", "-m", "not long and not system", "tests/unit", "tests/handlers", "tests/fuzz"),
    "long": ("-n", "2", "-m", "long or hypothesis", "--hypothesis-profile", "many"),
}
"""What pytest is told, by the word of the command line."""


def run_tests(selection: str, more: Sequence[str]) -> int:
    """Run the checks and the tests; return the exit code. ``more`` is passed on to pytest."""
    with tempfile.TemporaryFile("w+") as output:
        checks = start_checks(output.fileno()) if selection != "long" else None
        try:
            tested = subprocess.run([*PYTEST, *ARGUMENTS[selection], *more], check=False).returncode
            checked = 0 if checks is None else checks.wait()
        finally:
            if checks is not None and checks.poll() is None:
                checks.terminate()
        if checked:
            output.seek(0)
            print(f"\nA check failed (make check):\n{output.read()}", flush=True)
    return tested or int(checked != 0)


def start_checks(output: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(["make", "--no-print-directory", "check"], stdout=output, stderr=output)  # noqa: S607


def main() -> int:
    words = sys.argv[1:]
    selection = words.pop(0) if words and words[0] in ARGUMENTS else "test"
    try:
        return run_tests(selection, words)
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
