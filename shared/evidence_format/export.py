"""One zip of a run: the same bytes each time, every file hashed again on its way, in its place once it is whole."""

from __future__ import annotations

import hashlib
import os
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from shared.evidence_format import chain
from shared.evidence_format.files.base import encode_file
from shared.evidence_format.handover import added_files
from shared.evidence_format.layout import MANIFEST, OBJECTS, SEAL
from shared.evidence_format.sources.base import Medium, Unreadable
from shared.evidence_format.sources.digests import BUFFER_BYTES
from shared.evidence_format.verify.run import RunCheck

LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The first moment a zip can tell: when a file was packed is no part of the evidence."""
TEXTS = (".json", ".csv", ".html", ".txt", ".pem")
"""All else is packed already."""
MODE = 0o100644 << 16


class ChangedMeanwhile(Exception):
    """A file is not any more what it was when the run was checked."""


def export(medium: Medium, checked: RunCheck, out: Path) -> int:
    """Writes the zip, and returns how many files are in it. What lies there is written as it lies there; where the run
    was whole, all of it must be what is sealed. Raises ChangedMeanwhile, Unreadable, OSError; then there is no zip."""
    handle, name = tempfile.mkstemp(dir=out.parent, prefix=f".{out.name}.", suffix=".part")
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            with zipfile.ZipFile(file, "w", allowZip64=True) as packed:
                count = sum(1 for _ in _written(packed, medium, checked))
            file.flush()
            os.fsync(file.fileno())
        part.chmod(0o644)
        part.replace(out)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return count


def _written(packed: zipfile.ZipFile, medium: Medium, checked: RunCheck) -> Iterator[str]:
    added = added_files(checked.run_id, checked.seal) if checked.seal is not None else {}
    folder = checked.run_id or Path(medium.place).stem
    wanted = _wanted(checked)
    lying = [path for path in checked.lying if not path.startswith(f"{OBJECTS}/")]
    for path in sorted({*lying, *added}):
        with packed.open(_member(f"{folder}/{path}"), "w", force_zip64=True) as member:
            if path in added:
                member.write(added[path])
                yield path
                continue
            sha256 = hashlib.sha256()
            for piece in _pieces(medium, path):
                sha256.update(piece)
                member.write(piece)
        if checked.whole and wanted.get(path) != sha256.hexdigest():
            raise ChangedMeanwhile(f"{path} changed while it was packed")
        yield path


def _wanted(checked: RunCheck) -> dict[str, str]:
    seal = chain.sha256(encode_file(checked.seal)) if checked.seal is not None else ""
    sealed = {path: entry.sha256 for path, entry in checked.sealed.items()}
    return {**sealed, MANIFEST: checked.manifest_sha256, SEAL: seal}


def _pieces(medium: Medium, path: str) -> Iterator[bytes]:
    try:
        with medium.open(path) as file:
            while piece := file.read(BUFFER_BYTES):
                yield piece
    except OSError as exc:
        raise Unreadable(f"{path} cannot be read: {exc.strerror or exc}") from exc


def _member(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, LONG_AGO)
    member.compress_type = zipfile.ZIP_DEFLATED if name.endswith(TEXTS) else zipfile.ZIP_STORED
    member.create_system, member.external_attr = 3, MODE
    return member
