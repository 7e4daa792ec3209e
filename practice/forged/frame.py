"""What all pages of the register share: the document, its style, and the dialogs of a page."""

from __future__ import annotations

from practice.forged.lies import Dialog
from practice.markup import Markup, el, join

_CSS = """
body { font: 15px/1.5 sans-serif; margin: 0; color: #222; background: #fff }
header, main { padding: 12px 32px }
header { border-bottom: 1px solid #ccc }
.property { display: flex; gap: 16px; padding: 2px 0 }
dt { width: 160px; color: #555 }
dd { margin: 0; position: relative }
.over { position: absolute; left: 0; top: 0; background: #fff; white-space: nowrap; padding-right: 60px }
table { border-collapse: collapse }
td, th { border: 1px solid #ccc; padding: 4px 10px; text-align: left }
form div { margin: 8px 0 }
label { display: inline-block; width: 160px }
.dialog { position: fixed; inset: 0; background: rgba(0, 0, 0, .5) }
.dialog > div { background: #fff; margin: 15vh auto; padding: 24px; width: 480px }
"""


def document(title: str, main: Markup, script: str = "") -> str:
    """Return a whole page."""
    head = el("head", el("meta", charset="utf-8"), el("title", title), el("style", Markup(_CSS)))
    header = el("header", el("a", "Register", href="/"), " ", el("a", "New order", href="/orders/new"))
    code = el("script", Markup(script)) if script else None
    return f"<!doctype html>{el('html', head, el('body', header, main, code), lang='en')}"


def page_dialog(dialog: Dialog, action: str, what: str) -> Markup | None:
    """Return the dialog that lies over the page, if one does. ``action``: where its buttons that do something post."""
    if dialog not in ("keep", "withdraw"):
        return None
    closes = el("button", "Close", type="button", onclick="this.closest('.dialog').remove()")
    own = [el("button", name, name="what", value=name) for name in _buttons(dialog, what)]
    question = (
        f"You have looked at this {what} before. Shall it be kept?"
        if dialog == "keep"
        else f"Decide on this {what}: it waits for your approval."
    )
    form = el("form", *own, closes if dialog == "keep" else None, method="post", action=action)
    inner = el("div", el("h2", question, id="asked"), form)
    return el("div", inner, role="dialog", aria_modal="true", aria_labelledby="asked", cls="dialog")


def _buttons(dialog: Dialog, what: str) -> tuple[str, ...]:
    if dialog == "keep":
        return ("Delete", f"Cancel {what}", "Save as another")
    return ("Approve", "Reject", f"Cancel {what}")


def fields(*pairs: tuple[str, str]) -> Markup:
    """Return labels with values."""
    return el("dl", *(el("div", el("dt", label), el("dd", value), cls="property") for label, value in pairs))


def lines(*texts: str) -> Markup:
    return join(*(el("p", text) for text in texts))
