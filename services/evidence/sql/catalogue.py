"""The catalogue of SQL views: every view and column with its type, unit and meaning.

It is data, because four things are derived from it: the Parquet files of a run, the views over them, the hints in
errors, and docs/sql.md.
"""

from __future__ import annotations

from services.evidence.sql.field_views import FIELDS, ITEMS
from services.evidence.sql.reconciliation_views import DIFFERENCES, RECONCILIATION
from services.evidence.sql.review_views import REVIEWS, SIGN_OFFS
from services.evidence.sql.view_types import (
    BIG,
    CONTROLS,
    INPUT,
    LOCATORS,
    MOMENT,
    MONEY,
    NUMBER,
    OUTCOMES,
    RUN_COLUMNS,
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
from shared.evidence_format import layout
from shared.statuses import STATUSES, STYLES

_ATTEMPT = (
    _c("attempt", WHOLE, "Number of the attempt at the sample, from 1."),
    _c("latest", YES_NO, "Whether it belongs to the attempt that counts; earlier ones are in `attempt_N/`."),
)
_TOKENS = (
    _c("llm_calls", WHOLE, "Calls of a language model."),
    _c("input_tokens", BIG, "Input tokens, without cached ones.", "tokens"),
    _c("output_tokens", BIG, "Output tokens.", "tokens"),
    _c("cache_read_tokens", BIG, "Tokens read from the model's cache.", "tokens"),
    _c("cache_write_tokens", BIG, "Tokens written to the model's cache.", "tokens"),
    _c("cost_usd", MONEY, "Price of these calls; 0 if there were none.", "US dollars"),
)


RUNS = SqlView(
    "runs",
    "run",
    (
        *RUN_COLUMNS,
        _c("phase", TEXT, "`execution`, or `discovery` if the run only lists items."),
        _c("goal", TEXT, "The goal of the task, in the words of the spec."),
        _c("state", TEXT, "`finished`: every sample has a result; else `unfinished`."),
        _c("planner", TEXT, "The requested driver: `rules`, `anthropic`, `operator`; NULL if the request named none."),
        _c("requested_by", TEXT, "Author of the run request, if given."),
        _c("concurrency", WHOLE, "Most samples worked on at the same time."),
        _c("created_at", MOMENT, "Time of the run request."),
        _c("started_at", MOMENT, "Start of the first sample in the last round."),
        _c("finished_at", MOMENT, "End of the last sample; NULL while the run is unfinished."),
        _c("resumed", YES_NO, "Whether the run had more than one round."),
        _c("replay_run_id", TEXT, "Of a replay: the run that it repeats."),
        _c("expected", WHOLE, "Size of the population; NULL while the search for samples continues.", "samples"),
        _c("population_complete", YES_NO, "False: it was not proven that all samples were found."),
        _c("population_reason", TEXT, "Why the population is not complete, a reason as of samples; NULL if it is."),
        _c("population_counted", WHOLE, "Number of samples by the site's own count; NULL: not known.", "samples"),
        _c("population_note", TEXT, "Why the population is not complete, or another remark about it."),
        _c("samples", WHOLE, "Samples found.", "samples"),
        *(_c(status, WHOLE, f"Those that {STYLES[status].meaning}.", "samples") for status in STATUSES),
        _c(
            "not_ended",
            WHOLE,
            "Those without a result. With the five counts before it: all samples.",
            "samples",
        ),
        _c("flagged", WHOLE, "Those with a remark that a person should read, including done ones.", "samples"),
        _c("outcomes", OUTCOMES, "Number of samples for each status and reason."),
        _c("llm_calls", BIG, "Calls of a language model, including the search for samples."),
        _c("cost_usd", MONEY, "Their price.", "US dollars"),
        _c("sealed", YES_NO, "Whether its manifest is signed. `exhibit verify` says whether the seal holds."),
        _c("manifest_sha256", TEXT, "Hash of the run's manifest.", "SHA-256, hex"),
        _c("signed_by", TEXT, "Fingerprint of the key that signed the manifest."),
        _c("location", TEXT, "Folder or bucket address of its evidence."),
        _c("read_from", TEXT, "`tables`: its parquet files; `files`: its JSON files at the time of the query."),
        _c("controls", CONTROLS, "The controls that the evidence is for, as the task names them; an empty list: none."),
        _c("tags", TEXTS, "The tags that people have set, sorted; they are in no seal. An empty list: none."),
        _c("spec", VARIES, "The complete task spec of the run."),
    ),
    "Read from `run.json` and its tags at the time of the query, so it shows the present state of the run.",
)

SAMPLES = SqlView(
    "samples",
    "sample of a run",
    (
        *SAMPLE_COLUMNS,
        _c("key", TEXT, "Its key in the input."),
        _c("row", WHOLE, "Its row in the input, from 1."),
        _c("url", TEXT, "Its address in the input; NULL if there is none."),
        _c("input", INPUT, "The whole row of the input: `input['ticket_number']`."),
        _c("status", TEXT, f"{', '.join(f'`{status}`' for status in STATUSES)}; NULL: no result yet."),
        _c("reason", TEXT, "Why it is not done, as a stable code such as `not_found` (docs/codes.md); NULL for done."),
        _c("fault", TEXT, "The cause: the `record`, the `site`, or `us` (this program)."),
        _c("message", TEXT, "The reason in words."),
        _c("flagged", YES_NO, "Whether a person should read its notes."),
        _c("notes", TEXTS, "Notes for reviewers."),
        _c(
            "proven",
            YES_NO,
            "Whether an observed page proves to show this record; NULL: no page was observed, or the task has no "
            "`identity`.",
        ),
        _c("attempt", WHOLE, "The attempt that counts, from 1."),
        _c("steps", WHOLE, "Steps of that attempt."),
        _c("values", WHOLE, "Fields that have a value."),
        _c("fields_not_present", WHOLE, "Fields that the page says are empty."),
        _c("fields_not_found", WHOLE, "Fields that could not be found."),
        _c("artifacts", WHOLE, "Files captured."),
        _c(
            "decided_by",
            TEXT,
            "The driver: `rules`, `operator`, `replay`, `flow`, `api`, the name of a model, or `person:NAME` who "
            "settled it.",
        ),
        _c("settled", TEXT, "What a person said of an unknown outcome: `done`, or `again`; NULL: nobody did."),
        _c("settled_by", TEXT, "That person."),
        _c("settled_at", MOMENT, "When."),
        _c("settled_reason", TEXT, "Why."),
        _c("decision", TEXT, "What people have decided of it in a review that is signed off; else NULL."),
        _c("reviewed_by", TEXTS, "Who decided so."),
        _c("signed_off_at", MOMENT, "When the review was signed off; NULL also if the sample has changed since."),
        _c(
            "drivers",
            TEXTS,
            "Who has worked on it, in order: `flow`, `workflow`, `rules`, `model`, `person`, `recording`; NULL: "
            "nobody, or not known.",
        ),
        _c("no_flow", TEXT, "Why it was not done by a flow to its end, where one could have been."),
        _c("llm_calls", WHOLE, "Calls of a language model in the attempt that counts."),
        _c("cost_usd", MONEY, "Their price.", "US dollars"),
        _c("found_at", MOMENT, "When the sample was found, or read from the input."),
        _c("found_on", TEXT, "Address of the page that listed it; NULL if it came from the input."),
        _c("started_at", MOMENT, "Start of the attempt."),
        _c("finished_at", MOMENT, "End of the attempt."),
        _c("duration_s", NUMBER, "Duration of the attempt.", "s"),
    ),
)

ARTIFACTS = SqlView(
    "artifacts",
    "captured file",
    (
        *SAMPLE_COLUMNS,
        *_ATTEMPT,
        _c("step", WHOLE, "The step that captured it; NULL if no log names it."),
        _c("filename", TEXT, "Its name in the sample's folder, or in `attempt_N/` below it."),
        _c(
            "kind",
            TEXT,
            "`screenshot`, `download`, `page` (the stored page), `observation` (its elements), `step` (a step, "
            "small), `flow` (the version that ran), `workflow` (a file that one saved), `response` (of an API) or "
            "`prompt` (what a model was asked).",
        ),
        _c("label", TEXT, "Its label in the task."),
        _c("media_type", TEXT, "Media type, such as `image/png`."),
        _c("size_bytes", BIG, "Size.", "bytes"),
        _c("sha256", TEXT, "Hash at the time of capture.", "SHA-256, hex"),
        _c("problem", TEXT, "Problem: the file is missing, or differs from what was captured; NULL: none."),
        _c("source_url", TEXT, "Address of the page, or of the file."),
        _c("captured_at", MOMENT, "Time of the capture."),
        _c("capture_id", TEXT, "Equal for files captured together."),
        _c("page_title", TEXT, "Title of the page at that time."),
        _c("http_status", WHOLE, "HTTP status of the page."),
        _c("observation_sha256", TEXT, "Hash of the page's observed content at that time.", "SHA-256, hex"),
        _c("browser", TEXT, "Name and version of the browser."),
        _c("viewport_width_px", WHOLE, "Width of the viewport.", "CSS px"),
        _c("viewport_height_px", WHOLE, "Height of the viewport.", "CSS px"),
        _c("viewport_scale", NUMBER, "Device pixels for each CSS pixel."),
        _c("part", WHOLE, "Of a page captured in several pictures: number of this one, from 1, from the top."),
        _c("parts", WHOLE, "Number of these pictures."),
        *box_of("the part of the document that a screenshot shows"),
        _c("original_name", TEXT, "Of a download: the file name given by the site."),
        _c("text_preview", TEXT, "Of a PDF, CSV or XLSX file: the beginning of its text."),
        _c("content_kind", TEXT, "Of a download: what it is by its bytes, such as `pdf`."),
        _c(
            "content_problem", TEXT, "Why it is not what it is called, such as `empty`; NULL: nothing is wrong with it."
        ),
    ),
    "Files of the search for samples have the sample_id `_discovery`.",
)

STEPS = SqlView(
    "steps",
    "step: observe, decide, act",
    (
        *SAMPLE_COLUMNS,
        *_ATTEMPT,
        _c("step", WHOLE, "Number of the step, from 1 within the attempt."),
        _c("started_at", MOMENT, "Start of the step."),
        _c("ended_at", MOMENT, "End of the step."),
        _c("total_ms", NUMBER, "Duration of the step, including waits.", "ms"),
        _c("browser_ms", NUMBER, "Part of it: waiting for the browser.", "ms"),
        _c("decide_ms", NUMBER, "Part of it: deciding.", "ms"),
        _c("decided_by", TEXT, "The driver: `rules`, `operator`, or the name of a model."),
        _c("action", TEXT, "The action, such as `click`; `none` if the driver gave no usable one."),
        _c("params", VARIES, "Parameters of the action; they depend on the action."),
        _c("reason", TEXT, "The driver's reason, in one sentence."),
        _c("ok", YES_NO, "Whether the action succeeded; NULL for actions without a browser, such as `done`."),
        _c("code", TEXT, "`ok`, or the code of the failure, such as `not_found`."),
        _c("result", TEXT, "The outcome in words."),
        _c("refused", YES_NO, "Whether the answer was rejected: it was invalid, or the gates refused it."),
        _c("effect", TEXT, "The verified effect, such as `navigated`."),
        _c("url", TEXT, "Address of the page that was decided on; NULL before the first page."),
        _c("page_title", TEXT, "Title of that page."),
        _c(
            "proof",
            TEXT,
            "Whether it shows the sample's record: `proven`, `mismatch` (another one), `unproven`, or `not_asked` "
            "where the task has no `identity`. None shows a record that was not found.",
        ),
        _c("page_confidence", NUMBER, "Confidence in the structure of that page.", "0 to 1"),
        _c("plain_confidence", NUMBER, "The same by counts of elements alone; nothing is decided by it.", "0 to 1"),
        _c("triggers", TEXTS, "Why its structure could not be trusted, such as `canvas`."),
        _c("observation_sha256", TEXT, "Hash of its observed content.", "SHA-256, hex"),
        _c("page_sha256", TEXT, "Hash of the stored page; NULL if it was not stored.", "SHA-256, hex"),
        _c("url_after", TEXT, "Address after the step."),
        _c("http_status", WHOLE, "Status of the document that the step loaded; NULL if it loaded none."),
        _c("element_role", TEXT, "Role of the element acted on, such as `button`."),
        _c("element_name", TEXT, "Its accessible name."),
        _c("element_tag", TEXT, "Its tag."),
        _c("element_frame", TEXT, "The frame that contains it."),
        _c("fingerprint", TEXT, "Of the element: equal across page loads."),
        *box_of("the element"),
        _c("locators", LOCATORS, "All locators of the element, each with its number of matches."),
        _c("new_tabs", WHOLE, "Tabs that opened."),
        _c("dialogs", TEXTS, "JavaScript dialogs that opened."),
        _c("dismissed", TEXTS, "Banners and pop-ups that were closed because they blocked the action."),
        _c("denied", TEXTS, "Addresses that the page requested and that were refused, each with the reason."),
        _c("artifacts", TEXTS, "Names of the files it captured."),
        _c("problems", TEXTS, "Problems of those files."),
        _c("fields", TEXTS, "Fields that it reported values of."),
        _c("notices", TEXTS, "Messages about progress that the driver was shown."),
        _c("notes", TEXTS, "Notes for reviewers."),
        _c("vision_answer", TEXT, "The answer to a question about a picture, if there was one."),
        _c("vision_confidence", NUMBER, "Confidence of that answer.", "0 to 1"),
        _c("vision_by", TEXT, "Who gave that answer: the name of a model, or `local`."),
        *_TOKENS,
    ),
    "Steps of the search for samples have the sample_id `_discovery`.",
)

JUDGMENTS = SqlView(
    "judgments",
    "accepted judgment",
    (
        *SAMPLE_COLUMNS,
        _c("status", TEXT, "How the sample ended."),
        _c("question", TEXT, "The task's question."),
        _c("answer", TEXT, "The answer."),
        _c("confidence", NUMBER, "Confidence of the answer.", "0 to 1"),
        _c("reasoning", TEXT, "The reasoning for the answer."),
        _c("evidence", TEXTS, "Names of the files that support it."),
        _c("decided_by", TEXT, "Author of the judgment: `rules`, `operator`, or the name of a model."),
    ),
)

USAGE = SqlView(
    "usage",
    "attempt at a sample, driver and purpose",
    (
        *SAMPLE_COLUMNS,
        *_ATTEMPT,
        _c("purpose", TEXT, "`decide`; `vision`: questions about pictures; `lessons`: lessons for later samples."),
        _c("model", TEXT, "The name of a model, `rules`, `operator` or `local`; NULL for lessons."),
        _c("steps", WHOLE, "Number of steps with it."),
        *_TOKENS,
    ),
    "Drivers without a model also have rows, with 0 calls, which show that no model was used. The search for samples "
    "has the sample_id `_discovery`.",
)

HEALS = SqlView(
    "heals",
    "element or field that a flow has found in another way than it was recorded",
    (
        *SAMPLE_COLUMNS,
        _c("attempt", WHOLE, "Number of the attempt at the sample, from 1."),
        _c("step", WHOLE, "The step that used the element."),
        _c("healed_at", MOMENT, "Time of the step."),
        _c("recorded_run_id", TEXT, "The run in which the element was recorded."),
        _c("recorded_step", WHOLE, "The step of that run."),
        _c("role", TEXT, "Role of the element."),
        _c("name", TEXT, "The field that was read; NULL for an element that was acted on."),
        _c("name_now", TEXT, "Its present accessible name."),
        _c("fingerprint", TEXT, "Its recorded fingerprint."),
        _c("fingerprint_now", TEXT, "Its present fingerprint."),
        _c("locator", TEXT, "The selector of the flow; of a field the rules that find nothing now."),
        _c("locator_now", TEXT, "The selectors or rules that lead to it now."),
        _c("method", TEXT, "How: `agreeing`, `narrowed`, `moved`, `task`, `effect`, `popup` or `planner`."),
        _c("decided_by", TEXT, "The driver of the step."),
        _c("cost_usd", MONEY, "Price of finding it.", "US dollars"),
    ),
    "Flows write them; a replay does not record which of the recorded locators has found an element. What was lost, "
    "what leads elsewhere and the page's hash are in `heals` of the step in action_log.json.",
)

VIEWS: tuple[SqlView, ...] = (
    RUNS,
    SAMPLES,
    FIELDS,
    ITEMS,
    ARTIFACTS,
    STEPS,
    JUDGMENTS,
    USAGE,
    HEALS,
    RECONCILIATION,
    DIFFERENCES,
    REVIEWS,
    SIGN_OFFS,
)
VIEWS_BY_NAME = {view.name: view for view in VIEWS}
TABLES: tuple[SqlView, ...] = tuple(view for view in VIEWS if view is not RUNS)
"""The views that are Parquet files in the folder of a run."""
LATER_TABLES = frozenset({REVIEWS.name, SIGN_OFFS.name})
"""Tables that runs of earlier versions lack, where they would be empty."""
FOLDER = layout.TABLES


def table_file(view: SqlView) -> str:
    """Return the path of the table below the folder of its run."""
    return f"{FOLDER}/{view.name}.parquet"
