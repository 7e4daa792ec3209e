"""A seccomp filter (seccomp(2)): system calls that workflow code has no use for fail with EPERM, for good.

Refused are new processes and programs, sockets, signals to others, other processes' memory, mounts and namespaces,
keys, BPF, and what only administrators need. System calls newer than the table do not exist (ENOSYS).
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform

from services.workflows.execution.isolation.system_calls import set_process_control

_PR_SET_SECCOMP, _MODE_FILTER = 22, 2
_KILL_PROCESS, _ALLOW, _ERRNO = 0x80000000, 0x7FFF0000, 0x00050000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NR, _ARCH, _ARGUMENT = 0, 4, 16
_CLONE_THREAD = 0x00010000
_PR_SET_PDEATHSIG = 1

ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
"""The number of the architecture in a filter, and the column of the table below."""
_X32 = 0x40000000
_FIRST_UNKNOWN = 470
"""System calls from here on are not in the table; numbers above 423 are the same everywhere."""

_REFUSED: dict[str, tuple[int | None, int | None]] = {
    # new processes and programs
    "fork": (57, None),
    "vfork": (58, None),
    "execve": (59, 221),
    "execveat": (322, 281),
    # sockets; socketpair is allowed, for event loops
    "socket": (41, 198),
    "connect": (42, 203),
    "accept": (43, 202),
    "bind": (49, 200),
    "listen": (50, 201),
    "accept4": (288, 242),
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "kcmp": (312, 272),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424),
    "tkill": (200, 130),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    # shared memory and messages between processes
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "semget": (64, 190),
    "semctl": (66, 191),
    "msgget": (68, 186),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "msgctl": (71, 187),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    # programs in memory, page faults, and rings that go around a filter
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    # mounts, roots and namespaces
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "open_tree_attr": (467, 467),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "unshare": (272, 97),
    "setns": (308, 268),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "mknod": (133, None),
    # keys, BPF, profiling
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "lookup_dcookie": (212, 18),
    # administration
    "syslog": (103, 116),
    "acct": (163, 89),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "vhangup": (153, 58),
    "personality": (135, 92),
    "iopl": (172, None),
    "ioperm": (173, None),
    "modify_ldt": (154, None),
    "uselib": (134, None),
}
_CLONE, _CLONE3 = (56, 220), (435, 435)
_KILL, _TGKILL = (62, 129), (234, 131)
_PRCTL, _PRLIMIT = (157, 167), (302, 261)


class _Instruction(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_uint16),
        ("if_true", ctypes.c_uint8),
        ("if_false", ctypes.c_uint8),
        ("operand", ctypes.c_uint32),
    )


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("instructions", ctypes.POINTER(_Instruction)))


Instruction = tuple[int, int, int, int]


def seccomp_program(machine: str, own_pid: int) -> list[Instruction]:
    """Return the filter: ``(code, jump if true, jump if false, operand)``. Raises KeyError for another machine."""
    architecture, column = ARCHITECTURES[machine]
    refuse = (_RETURN, 0, 0, _ERRNO | errno.EPERM)
    absent = (_RETURN, 0, 0, _ERRNO | errno.ENOSYS)
    program: list[Instruction] = [
        (_LOAD, 0, 0, _ARCH),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL_PROCESS),
        (_LOAD, 0, 0, _NR),
        (_AT_LEAST, 0, 1, _X32),
        refuse,
        (_AT_LEAST, 0, 1, _FIRST_UNKNOWN),
        absent,
        (_EQUAL, 0, 1, _CLONE3[column]),
        absent,  # the C library then uses clone, whose flags a filter can read
    ]
    for numbers in _REFUSED.values():
        if (number := numbers[column]) is not None:
            program += [(_EQUAL, 0, 1, number), refuse]
    allow = (_RETURN, 0, 0, _ALLOW)
    program += [
        *_by_argument(_CLONE[column], [(_ANY_BIT, 1, 0, _CLONE_THREAD), refuse]),
        *_by_argument(_KILL[column], [(_EQUAL, 1, 0, own_pid), refuse]),
        *_by_argument(_TGKILL[column], [(_EQUAL, 1, 0, own_pid), refuse]),
        *_by_argument(_PRCTL[column], [(_EQUAL, 0, 1, _PR_SET_PDEATHSIG), refuse]),
        *_by_argument(_PRLIMIT[column], [(_EQUAL, 2, 0, 0), (_EQUAL, 1, 0, own_pid), refuse]),
        allow,
    ]
    return program


def filter_system_calls() -> None:
    """Install the filter for this process and its threads. Needs no_new_privs. Raises OSError, or KeyError."""
    program = seccomp_program(platform.machine(), os.getpid())
    instructions = (_Instruction * len(program))(*program)
    filtered = _Program(len(program), ctypes.cast(instructions, ctypes.POINTER(_Instruction)))
    set_process_control(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.addressof(filtered))


def _by_argument(number: int, test: list[Instruction]) -> list[Instruction]:
    """Return instructions that test the first argument of one system call and allow it if the test does not refuse."""
    body = [(_LOAD, 0, 0, _ARGUMENT), *test, (_RETURN, 0, 0, _ALLOW)]
    return [(_EQUAL, 0, len(body), number), *body]
