"""The chart's files: what can be told of them without Helm. tests/deployed/test_chart.py renders them."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from shared.bus.signing.service_keys import checks_signatures
from shared.host.service_names import NAMES
from shared.host.services import service_user
from shared.settings import Settings
from shared.streams import MAX_PAYLOAD_MB

ROOT = Path(__file__).parents[2]
CHART = ROOT / "deploy" / "helm" / "exhibit"
VALUES: dict[str, Any] = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))
SCHEMA: dict[str, Any] = json.loads((CHART / "values.schema.json").read_text(encoding="utf-8"))
HELPERS = (CHART / "templates" / "_helpers.tpl").read_text(encoding="utf-8")


def test_the_values_fit_their_schema_once_the_s3_server_is_named():
    named = {**VALUES, "s3": {**VALUES["s3"], "endpoint": "https://s3.example"}}
    jsonschema.validate(named, SCHEMA)
    with pytest.raises(jsonschema.ValidationError, match="''"):
        jsonschema.validate(VALUES, SCHEMA)


def test_every_value_stands_in_the_schema():
    assert set(VALUES) == set(SCHEMA["properties"]) - {"global"}
    for name, value in VALUES.items():
        if isinstance(value, dict) and name not in ("nats", "env"):
            assert set(value) == set(SCHEMA["properties"][name]["properties"]), name


def test_the_services_are_those_that_there_are():
    found = re.findall(r"^\w+: \{name: (\w+), checks: (\w+)\}$", HELPERS, re.MULTILINE)
    assert {name: checks == "true" for name, checks in found} == {
        name: checks_signatures(service_user(name)) for name in NAMES
    }


def test_every_variable_is_a_setting():
    known = {str(field.validation_alias or f"EXHIBIT_{name.upper()}") for name, field in Settings.model_fields.items()}
    written = set(re.findall(r"^((?:EXHIBIT|ANTHROPIC)_[A-Z0-9_]+):", HELPERS, re.MULTILINE))
    assert len(written) > 20
    assert written - known == {"EXHIBIT_OTLP_ENDPOINT"}  # one of its two names


def test_the_bus_is_of_the_version_that_compose_has_and_three_servers():
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    tag = VALUES["nats"]["container"]["image"]["tag"]
    assert f":-nats:{tag}}}" in compose["services"]["bus"]["image"]
    assert VALUES["nats"]["config"]["cluster"]["replicas"] == VALUES["bus"]["replicas"] == 3
    assert VALUES["nats"]["config"]["merge"]["max_payload"] == f"<< {MAX_PAYLOAD_MB}MB >>"


def test_the_chart_has_the_version_of_the_program():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert yaml.safe_load((CHART / "Chart.yaml").read_text(encoding="utf-8"))["appVersion"] == project["version"]


def test_the_seccomp_profile_of_the_pool_is_the_one_that_is_shipped():
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    (named,) = (one for one in compose["services"]["browser_pool"]["security_opt"] if one.startswith("seccomp:"))
    assert Path(VALUES["seccomp"]["browserPool"]).name == Path(named.removeprefix("seccomp:")).name
    assert (ROOT / "deploy" / Path(VALUES["seccomp"]["browserPool"]).name).is_file()
