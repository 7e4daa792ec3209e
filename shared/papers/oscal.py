"""The assessment results of a run in OSCAL 1.2 (JSON): the machine-readable paper. Pure.

A sample is an observation, with its values as properties and the files that show them as evidence. An exception is an
observation of its own; a control for which there are exceptions has a finding that names them. Text of pages stands in
properties only: titles, descriptions and remarks of OSCAL are Markdown. Identifiers follow from the seal, so that the
same evidence gives the same bytes.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import msgspec

from shared.evidence_format import layout
from shared.evidence_format.facts import TaskControl
from shared.evidence_format.review.reviewed import ReviewedTarget
from shared.papers.paper import EXCEPTION_KINDS, MarkCode, Paper, PaperException, PaperSample, PaperValue
from shared.papers.words import attribute, read_words, review_words, value_words, verdict

OSCAL_VERSION = "1.2.1"
NAMESPACE = uuid.UUID("0b0f8a52-2f0e-4d4e-9c57-0d1f0c9b6a3e")
"""Of all identifiers that Exhibit derives."""
NS = "https://exhibit.invalid/ns/oscal"
"""Of the properties; a name, and no address."""
MARK_CLASSES: Mapping[MarkCode, str] = {
    "T": "traced", "P": "page", "U": "unstored", "A": "api", "D": "derived", "M": "picture", "H": "person",
    "N": "not-present", "R": "reviewed", "?": "open", "-": "none",
}  # fmt: skip
"""The class of the property of a value: its tickmark as a token."""
NO_CONTROL = "no-control-named"
_NO_TOKEN = re.compile(r"[^0-9A-Za-z_.-]")
_Object = dict[str, Any]


def assessment_results(paper: Paper, link_of: Callable[[str], str]) -> bytes:
    """Return the document. ``link_of``: returns the target of a link for a path in the run's folder, relative to it."""
    return msgspec.json.format(msgspec.json.encode(_Results(paper, link_of).document()), indent=1) + b"\n"


def token(text: str) -> str:
    """Return a text as a token of OSCAL: letters, digits, ``_``, ``-`` and ``.``, beginning with a letter or ``_``."""
    plain = _NO_TOKEN.sub("_", text)
    return plain if re.match(r"[A-Za-z_]", plain) else f"_{plain}"


