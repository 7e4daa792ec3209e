"""``python -m scripts.write_editor_bundle``: write codemirror.js, the text editor of the console, as one module.

CodeMirror and what it needs are pinned by their hashes in tests/real/packages/editor.txt, as is esbuild, which joins
them; nothing else of them is run. The same pins give the same bytes. Beside it are written the licences, and
codemirror.json, which has the hash of the script, its size and the packages in it. With ``--check`` nothing is written:
it fails if what is there differs.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import platform
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scripts.fetch_packages import packages

ROOT = Path(__file__).parents[1]
KIND = "editor"
BUNDLER = "@esbuild/linux-x64"
STATIC = ROOT / "services/console/web/static"
SCRIPT, ABOUT, LICENCES = (STATIC / f"codemirror.{ending}" for ending in ("js", "json", "LICENSE"))
ENTRY = """
export { EditorState, RangeSetBuilder } from "@codemirror/state";
export { Decoration, EditorView, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
export { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
export { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
export { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit } from "@codemirror/language";
export { unifiedMergeView } from "@codemirror/merge";
export { python } from "@codemirror/lang-python";
export { PostgreSQL, sql } from "@codemirror/lang-sql";
export { json } from "@codemirror/lang-json";
export { tags } from "@lezer/highlight";
"""
"""All that editor.js takes: what else is in the packages is left out."""
OPTIONS = ("--bundle", "--format=esm", "--minify", "--legal-comments=none", "--target=es2022", "--log-level=error")
HEAD = "/* CodeMirror 6, made by scripts/write_editor_bundle.py. Licences: codemirror.LICENSE. */\n"
BOUND_S = 120.0


def make_bundle(folders: Mapping[str, Path]) -> dict[Path, bytes]:
    """Return the three files by their paths. ``folders``: of the unpacked packages, by name."""
    with TemporaryDirectory() as temporary:
        work = Path(temporary)
        for name, folder in folders.items():
            (work / "node_modules" / name).parent.mkdir(parents=True, exist_ok=True)
            (work / "node_modules" / name).symlink_to(folder / "package")
        (work / "entry.js").write_text(ENTRY, encoding="utf-8")
        program = Path(shutil.copy(folders[BUNDLER] / "package/bin/esbuild", work / "esbuild"))
        program.chmod(0o755)
        command = [
            str(program),
            "entry.js",
            *OPTIONS,
            "--preserve-symlinks",
            "--outfile=out.js",
            "--metafile=meta.json",
        ]
        subprocess.run(command, cwd=work, timeout=BOUND_S, check=True)
        script = HEAD.encode() + (work / "out.js").read_bytes()
        used = json.loads((work / "meta.json").read_bytes())["outputs"]["out.js"]["inputs"]
    names = sorted({_package_of(path) for path, part in used.items() if part["bytesInOutput"]} - {""})
    return {SCRIPT: script, ABOUT: _about(script, names, folders), LICENCES: _licences(names, folders)}


def _package_of(path: str) -> str:
    """Return the name of the package that a module is of; empty for the entry."""
    if "node_modules/" not in path:
        return ""
    parts = path.rpartition("node_modules/")[2].split("/")
    return "/".join(parts[: 2 if parts[0].startswith("@") else 1])


def _about(script: bytes, names: list[str], folders: Mapping[str, Path]) -> bytes:
    told: dict[str, Any] = {
        "sha256": hashlib.sha256(script).hexdigest(),
        "bytes": len(script),
        "bytes_gzip": len(gzip.compress(script, 9, mtime=0)),
        "packages": [{key: _manifest(folders[name])[key] for key in ("name", "version", "license")} for name in names],
    }
    return (json.dumps(told, indent=1) + "\n").encode()


def _manifest(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "package/package.json").read_bytes())


def _licences(names: list[str], folders: Mapping[str, Path]) -> bytes:
    """Return each licence once, below the packages that are under it."""
    texts: dict[str, list[str]] = defaultdict(list)
    for name in names:
        found = sorted((folders[name] / "package").glob("LICEN[SC]E*"))
        texts[found[0].read_text(encoding="utf-8").strip()].append(f"{name} {_manifest(folders[name])['version']}")
    return ("\n\n".join(f"{', '.join(of)}\n\n{text}" for text, of in texts.items()) + "\n").encode()


def main() -> int:
    if platform.machine() != "x86_64":
        print(f"the bundler in {KIND}.txt is for x86_64", file=sys.stderr)
        return 1
    made = make_bundle(packages(KIND))
    if "--check" in sys.argv[1:]:
        differing = [path.name for path, data in made.items() if not path.exists() or path.read_bytes() != data]
        print("".join(f"{name} is not what the pins give\n" for name in differing), end="")
        return int(bool(differing))
    for path, data in made.items():
        path.write_bytes(data)
        print(f"{path.relative_to(ROOT)}: {len(data)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
