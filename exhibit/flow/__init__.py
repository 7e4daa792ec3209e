"""What the code of a flow calls: ``python workspace/flow.py`` performs it in a browser.

Without a bus in the settings, a server and a browser pool run in this process until the flow ends.
"""

from exhibit.flow.standalone import StandaloneFlow
from shared.flows.code.functions import (
    FlowStopped,
    after,
    answer_dialog,
    beside,
    bind,
    by_label,
    by_role,
    by_test_id,
    by_text,
    click,
    close_tab,
    count,
    download,
    download_all,
    go_back,
    hover,
    in_region,
    in_row,
    is_shown,
    load_mappings,
    load_variables,
    open_page,
    option_of,
    press,
    prove_record,
    read,
    read_list,
    read_with_model,
    run_flow,
    screenshot,
    scroll,
    section,
    select_option,
    set_checked,
    set_date,
    set_structured_output,
    switch_tab,
    try_click,
    type,
    type_secret,
    type_text,
    upload,
    wait_for,
    with_text,
)

__all__ = [
    "FlowStopped", "after", "answer_dialog", "beside", "by_label", "by_role", "by_test_id", "by_text", "click",
    "close_tab", "count", "download", "download_all", "go_back", "hover", "in_region", "in_row", "is_shown",
    "load_mappings", "load_variables", "open_page", "option_of", "press", "prove_record", "read", "read_list",
    "read_with_model", "run_flow", "screenshot", "scroll", "section", "select_option", "set_checked", "set_date",
    "set_structured_output", "switch_tab", "try_click", "type", "type_secret", "type_text", "upload", "wait_for",
    "with_text",
]  # fmt: skip

bind(StandaloneFlow())
