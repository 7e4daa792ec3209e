"""Redaction of secrets in a stored page, in every encoding, and in the files beside it."""

from __future__ import annotations

import base64
import email
import email.header
import quopri
import re
from urllib.parse import quote, unquote

from hypothesis import given
from hypothesis import strategies as st

from services.browser_pool.files.captures import shown_headers
from services.browser_pool.files.mhtml import without_secrets
from shared.contracts.browser_pool import HIDDEN_VALUE
from tests.cases import cases
from tests.typed import there

LINES = (
    "From: <Saved by Blink>", "Subject: {subject}", "MIME-Version: 1.0",
    'Content-Type: multipart/related;\r\n\ttype="text/html";\r\n\tboundary="--X"', "", "",
    "----X", "Content-Type: text/html", "Content-Transfer-Encoding: quoted-printable",
    "Content-Location: {url}", "", "{html}",
    "----X", "Content-Type: {kind}", "Content-Transfer-Encoding: base64", "", "{data}", "----X--", "",
)  # fmt: skip
TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Zl", "Zp")), min_size=8, max_size=30)


def mhtml(
    html: str, data: bytes = b"\x89PNG", kind: str = "image/png", url: str = "http://a.test/", subject: str = "T"
) -> bytes:
    written = quopri.encodestring(html.encode()).decode().replace("\n", "\r\n")
    filled = {"html": written, "data": base64.encodebytes(data).decode(), "kind": kind, "url": url, "subject": subject}
    return "\r\n".join(LINES).format(**filled).encode()


def parts(data: bytes) -> list[bytes]:
    payloads = [part.get_payload(decode=True) for part in email.message_from_bytes(data).walk()]
    return [payload for payload in payloads if isinstance(payload, bytes)]


def cleaned(data: bytes, *secrets: str) -> bytes:
    return there(without_secrets(data, secrets))


def test_a_page_without_a_secret_stays_the_very_same_bytes() -> None:
    page = mhtml("<p>nothing here</p>")
    assert cleaned(page, "hunter2secret") == page
    assert cleaned(page) == page


@given(TEXT.filter(lambda one: one.strip() == one and one not in HIDDEN_VALUE), st.integers(0, 80))
def test_a_secret_goes_wherever_a_line_of_the_file_breaks(secret: str, before: int) -> None:
    escaped = secret.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    clean = cleaned(mhtml(f"<p>{'x' * before} {escaped} y</p>"), secret)  # letters within a word are no secret
    assert parts(clean)[0].decode().rstrip() == f"<p>{'x' * before} {HIDDEN_VALUE} y</p>"


@cases("secret", ["MULTIPART", "1.0", "text/html", "quoted-printable", "base64", "--X", "image/png"])
def test_a_secret_that_is_a_word_of_the_format_leaves_a_page_that_can_be_read(secret: str) -> None:
    clean = cleaned(mhtml(f"<p>it is {secret} here</p>"), secret)
    message = email.message_from_bytes(clean)
    assert [part.get_content_type() for part in message.walk()] == ["multipart/related", "text/html", "image/png"]
    assert [one.rstrip() for one in parts(clean)] == [f"<p>it is {HIDDEN_VALUE} here</p>".encode(), b"\x89PNG"]


def test_a_secret_in_a_type_that_a_site_made_up_goes() -> None:
    assert b"hunter2" not in cleaned(mhtml("<p>x</p>", kind="text/x-hunter2"), "hunter2")


def test_a_secret_by_which_a_site_divides_a_part_costs_the_page() -> None:
    parts = b"--hunter2\r\nContent-Type: text/plain\r\n\r\nx\r\n--hunter2--\r\n"
    page = mhtml("<p>x</p>", kind="multipart/mixed; boundary=hunter2").replace(
        b"Content-Transfer-Encoding: base64", b"X: y"
    )
    page = page.replace(base64.encodebytes(b"\x89PNG"), parts)
    assert [part.get_content_type() for part in email.message_from_bytes(page).walk()][-1] == "text/plain"
    assert without_secrets(page, ["hunter2"]) is None


