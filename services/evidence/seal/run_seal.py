"""Seals a run: writes and signs the manifest of all its files, once all outputs are stored.

A seal is never overwritten. Before a sealed round changes, its sealed files that will be made again are moved to
``rounds/N/``, the seal last, so that an interrupted move can be repeated (`archive_sealed_round`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing, suppress
from importlib.metadata import version

import msgspec

from services.evidence.deps import EvidenceDeps
from services.evidence.facts import RoundBefore
from services.evidence.ports import READ_LIMIT
from services.evidence.seal.file_hashes import hash_files, list_paths, make_tree_durable
from services.evidence.seal.sample_seal import StoredManifest, read_or_write_manifest
from services.evidence.state.run_state import RunState
from shared.aio import iterate_concurrently, map_concurrently
from shared.contracts.discovery import Sample
from shared.contracts.evidence import RunFinished
from shared.evidence_format import chain, layout
from shared.evidence_format.files import manifest as form
from shared.evidence_format.files.json_files import encode_file
from shared.evidence_format.files.manifest import RUN_FORMAT, FileEntry, RunManifest, SampleLink, Seal
from shared.evidence_format.files.run import RunFile, parse_run_file
from shared.text.names import DISCOVERY

NAMED_SAMPLES = 20
"""Samples that a remark names; of more it gives the number."""


async def seal_run(
    deps: EvidenceDeps, state: RunState, finished: RunFinished, before: RoundBefore | None = None
) -> RunFinished:
    """Seal the run unless it is sealed already, and return ``finished`` with the seal. Idempotent. No file of the run
    may change afterwards. ``before``: the round that only its review has changed, whose samples were compared."""
    if deps.signer is None or finished.manifest_sha256:
        return finished
    seal = await _read_seal(deps, state.record.run_id)
    if seal is None:
        seal = await _write_seal(deps, state, before)
    return msgspec.structs.replace(finished, manifest_sha256=seal.manifest_sha256, signed_by=seal.fingerprint)


async def remark_if_unsealed(deps: EvidenceDeps, state: RunState) -> None:
    """Add a remark to a finished run whose seal is missing, before it is resumed: the seal may have been removed to
    have changed files sealed again."""
    run = layout.run_key(state.record.run_id)
    if deps.signer is None or state.finished is None or await deps.store.read(f"{run}/{layout.SEAL}") is not None:
        return
    rounds = await _list_rounds(deps, run)
    if rounds and await deps.store.read(f"{run}/{layout.ROUNDS}/{rounds[-1]}/{layout.RUN}") == await deps.store.read(
        f"{run}/{layout.RUN}"
    ):
        return  # an earlier try has archived the round
    remark = f"round {len(rounds) + 1} was begun on a finished run without its seal: its earlier state is not attested"
    state.remarks = (*state.remarks, remark)


async def archive_sealed_round(deps: EvidenceDeps, state: RunState) -> None:
    """Move the files that the last round sealed to ``rounds/N/``; the run is not sealed afterwards. Idempotent."""
    run = layout.run_key(state.record.run_id)
    if await deps.store.read(f"{run}/{layout.SEAL}") is None:
        return
    archive = f"{layout.ROUNDS}/{len(await _list_rounds(deps, run)) + 1}"
    paths = await list_paths(deps.store, run, (), exclude=_not_of_run(state, layout.ROUNDS, layout.REVIEWS))
    for path in sorted(paths, key=lambda path: path == layout.MANIFEST):
        await _archive_file(deps, run, path, f"{run}/{archive}/{path}")
    await deps.store.move(f"{run}/{layout.SEAL}", f"{run}/{archive}/{layout.SEAL}")
    await make_tree_durable(deps.store, f"{run}/{archive}")


async def _archive_file(deps: EvidenceDeps, run: str, path: str, to: str) -> None:
    """Move a file that the next round makes again; copy one that it continues to use."""
    if layout.is_of_round(path):
        await deps.store.move(f"{run}/{path}", to)
    elif (data := await deps.store.read(f"{run}/{path}")) is not None:
        await deps.store.write(to, data)


def _not_of_run(state: RunState, *more: str) -> set[str]:
    """Return the names at the root of a run that are not files of the run itself."""
    return {*state.samples, DISCOVERY, layout.OBJECTS, layout.SEAL, layout.TIMESTAMPS, *more}


async def find_unchanged_round(deps: EvidenceDeps, state: RunState) -> RoundBefore | None:
    """Return the last sealed round, if the round that is closed now differs from it by the review alone: the same task
    and population, the same evidence of every sample, sealed by the same version. None: anything else is new, or that
    cannot be seen."""
    run = layout.run_key(state.record.run_id)
    rounds = await _list_rounds(deps, run) if state.reviewed else []
    if not rounds:
        return None
    folder = f"{run}/{layout.ROUNDS}/{rounds[-1]}"
    with suppress(*chain.NOT_JSON):
        made = msgspec.json.decode(await deps.store.read(f"{folder}/{layout.MANIFEST}") or b"", type=RunManifest)
        then, now = [parse_run_file(await deps.store.read(f"{one}/{layout.RUN}") or b"") for one in (folder, run)]
        same = made.software == _software() and _without_closing(then) == _without_closing(now)
        if same and await _are_samples_as_sealed(deps, state, made):
            return RoundBefore(folder, {entry.path: entry for entry in made.files}, made.samples)
    return None


def _without_closing(file: RunFile) -> RunFile:
    return msgspec.structs.replace(file, finished=None, reviewed=0)


async def _are_samples_as_sealed(deps: EvidenceDeps, state: RunState, made: RunManifest) -> bool:
    """Whether all samples of the run are those of the manifest, each with the files that it has sealed."""
    links = [*made.samples, *([made.discovery] if made.discovery is not None else [])]
    if {one.sample_id for one in links} != {*state.samples, *([DISCOVERY] if state.discovers else [])}:
        return False

    async def is_sealed(link: SampleLink) -> bool:
        key = layout.sample_key(made.run_id, link.sample_id, layout.MANIFEST)
        return await _read_hash(deps, key) == link.manifest_sha256

    return all(await map_concurrently(is_sealed, links, READ_LIMIT))


async def _list_rounds(deps: EvidenceDeps, run: str) -> list[int]:
    """Return the numbers of the rounds that are archived completely, with their seal."""
    below = f"{run}/{layout.ROUNDS}"
    names = [name for name in await deps.store.names(below) if name.isascii() and name.isdecimal()]
    return sorted([int(name) for name in names if await deps.store.read(f"{below}/{name}/{layout.SEAL}") is not None])


async def _read_seal(deps: EvidenceDeps, run_id: str) -> Seal | None:
    """Return the seal of this round, if it was written before a crash."""
    seal = await deps.store.read(layout.run_key(run_id, layout.SEAL))
    return msgspec.json.decode(seal, type=Seal) if seal is not None else None


async def _write_seal(deps: EvidenceDeps, state: RunState, before: RoundBefore | None) -> Seal:
    assert deps.signer is not None
    run = layout.run_key(state.record.run_id)
    manifest = encode_file(await _build_manifest(deps, state, run, before))
    seal = await asyncio.to_thread(deps.signer.seal, manifest)
    await deps.store.write(f"{run}/{layout.MANIFEST}", manifest)
    await deps.store.make_durable(run)
    await deps.store.write(f"{run}/{layout.SEAL}", encode_file(seal))
    await deps.store.make_durable(run)
    return seal


async def _build_manifest(deps: EvidenceDeps, state: RunState, run: str, before: RoundBefore | None) -> RunManifest:
    run_id, rounds = state.record.run_id, await _list_rounds(deps, run)
    number = len(rounds) + 1
    discovery = await read_or_write_manifest(deps, run_id, DISCOVERY) if state.discovers else None
    links, late = (before.samples, []) if before is not None else await _sample_links(deps, state)
    samples, head = form.chain_samples(links, form.samples_start_hash(run_id, number))
    return RunManifest(
        format=RUN_FORMAT,
        run_id=run_id,
        round=number,
        previous_sha256=await _read_hash(deps, f"{run}/{layout.ROUNDS}/{rounds[-1]}/{layout.MANIFEST}")
        if rounds
        else "",
        software=_software(),
        sealed_at=deps.now(),
        population=form.count_population(
            samples,
            announced=state.expected or 0,
            complete=state.population_complete,
            note=state.population_note,
        ),
        samples=samples,
        chain_sha256=head,
        discovery=_link(0, discovery) if discovery is not None else None,
        files=await _run_files(deps, state, run, rounds, discovery_is_sealed=discovery is not None),
        objects=form.objects_of(await _list_objects(deps, run)),
        remarks=(*state.remarks, *_late_remarks(late)),
    )


async def _sample_links(deps: EvidenceDeps, state: RunState) -> tuple[list[SampleLink], list[str]]:
    """Return the samples that have a result, and the ids of those that had no manifest until now.

    Only a link to each manifest is held: 10,000 manifests with all file names would fill the memory.
    """
    ordered = sorted((sample for sample, _ in state.samples.values()), key=lambda sample: sample.row)
    links: list[SampleLink] = []
    late: list[str] = []

    async def read(sample: Sample) -> tuple[Sample, StoredManifest | None]:
        return sample, await read_or_write_manifest(deps, state.record.run_id, sample.sample_id)

    async with aclosing(iterate_concurrently(read, ordered, READ_LIMIT)) as manifests:
        async for sample, found in manifests:
            if found is not None:
                links.append(_link(sample.row, found))
                late += [sample.sample_id] if found.made_late else []
    return links, late


def _software() -> str:
    return f"exhibit {version('exhibit')}"


def _late_remarks(ids: Sequence[str]) -> list[str]:
    if not ids:
        return []
    more = f" and {len(ids) - NAMED_SAMPLES} more" if len(ids) > NAMED_SAMPLES else ""
    return [f"without a manifest until the run was sealed: {', '.join(ids[:NAMED_SAMPLES])}{more}"]


def _link(row: int, stored: StoredManifest) -> SampleLink:
    manifest = stored.manifest
    return SampleLink(
        row=row,
        sample_id=manifest.sample_id,
        status=manifest.status,
        reason=manifest.reason,
        attempted=manifest.attempted,
        manifest_sha256=stored.sha256,
    )


async def _run_files(
    deps: EvidenceDeps, state: RunState, run: str, rounds: list[int], *, discovery_is_sealed: bool
) -> tuple[FileEntry, ...]:
    known = {path: entry for number in rounds for path, entry in (await _files_of_round(deps, run, number)).items()}
    exclude = _not_of_run(state, layout.MANIFEST) - ({DISCOVERY} if not discovery_is_sealed else set())
    paths = await list_paths(deps.store, run, known, exclude=exclude)
    return await hash_files(deps.store, run, paths, known)


async def _files_of_round(deps: EvidenceDeps, run: str, number: int) -> dict[str, FileEntry]:
    """Return the files that an earlier round sealed, under their paths in its archive."""
    archive = f"{layout.ROUNDS}/{number}"
    written = await deps.store.read(f"{run}/{archive}/{layout.MANIFEST}") or b""
    own = [
        e
        for e in msgspec.json.decode(written, type=RunManifest).files
        if not e.path.startswith(f"{layout.ROUNDS}/") and not layout.is_review(e.path)
    ]
    return {f"{archive}/{e.path}": msgspec.structs.replace(e, path=f"{archive}/{e.path}") for e in own}


async def _list_objects(deps: EvidenceDeps, run: str) -> list[str]:
    below = f"{run}/{layout.OBJECTS}"
    return [name for part in await deps.store.names(below) for name in await deps.store.names(f"{below}/{part}")]


async def _read_hash(deps: EvidenceDeps, key: str) -> str:
    return chain.sha256(await deps.store.read(key) or b"")
