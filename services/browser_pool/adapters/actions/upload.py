"""The upload action: files from the upload folder or from downloads of the session, never by path."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
from playwright.async_api import ElementHandle, Error, FileChooser
from playwright.async_api import TimeoutError as PlaywrightTimeout

from services.browser_pool.adapters.actions.effects import has_navigated, state_before
from services.browser_pool.adapters.actions.pointer.hit_test import reach
from services.browser_pool.adapters.implementations import performs
from services.browser_pool.adapters.observe import engine
from services.browser_pool.adapters.observe.engine import CountReply, ask
from services.browser_pool.adapters.observe.targets import ResolvedElement
from services.browser_pool.adapters.outcome import PerformOutcome, done, refuse
from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import Upload
from shared.contracts.results import FilesGiven

FIELD = "action-file"
CHOOSER_S = 2.0
MAX_LISTED = 30
NAMES = "el => Array.from(el.files || []).map(file => file.name)"


class TextCount(msgspec.Struct, frozen=True):
    """How often the page shows a text."""

    times: int


@performs(Upload)
async def upload(session: PageSession, action: Upload) -> PerformOutcome:
    folder = session.limits.upload_dir
    path = await asyncio.to_thread(find_upload, folder, action.file) or session.files.named(action.file)
    if path is None:
        return refuse("no_such_file", await asyncio.to_thread(missing_file_message, folder, action.file))
    found = await session.find(action.target, "act")
    if isinstance(found, PerformOutcome):
        return found
    before = await state_before(session, found)
    reply = await _count_on_page(session, found, path.name)
    field = await _give(session, found, path)
    if isinstance(field, PerformOutcome):
        return field
    given_names = await _selected_names(session, field)
    rest = await session.wait_for_rest()
    if path.name in given_names:
        return done(
            f'gave the file "{path.name}"', effect=FilesGiven(names=given_names), target=found.to_target_found()
        )
    # Pages that upload at once empty the field and show the file's name, or navigate.
    if has_navigated(before, rest.state) or await _count_on_page(session, found, path.name) > reply:
        message = f'gave the file "{path.name}"; the page took it at once'
        return done(message, effect=FilesGiven(names=(path.name,)), target=found.to_target_found())
    message = f'after "{path.name}" was given, the field holds {", ".join(given_names) or "nothing"}'
    return refuse("effect_not_seen", message, effect=FilesGiven(names=given_names), target=found.to_target_found())


def find_upload(folder: Path | None, name: str) -> Path | None:
    """Return the file of that name directly in the folder, or None."""
    if folder is None or not name or name != Path(name).name or name in (".", ".."):
        return None
    path = folder / name
    try:
        inside = path.resolve().parent == folder.resolve()
        return path if inside and path.is_file() else None
    except OSError:
        return None


def missing_file_message(folder: Path | None, name: str) -> str:
    """Return why there is no such file, with the files that exist."""
    if "/" in name or "\\" in name:
        return f"{name[:120]!r} is a path; give the name of a file in the upload folder, or the label of a download"
    if folder is None or not folder.is_dir():
        return f"no file was downloaded under the label {name[:120]!r}, and there is no upload folder"
    names = sorted(path.name for path in folder.iterdir() if path.is_file())
    listed = ", ".join(f'"{one}"' for one in names[:MAX_LISTED]) or "nothing"
    return f"there is no file and no download {name[:120]!r}; the upload folder holds {listed}"


async def _give(session: PageSession, found: ResolvedElement, path: Path) -> ElementHandle | PerformOutcome:
    """Set the file on the element itself, or on the field that belongs to a button or drop zone. Return that field."""
    field = await _field(session, found, "file")
    if field is None and found.now.role not in ("button", "link", "menuitem"):
        field = await _field(session, found, "file near")
    if field is None:
        chooser = await _chooser(session, found)
        if isinstance(chooser, PerformOutcome):
            return chooser
        field = chooser.element if chooser else await _field(session, found, "file near")
    if field is None:
        what = f'{found.now.role} "{found.now.name or found.now.text[:80]}"'
        return refuse(
            "not_editable", f"{what} takes no file, and no file field is beside it", target=found.to_target_found()
        )
    await session.run_timed(field.set_input_files(path, timeout=session.limits.action_s * 1000))
    return field


async def _field(session: PageSession, found: ResolvedElement, kind: str) -> ElementHandle | None:
    """Return the only file field within an element or beside it."""
    timeout_s = session.limits.action_s
    parts = await session.run_timed(
        ask(found.frame, CountReply, timeout_s, "part", found.snapshot_id, found.n, FIELD, kind)
    )
    if parts.count != 1:
        return None
    return await session.run_timed(engine.element(found.frame, FIELD, 0).element_handle(timeout=timeout_s * 1000))


async def _chooser(session: PageSession, found: ResolvedElement) -> FileChooser | PerformOutcome | None:
    """Return the file chooser that a press opens, or None."""
    reached = await reach(session, found, part="whole")
    if isinstance(reached, PerformOutcome):
        return reached
    try:
        async with session.page.expect_file_chooser(timeout=CHOOSER_S * 1000) as opening:
            await reached.press(session)
        return await opening.value
    except PlaywrightTimeout:
        return None


async def _selected_names(session: PageSession, field: ElementHandle) -> tuple[str, ...]:
    try:
        return tuple(await session.run_timed(field.evaluate(NAMES)))
    except Error as error:
        session.tabs.raise_if_lost(error)
        return ()


async def _count_on_page(session: PageSession, found: ResolvedElement, name: str) -> int:
    """Return how often the page shows the file's name."""
    try:
        return (await session.run_timed(ask(found.frame, TextCount, session.limits.action_s, "reads", name))).times
    except Error as error:
        session.tabs.raise_if_lost(error)
        return 0
