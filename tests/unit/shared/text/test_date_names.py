"""Dates in all supported languages, as the CLDR writes them: the right date, or none."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from itertools import cycle

import pytest
from babel import localedata
from babel.dates import format_date, get_month_names
from hypothesis import given
from hypothesis import strategies as st

from scripts.write_date_names import LICENCE, file_text, read_cldr, read_licence
from shared.text.date_names import FILE, LANGUAGES, LOCALES, date_names, language_of, month_numbers
from shared.text.date_numbers import NotADate
from shared.text.dates import date_value
from shared.text.normal import Invalid
from shared.text.written_dates import Dated, DateHints, days_in, languages_of_date, months_in, read_date
from tests.cases import cases
from tests.typed import expect

DAYS = st.dates(date(2000, 1, 1), date(2049, 12, 31))
IN_WORDS = ("full", "long", "d MMMM y", "MMMM d, y", "LLLL d, y", "d. MMM y", "d-MMM-y", "EEEE, d MMMM y")
OF_MANY_MEANINGS = {"lip", "lis", "listopad", "listopada", "srp"}
WRITTEN_WITH_UNITS = {"ja", "zh", "ko"}
"""They write a month as a number with a sign behind it, so only their own forms are dates."""
SMALL = {"bas", "dav", "dua", "lu", "mas", "mfe", "st", "teo", "trv"}
"""Languages of Africa and Taiwan whose abbreviations are months of larger languages: ``may`` is November in Basaa."""


def in_language(locale: str) -> DateHints:
    return DateHints(languages=(frozenset({language_of(locale)}),))


def days_of(text: str, hints: DateHints | None = None) -> frozenset[date]:
    try:
        read = read_date(text, hints)
    except NotADate:
        return frozenset()
    return read.days if isinstance(read, Dated) else frozenset()


def forms_of(locale: str) -> tuple[str, ...]:
    if locale == "ca":  # its months bear a link, so that only its own order makes sense
        return ("full", "long", "medium", "d MMMM y")
    return ("full", "long") if language_of(locale) in WRITTEN_WITH_UNITS else IN_WORDS


def months_of_a_year(locale: str) -> Iterator[tuple[date, str]]:
    """Each month in one of the forms."""
    for month, form in zip(range(1, 13), cycle(forms_of(locale)), strict=False):
        day = date(2026, month, 3 + month)
        yield day, format_date(day, form, locale)


@cases("locale", LOCALES)
def test_every_month_of_every_language_is_read_where_the_language_of_the_page_is_known(locale: str) -> None:
    for day, written in months_of_a_year(locale):
        assert days_of(written, in_language(locale)) == {day}, written
        assert day in days_in(f"Due: {written}."), written


@given(DAYS, st.sampled_from(LOCALES), st.sampled_from(["full", "long", "medium", "short"]))
def test_without_a_language_a_day_comes_back_or_none(day: date, locale: str, form: str) -> None:
    written = format_date(day, form, locale)
    read = date_value(written)
    assert isinstance(read, Invalid) or read == day.isoformat(), written


@given(DAYS, st.sampled_from([name for name in LOCALES if name not in ("pl", "cs", "hr")]))
def test_what_is_written_in_full_is_certain_in_nearly_all_languages(day: date, locale: str) -> None:
    for form in ("full", "long"):
        assert date_value(format_date(day, form, locale)) == day.isoformat()


@pytest.mark.long
@cases("locale", sorted({one.split("_")[0] for one in localedata.locale_identifiers()} - SMALL))
def test_no_language_of_the_world_is_read_as_another_day(locale: str) -> None:
    for month in range(1, 13):
        day = date(2026, month, 14)
        for form in ("full", "long", "medium", "d MMM y"):
            written = format_date(day, form, locale)
            assert days_of(written) in ({day}, frozenset()) or day in days_of(written), written


# --- words that mean two months


def test_the_words_that_mean_two_months_are_known() -> None:
    words = {word: meanings for word, meanings in date_names().months.items() if len(meanings) > 1}
    assert set(words) == OF_MANY_MEANINGS
    assert words["listopad"] == {10: {"hr"}, 11: {"cs", "pl"}}


@cases("word", sorted(OF_MANY_MEANINGS))
def test_such_a_word_is_not_guessed(word: str) -> None:
    for written in (f"21 {word} 2026", f"21. {word} 2026.", f"{word} 21, 2026", f"2026-{word}-21"):
        read = expect(date_value(written), Invalid)
        assert "could be 2026-" in read.message
        assert len(days_of(written)) == 2


@cases(
    ("shown", "day"),
    [
        ("21 listopada 2026, sobota", "2026-11-21"), ("sobota, 21 listopada 2026", "2026-11-21"),
        ("srijeda, 21. listopada 2026.", "2026-10-21"), ("sob., 21 lis 2026", "2026-11-21"),
        ("sri, 21. lis 2026.", "2026-10-21"), ("Wed 21 listopad 2026", "2026-10-21"),
        ("Sat 21 listopad 2026", "2026-11-21"),
    ],
)  # fmt: skip
def test_a_weekday_settles_it(shown: str, day: str) -> None:
    assert date_value(shown) == day


@cases(("tag", "day"), [("pl", "2026-11-21"), ("cs-CZ", "2026-11-21"), ("hr", "2026-10-21")])
def test_the_language_of_the_page_settles_it(tag: str, day: str) -> None:
    assert date_value("21 listopad 2026", order=in_language(tag)) == day


def test_a_language_that_does_not_know_the_word_settles_nothing() -> None:
    assert isinstance(date_value("21 listopada 2026", order=in_language("en")), Invalid)
    both = DateHints(languages=(frozenset({"en"}), frozenset({"hr"})))
    assert date_value("21 listopada 2026", order=both) == "2026-10-21"


def test_the_title_settles_it() -> None:
    assert date_value("21 listopada 2026", title="2026-10-21") == "2026-10-21"
    assert isinstance(date_value("21 listopada 2026", title="2026-09-21"), Invalid)
    assert date_value("21 listopada", title="2026-10-21") == "2026-10-21"


def test_a_word_that_is_a_month_and_a_weekday_is_the_one_that_fits() -> None:
    assert date_value("mar. 3 mars 2026") == "2026-03-03"
    assert date_value("Mar 3, 2026") == "2026-03-03"
    assert date_value("paź 3, 2026") == "2026-10-03"
    assert date_value("Paz, 4 Eki 2026") == "2026-10-04"


@cases(
    ("shown", "language", "day"),
    [
        (
            "So 05.10.2025",
            "de",
            "2025-10-05",
        ),  # Sunday in German; it is no Saturday in Czech, in the order Czechs write
        ("So 09/23/2018", "de", "2018-09-23"),
        ("so, 8. února 2025", "cs", "2025-02-08"),
        ("So, 9. Februar 2025", "de", "2025-02-09"),
    ],
)
def test_a_word_that_means_two_weekdays_counts_in_its_own_language(shown: str, language: str, day: str) -> None:
    assert date_value(shown, order=in_language(language)) == day


@cases("shown", ["on 03/01/24", "to 04/01/24", "do 04/01/24", "So 05.10.2025"])
def test_a_short_word_is_a_weekday_only_in_the_language_of_its_page(shown: str) -> None:
    """``on`` and ``to`` are Wednesday and Thursday in Norwegian; in English they say nothing of the order."""
    assert isinstance(date_value(shown), Invalid)
    assert isinstance(date_value(shown, order=in_language("en")), Invalid)


def test_in_a_language_a_word_may_mean_two_weekdays() -> None:
    assert date_names().weekdays["st"] == {2: {"cs", "sk"}, 3: {"sk"}, 5: {"lt"}}
    assert date_value("st, 7. jan. 2026") == "2026-01-07"
    assert date_value("št, 8. jan. 2026") == "2026-01-08"


# --- forms


@cases(
    "shown",
    [
        "2026年11月21日", "2026年11月21日土曜日", "2026年11月21日(土)", "２０２６年１１月２１日",
        "2026年11月21日星期六", "2026년 11월 21일", "2026년 11월 21일 토요일", "2026. november 21., szombat",
        "2026. gada 21. novembris", "2026 m. lapkričio 21 d.", "21 ноября 2026 г.",
        "субота, 21 листопада 2026\u202fр.", "21 de novembre del 2026", "21 tháng 11, 2026",
        "Thứ Bảy, 21 tháng 11, 2026", "lørdag den 21. november 2026", "21 Kasım 2026 Cumartesi",
        "יום שבת, 21 בנובמבר 2026", "السبت، ٢١ نوفمبر ٢٠٢٦", "21. marraskuuta 2026", "2026. 11. 21.", "21. 11. 2026",
        "21nov2026", "Nov 21,2026", "21.Nov.2026", "sábado, 21 de novembro de 2026", "21 de nov. de 2026",
    ],
)  # fmt: skip
def test_how_the_world_writes_a_day(shown: str) -> None:
    assert date_value(shown) == "2026-11-21"


@cases(
    "shown",
    [
        "terça-feira, 21 de novembro de 2026", "日曜日, 2026年11月21日", "2026年11月21日日曜日", "2026年13月1日",
        "2026年11月", "11월 21일", "2026-03-03 (1 listopada)", "2026-03-03 (3 out 2026)", "5 out of 2026",
        "tháng 13 1, 2026", "\x01 3, 2026", "\x02, 3 Mar 2026", "mar mar mar 2026",
    ],
)  # fmt: skip
def test_what_is_no_date_in_any_language(shown: str) -> None:
    assert isinstance(date_value(shown), Invalid)


def test_a_remark_in_which_a_number_stands_before_an_ordinary_word_is_a_remark() -> None:
    assert date_value("2026-03-03 (3 out of 5 are done)") == "2026-03-03"


def test_a_date_within_a_text_is_found_whatever_stands_around_it() -> None:
    assert days_in("Check-out: 21. lokakuuta 2026 (2 nights)") == {date(2026, 10, 21)}
    assert days_in("03 / 04 / 2026") == {date(2026, 3, 4), date(2026, 4, 3)}
    assert days_in("20261121") == {date(2026, 11, 21)}
    assert days_in("Sat Nov 21 14:30:00 UTC 2026") == days_in("November 21 (Saturday), 2026") == {date(2026, 11, 21)}
    assert days_in("21 listopada 2026", in_language("pl")) == {date(2026, 11, 21)}
    assert days_in("Nov 21 or 22 of 2026") == days_in("set 5 of them") == days_in("") == frozenset()
    assert months_in("listopad 2026") == {10, 11}
    assert months_in("nothing") == frozenset()


def test_the_languages_of_a_date() -> None:
    assert languages_of_date("3 sierpnia 2026") == {"pl"}
    assert languages_of_date("3 sierpnia") == {"pl"}
    assert languages_of_date("3 listopada 2026") == languages_of_date("2026-11-03") == frozenset()


# --- the table for calendars


def test_the_words_of_months_for_a_page_in_a_language() -> None:
    known = month_numbers()
    assert known["november"] == known["ноября"] == known["marraskuu"] == 11
    assert not OF_MANY_MEANINGS & set(known)
    assert month_numbers("hr")["listopad"] == month_numbers("hr-HR")["listopada"] == 10
    assert month_numbers("pl")["listopad"] == month_numbers("cs")["listopad"] == 11
    assert month_numbers("nn-NO") == month_numbers("nb") == month_numbers("no")


def test_the_months_of_another_language_are_known_on_pages_in_that_language() -> None:
    assert "azaroa" not in month_numbers()
    assert month_numbers("eu")["azaroa"] == 11
    for tag in ("", "x", "../../etc", "zz", "en-x-y", "i-klingon"):
        assert month_numbers(tag)["november"] == 11


def test_a_word_that_means_two_months_of_another_language_is_not_guessed() -> None:
    written = get_month_names("abbreviated", locale="dyo")
    assert (written[5], written[6], written[7]) == ("Me", "Su", "Sú")
    assert month_numbers("dyo")["me"] == 5
    assert "su" not in month_numbers("dyo")


def test_the_file_is_what_the_cldr_says_and_has_its_licence() -> None:
    assert FILE.read_text(encoding="utf-8") == file_text(read_cldr())
    assert LICENCE.read_text(encoding="utf-8") == read_licence()


@pytest.mark.system
def test_names_are_loaded_when_one_is_first_asked_for() -> None:
    script = (
        "from shared.text import date_names, dates; assert dates.iso_date('2026-11-21 10:00') == '2026-11-21'; "
        "read = lambda: date_names.date_names.cache_info().currsize; assert read() == 0; "
        "assert dates.iso_date('21 Nov 2026'); assert read() == 1"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_every_language_has_twelve_months_and_seven_weekdays() -> None:
    for language in LANGUAGES - WRITTEN_WITH_UNITS - {"vi"}:
        months = [n for meanings in date_names().months.values() for n, known in meanings.items() if language in known]
        assert set(months) == set(range(1, 13)), language
    for language in LANGUAGES:
        days = [n for meanings in date_names().weekdays.values() for n, known in meanings.items() if language in known]
        assert set(days) == set(range(7)), language
