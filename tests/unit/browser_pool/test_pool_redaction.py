from __future__ import annotations

import base64
import html
import json
from typing import Any
from urllib.parse import quote, quote_plus

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from shared.contracts.browser_pool import HIDDEN_VALUE, Element
from shared.contracts.results import ActionResult, Change, Locator, Navigated, TargetFound
from shared.secrets.redaction import redacted, redacted_text
from tests.cases import cases

PLAIN = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Zl", "Zp")), min_size=8, max_size=30)
LONG = PLAIN.filter(lambda one: one.strip() == one and one not in HIDDEN_VALUE)
WRITTEN = [
    str,
    lambda one: quote(one, safe=""),
    quote_plus,
    lambda one: quote(quote(one, safe=""), safe=""),
    html.escape,
    lambda one: json.dumps(one)[1:-1],
    lambda one: base64.b64encode(one.encode()).decode(),
    lambda one: quote(one, safe="").lower(),
]


@given(
    LONG,
    st.sampled_from(WRITTEN),
    st.sampled_from(["", "welcome, ", "http://a.test/?q="]),
    st.sampled_from(["", "!", " "]),
)
def test_no_usual_way_to_write_a_secret_gets_out(secret: str, write: object, before: str, after: str) -> None:
    written = write(secret)  # type: ignore[operator]
    assert written not in redacted_text(before + written + after, [secret])


def test_a_field_that_shows_a_secret_is_marked() -> None:
    field = Element(ref=1, role="textbox", name="User", value="hunter2")
    assert redacted(field, ["hunter2"]) == Element(ref=1, role="textbox", name="User", value=HIDDEN_VALUE, secret=True)
    assert not redacted(msgspec.structs.replace(field, value="I am hunter2"), ["hunter2"]).secret
    assert not redacted(msgspec.structs.replace(field, value=HIDDEN_VALUE), ["hunter2"]).secret


def test_letters_of_another_case_and_other_blanks_are_found() -> None:
    assert redacted_text("it is HUNTER2 SECRET", ["hunter2  secret"]) == f"it is {HIDDEN_VALUE}"


def test_what_is_cut_off_is_found_too() -> None:
    assert redacted_text("welcome correcthorse ...", ["correcthorsebattery"]) == f"welcome {HIDDEN_VALUE} ..."
    assert redacted_text("correct answers", ["correcthorsebattery"]) == "correct answers"
    assert redacted_text("correcthorse", ["correcthorsebattery"]) == "correcthorse", "nothing says that it was cut"


@cases("secret", ["admin123!", "administrator-2026", "admin", "Admin", "site admin x"])
def test_a_part_of_a_secret_in_other_words_stays(secret: str) -> None:
    for text in ("Django site admin", "Site administration | Django site admin", "the admin of desk", "admins"):
        assert redacted_text(text, [secret]) == text


@cases(
    ("text", "told"),
    [
        ("admin", HIDDEN_VALUE), ("Password: admin", f"Password: {HIDDEN_VALUE}"), ('"admin"', f'"{HIDDEN_VALUE}"'),
        ("http://a.test/?p=admin&x=1", f"http://a.test/?p={HIDDEN_VALUE}&x=1"),
        ("<b>admin</b>", f"<b>{HIDDEN_VALUE}</b>"),
    ],
)  # fmt: skip
def test_a_short_word_is_hidden_where_it_is_the_whole_value(text: str, told: str) -> None:
    assert redacted_text(text, ["admin"]) == told


def test_a_long_word_is_hidden_as_a_word() -> None:
    assert redacted_text("it is Swordfishes", ["swordfishes"]) == f"it is {HIDDEN_VALUE}"
    assert redacted_text("swordfishesque", ["swordfishes"]) == "swordfishesque"


def test_of_two_secrets_the_longer_one_goes_whole() -> None:
    assert redacted_text("hunter2hunter3", ["hunter2", "hunter2hunter3"]) == HIDDEN_VALUE


@cases(("text", "told"), [("42 of 1420", f"{HIDDEN_VALUE} of 1420"), ("a42", "a42")])
def test_a_short_secret_is_hidden_where_it_stands_alone(text: str, told: str) -> None:
    assert redacted_text(text, ["42"]) == told


def test_every_text_of_a_message_is_looked_at_and_its_form_is_kept() -> None:
    secret = "hunter2!"
    change = Change(url_before="http://a.test/", url_after="http://a.test/?p=hunter2%21", dialogs=(f"alert: {secret}",))
    target = TargetFound(
        role="button", name=secret, tag="b", fingerprint="0", locators=(Locator(kind="text", value=secret, matches=1),)
    )
    effect = Navigated(url="http://a.test/hunter2%21")
    result = ActionResult(ok=True, code="ok", message=f"typed {secret}", change=change, effect=effect, target=target)
    clean = redacted(result, [secret])
    assert b"hunter2" not in msgspec.json.encode(clean)
    assert (clean.ok, clean.code, clean.target.locators[0].kind) == (True, "ok", "text")  # type: ignore[union-attr]
    assert redacted(result, []) is result


def test_a_secret_that_is_one_of_our_own_words_breaks_nothing() -> None:
    target = TargetFound(role="text", name="text", tag="b", fingerprint="text", locators=())
    code: Any = "text"
    result = ActionResult(ok=True, code=code, message="text", change=Change(url_before="", url_after=""), target=target)
    clean = redacted(result, ["text"])
    assert msgspec.json.decode(msgspec.json.encode(clean), type=ActionResult) == clean
    assert (clean.code, clean.message) == ("text", HIDDEN_VALUE)


def test_what_holds_no_secret_is_left_as_it_is() -> None:
    element = Element(ref=1, role="text", name="nothing to see")
    assert redacted(element, ["hunter2"]) is element


def test_a_file_that_is_named_after_a_secret_does_not_tell_it() -> None:
    told = redacted_text('the file "Tr0ub4dor_3 x_y.txt" came down', ['Tr0ub4dor?3 x"y'])
    assert told == f'the file "{HIDDEN_VALUE}.txt" came down'
