"""Three widget kits on pages of ours: React Aria as one bundled script, Ant Design and Vuetify as their own files."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from scripts.fetch_packages import CACHE, LISTS, packages
from tests.real.folder_site import FolderSite

PAGES = Path(__file__).parents[1] / "pages"
KIND = "kits"
KITS = ("antd", "vuetify", "aria")
SERVED = {"antd": ("react", "react-dom", "dayjs", "antd"), "vuetify": ("vue", "vuetify")}
BUNDLER = "@esbuild/linux-x64"
BUNDLED = (
    *("react", "react-dom", "scheduler", "react-aria-components", "react-aria", "react-stately"),
    *("@internationalized/date", "@internationalized/number", "@internationalized/string", "@swc/helpers"),
    *("aria-hidden", "tslib", "clsx", "client-only", "use-sync-external-store", BUNDLER),
)
ENTRY = """
import * as React from "react"; import * as ReactDOM from "react-dom/client";
import * as Aria from "react-aria-components"; import * as Dates from "@internationalized/date";
Object.assign(window, { React, ReactDOM, Aria, Dates });
"""
BUNDLE_BOUND_S = 120.0


def kits_site(kits: Sequence[str] = KITS) -> FolderSite:
    """Return the site with the pages of these kits; fetch and bundle what they need."""
    wanted = {name for kit in kits for name in SERVED.get(kit, BUNDLED)}
    folders = packages(KIND, wanted)
    served = {f"/{name}/": folders[name] / "package" for kit in kits for name in SERVED.get(kit, ())}
    if "aria" in kits:
        served["/bundle/"] = _aria_bundle(folders)
    return FolderSite({**served, "/pages": PAGES, "/": PAGES})


def _aria_bundle(folders: dict[str, Path]) -> Path:
    """Return the folder with ``aria.js``; make it if it is not there."""
    if platform.machine() != "x86_64":
        raise RuntimeError(f"the bundler in {KIND}.txt is for x86_64; put that for {platform.machine()} there")
    pins = (LISTS / f"{KIND}.txt").read_bytes()
    folder = CACHE / "bundles" / hashlib.sha256(pins + ENTRY.encode()).hexdigest()[:16]
    if not (folder / "aria.js").exists():
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder) as temporary:
            _bundle(folders, Path(temporary)).replace(folder / "aria.js")
    return folder


def _bundle(folders: dict[str, Path], work: Path) -> Path:
    modules = work / "node_modules"
    for name, folder in folders.items():
        (modules / name).parent.mkdir(parents=True, exist_ok=True)
        (modules / name).symlink_to(folder / "package")
    (work / "entry.js").write_text(ENTRY, encoding="utf-8")
    program = Path(shutil.copy(folders[BUNDLER] / "package" / "bin" / "esbuild", work / "esbuild"))
    program.chmod(0o755)
    options = ("--bundle", "--format=iife", "--minify", '--define:process.env.NODE_ENV="production"')
    subprocess.run(
        [str(program), "entry.js", *options, "--outfile=aria.js", "--log-level=error"],
        cwd=work,
        env={**os.environ, "NODE_PATH": str(modules)},
        timeout=BUNDLE_BOUND_S,
        check=True,
    )
    return work / "aria.js"
