"""What a page shows of the past: changes of a value, and lists of them. None of it is a current value.

An arrow, struck-out text and roles need no language; headings, column headers and sentences are words of a table.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from shared.contracts.browser_pool import Element
from shared.pages.elements import is_heading, text_of
from shared.text.normal import fold, label_form
from shared.text.record_words import find_mention

MAX_CHANGE_CHARS = 300
_ARROW = re.compile(r"[→⇒➔➜➝➞➡⟶⟹⇨←⟵⇐]|(?:^|\s)[-=]{1,2}>(?:\s|$)")
_HEADINGS = frozenset(
    fold(word)
    for word in (
        *("history", "change history", "changes", "change log"),
        *("changelog", "activity", "activity log", "timeline"),
        *("comments", "audit log", "audit trail", "events"),
        *("journal", "work log", "recent activity", "issue history"),
        *(
            "verlauf",
            "änderungen",
            "änderungsverlauf",
            "historie",
            "aktivität",
            "aktivitäten",
            "kommentare",
            "protokoll",
        ),
        *("historique", "modifications"),
        *("activité", "commentaires", "journal des modifications"),
        *("historial", "historia", "cambios", "actividad"),
        *("comentarios", "storia", "cronologia", "modifiche"),
        *("attività", "commenti", "histórico", "alterações"),
        *("atividade", "comentários", "geschiedenis", "wijzigingen"),
        *("activiteit", "opmerkingen", "reacties", "historik"),
        *("ändringar", "aktivitet", "kommentarer", "historikk"),
        *("endringer", "ændringer", "historia zmian", "zmiany"),
        *("aktywność", "komentarze", "historie změn", "změny"),
        *("aktivita", "komentáře", "előzmények", "változások"),
        *("geçmiş", "değişiklikler", "история", "изменения"),
        *("история изменений", "активность", "комментарии", "історія"),
        *("зміни", "履歴", "変更履歴", "変更", "コメント"),
        *(
            "历史",
            "历史记录",
            "变更",
            "活动",
            "评论",
            "歷史記錄",
            "변경 내역",
            "기록",
            "활동",
            "댓글",
            "السجل",
            "التغييرات",
        ),
        *("היסטוריה", "שינויים", "muutoshistoria"),
        *("historia", "muutokset", "ιστορικό", "αλλαγές"),
    )
)
_OLD_COLUMNS = frozenset(
    fold(word)
    for word in (
        *("removed", "old", "old value", "original value"),
        *("original", "previous value", "previous", "before", "from"),
        *(
            "vorher",
            "alt",
            "alter wert",
            "entfernt",
            "von",
            "avant",
            "ancienne valeur",
            "supprimé",
            "antes",
            "anterior",
        ),
        *("valor anterior", "prima", "oud", "oude waarde", "før"),
        *("före", "было", "старое значение", "旧値", "变更前"),
    )
)
_NEW_COLUMNS = frozenset(
    fold(word)
    for word in (
        *("added", "new", "new value", "after", "to"),
        *("nachher", "neu", "neuer wert", "hinzugefügt", "nach", "après"),
        *("nouvelle valeur", "ajouté", "después", "nuevo"),
        *("valor nuevo", "dopo", "depois", "novo valor", "nieuw"),
        *("nieuwe waarde", "etter", "efter", "стало", "новое значение", "新値", "变更后"),
    )
)
_SENTENCE = re.compile(
    r"(?:was |has been |wurde |a été |ha sido |è stato |foi )?"
    r"(?:(?:changed|updated|modified|moved|switched) (?:from|to)|set (?:from|to)|(?:added|deleted|removed|unset)$"
    r"|geändert (?:von|auf|in|zu)|von .{1,120} (?:auf|zu|nach|in) .{1,120} geändert"
    r"|(?:modifié|changé|passé)e? de|(?:cambiado|cambió|modificado|alterado|mudou|cambiato|modificato) (?:de|da)"
    r"|gewijzigd van|ändrad från|endret fra|ændret fra|zmieniono z|změněno z|изменено с|изменён с)\b",
    re.I,
)
_CHANGED_FROM = re.compile(r"\b(?:changed|updated|modified|moved|switched) from .{1,120} to \S")


def is_change(text: str) -> bool:
    """Return whether a text tells a change: `open → closed`, `→ fixed`, `changed from A to B`."""
    if not text or len(text) > MAX_CHANGE_CHARS:
        return False
    folded = fold(text)
    told = _SENTENCE.match(folded) or _CHANGED_FROM.search(folded)
    return told is not None or _ARROW.search(text) is not None


def past_refs(elements: Sequence[Element]) -> frozenset[int]:
    """Return the refs of the elements in lists of changes, comments or events, and under headings that say so."""
    found: set[int] = set()
    level = 0
    for element in elements:
        if is_heading(element):
            own = element.level or 2
            if level and own <= level:
                level = 0
            if not level and own > 1 and _is_history(element.name):
                level = own
        if level or element.past:
            found.add(element.ref)
    return frozenset(found)


def is_change_row(elements: Sequence[Element]) -> bool:
    """Return whether the elements of a table row stand under columns for the old and for the new value, or hold an
    arrow."""
    headers = {label_form(element.header or "") for element in elements}
    return bool(headers & _OLD_COLUMNS and headers & _NEW_COLUMNS) or any(is_change(text_of(e)) for e in elements)


def tells_change_of(
    element: Element,
    elements: Sequence[Element],
    labels: frozenset[str],
    past: frozenset[int],
    names: Collection[str] = (),
) -> bool:
    """Return whether the element tells a change of one of the labels: by its own words, in its row, or as part of the
    past, with the label in its header or before it.

    ``names``: texts that name the record, folded. A cell that is one of them tells whose row it is, and no change,
    whatever is in it: a line of code may hold an arrow."""
    row = [e for e in elements if element.row is not None and (e.frame, e.row) == (element.frame, element.row)]
    at = next((n for n, e in enumerate(elements) if e is element), 0)
    before = elements[at - 1 : at] if at and element.row is None else ()
    own = text_of(element)
    told = [own, element.header or "", *(text_of(one) for one in (*row, *before))]
    named = {label for label in labels if any(find_mention(text, label) is not None for text in told)}
    if not named:
        return False
    telling = [one for one in row or (element,) if one is element or fold(text_of(one)) not in names]
    return element.ref in past or is_change_row(telling) or any(_says_change(own, one) for one in named)


def _says_change(text: str, label: str) -> bool:
    """Return whether a sentence tells a change of the label: `Owner changed from A to B`, `Ann changed Owner to B`."""
    if len(text) > MAX_CHANGE_CHARS or find_mention(text, label) is None:
        return False
    return _SENTENCE.search(" ".join(fold(text).replace(label, " ", 1).split())) is not None


def _is_history(heading: str) -> bool:
    return re.sub(r"\W*\d+\W*$", "", label_form(heading)).strip() in _HEADINGS
