"""Writes a run as one zip file: reproducible bytes, every file hashed again, renamed when complete."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterator
from pathlib import Path

from shared.evidence_format import chain
from shared.evidence_format.files.json_files import encode_file
from shared.evidence_format.handover import added_files
from shared.evidence_format.layout import MANIFEST, OBJECTS, SEAL
from shared.evidence_format.sources.source import BUFFER_BYTES, RunSource, Unreadable
from shared.evidence_format.verify.verify_run import RunCheck
from shared.whole_files import replace_file

EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The earliest date that a zip can hold. The time of packing is not part of the evidence."""
COMPRESSED = (".json", ".csv", ".html", ".txt", ".pem")
"""Files to compress; all others are compressed already."""
MODE = 0o100644 << 16


class ChangedMeanwhile(Exception):
    """A file changed after the run was checked."""


def write_zip(source: RunSource, checked: RunCheck, out: Path) -> int:
    """Write the zip and return how many files are in it. On an error no zip is left.

    Raises:
        ChangedMeanwhile: the run was intact when it was checked, and a file differs from its sealed hash now.
        Unreadable, OSError: a file cannot be read, or the zip cannot be written.
    """
    with replace_file(out) as file, zipfile.ZipFile(file, "w", allowZip64=True) as packed:
        return sum(1 for _ in _write_members(packed, source, checked))


def _write_members(packed: zipfile.ZipFile, source: RunSource, checked: RunCheck) -> Iterator[str]:
    added = added_files(checked.run_id, checked.seal) if checked.seal is not None else {}
    folder = checked.run_id or Path(source.place).stem
    wanted = _sealed_hashes(checked)
    actual = [path for path in checked.actual if not path.startswith(f"{OBJECTS}/")]
    for path in sorted({*actual, *added}):
        with packed.open(_zip_member(f"{folder}/{path}"), "w", force_zip64=True) as member:
            if path in added:
                member.write(added[path])
                yield path
                continue
            sha256 = hashlib.sha256()
            for piece in _pieces(source, path):
                sha256.update(piece)
                member.write(piece)
        if checked.whole and wanted.get(path) != sha256.hexdigest():
            raise ChangedMeanwhile(f"{path} changed while it was packed")
        yield path


def _sealed_hashes(checked: RunCheck) -> dict[str, str]:
    seal = chain.sha256(encode_file(checked.seal)) if checked.seal is not None else ""
    sealed = {path: entry.sha256 for path, entry in checked.sealed.items()}
    return {**sealed, MANIFEST: checked.manifest_sha256, SEAL: seal}


def _pieces(source: RunSource, path: str) -> Iterator[bytes]:
    try:
        with source.open(path) as file:
            while piece := file.read(BUFFER_BYTES):
                yield piece
    except OSError as exc:
        raise Unreadable(f"{path} cannot be read: {exc.strerror or exc}") from exc


def _zip_member(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, EARLIEST)
    member.compress_type = zipfile.ZIP_DEFLATED if name.endswith(COMPRESSED) else zipfile.ZIP_STORED
    member.create_system, member.external_attr = 3, MODE
    return member
