"""A process confines itself: once for the process that forks the children, and in every child before its work."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress

from services.workflows.execution.isolation import system_calls as kernel
from services.workflows.execution.isolation.landlock import landlock_abi, restrict_files
from services.workflows.execution.isolation.limits import limit_every_child
from services.workflows.execution.isolation.plan import IsolationPlan, Layer
from services.workflows.execution.isolation.seccomp import filter_system_calls
from shared.child_process.child import die_with_parent

FOLDER = "/folder"
"""Of a child, where it has a root of its own."""
MAX_FILES = 4096
FIRST_UID, UIDS = 2_000_000_000, 60_000
NOBODY = 65534
_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")


class LayerError(Exception):
    """A layer cannot be had. ``layer``: which; the message says why."""

    def __init__(self, layer: Layer, reason: object) -> None:
        super().__init__(str(reason))
        self.layer: Layer = layer


# --- once


def enter_namespaces(plan: IsolationPlan) -> None:
    """Move this process, or for processes its children, to namespaces of its own, as far as plan and kernel allow.

    It must have one thread. Layers that cannot be had are left out of the plan.
    """
    wanted: dict[Layer, int] = {
        "mounts": kernel.CLONE_NEWNS,
        "network": kernel.CLONE_NEWNET,
        "processes": kernel.CLONE_NEWPID | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS,
    }
    wanted = {layer: flags for layer, flags in wanted.items() if plan.has(layer)}
    plan.first_uid, plan.shared_uid = _uids_for_children()
    if wanted and not _may_make_namespaces():
        plan.first_uid = None
        try:
            _enter_user_namespace()
        except OSError as exc:
            for layer in wanted:
                plan.leave_out(layer, f"user namespaces: {exc.strerror}")
            wanted = {}
    for layer, flags in wanted.items():
        try:
            kernel.unshare(flags)
        except OSError as exc:
            plan.leave_out(layer, exc.strerror)


def prepare_for_children(plan: IsolationPlan) -> None:
    """Make what all children share: the root, and what is known of Landlock."""
    kernel.keep_few_arenas()
    if plan.has("mounts"):
        try:
            _change_root(plan.base, plan.readable)
        except OSError as exc:
            os.chdir("/")
            with suppress(OSError):
                kernel.detach_mount(plan.base)  # the folders of children lie below it then
            plan.leave_out("mounts", f"{exc.strerror}: {exc.filename}" if exc.filename else exc.strerror)
    if plan.has("landlock"):
        try:
            plan.landlock_abi = landlock_abi()
        except OSError as exc:
            plan.leave_out("landlock", exc.strerror)


def _uids_for_children() -> tuple[int | None, bool]:
    """Return the first of many user ids that nobody has, or nobody's; (None, False) if it may not choose."""
    if os.geteuid() != 0:
        return None, False
    with open("/proc/self/uid_map", encoding="ascii") as file:
        ranges = [tuple(map(int, line.split())) for line in file]
    for uid, count in ((FIRST_UID, UIDS), (NOBODY, 1)):
        if any(first <= uid and uid + count <= first + size for first, _, size in ranges):
            return uid, count == 1
    return None, False


def _may_make_namespaces() -> bool:
    """Return whether this process may do so without a user namespace. It tries it in a child."""
    if os.geteuid() != 0:
        return False
    child = os.fork()
    if child == 0:
        try:
            kernel.unshare(kernel.CLONE_NEWNS | kernel.CLONE_NEWNET)
        except OSError:
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


def _enter_user_namespace() -> None:
    uid, gid = os.geteuid(), os.getegid()
    kernel.unshare(kernel.CLONE_NEWUSER)
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {gid} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)