@cases(
    "html",
    [
        "<p>hunter2 &amp; co</p>",
        "<p title='hunter2 &amp; co'>x</p>",
        "<p>HUNTER2 &amp;\n   Co</p>",
        "<p>hun<b class='x'>ter2</b> &amp; <i>co</i></p>",
        '<a href="/?q=hunter2%20%26%20co">x</a>',
        '<iframe srcdoc="&lt;p&gt;hunter2 &amp;amp; co&lt;/p&gt;"></iframe>',
        '<script>let p = "hunter2 \\u0026 co"</script>'.replace("\\u0026", "&"),
        f'<img src="data:text/html;base64,{base64.b64encode(b"<p>it is hunter2 & co</p>").decode()}">',
        f'<img src="data:text/html;base64,{quote(base64.b64encode(b"<p>is hunter2 & co").decode(), safe="")}">',
        f"<p>{base64.b64encode(b'hunter2 & co').decode()}</p>",
    ],
)
def test_a_secret_goes_however_markup_writes_it(html: str) -> None:
    clean = parts(cleaned(mhtml(html), "hunter2 & co"))[0].decode()
    assert "unter2" not in clean.lower()
    addresses = [unquote(one) for one in re.findall(r"base64,([^\"]+)", clean)]
    assert all(HIDDEN_VALUE.encode() in base64.b64decode(one) for one in addresses)
    assert clean != html


def test_tags_within_a_secret_stay_and_what_looks_like_one_in_it_does_not() -> None:
    assert parts(cleaned(mhtml("<p>hun<b>ter2</b> ok</p>"), "hunter2"))[0].rstrip() == b"<p>(hidden)<b></b> ok</p>"
    clean = cleaned(mhtml("<p>x</p>", subject="It is one<two>three"), "one<two>three")
    assert email.message_from_bytes(clean)["Subject"] == f"It is {HIDDEN_VALUE}"


@cases("kind", ["image/svg+xml", "text/css", "application/json", "image/png", "font/woff2"])
def test_a_secret_in_any_part_goes(kind: str) -> None:
    page = mhtml("<p>x</p>", b"\x89 before hunter2secret after \xff", kind)
    assert parts(cleaned(page, "hunter2secret"))[1] == b"\x89 before " + HIDDEN_VALUE.encode() + b" after \xff"


def test_a_short_secret_leaves_pictures_and_words_alone() -> None:
    page = mhtml("<p>42 and 1420</p>", b"\x89PNG 42 ", "image/png")
    html, picture = parts(cleaned(page, "42"))
    assert html.rstrip() == b"<p>(hidden) and 1420</p>"
    assert picture == b"\x89PNG 42 "


def test_addresses_and_the_title_are_told_without_it() -> None:
    page = mhtml("<p>x</p>", url="http://a.test/?p=hunter2%21x", subject="=?utf-8?Q?Your=20hunter2!x=20=C3=A9?=")
    clean = email.message_from_bytes(cleaned(page, "hunter2!x"))
    assert [part["Content-Location"] for part in clean.walk()][1] == f"http://a.test/?p={HIDDEN_VALUE}"
    title = email.header.decode_header(clean["Subject"])[0]
    assert title[0].decode() == f"Your {HIDDEN_VALUE} é"


def test_a_page_that_cannot_be_made_safe_is_no_page() -> None:
    """What we write in its place is the secret itself."""
    assert without_secrets(mhtml("<p>hidden)</p>"), ["hidden)"]) is None


def test_headers_that_let_somebody_in_are_told_by_name_alone() -> None:
    names = (
        "set-cookie", "Authorization", "x-auth-token", "X-CSRF-Token", "x-session-id", "x-api-key",
        "proxy-authorization",
    )  # fmt: skip
    assert {value for _, value in shown_headers((name, "v") for name in names)} == {HIDDEN_VALUE}
    plain = (
        ("content-type", "text/html"),
        ("www-authenticate", "Basic"),
        ("proxy-authenticate", "Basic"),
        ("author", "A"),
    )
    assert shown_headers(plain) == plain
