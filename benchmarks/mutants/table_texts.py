"""Mutants of how numbers and dates are read, and how ids are compared."""

from __future__ import annotations

from benchmarks.mutants.mutant import Module, Mutant

_NUMBERS = ("unit/shared/text/test_numbers.py",)
_DATES = ("unit/shared/text/test_dates.py", "unit/shared/text/test_date_names.py")

TEXTS = (
    Module(
        "shared/text/numbers.py",
        _NUMBERS,
        (
            Mutant(
                "    if len(found) == 1:\n        return next(iter(found))",
                "    if len(found) >= 1:\n        return next(iter(found))",
                "of two numbers that a text can be none is taken",
            ),
            Mutant(
                "if _THOUSANDS.fullmatch(body) and not behind:",
                "if _THOUSANDS.fullmatch(body):",
                "`1,234 €` is none, for it may mean 1.234",
            ),
            Mutant(
                "and (money or not _LONE_FRACTION.fullmatch(body)):",
                "and (True or not _LONE_FRACTION.fullmatch(body)):",
                "`12,50` may be two numbers where it is no money",
            ),
            Mutant(
                "(by_place and not currency and not",
                "(by_place and currency and not",
                "`(3)` may be a count and is not -3",
            ),
            Mutant(
                "return not before or not after or after in",
                "return bool(before or not after) or after in",
                "`$5 €` is no amount",
            ),
            Mutant(
                "return self.low < number and",
                "return self.low > number and",
                "a title tells a rounded number only where it fits",
            ),
            Mutant(
                'if signs == ["-"] else one',
                'if signs == ["+"] else one',
                "a negative number is negative",
            ),
        ),
    ),
    Module(
        "shared/text/dates.py",
        _DATES,
        (
            Mutant(
                "    if isinstance(said, Dated) and len(said.days) == 1:\n        return next",
                "    if isinstance(said, Dated) and len(said.days) >= 1:\n        return next",
                "of two days that a text can mean none is taken",
            ),
            Mutant(
                "return not said.months or (day.month in said.months and said.day == day.day)",
                "return not said.months or day.month in said.months",
                "a title that says another day is not believed",
            ),
            Mutant(
                "        if day not in said.days:\n",
                "        if not said.days:\n",
                "a title that says none of the days shown is not believed",
            ),
            Mutant(
                "if clock.endswith(UNKNOWN_ZONE):",
                "if clock.startswith(UNKNOWN_ZONE):",
                "a time whose zone is not known is no moment",
            ),
        ),
    ),
    Module(
        "shared/text/date_numbers.py",
        _DATES,
        (
            Mutant("LAST_SURE_YEAR = 49", "LAST_SURE_YEAR = 99", "`25/12/75` could be of two centuries"),
            Mutant(
                "    elif len(third) == 2:\n",
                "    elif len(third) == 4:\n",
                "`24-03-10` may begin with the year",
            ),
            Mutant(
                "hour % 12 + (12 if half",
                "hour + (12 if half",
                "12 am is midnight, and 12 pm is noon",
            ),
        ),
    ),
    Module(
        "shared/text/written_dates.py",
        _DATES,
        (
            Mutant(
                "        left = [day for day, languages in candidates if languages & known]\n",
                "        left = [day for day, languages in candidates if languages]\n",
                "a month of two meanings is settled by the language of the page",
            ),
            Mutant(
                "order = order.order if form_of(match) in order.forms else None",
                "order = order.order",
                "an order settles dates of its own form only",
            ),
            Mutant(
                "    has_date = _HAS_DIGIT.search(remark) and _DATE_IN_REMARK.search",
                "    has_date = not _HAS_DIGIT.search(remark) and _DATE_IN_REMARK.search",
                "a text with another date in a remark is no date",
            ),
            Mutant(
                "if weekday is None or found.weekday() == weekday:",
                "if weekday is None or found.weekday() >= weekday:",
                "a weekday beside a date is that of the date",
            ),
        ),
    ),
    Module(
        "shared/text/record_words.py",
        ("unit/planner/test_planner_identity.py", "unit/planner/test_planner_other_records.py"),
        (
            Mutant(
                '_HASH = re.compile(r"[0-9a-f]{7,64}"',
                '_HASH = re.compile(r"[0-9a-f]{1,64}"',
                "the first letter of a hash is not that hash",
            ),
            Mutant(
                'rf"(?<![\\w-]){words}(?![\\w-])"',
                'rf"(?<!\\w){words}(?!\\w)"',
                "`TCK-1001-2` does not mention `TCK-1001`",
            ),
            Mutant(
                "return is_hash(short) or len(long) >= LEAST_WHOLE_HASH_CHARS",
                "return True",
                "digits alone are the beginning of a whole hash only",
            ),
        ),
    ),
    Module(
        "shared/task/typed_values.py",
        ("unit/planner/test_planner_values.py", *_NUMBERS, "unit/planner/test_planner_dates.py"),
        (
            Mutant(
                "        if len(found) == 1:\n            return Normal(found[0])",
                "        if len(found) >= 1:\n            return Normal(found[0])",
                "of two words of an enum that differ only in form none is taken",
            ),
            Mutant("FLOAT_DIGITS = 15", "FLOAT_DIGITS = 25", "a number with more digits than it can hold is none"),
            Mutant(
                "field.date_order or order, title)",
                "order or field.date_order, title)",
                "the task's own order of dates comes before the page's",
            ),
            Mutant(
                "next((part for part in parts if not fits_pattern(field.value_pattern, part)), None)",
                "next((part for part in parts[:1] if not fits_pattern(field.value_pattern, part)), None)",
                "each part of a list fits the pattern",
            ),
        ),
    ),
)
