"""The part of the actor that is asked by clients of build sessions."""

from __future__ import annotations

from services.workflows.builds.build_sessions import MAX_WAIT_S, BuildSessions
from services.workflows.deps import WorkflowDeps
from shared.bus.actor import Actor
from shared.contracts.workflows.builds import (
    BuildsListed,
    DoInBuild,
    DoReply,
    FollowBuild,
    FollowReply,
    ListBuilds,
    LoadBuildFile,
    LoadFileReply,
    OpenBuild,
    OpenReply,
    ReadBuild,
    ReadBuildFile,
    ReadReply,
    StoreBuildFile,
    StoreReply,
)
from shared.errors import Unsupported
from shared.subjects import (
    DO_IN_BUILD,
    FOLLOW_BUILD,
    LIST_BUILDS,
    LOAD_BUILD_FILE,
    OPEN_BUILD,
    READ_BUILD,
    READ_BUILD_FILE,
    STORE_BUILD_FILE,
)

OPEN_DEADLINE_S = 120.0

build_actor: Actor[WorkflowDeps] = Actor("workflows")


@build_actor.answers(OPEN_BUILD, deadline_s=OPEN_DEADLINE_S)
async def open_build(request: OpenBuild, deps: WorkflowDeps) -> OpenReply:
    return await _builds(deps).open(request)


@build_actor.answers(DO_IN_BUILD)
async def do_in_build(request: DoInBuild, deps: WorkflowDeps) -> DoReply:
    return _builds(deps).do(request)


@build_actor.answers(FOLLOW_BUILD, deadline_s=MAX_WAIT_S + 10.0)
async def follow_build(request: FollowBuild, deps: WorkflowDeps) -> FollowReply:
    return await _builds(deps).follow(request)


@build_actor.answers(STORE_BUILD_FILE)
async def store_build_file(request: StoreBuildFile, deps: WorkflowDeps) -> StoreReply:
    return await _builds(deps).store_file(request)


@build_actor.answers(LOAD_BUILD_FILE)
async def load_build_file(request: LoadBuildFile, deps: WorkflowDeps) -> LoadFileReply:
    return await _builds(deps).load_file(request)


@build_actor.answers(LIST_BUILDS)
async def list_builds(request: ListBuilds, deps: WorkflowDeps) -> BuildsListed:
    return await _builds(deps).kept.list()


@build_actor.answers(READ_BUILD)
async def read_build(request: ReadBuild, deps: WorkflowDeps) -> ReadReply:
    return await _builds(deps).kept.read(request)


@build_actor.answers(READ_BUILD_FILE)
async def read_build_file(request: ReadBuildFile, deps: WorkflowDeps) -> LoadFileReply:
    return await _builds(deps).kept.read_file(request)


def _builds(deps: WorkflowDeps) -> BuildSessions:
    if deps.builds is None:
        raise Unsupported("this library has no build sessions")
    return deps.builds
