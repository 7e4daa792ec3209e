"""Programs as tools: real processes, hostile arguments, limits, secrets."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import psutil
import pytest

from tests.handlers.workflows.tool_bench import PYTHON, ToolBench, call, refusal
from tests.loop_clock import LoopClock
from tests.waiting import until

pytestmark = pytest.mark.system

SHOW = '"import sys,json; print(json.dumps(sys.argv[1:]))"'


def declare(bench: ToolBench, command: str, more: str = "", name: str = "t.yaml") -> None:
    text = f"kind: cli\ndescription: d\ncommand: {command}\n"
    bench.write(name, text + more)


ARGUMENTS = """
parameters:
  a: {}
  b: {required: false}
  many: {type: array, required: false}
  loud: {type: boolean, default: false}
"""
ODD = ["; rm -rf /", "$(id)", "`id`", "a b", "'", '"', "*", "\n", "|cat", "ü€", "", "{b}", "%s"]
NESTED = "[" * 300 + "]" * 300


async def test_values_reach_the_program_as_they_are(bench):
    declare(bench, f'[{PYTHON}, -c, {SHOW}, "{{a}}", ["-H", "{{many}}"]]', ARGUMENTS + "output: json")
    assert await call(bench.open(), "t", a="*", many=ODD) == ["*", *(part for value in ODD for part in ("-H", value))]


async def test_a_value_cannot_become_an_option_or_end_an_argument(bench):
    declare(bench, f'[{PYTHON}, -c, {SHOW}, "{{a}}"]', ARGUMENTS)
    told = "ValueError: t(): argument 'a' must not begin with '-': it would be read as an option"
    assert await refusal(bench.open(), "t", a="-o/etc/passwd") == told
    declare(bench, f'[{PYTHON}, -c, {SHOW}, ["--of", "{{a}}"]]', ARGUMENTS)
    assert await refusal(bench.open(), "t", a="--x") == told
    told = "ValueError: t(): a value holds a zero byte, which no argument can"
    assert await refusal(bench.open(), "t", a="a\0b") == told


async def test_after_two_dashes_within_an_option_or_where_it_is_declared_so_a_value_may_begin_with_a_dash(bench):
    declare(bench, f'[{PYTHON}, -c, {SHOW}, "--of={{a}}", --, "{{a}}"]', ARGUMENTS + "output: json")
    assert await call(bench.open(), "t", a="-x") == ["--of=-x", "--", "-x"]
    declare(bench, f'[{PYTHON}, -c, {SHOW}, "{{a}}"]', "parameters: {a: {may_be_option: true}}\noutput: json")
    assert await call(bench.open(), "t", a="-x") == ["-x"]


async def test_groups_stand_or_fall_together_and_lists_are_repeated(bench):
    command = f'[{PYTHON}, -c, {SHOW}, "{{loud:--loud}}", ["--b", "{{b}}"], ["-H", "{{many}}"], "{{a}}"]'
    declare(bench, command, ARGUMENTS + "output: json")
    toolbox = bench.open()
    assert await call(toolbox, "t", a="1") == ["1"]
    assert await call(toolbox, "t", a="1", b="2", many=["x", 3], loud=True) == [
        *("--loud", "--b", "2", "-H", "x", "-H", "3", "1"),
    ]
    assert await refusal(toolbox, "t", a="1", many=["-x"]) == (
        "ValueError: t(): argument 'many' must not begin with '-': it would be read as an option"
    )


async def test_it_has_a_folder_and_an_environment_of_its_own(bench, monkeypatch):
    monkeypatch.setenv("EXHIBIT_SECRET_OTHER", "hush")
    declare(
        bench,
        f'[{PYTHON}, -c, "import os,json; print(json.dumps([os.getcwd(), os.listdir(), dict(os.environ)]))"]',
        "env: {LANG: C.UTF-8}\noutput: json",
    )
    folder, files, environment = await call(bench.open(), "t")
    assert files == []
    assert not Path(folder).exists()
    assert environment == {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}


async def test_what_it_prints_becomes_the_value_that_was_declared(bench):
    for kind in ("text", "json", "lines", "bytes"):
        declare(bench, """[printf, '["a",\\n1]']""", f"output: {kind}", f"{kind}_.yaml")
    toolbox = bench.open()
    assert await call(toolbox, "text_") == '["a",\n1]'
    assert await call(toolbox, "json_") == ["a", 1]
    assert await call(toolbox, "lines_") == ['["a",', "1]"]
    assert await call(toolbox, "bytes_") == {"base64": "WyJhIiwKMV0=", "size_bytes": 8}


@pytest.mark.parametrize(("printed", "told"), [("{oops", "no JSON"), ("", "it is empty"), (NESTED, "nested")])
async def test_what_is_no_json_is_told_with_its_beginning(bench, printed, told):
    declare(bench, f"[printf, '%s', '{printed.replace('{', '{{')}']", "output: json")
    message = await refusal(bench.open(), "t")
    assert message.startswith("ValueError: t(): the answer is")
    assert told in message


async def test_standard_input_is_filled_from_arguments(bench):
    declare(bench, "[cat]", "stdin: 'dear {a}'\nparameters: {a: {}}")
    assert await call(bench.open(), "t", a="-\n;") == "dear -\n;"


async def test_an_exit_code_is_an_error_with_the_end_of_what_it_complained(bench):
    declare(bench, f"""[{PYTHON}, -c, "import sys; sys.stderr.write('x' * 9000 + ' no such ticket'); sys.exit(3)"]""")
    message = await refusal(bench.open(), "t")
    assert message.startswith("RuntimeError: t(): exit code 3: xxx")
    assert message.endswith("xxx no such ticket")
    assert len(message) < 1100


async def test_a_program_that_is_not_there_is_told(bench):
    declare(bench, "[no-such-program]")
    assert (await refusal(bench.open(), "t")).startswith("RuntimeError: t(): no-such-program cannot be started: ")


# --- limits


async def test_too_much_output_ends_it(bench):
    declare(bench, "['yes']", "limits: {output_bytes: 100000}")
    assert await refusal(bench.open(), "t") == "RuntimeError: t(): it wrote more than 100000 bytes"


SPAWN = "import subprocess,sys,time; p=subprocess.Popen(['sleep','1000']); print(p.pid, flush=True); "


async def test_what_takes_too_long_is_ended_with_its_children(bench, tmp_path):
    noted = tmp_path / "pid"
    declare(
        bench,
        f"""[{PYTHON}, -c, "{SPAWN} open('{noted}','w').write(str(p.pid)); time.sleep(1000)"]""",
        "limits: {timeout_s: 60}",
    )
    clock = LoopClock()
    task = asyncio.create_task(refusal(bench.open(), "t"))
    await asyncio.to_thread(until, lambda: noted.exists() and noted.read_text(), "the program notes its child")
    clock.skip(61)
    assert await task == "TimeoutError: t(): took longer than 60 s"
    await ended(int(noted.read_text()))


async def test_what_it_leaves_running_neither_holds_up_the_call_nor_stays(bench):
    declare(bench, f'[{PYTHON}, -c, "{SPAWN}"]')
    child = int(await call(bench.open(), "t"))
    await ended(child)


async def test_a_call_that_is_cancelled_ends_the_program(bench, tmp_path):
    noted = tmp_path / "pid"
    declare(bench, f"""[{PYTHON}, -c, "import os,time; open('{noted}','w').write(str(os.getpid())); time.sleep(99)"]""")
    task = asyncio.create_task(call(bench.open(), "t"))
    await asyncio.to_thread(until, lambda: noted.exists() and noted.read_text(), "the program notes its number")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await ended(int(noted.read_text()))


async def ended(pid: int) -> None:
    await asyncio.to_thread(until, lambda: _is_dead(pid), f"process {pid} ends")


def _is_dead(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


async def test_no_more_calls_run_at_a_time_than_are_declared(bench, tmp_path):
    log = tmp_path / "log"
    code = f"import time; f=open('{log}','a'); f.write('+'); f.flush(); time.sleep(0.2); f.write('-'); f.close()"
    declare(bench, f'[{PYTHON}, -c, "{code}"]', "limits: {concurrent: 2}")
    toolbox = bench.open()
    await asyncio.gather(*(call(toolbox, "t") for _ in range(4)))
    running = most = 0
    for mark in log.read_text():
        running += 1 if mark == "+" else -1
        most = max(most, running)
    assert running == 0
    assert 1 <= most <= 2


# --- secrets


SECRET = "tr4cker-t0ken&x"


async def test_an_error_does_not_show_a_secret_either(bench):
    bench.secrets["tracker_token"] = SECRET
    code = "import os,sys; sys.exit('denied for ' + os.environ['TOKEN'])"
    declare(bench, f'[{PYTHON}, -c, "{code}"]', "secrets: {TOKEN: tracker_token}")
    assert await refusal(bench.open(), "t") == "RuntimeError: t(): exit code 1: denied for (hidden)"


async def test_a_secret_reaches_the_program_and_no_form_of_output_shows_it(bench):
    bench.secrets |= {"tracker_token": SECRET, "pin": "92837465"}
    code = (
        "import os,json; t=os.environ['TOKEN']; print(json.dumps({{t: ['a '+t+' b', len(t), int(os.environ['PIN'])]}}))"
    )
    declare(bench, f'[{PYTHON}, -c, "{code}"]', "secrets: {TOKEN: tracker_token, PIN: pin}\noutput: json")
    assert await call(bench.open(), "t") == {"(hidden)": ["a (hidden) b", len(SECRET), "(hidden)"]}
    code = "import os,sys,base64; t=os.environ['TOKEN']; print(t, t.upper(), base64.b64encode(t.encode()).decode())"
    forms = {
        "text": "(hidden) (hidden) (hidden)\n",
        "lines": ["(hidden) (hidden) (hidden)"],
        "bytes": {"base64": "KGhpZGRlbikgKGhpZGRlbikgKGhpZGRlbikK", "size_bytes": 27},
    }
    for kind, shown in forms.items():
        declare(bench, f'[{PYTHON}, -c, "{code}"]', f"secrets: {{TOKEN: tracker_token}}\noutput: {kind}")
        assert await call(bench.open(), "t") == shown


# --- addresses


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("https://evil.example/x", "evil.example is none of the hosts"),
        ("https://inside.good.example/", "private address (10.0.0.7)"),
    ],
)
async def test_an_address_is_checked_before_the_program_starts(bench, url, told):
    declare(
        bench,
        "[no-such-program, --, '{url}']",
        "parameters: {url: {format: url}}\nhosts: [good.example, '*.good.example']",
    )

    async def resolve(host: str) -> tuple[str, ...]:
        return ("10.0.0.7",) if host.startswith("inside") else ("93.184.216.34",)

    message = await refusal(bench.open(resolve=resolve), "t", url=url)
    assert message.startswith("PermissionError: t(): url: ")
    assert told in message
