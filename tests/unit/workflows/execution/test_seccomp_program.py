"""The filter of system calls, run by a small machine as the kernel runs it."""

from __future__ import annotations

import errno

import pytest

from services.workflows.execution.isolation.seccomp import ARCHITECTURES, Instruction, seccomp_program

PID = 77
KILLED, ALLOWED = 0x80000000, 0x7FFF0000
REFUSED, ABSENT = 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
NUMBERS = {
    "x86_64": {
        "read": 0, "write": 1, "mmap": 9, "socketpair": 53, "sendto": 44, "futex": 202, "getrandom": 318, "openat": 257,
        "socket": 41, "execve": 59, "ptrace": 101, "clone": 56, "kill": 62, "tgkill": 234, "prctl": 157,
        "prlimit64": 302, "clone3": 435, "io_uring_setup": 425, "fork": 57, "mount": 165, "unshare": 272,
    },
    "aarch64": {
        "read": 63, "write": 64, "mmap": 222, "socketpair": 199, "sendto": 206, "futex": 98, "getrandom": 278,
        "openat": 56, "socket": 198, "execve": 221, "ptrace": 117, "clone": 220, "kill": 129, "tgkill": 131,
        "prctl": 167, "prlimit64": 261, "clone3": 435, "io_uring_setup": 425, "mount": 40, "unshare": 97,
    },
}  # fmt: skip


def verdict(program: list[Instruction], architecture: int, number: int, argument: int = 0) -> int:
    loaded = {0: number, 4: architecture, 16: argument & 0xFFFFFFFF}
    accumulator = at = 0
    while True:
        code, if_true, if_false, operand = program[at]
        at += 1
        match code:
            case 0x20:
                accumulator = loaded[operand]
            case 0x15:
                at += if_true if accumulator == operand else if_false
            case 0x35:
                at += if_true if accumulator >= operand else if_false
            case 0x45:
                at += if_true if accumulator & operand else if_false
            case 0x06:
                return operand
            case _:
                raise AssertionError(code)


@pytest.fixture(params=sorted(ARCHITECTURES))
def machine(request: pytest.FixtureRequest) -> str:
    return request.param


def ask(machine: str, name: str, argument: int = 0) -> int:
    return verdict(seccomp_program(machine, PID), ARCHITECTURES[machine][0], NUMBERS[machine][name], argument)


@pytest.mark.parametrize("name", ["read", "write", "mmap", "socketpair", "sendto", "futex", "getrandom", "openat"])
def test_what_python_needs_is_allowed(machine: str, name: str):
    assert ask(machine, name) == ALLOWED


@pytest.mark.parametrize("name", ["socket", "execve", "ptrace", "io_uring_setup", "mount", "unshare"])
def test_what_it_does_not_need_is_refused(machine: str, name: str):
    assert ask(machine, name) == REFUSED


def test_threads_may_be_made_and_processes_not(machine: str):
    thread, process = 0x3D0F00, 17
    assert (ask(machine, "clone", thread), ask(machine, "clone", process)) == (ALLOWED, REFUSED)
    assert ask(machine, "clone3") == ABSENT


@pytest.mark.parametrize("name", ["kill", "tgkill"])
def test_a_process_may_signal_itself_only(machine: str, name: str):
    assert [ask(machine, name, pid) for pid in (PID, 1, 0, -1)] == [ALLOWED, REFUSED, REFUSED, REFUSED]


def test_limits_of_others_cannot_be_set(machine: str):
    assert [ask(machine, "prlimit64", pid) for pid in (0, PID, 1)] == [ALLOWED, ALLOWED, REFUSED]


def test_it_cannot_be_made_to_outlive_its_parent(machine: str):
    set_death_signal, set_name = 1, 15
    assert (ask(machine, "prctl", set_death_signal), ask(machine, "prctl", set_name)) == (REFUSED, ALLOWED)


def test_calls_of_another_architecture_end_the_process(machine: str):
    assert verdict(seccomp_program(machine, PID), 0x40000003, 1) == KILLED


def test_calls_that_are_not_in_the_table_do_not_exist(machine: str):
    program = seccomp_program(machine, PID)
    architecture = ARCHITECTURES[machine][0]
    assert verdict(program, architecture, 500) == ABSENT
    assert verdict(program, architecture, 0x40000000 | 57) == REFUSED


def test_a_machine_without_a_table_has_no_filter():
    with pytest.raises(KeyError):
        seccomp_program("riscv64", PID)
