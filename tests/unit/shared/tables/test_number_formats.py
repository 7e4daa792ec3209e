"""What a number format adds to a number that a person sees, and what it leaves to the number."""

from __future__ import annotations

from shared.tables.cells import Flaw
from shared.tables.number_formats import is_plain, parse_format, shown_number, shown_text
from tests.cases import cases


@cases(
    ("code", "value", "seen"),
    [
        ("00000", 42, "00042"), ("00000", -42, "-00042"), ("00000", 123456, "123456"), ("000 000", 1234, "001 234"),
        ('"INV-"0000', 7, "INV-0007"), ('"INV-"0', 7, "INV-7"), ('"INV-"General', 7, "INV-7"), ("\\A0", 7, "A7"),
        ("000\\-00\\-0000", 123456789, "123-45-6789"), ("00.00", 7.5, "07.50"), ("000.0#", 7.5, "007.5"),
        ("[<=9999999]###\\-####;\\(###\\)\\ ###\\-####", 5551234, "555-1234"),
        ("[<=9999999]###\\-####;\\(###\\)\\ ###\\-####", 2125551234, "(212) 555-1234"),
        ('0" kg"', 5, "5 kg"), ('"a;b"0', 5, "a;b5"), ('00000;"minus "00000', -5, "minus 00005"),
    ],
)  # fmt: skip
def test_zeros_and_texts_are_part_of_what_is_seen(code: str, value: float, seen: str):
    assert shown_number(code, float(value)) == seen
    assert not is_plain(code)


@cases(
    "code",
    [
        "General", "0", "0.00", "#,##0", "#,##0.00", "0%", "0.0%", "0.00E+00", "# ?/?", "@", "# ##0", "[Red]0.00",
        '"$"#,##0.00', "[$€-407] #,##0.00", "#,##0.00 €", '0.0" kg"', "0;(0)", "0,", '0"%"',
        '_-* #,##0.00_-;-* #,##0.00_-;_-* "-"??_-;_-@_-',
    ],
)  # fmt: skip
def test_an_amount_is_its_number(code: str):
    for value in (1234.0, -5.0, 7.0):
        assert shown_number(code, value) == str(int(value))
    assert is_plain(code)


@cases(
    ("code", "value"),
    [
        (";;;", 5), ('"hidden"', 5), ("0;-0;;@", 0), ("00000", 42.5), ("00.00", 7.125), ("00,000", 42), ("000%", 1),
        ('[=1]"Yes";[=0]"No"', 1), ("[=1]00;[=2]000", 5), ("[DBNum1]00000", 5), ("[>5]00;0;000", 3),
    ],
)  # fmt: skip
def test_what_hides_rounds_or_is_not_known_is_a_flaw(code: str, value: float):
    assert isinstance(shown_number(code, float(value)), Flaw)


@cases(
    ("code", "seen"),
    [("General", "42"), ("@", "42"), ("0", "42"), ('"INV-"@', "INV-42"), ('0;0;0;"x"@', "x42"), ("0.00;@", "42")],
)
def test_a_text_is_shown_by_the_part_for_texts(code: str, seen: str):
    assert shown_text(code, "42") == seen


def test_a_text_that_is_not_shown_is_a_flaw():
    assert isinstance(shown_text(";;;", "42"), Flaw)


@cases(
    ("code", "is_date", "names_day"),
    [
        ("dd/mm/yyyy", True, True), ("[$-409]d-mmm-yy", True, True), ("mmm", True, True), ("mm:ss", True, False),
        ("h:mm AM/PM", True, False), ('yyyy"年"', True, True), ('"day"0', False, False), ("[Red]0", False, False),
        ("0.00E+00", False, False), ("[$SEK] 0", False, False), ("\\d0", False, False),
    ],
)  # fmt: skip
def test_a_date_is_told_from_a_number(code: str, is_date: bool, names_day: bool):
    section = parse_format(code).sections[0]
    assert (section.is_date, section.names_day) == (is_date, names_day)
