"""What the site was asked for by a value of a sample's row: typed, chosen, or in an address that was opened. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol
from urllib.parse import parse_qsl, urldefrag, urlsplit

from msgspec.structs import replace

from shared.actions.table import changes_page
from shared.contracts.actions import (
    AnyAction,
    Click,
    Goto,
    Hover,
    PickOption,
    Press,
    Scroll,
    SelectOption,
    SetDate,
    TypeText,
    Wait,
)
from shared.contracts.browser_pool import PageObserved
from shared.contracts.planner import BY_RULE
from shared.contracts.results import ActionResult, TargetFound
from shared.contracts.steps import FlowPlace, RouteMark
from shared.contracts.workflows.flows import FlowCall, ProveRecord
from shared.pages.effects.closing import closes_by_name
from shared.pages.effects.site_changes import CHOOSES
from shared.pages.elements import is_input, text_of
from shared.pages.lists.lists import address_parts, path_segments
from shared.text.normal import fold
from shared.text.record_words import find_mention, is_equal_text

LEAST_CHARS = 3
_SEARCHES = frozenset({"search", "find", "lookup", "results", "suche", "recherche", "buscar", "busqueda", "ricerca"})
_SEARCH_KEY = re.compile(
    r"q|qs|query|s|k|kw|terms?|text|find|\w*(?:search|keyword|filter|lookup|such|busca|recherche)\w*", re.I
)
MOST_SENT = 1
"""Most buttons that send what was asked for. The next one may belong to a record that was found."""
AskedBy = Literal["filled", "query", "address"]
FILLS = (TypeText, PickOption, SelectOption, SetDate)


class StepMade(Protocol):
    """A step that was taken. ``may_have_fired``: it was carried out, or that is not known; what it led to may be an
    error all the same."""

    @property
    def action(self) -> AnyAction | None: ...
    @property
    def result(self) -> ActionResult | None: ...
    @property
    def may_have_fired(self) -> bool: ...


class DecidedStep(Protocol):
    """Of a step: who decided it, for what, and what came of it."""

    @property
    def action(self) -> AnyAction | None: ...
    @property
    def result(self) -> ActionResult | None: ...
    @property
    def decided_by(self) -> str: ...
    @property
    def route(self) -> RouteMark | None: ...
    @property
    def flow(self) -> FlowPlace | None: ...


@dataclass(frozen=True)
class SiteAsked:
    """What the site was asked for last by values of the row (``given``). ``values``: with those that name the record.
    ``by``: they were filled in, or stand in the query of an address that was opened, or in its path. ``entry``: the
    step. ``is_sent``: nothing was done since then but to send it."""

    values: tuple[str, ...]
    given: tuple[str, ...]
    by: AskedBy
    entry: StepMade
    is_sent: bool

    @property
    def is_search(self) -> bool:
        return self.by != "address"


def asked_in(row: Sequence[str], ids: Sequence[str], steps: Iterable[StepMade]) -> SiteAsked | None:
    """Return what the site was asked for last by a value of the row; None: nothing was. ``ids``: those values that name
    the record, which count also where they stand in a longer text."""
    history = [one for one in steps if one.action is not None and one.may_have_fired]
    for at in range(len(history) - 1, -1, -1):
        asked = _asked_by(history[at], row, ids)
        if asked is not None:
            values, by = asked
            known, sent = (*values, *ids), tuple(history[at + 1 :])
            return SiteAsked(known, values, by, history[at], _only_sends(sent, by, known))
    return None


def named_so_far(call: FlowCall, named: Mapping[str, str]) -> tuple[str, ...]:
    """Return the values that name the record, as far as a flow has said: by this call, and by proofs before it."""
    said = {**named, **call.expected} if isinstance(call, ProveRecord) else named
    return tuple(dict.fromkeys(value for value in said.values() if value.strip()))


def is_press_in_place(step: DecidedStep) -> bool:
    """Return whether the rules pressed something beside their route, and the page stayed: what lay over it was sent
    away, or more of its rows or of its list were shown. Such a press asks the site for nothing else. One that loaded a
    document, or led to another address, may have."""
    by_rules = step.decided_by == BY_RULE and step.route is None and step.flow is None
    return by_rules and isinstance(step.action, Click) and step.result is not None and _stays(step.result)


def with_searched(page: PageObserved, asked: SiteAsked | None) -> PageObserved:
    """Return the page with what was searched for, where it is the answer and still shows that: in a field, or in the
    query of its address. A page to which the site has led on, or a result that was opened, does not."""
    if asked is None or not asked.is_sent or not asked.is_search:
        return page
    address = urlsplit(page.url)
    queries = [*parse_qsl(address.query), *parse_qsl(urlsplit(address.fragment).query)]
    if asked.by == "query":  # an address such as `record?id=7` is a record's own
        looks = _looks(page.url)
        held = [value for name, value in queries if looks or _SEARCH_KEY.fullmatch(name)]
    else:
        fields = (text_of(one) for one in page.elements if is_input(one) or one.role == "searchbox")
        held = [*fields, *(value for _, value in queries), *path_segments(address.fragment)]
    searched = tuple(value for value in asked.given if any(find_mention(text, value) for text in held))
    return replace(page, searched=searched) if searched else page


def is_search_address(url: str) -> bool:
    """Return whether an address asks for a search, by its path or by a key of its query; `record?id=7` does not."""
    address = urlsplit(url)
    keys = [name for name, _ in (*parse_qsl(address.query), *parse_qsl(urlsplit(address.fragment).query))]
    return _looks(url) or any(_SEARCH_KEY.fullmatch(name) for name in keys)


def _looks(url: str) -> bool:
    return bool(_SEARCHES & {fold(part) for part in path_segments(url)})


def _asked_by(entry: StepMade, row: Sequence[str], ids: Sequence[str]) -> tuple[tuple[str, ...], AskedBy] | None:
    match entry.action:
        case TypeText(text=text) | PickOption(option=text) | SelectOption(option=text) | SetDate(date=text):
            values = _values_in(text, row, ids)
            return (values, "filled") if values else None
        case Goto(url=url) if _has_come(entry):
            path, _, query = url.partition("?")
            asked = [value for part in _parts(f"?{query}") for value in _values_in(part, row, ids)] if query else []
            if asked:
                return tuple(asked), "query"
            opened = [value for part in _parts(path) for value in _values_in(part, row, ids)]
            return (tuple(opened), "address") if opened or url in row else None
        case _:
            return None


def _has_come(step: StepMade) -> bool:
    """Return whether a page came of the step, be it one that tells of an error."""
    result = step.result
    return result is None or result.ok or result.change.http_status is not None


def _values_in(text: str, row: Iterable[str], ids: Iterable[str]) -> tuple[str, ...]:
    """Return the values of the row that a text is, or that name the record and stand in it as a word. A short value,
    such as a number of pieces, is in an address by chance."""
    return tuple(dict.fromkeys((
        *(value for value in row if len(value) >= LEAST_CHARS and is_equal_text(text, value)),
        *(value for value in ids if find_mention(text, value)),
    )))  # fmt: skip


def _parts(url: str) -> frozenset[str]:
    """Return the segments of an address and the values of its query, also of those behind its ``#``."""
    address, fragment = urldefrag(url)
    return frozenset((*address_parts(address), *address_parts(fragment)))


def _only_sends(entries: Sequence[StepMade], by: AskedBy, values: Sequence[str]) -> bool:
    """Return whether these steps did no more than to send what was asked for: no link was followed, nothing else was
    looked for, and nothing was opened that may be a record."""
    pressed = 0
    for one in entries:
        action = one.action
        if action is None or not changes_page(action) or isinstance(action, Wait | Scroll | Hover):
            continue
        if by == "filled" and isinstance(action, (*FILLS, Press)):
            continue
        target = one.result.target if one.result is not None else None
        if not isinstance(action, Click) or target is None or not _may_send(target, values):
            return False
        closes = closes_by_name(target.name) and one.result is not None and _stays(one.result)
        pressed += target.role not in CHOOSES and not closes
    return pressed <= (0 if by == "address" else MOST_SENT)


def _stays(result: ActionResult) -> bool:
    """Return whether the action loaded no document and led to no other address."""
    return result.change.http_status is None and result.change.url_after == result.change.url_before


def _may_send(target: TargetFound, values: Sequence[str]) -> bool:
    role = target.role == "button" or (target.role in CHOOSES and target.role not in ("tab", "treeitem"))
    return role and not any(find_mention(target.name, value) for value in values)
