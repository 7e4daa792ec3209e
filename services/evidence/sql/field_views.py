"""The SQL views of what was read: a row for each field, and one for each cell of a field that has rows."""

from __future__ import annotations

from services.evidence.sql.view_types import (
    DAY,
    EXACT,
    LOCATORS,
    MOMENT,
    NUMBER,
    SAMPLE_COLUMNS,
    TEXT,
    TEXTS,
    VARIES,
    WHOLE,
    YES_NO,
    SqlView,
    box_of,
)
from services.evidence.sql.view_types import column as _c

_VALUE = (
    _c("value", TEXT, "The value as text; NULL where there is none."),
    _c("value_json", VARIES, "The value in its own type."),
    _c("value_number", EXACT, "Of a `number` or `decimal`; NULL if it has more than 9 decimals."),
    _c("value_date", DAY, "Of a `date` or `date-time`: the day as shown on the page."),
    _c("value_at", MOMENT, "Of a `date-time` with a time zone: the point in time."),
    _c("value_boolean", YES_NO, "Of a `boolean`."),
    _c("shown", TEXT, "The text on the page, before normalisation."),
)
_SOURCE = (
    _c("url", TEXT, "Address of the page that shows the value; NULL if no page shows it."),
    _c("label", TEXT, "Its label on the page."),
    _c("role", TEXT, "Role of the element that shows it, such as `cell`."),
    _c("title", TEXT, 'Text in the markup that adds to the shown text, such as the date and time of "3 days ago".'),
    _c("date_order", TEXT, "Order of day, month and year that the page determined; NULL if it was not ambiguous."),
    _c("frame", TEXT, "The frame that contains it; `main` for the page itself."),
    *box_of("the element"),
    _c(
        "ink",
        TEXT,
        "What a picture shows of the text: `seen`, `absent`, `unexplained` (something is drawn beside "
        "it that the page does not say), `outside` or `glyphless` (boxes stand in it in place of characters that no "
        "font had); NULL if no picture was looked at.",
    ),
    _c("fingerprint", TEXT, "Of the element: equal across page loads."),
    _c("locator", TEXT, "The first locator that matches only this element, such as `id=#owner`."),
    _c("locators", LOCATORS, "All locators, each with its number of matches."),
    _c("observation_sha256", TEXT, "Hash of the page's observed content.", "SHA-256, hex"),
    _c("page_sha256", TEXT, "Hash of the stored page that shows it, as in `artifacts.sha256`.", "SHA-256, hex"),
    _c("observation_file_sha256", TEXT, "Hash of the stored observation of that page.", "SHA-256, hex"),
    _c("screenshot_sha256", TEXT, "Hash of the screenshot that shows it.", "SHA-256, hex"),
)

FIELDS = SqlView(
    "fields",
    "sample and field of the output, of samples that have a result",
    (
        *SAMPLE_COLUMNS,
        _c("status", TEXT, "How the sample ended."),
        _c("field", TEXT, "Name of the field."),
        _c("type", TEXT, "Its type in the spec, such as `date | null`."),
        _c("required", YES_NO, "Whether the spec requires it."),
        _c("state", TEXT, "`value`; `not_present`: the page says there is none; `not_found`: it could not be found."),
        *_VALUE,
        _c(
            "origin",
            TEXT,
            "`page`: read from the page; `derived`: derived from pages; `vision`: read from a picture; `person`: given "
            "by a person who settled the sample; `api`: read from the stored response of an API.",
        ),
        _c("read_by", TEXT, "The reader: `rules`, `operator`, or the name of a model."),
        _c("confidence", NUMBER, "Confidence of the answer, if the value was read from a picture.", "0 to 1"),
        _c("page_confidence", NUMBER, "Confidence in the structure of the page.", "0 to 1"),
        _c("items", WHOLE, "Of rows: how many there are; their cells are in `items`."),
        _c("lacking", TEXT, "Of rows: why they may not be all, or why none were read; NULL: nothing speaks for more."),
        _c("decision", TEXT, "What people have decided of the value in a review that is signed off; else NULL."),
        _c("reviewed_value", TEXT, "The right value, where it was corrected: what the run has read is in `value`."),
        _c("reviewed_by", TEXTS, "Who decided so."),
        _c("step", WHOLE, "The step that reported it, in the attempt that counts."),
        _c("reason", TEXT, "The driver's reason for that step, in one sentence."),
        *_SOURCE,
        _c("response_sha256", TEXT, "Of origin `api`: hash of the stored response that holds it.", "SHA-256, hex"),
        _c("response_pointer", TEXT, "Its JSON pointer in that response."),
        _c("response_url", TEXT, "The address that was asked for it."),
    ),
)

ITEMS = SqlView(
    "items",
    "cell of each row of a field of rows, of samples that have a result",
    (
        *SAMPLE_COLUMNS,
        _c("status", TEXT, "How the sample ended."),
        _c("field", TEXT, "Name of the field, such as `lines`."),
        _c("item", WHOLE, "Number of the row, from 1 in the order in which the pages show them."),
        _c("column_name", TEXT, "Name of the column."),
        _c("type", TEXT, "Its type in the spec."),
        _c("is_id", YES_NO, "Whether the spec tells rows apart by it (`id_keys`)."),
        _c("state", TEXT, "`value`; `not_present`: the row has none; `not_found`: pages say different things of it."),
        *_VALUE,
        _c("candidates", TEXTS, "What pages say of it, where they contradict each other."),
        _c("read_by", TEXT, "The reader: `rules`, `operator`, or the name of a model."),
        *_SOURCE,
    ),
    "The query for one row with a column for each value is below. That the rows may not be all is said in `lacking` of "
    "`fields`.",
)
