"""What a page itself says about the length of a list: "1 - 25 of 63", "(120 matches)", "Page 1 of 5", in all languages.

The form of the numbers decides, with the words between them. Numbers in navigation, sidebars and cells of records are
no counts, and neither is a number of entries per page.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cache

from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.steps import ShownCount
from shared.pages.elements import is_header, is_heading, is_input
from shared.text.list_words import PAGES, RANGES, TOTALS, Words
from shared.text.normal import plain_form

MAX_CHARS = 200
MAX_READ = 4000
"""Elements of one page that are read for counts."""
_NOT_HERE = frozenset({"navigation", "banner", "contentinfo", "complementary", "search"})
_PRESSED = frozenset({"link", "button", "tab", "option", "menuitem", "checkbox", "radio"})
_NUMBER = r"(?:\d{1,3}(?:[,.' ]\d{3})+|\d{1,9})"
_BEFORE, _AFTER = r"(?<![\d.,:/#$€£-])(?<![a-z_])", r"(?!\d|[.,:/-]\d|\s?%)"
_DASH = r"\s*(?:-|–|—|~|〜|～|\.\.\.?|…|→)\s*"
_MORE_OF = (" out of ", " of about ", " of approximately ", " of over ", " of more than ", "/", " / ", " total ")
_OF_CHINESE = r"\s*[^\d\s,]{0,6},?\s*共\s*"
_ROUGH = re.compile(r"\b(?:about|approximately|over|more than|nearly|around|almost)\b|~\s?\d|\d\s?\+|≈")
_NOUNS = (
    *("results?", "entries", "entry", "records?", "matches", "match", "items?", "rows?", "hits?", "total"),
    *("treffer", "ergebnisse", "einträge", "datensätze", "résultats?", "enregistrements?", "éléments?"),
    *("resultados?", "elementos?", "risultati", "risultato", "resultaten", "resultat", "件", "条", "條", "项", "건"),
)
_PER_PAGE = re.compile(r"\b(?:per|each|pro|je|par|por|a|na|på|på hver)\s+\w|/\s?page|\bshow\b")
_LEAD = (
    r"(?:(?:found|total|total of|there are|there is|showing all|all|about|approximately|over|more than|total:|insgesamt"
    r"|gesamt:?|au total|en total|in totaal|totalt|i alt|in totale)\s+)*"
)
_TOTAL_WORDS = (
    *("total", "totale", "totaal", "totalt", "gesamt", "gesamtzahl", "insgesamt", "anzahl", "i alt", "всего", "celkem"),
    *("yhteensä", "toplam", "razem", "łącznie", "összesen", "ukupno", "skupaj", "合計", "总计", "總計", "합계"),
)
_TAIL = r"(?:\s+(?:found|in total|total|matched|available))?(?:\s+(?:for|matching|in)\s.{1,60}|\s*\([^()]{1,30}\))?"
MOST_OWN_TOTALS, MOST_HEADS = 2, 6
LEAST_BARE_TOTAL = 11
"""Without a noun, "1 of 5" is a picture, a star or a step."""
MOST_LEADING, MOST_FOLLOWING, SENTENCE_WORDS = 4, 8, 3
"""Words beside the numbers, without those in parentheses: more are a sentence, and so are fewer with a full stop."""
_WORD = re.compile(r"[^\W\d]+(?:['’][^\W\d]+)*")
_IN_PARENTHESES = re.compile(r"\([^()]*\)")
_LIST_BEFORE = re.compile(r"\b(?:showing|displaying|viewing|listing|results?|entries|records|rows)[:\s(]*$")
_SIGNS = r"[\s()\[\]:.,;·|•–-]*"


def read_counts(page: PageObserved) -> tuple[ShownCount, ...]:
    """Return the counts that the page shows, the surest first: ranges, then pages, then totals."""
    shown = [element for element in page.elements[:MAX_READ] if _may_count(element)]
    nouns = own_nouns(page)
    found = [count for element in shown for count in _of_text(element)]
    found += _own_totals(shown, nouns, {count.ref for count in found})
    ranges = [count for count in found if count.kind == "range"]
    order = {"range": 0, "page": 1, "total": 2}
    # Cells of many rows that look like counts are data.
    in_rows = {element.ref for element in shown if element.row is not None}
    data = {count.ref for count in ranges if count.ref in in_rows} if len(ranges) > 2 else set[int]()
    kept = [count for count in found if count.ref not in data]
    return tuple(sorted(dict.fromkeys(kept), key=lambda count: order[count.kind]))


def _may_count(element: Element) -> bool:
    if element.area in _NOT_HERE or element.in_dialog or element.role in _PRESSED:
        return False
    return not is_input(element) and not is_header(element) and len(element.name) <= MAX_CHARS and _has_digit(element)


def _has_digit(element: Element) -> bool:
    return any(letter.isdigit() for letter in element.name)


def _of_text(element: Element) -> Iterator[ShownCount]:
    text = plain_form(element.name)
    ranged = _range(text, element)
    if ranged is not None:
        yield ranged
    paged = _page(text, element) if ranged is None else None
    if paged is not None:
        yield paged
    if ranged is None and paged is None and element.row is None:
        total = _total(text, element)
        if total is not None:
            yield total


def _range(text: str, element: Element) -> ShownCount | None:
    for pattern in _range_patterns():
        found = pattern.search(text)
        if found is None:
            continue
        first, last, total = (to_count(found[name]) for name in ("first", "last", "total"))
        if _is_in_sentence(text, found):
            continue
        if re.search(r"\d\s*/\s*\d", found[0]) and element.area != "pager" and not _stands_alone(found[0], text):
            continue
        if first <= last <= total or (total == 0 and last == 0):
            rough = _ROUGH.search(text) is not None
            return ShownCount(
                kind="range", first=first, last=last, total=total, text=element.name, ref=element.ref, rough=rough
            )
    return None


def _stands_alone(part: str, text: str) -> bool:
    """Return whether the part is the whole text or in parentheses: `1-2/2024` in other text is a date."""
    return f"({part})" in text or re.fullmatch(_SIGNS, text.replace(part, "")) is not None


def _is_in_sentence(text: str, found: re.Match[str]) -> bool:
    """Return whether the numbers are a part of running text. Next to words of lists they never are."""
    before, behind = text[: found.start()], text[found.end() :]
    if _LIST_BEFORE.search(before) or _list_behind().match(behind):
        return False
    leading, following = (len(_WORD.findall(_IN_PARENTHESES.sub(" ", part))) for part in (before, behind))
    closed = text.rstrip().endswith((".", "!", "?")) and leading + following >= SENTENCE_WORDS
    return closed or leading > MOST_LEADING or following > MOST_FOLLOWING


def _page(text: str, element: Element) -> ShownCount | None:
    found = _page_pattern().search(text)
    if found is None or len(text) > 80 or _is_in_sentence(text, found):
        return None
    number, pages = sorted((to_count(found["page"] or found["page2"]), to_count(found["pages"] or found["pages2"])))
    if number == 0:
        return None
    return ShownCount(kind="page", page=number, pages=pages, text=element.name, ref=element.ref)


def _own_totals(shown: Sequence[Element], nouns: frozenset[str], read: set[int]) -> list[ShownCount]:
    """Return the totals in the list's own noun ("5 tickets" under "Tickets"), and what is shown of all ("12 of 120").

    Texts of one form that repeat belong to items. None is firm: each may count something else.
    """
    totals: list[ShownCount] = []
    for element in shown:
        text = plain_form(element.name)
        in_row = element.row is not None and not element.in_foot
        if element.ref in read or in_row or element.past or _PER_PAGE.search(text):
            continue
        if (number := own_total(element, nouns)) is not None:
            one = ShownCount(kind="total", total=number, text=_told(element), ref=element.ref, firm=False)
            totals.append(one)
            continue
        if element.row is not None:
            continue
        found = _OWN_TOTAL.fullmatch(text) or _OF_ALL.fullmatch(text)
        if found is None and is_heading(element) and element.level == 1:
            found = _HEADED_TOTAL.fullmatch(text)
        noun = "" if found is None else found.groupdict().get("noun") or ""
        if found is None or (noun and _stem(noun) not in nouns and noun not in _all_nouns()):
            continue
        total = to_count(found["total"])
        if not noun and found.re is _OF_ALL and total < LEAST_BARE_TOTAL and element.area != "pager":
            continue
        if total >= to_count(found.groupdict().get("part") or "0"):
            rough = _ROUGH.search(text) is not None
            totals.append(
                ShownCount(kind="total", total=total, text=element.name, ref=element.ref, firm=False, rough=rough)
            )
    return totals if len(totals) <= MOST_OWN_TOTALS else []


def own_total(element: Element, nouns: Container[str]) -> int | None:
    """Return the number that a text says of one of the nouns by name: "Members: 27", "Number of members: 27", the value
    27 under the label "Members", and "27 members" in the foot of a table; None: it says none."""
    text = plain_form(element.name)
    label = plain_form(element.header or "")
    found = _COUNTED.fullmatch(f"{label}: {text}") if label and element.row is None else None
    found = found or (_COUNTED.fullmatch(text) if not is_heading(element) else None)
    if found is not None:
        said = bool(found["before"] or found["behind"])
        own = found["noun"] in nouns or (said and _stem(found["noun"]) in nouns)
        return to_count(found["total"]) if own else None
    below = _OWN_TOTAL.fullmatch(text) if element.in_foot else None
    return to_count(below["total"]) if below is not None and _stem(below["noun"]) in nouns else None


def says_own_total(element: Element, nouns: Container[str]) -> bool:
    """Return whether a text counts one of the nouns, also as "5 members"."""
    found = _OWN_TOTAL.fullmatch(plain_form(element.name))
    return own_total(element, nouns) is not None or (found is not None and _stem(found["noun"]) in nouns)


def _told(element: Element) -> str:
    return f"{element.header}: {element.name}" if element.header and element.row is None else element.name


def own_nouns(page: PageObserved) -> frozenset[str]:
    """Return the words by which the page may call its entries: those of its title, headings and captions, as they are
    and without the ending of a plural."""
    heads = [e for e in page.elements if e.area not in _NOT_HERE and (is_heading(e) or e.role in ("caption", "table"))]
    said = " ".join([page.title, *(e.name for e in heads[:MOST_HEADS])])
    words = [word for word in _WORD.findall(plain_form(said)) if len(word) > 2]
    return frozenset((*words, *map(_stem, words)))


def _stem(word: str) -> str:
    for ending, other in (("ies", "y"), ("ses", "s"), ("s", "")):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return word.removesuffix(ending) + other
    return word


def _total(text: str, element: Element) -> ShownCount | None:
    found = _PARENTHESISED.search(text) or _FOUND.fullmatch(text)
    firm = found is not None
    found = found or _total_pattern().fullmatch(text)
    if found is None and element.area == "pager":
        found, firm = _IN_PAGER.fullmatch(text), True
        words = found["words"].split() if found is not None else []
        found = None if any(word in _page_words() for word in words) else found
    if found is None or _PER_PAGE.search(text):
        return None
    number = next(part for part in found.groupdict().values() if part is not None and part[:1].isdigit())
    firm = firm or element.area == "pager" or is_heading(element) or element.role in ("status", "caption")
    rough = _ROUGH.search(text) is not None
    return ShownCount(kind="total", total=to_count(number), text=element.name, ref=element.ref, firm=firm, rough=rough)


def to_count(text: str) -> int:
    """Return the whole number of a text such as ``1,234``."""
    return int(re.sub(r"\D", "", text))


# --- the forms


def _all(words: Words) -> Iterable[str]:
    return dict.fromkeys(text for texts in words.values() for text in texts)


def _spaced(gap: str) -> str:
    """Return the pattern of the words between two numbers: blanks may be missing only beside a sign."""
    return f"{_edge(gap.strip()[:1])}{_words(gap)}{_edge(gap.strip()[-1:])}"


def _words(text: str) -> str:
    return re.escape(plain_form(text)).replace(r"\ ", r"\s+")


def _edge(letter: str) -> str:
    return r"\s+" if letter.isascii() and letter.isalpha() else r"\s*"


@cache
def _range_patterns() -> tuple[re.Pattern[str], ...]:
    """Return the patterns of three numbers: with the total behind, in parentheses behind, and in front of the two."""
    to, of, before = {_DASH}, {*(_spaced(gap) for gap in _MORE_OF), _OF_CHINESE}, set[str]()
    for form in _all(RANGES):
        parts = re.split(r"\{(\w+)\}", form)
        names, gaps = parts[1::2], parts[2:-1:2]
        if names == ["first", "last", "total"]:
            to.add(_DASH if re.fullmatch(_DASH, gaps[0]) else _spaced(gaps[0]))
            if "(" not in gaps[1] and gaps[1].strip():
                of.add(_spaced(gaps[1]))
        elif names == ["total", "first", "last"]:
            before.add(_spaced(gaps[0]))
            to.add(_DASH if re.fullmatch(_DASH, gaps[1]) else _spaced(gaps[1]))
    first, last, total = (rf"(?P<{name}>{_NUMBER})" for name in ("first", "last", "total"))
    two = rf"{first}(?:{_either(to)}){last}"
    return (
        re.compile(rf"{_BEFORE}{two}(?:{_either(of)}){total}{_AFTER}"),
        re.compile(rf"{_BEFORE}{two}\s*\((?:[^\W\d]+:?\s+)?{total}(?:\)|\s+total\b)"),
        re.compile(rf"{_BEFORE}{total}(?:{_either(before)}){two}{_AFTER}"),
    )


def _either(patterns: Iterable[str]) -> str:
    return "|".join(sorted(patterns, key=lambda one: (-len(one), one)))


@cache
def _page_words() -> frozenset[str]:
    own = ("pages", "seiten", "страница", "strana", "页", "頁", "第")
    return frozenset({word for text in _all(PAGES) for word in text.split()} | set(own))


@cache
def _page_pattern() -> re.Pattern[str]:
    word = rf"(?:{_either(re.escape(word) for word in _page_words())})"
    gaps = {re.split(r"\{\w+\}", form)[2] for form in _all(RANGES) if form.startswith("{first}")}
    of = {_spaced(gap) for gap in gaps if gap.strip() and "(" not in gap}
    of = _either({*of, r"\s*/\s*", r"\s*[,，]?\s*(?:共|총|전체)\s*"})
    page, pages = rf"(?P<page>{_NUMBER})", rf"(?P<pages>{_NUMBER})"
    again, twice = rf"(?P<page2>{_NUMBER})", rf"(?P<pages2>{_NUMBER})"
    return re.compile(
        rf"(?<!\w){word}\s*:?\s*{page}\s*{word}?(?:{of})(?:{word}\s*)?{pages}{_AFTER}"
        rf"|{_BEFORE}{again}(?:{of}){twice}\s*{word}(?!\w)"
    )


@cache
def _list_behind() -> re.Pattern[str]:
    return re.compile(rf"\s*(?:[^\W\d]+\s+)?(?:{_either(_nouns())})\b")


def _nouns() -> set[str]:
    nouns = set(_NOUNS)
    for form in _all(TOTALS):
        before, after = form.split("{total}")
        if not before and len(word := after.split()[0]) > 3:
            nouns.add(_words(word))
    return nouns


@cache
def _all_nouns() -> frozenset[str]:
    return frozenset(word for noun in _NOUNS for word in (noun.replace("?", ""), noun.replace("s?", "")))


@cache
def _total_pattern() -> re.Pattern[str]:
    """Return the pattern of a whole text that is a number of entries."""
    forms = set[str]()
    for number, form in enumerate(_all(TOTALS)):
        before, after = form.split("{total}")
        forms.add(rf"{_words(before)}\s*(?P<t{number}>{_NUMBER})\s*{_words(after)}")
    noun = f"(?:{_either(_nouns())})"
    own = rf"{_LEAD}(?P<total>{_NUMBER})\+?\s*(?:[^\W\d]+\s+){{0,1}}{noun}{_TAIL}"
    words = _either(map(_words, _TOTAL_WORDS))
    named = rf"(?:{words}|total {noun}|{noun}|matching {noun}|(?:{noun} )?count)\s*:?\s*(?P<named>{_NUMBER})"
    return re.compile(rf"{_SIGNS}(?:[共全]\s*)?(?:{own}|{named}|{_either(forms)}){_SIGNS}")


_PARENTHESISED = re.compile(
    rf"\(\s*(?:about |over )?(?P<total>{_NUMBER})\+?\s*(?:[^\W\d]+\s+)?(?:{_either(_NOUNS)})\s*\)"
)
_OWN_TOTAL = re.compile(
    rf"{_SIGNS}{_LEAD}(?P<total>{_NUMBER})\+?\s+(?:[^\W\d]+\s+)?(?P<noun>[^\W\d]{{3,}}){_TAIL}{_SIGNS}"
)
_COUNTED = re.compile(
    rf"{_SIGNS}(?P<before>(?:(?:total|count|number|no\.|total number)(?: of)?(?: all)?|#(?: of)?|anzahl(?: der)?"
    r"|gesamtzahl der|nombre(?: total)? (?:de|d['’])|n[úu]mero (?:total )?d[ei]|aantal|antal)\s*)?(?P<noun>[^\W\d]{3,})"
    rf"(?P<behind>\s+(?:count|total|gesamt))?\s*[:(=]\s*(?P<total>{_NUMBER})\)?{_SIGNS}"
)
_OF_ALL = re.compile(
    rf"{_SIGNS}(?:(?:showing|displaying|viewing|loaded|listing)\s+)?(?:the )?(?:first )?(?P<part>{_NUMBER})"
    rf"\s+(?:out )?of\s+(?P<total>{_NUMBER})(?:\s+(?P<noun>[^\W\d]{{3,}}))?(?:\s+(?:shown|loaded|displayed))?{_SIGNS}"
)
_HEADED_TOTAL = re.compile(rf"(?:[^\W\d]+\s+)?(?P<noun>[^\W\d]{{3,}})\s*\((?P<total>{_NUMBER})\)")
_FOUND = re.compile(rf"{_SIGNS}(?P<total>{_NUMBER})\s+[^\W\d]+(?:\s+[^\W\d]+)?\s+found{_SIGNS}")
_IN_PAGER = re.compile(rf"{_SIGNS}(?P<total>{_NUMBER})\s+(?P<words>[^\W\d]+(?:\s+[^\W\d]+)?){_SIGNS}")
