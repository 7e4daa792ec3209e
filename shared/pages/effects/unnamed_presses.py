"""Presses that may change the site and that the task does not name: this module alone decides which are withheld.

A browser pool asks it about the element itself, just before it is pressed, whoever has decided so. What a task names is
in :func:`shared.task.presses.named_presses`. Steps of reading are never withheld: searches, filters, pages of a list,
sign-ins, questions about cookies, tabs, and what expands, sorts or downloads.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Literal

import msgspec

from shared.pages.effects.press_words import (
    AGREEING,
    ENDING,
    LOOKING,
    OF_A_VIEW,
    SENDING,
    has_beginning,
    has_word,
    is_word,
    spaced,
)
from shared.text.normal import label_form
from shared.text.record_words import find_mention

WithheldBy = Literal["form", "attribute", "words", "question"]
METHODS_THAT_CHANGE = frozenset({"post", "put", "patch", "delete"})
_SEARCHES = re.compile(r"\s*(?:search|find|look ?up)\b", re.I)
MOST_WORDS = 6
"""A longer name is a text, such as the title of a ticket, and no button's."""
OF_CONSENT = frozenset(
    {"preferences", "settings", "choices", "selection", "cookies", "auswahl", "einstellungen", "choix"}
)
"""What is saved of an answer about cookies."""
GENERIC = frozenset({" submit ", " submit query ", " go ", " senden ", " envoyer ", " enviar "})
"""What the button of any form may be called, also of one that searches."""
PASSIVE = frozenset({"tab", "option", "treeitem", "checkbox", "radio", "switch", "combobox", "listbox", "columnheader"})
"""Roles whose names are no orders: choices, and what sorts or shows."""


class PressFacts(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is about to be pressed, as the page engine reports it.

    ``name``: of the button; ``field``: of the field in which a key is pressed that sends its form. ``submits``: it
    sends a form, with ``method`` (of button or form, in small letters); ``addressed``: the form says itself where to,
    or by which method, so no script has to send it. ``sends``: the method of an attribute that scripts read, such as
    ``data-method`` or ``hx-post``. ``fields``, ``passwords``: fields of the form; ``asks``: what the only one is
    called. ``searches``: the form, or a region or field around it, is one of searching. ``signs_in``: the form has a
    user name to sign in with. ``consent``: it stands in a short text about cookies or privacy. ``question``: what the
    dialog around it says. ``leads``: it is a link to an address. ``pages``: it stands in a pager.
    """

    role: str = ""
    name: str = ""
    field: str = ""
    submits: bool = False
    method: str = ""
    addressed: bool = False
    sends: str = ""
    fields: int = 0
    passwords: int = 0
    asks: str = ""
    searches: bool = False
    signs_in: bool = False
    consent: bool = False
    question: str = ""
    leads: bool = False
    pages: bool = False


def withheld_press(facts: PressFacts, named: Collection[str]) -> WithheldBy | None:
    """Return what forbids the press, or None: it may be made. ``named``: what the task calls what it presses."""
    if is_named(facts, named):
        return None
    if _answers_question(facts):
        return "question"
    if facts.consent and not has_word(facts.name, ENDING) and not _sends_more_than_consent(facts.name):
        return None
    method = facts.sends or (facts.method if facts.submits else "")
    if method in METHODS_THAT_CHANGE:
        by: WithheldBy = "attribute" if facts.sends else "form"
        return None if _is_reading(facts, method) else by
    return "words" if _says_change(facts) else None


def withheld_answer(question: str, named: Collection[str]) -> WithheldBy | None:
    """Return what forbids to agree to a question of the browser, or None."""
    if any(find_mention(question, word) for word in named):
        return None
    return "question" if has_beginning(question, ENDING) or has_beginning(question, SENDING) else None


def is_named(facts: PressFacts, named: Collection[str]) -> bool:
    """Return whether the task names the button, or the field whose form is sent by a key.

    A link must have exactly such a name; the name of a button may say more.
    """
    labels = frozenset(map(label_form, named))
    if labels & {label_form(facts.name), label_form(facts.field)} - {""}:
        return True
    return not facts.leads and any(find_mention(facts.name, word) is not None for word in named)


def message_about(by: WithheldBy, name: str) -> str:
    """Return what the driver is told, and what to do."""
    what = f'"{name[:80]}"' if name else "this"
    return (
        f"{what} was not pressed: {_WHY[by]}, and the task does not name it. Nothing was changed. Read what the page "
        "shows without it; if the task cannot be done otherwise, call fail with the code unnamed_press."
    )


_WHY: dict[WithheldBy, str] = {
    "form": "it sends a form that may change the site",
    "attribute": "it sends a request that may change the site",
    "words": "by its words it changes, sends or pays something",
    "question": "it agrees to a question about a change",
}


def _is_reading(facts: PressFacts, method: str) -> bool:
    """Return whether what is sent only asks for something: a search, another page of a list, or a sign-in."""
    if method != "post" or (has_word(facts.name, ENDING) and not _is_of_view(facts.name)):
        return False
    if facts.passwords or facts.signs_in:
        return True
    if facts.pages or facts.name.strip().isdecimal():
        return True
    generic = spaced(facts.name) in GENERIC or not has_word(facts.name, SENDING)
    # "Search", in any language, or "Search assets"; a "Display name" is none.
    searches = facts.searches or is_word(facts.asks, LOOKING) or _SEARCHES.match(facts.asks) is not None
    return has_word(facts.name, LOOKING) or (searches and facts.fields <= 1 and generic)


def _says_change(facts: PressFacts) -> bool:
    if facts.role in PASSIVE or not facts.name or len(facts.name.split()) > MOST_WORDS or _is_of_view(facts.name):
        return False
    if facts.leads:
        return is_word(facts.name, ENDING) or is_word(facts.name.removesuffix(" now"), ENDING)
    if has_word(facts.name, ENDING):
        return True
    asks = facts.searches or facts.signs_in or facts.passwords > 0 or has_word(facts.name, LOOKING)
    by_get = facts.submits and facts.addressed
    return not asks and not by_get and has_word(facts.name, SENDING)


def _answers_question(facts: PressFacts) -> bool:
    if not facts.question or facts.consent or facts.leads:
        return False
    return has_word(facts.question, ENDING) and has_word(facts.name, AGREEING)


def _sends_more_than_consent(name: str) -> bool:
    return has_word(name, SENDING) and OF_CONSENT.isdisjoint(spaced(name).split()) and not has_word(name, AGREEING)


def _is_of_view(name: str) -> bool:
    return not OF_A_VIEW.isdisjoint(spaced(name).split())