def _change_root(base: str, readable: Sequence[str]) -> None:
    """Make a root of memory that holds ``readable``, read-only, and nothing else but the mount point of a folder."""
    kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    sources = [(path, _kind_of(path)) for path in (*readable, *_DEVICES)]
    handles = {path: os.open(path, os.O_PATH | os.O_CLOEXEC) for path, kind in sources if kind in {"folder", "file"}}
    kernel.mount("tmpfs", base, "tmpfs", kernel.MS_NOSUID, "mode=0755,size=1m,nr_inodes=4096")
    for path, kind in sources:
        inside = base + path
        if kind == "absent" or os.path.lexists(inside):
            continue
        os.makedirs(os.path.dirname(inside), exist_ok=True)
        if kind not in {"folder", "file"}:
            os.symlink(kind, inside)
            continue
        if kind == "folder":
            os.mkdir(inside)
        else:
            os.close(os.open(inside, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o444))
        # the handle and not the path: the root may be mounted above what it is to hold
        kernel.mount(f"/proc/self/fd/{handles[path]}", inside, None, kernel.MS_BIND | kernel.MS_REC)
        if not path.startswith("/dev/"):
            kernel.make_read_only(inside)
    for handle in handles.values():
        os.close(handle)
    os.mkdir(base + FOLDER)
    os.chdir(base)
    kernel.pivot_root_here()
    os.chdir("/")
    kernel.mount("none", "/", None, kernel.MS_REMOUNT | kernel.MS_BIND | kernel.MS_RDONLY | kernel.MS_NOSUID)


def _kind_of(path: str) -> str:
    """Return ``folder``, ``file``, ``absent``, or for a symbolic link what it points to."""
    if os.path.islink(path):
        return os.readlink(path)
    return "folder" if os.path.isdir(path) else "file" if os.path.exists(path) else "absent"


# --- in every child


def confine_child(plan: IsolationPlan, number: int) -> None:
    """Confine this process to its folder, which is made, and let it keep no right. Raises LayerError."""
    parent = os.getppid()
    uid = None if plan.first_uid is None else plan.first_uid + (0 if plan.shared_uid else number % UIDS)
    if not plan.has("user"):
        uid = None
    folder = _enter_folder(plan, number, uid)
    if plan.has("user"):
        _become_nobody(plan, uid)
    limit_every_child(count_threads=plan.has("threads"))
    kernel.drop_capabilities()
    kernel.set_process_control(kernel.PR_SET_DUMPABLE, 0)
    kernel.set_process_control(kernel.PR_SET_NO_NEW_PRIVS, 1)
    die_with_parent()  # after the change of user, which would undo it
    if os.getppid() != parent:
        os._exit(1)
    if plan.has("landlock"):
        try:
            restrict_files([*plan.readable, *_DEVICES], folder, plan.landlock_abi)
        except OSError as exc:
            raise LayerError("landlock", exc.strerror) from exc
    if plan.has("seccomp"):
        try:
            filter_system_calls()
        except OSError as exc:
            raise LayerError("seccomp", exc.strerror) from exc
        except KeyError as exc:
            raise LayerError("seccomp", f"the table has no {exc.args[0]} processors") from exc


def folder_of(base: str, number: int) -> str:
    """Return the folder of a child that has no root of its own."""
    return f"{base}/{number}"


def _enter_folder(plan: IsolationPlan, number: int, uid: int | None) -> str:
    if plan.has("mounts"):
        owner = f"uid={uid},gid={uid}," if uid is not None else ""
        options = f"{owner}mode=0700,size={plan.folder_bytes},nr_inodes={MAX_FILES}"
        try:
            kernel.unshare(kernel.CLONE_NEWNS)
            kernel.mount("tmpfs", FOLDER, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC, options)
        except OSError as exc:
            raise LayerError("mounts", exc.strerror) from exc
        os.chdir(FOLDER)
        return FOLDER
    folder = folder_of(plan.base, number)
    os.mkdir(folder, 0o700)
    if uid is not None:
        os.chown(folder, uid, uid)
    os.chdir(folder)
    return folder


def _become_nobody(plan: IsolationPlan, uid: int | None) -> None:
    if uid is None:
        _become_unmapped()
        return
    try:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    except OSError as exc:
        raise LayerError("user", exc.strerror) from exc
    for path in plan.readable:
        if not os.access(path, os.R_OK):
            raise LayerError("user", f"another user than that of the service cannot read {path}")
    if plan.shared_uid and plan.has("threads"):
        raise LayerError("threads", "all invocations run as one user")


def _become_unmapped() -> None:
    """Enter a user namespace in which this process is nobody, and its threads are counted on their own."""
    try:
        kernel.unshare(kernel.CLONE_NEWUSER)
    except OSError as exc:
        raise LayerError("user", f"user namespaces: {exc.strerror}") from exc
