"""Write the JSON Schema of OSCAL assessment results that the tests check exports by.

It is that of the models of compliance-trestle, which are made of the metaschema of NIST. The package is not needed
otherwise, so it is in no lock:

    uv run --no-project --with compliance-trestle==5.2.0 python scripts/write_oscal_schema.py
"""

# pyright: reportMissingImports=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import json
from pathlib import Path

from trestle.oscal.assessment_results import Model

TARGET = Path(__file__).parents[1] / "tests" / "fixtures" / "oscal" / "assessment_results.schema.json"
_PROSE = ("title", "description")
"""Keys that only explain; as names of properties they stay."""


def _lean(schema: object, *, named: bool = False) -> object:
    """Return a schema without what only explains. ``named``: its keys are names of properties or models."""
    if isinstance(schema, dict):
        kept = {key: value for key, value in schema.items() if named or key not in _PROSE}
        return {key: _lean(value, named=not named and key in ("properties", "$defs")) for key, value in kept.items()}
    return [_lean(one) for one in schema] if isinstance(schema, list) else schema


if __name__ == "__main__":
    told = _lean(Model.model_json_schema(by_alias=True))
    TARGET.write_text(json.dumps(told, indent=1, sort_keys=True) + "\n", encoding="utf-8")
