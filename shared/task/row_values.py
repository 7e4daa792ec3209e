"""What the row of a sample fills in: the templates of its spec, the start address, and what identifies its record."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from shared.contracts.discovery import Sample
from shared.hosts import browser_form
from shared.task.spec import PLACEHOLDER, TaskSpec, fill, placeholders
from shared.text.normal import bare_key


def template_values(sample: Sample) -> dict[str, str]:
    """Return what templates may name: the sample's columns, and its id, key and URL unless a column has that name."""
    own = {"sample_id": sample.sample_id, "key": sample.key}
    return {**own, **({"url": sample.url} if sample.url is not None else {}), **sample.fields}


def missing_columns(spec: TaskSpec, sample: Sample) -> tuple[str, ...]:
    """Return the columns that the start URL or the identity needs and that the row lacks."""
    templates = (spec.start_url, *spec.identity.values())
    wanted = dict.fromkeys(name for template in templates for name in placeholders(template))
    row = template_values(sample)
    return tuple(name for name in wanted if not row.get(name, "").strip())


def start_url(spec: TaskSpec, sample: Sample) -> str:
    """Return the filled template. Values are URL-encoded, without a mark before a key, except those of a column
    `url`, which are read as a browser reads what is typed."""
    row = template_values(sample)
    return PLACEHOLDER.sub(
        lambda m: browser_form(row[m[1]]) if m[1] == "url" else quote(bare_key(row[m[1]]), safe=""), spec.start_url
    )


def expected_identity(spec: TaskSpec, sample: Sample) -> dict[str, str]:
    """Return what each identity field must show, without a mark such as `#`: a page may write it or not."""
    row = template_values(sample)
    return {name: bare_key(fill(template, row)) for name, template in spec.identity.items()}


def fill_known(template: str, row: Mapping[str, str]) -> str:
    """Return the template with the values of the row; a column that the row lacks stays as it is written."""
    return PLACEHOLDER.sub(lambda match: row.get(match[1], match[0]), template).strip()
