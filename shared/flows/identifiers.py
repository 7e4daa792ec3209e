"""Names as people write them, as Python identifiers. Imports the standard library only."""

from __future__ import annotations

import keyword
import re
import unicodedata

FLOW_NAMES = frozenset(
    {
        "open_page",
        "click",
        "try_click",
        "type",
        "type_text",
        "type_secret",
        "select_option",
        "set_checked",
        "set_date",
        "press",
    }
    | {"hover", "upload", "scroll", "go_back", "switch_tab", "close_tab", "answer_dialog", "wait_for", "screenshot"}
    | {"download", "download_all", "prove_record", "read", "read_list", "read_with_model", "is_shown", "count"}
    | {"section", "set_structured_output", "load_mappings", "load_variables", "option_of", "run_flow", "run", "main"}
    | {"by_role", "by_label", "by_text", "by_test_id", "with_text", "beside", "after", "in_region", "in_row"}
    | {"found", "mappings", "quote"}
)
"""Names that the code of a flow has already: its own, and those of `exhibit.flow`."""
_NO_WORD = re.compile(r"\W+")


def to_identifier(name: str) -> str:
    """Return the identifier of a variable's name: ``Medical License`` is ``medical_license``."""
    words = _NO_WORD.sub("_", unicodedata.normalize("NFKC", name).lower()).strip("_") or "value"
    if not words.isidentifier():  # it begins with a digit
        words = f"value_{words}"
    return f"{words}_" if keyword.iskeyword(words) or words in FLOW_NAMES else words
