"""`make sbom`: write sbom.cdx.json, every package of the product with version, licence, hashes and dependencies.

The format is CycloneDX 1.6; data of others that is in the product itself is named as a part of it. The file follows
from requirements.lock and the metadata of the installed packages alone, and names no host: who writes it of the same
lock, with the same Python and system, gets the same file. The wheel has it (PEP 770).
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportMissingTypeStubs=false, reportCallIssue=false, reportAttributeAccessIssue=false
# pyright: reportArgumentType=false
# The classes of cyclonedx have decorators without types, and the metadata of packages has none.

from __future__ import annotations

import json
import tomllib
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata, requires
from pathlib import Path
from typing import Any

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, Property, XsUri
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.model.license import License, LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from pip_requirements_parser import InstallRequirement, RequirementsFile

from scripts.write_editor_bundle import ABOUT
from scripts.write_editor_bundle import SCRIPT as EDITOR
from scripts.write_list_words import TARGET as WORDS
from scripts.write_list_words import sources
from services.workflows.search.spelling import VOCABULARY as PIECES
from shared.papers.pdf_pack.make_pack import FONTS
from shared.text.date_names import FILE as NAMES
from shared.text.date_names import date_names

ROOT = Path(__file__).parents[1]
LOCK, SBOM = ROOT / "requirements.lock", ROOT / "sbom.cdx.json"
NAMESPACE = uuid.UUID("5d1f6d0e-6a0f-4a3e-9d55-2b8e0f0d4a11")
"""Of serial numbers, which follow from the lock."""
MARKER = "exhibit:marker"
"""Property with the platforms and Pythons that need a package."""
LONGEST_LICENCE = 100
"""Some packages give the whole text of their licence for its name."""


@dataclass(frozen=True)
class Locked:
    """``name``: canonical. ``marker``: of platforms and Pythons that need it; empty: all. ``sha256``: of its files."""

    name: str
    version: str
    marker: str
    sha256: tuple[str, ...]


def read_lock(path: Path) -> list[Locked]:
    """Return the packages of a lock by name. Raises ValueError for what is not pinned with hashes."""
    parsed = RequirementsFile.from_file(str(path))
    if parsed.invalid_lines:
        raise ValueError(f"{path}: {parsed.invalid_lines[0].dumps()}")
    return sorted((_locked(one) for one in parsed.requirements), key=lambda one: (one.name, one.version))


def _locked(one: InstallRequirement) -> Locked:
    hashes = [text.removeprefix("sha256:") for text in one.hash_options if text.startswith("sha256:")]
    if not one.is_pinned or not hashes:
        raise ValueError(f"{one.name} is not pinned with a SHA-256")
    version = str(one.get_pinned_version)
    return Locked(canonicalize_name(str(one.name)), version, str(one.marker or ""), tuple(sorted(hashes)))


def make_sbom(lock: Path, project: Mapping[str, Any]) -> str:
    """Return the SBOM of a lock as JSON. ``project``: the parsed pyproject.toml."""
    packages, about = read_lock(lock), project["project"]
    needed = _closure(about["dependencies"])
    ours = Component(
        name=about["name"], version=about["version"], type=ComponentType.APPLICATION, bom_ref=about["name"],
        description=about["description"], licenses=[LicenseFactory().make_from_string(about["license"])],
        components=[_cldr(), _word_pieces(), _fonts(), *_words(), *_editor()],
    )  # fmt: skip
    components = {one: _component(one, needed) for one in packages}
    bom = Bom(
        serial_number=uuid.uuid5(NAMESPACE, lock.read_text(encoding="utf-8")),
        metadata=BomMetaData(component=ours),
        components=components.values(),
    )
    named: dict[str, list[Component]] = {}
    for one, component in components.items():
        named.setdefault(one.name, []).append(component)
    bom.register_dependency(ours, [found for name in _names(about["dependencies"]) for found in named.get(name, ())])
    for one, component in components.items():
        bom.register_dependency(component, [found for name in _requires(one.name) for found in named.get(name, ())])
    told = json.loads(JsonV1Dot6(bom).output_as_string())
    del told["metadata"]["timestamp"]  # else each writing were another file
    return json.dumps(told, indent=1, sort_keys=True) + "\n"


def _cldr() -> Component:
    """Data that is part of the product itself."""
    return Component(
        name="cldr", version=date_names().cldr, type=ComponentType.DATA, bom_ref="cldr",
        description=f"Names of months and days, in {NAMES.relative_to(ROOT)}",
        licenses=[LicenseFactory().make_from_string("Unicode-3.0")],
    )  # fmt: skip


def _word_pieces() -> Component:
    return Component(
        name="all-MiniLM-L6-v2", type=ComponentType.DATA, bom_ref="all-MiniLM-L6-v2",
        description=f"Word pieces, in {PIECES.relative_to(ROOT)}",
        licenses=[LicenseFactory().make_from_string("Apache-2.0")],
    )  # fmt: skip


def _fonts() -> Component:
    return Component(
        name="noto-sans", type=ComponentType.DATA, bom_ref="noto-sans",
        description=f"Fonts, in {FONTS.relative_to(ROOT)}",
        licenses=[LicenseFactory().make_from_string("OFL-1.1")],
    )  # fmt: skip


def _words() -> list[Component]:
    return [
        Component(
            name=name, version=version, type=ComponentType.DATA, bom_ref=name,
            description=f"Words of lists, in {WORDS.relative_to(ROOT)}",
            licenses=[LicenseFactory().make_from_string("MIT")],
        )
        for name, version in sources()
    ]  # fmt: skip


def _editor() -> list[Component]:
    """The packages that are joined in one script, with the licence that each names."""
    return [
        Component(
            name=one["name"], version=one["version"], type=ComponentType.LIBRARY, bom_ref=one["name"],
            description=f"Part of the text editor, in {EDITOR.relative_to(ROOT)}",
            licenses=[LicenseFactory().make_from_string(one["license"])],
        )
        for one in json.loads(ABOUT.read_bytes())["packages"]
    ]  # fmt: skip


def _component(one: Locked, needed: frozenset[str]) -> Component:
    purl = PackageURL("pypi", name=one.name, version=one.version)
    files = ExternalReference(
        type=ExternalReferenceType.DISTRIBUTION,
        url=XsUri(str(purl)),
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=sha256) for sha256 in one.sha256],
    )
    return Component(
        name=one.name, version=one.version, type=ComponentType.LIBRARY, bom_ref=str(purl), purl=purl,
        scope=ComponentScope.REQUIRED if one.name in needed else ComponentScope.OPTIONAL,
        licenses=_licences(one.name), external_references=[files],
        properties=[Property(name=MARKER, value=one.marker)] if one.marker else (),
    )  # fmt: skip


def _licences(name: str) -> list[License | LicenseExpression]:
    """Return the licence that the package names: as an expression, in its classifiers, or as a short text."""
    try:
        about = metadata(name)
    except PackageNotFoundError:  # of another platform
        return []
    make = LicenseFactory()
    if expression := about.get("License-Expression"):
        return [make.make_from_string(expression)]
    classified = [one.rpartition(" :: ")[2] for one in about.get_all("Classifier", ()) if one.startswith("License ::")]
    written = [one for one in [about.get("License", "")] if one and len(one) <= LONGEST_LICENCE and "\n" not in one]
    return [make.make_with_name(one) for one in sorted({*(classified or written)} - {"OSI Approved"})]


def _requires(name: str) -> tuple[str, ...]:
    try:
        return _names(requires(name) or ())
    except PackageNotFoundError:
        return ()


def _names(requirements: Iterable[str]) -> tuple[str, ...]:
    found = [Requirement(one) for one in requirements]
    return tuple(
        canonicalize_name(one.name) for one in found if one.marker is None or one.marker.evaluate({"extra": ""})
    )


def _closure(requirements: Iterable[str]) -> frozenset[str]:
    """Return the names of the packages that are needed, and of those that they need."""
    left, found = list(_names(requirements)), set[str]()
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += _requires(name)
    return frozenset(found)


def main() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    SBOM.write_text(make_sbom(LOCK, project), encoding="utf-8")


if __name__ == "__main__":
    main()
