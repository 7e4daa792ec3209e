"""The fields of a task, learned from written rows and their pages: rules, measured confidence, and what to ask."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as dataclass_replace

from msgspec.structs import replace

from shared.contracts.browser_pool import PageObserved
from shared.extraction.agreement import Confidence, confidence_of, read_field, verdicts_of_others
from shared.extraction.certainty import FieldReading
from shared.extraction.field_rules import FieldRules
from shared.extraction.lists import ListReading, ListRules, Written, WrittenList, learn_list, read_list
from shared.extraction.pages import ObservedPage
from shared.extraction.synthesis import MIN_EXAMPLES, Example, common_texts, is_shown, learn_field
from shared.extraction.task_values import other_record, read_task_values
from shared.extraction.values import form_of, value_key
from shared.flows.compiling.field_places import labels_of, list_columns
from shared.flows.reading import proves_by_place
from shared.task.row_values import fill_known
from shared.task.spec import TaskSpec
from shared.text.normal import fold, quoted

MOST_OPTIONS = 4
SAY_LABELS = (
    "say what the page calls it in the key labels of the field, or what stands around it in its keys pattern, "
    "preceded_by and followed_by"
)
MORE_LIKE_THEM = f"add rows whose pages are built in the same way, so that each way has {MIN_EXAMPLES} or more"
ALL_ROWS = "write every row that the page shows, each text as it is shown there, or add a row whose page has more"
SHOWS_WORDS = "the page of a row that has none shows a text in its place"
SAY_NONE = "say in the key not_present of the field with which words the page says that it has none"
ANOTHER_ROW = "a run leaves it to a person: take another row instead"
AS_SHOWN = "write its value there as the page shows it, or leave the cell empty where the page shows none"

Readings = dict[str, FieldReading]


@dataclass(frozen=True)
class WrittenRow:
    """A row of the examples. ``row``: its input columns. ``values``: the fields that a person has written; None: the
    page shows none. ``lists``: the fields of rows, with every row that the page shows. ``page``: what was observed."""

    name: str
    row: Mapping[str, str]
    values: Mapping[str, str | None]
    page: PageObserved
    lists: Mapping[str, Written] = field(default_factory=dict[str, Written])


@dataclass(frozen=True)
class LearnedField:
    """``problem``: why nothing was learned; empty if rules were found. ``settles``: the row or the key of the spec that
    would settle it. ``tested``: rows with a value of which the other rows teach something; ``taught``: how many of
    these they read right. ``may_lack``: a row has none. ``unvaried``: every row has one value, and what else has it by
    chance is not told apart from it."""

    name: str
    rules: FieldRules
    confidence: Confidence
    problem: str = ""
    settles: str = ""
    tested: int = 0
    taught: int = 0
    may_lack: bool = False
    unvaried: bool = False


@dataclass(frozen=True)
class LearnedList:
    """A field of rows. ``problem``: why nothing was learned; empty if a way was found to separate its rows.
    ``settles``: as of `LearnedField`."""

    name: str
    rules: ListRules
    problem: str = ""
    settles: str = ""


@dataclass(frozen=True)
class LearnedTask:
    """``constants``: texts of all example pages, see :func:`shared.extraction.synthesis.common_texts`. ``spec``: the
    task that was learned. ``of_others``: rows whose page shows another record, and which, for people; nothing is
    learned from them."""

    fields: dict[str, LearnedField]
    constants: frozenset[str]
    spec: TaskSpec
    lists: dict[str, LearnedList] = field(default_factory=dict[str, LearnedList])
    of_others: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class ExampleQuestion:
    """What only a person can tell: the value of one field on one page. Its answer is one more example.

    ``options``: one to four; any other text may be answered too. None: the page shows no value."""

    field: str
    row: str
    text: str
    options: tuple[str | None, ...]


@dataclass(frozen=True)
class Prediction:
    """The readings of a row without written values. ``other``: which other record its page shows, for people."""

    name: str
    readings: Readings = field(default_factory=Readings)
    lists: Mapping[str, ListReading] = field(default_factory=dict[str, ListReading])
    other: str = ""

    @property
    def unsure(self) -> tuple[str, ...]:
        """Return the fields of one value that are left for a person."""
        return tuple(name for name, one in self.readings.items() if one.certainty not in ("certain", "healed"))

    @property
    def unsure_lists(self) -> tuple[str, ...]:
        """Return the fields of rows that are left for a person."""
        return tuple(name for name, one in self.lists.items() if not is_sure(one))


def is_sure(reading: ListReading) -> bool:
    """Return whether every row of a list is read for certain."""
    cells = (cell for row in reading.rows for cell in row.values())
    return reading.agree and all(cell.certainty in ("certain", "healed") for cell in cells)


def learn_fields(spec: TaskSpec, rows: Sequence[WrittenRow]) -> LearnedTask:
    """Return what the rows teach of each field that is written in them, those on the page of another record nothing."""
    given = rows
    of_others = {one.name: wrong for one in given if (wrong := other_record(spec, one.row, one.page))}
    rows = [one for one in given if one.name not in of_others]
    pages = {one.name: ObservedPage.of(one.page, read_task_values(spec, one.row, one.page)) for one in rows}
    values = {fold(value) for one in rows for value in one.values.values() if value}
    names = [name for name in spec.output_schema if any(name in one.values for one in given)]
    learned = {name: _learn(name, spec, rows, pages, values) for name in names}
    of_rows = [name for name in spec.output_schema if any(name in one.lists for one in given)]
    lists = {name: _learn_rows(name, spec, rows, pages) for name in of_rows}
    return LearnedTask(learned, common_texts(list(pages.values()), values), spec, lists, of_others)


def _learn_rows(
    name: str, spec: TaskSpec, rows: Sequence[WrittenRow], pages: Mapping[str, ObservedPage]
) -> LearnedList:
    examples = [WrittenList(pages[one.name], one.lists[name]) for one in rows if name in one.lists]
    try:
        rules = learn_list(examples, list_columns(spec.output_schema[name]), whole=True)
    except ValueError as exc:
        return LearnedList(name, ListRules(ways=()), f"its rows teach nothing: {exc}", ALL_ROWS)
    if rules.ways:
        return LearnedList(name, rules)
    return LearnedList(name, rules, "no way to separate the rows of a page gives those that are written", ALL_ROWS)


def _learn(
    name: str, spec: TaskSpec, rows: Sequence[WrittenRow], pages: Mapping[str, ObservedPage], values: Collection[str]
) -> LearnedField:
    form, labels = form_of(spec.output_schema[name]), labels_of(name, spec)
    examples = [Example(pages[one.name], one.values[name]) for one in rows if name in one.values]
    nothing = LearnedField(name, FieldRules(rules=(), form=form), Confidence(right=0, wrong=0, to_review=len(examples)))
    shown = sum(bool(one.value) for one in examples)
    if shown < MIN_EXAMPLES:
        why = f"{shown} of the rows has a value; {MIN_EXAMPLES} or more are needed"
        return dataclass_replace(nothing, problem=why, settles=_more_values(MIN_EXAMPLES - shown))
    rules = learn_field(examples, labels, form, others=values, task_field=name)
    if not rules.rules and not rules.variants:
        alone = learn_field([one for one in examples if one.value], labels, form, others=values, task_field=name)
        shows_words = bool(alone.rules) and shown < len(examples)
        problem, settles = (SHOWS_WORDS, SAY_NONE) if shows_words else _why_nothing(name, rows, pages, rules)
        return dataclass_replace(nothing, problem=problem, settles=settles)
    verdicts = verdicts_of_others(examples, labels, form, name, rules)
    of_values = [said for one, said in zip(examples, verdicts, strict=True) if one.value and said is not None]
    return LearnedField(
        name,
        rules,
        confidence_of(verdicts),
        tested=len(of_values),
        taught=of_values.count("right"),
        may_lack=any(not one.value for one in examples),
        unvaried=len({one.value and value_key(form, one.value) for one in examples}) == 1,
    )


def _more_values(count: int) -> str:
    return "add a row whose page shows one" if count == 1 else f"add {count} rows whose pages show one"


def _why_nothing(
    name: str, rows: Sequence[WrittenRow], pages: Mapping[str, ObservedPage], rules: FieldRules
) -> tuple[str, str]:
    """Return why the rows teach nothing of the field, and what would settle it."""
    lacking = [
        f"{one.name} ({quoted(value)})"
        for one in rows
        if (value := one.values.get(name)) and not is_shown(rules.form, pages[one.name], value)
    ]
    if lacking:
        return f"not shown on the page of {', '.join(lacking)}", AS_SHOWN
    return "its places on these pages have nothing in common", f"{SAY_LABELS}, or {MORE_LIKE_THEM}"


def predict(task: LearnedTask, name: str, row: Mapping[str, str], page: PageObserved) -> Prediction:
    """Return what the rules say of the page of a row that was not learned from."""
    known = {key: one.rules for key, one in task.fields.items()}
    proofs = {key: known.get(key) for key in task.spec.identity}
    named = {key: fill_known(text, row) for key, text in task.spec.identity.items()}
    is_shown = proves_by_place(proofs, named, page, task.constants)
    observed = ObservedPage.of(page, read_task_values(task.spec, row, page, is_shown=is_shown))
    readings = {key: read_field(one.rules, observed, task.constants) for key, one in task.fields.items()}
    lists = {key: read_list(one.rules, observed) for key, one in task.lists.items()}
    return Prediction(name, readings, lists, other_record(task.spec, row, page))


def find_question(task: LearnedTask, predictions: Sequence[Prediction]) -> ExampleQuestion | None:
    """Return the question whose answer teaches most: of the field that is unsure on most pages, on one of them."""
    counts = {
        name: sum(name in one.unsure and bool(one.readings[name].candidates) for one in predictions)
        for name in task.fields
    }
    for name in sorted(counts, key=lambda one: -counts[one]):
        for one in predictions:
            found = tuple(dict.fromkeys(candidate.value for candidate in one.readings[name].candidates))
            if name in one.unsure and found and len(found) <= MOST_OPTIONS:
                options = found if len(found) == MOST_OPTIONS else (*found, None)
                return ExampleQuestion(name, one.name, f"What is {name} of {one.name}?", options)
    return None


def trusted(task: LearnedTask, predictions: Sequence[Prediction]) -> LearnedTask:
    """Return the task after a person said that all predictions are right.

    A field whose rules agreed on every one of these pages is read from then on where they all agree, even if only its
    place tells it."""
    fields: dict[str, LearnedField] = {}
    for name, one in task.fields.items():
        readings = [prediction.readings[name] for prediction in predictions]
        agreed = all(len(reading.candidates) == 1 and not reading.lost for reading in readings)
        rules = replace(one.rules, trusted=True) if readings and agreed else one.rules
        fields[name] = dataclass_replace(one, rules=rules)
    return dataclass_replace(task, fields=fields)
