"""What is wrong with a request for a run, found before services are started for it.

The same checks as discovery's, by the same functions; discovery makes them again, with those that only services can.
"""

from __future__ import annotations

import hashlib

from services.console.commands.run.inputs import Reconciling, RunInputs
from shared.contracts.discovery import AS_IT_IS, FileReading, InputFile, Problem, ReadAs, Register, SubmitRun
from shared.errors import RunRejectedError
from shared.submission.register import check_register, parse_named_register
from shared.submission.request import find_size_problems
from shared.submission.samples import first_problems
from shared.submission.search import check_new_run, is_discovery_request
from shared.tables.excel import open_workbook
from shared.tables.files import TableOrProblems, parse_table
from shared.tables.table import objects_to_table


def check_inputs(
    inputs: RunInputs, reconciling: Reconciling, *, planner: str | None, concurrency: int | None
) -> tuple[FileReading, ...]:
    """Return what became of the rows of the files. Raises RunRejectedError with every problem of a request for a new
    run."""
    register = None
    if inputs.register is not None:
        file = _described(inputs.register, reconciling.read_as)
        register = Register(file=file, key=reconciling.key or "", fold_keys=reconciling.fold_keys)
    request = SubmitRun(
        spec=inputs.spec,
        samples=() if inputs.names_no_samples else None,
        input_file=None if inputs.file is None else _described(inputs.file, inputs.read_as),
        discovery=inputs.discovery,
        discovery_row=dict(inputs.row),
        planner=planner,
        concurrency=concurrency,
        mode=inputs.mode,
        register=register,
    )
    found, problems = check_new_run(request, None if is_discovery_request(request) else _read_samples(inputs))
    readings: list[FileReading | None] = [found]
    if register is not None and inputs.register is not None:
        reading, more = check_register(register, inputs.spec, _read_register(inputs.register, register.file.read_as))
        problems = (*problems, *more)
        readings.append(reading)
    if problems:
        raise RunRejectedError(first_problems(problems))
    return tuple(reading for reading in readings if reading is not None)


def _described(file: tuple[str, bytes], how: ReadAs = AS_IT_IS) -> InputFile:
    name, data = file
    sha256 = hashlib.sha256(data).hexdigest()
    return InputFile(name=name, blob="", size_bytes=len(data), sha256=sha256, read_as=how)


def _read_samples(inputs: RunInputs) -> TableOrProblems | None:
    if inputs.file is None:
        return objects_to_table(()) if inputs.names_no_samples else None
    if too_large := find_size_problems(_described(inputs.file)):
        return None, too_large
    return parse_table(inputs.file[1], inputs.file[0], open_workbook, inputs.read_as)


def _read_register(file: tuple[str, bytes], how: ReadAs) -> TableOrProblems:
    too_large: tuple[Problem, ...] = find_size_problems(_described(file))
    return (None, too_large) if too_large else parse_named_register(file[1], file[0], open_workbook, how)
