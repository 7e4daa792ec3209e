"""Dates as pages show them: exactly one, or none."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from shared.task.output_field import OutputField
from shared.task.typed_values import typed_value
from shared.text.dates import date_in_markup, is_relative, same_date
from shared.text.normal import Invalid, Normal
from shared.text.written_dates import DateHints
from tests.cases import cases
from tests.typed import expect

DAY, MOMENT = OutputField(type="date"), OutputField(type="date-time")


def value(field: OutputField, shown: str, **more: Any) -> object:
    result = typed_value(field, shown, **more)
    assert isinstance(result, Normal), result
    return result.value


def why_not(field: OutputField, shown: str, **more: Any) -> str:
    result = typed_value(field, shown, **more)
    assert isinstance(result, Invalid), result
    return result.message


@cases(
    "shown",
    [
        "Tuesday, March 3rd, 2026", "Tue 3 Mar 2026", "3rd of March 2026", "2026-Mar-03", "2026 March 3", "3.3.2026",
        "3. März 2026", "Dienstag, den 3. März 2026", "Di., 3. Mrz. 2026", "3 mars 2026", "mardi 3 mars 2026",
        "mar. 3 mars 2026", "3 de marzo de 2026", "martes, 3 de marzo de 2026", "3/Mar/2026", "٢٠٢٦-٠٣-٠٣",
        "\u200f2026\u201103\u201103\u200e", "3\u202fmars\u00a02026", "2026-03-03 (over 2 years late)",
        "Mar 3, 2026 (3 days ago)", "3 days ago (Mar 3, 2026)", "3 Mar 2026 (2026-03-03)",
        "2026-03-03 14:05 EST", "2026-03-03 14:05 (CET)", "2026-03-03T14:05+01:00",
        "Mar 3, 2026, 2:05\u202fPM GMT+1", "Tue 03/03/2026",
        "2026/3/3", "3-Mar-2026", "03/03/2026", "2026-03-03T23:59:00Z", "2026-03-03.14:05:33",
    ],
)  # fmt: skip
def test_any_form_that_means_one_day(shown):
    assert value(DAY, shown) == "2026-03-03"


@cases(
    ("shown", "day"),
    [
        ("1er août 2026", "2026-08-01"), ("18. Okt. 2026", "2026-10-18"), ("2 de diciembre de 2026", "2026-12-02"),
        ("15 févr. 2026", "2026-02-15"), ("24. Jänner 2026", "2026-01-24"), ("30/Nov/49", "2049-11-30"),
        ("Thu, 03/10/2024", "2024-10-03"), ("Sun 03/10/2024", "2024-03-10"),
        ("13/10/24", "2024-10-13"), ("10/13/24", "2024-10-13"),
    ],
)  # fmt: skip
def test_months_of_four_languages_and_weekdays_that_settle(shown, day):
    assert value(DAY, shown) == day


@cases(
    "shown",
    [
        "03/10/24", "24-03-10", "31.12.25", "18-Nov-26", "25/12/75", "03-10-2024", "Mon, 3 March 2026",
        "Fri 03/10/2024",
        "2026-03-03 (was 2026-02-01)", "2026-03-03 (extended to 1 April)", "2026-03-03 (until 2027)",
        "3 days ago (2026)", "3 days ago (2026-03-03 / 2026-03-04)", "3 Mar 2026 (2026-03-04)",
        "Mar 2026", "2026",
        "Mar 3", "3 foo 2026", "31/02/2026", "0/0/2026", "2026-3-3-3", "20260303", "2026-03", "Due: 2026-03-03",
        "2026-03-03, over 2 years late", "2026-03-03 or so", "None", "n/a", "2026-03-03 to 2026-03-04",
        "3/3", "²/3/2026", "", "2026-03-031", "13/13/2024",
        "x" * 5000,
    ],
)  # fmt: skip
def test_what_is_no_certain_date(shown):
    assert why_not(DAY, shown)


def test_a_weekday_that_is_another_is_named():
    assert "not a date of that weekday" in why_not(DAY, "Monday, 3 March 2026")


# --- the order of day and month


@cases(
    ("order", "shown", "day"),
    [
        ("dmy", "03/10/24", "2024-10-03"), ("mdy", "03/10/24", "2024-03-10"), ("ymd", "03/10/24", "2003-10-24"),
        ("dmy", "3.10.2024", "2024-10-03"), ("ymd", "24-03-10", "2024-03-10"), ("dmy", "24-03-10", "2010-03-24"),
        ("dmy", "18-Nov-26", "2026-11-18"), ("ymd", "18-Nov-26", "2018-11-26"), ("mdy", "2024-03-10", "2024-03-10"),
    ],
)  # fmt: skip
def test_the_task_settles_the_order(order, shown, day):
    assert value(OutputField(type="date", date_order=order), shown) == day


def test_a_date_that_is_none_in_the_order_of_the_task_is_not_read_in_another():
    assert "in the order mdy" in why_not(OutputField(type="date", date_order="mdy"), "25/12/24")
    assert "could be" in why_not(OutputField(type="date", date_order="dmy"), "25/12/75")
    assert "day/month or month/day" in why_not(OutputField(type="date", date_order="ymd"), "03/10/2024")


# --- what the markup says beside it


@cases(
    "shown",
    [
        "3 days ago", "yesterday", "in 2 weeks", "just now", "an hour ago", "Yesterday at 5:00 PM", "last Friday",
        "Wed", "3d",
        "vor 3 Tagen", "gestern", "il y a 3 jours", "hier", "hace 3 días", "mañana", "9:00 AM", "about 2 hours ago",
        "Nov 18", "18 Nov.", "Wed, Nov 18", "Nov 19 at 9:00 AM", "18. November", "18 de noviembre",
    ],
)  # fmt: skip
def test_what_is_relative_is_told_by_its_title_only(shown):
    assert why_not(DAY, shown)
    assert value(DAY, shown, title="2026-11-18T09:00Z") == "2026-11-18"
    assert value(MOMENT, shown, title="2026-11-18T09:00Z") == "2026-11-18T09:00:00+00:00"


def test_the_reason_says_that_it_is_relative():
    assert "relative" in why_not(DAY, "3 days ago")
    assert "year" in why_not(DAY, "Nov 18")


@cases(
    ("shown", "title"),
    [
        ("3 days ago", "Opened by Ann"), ("3 days ago", "03/10/24"), ("3 days ago", "2026-11"),
        ("3 days ago", "last week"), ("Nov 18", "2026-11-21"), ("Nov 18", "2026-11-19"), ("03/10/24", "2024-11-03"),
        ("Overdue", "2024-03-10"), ("Ann Lee", "2024-03-10"),
    ],
)  # fmt: skip
def test_a_title_that_says_no_date_or_another_tells_nothing(shown, title):
    assert why_not(DAY, shown, title=title)


@cases(
    ("title", "day", "moment"),
    [
        ("See timeline at 08/15/26 02:39:00", "2026-08-15", "2026-08-15T02:39:00"),
        ("Opened on Aug 15, 2026, 2:39 PM", "2026-08-15", "2026-08-15T14:39:00"),
        ("Changed (2026-08-15T02:39:00Z) by Ann", "2026-08-15", "2026-08-15T02:39:00+00:00"),
        ("Ticket 3 was closed 15 August 2026.", "2026-08-15", None),
    ],
)  # fmt: skip
def test_the_one_date_within_a_title_is_what_a_relative_text_means(title, day, moment):
    assert value(DAY, "4 months ago", title=title) == day
    read = typed_value(MOMENT, "4 months ago", title=title)
    assert (read.value if isinstance(read, Normal) else None) == moment


@cases(
    "title",
    [
        "From 08/15/26 to 08/17/26", "2026-08-15, changed 2026-08-17", "See timeline at 08/09/26 02:39:00",
        "Fixed in 2.13.24", "Ticket #2026-08-15-3", "Due 2026-08-15 or 09/10/26", "No date set", "See 3 of May",
        "2026-08-15 " + "a " * 100,
    ],
)  # fmt: skip
def test_a_title_with_several_dates_or_one_that_is_open_tells_nothing(title):
    assert why_not(DAY, "4 months ago", title=title)


def test_the_order_of_the_task_settles_the_date_within_a_title():
    title = "See timeline at 08/09/26 02:39:00"
    assert value(OutputField(type="date", date_order="mdy"), "4 months ago", title=title) == "2026-08-09"
    assert value(OutputField(type="date", date_order="dmy"), "4 months ago", title=title) == "2026-09-08"
    assert "`date_order` of the field settles it" in why_not(DAY, "4 months ago", title=title)
    assert why_not(DAY, "Nov 18", title="On 2026-11-19 by Ann"), "it says another day"


@cases(
    ("shown", "is_so"),
    [
        ("4 months ago", True), ("yesterday", True), ("in 2 weeks", True), ("vor 3 Tagen", True), ("just now", True),
        ("last month", True), ("4 months", False), ("12:30", False), ("5 h", False), ("Nov 18", False), ("Wed", False),
        ("closed", False), ("2026-08-15", False), ("3 days ago (2026-08-15)", False), ("next", False),
    ],
)  # fmt: skip
def test_a_text_is_told_from_now_or_not(shown, is_so):
    assert is_relative(shown) is is_so


@cases(
    ("shown", "title", "beside"),
    [
        ("4 months ago", "See timeline at 08/15/26 02:39:00", "2026-08-15T02:39:00"),
        ("yesterday", "Aug 15, 2026", "2026-08-15"),
        ("yesterday", "See timeline at 08/09/26", ""), ("yesterday", "", ""), ("closed", "2026-08-15", ""),
    ],
)  # fmt: skip
def test_the_date_in_the_markup_of_a_relative_text_is_told(shown, title, beside):
    assert date_in_markup(shown, title) == beside


def test_a_title_settles_which_of_two_days_is_meant():
    assert value(DAY, "03/10/24", title="2024-10-03") == "2024-10-03"
    assert value(DAY, "18/Nov/26 9:00 AM", title="2026-11-18T09:00+0000") == "2026-11-18"
    assert value(MOMENT, "03/10/24 9:00", title="Oct 3, 2024") == "2024-10-03T09:00:00"


def test_a_title_adds_the_time_to_the_same_day_only():
    assert value(MOMENT, "Nov 18, 2026", title="2026-11-18T09:00:00") == "2026-11-18T09:00:00"
    assert value(MOMENT, "Nov 19, 2026", title="2026-11-18T23:30:00Z") == "2026-11-18T23:30:00+00:00"
    assert "another day" in why_not(MOMENT, "Nov 19, 2026", title="2026-11-18T23:30:00")
    assert "another day" in why_not(MOMENT, "Nov 21, 2026", title="2026-11-18T23:30:00Z")
    assert "no time" in why_not(MOMENT, "Nov 18, 2026", title="2026-11-18")


def test_what_is_shown_in_full_is_not_overruled_by_a_title():
    assert value(DAY, "Nov 19, 2026", title="2026-11-18T23:30Z") == "2026-11-19"
    assert value(MOMENT, "2026-11-18 10:00", title="2026-11-18T09:00Z") == "2026-11-18T10:00:00"


def test_the_first_and_the_last_day_of_all_break_nothing():
    assert value(MOMENT, "yesterday", title="0001-01-01T00:00Z") == "0001-01-01T00:00:00+00:00"
    assert value(MOMENT, "9999-12-31", title="9999-12-31T00:00Z") == "9999-12-31T00:00:00+00:00"


@cases(
    ("shown", "moment"),
    [
        ("2026-03-03 14:05 (UTC)", "2026-03-03T14:05:00+00:00"),
        ("2026-03-03 14:05 (UTC+2)", "2026-03-03T14:05:00+02:00"),
        ("2026-03-03 14:05 (GMT +02:00)", "2026-03-03T14:05:00+02:00"),
        ("2026-03-03T14:05:33.250+0130", "2026-03-03T14:05:33.250000+01:30"),
        ("3 March 2026, 12:00 AM", "2026-03-03T00:00:00"),
        ("3 March 2026 14:05 GMT+1", "2026-03-03T14:05:00+01:00"),
        ("3 March 2026 14:05 UTC-05:30", "2026-03-03T14:05:00-05:30"),
        ("3. März 2026 um 14:05 Uhr", "2026-03-03T14:05:00"),
        ("Mar 3, 2026, 2:05\u202fp.m.", "2026-03-03T14:05:00"),
        ("2026-03-03 14:05 (late)", "2026-03-03T14:05:00"),
        ("June 24, 2026, 4 p.m.", "2026-06-24T16:00:00"),
        ("June 24, 2026 4pm UTC", "2026-06-24T16:00:00+00:00"),
        ("June 24, 2026, 12 a.m.", "2026-06-24T00:00:00"),
        ("May 2, 2026, noon", "2026-05-02T12:00:00"),
        ("3. März 2026, 14 Uhr", "2026-03-03T14:00:00"),
        ("3 mars 2026 à 14h05", "2026-03-03T14:05:00"),
        ("3 mars 2026 à 14 h", "2026-03-03T14:00:00"),
        ("3. März 2026 um 14.05 Uhr", "2026-03-03T14:05:00"),
    ],
)
def test_moments(shown, moment):
    assert value(MOMENT, shown) == moment


def test_midnight_is_of_a_day_and_may_be_either_of_its_ends():
    assert value(DAY, "May 10, 2026, midnight") == "2026-05-10"
    assert "which midnight" in why_not(MOMENT, "May 10, 2026, midnight")
    assert value(MOMENT, "May 10, 2026, midnight", title="2026-05-10T00:00Z") == "2026-05-10T00:00:00+00:00"


def test_what_is_behind_a_date_and_is_no_time_is_said():
    assert "and a time: 'overdue'" in why_not(DAY, "May 10, 2026 overdue")
    assert "no such hour" in why_not(MOMENT, "May 10, 2026, 16 p.m.")
    assert why_not(MOMENT, "May 10, 2026, 4")


@cases(
    "shown",
    [
        "25.12.2024 15.06.24", "31.12.2025 01.02.26", "3.3.2026 14.05", "25.12.2026, 10.50", "Mar 3, 2026 8h",
        "Mar 3, 2026 1h30",
    ],
)  # fmt: skip
def test_a_second_date_an_amount_and_a_duration_are_no_time(shown):
    assert "and a time: " in why_not(DAY, shown)
    assert why_not(MOMENT, shown)


@cases(
    "shown",
    ["2026-03-03 14:05 EST", "2026-03-03 14:05 (CST)", "2026-03-03 24:00", "2026-03-03", "2026-03-03 10:00 +99:00"],
)
def test_what_is_no_certain_moment(shown):
    assert why_not(MOMENT, shown)


# --- any day


DAYS = st.dates(date(2000, 1, 1), date(2049, 12, 31))
CERTAIN = {
    "iso": lambda d: d.isoformat(),
    "slashes": lambda d: f"{d.year}/{d.month}/{d.day}",
    "english": lambda d: f"{d:%B} {d.day}, {d.year}",
    "short": lambda d: f"{d.day} {d:%b} {d.year}",
    "remarked": lambda d: f"{d.isoformat()} (over 2 years late)",
}


@given(DAYS, st.sampled_from(sorted(CERTAIN)))
def test_a_day_comes_back_from_any_form_that_is_certain(day: date, form: str):
    assert value(DAY, CERTAIN[form](day)) == day.isoformat()


@given(DAYS, st.sampled_from(["/", ".", "-"]), st.sampled_from(["%Y", "%y"]), st.sampled_from(["dmy", "mdy"]))
def test_a_day_comes_back_in_the_order_that_is_told(day: date, separator: str, year: str, order: Any):
    first, second = ("%d", "%m") if order == "dmy" else ("%m", "%d")
    assert value(OutputField(type="date", date_order=order), day.strftime(separator.join((first, second, year)))) == (
        day.isoformat()
    )


@given(DAYS, st.sampled_from(["/", ".", "-"]))
def test_without_an_order_a_day_is_read_only_where_one_reading_is_possible(day: date, separator: str):
    shown = day.strftime(separator.join(("%d", "%m", "%Y")))
    certain = day.day > 12 or day.day == day.month
    assert (
        typed_value(DAY, shown) == Normal(day.isoformat()) if certain else isinstance(typed_value(DAY, shown), Invalid)
    )


ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1), timezones=ZONES))
def test_a_moment_comes_back_with_its_zone(moment: datetime):
    found = expect(value(MOMENT, moment.isoformat()), str)
    assert datetime.fromisoformat(found) == moment


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_text_and_no_title_breaks_a_reader(shown: str, title: str):
    for field in (
        DAY,
        MOMENT,
        *(OutputField(type=kind) for kind in ("string", "number", "decimal", "boolean", "array")),
    ):
        assert isinstance(typed_value(field, shown, title=title), Normal | Invalid)


def test_an_order_that_a_page_settles_holds_for_dates_of_its_own_form_only():
    settled = DateHints("dmy", frozenset({"/4"}))
    assert value(DAY, "03/10/2026", order=settled) == "2026-10-03"
    for other in ("03.10.2026", "03-10-2026", "03/10/26"):
        assert "could be" in why_not(DAY, other, order=settled)


def test_a_remark_may_have_the_date_or_its_time():
    moment = OutputField(type="date-time")
    assert value(moment, "3 days ago (Mar 3, 2026, 2:05 p.m.)") == "2026-03-03T14:05:00"
    assert value(moment, "3 Mar 2026 (2026-03-03 14:05 UTC)") == "2026-03-03T14:05:00+00:00"


@cases(
    ("one", "other", "same"),
    [
        ("2026-03-05", "5 March 2026", True), ("2026-03-05", "3 May 2026", False), ("2026-03-05", "05/03/2026", True),
        ("2026-03-05", "Mar 5, 2026 (Thursday)", True), ("05/03/2026", "03/05/2026", True), ("week 12", "12", True),
        ("2026-03-05", "none", False),
    ],
)  # fmt: skip
def test_whether_two_texts_may_say_the_same_day(one: str, other: str, same: bool):
    assert same_date(one, other) is same
