"""The input rows of the two tasks, and the comparison of results with the directory."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from practice.comparing import Difference
from practice.people import words
from practice.people.asking import people_of, settle
from practice.people.data import Person, company_slug
from practice.people.frame import path_of

COLUMNS: tuple[str, ...] = ("ref", "name", "company", "note")
FIELDS = ("name", "profile_url", "school", "current_company", "tenure")
LIST_FIELDS = ("name", "profile_url")
_PLAIN, _FORMER, _JOBLESS, _UNSCHOOLED = 22, 8, 3, 4


def input_rows(people: Sequence[Person]) -> list[dict[str, str]]:
    """Return unique rows with names and companies of every kind.

    The kinds: unique name, several companies, twice at one company, similar spelling, former employee, no company or
    school now, absent.
    """
    pairs = dict.fromkeys([*_ordinary(people), *_homonyms(people), *_twins(people), *_spelt(people), *_absent()])
    ordered = sorted(pairs, key=lambda pair: (len(pair[0]) * 7 + len(pair[1]) * 3) % 11)
    notes = ("", "from the spring list", 'called "urgent" by sales, check twice', "ok; ask Hana")
    return [
        {"ref": f"REF-{number:03d}", "name": name, "company": company, "note": notes[number % len(notes)]}
        for number, (name, company) in enumerate(ordered, start=1)
    ]


def sample_id(row: dict[str, str]) -> str:
    """Return the sample id that the task spec derives from a row."""
    return f"{row['name']}, {row['company']}"


def write_input(path: Path, people: Sequence[Person]) -> int:
    """Write :func:`input_rows` as a CSV with :data:`COLUMNS`; return the number of rows."""
    rows = input_rows(people)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    return len(rows)


def expected_cells(people: Sequence[Person], row: dict[str, str], base_url: str) -> dict[str, str]:
    """Return the expected cells of a row in combined.csv.

    An ambiguous name or a near spelling has no profile; ``status`` is then that of :func:`accepted`.
    """
    answer = settle(people, row["name"], row["company"])
    if answer.person is None:
        return dict.fromkeys((*FIELDS[1:], "not_present"), "")
    person = answer.person
    values = {
        "name": person.name,
        "profile_url": base_url + path_of(person),
        "school": person.school or "",
        "current_company": person.current_company or "",
        "tenure": person.tenure or "",
    }
    return {**values, "not_present": ";".join(sorted(name for name, value in values.items() if not value))}


def accepted(people: Sequence[Person], row: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the accepted pairs of status and reason.

    A near spelling proves nothing: both "not found" and a question to the operator are accepted.
    """
    review = (("needs_review", "ambiguous_value"), ("needs_review", "ambiguous_record"))
    absent = ("failed", "not_found")
    kinds = {"found": (("done", ""),), "ambiguous": review, "near": (*review, absent), "not_found": (absent,)}
    return kinds[settle(people, row["name"], row["company"]).kind]


def compare(combined_csv: Path, people: Sequence[Person], base_url: str) -> list[Difference]:
    """Return every cell of combined.csv that differs from the site; an empty list if there is none.

    Columns of the input are compared if the table has them.
    """
    table = _read(combined_csv)
    rows = {sample_id(row): row for row in input_rows(people)}
    found = _row_differences([cells.get("sample_id") or "" for cells in table], list(rows))
    for got in table:
        row = rows.get(got.get("sample_id") or "")
        found += [] if row is None else _cell_differences(people, row, got, base_url)
    return found


def compare_enriched(
    enriched_csv: Path, original_csv: Path, people: Sequence[Person], base_url: str
) -> list[Difference]:
    """Compare the original CSV with appended columns: its rows and columns must be unchanged and in order."""
    original, table = _read(original_csv), _read(enriched_csv)
    if len(original) != len(table):
        return [Difference("all", "row", f"{len(original)} rows", f"{len(table)} rows")]
    found: list[Difference] = []
    for row, got in zip(original, table, strict=True):
        wanted = {**expected_cells(people, row, base_url), **row}
        wanted.pop("not_present", None)
        found += _unlike(sample_id(row), wanted, got)
    return found