class _Results:
    def __init__(self, paper: Paper, link_of: Callable[[str], str]) -> None:
        self._paper, self._link_of = paper, link_of
        self._people = sorted({*(one.name for one in paper.signatures), *filter(None, [paper.requested_by])})

    def document(self) -> _Object:
        paper = self._paper
        return {
            "assessment-results": {
                "uuid": self._id("results"),
                "metadata": self._metadata(),
                "import-ap": {"href": self._plan()},
                "results": [self._result()],
                **({"back-matter": {"resources": list(self._resources())}} if paper.seal.hashes else {}),
            }
        }

    def _plan(self) -> str:
        """Return what stands for the assessment plan: the task of the run, as a resource where it is sealed."""
        sealed = layout.RUN in dict(self._paper.seal.hashes)
        return f"#{self._id('file', layout.RUN)}" if sealed else self._href(layout.RUN)

    def _id(self, *parts: str) -> str:
        seal = self._paper.seal
        return str(uuid.uuid5(NAMESPACE, "\n".join((self._paper.run_id, seal.manifest_sha256, *parts))))

    # --- who and what

    def _metadata(self) -> _Object:
        paper = self._paper
        roles = dict.fromkeys(one.role or "reviewer" for one in paper.signatures)
        if paper.requested_by:
            roles = {"preparer": None, **roles}
        people = [{"uuid": self._id("person", name), "type": "person", "name": _line(name)} for name in self._people]
        given: _Object = {
            "title": f"Assessment results of {paper.run_id}",
            "last-modified": _moment(paper.last_change),
            "version": str(paper.seal.round or 0),
            "oscal-version": OSCAL_VERSION,
            "props": self._props(
                ("software", paper.software),
                ("run-id", paper.run_id),
                ("manifest-sha256", paper.seal.manifest_sha256),
                ("sealed-with-key", paper.seal.fingerprint),
                ("evidence", verdict(paper)),
            ),
        }
        if people:
            given |= {"roles": [{"id": token(role), "title": role.title()} for role in roles], "parties": people}
            given["responsible-parties"] = [
                {"role-id": token(role), "party-uuids": [self._id("person", name) for name in names]}
                for role, names in self._roles().items()
            ]
        return given

    def _roles(self) -> Mapping[str, list[str]]:
        paper = self._paper
        roles: dict[str, list[str]] = {"preparer": [paper.requested_by]} if paper.requested_by else {}
        for one in paper.signatures:
            roles.setdefault(one.role or "reviewer", []).append(one.name)
        return roles

    def _resources(self) -> Iterator[_Object]:
        """Yield the files of the run. The first is its task, which stands for the assessment plan."""
        for path, sha256 in self._paper.seal.hashes:
            yield {
                "uuid": self._id("file", path),
                "title": path,
                "rlinks": [{"href": self._href(path), "hashes": [{"algorithm": "SHA-256", "value": sha256}]}],
            }

    # --- the result

    def _result(self) -> _Object:
        paper = self._paper
        population = paper.population
        observed = [self._of_sample(one) for one in paper.samples]
        excepted = [self._of_exception(number, one) for number, one in enumerate(paper.exceptions, 1)]
        findings = [self._finding(one) for one in paper.controls] if paper.exceptions else []
        result: _Object = {
            "uuid": self._id("result"),
            "title": f"Run {paper.run_id}",
            "description": "The samples of a run, each with what was read of it and the evidence that shows it.",
            "start": _moment(paper.started_at or paper.asked_at),
            **({"end": _moment(paper.finished_at)} if paper.finished_at is not None else {}),
            "props": self._props(
                ("task", paper.task_id),
                ("attribute", attribute(paper)),
                ("population", population.headline),
                ("population-complete", "yes" if population.complete else "no"),
                ("population-why-not", population.why_not),
                ("sample-method", population.method),
                ("samples", str(population.found)),
                ("done", str(population.done)),
                ("for-review", str(population.review)),
                ("for-review-decided", _number(population.decided.get("review", 0))),
                ("failed", str(population.failed)),
                ("failed-decided", _number(population.decided.get("failed", 0))),
                ("excepted", str(population.excepted)),
                ("excepted-decided", _number(population.decided.get("excepted", 0))),
                ("draw-seed", paper.draw.seed if paper.draw is not None else ""),
                ("draw-method", paper.draw.method if paper.draw is not None else ""),
                ("review", review_words(paper)),
            ),
            "reviewed-controls": {"control-selections": list(self._selections())},
        }
        if paper.signatures:
            result["attestations"] = [self._attestation()]
        if observed or excepted:
            result["observations"] = [*observed, *excepted]
        if findings:
            result["findings"] = findings
        return result

    def _selections(self) -> Iterator[_Object]:
        """Yield the controls by their frameworks. Without any, a stand-in that says so: OSCAL selects at least one."""
        by_framework: dict[str, list[TaskControl]] = {}
        for one in self._paper.controls:
            by_framework.setdefault(one.framework, []).append(one)
        for framework, controls in by_framework.items():
            yield {
                "props": self._props(
                    ("framework", framework),
                    *((f"control.{token(one.id)}", f"{one.id} {one.title}".strip()) for one in controls),
                ),
                "include-controls": [{"control-id": token(one.id)} for one in controls],
            }
        if not by_framework:
            yield {
                "description": "The task names no control; the id is a stand-in.",
                "include-controls": [{"control-id": NO_CONTROL}],
            }

    def _attestation(self) -> _Object:
        paper = self._paper
        return {
            "responsible-parties": [
                {"role-id": token(role), "party-uuids": [self._id("person", name) for name in names]}
                for role, names in self._roles().items()
                if role != "preparer"
            ],
            "parts": [
                {
                    "name": "sign-off",
                    "title": "Sign-off of the review",
                    "prose": "Each has signed with a key of the fingerprint that is given.",
                    "props": self._props(
                        *(
                            (f"signature.{number}", f"{one.name}, {one.role}, {_moment(one.at)}, key {one.key}")
                            for number, one in enumerate(paper.signatures, 1)
                        )
                    ),
                }
            ],
        }

    # --- observations and findings

    def _of_sample(self, one: PaperSample) -> _Object:
        values = [value for value in one.values if value.mark != "-"]
        props = self._props(
            ("sample-id", one.sample_id),
            ("key", one.key),
            ("row", str(one.row) if one.row else ""),
            ("status", one.status),
            ("reason", one.reason),
            ("manifest-sha256", one.manifest_sha256),
            *self._decided(one.reviewed),
        )
        judged = [one.judgment] if one.judgment is not None else []
        for value in (*values, *judged):
            props += self._of_value(value)
        observation: _Object = {
            "uuid": self._id("sample", one.sample_id),
            "title": f"Sample {one.sample_id}",
            "description": f"Sample {one.sample_id} of {self._paper.run_id}, as it was read.",
            "props": props,
            "methods": ["EXAMINE"],
            "types": ["control-objective"],
            "collected": _moment(one.finished_at or self._paper.last_change),
        }
        evidence = list(self._evidence(one, [*values, *judged]))
        if evidence:
            observation["relevant-evidence"] = evidence
        return observation

    def _of_value(self, value: PaperValue) -> list[_Object]:
        """Return the value that counts, what was read where that is another one, and what people have decided of it."""
        name = token(value.field)
        said = self._prop(f"value.{name}", value_words(value) or "empty")
        said["class"] = MARK_CLASSES[value.tickmark]
        read = read_words(value) or "empty"
        was = [self._prop(f"read.{name}", read)] if value.decision_instead is not None else []
        was += self._props((f"where.{name}", value.where))
        return [said, *was, *self._props(*((f"{what}.{name}", text) for what, text in self._decided(value.reviewed)))]

    def _evidence(self, one: PaperSample, values: Sequence[PaperValue]) -> Iterator[_Object]:
        """Yield the files of a sample that its values stand on; of a sample without values its screenshots."""
        used = {
            path for value in values for path in (value.page, value.where, *(place.picture for place in value.places))
        }
        for file in one.files:
            if file.path in used or (not values and file.kind == "screenshot"):
                yield {
                    "href": self._href(file.path),
                    "description": f"{file.kind} in the folder of the sample",
                    "props": self._props(("sha256", file.sha256), ("size-bytes", str(file.size_bytes))),
                }

    def _of_exception(self, number: int, one: PaperException) -> _Object:
        where = f" of sample {one.sample_id}" if one.sample_id else ""
        return {
            "uuid": self._id("exception", str(number)),
            "title": f"Exception {number}: {EXCEPTION_KINDS[one.kind]}{where}",
            "description": f"An exception{where}. What it is stands in the property told.",
            "props": self._props(
                ("kind", one.kind),
                ("code", one.code),
                ("told", one.told),
                ("sample-id", one.sample_id),
                ("where", one.where),
                *self._decided(one.reviewed),
                *(
                    (f"{what}.{token(field)}", text)
                    for field, said in one.parts
                    if field
                    for what, text in self._decided(said)
                ),
            ),
            "methods": ["EXAMINE"],
            "types": ["finding"],
            "collected": _moment(self._paper.last_change),
        }

    def _decided(self, reviewed: ReviewedTarget | None) -> list[tuple[str, str]]:
        """Return what people have decided, as names and texts of properties."""
        if reviewed is None:
            return []
        return [
            ("decision", reviewed.decision),
            ("reviewed-value", reviewed.value),
            ("decision-reason", reviewed.reason),
            ("decided-by", ", ".join(reviewed.by)),
            ("decided-at", _moment(reviewed.at)),
        ]

    def _finding(self, control: TaskControl) -> _Object:
        count = len(self._paper.exceptions)
        samples = {one.sample_id for one in self._paper.exceptions if one.sample_id}
        known = [one.sample_id for one in self._paper.samples if one.sample_id in samples]
        related = [self._id("exception", str(number)) for number in range(1, count + 1)]
        related += [self._id("sample", sample_id) for sample_id in known]
        return {
            "uuid": self._id("finding", control.framework, control.id),
            "title": f"Open exceptions: {self._paper.open_exceptions} of {count}",
            "description": "What of the evidence for this control a person has to know or decide.",
            "props": self._props(("framework", control.framework), ("control", control.id), ("title", control.title)),
            "target": {
                "type": "objective-id",
                "target-id": token(control.id),
                "status": {
                    "state": "not-satisfied",
                    "reason": "other",
                    "remarks": "There are exceptions in the evidence. Whether the control is met is for a person.",
                },
            },
            "related-observations": [{"observation-uuid": one} for one in related],
        }

    # --- parts

    def _props(self, *pairs: tuple[str, str]) -> list[_Object]:
        """Return properties, without empty ones."""
        return [self._prop(name, text) for name, text in pairs if _line(text)]

    @staticmethod
    def _prop(name: str, text: str) -> _Object:
        return {"name": token(name), "ns": NS, "value": _line(text)}

    def _href(self, path: str) -> str:
        return quote(self._link_of(path), safe="/:")


def _number(number: int) -> str:
    return str(number) if number else ""


def _line(text: str) -> str:
    """Return a text on one line, as the value of a property has to be."""
    return " ".join(text.split())


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")
