"""`make audit`: the known vulnerabilities of the locked versions, where the package registry tells them.

Exit codes: 0: each locked package was looked up, and nothing is known; 1: something is known; 2: the registry did not
tell of every package. What is unknown is not called safe.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

LOCK = Path("requirements-dev.lock")
"""It holds what the other locks hold."""
BOUND_S = 900


@dataclass(frozen=True)
class Audit:
    """``vulnerable``: package, version, id, the versions that mend it. ``unknown``: packages that nobody told of."""

    looked_up: int
    vulnerable: tuple[tuple[str, str, str, str], ...]
    unknown: tuple[str, ...]

    @property
    def exit_code(self) -> int:
        if self.vulnerable:
            return 1
        return 2 if self.unknown or not self.looked_up else 0


def read_audit(told: dict[str, Any]) -> Audit:
    """Return what a report of pip-audit in JSON says."""
    packages = told["dependencies"]
    known = [one for one in packages if "skip_reason" not in one]
    vulnerable = [
        (one["name"], one["version"], found["id"], ", ".join(found["fix_versions"]))
        for one in known
        for found in one["vulns"]
    ]
    unknown = sorted(one["name"] for one in packages if "skip_reason" in one)
    return Audit(len(known), tuple(vulnerable), tuple(unknown))


def main() -> None:
    command = [sys.executable, "-m", "pip_audit", "--requirement", LOCK, "--require-hashes", "--disable-pip"]
    asked = subprocess.run(
        [*command, "--format", "json", "--progress-spinner", "off"], capture_output=True, text=True, check=False,
        timeout=BOUND_S,
    )  # fmt: skip
    try:
        audit = read_audit(json.loads(asked.stdout))
    except ValueError:
        raise SystemExit(f"pip-audit did not answer:\n{asked.stderr}") from None
    console = Console(soft_wrap=True, markup=False, highlight=False)
    for name, version, found, mended in audit.vulnerable:
        console.print(f"{name} {version}: {found}; mended in {mended or 'no version yet'}")
    if audit.unknown:
        console.print(f"The registry does not tell of {len(audit.unknown)} packages: {', '.join(audit.unknown)}")
    console.print(
        f"{audit.looked_up + len(audit.unknown)} locked packages: {audit.looked_up} looked up, "
        f"{len(audit.vulnerable)} vulnerabilities known, {len(audit.unknown)} unknown"
    )
    raise SystemExit(audit.exit_code)


if __name__ == "__main__":
    main()