def compare_list(
    rows: Sequence[dict[str, str]], people: Sequence[Person], company: str, base_url: str
) -> list[Difference]:
    """Compare a list with the current people of a company: each exactly once, no others, as shown."""
    wanted = {base_url + path_of(person): person.name for person in people_of(people, company)}
    got = [row.get("profile_url") or "" for row in rows]
    found = _row_differences(got, list(wanted))
    for row in rows:
        address = row.get("profile_url") or ""
        if address in wanted:
            found += _unlike(address, {"name": wanted[address]}, row)
    return found


def list_rows() -> list[dict[str, str]]:
    """Return the input of the discovery task: three companies, of one page and of several."""
    return [{"company": company_slug(words.COMPANIES[index][0])} for index in (0, 1, 12)]


# --- the rows


def _ordinary(people: Sequence[Person]) -> list[tuple[str, str]]:
    special = {*words.HOMONYM_NAMES, *words.TWIN_NAMES}
    plain = [person for person in people if person.name not in special and _unspelt(person)]
    employed = [person for person in plain if person.current_company and person.school]
    former = [(person.name, person.positions[-1].company) for person in employed if len(person.companies) > 1]
    now = [(person.name, person.current_company or "") for person in employed if person.current_company]
    jobless = [(person.name, person.positions[0].company) for person in plain if person.current_company is None]
    unschooled = [
        (person.name, person.current_company or "") for person in plain if not person.school and person.current_company
    ]
    return [*now[:_PLAIN], *former[_PLAIN : _PLAIN + _FORMER], *jobless[:_JOBLESS], *unschooled[:_UNSCHOOLED]]


def _unspelt(person: Person) -> bool:
    return person.name.split()[-1] not in {last for last, *_ in words.SPELLINGS}


def _of_names(people: Sequence[Person], names: Sequence[str]) -> list[tuple[str, str]]:
    return [(person.name, person.current_company or "") for name in names for person in people if person.name == name]


def _homonyms(people: Sequence[Person]) -> list[tuple[str, str]]:
    """Return one person of each name, and all three of the first two."""
    pairs = _of_names(people, words.HOMONYM_NAMES)
    return [*pairs[:6], *pairs[6::3]]


def _twins(people: Sequence[Person]) -> list[tuple[str, str]]:
    return _of_names(people, words.TWIN_NAMES)


def _spelt(people: Sequence[Person]) -> list[tuple[str, str]]:
    """Return for even families a person at the company, for odd ones the spelling that is not there."""
    pairs: list[tuple[str, str]] = []
    for index, (last, first, other, _) in enumerate(words.SPELLINGS):
        [(name, company)] = _of_names(people, [f"{first} {last}"])
        pairs.append((f"{other} {last}" if index % 2 else name, company))
    return pairs


def _absent() -> list[tuple[str, str]]:
    return [(name, words.COMPANIES[index][0]) for index, name in enumerate(words.ABSENT_NAMES)]


# --- the check


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def _row_differences(got: Sequence[str], wanted: Sequence[str]) -> list[Difference]:
    counted = [Difference(sample, "row", "1 row", f"{got.count(sample)} rows") for sample in wanted]
    extra = [Difference(sample, "row", "no row", "a row") for sample in dict.fromkeys(got) if sample not in wanted]
    return [sample for sample in counted if sample.got != "1 rows"] + extra


def _cell_differences(
    people: Sequence[Person], row: dict[str, str], got: dict[str, str], base_url: str
) -> list[Difference]:
    sample, outcomes = sample_id(row), accepted(people, row)
    ended = (got.get("status") or "", got.get("reason") or "")
    kept = {name: value for name, value in row.items() if name in got and name != "name"}
    found = _unlike(sample, {**expected_cells(people, row, base_url), **kept}, got)
    if ended in outcomes:
        return found
    return [Difference(sample, "status", " or ".join(map(" ".join, outcomes)).strip(), " ".join(ended).strip()), *found]


def _unlike(sample: str, wanted: dict[str, str], got: dict[str, str]) -> list[Difference]:
    return [
        Difference(sample, column, value, _shown(column, got.get(column)))
        for column, value in wanted.items()
        if _shown(column, got.get(column)) != value
    ]


def _shown(column: str, cell: str | None) -> str:
    if cell is None:
        return "(no such column)"
    return ";".join(sorted(cell.split(";"))) if column == "not_present" else cell
