"""The files that pages of the console load: scripts, styles, icons."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Sequence
from importlib import resources

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from services.console.web.desk import StaticFile, desk_of
from shared.evidence_view.assets import read_parts, status_css, status_js

DOM_PARTS = ("dom.js",)
PICTURE_PARTS = ("dom.js", "parts.js", "fields.js", "stage.js")
STAGE_PARTS = (*PICTURE_PARTS, "playback.js", "cards.js")


def static_files() -> dict[str, StaticFile]:
    """Return the files that pages load, by name."""
    folder = resources.files("services.console.web") / "static"

    def own(name: str) -> str:
        return (folder / name).read_text(encoding="utf-8")

    def joined(*names: str) -> str:
        return "\n".join(own(f"{name}.js") for name in names)

    def script(parts: Sequence[str], *names: str) -> tuple[str, str]:
        return f"{strict}{read_parts(parts)}\n{joined(*names)}", "text/javascript"

    styles = f"{read_parts(['report.css', 'playback.css'])}\n{status_css()}"
    strict = f'"use strict";\n{status_js()}'
    bundle = (folder / "codemirror.js").read_bytes()
    editor = own("editor.js").replace('from "codemirror"', f'from "/static/codemirror.js?v={_version(bundle)}"')
    texts = {
        "console.css": (f"{styles}\n{own('console.css')}", "text/css"),
        "times.js": (f"{strict}{joined('moments', 'times')}", "text/javascript"),
        "grid.js": script(DOM_PARTS, "grid"),
        "stage.js": script(STAGE_PARTS, "stage_page"),
        "live.js": script(DOM_PARTS, "frames", "live"),
        "build.js": script(DOM_PARTS, "frames", "moments", "asking", "build"),
        "table.js": script(DOM_PARTS, "asking", "decision_forms", "table"),
        "review.js": script(PICTURE_PARTS, "decision_forms", "review_desk"),
        "pointing.js": (f"{strict}{joined('kept_place', 'busy')}", "text/javascript"),
        "asked.js": (own("asked.js"), "text/javascript"),
        "editor.js": (f"{strict}{read_parts(DOM_PARTS)}\n{editor}", "text/javascript"),
        "codemirror.js": (bundle.decode(), "text/javascript"),
        "icon.svg": (own("icon.svg"), "image/svg+xml"),
    }
    return {name: _file(text.encode(), kind) for name, (text, kind) in texts.items()}


def _file(data: bytes, kind: str) -> StaticFile:
    return StaticFile(data, f"{kind}; charset=utf-8", _version(data), gzip.compress(data, 9, mtime=0))


def _version(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


async def show_static(request: Request) -> Response:
    """Send a file of the console, packed where the browser takes it so."""
    file = desk_of(request).static.get(request.path_params["name"])
    if file is None:
        raise HTTPException(404, "There is no such file.")
    keep = "public, max-age=31536000, immutable" if request.query_params.get("v") == file.version else "no-cache"
    headers = {"Cache-Control": keep, "Vary": "Accept-Encoding"}
    # Only these are packed: a page has a key of its session beside what others have written.
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(file.packed, media_type=file.media_type, headers={**headers, "Content-Encoding": "gzip"})
    return Response(file.data, media_type=file.media_type, headers=headers)
