"""The files that an export adds to a run: the public key, and instructions for checking it without this program.

`exhibit verify` renders both again and compares the bytes, so every earlier wording of the text must stay known here.
"""

from __future__ import annotations

from shared.evidence_format.files.manifest import Seal
from shared.evidence_format.layout import MANIFEST, PUBLIC_KEY, SEAL, VERIFY

_TEXT = """\
How to check this evidence: {run_id}
{line}

With Exhibit:

    exhibit verify THIS_FOLDER_OR_ZIP --key public_key.pem

Take the public key from somebody you trust, not from this folder: whoever can change the evidence can also put
another key here. Its fingerprint must be

    {fingerprint}

With standard tools, in this folder. This text is not sealed either: whoever can change the evidence can change what it
tells you to run. `exhibit verify` says where it was changed; it stands in {source} of Exhibit.

1. Whose key is it? This must print the fingerprint that you were told on another way:

    openssl pkey -pubin -in public_key.pem -outform DER | sha256sum

2. Is the run's manifest what was signed? This must print "Signature Verified Successfully":

    sed -n 's/.*"signature": "\\(.*\\)".*/\\1/p' {seal} | base64 -d > /tmp/signature
    openssl pkeyutl -verify -pubin -inkey public_key.pem -rawin -in {manifest} -sigfile /tmp/signature

3. Is every file what the manifests name? This runs the end of this text. The last line must say "0 are wrong":

    sed -n '/^import/,/^print/p' VERIFY.txt > /tmp/check.py && python3 /tmp/check.py

The format is written down in docs/adr/0010-*.md of Exhibit.

{program}"""

SOURCES = ("shared/evidence_format/handover.py", "shared/sealed/handing_over.py")
"""Path of this module as the text names it: the current one first, then those in earlier exports."""

PROGRAM = """\
import hashlib, json, os
run = json.load(open("manifest.json"))
want = {file["path"]: file["sha256"] for file in run["files"]}
for one in run["samples"] + [run["discovery"]] * bool(run["discovery"]):
    folder = one["sample_id"]
    want[folder + "/manifest.json"] = one["manifest_sha256"]
    for file in json.load(open(folder + "/manifest.json"))["files"]:
        want[folder + "/" + file["path"]] = file["sha256"]
beside = {"manifest.json", "seal.json", "public_key.pem", "VERIFY.txt"}
have = {os.path.join(at, name)[2:] for at, _, names in os.walk(".") for name in names}
bad = {path for path in have & want.keys() if hashlib.sha256(open(path, "rb").read()).hexdigest() != want[path]}
added = {path for path in have - want.keys() - beside if not path.startswith(("objects/", "seal.timestamps/"))}
for words, paths in ("CHANGED", bad), ("MISSING", want.keys() - have), ("ADDED", added):
    for path in sorted(paths):
        print(words, path)
print(len(want), "files are sealed;", len(bad) + len(added) + len(want.keys() - have), "are wrong")
"""


WITHOUT_TIMESTAMPS = PROGRAM.replace('(("objects/", "seal.timestamps/"))', '("objects/")')
"""The program as it was written before runs could have timestamps."""


def added_files(run_id: str, seal: Seal) -> dict[str, bytes]:
    """Return the files that an export adds: content by name."""
    return {PUBLIC_KEY: seal.public_key.encode(), VERIFY: _text(run_id, seal, SOURCES[0], PROGRAM)}


def accepted_files(run_id: str, seal: Seal) -> dict[str, tuple[bytes, ...]]:
    """Return, by name, all contents that `exhibit verify` accepts for these files."""
    earlier = (_text(run_id, seal, one, WITHOUT_TIMESTAMPS) for one in SOURCES)
    return {PUBLIC_KEY: (seal.public_key.encode(),), VERIFY: (_text(run_id, seal, SOURCES[0], PROGRAM), *earlier)}


def _text(run_id: str, seal: Seal, source: str, program: str) -> bytes:
    text = _TEXT.format(
        run_id=run_id,
        line="=" * (28 + len(run_id)),
        fingerprint=seal.fingerprint,
        source=source,
        seal=SEAL,
        manifest=MANIFEST,
        program=program,
    )
    return text.encode()
