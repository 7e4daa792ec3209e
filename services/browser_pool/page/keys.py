"""Keys and chords as people and models write them, translated to Playwright's names."""

from __future__ import annotations

MODIFIERS = {
    **{"control": "Control", "ctrl": "Control", "strg": "Control", "shift": "Shift", "alt": "Alt", "option": "Alt"},
    **{"meta": "Meta", "cmd": "Meta", "command": "Meta", "win": "Meta", "super": "Meta"},
}
KEYS = {
    **{name.lower(): name for name in ("Enter", "Tab", "Escape", "Backspace", "Delete", "Insert", "Home", "End")},
    **{name.lower(): name for name in ("PageUp", "PageDown", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight")},
    **{name.lower(): name for name in ("Space", "CapsLock", "ContextMenu", *(f"F{n}" for n in range(1, 13)))},
    **{"return": "Enter", "esc": "Escape", "del": "Delete", "ins": "Insert", "pgup": "PageUp", "pgdn": "PageDown"},
    **{"up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight", "spacebar": "Space"},
    **{"page_up": "PageUp", "page_down": "PageDown", "plus": "+", "minus": "-", "back": "Backspace"},
}
ALLOWED = (
    "Enter, Tab, Escape, Space, Backspace, Delete, Insert, Home, End, PageUp, PageDown, ArrowUp, ArrowDown, "
    "ArrowLeft, ArrowRight, F1 to F12, or one character, with Control+, Shift+, Alt+ or Meta+ before it"
)


def chord(text: str) -> str | None:
    """Return ``Control+a`` for ``Ctrl+A``; None when the text is not one key with modifiers before it."""
    *held, key = _parts(text)
    modifiers = [MODIFIERS.get(one.lower()) for one in held]
    if None in modifiers or len(set(modifiers)) != len(modifiers):
        return None
    pressed = _key(key)
    if pressed is None:
        return None
    if held and _is_letter(pressed):
        # Control+A is written and Control+a is meant: pages compare the letter that the key gives.
        pressed = pressed.upper() if "Shift" in modifiers else pressed.lower()
    return "+".join((*(one for one in modifiers if one), pressed))


def _parts(text: str) -> list[str]:
    """Split at plus signs; a plus may be the key itself (``Control++``, ``+``)."""
    if text == " ":
        return [text]
    written = text.strip()
    if written == "+" or written.endswith("++"):
        return [*(one.strip() for one in written[:-2].split("+") if one.strip()), "+"]
    return [one.strip() for one in written.split("+")]


def _key(name: str) -> str | None:
    known = KEYS.get(name.lower()) or MODIFIERS.get(name.lower())
    if known or len(name) != 1:
        return known
    return "Space" if name == " " else name if name.isprintable() else None


def _is_letter(key: str) -> bool:
    return len(key) == 1 and key.isascii() and key.isalpha()


def refusal(text: str) -> str:
    """Return the message for a text that is no key."""
    return f"{text[:80]!r} is no key: give one of {ALLOWED}"
