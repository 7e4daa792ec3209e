"""The seal of a run: the manifest of all there is of it, signed, once everything that is made of it lies there.

A seal that stands is never written over. Before anything of a sealed round changes, what was sealed and would be made
anew goes to ``rounds/N/`` (`open_round`), the seal last: a crash in between is gone on with.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from importlib.metadata import version

import msgspec

from services.evidence.deps import Deps
from services.evidence.ports import READ_LIMIT
from services.evidence.seal.file_hashes import hashed, paths_below, secured
from services.evidence.seal.sample_seal import Standing, sample_manifest
from services.evidence.state.run_state import RunState
from shared.aio import iterate_concurrently
from shared.contracts.discovery import Sample
from shared.contracts.evidence import RunFinished
from shared.evidence_format import chain, layout
from shared.evidence_format.files import manifest as form
from shared.evidence_format.files.base import encode_file
from shared.evidence_format.files.manifest import RUN_FORMAT, FileEntry, RunManifest, SampleLink, Seal
from shared.text.names import DISCOVERY

SHOWN = 20


async def sealed(deps: Deps, state: RunState, finished: RunFinished) -> RunFinished:
    """``finished`` with its seal: the one that stands, or one that is made now. Nothing of the run may change later."""
    if deps.signer is None or finished.manifest_sha256:
        return finished
    seal = await _standing(deps, state.record.run_id)
    if seal is None:
        seal = await _seal(deps, state)
    return msgspec.structs.replace(finished, manifest_sha256=seal.manifest_sha256, signed_by=seal.fingerprint)


async def remark_if_unsealed(deps: Deps, state: RunState) -> None:
    """A run that was finished and has no seal any more is gone on with, but not in silence: somebody may have taken it
    away to have what they changed sealed anew."""
    run = layout.run_key(state.record.run_id)
    if deps.signer is None or state.finished is None or await deps.store.read(f"{run}/{layout.SEAL}") is not None:
        return
    rounds = await _rounds(deps, run)
    if rounds and await deps.store.read(f"{run}/{layout.ROUNDS}/{rounds[-1]}/{layout.RUN}") == await deps.store.read(
        f"{run}/{layout.RUN}"
    ):
        return  # an earlier try has put the round aside
    told = f"round {len(rounds) + 1} was begun on a finished run without its seal: nobody vouches for it as it was then"
    state.remarks = (*state.remarks, told)


async def open_round(deps: Deps, state: RunState) -> None:
    """Puts aside what the last round has sealed, where it has; the run is unsealed from here on."""
    run = layout.run_key(state.record.run_id)
    if await deps.store.read(f"{run}/{layout.SEAL}") is None:
        return
    aside = f"{layout.ROUNDS}/{len(await _rounds(deps, run)) + 1}"
    paths = await paths_below(deps.store, run, (), besides=_besides(state, layout.ROUNDS))
    for path in sorted(paths, key=lambda path: path == layout.MANIFEST):
        await _put_aside(deps, run, path, f"{run}/{aside}/{path}")
    await deps.store.move(f"{run}/{layout.SEAL}", f"{run}/{aside}/{layout.SEAL}")
    await secured(deps.store, f"{run}/{aside}")


async def _put_aside(deps: Deps, run: str, path: str, to: str) -> None:
    """What the next round makes anew is moved; what it goes on with is copied."""
    if layout.is_of_round(path):
        await deps.store.move(f"{run}/{path}", to)
    elif (data := await deps.store.read(f"{run}/{path}")) is not None:
        await deps.store.write(to, data)


def _besides(state: RunState, *more: str) -> set[str]:
    """What at the root of a run is no file of the run itself."""
    return {*state.samples, DISCOVERY, layout.OBJECTS, layout.SEAL, *more}


async def _rounds(deps: Deps, run: str) -> list[int]:
    """The rounds that were sealed and put aside, whole."""
    below = f"{run}/{layout.ROUNDS}"
    names = [name for name in await deps.store.names(below) if name.isascii() and name.isdecimal()]
    return sorted([int(name) for name in names if await deps.store.read(f"{below}/{name}/{layout.SEAL}") is not None])


async def _standing(deps: Deps, run_id: str) -> Seal | None:
    """The seal of this round, made before a crash; None where the crash was before it was whole."""
    seal = await deps.store.read(layout.run_key(run_id, layout.SEAL))
    return msgspec.json.decode(seal, type=Seal) if seal is not None else None


async def _seal(deps: Deps, state: RunState) -> Seal:
    assert deps.signer is not None
    run = layout.run_key(state.record.run_id)
    manifest = encode_file(await _manifest(deps, state, run))
    seal = await asyncio.to_thread(deps.signer.seal, manifest)
    await deps.store.write(f"{run}/{layout.MANIFEST}", manifest)
    await deps.store.secure(run)
    await deps.store.write(f"{run}/{layout.SEAL}", encode_file(seal))
    await deps.store.secure(run)
    return seal


async def _manifest(deps: Deps, state: RunState, run: str) -> RunManifest:
    run_id, rounds = state.record.run_id, await _rounds(deps, run)
    number = len(rounds) + 1
    found = await sample_manifest(deps, run_id, DISCOVERY) if state.discovers else None
    links, late = await _samples(deps, state)
    samples, head = form.chain_samples(links, form.samples_start_hash(run_id, number))
    return RunManifest(
        format=RUN_FORMAT,
        run_id=run_id,
        round=number,
        previous_sha256=await _hash(deps, f"{run}/{layout.ROUNDS}/{rounds[-1]}/{layout.MANIFEST}") if rounds else "",
        software=f"exhibit {version('exhibit')}",
        sealed_at=deps.now(),
        population=form.count_population(
            samples,
            announced=state.expected or 0,
            complete=state.population_complete,
            note=state.population_note,
        ),
        samples=samples,
        chain_sha256=head,
        discovery=_link(0, found) if found is not None else None,
        files=await _files(deps, state, run, rounds, discovery_is_sealed=found is not None),
        objects=form.objects_of(await _objects(deps, run)),
        remarks=(*state.remarks, *_late(late)),
    )


async def _samples(deps: Deps, state: RunState) -> tuple[list[SampleLink], list[str]]:
    """Those that have a result, and which of them had no manifest until now. A manifest names every file of its sample:
    it is let go of at once, for 10,000 of them would fill the memory."""
    ordered = sorted((sample for sample, _ in state.samples.values()), key=lambda sample: sample.row)
    links: list[SampleLink] = []
    late: list[str] = []

    async def read(sample: Sample) -> tuple[Sample, Standing | None]:
        return sample, await sample_manifest(deps, state.record.run_id, sample.sample_id)

    async with aclosing(iterate_concurrently(read, ordered, READ_LIMIT)) as manifests:
        async for sample, found in manifests:
            if found is not None:
                links.append(_link(sample.row, found))
                late += [sample.sample_id] if found.made_late else []
    return links, late


def _late(ids: Sequence[str]) -> list[str]:
    if not ids:
        return []
    more = f" and {len(ids) - SHOWN} more" if len(ids) > SHOWN else ""
    return [f"without a manifest until the run was sealed: {', '.join(ids[:SHOWN])}{more}"]


def _link(row: int, standing: Standing) -> SampleLink:
    made = standing.manifest
    return SampleLink(
        row=row,
        sample_id=made.sample_id,
        status=made.status,
        reason=made.reason,
        attempted=made.attempted,
        manifest_sha256=standing.sha256,
    )


async def _files(
    deps: Deps, state: RunState, run: str, rounds: list[int], *, discovery_is_sealed: bool
) -> tuple[FileEntry, ...]:
    known = {path: entry for number in rounds for path, entry in (await _of_round(deps, run, number)).items()}
    besides = _besides(state, layout.MANIFEST) - ({DISCOVERY} if not discovery_is_sealed else set())
    paths = await paths_below(deps.store, run, known, besides=besides)
    return await hashed(deps.store, run, paths, known)


async def _of_round(deps: Deps, run: str, number: int) -> dict[str, FileEntry]:
    """What an earlier round has sealed lies in its folder now."""
    aside = f"{layout.ROUNDS}/{number}"
    written = await deps.store.read(f"{run}/{aside}/{layout.MANIFEST}") or b""
    own = [
        e for e in msgspec.json.decode(written, type=RunManifest).files if not e.path.startswith(f"{layout.ROUNDS}/")
    ]
    return {f"{aside}/{e.path}": msgspec.structs.replace(e, path=f"{aside}/{e.path}") for e in own}


async def _objects(deps: Deps, run: str) -> list[str]:
    below = f"{run}/{layout.OBJECTS}"
    return [name for part in await deps.store.names(below) for name in await deps.store.names(f"{below}/{part}")]


async def _hash(deps: Deps, key: str) -> str:
    return chain.sha256(await deps.store.read(key) or b"")
