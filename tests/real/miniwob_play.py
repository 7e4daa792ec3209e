"""MiniWoB's tasks in a real browser: their selection, the result of each episode, and a table.

The seed is set as MiniWoB's own drivers do. Episodes have a longer time limit than MiniWoB's, because solving is
tested, not speed; MiniWoB's own script decides the result.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from scripts.fetch_packages import packages
from shared.errors import ExhibitError
from tests.real.folder_site import FolderSite
from tests.real.miniwob_solvers import solver_for
from tests.real.player import Player, Stuck

HERE = Path(__file__).parent
EPISODE_MS = 60_000
VERDICT_S = 30.0
GOOD = 0.9
"""Minimum of the raw reward (without time penalty) that counts as solved."""

_CORE = b'<script src="../core/core.js"></script>'
_HOOKED = _CORE + b'<script src="/hook/miniwob_hook.js"></script>'


@dataclass(frozen=True)
class Episode:
    """One episode. ``reward`` is None if it was given up; ``why`` is the reason if it was not solved."""

    task: str
    seed: int
    reward: float | None
    why: str

    @property
    def solved(self) -> bool:
        return self.reward is not None and self.reward >= GOOD


def html_folder() -> Path:
    return packages("miniwob")["miniwob"] / "miniwob" / "html"


def tasks(html: Path) -> list[str]:
    """Return all tasks whose names begin with a, b or c."""
    return sorted(page.stem for page in (html / "miniwob").glob("[abc]*.html"))


def miniwob_site(html: Path) -> FolderSite:
    return FolderSite({"/hook": HERE, "/": html}, lambda _, body: body.replace(_CORE, _HOOKED))


async def play(p: Player, site: FolderSite, task: str, seed: int) -> Episode:
    name = f"{task}.{seed}"
    site.forget(name)
    why = ""
    try:
        await p.goto(f"{site.url}/miniwob/{task}.html?seed={seed}&name={name}&time_ms={EPISODE_MS}")
        await p.click(p.one(name="START"))
        await solver_for(task)(p)
    except Stuck as exc:
        why = str(exc)
    except ExhibitError as exc:
        return Episode(task, seed, None, f"{type(exc).__name__} {exc.code}: {exc}")
    told = await site.comes_to(name, lambda said: said is not None, 0.0 if why else VERDICT_S)
    if told is None:
        return Episode(task, seed, None, why or "all was done, and MiniWoB has not noticed")
    reward = float(told["raw"])
    return Episode(task, seed, reward, "" if reward >= GOOD else why or f"reward {reward:.2f} {told['reason']}".strip())


def report(episodes: Iterable[Episode]) -> str:
    """Return one line per task, the unsolved episodes with reasons, and ``solved / tried``."""
    played = list(episodes)
    lines = [f"{'task':<30} solved / tried"]
    for task in dict.fromkeys(one.task for one in played):
        mine = [one for one in played if one.task == task]
        lines.append(f"{task:<30} {sum(one.solved for one in mine):>6} / {len(mine)}")
        for why in dict.fromkeys(one.why for one in mine if not one.solved):
            seeds = ", ".join(str(one.seed) for one in mine if one.why == why and not one.solved)
            lines.append(f"    seed {seeds}: {why}"[:300])
    whole = {task for task in (one.task for one in played) if all(one.solved for one in played if one.task == task)}
    lines.append(f"tasks solved with every seed: {len(whole)} / {len({one.task for one in played})}")
    lines.append(f"MiniWoB, episodes solved / tried: {sum(one.solved for one in played)} / {len(played)}")
    return "\n".join(lines)
