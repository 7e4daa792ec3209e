"""The commands. Each reads its options, makes settings of them and hands over; nothing is decided here."""

from __future__ import annotations

import sys
from getpass import getuser
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from pydantic import ValidationError

from services.console import exits
from services.console.commands.ask import Asked, draft, to_run
from services.console.commands.login import by_hand, by_steps
from services.console.commands.operate import operate_here
from services.console.commands.reperform.command import Asked as Reperformance
from services.console.commands.reperform.command import reperform_run, run_or_zip
from services.console.commands.replay import Replay, replay_run
from services.console.commands.run.command import Request, run_batch
from services.console.commands.sql import SqlFormat, ask_sql, sql_question
from services.console.commands.up import serve_one, up_all
from services.console.handed_over import register
from services.console.pool_session import Terms, drive_page, observe_page
from services.console.run_location import WAYS, run_kept, runs_kept
from shared.errors import PermanentError
from shared.field_types import base_type
from shared.host.services import NAMES
from shared.s3.location import is_s3_url, parse_location
from shared.settings import Settings, with_capacity
from shared.task.spec import check_spec, read_spec
from shared.telemetry.logs import configure_logs

app = typer.Typer(
    name="exhibit",
    help="Browser agents that bring back evidence.",
    epilog=exits.HELP,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

Nats = Annotated[
    str | None, typer.Option("--nats", envvar="EXHIBIT_NATS_URL", help="Use the bus at this URL, not one of our own.")
]
Evidence = Annotated[str | None, typer.Option(help="Where evidence is kept: a folder, or s3://bucket/prefix.")]
Allow = Annotated[list[str] | None, typer.Option(help="Another host that may be opened: host, host:port or *.domain.")]
Secret = Annotated[list[str] | None, typer.Option(help="Name of a secret that may be typed with type_secret.")]
Profile = Annotated[str | None, typer.Option(help="Login state to begin with, as recorded with `exhibit login`.")]
AsJson = Annotated[bool, typer.Option("--json", help="JSON on standard output, for scripts.")]


@app.command(epilog=exits.HELP)
def run(
    spec: Annotated[Path | None, typer.Argument(help="The task spec, a JSON file.")] = None,
    input_file: Annotated[Path | None, typer.Option("--input", help="The samples: CSV or XLSX, with a header.")] = None,
    evidence: Evidence = None,
    planner: Annotated[str | None, typer.Option(help="Who decides: rules, anthropic or operator.")] = None,
    concurrency: Annotated[int | None, typer.Option(min=1, max=256, help="Samples at a time.")] = None,
    resume: Annotated[
        str | None,
        typer.Option(
            help="Work on what is left of this run: its id, its folder, s3://..., or `last`: of this SPEC and --input."
        ),
    ] = None,
    discover: Annotated[
        Path | None, typer.Option("--discover", help="Find the samples by navigating: a spec of phase discovery.")
    ] = None,
    filled_with: Annotated[
        list[str] | None, typer.Option("--with", help="NAME=VALUE that fills the discovery spec, such as org=acme.")
    ] = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> None:
    """Collect evidence for every sample of a list, or of what a discovery spec finds."""
    settings = _settings(nats, evidence)
    if concurrency is not None and nats is None:
        settings = with_capacity(settings, concurrency)
    _run(settings, Request(spec, input_file, resume, planner, concurrency, as_json, discover, tuple(filled_with or ())))


def _run(settings: Settings, request: Request) -> None:
    finished = exits.run_async(run_batch(settings, request), as_json=request.as_json)
    if not finished.population_complete or any(outcome.status != "done" for outcome in finished.outcomes):
        raise typer.Exit(exits.NOT_ALL_DONE)


@app.command(epilog=exits.HELP)
def replay(
    run: Annotated[str, typer.Argument(help=f"The run whose steps are taken again: {WAYS}.")],
    sample: Annotated[list[str] | None, typer.Option(help="Id of a sample; without any, all that can be.")] = None,
    allow_effects: Annotated[
        bool, typer.Option("--allow-effects", help="Take steps again that may change something on the site.")
    ] = False,
    concurrency: Annotated[int | None, typer.Option(min=1, max=256, help="Samples at a time.")] = None,
    evidence: Evidence = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> None:
    """Take the steps of an earlier run again, without a model, and say what is different now."""
    settings, run_id = _kept(_settings(nats, evidence), run, as_json=as_json)
    asked = Replay(run_id, tuple(sample) if sample else None, allow_effects, concurrency, as_json)
    if not exits.run_async(replay_run(settings, asked), as_json=as_json):
        raise typer.Exit(exits.NOT_ALL_DONE)


@app.command(epilog=exits.HELP)
def reperform(
    run: Annotated[str, typer.Argument(help=f"The run: its zip, {WAYS}.")],
    sample: Annotated[list[str] | None, typer.Option(help="Id of a sample; without any, all of them.")] = None,
    all_values: Annotated[bool, typer.Option("--all", help="List every value, however many there are.")] = False,
    concurrency: Annotated[int | None, typer.Option(min=1, max=64, help="Samples at a time.")] = None,
    evidence: Evidence = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> None:
    """Extract every value of a run again from its stored pages, offline, and say what is not the same."""
    with exits.bad_input("RUN", as_json=as_json):
        settings, kept = run_or_zip(_settings(nats, evidence), run)
    asked = Reperformance(kept, tuple(sample) if sample else None, as_json, all_values, concurrency)
    if not exits.run_async(reperform_run(settings, asked), as_json=as_json):
        raise typer.Exit(exits.NOT_ALL_DONE)


@app.command(epilog=exits.HELP)
def operate(
    name: Annotated[str | None, typer.Option(help="Who decides; it stands in the step log. Else the user's.")] = None,
    nats: Nats = None,
) -> None:
    """Decide the steps of samples whose planner is operator, one question at a time, until Ctrl-C."""
    exits.run_async(operate_here(_settings(nats), name or getuser()))


@app.command(epilog=exits.HELP)
def ask(
    request: Annotated[list[str], typer.Argument(help='What to collect and where: "Go to https://... and get ..."')],
    out: Annotated[Path, typer.Option(help="Folder for the task spec.")] = Path("task_specs"),
    force: Annotated[bool, typer.Option(help="Write over a spec of the same name.")] = False,
    run_it: Annotated[bool, typer.Option("--run", help="Run the task once it is drafted.")] = False,
    input_file: Annotated[Path | None, typer.Option("--input", help="With --run: the samples, CSV or XLSX.")] = None,
    evidence: Evidence = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> None:
    """Draft a task spec from a sentence: it is checked, shown and saved, and runs when you say so."""
    asked = Asked(" ".join(request), out, force, as_json)
    saved = exits.run_async(draft(_settings(nats), asked), as_json=as_json)
    if run_it:
        _run(_settings(nats, evidence), to_run(saved, input_file, as_json=as_json))


@app.command(epilog=exits.HELP)
def sql(
    words: Annotated[
        list[str], typer.Argument(metavar="[RUN] QUERY", help='"select ... from samples"; - reads it. No RUN: all.')
    ],
    format: Annotated[SqlFormat, typer.Option(help="Parquet only with --out.")] = SqlFormat.table,
    out: Annotated[Path | None, typer.Option(help="File for the answer.")] = None,
    max_rows: Annotated[int | None, typer.Option(min=1, help="Most rows; else 200 on a screen, a million.")] = None,
    timeout_s: Annotated[float, typer.Option("--timeout", min=0.1, max=120, help="Seconds a query may take.")] = 30.0,
    evidence: Evidence = None,
    nats: Nats = None,
) -> None:
    """Ask the evidence in SQL: views runs, samples, fields, artifacts, steps, judgments, usage, heals (docs/sql.md)."""
    with exits.bad_input("RUN"):
        settings, runs = runs_kept(_settings(nats, evidence), words[:-1])
    asked = sql_question([*runs, words[-1]], format, out, max_rows, timeout_s)
    if not exits.run_async(ask_sql(settings, asked)):
        raise typer.Exit(exits.BAD_INPUT)


@app.command()
def up(
    evidence: Evidence = None,
    port: Annotated[int, typer.Option(help="Port of the bus on loopback; -1 takes a free one.")] = 4222,
    nats: Nats = None,
) -> None:
    """Run all services, and a bus, in one process until Ctrl-C."""
    exits.run_async(up_all(_settings(nats, evidence), port))


@app.command()
def serve(
    name: Annotated[str, typer.Argument(help=f"One of {', '.join(sorted(NAMES))}.")],
    nats: Nats = None,
    evidence: Evidence = None,
) -> None:
    """Run one service on an existing bus, to scale it by itself."""
    exits.run_async(serve_one(_settings(nats, evidence), name))


@app.command()
def validate(spec: Annotated[Path, typer.Argument(help="The task spec.")], as_json: AsJson = False) -> None:
    """Check a task spec and list all that is wrong with it."""
    data, problems = read_spec(spec)
    task = None
    if data is not None:
        task, problems = check_spec(data)
    if task is None:
        exits.show_problems(problems, as_json=as_json)
        raise typer.Exit(exits.BAD_INPUT)
    fields = {name: base_type(field.type) for name, field in task.output_schema.items()}
    if as_json:
        sys.stdout.write(
            msgspec.json.encode({"task_id": task.task_id, "fields": fields, "problems": []}).decode() + "\n"
        )
    else:
        typer.echo(f"{spec}: a valid task spec, {task.task_id}: {', '.join(f'{n} ({t})' for n, t in fields.items())}")


@app.command()
def observe(
    url: str,
    keyword: Annotated[list[str] | None, typer.Option(help="Keep what matches, whatever the budget.")] = None,
    max_tokens: Annotated[int, typer.Option(help="Budget of the text.")] = 6000,
    allow: Allow = None,
    profile: Profile = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> None:
    """Print a page as the planner sees it."""
    terms = Terms(url, tuple(allow or ()), profile=profile)
    work = observe_page(_settings(nats), terms, tuple(keyword or ()), max_tokens, as_json)
    if not exits.run_async(work, as_json=as_json):
        raise typer.Exit(exits.NOT_ALL_DONE)


@app.command()
def drive(
    url: str,
    out: Annotated[Path, typer.Option(help="Folder for screenshots and downloads.")] = Path("drive"),
    allow: Allow = None,
    secret: Secret = None,
    profile: Profile = None,
    nats: Nats = None,
) -> None:
    """Execute actions from standard input, one JSON object a line, and print each result as a line."""
    terms = Terms(url, tuple(allow or ()), tuple(secret or ()), profile)
    if not exits.run_async(drive_page(_settings(nats), terms, sys.stdin, out), as_json=True):
        raise typer.Exit(exits.NOT_ALL_DONE)


@app.command(epilog=exits.HELP)
def login(
    name: Annotated[str, typer.Argument(help="What task specs call this login state: their auth_profile.")],
    url: Annotated[str, typer.Argument(help="Where one logs in.")],
    steps: Annotated[Path | None, typer.Option(help="Log in with these actions, one a line; - reads them.")] = None,
    allow: Allow = None,
    secret: Secret = None,
    nats: Nats = None,
) -> None:
    """Record a login: in a window, or by steps where there is none."""
    settings, terms = _settings(nats), Terms(url, tuple(allow or ()), tuple(secret or ()))
    if steps is None:
        recorded = exits.run_async(by_hand(settings, name, terms))
    else:
        recorded = exits.run_async(by_steps(settings, name, terms, _lines(steps), Path("drive")))
    if not recorded:
        raise typer.Exit(exits.NOT_ALL_DONE)


def _lines(path: Path) -> list[str]:
    try:
        return (sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8")).splitlines()
    except (OSError, UnicodeDecodeError) as exc:
        sys.stderr.write(f"exhibit: {path} cannot be read: {exc}\n")
        raise typer.Exit(exits.BAD_INPUT) from None


def _kept(settings: Settings, run: str, *, as_json: bool) -> tuple[Settings, str]:
    """See `run_kept`; where there is no such run the command ends."""
    with exits.bad_input("RUN", as_json=as_json):
        return run_kept(settings, run)


def _settings(nats: str | None, evidence: str | None = None) -> Settings:
    """Settings of the environment, with what was said on the command line before them."""
    said = {**({} if nats is None else {"nats_url": nats}), **_evidence(evidence)}
    try:
        settings = Settings()
    except ValidationError as exc:
        for error in exc.errors():
            sys.stderr.write(f"exhibit: setting {'.'.join(map(str, error['loc']))}: {error['msg']}\n")
        raise typer.Exit(exits.BAD_INPUT) from None
    configure_logs(settings.log_level)
    return settings.model_copy(update=said)


def _evidence(said: str | None) -> dict[str, Path | str | None]:
    """A folder that is named is meant, whatever bucket the environment names."""
    if said is None:
        return {}
    if not is_s3_url(said):
        return {"evidence_dir": Path(said), "evidence_bucket": None}
    try:
        return {"evidence_bucket": str(parse_location(said))}
    except PermanentError as exc:
        sys.stderr.write(f"exhibit: --evidence: {exc}\n")
        raise typer.Exit(exits.BAD_INPUT) from None


register(app, _settings)
