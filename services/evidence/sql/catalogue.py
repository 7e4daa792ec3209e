"""The catalogue of SQL views: every view and column with its type, unit and meaning.

It is data, because four things are made of it: the Parquet files of a run, the views over them, the hints of errors,
and docs/sql.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from shared.evidence_format import layout
from shared.statuses import STATUSES, STYLES

TEXT, NUMBER, WHOLE, BIG, YES_NO = "VARCHAR", "DOUBLE", "INTEGER", "BIGINT", "BOOLEAN"
MOMENT, DAY, MONEY, EXACT, VARIES = "TIMESTAMP WITH TIME ZONE", "DATE", "DECIMAL(18,9)", "DECIMAL(38,9)", "JSON"
TEXTS = "VARCHAR[]"
LOCATORS = 'STRUCT(kind VARCHAR, "value" VARCHAR, matches INTEGER)[]'
OUTCOMES = "STRUCT(status VARCHAR, reason VARCHAR, samples INTEGER)[]"
INPUT = "MAP(VARCHAR, VARCHAR)"


@dataclass(frozen=True)
class ViewColumn:
    """``meaning`` does not repeat the unit. An empty ``unit``: the column has none."""

    name: str
    type: str
    meaning: str
    unit: str = ""


@dataclass(frozen=True)
class SqlView:
    """``one_row`` completes "one row for each ..."."""

    name: str
    one_row: str
    columns: tuple[ViewColumn, ...]
    note: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


def _c(name: str, type_: str, meaning: str, unit: str = "") -> ViewColumn:
    return ViewColumn(name, type_, meaning, unit)


_RUN = (
    _c("run_id", TEXT, "The run."),
    _c("task_id", TEXT, "The task, as its spec names it."),
)
_SAMPLE = (*_RUN, _c("sample_id", TEXT, "The sample: also the name of its folder."))
_ATTEMPT = (
    _c("attempt", WHOLE, "Which try at the sample this was, from 1."),
    _c("latest", YES_NO, "Whether it belongs to the attempt that counts; earlier ones lie in `attempt_N/`."),
)
_TOKENS = (
    _c("llm_calls", WHOLE, "Calls of a language model."),
    _c("input_tokens", BIG, "Tokens it was sent, those that were cached aside.", "tokens"),
    _c("output_tokens", BIG, "Tokens it wrote.", "tokens"),
    _c("cache_read_tokens", BIG, "Tokens read from its cache.", "tokens"),
    _c("cache_write_tokens", BIG, "Tokens written to its cache.", "tokens"),
    _c("cost_usd", MONEY, "Price of these calls; 0 where none was made.", "US dollars"),
)


def _box(of: str) -> tuple[ViewColumn, ...]:
    return (
        _c("box_x_px", NUMBER, f"Left edge of {of}, from the left of the document of the main frame.", "CSS px"),
        _c("box_y_px", NUMBER, f"Upper edge of {of}, from the top of that document.", "CSS px"),
        _c("box_width_px", NUMBER, f"Width of {of}.", "CSS px"),
        _c("box_height_px", NUMBER, f"Height of {of}.", "CSS px"),
    )


RUNS = SqlView(
    "runs",
    "run",
    (
        *_RUN,
        _c("phase", TEXT, "`execution`, or `discovery` where the run only lists."),
        _c("goal", TEXT, "What was to be done, in the words of the spec."),
        _c("state", TEXT, "`finished`: every sample is accounted for; else `unfinished`."),
        _c("planner", TEXT, "Who was to decide, where the request said so: `rules`, `anthropic`, `operator`."),
        _c("requested_by", TEXT, "Who asked for it, where that was said."),
        _c("concurrency", WHOLE, "Samples that could be worked on at a time."),
        _c("created_at", MOMENT, "When it was asked for."),
        _c("started_at", MOMENT, "When the first sample of its last round was begun."),
        _c("finished_at", MOMENT, "When the last sample was accounted for; NULL while it is unfinished."),
        _c("resumed", YES_NO, "Whether it was worked on in more than one round."),
        _c("replay_run_id", TEXT, "The run whose steps were taken again, where it is a replay."),
        _c("expected", WHOLE, "Samples there must be; NULL while more are looked for.", "samples"),
        _c("population_complete", YES_NO, "False: finding the samples was cut short, so there may be more."),
        _c("population_note", TEXT, "Why it was cut short, or what else is to be known of how they were found."),
        _c("samples", WHOLE, "Samples found.", "samples"),
        *(_c(status, WHOLE, f"Those that {STYLES[status].meaning}.", "samples") for status in STATUSES),
        _c("not_ended", WHOLE, "Those without a result. With the five before it: all samples.", "samples"),
        _c("flagged", WHOLE, "Those with a remark that a person should read, done ones among them.", "samples"),
        _c("outcomes", OUTCOMES, "How many samples ended with which status and reason."),
        _c("llm_calls", BIG, "Calls of a language model, finding the samples included."),
        _c("cost_usd", MONEY, "Their price.", "US dollars"),
        _c("sealed", YES_NO, "Whether its manifest is signed. `exhibit verify` says whether the seal holds."),
        _c("manifest_sha256", TEXT, "Hash of the run's manifest.", "SHA-256, hex"),
        _c("signed_by", TEXT, "Fingerprint of the key that signed it."),
        _c("location", TEXT, "Where its evidence lies."),
        _c("read_from", TEXT, "`tables`: its parquet files; `files`: its JSON files, as they were when asked."),
        _c("spec", VARIES, "The whole task spec, as it was run."),
    ),
    "Made of `run.json` at the moment of asking, so it always says what is true of the run now.",
)

SAMPLES = SqlView(
    "samples",
    "sample of a run",
    (
        *_SAMPLE,
        _c("key", TEXT, "What the input calls it."),
        _c("row", WHOLE, "Its row in the input, from 1."),
        _c("url", TEXT, "The address it came with, where it came with one."),
        _c("input", INPUT, "The whole row of the input: `input['ticket_number']`."),
        _c("status", TEXT, f"{', '.join(f'`{status}`' for status in STATUSES)}; NULL: no result yet."),
        _c("reason", TEXT, "Why it is not done, as a stable code such as `not_found` (docs/codes.md); NULL for done."),
        _c("fault", TEXT, "Whose fault that is: `record`, `site` or `us`."),
        _c("message", TEXT, "The same in words."),
        _c("flagged", YES_NO, "Whether a person should read its notes."),
        _c("notes", TEXTS, "What a reviewer should know."),
        _c("proven", YES_NO, "Whether a page was seen that proves to be of this very record; NULL where nothing was."),
        _c("attempt", WHOLE, "The attempt that counts, from 1."),
        _c("steps", WHOLE, "Steps of that attempt."),
        _c("values", WHOLE, "Fields that have a value."),
        _c("fields_not_present", WHOLE, "Fields of which the page says that there is nothing."),
        _c("fields_not_found", WHOLE, "Fields that could not be found."),
        _c("artifacts", WHOLE, "Files captured."),
        _c("decided_by", TEXT, "Who decided: `rules`, `operator`, `replay`, or the name of a model."),
        _c("llm_calls", WHOLE, "Calls of a language model, of the attempt that counts."),
        _c("cost_usd", MONEY, "Their price.", "US dollars"),
        _c("found_at", MOMENT, "When it was found, or read from the input."),
        _c("found_on", TEXT, "Address of the page that listed it, where it was found by navigating."),
        _c("started_at", MOMENT, "When the attempt began."),
        _c("finished_at", MOMENT, "When it ended."),
        _c("duration_s", NUMBER, "From the one to the other.", "s"),
    ),
)

FIELDS = SqlView(
    "fields",
    "sample and field of the output, of samples that have a result",
    (
        *_SAMPLE,
        _c("status", TEXT, "How the sample ended."),
        _c("field", TEXT, "Name of the field."),
        _c("type", TEXT, "Its type, as the spec has it, such as `date | null`."),
        _c("required", YES_NO, "Whether the spec requires it."),
        _c("state", TEXT, "`value`; `not_present`: the page says there is none; `not_found`: we could not find it."),
        _c("value", TEXT, "The value as text; NULL where there is none."),
        _c("value_json", VARIES, "The value in its own type."),
        _c("value_number", EXACT, "Of a `number` or `decimal`; NULL where it has more than 9 decimals."),
        _c("value_date", DAY, "Of a `date` or `date-time`: its day, as the page has it."),
        _c("value_at", MOMENT, "Of a `date-time` with a zone: the moment."),
        _c("value_boolean", YES_NO, "Of a `boolean`."),
        _c("shown", TEXT, "The text on the page before it was normalised."),
        _c("origin", TEXT, "`page`: read off it; `derived`: worked out from it; `vision`: read from a picture."),
        _c("read_by", TEXT, "Who read it: `rules`, `operator`, or the name of a model."),
        _c("confidence", NUMBER, "Where it was read from a picture: how sure the answer was.", "0 to 1"),
        _c("page_confidence", NUMBER, "How far the structure of its page could be trusted.", "0 to 1"),
        _c("step", WHOLE, "The step that reported it, in the attempt that counts."),
        _c("reason", TEXT, "Why that step was taken, in one sentence of whoever decided."),
        _c("url", TEXT, "Address of the page that shows it; NULL where it stands on no page."),
        _c("label", TEXT, "What the page calls it."),
        _c("role", TEXT, "Role of the element that shows it, such as `cell`."),
        _c("title", TEXT, 'What the markup says beside the shown text, such as the moment of "3 days ago".'),
        _c("date_order", TEXT, "The order of day, month and year that the page settled, where one had to be."),
        _c("frame", TEXT, "The frame it stands in; `main` for the page itself."),
        *_box("the element"),
        _c("fingerprint", TEXT, "Of the element: equal across page loads."),
        _c("locator", TEXT, "The first locator that finds the element alone, such as `id=#owner`."),
        _c("locators", LOCATORS, "All locators, each with how many elements it matched."),
        _c("observation_sha256", TEXT, "Hash of what the page said.", "SHA-256, hex"),
        _c("page_sha256", TEXT, "Hash of the stored page that shows it: `artifacts.sha256`.", "SHA-256, hex"),
        _c("observation_file_sha256", TEXT, "Hash of the stored observation of that page.", "SHA-256, hex"),
        _c("screenshot_sha256", TEXT, "Hash of the picture that shows it.", "SHA-256, hex"),
    ),
)

ARTIFACTS = SqlView(
    "artifacts",
    "captured file",
    (
        *_SAMPLE,
        *_ATTEMPT,
        _c("step", WHOLE, "The step that captured it; NULL where no log tells."),
        _c("filename", TEXT, "Its name in the sample's folder, or in `attempt_N/` below it."),
        _c("kind", TEXT, "`screenshot`, `download`, `page` (the stored page) or `observation` (what was read of it)."),
        _c("label", TEXT, "What the task calls it."),
        _c("media_type", TEXT, "Such as `image/png`."),
        _c("size_bytes", BIG, "Its size.", "bytes"),
        _c("sha256", TEXT, "Hash of its bytes, as captured.", "SHA-256, hex"),
        _c("problem", TEXT, "What is wrong with it: it is not what was captured, or it is not there; NULL: nothing."),
        _c("source_url", TEXT, "Address of the page, or of the file."),
        _c("captured_at", MOMENT, "When it was captured."),
        _c("capture_id", TEXT, "Equal for the files of one moment."),
        _c("page_title", TEXT, "Title of the page at that moment."),
        _c("http_status", WHOLE, "With which status that page was answered."),
        _c("observation_sha256", TEXT, "Hash of what the page said at that moment.", "SHA-256, hex"),
        _c("browser", TEXT, "Name and version."),
        _c("viewport_width_px", WHOLE, "Width of the window.", "CSS px"),
        _c("viewport_height_px", WHOLE, "Height of the window.", "CSS px"),
        _c("viewport_scale", NUMBER, "Pixels of the screen to a CSS pixel."),
        _c("part", WHOLE, "Of a page captured in several pictures: which one, from 1, from the top."),
        _c("parts", WHOLE, "How many there are."),
        *_box("the part of the document that a screenshot shows"),
        _c("original_name", TEXT, "Of a download: the name the site gave it."),
        _c("text_preview", TEXT, "Of a PDF, CSV or XLSX file: the beginning of its text."),
    ),
    "Files of the search for samples have the sample_id `_discovery`.",
)

STEPS = SqlView(
    "steps",
    "step taken: observe, decide, act",
    (
        *_SAMPLE,
        *_ATTEMPT,
        _c("step", WHOLE, "From 1 within the attempt."),
        _c("started_at", MOMENT, "When it began."),
        _c("ended_at", MOMENT, "When it ended."),
        _c("total_ms", NUMBER, "From the one to the other, waits included.", "ms"),
        _c("browser_ms", NUMBER, "Of it: waiting for the browser.", "ms"),
        _c("decide_ms", NUMBER, "Of it: deciding.", "ms"),
        _c("decided_by", TEXT, "Who decided: `rules`, `operator`, or the name of a model."),
        _c("action", TEXT, "What was done, such as `click`; `none` where the decider gave nothing that could be used."),
        _c("params", VARIES, "With what: they differ from action to action."),
        _c("reason", TEXT, "Why, in one sentence of whoever decided."),
        _c("ok", YES_NO, "Whether the browser did it; NULL for actions that end in the planner, such as `done`."),
        _c("code", TEXT, "`ok`, or why not, such as `not_found`."),
        _c("result", TEXT, "What came of it, in words."),
        _c("refused", YES_NO, "Whether it was not accepted: not understood, or the gates did not agree."),
        _c("effect", TEXT, "What was verified to have come of it, such as `navigated`."),
        _c("url", TEXT, "Address of the page that was decided on; NULL where nothing had been seen yet."),
        _c("page_title", TEXT, "Its title."),
        _c("proof", TEXT, "Whether it shows the sample's record: `proven`, `mismatch` (another one) or `unproven`."),
        _c("page_confidence", NUMBER, "How far its structure could be trusted.", "0 to 1"),
        _c("triggers", TEXTS, "Why it could not, such as `canvas`."),
        _c("observation_sha256", TEXT, "Hash of what it said.", "SHA-256, hex"),
        _c("page_sha256", TEXT, "Hash of the stored page, where it was stored.", "SHA-256, hex"),
        _c("url_after", TEXT, "Address after the step."),
        _c("http_status", WHOLE, "Status of the document that the step loaded; NULL where it loaded none."),
        _c("element_role", TEXT, "Role of the element acted on, such as `button`."),
        _c("element_name", TEXT, "Its accessible name."),
        _c("element_tag", TEXT, "Its tag."),
        _c("element_frame", TEXT, "The frame it stands in."),
        _c("fingerprint", TEXT, "Of the element: equal across page loads."),
        *_box("the element"),
        _c("locators", LOCATORS, "All locators that found it, each with how many elements it matched."),
        _c("new_tabs", WHOLE, "Tabs that opened."),
        _c("dialogs", TEXTS, "JavaScript dialogs that opened."),
        _c("dismissed", TEXTS, "Banners and pop-ups that were closed because they were in the way."),
        _c("denied", TEXTS, "Addresses the page asked for and was refused, each with the reason."),
        _c("artifacts", TEXTS, "Names of the files it captured."),
        _c("problems", TEXTS, "What is wrong with those files."),
        _c("fields", TEXTS, "Fields whose values it reported."),
        _c("notices", TEXTS, "What the decider had been told of its own progress."),
        _c("notes", TEXTS, "What a reviewer should know of it."),
        _c("vision_answer", TEXT, "What a picture was found to say, where one was asked about."),
        _c("vision_confidence", NUMBER, "How sure that is.", "0 to 1"),
        _c("vision_by", TEXT, "Who answered: the name of a model, or `local`."),
        *_TOKENS,
    ),
    "Steps of the search for samples have the sample_id `_discovery`.",
)

JUDGMENTS = SqlView(
    "judgments",
    "judgment that was accepted",
    (
        *_SAMPLE,
        _c("status", TEXT, "How the sample ended."),
        _c("question", TEXT, "The task's question."),
        _c("answer", TEXT, "The answer."),
        _c("confidence", NUMBER, "How sure whoever answered is.", "0 to 1"),
        _c("reasoning", TEXT, "Why."),
        _c("evidence", TEXTS, "Names of the files it rests on."),
        _c("decided_by", TEXT, "Who judged: `rules`, `operator`, or the name of a model."),
    ),
)

USAGE = SqlView(
    "usage",
    "attempt at a sample, decider and purpose",
    (
        *_SAMPLE,
        *_ATTEMPT,
        _c(
            "purpose", TEXT, "`decide`; `vision`: questions about pictures; `lessons`: what was learned for later ones."
        ),
        _c("model", TEXT, "Who was asked: the name of a model, `rules`, `operator` or `local`; NULL for lessons."),
        _c("steps", WHOLE, "Steps with it."),
        *_TOKENS,
    ),
    "Whoever decides without a model has a row too, with 0 calls: that no model was asked can be seen. The search for "
    "samples has the sample_id `_discovery`.",
)

HEALS = SqlView(
    "heals",
    "step whose element was found again by another locator than the recorded one",
    (
        *_SAMPLE,
        _c("attempt", WHOLE, "Which try at the sample this was, from 1."),
        _c("step", WHOLE, "The step that was taken with the element found again."),
        _c("healed_at", MOMENT, "When."),
        _c("recorded_run_id", TEXT, "The run in which the element was recorded."),
        _c("recorded_step", WHOLE, "The step of that run."),
        _c("role", TEXT, "Role of the element as it was recorded."),
        _c("name", TEXT, "Its accessible name then."),
        _c("name_now", TEXT, "Its accessible name now."),
        _c("fingerprint", TEXT, "Of the element then."),
        _c("fingerprint_now", TEXT, "Of the element now."),
        _c("locator", TEXT, "The recorded locator, such as `id=#save`."),
        _c("locator_now", TEXT, "The one that found it."),
        _c("method", TEXT, "How it was found again."),
        _c("decided_by", TEXT, "Who took the step."),
        _c("cost_usd", MONEY, "What finding it again cost.", "US dollars"),
    ),
    "It is empty today: a replay may find an element by another of its recorded locators, but the step log does not "
    "say by which one, so nothing is claimed here. The columns are those that healed flows will fill.",
)

VIEWS: tuple[SqlView, ...] = (RUNS, SAMPLES, FIELDS, ARTIFACTS, STEPS, JUDGMENTS, USAGE, HEALS)
VIEWS_BY_NAME = {view.name: view for view in VIEWS}
TABLES: tuple[SqlView, ...] = tuple(view for view in VIEWS if view is not RUNS)
"""The views that are Parquet files in the folder of a run."""
FOLDER = layout.TABLES


def table_file(view: SqlView) -> str:
    """Return the path of the table below the folder of its run."""
    return f"{FOLDER}/{view.name}.parquet"
