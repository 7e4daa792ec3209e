"""What is told of an exception that workflow code raised."""

import linecache

from services.workflows.execution.child.failures import failure_of

SOURCE = "import json\n\n\ndef run():\n    return json.loads('{')\n"


def failure_in_a_library():
    scope = {}
    exec(compile(SOURCE, "reader.py", "exec"), scope)
    try:
        scope["run"]()
    except ValueError as exc:
        return exc
    raise AssertionError("json read half an object")


def test_no_source_of_a_library_is_read():
    linecache.clearcache()
    failure_of(failure_in_a_library(), {"reader.py": SOURCE})
    read = [file for file, entry in linecache.cache.items() if len(entry) > 1]  # one that waits to be read has one part
    assert read == []
