"""`exhibit demo`: 60 practice tickets, from a list to evidence, compared with the data of the site.

No key, no network: the site, the bus, the services and the browser all run on this machine. A program of its own, for
the practice sites and the system know nothing of each other.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

SPEC = Path(__file__).parents[1] / "task_specs" / "practice_tickets.json"
"""In a checkout and beside the installed packages."""
STOP_BOUND_S = 30


INTERRUPTED = 130


def main() -> None:
    """Exit with 0 if every cell agrees with the site, with 1 if not, and else as `exhibit` does. On a terminal the
    console in the browser shows the run first, until Ctrl-C."""
    try:
        code = collect()
    except KeyboardInterrupt:
        code = INTERRUPTED
    if code == INTERRUPTED:
        print("\nThe demo was interrupted. Its site, bus and browser have ended, and its run with them: call it again.")
    elif code == 0 and sys.stdout.isatty():
        show_in_browser()
    raise SystemExit(code)


def show_in_browser() -> None:
    """Serve the console with the finished run until Ctrl-C, where its packages are installed."""
    import typer

    from services.console.commands.web import web
    from services.console.exits import errors_shown
    from shared.extras import has_extra

    if has_extra("web"):
        with suppress(KeyboardInterrupt, typer.Exit), errors_shown():  # how the pages end is not how the demo ended
            web()


def collect() -> int:
    """Run the demo; return its exit code."""
    # Imported here: Ctrl-C while the program is loaded leaves no traceback.
    import typer
    from rich.console import Console

    from practice.tickets.data import ground_truth
    from practice.tickets.demo import compare, write_input
    from services.console.commands.run.run import run_batch
    from services.console.event_loop import run_async
    from services.console.exits import errors_shown
    from services.console.text.tally import headline
    from shared.settings import Settings

    console, tickets = Console(), ground_truth()
    with practice_site() as url, tempfile.TemporaryDirectory() as folder:
        console.print(f"A practice ticket site runs at {url}; 60 of its tickets are on the list.", style="dim")
        console.print("A bus, the services and a browser are starting on this machine.", style="dim")
        samples = Path(folder) / "tickets.csv"
        write_input(samples, url, tickets)
        try:
            with errors_shown():
                finished = run_async(run_batch(Settings(), spec_file=SPEC, input_file=samples, planner="rules"))
        except typer.Exit as ended:
            return ended.exit_code
    differences = [str(difference) for difference in compare(Path(finished.table), tickets)]
    _print_comparison(console, differences)
    console.print(headline(finished.outcomes, finished.samples), style="bold", highlight=False)
    return 1 if differences else 0


@contextmanager
def practice_site(*options: str) -> Generator[str, None, None]:
    """Run the site in a process of its own, with the options of its command line; yield its address."""
    command = [sys.executable, "-P", "-m", "practice.tickets", *options]  # -P: no module of the present folder
    with _without_ctrl_c():
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603 -- it is ours
    with process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.terminate()
            process.wait(STOP_BOUND_S)


@contextmanager
def _without_ctrl_c() -> Generator[None, None, None]:
    """Have processes that are started in the block not end by Ctrl-C, which the terminal sends to them too: whoever
    started them ends them, in order and without a traceback."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _print_comparison(console: Console, differences: Sequence[str]) -> None:
    if differences:
        console.print(f"\n{len(differences)} cells differ from the data of the site:", style="bold red")
        console.print("\n".join(f"  {difference}" for difference in differences[:20]), highlight=False)
    else:
        console.print(
            "\nEvery cell agrees with the data of the site, including unassigned and not found.",
            style="green",
            soft_wrap=True,
        )


if __name__ == "__main__":
    main()
